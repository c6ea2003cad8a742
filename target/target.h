// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What architectures have: target/target.def as a table. All that is known of a chip stands there; passes,
// codegen, runtime and tools ask for what they need by its name, never for an architecture's number.
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
  MMA_FP16_K16 = 64, // fp16 by k 16 too; else by 8 alone
};

// The same on every architecture.
enum {
  TARGET_WARP = 32, // threads
  BLOCK_MAX_WARPS = 32,
  BLOCK_MAX_THREADS = TARGET_WARP * BLOCK_MAX_WARPS,
  BLOCK_MAX_Z = 64,
  GRID_MAX_X = INT32_MAX, // programs
  GRID_MAX_YZ = 65535,
};

// What options, decorators and the runtime take.
enum {
  NUM_WARPS_MAX = BLOCK_MAX_WARPS, // a power of two from 1
  NUM_STAGES_MAX = 64,             // from 1
  MAXNREG_MAX = 255,               // from 1
};

typedef struct TargetInfo {
  const char *name; // "sm_90a"
  uint16_t sm;      // for names, and what a file is told that asks for the GPU's capability
  bool is_specific; // the `a` suffix
  uint16_t ptx;     // the lowest PTX version that LLVM and ptxas take, 10 * major + minor
  uint16_t fp8_ptx; // that of conversions of fp8; 0: none
  bool has_cp_async;
  bool has_cache_policy;   // L2::cache_hint
  bool has_redux;          // of integers
  bool has_bf16_extremes;  // minima and maxima
  bool has_bf16_atomics;   // additions
  bool has_bf16_of_int;    // conversions of integers, rounded once
  bool has_int_pairs;      // minima and maxima of two integers of 16 bits
  bool has_vector_atomics; // red of vectors of floats
  bool has_grid_control;   // griddepcontrol
  bool has_async_proxy;    // fence.proxy.async
  bool has_wgmma;
  uint8_t mma;                                // the set of MMA_*
  uint16_t tensor_rank, tensor_box;           // of tensor copies, elements a dimension; 0: none
  uint16_t cluster_blocks;                    // 0: no clusters
  uint16_t named_barriers;                    // of a block
  uint16_t setmaxnreg_least, setmaxnreg_most; // 0: none
  uint32_t shared_static;                     // bytes of a block; beyond it shared memory is dynamic
  uint32_t shared_limit;                      // bytes of a block at most
  uint32_t shared_reserved;                   // bytes that each block takes beside
  uint32_t registers;                         // of 32 bits, of a multiprocessor
  uint16_t thread_registers;                  // of a thread at most
  uint16_t warps, blocks;                     // that a multiprocessor holds at once
  // Rates, a clock and a multiprocessor; 0: not known, or none.
  uint32_t tensor_fp16, tensor_tf32, tensor_fp8, tensor_int8, tensor_fp64; // operations, a multiply-add two
  uint16_t fma, mufu;
  // A card; 0: not known.
  const char *card;
  uint16_t multiprocessors, l2_mb, bandwidth; // MB, GB/s
} TargetInfo;

// All rows, as target/target.def has them.
const TargetInfo *target_list(uint32_t *count);
// "sm_90a"; NULL where there is no such row.
const TargetInfo *target_find(Str name);
// sm_90a: where no architecture is asked for and there is no GPU.
const TargetInfo *target_fallback(void);
// The row without the suffix.
const TargetInfo *target_base(const TargetInfo *info);
// What to compile for a device of compute capability major.minor: its own row, with the suffix where there is
// such; of a device that is newer than its row, or has none, the newest one before it, the same major first,
// without suffix. NULL: the device is older than all.
const TargetInfo *target_of_device(int major, int minor);
// Whether a cubin for `code` runs on the device with the row `device`.
bool target_runs_on(const TargetInfo *code, const TargetInfo *device);
// The compute capability, of which programs for the host ask; nothing of the compiler does.
void target_capability(const TargetInfo *info, uint32_t *major, uint32_t *minor);
// The oldest row with the feature whose bool is at `offset`, for diagnostics: "sm_80".
const char *target_since(size_t offset);

#endif
