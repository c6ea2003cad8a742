// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PTX simulator's C API: loads PTX text and runs its kernels on this CPU, with simulated global memory
// whose every access is checked. It prints nothing and never ends the process. One simulator is used by one
// thread at a time.
#ifndef TILEC_SIM_H
#define TILEC_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifndef TILEC_SIM_API
#if defined(__GNUC__)
#define TILEC_SIM_API __attribute__((visibility("default")))
#else
#define TILEC_SIM_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tilec_sim_result {
  TILEC_SIM_OK,
  TILEC_SIM_ERROR_INVALID,   // a bad argument: NULL, a zero block dimension, an address never allocated
  TILEC_SIM_ERROR_PTX,       // the text is not PTX that the simulator knows; the message is "line:col: text"
  TILEC_SIM_ERROR_NOT_FOUND, // no kernel of that name
  TILEC_SIM_ERROR_MEMORY,    // the host has no memory left
  TILEC_SIM_ERROR_KERNEL,    // an error of the kernel's: see the reports
  TILEC_SIM_ERROR_INTERNAL,  // a bug of the simulator's
} tilec_sim_result;

// A simulated GPU: memory, options, the last launch's results.
typedef struct tilec_sim tilec_sim;
// Loaded PTX; lives until it is unloaded or its simulator ends.
typedef struct tilec_sim_module tilec_sim_module;
// An entry of a module; lives as long as the module.
typedef struct tilec_sim_kernel tilec_sim_kernel;

// Which warps go first, and when asynchronous copies take effect. What the loaded instructions can do decides
// what a schedule changes. Under all but the first a mbarrier.try_wait gives false once before it waits.
typedef enum tilec_sim_schedule {
  TILEC_SIM_LATE,      // asynchronous effects at their wait; warps ascending
  TILEC_SIM_EARLY,     // asynchronous effects at issue; warps ascending
  TILEC_SIM_LATE_DOWN, // warps and blocks' atomics descending
  TILEC_SIM_EARLY_DOWN,
} tilec_sim_schedule;

typedef struct tilec_sim_options {
  size_t size;      // sizeof(tilec_sim_options)
  uint32_t threads; // host threads that run blocks; 1: reproducible to the bit
  tilec_sim_schedule schedule;
  uint64_t instruction_budget; // warp instructions a launch may run; 0: 2^40
  uint32_t multiprocessors;    // of the modelled GPU: how many blocks make progress together; 0: 132
  // Not 0: every checker is on; a launch then uses one thread, and goes on after most reports.
  int checks;
  double timeout; // seconds a launch may take; 0: no limit
  // NULL, or a number that another thread or a signal handler makes other than 0 to end the launch under way
  // and those to come.
  const int *cancel;
  // Warp instructions that a block runs between two looks whether it spins on memory that nobody changes; 0:
  // 65536, and more in a long launch. Few of them make a launch slow and change no result.
  uint32_t watch_every;
} tilec_sim_options;

#define TILEC_SIM_OPTIONS_INIT                                                                               \
  { sizeof(tilec_sim_options), 1, TILEC_SIM_LATE, 0, 0, 0, 0, NULL, 0 }

// options: NULL for the defaults. *sim is NULL where the result is not TILEC_SIM_OK.
TILEC_SIM_API tilec_sim_result tilec_sim_create(const tilec_sim_options *options, tilec_sim **sim);
TILEC_SIM_API void tilec_sim_destroy(tilec_sim *sim); // with its modules and memory; NULL is allowed

// What went wrong in the last call that did not return TILEC_SIM_OK; lives until the next call. Never NULL.
TILEC_SIM_API const char *tilec_sim_message(const tilec_sim *sim);

// ---- Modules ----

// Copies and loads PTX text of `bytes` bytes (no NUL needed). Its .global and
// .const variables become allocations.
TILEC_SIM_API tilec_sim_result tilec_sim_load(tilec_sim *sim, const char *ptx, size_t bytes,
                                              tilec_sim_module **module);

// Where in the text the last tilec_sim_load failed, from 1: *line 0 where it did not, or at no place. The message
// begins with "LINE:COLUMN: ".
TILEC_SIM_API void tilec_sim_load_place(const tilec_sim *sim, uint32_t *line, uint32_t *column);

// Ends a module, its kernels and its variables' allocations; where the last launch was of one of its kernels,
// the counters by line and the reports too. NULL is allowed.
TILEC_SIM_API tilec_sim_result tilec_sim_unload(tilec_sim *sim, tilec_sim_module *module);

