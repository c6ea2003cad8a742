// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of architectures: target/target.def as a table. It is the only place that describes a chip.
// Passes, codegen, runtime and tools ask for a feature by name, never for an architecture's number.
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

// Operand types of mma.sync.
enum {
  MMA_FP16 = 1,
  MMA_BF16 = 2,
  MMA_TF32 = 4,
  MMA_INT8 = 8,
  MMA_FP64 = 16,
  MMA_FP8 = 32,
  MMA_FP16_K16 = 64, // fp16 with k 16 too; else only k 8
};

// Instructions newer than sm_90a: bits of TargetInfo.more.
enum {
#define FEATURE(name, heading, meaning) FEATURE_INDEX_##name,
#include "target/features.def"
#undef FEATURE
#define FEATURE(name, heading, meaning) FEATURE_##name = 1 << FEATURE_INDEX_##name,
#include "target/features.def"
#undef FEATURE
};

// Common to all architectures.
enum {
  TARGET_WARP = 32, // threads
  BLOCK_MAX_WARPS = 32,
  BLOCK_MAX_THREADS = TARGET_WARP * BLOCK_MAX_WARPS,
  BLOCK_MAX_Z = 64,
  GRID_MAX_X = INT32_MAX, // programs
  GRID_MAX_YZ = 65535,
};

// Limits of options, decorators and the runtime.
enum {
  NUM_WARPS_MAX = BLOCK_MAX_WARPS, // a power of two from 1
  NUM_STAGES_MAX = 64,             // from 1
  MAXNREG_MAX = 255,               // from 1
};

typedef struct TargetInfo {
  const char *name; // "sm_90a"
  uint16_t sm;      // for names, and for programs that ask for the GPU's capability.
  bool is_specific; // A suffix: `a`, or `f`.
  uint16_t ptx;     // The lowest PTX version that LLVM and ptxas accept, 10 * major + minor.
  uint16_t fp8_ptx; // The PTX version of fp8 conversions; 0: none
  bool has_cp_async;
  bool has_cache_policy;   // L2::cache_hint
  bool has_redux;          // for integers
  bool has_bf16_extremes;  // minima and maxima
  bool has_bf16_atomics;   // additions
  bool has_bf16_of_int;    // Conversions of integers, rounded once.
  bool has_int_pairs;      // Packed minima and maxima of 16-bit integers
  bool has_vector_atomics; // red of float vectors
  bool has_grid_control;   // griddepcontrol
  bool has_async_proxy;    // fence.proxy.async
  bool has_wgmma;
  uint32_t more;                              // A set of FEATURE_*.
  uint8_t mma;                                // A set of MMA_*.
  uint16_t tensor_rank, tensor_box;           // TMA copies: maximum rank, elements per dimension; 0: none
  uint16_t cluster_blocks;                    // 0: no clusters
  uint16_t named_barriers;                    // Per CTA.
  uint16_t setmaxnreg_least, setmaxnreg_most; // 0: none
  uint32_t shared_static;                     // bytes per CTA; beyond it shared memory is dynamic
  uint32_t shared_limit;                      // Maximum bytes per CTA.
  uint32_t shared_reserved;                   // Additional bytes that each CTA takes
  uint32_t registers;                         // 32-bit registers of a multiprocessor.
  uint16_t thread_registers;                  // Maximum per thread.
  uint16_t warps, blocks;                     // Resident on a multiprocessor.
  // Rates per clock and multiprocessor; 0: unknown, or none.
  uint32_t tensor_fp16, tensor_tf32, tensor_fp8, tensor_int8, tensor_fp64; // operations; a multiply-add is
                                                                           // two
  uint16_t fma, mufu;
  // A card; 0: unknown.
  const char *card;
  uint16_t multiprocessors, l2_mb, bandwidth; // MB, GB/s
} TargetInfo;

// All rows in the order of target/target.def.
const TargetInfo *target_list(uint32_t *count);
// Finds "sm_90a"; NULL if there is no such row.
const TargetInfo *target_find(Str name);
// sm_90a: used if no architecture is requested and there is no GPU.
const TargetInfo *target_fallback(void);
// The row without the suffix.
const TargetInfo *target_base(const TargetInfo *info);
// The row to compile for on a device of compute capability major.minor. Prefers the device's own row, with
// the suffix if there is one. A device that is newer than its row, or has none, gets the newest row before it
// without suffix. Rows of the same major version come first. NULL: the device is older than all rows.
const TargetInfo *target_of_device(int major, int minor);
// Returns true if a cubin for `code` runs on the device with the row `device`.
bool target_runs_on(const TargetInfo *code, const TargetInfo *device);
// The compute capability, for host programs. The compiler itself never uses it.
void target_capability(const TargetInfo *info, uint32_t *major, uint32_t *minor);
// Returns true if it has all the features of the set.
static inline bool target_has(const TargetInfo *info, uint32_t features) {
  return (info->more & features) == features;
}
// The oldest row whose bool at `offset` is set, for diagnostics: "sm_80".
const char *target_since(size_t offset);

#endif