typedef struct tilec_sim_param {
  const char *name;
  uint32_t offset; // bytes from the start of the parameter block
  uint32_t size;   // bytes
  uint32_t align;  // bytes
} tilec_sim_param;

// The module's kernels, in the text's order; NULL beyond the end.
TILEC_SIM_API size_t tilec_sim_kernel_count(const tilec_sim_module *module);
TILEC_SIM_API const tilec_sim_kernel *tilec_sim_kernel_at(const tilec_sim_module *module, size_t index);
// The kernel of that name, or TILEC_SIM_ERROR_NOT_FOUND.
TILEC_SIM_API tilec_sim_result tilec_sim_find(tilec_sim *sim, const tilec_sim_module *module,
                                              const char *name, const tilec_sim_kernel **kernel);

TILEC_SIM_API const char *tilec_sim_kernel_name(const tilec_sim_kernel *kernel);
// The parameters in order; NULL beyond the end.
TILEC_SIM_API size_t tilec_sim_param_count(const tilec_sim_kernel *kernel);
TILEC_SIM_API const tilec_sim_param *tilec_sim_param_at(const tilec_sim_kernel *kernel, size_t index);
// .reqntid and .maxntid; all zero where the kernel has none.
TILEC_SIM_API void tilec_sim_required_threads(const tilec_sim_kernel *kernel, uint32_t threads[3]);
TILEC_SIM_API void tilec_sim_max_threads(const tilec_sim_kernel *kernel, uint32_t threads[3]);
TILEC_SIM_API uint32_t tilec_sim_shared_bytes(const tilec_sim_kernel *kernel); // static shared memory
TILEC_SIM_API uint32_t tilec_sim_multiprocessors(const tilec_sim *sim);        // of the modelled GPU

// ---- Memory: device addresses are not host pointers ----

// `bytes` of zeroed memory at an address aligned to 256, with unmapped space all around. 0 bytes give an
// address that cannot be accessed.
TILEC_SIM_API tilec_sim_result tilec_sim_alloc(tilec_sim *sim, size_t bytes, uint64_t *address);
// The same over the caller's own memory, not copied: it must outlive the mapping.
TILEC_SIM_API tilec_sim_result tilec_sim_bind(tilec_sim *sim, void *host, size_t bytes, uint64_t *address);
// Ends an allocation or a binding; its addresses are never given again. 0 is allowed.
TILEC_SIM_API tilec_sim_result tilec_sim_free(tilec_sim *sim, uint64_t address);
TILEC_SIM_API tilec_sim_result tilec_sim_write(tilec_sim *sim, uint64_t to, const void *from, size_t bytes);
TILEC_SIM_API tilec_sim_result tilec_sim_read(tilec_sim *sim, void *to, uint64_t from, size_t bytes);
TILEC_SIM_API tilec_sim_result tilec_sim_fill(tilec_sim *sim, uint64_t to, uint8_t byte, size_t bytes);
// From now on the allocation or binding at `address` keeps which of its bytes kernels write; what it kept
// before is forgotten.
TILEC_SIM_API tilec_sim_result tilec_sim_watch(tilec_sim *sim, uint64_t address);
// Of a watched one: a byte a byte, 1 where a kernel has written it; valid until the memory is freed or watched
// again. NULL where it is not watched.
TILEC_SIM_API const unsigned char *tilec_sim_written(const tilec_sim *sim, uint64_t address);
// Where the allocation begins that holds the address or ends there, and its bytes. TILEC_SIM_ERROR_INVALID:
// there is none.
TILEC_SIM_API tilec_sim_result tilec_sim_allocation(const tilec_sim *sim, uint64_t address, uint64_t *base,
                                                    uint64_t *bytes);
// The address of a module's .global or .const variable, and its size (size may be NULL).
TILEC_SIM_API tilec_sim_result tilec_sim_symbol(tilec_sim *sim, const tilec_sim_module *module,
                                                const char *name, uint64_t *address, size_t *size);

// ---- Tensor maps ----

// Fills an opaque tensor map of 128 bytes for cp.async.bulk.tensor, as cuTensorMapEncodeTiled does from the
// same arguments (its enumerators' numbers):
//   data_type        0 .. 12: U8 U16 U32 I32 U64 I64 F16 F32 F64 BF16 F32_FTZ TF32 TF32_FTZ
//   rank             1 .. 5; the arrays are innermost first
//   global_address   the device's
//   global_dims      [rank], elements
//   global_strides   [rank - 1], bytes
//   box_dims         [rank], elements
//   element_strides  [rank]
//   interleave       0 (none)
//   swizzle          0 .. 3: none, 32, 64, 128 bytes
//   l2_promotion     0 .. 3
//   oob_fill         0 (zeros) or 1 (NaN)
// The map is a .param or in .const, .global or .shared memory. Loads round the TF32 types to nearest even;
// stores leave the bits as they are. TILEC_SIM_ERROR_INVALID where CUDA refuses too.
typedef struct tilec_sim_tensor_map {
  uint64_t opaque[16];
} tilec_sim_tensor_map;

TILEC_SIM_API tilec_sim_result tilec_sim_tensor_map_encode(
    tilec_sim_tensor_map *map, uint32_t data_type, uint32_t rank, uint64_t global_address,
    const uint64_t *global_dims, const uint64_t *global_strides, const uint32_t *box_dims,
    const uint32_t *element_strides, uint32_t interleave, uint32_t swizzle, uint32_t l2_promotion,
    uint32_t oob_fill);

// ---- Launches ----

// Runs the whole grid and returns when it is done. params[i] points to the value of parameter i, as
// cuLaunchKernel's kernelParams. A grid with a zero dimension launches nothing and succeeds.
TILEC_SIM_API tilec_sim_result tilec_sim_launch(tilec_sim *sim, const tilec_sim_kernel *kernel,
                                                const uint32_t grid[3], const uint32_t block[3],
                                                uint32_t dynamic_shared_bytes, const void *const *params);

// From now on launches have these limits: the options of the same names, and how many seconds of the timeout
// are gone when a launch begins (what it is a part of began earlier).
TILEC_SIM_API tilec_sim_result tilec_sim_limit(tilec_sim *sim, uint64_t instruction_budget, double timeout,
                                               double spent, const int *cancel);

// From now on launches run under this schedule, and with every checker on where `checks` is not 0: the options of the
// same names.
TILEC_SIM_API tilec_sim_result tilec_sim_check(tilec_sim *sim, tilec_sim_schedule schedule, int checks);

// A warp instruction counts one whatever its lanes.
//   global_sectors           of 32 bytes, touched by a request
//   global_sectors_ideal     the distinct bytes of a request / 32, rounded up
//   shared_wavefronts        an access of b bytes a lane has max(1, b/4) phases: the sum over them of the
//                            most distinct words in any one bank. A load has half as many, of more lanes,
//                            where lanes 1 apart, or those 2 apart, are at one address (as an H200 counts)
//   shared_wavefronts_ideal  phases with an active lane
//   barriers                 warps arriving at block barriers
typedef struct tilec_sim_counters {
  uint64_t instructions;
  uint64_t global_requests, global_sectors, global_sectors_ideal;
  uint64_t shared_requests, shared_wavefronts, shared_wavefronts_ideal;
  uint64_t barriers;
} tilec_sim_counters;

typedef struct tilec_sim_line {
  const char *file; // from .file; NULL: the line is the PTX text's own
  uint32_t line;
  tilec_sim_counters counters;
} tilec_sim_line;

// Of the last launch, whether it ended well or not; all valid until the next launch.
TILEC_SIM_API void tilec_sim_total(const tilec_sim *sim, tilec_sim_counters *total);
TILEC_SIM_API size_t tilec_sim_line_count(const tilec_sim *sim);
// By file and line; NULL beyond the end.
TILEC_SIM_API const tilec_sim_line *tilec_sim_line_at(const tilec_sim *sim, size_t index);

// What the last launch's kernel printed, in order of execution (of each host thread, where there are
// several); at most 16 MiB. NUL-terminated, never NULL; bytes may be NULL. Valid until the next launch.
TILEC_SIM_API const char *tilec_sim_printed(const tilec_sim *sim, size_t *bytes);

typedef enum tilec_sim_report_kind {
  TILEC_SIM_OUT_OF_BOUNDS,
  TILEC_SIM_MISALIGNED,
  TILEC_SIM_TRAP,
  TILEC_SIM_WILD_BRANCH, // brx.idx beyond its table, or running past the end of the kernel
  TILEC_SIM_BUDGET,      // the instruction budget is used up
  TILEC_SIM_DEADLOCK,    // no warp of a block can go on
  TILEC_SIM_READ_ONLY,   // a store to .const memory
  TILEC_SIM_ASSERT,      // the kernel's own assert()
  TILEC_SIM_MBARRIER,    // an mbarrier that is not initialised, or whose counts are exceeded
  TILEC_SIM_ASYNC,       // a tensor map, descriptor or size that the instruction cannot take
  // With options.checks only:
  TILEC_SIM_RACE_WRITE_WRITE, // two writes that nothing orders, the report's own being the later
  TILEC_SIM_RACE_READ_WRITE,  // a write, after a read that nothing orders before it
  TILEC_SIM_RACE_WRITE_READ,  // a read, after a write that nothing orders before it
  TILEC_SIM_UNINITIALISED,    // a read of shared memory that nothing has written
  TILEC_SIM_BARRIER,          // a barrier that part of a warp or of the block reaches, or with other counts
  TILEC_SIM_LANES,            // a .sync instruction whose member mask is wrong, or that reads an absent lane
  TILEC_SIM_WGMMA,            // registers of a wgmma touched before its wait, or written without wgmma.fence
  // What ends any launch:
  TILEC_SIM_TIMEOUT,   // the time limit is over
  TILEC_SIM_CANCELLED, // options.cancel
  // Of any launch too:
  TILEC_SIM_REGISTERS, // setmaxnreg of other registers than it may ask for; with checks, by a part of a warpgroup
} tilec_sim_report_kind;

// A place in the source, as .loc says. Columns are bytes, from 1; 0: not known. length, and the call through
// which the code was inlined there, are known where the .loc has tilec's comment; 0 and NULL otherwise.
typedef struct tilec_sim_place {
  const char *file; // NULL: the line is the PTX text's own
  uint32_t line, column, length;
  uint32_t param;   // of an access: the kernel's parameter, from 1, whose pointer it uses; 0: not known
  uint32_t element; // and the bytes of one element; 0: not known
  const struct tilec_sim_place *call;
} tilec_sim_place;

// Where warps stood when a limit, a cancellation or a deadlock ended the launch: those that wait for the same
// at one line are one.
typedef struct tilec_sim_wait {
  const char *message; // one line, a verb first: "waits at barrier 1, 96 of 128 threads are there"
  tilec_sim_place place;
  uint32_t ptx_line;
  uint64_t address;  // of global memory, that is read again and again; 0: none
  uint32_t block[3]; // the first such block
  uint32_t warps;    // its warps, a bit each
  uint64_t blocks;   // how many blocks have such warps
} tilec_sim_wait;

typedef enum tilec_sim_access {
  TILEC_SIM_ACCESS_NONE, // asynchronous copies too
  TILEC_SIM_ACCESS_LOAD,
  TILEC_SIM_ACCESS_STORE,
  TILEC_SIM_ACCESS_ATOMIC,
} tilec_sim_access;

// Reports of one kind at the same place, or pair of places, are one; `count` says how many, the rest is of the
// first. Of the other access of a race, or of what else is to blame, other_ptx_line is 0 where there is none.
typedef struct tilec_sim_report {
  tilec_sim_report_kind kind;
  const char *message; // one line, without the place
  const char *file;    // from .loc; NULL: the line is the PTX text's own
  uint32_t line;
  uint32_t ptx_line;
  uint32_t block[3];
  uint32_t warp;      // in its block
  uint32_t lane_mask; // the lanes it happened to
  uint64_t address;   // of the lowest such lane, in its state space; 0 where there is none
  uint64_t count;
  const char *other_message; // one line: what it was
  const char *other_file;
  uint32_t other_line, other_ptx_line;
  uint32_t other_block[3], other_warp, other_lane;
  const char *buffer; // "shared variable 'tile' + 16"; NULL: none
  const char *order;  // what would order the two accesses, or set it right; NULL: nothing to say
  // The same places as file and line, in full; other_place is all zero where there is none.
  tilec_sim_place place, other_place;
  const tilec_sim_wait *waits; // of TILEC_SIM_BUDGET, TIMEOUT, CANCELLED and DEADLOCK
  size_t wait_count;
  const char *ptx; // the instruction's line of the text, of ptx_bytes bytes, from the instruction on; NULL: none
  size_t ptx_bytes;
  tilec_sim_access access, other_access;
  uint32_t bytes; // that a lane accesses; 0: not known
  // A race of the two places was seen between threads of one block, of different blocks.
  int within_block, between_blocks;
  int is_global;  // the address is one of global memory
  // Where it is: the allocation that holds it, or is nearest to it. 0: there is none.
  uint64_t allocation, allocation_bytes;
} tilec_sim_report;

// Of the last launch, in order of their first occurrence; NULL beyond the end.
TILEC_SIM_API size_t tilec_sim_report_count(const tilec_sim *sim);
TILEC_SIM_API const tilec_sim_report *tilec_sim_report_at(const tilec_sim *sim, size_t index);

#ifdef __cplusplus
}
#endif

#endif
