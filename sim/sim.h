// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PTX simulator's C API. It loads PTX text and runs its kernels on this CPU. Global memory is simulated,
// and every access is checked. It prints nothing and never ends the process. One simulator must be used by
// one thread at a time.
#ifndef TILEC_SIM_H
#define TILEC_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifndef TILEC_SIM_API
#if defined(__GNUC__)
// Marks the functions that the library exports.
#define TILEC_SIM_API __attribute__((visibility("default")))
#else
#define TILEC_SIM_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The result of a call. Zero is success.
typedef enum tilec_sim_result {
  TILEC_SIM_OK,              // Success.
  TILEC_SIM_ERROR_INVALID,   // A bad argument: NULL, a zero CTA dimension, an address never allocated.
  TILEC_SIM_ERROR_PTX,       // The text is not PTX that the simulator supports. The message is "line:col:
                             // text".
  TILEC_SIM_ERROR_NOT_FOUND, // No kernel of that name.
  TILEC_SIM_ERROR_MEMORY,    // The host has no memory left.
  TILEC_SIM_ERROR_KERNEL,    // An error of the kernel: see the reports.
  TILEC_SIM_ERROR_INTERNAL,  // A bug of the simulator.
} tilec_sim_result;

// A simulated GPU: memory, options, and the last launch's results.
typedef struct tilec_sim tilec_sim;
// Loaded PTX. It lives until it is unloaded or its simulator is destroyed.
typedef struct tilec_sim_module tilec_sim_module;
// An entry of a module. It lives as long as the module.
typedef struct tilec_sim_kernel tilec_sim_kernel;

// The order of warps, and the time when asynchronous copies take effect. A schedule changes only what the
// loaded instructions allow. Under all but the first, an mbarrier.try_wait gives false once before it waits.
typedef enum tilec_sim_schedule {
  TILEC_SIM_LATE,       // Asynchronous effects at their wait; warps ascending.
  TILEC_SIM_EARLY,      // Asynchronous effects at issue; warps ascending.
  TILEC_SIM_LATE_DOWN,  // As LATE, but warps and the lanes of an atomic run in descending order.
  TILEC_SIM_EARLY_DOWN, // As EARLY, with the orders of LATE_DOWN.
} tilec_sim_schedule;

// Options of a simulator. Begin with TILEC_SIM_OPTIONS_INIT.
typedef struct tilec_sim_options {
  size_t size;      // sizeof(tilec_sim_options).
  uint32_t threads; // Host threads that run CTAs. 1: reproducible to the bit.
  tilec_sim_schedule schedule;
  uint64_t instruction_budget; // Warp instructions per launch. 0: 2^40.
  uint32_t multiprocessors;    // Modelled multiprocessors: they limit the CTAs in progress. 0: 132.
  // Nonzero: every checker is on. A launch then uses one thread, and continues after most reports.
  int checks;
  double timeout; // Seconds per launch. 0: no limit.
  // NULL, or a flag that another thread or a signal handler sets to a nonzero value to end the
  // current launch and all later ones.
  const int *cancel;
  // Warp instructions that a CTA runs before the next check for spinning on memory that nobody changes. 0:
  // 65536, and more in a long launch. A small number makes a launch slow and changes no result.
  uint32_t watch_every;
  // Nonzero: warps and CTAs run slices of random lengths in a random order. With one thread, this number and the
  // schedule determine it. 0: slices of equal lengths, one after another.
  uint64_t seed;
} tilec_sim_options;

// A tilec_sim_options with one thread and the defaults, and its size.
#define TILEC_SIM_OPTIONS_INIT                                                                               \
  { sizeof(tilec_sim_options), 1, TILEC_SIM_LATE, 0, 0, 0, 0, NULL, 0, 0 }

// Makes a simulator.
//   options: NULL: the defaults
//   sim: Set to the simulator, or to NULL if the result is not TILEC_SIM_OK. Release it with tilec_sim_destroy
TILEC_SIM_API tilec_sim_result tilec_sim_create(const tilec_sim_options *options, tilec_sim **sim);

// Releases a simulator, with its modules and memory. NULL is allowed.
TILEC_SIM_API void tilec_sim_destroy(tilec_sim *sim);

// Returns the error message of the last call that did not return TILEC_SIM_OK. Valid until the next call. Never NULL.
TILEC_SIM_API const char *tilec_sim_message(const tilec_sim *sim);

// ---- Modules ----

// Loads PTX. Its .global and .const variables become allocations. A kernel with an error, such as an instruction that
// is not supported, does not block the others: tilec_sim_find reports it.
//   ptx: Text, which is copied; it needs no NUL
//   bytes: Its length
//   TILEC_SIM_ERROR_PTX: text that cannot be read, or that has no kernel without errors; see tilec_sim_load_place.
TILEC_SIM_API tilec_sim_result tilec_sim_load(tilec_sim *sim, const char *ptx, size_t bytes,
                                              tilec_sim_module **module);

// Returns where in the text the last tilec_sim_load failed, or the last tilec_sim_find for an error in the kernel. The
// message begins with "LINE:COLUMN: ".
//   line: Set to the line, from 1; 0 if they did not fail, or without a position
//   column: Set to the column in bytes, from 1
TILEC_SIM_API void tilec_sim_load_place(const tilec_sim *sim, uint32_t *line, uint32_t *column);

// Frees a module, its kernels and its variables' allocations. If the last launch was of one of its kernels,
// frees the counters by line and the reports too. NULL is allowed.
TILEC_SIM_API tilec_sim_result tilec_sim_unload(tilec_sim *sim, tilec_sim_module *module);

// A parameter of a kernel. It lives as long as the kernel.
typedef struct tilec_sim_param {
  const char *name; // As in the PTX text.
  uint32_t offset;  // Bytes from the start of the parameters.
  uint32_t size;    // Bytes.
  uint32_t align;   // Bytes.
} tilec_sim_param;

// Returns the number of the module's kernels without errors.
TILEC_SIM_API size_t tilec_sim_kernel_count(const tilec_sim_module *module);
// Returns kernel `index` of the module, in text order from 0. NULL beyond the end.
TILEC_SIM_API const tilec_sim_kernel *tilec_sim_kernel_at(const tilec_sim_module *module, size_t index);
// Finds a kernel of a module by its name.
//   name: The entry in the PTX text
//   kernel: Set to the kernel, which lives as long as the module
//   TILEC_SIM_ERROR_NOT_FOUND: the module has none of that name.
//   TILEC_SIM_ERROR_PTX: the kernel has an error; see tilec_sim_load_place.
TILEC_SIM_API tilec_sim_result tilec_sim_find(tilec_sim *sim, const tilec_sim_module *module,
                                              const char *name, const tilec_sim_kernel **kernel);

// Returns the kernel's name in the PTX text. It lives as long as the kernel.
TILEC_SIM_API const char *tilec_sim_kernel_name(const tilec_sim_kernel *kernel);
// Returns the number of the kernel's parameters.
TILEC_SIM_API size_t tilec_sim_param_count(const tilec_sim_kernel *kernel);
// Returns parameter `index` of the kernel, in order from 0. NULL beyond the end.
TILEC_SIM_API const tilec_sim_param *tilec_sim_param_at(const tilec_sim_kernel *kernel, size_t index);
// Reads the kernel's .reqntid into `threads`. All zero if it has none.
TILEC_SIM_API void tilec_sim_required_threads(const tilec_sim_kernel *kernel, uint32_t threads[3]);
// Reads the kernel's .maxntid into `threads`. All zero if it has none.
TILEC_SIM_API void tilec_sim_max_threads(const tilec_sim_kernel *kernel, uint32_t threads[3]);
// Returns the bytes of the kernel's static shared memory.
TILEC_SIM_API uint32_t tilec_sim_shared_bytes(const tilec_sim_kernel *kernel);
// Returns the number of multiprocessors of the modelled GPU.
TILEC_SIM_API uint32_t tilec_sim_multiprocessors(const tilec_sim *sim);

// ---- Memory: device addresses are not host pointers ----

// Allocates zeroed memory, aligned to 256 bytes. Unmapped space surrounds it.
//   bytes: Its size. With 0 the address cannot be accessed.
//   address: Set to the device address. Release it with tilec_sim_free.
TILEC_SIM_API tilec_sim_result tilec_sim_alloc(tilec_sim *sim, size_t bytes, uint64_t *address);

// Maps the caller's memory into the device's address space, without a copy.
//   host: The memory. It must outlive the mapping.
//   bytes: Its size
//   address: Set to the device address, which differs from host's by a multiple of 16. The mapping ends with
//     tilec_sim_free.
//   TILEC_SIM_ERROR_INVALID: host is NULL and bytes is not 0.
//   TILEC_SIM_ERROR_MEMORY: there is no address space left for it.
TILEC_SIM_API tilec_sim_result tilec_sim_bind(tilec_sim *sim, void *host, size_t bytes, uint64_t *address);
// Makes a multicast address of memory that several devices have. multimem instructions access all copies through it.
// Other instructions cannot use it.
//   copies: The device address of each copy, a multiple of 16. The copies must outlive the multicast address
//   count: Their number, from 1 to TILEC_SIM_MAX_DEVICES
//   bytes: The size of a copy
//   address: Set to the multicast address, aligned to 256 bytes. Release it with tilec_sim_free.
//   TILEC_SIM_ERROR_INVALID: a wrong number, or bytes that are not within one allocation.
TILEC_SIM_API tilec_sim_result tilec_sim_multicast(tilec_sim *sim, const uint64_t *copies, size_t count,
                                                   size_t bytes, uint64_t *address);
// Returns how many copies a multicast address has. 0: it is none.
//   copies: Set to where it is in each of them; room for TILEC_SIM_MAX_DEVICES
TILEC_SIM_API size_t tilec_sim_copies(const tilec_sim *sim, uint64_t address, uint64_t *copies);
// Releases memory of tilec_sim_alloc, or ends a mapping of tilec_sim_bind or a multicast address. The addresses are
// never reused.
//   address: Where it begins; 0 is allowed
//   TILEC_SIM_ERROR_INVALID: none begins there.
TILEC_SIM_API tilec_sim_result tilec_sim_free(tilec_sim *sim, uint64_t address);
// Copies from host memory to the device.
//   to: A device address
//   from: Host memory
//   bytes: How many
//   TILEC_SIM_ERROR_INVALID: the device's bytes are not within one allocation.
TILEC_SIM_API tilec_sim_result tilec_sim_write(tilec_sim *sim, uint64_t to, const void *from, size_t bytes);
// Copies from the device to host memory. The errors are those of tilec_sim_write.
//   to: Host memory
//   from: A device address
//   bytes: How many
TILEC_SIM_API tilec_sim_result tilec_sim_read(tilec_sim *sim, void *to, uint64_t from, size_t bytes);
// Sets bytes of the device to one value. The errors are those of tilec_sim_write.
//   to: A device address
//   byte: The value
//   bytes: How many
TILEC_SIM_API tilec_sim_result tilec_sim_fill(tilec_sim *sim, uint64_t to, uint8_t byte, size_t bytes);
// Records from now on which bytes of an allocation or mapping kernels write. Earlier records are dropped.
//   address: Where it begins
TILEC_SIM_API tilec_sim_result tilec_sim_watch(tilec_sim *sim, uint64_t address);
// Returns the record of tilec_sim_watch: one byte per byte, 1 if a kernel has written it. Valid until the memory is
// freed or watched again. NULL: not watched.
//   address: Where the allocation begins
TILEC_SIM_API const unsigned char *tilec_sim_written(const tilec_sim *sim, uint64_t address);
// Finds the allocation that contains an address or ends there.
//   address: A device address
//   base: Set to the start of the allocation
//   bytes: Set to its size
//   TILEC_SIM_ERROR_INVALID: there is none.
TILEC_SIM_API tilec_sim_result tilec_sim_allocation(const tilec_sim *sim, uint64_t address, uint64_t *base,
                                                    uint64_t *bytes);
// Finds a .global or .const variable of a module.
//   name: As in the PTX text
//   address: Set to its device address
//   size: Set to its bytes; may be NULL
//   TILEC_SIM_ERROR_NOT_FOUND: there is no such variable.
TILEC_SIM_API tilec_sim_result tilec_sim_symbol(tilec_sim *sim, const tilec_sim_module *module,
                                                const char *name, uint64_t *address, size_t *size);

// ---- Tensor maps ----

// An opaque tensor map for cp.async.bulk.tensor. Kernels read it from a .param, or from .const, .global or .shared
// memory.
typedef struct tilec_sim_tensor_map {
  uint64_t opaque[16]; // 128 bytes.
} tilec_sim_tensor_map;

// Fills a tensor map for cp.async.bulk.tensor, as cuTensorMapEncodeTiled does. The numbers are those of its
// enumerators. Loads round the TF32 types to nearest even. Stores do not change the bits.
//   map: The tensor map that is filled
//   data_type: A number of CUtensorMapDataType: 0 is UINT8, 7 is FLOAT32, 15 is 16U6_ALIGN16B. The padding of 14 and
//     15 is zero in shared memory
//   rank: From 1 to 5. The arrays are innermost first
//   global_address: A device address
//   global_dims: The `rank` sizes in elements
//   global_strides: The `rank` - 1 strides in bytes
//   box_dims: The `rank` sizes of the box in elements
//   element_strides: The `rank` strides in elements
//   interleave: Zero, for none
//   swizzle: A number: 0 to 3 are none, 32, 64, 128 bytes. 4 and 6: 128 bytes in atoms of 32 and 64
//   l2_promotion: A number from 0 to 3
//   oob_fill: Zeros if 0, NaN if 1
//   TILEC_SIM_ERROR_INVALID: arguments that CUDA also rejects.
TILEC_SIM_API tilec_sim_result tilec_sim_tensor_map_encode(
    tilec_sim_tensor_map *map, uint32_t data_type, uint32_t rank, uint64_t global_address,
    const uint64_t *global_dims, const uint64_t *global_strides, const uint32_t *box_dims,
    const uint32_t *element_strides, uint32_t interleave, uint32_t swizzle, uint32_t l2_promotion,
    uint32_t oob_fill);

// ---- Launches ----

// Runs the whole grid and returns when it is done.
//   grid: The number of CTAs along each axis. With a zero, nothing is launched and the call succeeds
//   block: The number of threads of a CTA along each axis
//   dynamic_shared_bytes: Dynamic shared memory of a CTA
//   params: The element params[i] points to the value of parameter i, as kernelParams of cuLaunchKernel
//   TILEC_SIM_ERROR_KERNEL: an error of the kernel, which tilec_sim_report_at describes.
TILEC_SIM_API tilec_sim_result tilec_sim_launch(tilec_sim *sim, const tilec_sim_kernel *kernel,
                                                const uint32_t grid[3], const uint32_t block[3],
                                                uint32_t dynamic_shared_bytes, const void *const *params);

// Runs a grid of clusters. The CTAs of a cluster run together. tilec_sim_launch does the same with the cluster of the
// kernel's .reqnctapercluster, or one CTA.
//   grid: The number of CTAs along each axis, a multiple of the cluster's
//   cluster: The number of CTAs of a cluster along each axis, at most 16 in all. NULL: as tilec_sim_launch
//   block: As in tilec_sim_launch
//   dynamic_shared_bytes: As in tilec_sim_launch
//   params: As in tilec_sim_launch
//   TILEC_SIM_ERROR_KERNEL: an error of the kernel, which tilec_sim_report_at describes.
TILEC_SIM_API tilec_sim_result tilec_sim_launch_cluster(tilec_sim *sim, const tilec_sim_kernel *kernel,
                                                        const uint32_t grid[3], const uint32_t cluster[3],
                                                        const uint32_t block[3],
                                                        uint32_t dynamic_shared_bytes,
                                                        const void *const *params);

// The number of devices that tilec_sim_launch_devices takes at most.
#define TILEC_SIM_MAX_DEVICES 16

// Runs the grid on several devices that make progress together. They are alike and share the simulator's memory: a
// kernel accesses memory of all. Only accesses and fences of system scope order the threads of two devices.
//   devices: Their number, up to TILEC_SIM_MAX_DEVICES. Each runs a separate grid.
//   grid: As in tilec_sim_launch, of each device.
//   block: As in tilec_sim_launch
//   dynamic_shared_bytes: As in tilec_sim_launch
//   params: For n parameters, params[d * n + i] points to the value of parameter i on device d.
//   TILEC_SIM_ERROR_KERNEL: an error of the kernel, which tilec_sim_report_at describes.
TILEC_SIM_API tilec_sim_result tilec_sim_launch_devices(tilec_sim *sim, const tilec_sim_kernel *kernel,
                                                        uint32_t devices, const uint32_t grid[3],
                                                        const uint32_t block[3],
                                                        uint32_t dynamic_shared_bytes,
                                                        const void *const *params);

// Sets the limits of later launches.
//   instruction_budget: As in the options
//   timeout: As in the options
//   spent: Seconds of the timeout that are used up when a launch begins, if it is part of something that began earlier
//   cancel: As in the options
TILEC_SIM_API tilec_sim_result tilec_sim_limit(tilec_sim *sim, uint64_t instruction_budget, double timeout,
                                               double spent, const int *cancel);

// Sets the schedule of later launches, and turns the checkers on or off.
//   schedule: As in the options
//   checks: nonzero: every checker is on
TILEC_SIM_API tilec_sim_result tilec_sim_check(tilec_sim *sim, tilec_sim_schedule schedule, int checks);

// ---- Counters and output ----

// What a launch executed. A warp instruction counts as one, for any number of active lanes.
//   instructions: Warp instructions
//   global_requests: Warp instructions that access global memory
//   global_sectors: Sectors of 32 bytes touched by a request
//   global_sectors_ideal: The distinct bytes of a request / 32, rounded up
//   shared_requests: Warp instructions that access shared memory
//   shared_wavefronts: An access of b bytes per lane has max(1, b/4) phases. A phase costs the maximum number of
//     distinct words in one bank. The counter is the sum over the phases. A load has half the phases, each with more
//     lanes, if lanes 1 apart or 2 apart have one address (as an H200 counts)
//   shared_wavefronts_ideal: Phases with an active lane
//   barriers: Warps that arrive at CTA barriers
typedef struct tilec_sim_counters {
  uint64_t instructions;
  uint64_t global_requests, global_sectors, global_sectors_ideal;
  uint64_t shared_requests, shared_wavefronts, shared_wavefronts_ideal;
  uint64_t barriers;
} tilec_sim_counters;

// The counters of one line.
typedef struct tilec_sim_line {
  const char *file; // From .file; NULL: a line of the PTX text.
  uint32_t line;    // From 1.
  tilec_sim_counters counters;
} tilec_sim_line;

// Reads the counters of the last launch, successful or not.
//   total: Is filled
TILEC_SIM_API void tilec_sim_total(const tilec_sim *sim, tilec_sim_counters *total);
// Returns the number of lines with counters in the last launch.
TILEC_SIM_API size_t tilec_sim_line_count(const tilec_sim *sim);
// Returns line `index`, from 0, sorted by file and line. NULL beyond the end. Valid until the next launch.
TILEC_SIM_API const tilec_sim_line *tilec_sim_line_at(const tilec_sim *sim, size_t index);

// Returns what the last launch printed, at most 16 MiB. It is in order of execution; with several host threads, in
// order per thread. NUL-terminated, never NULL. Valid until the next launch.
//   bytes: Set to the length without the NUL; may be NULL
TILEC_SIM_API const char *tilec_sim_printed(const tilec_sim *sim, size_t *bytes);

// ---- Reports ----

// What a report is about.
typedef enum tilec_sim_report_kind {
  TILEC_SIM_OUT_OF_BOUNDS, // An access outside of all allocations, or of shared or local memory.
  TILEC_SIM_MISALIGNED,    // An address that is not a multiple of the access width.
  TILEC_SIM_TRAP,          // A trap instruction, or a barrier with an invalid number.
  TILEC_SIM_WILD_BRANCH, // The index of brx.idx is beyond its table, or code runs past the end of the kernel.
  TILEC_SIM_BUDGET,      // The instruction budget is used up.
  TILEC_SIM_DEADLOCK,    // No warp of a CTA can continue.
  TILEC_SIM_READ_ONLY,   // A store to .const memory.
  TILEC_SIM_ASSERT,      // An assert() of the kernel.
  TILEC_SIM_MBARRIER,    // An mbarrier that is not initialised, or whose counts are exceeded.
  TILEC_SIM_ASYNC,       // A tensor map, descriptor or size that the instruction does not support.
  // With options.checks only:
  TILEC_SIM_RACE_WRITE_WRITE, // Two unordered writes. The report is about the later one.
  TILEC_SIM_RACE_READ_WRITE,  // A write, after a read that is not ordered before it.
  TILEC_SIM_RACE_WRITE_READ,  // A read, after a write that is not ordered before it.
  TILEC_SIM_UNINITIALISED,    // A read of shared memory that was never written.
  TILEC_SIM_BARRIER,          // Only a part of a warp or CTA reaches the barrier, or thread counts differ.
  TILEC_SIM_LANES,            // A .sync instruction with a wrong member mask, or one that reads an absent
                              // lane.
  TILEC_SIM_WGMMA,            // Registers of a wgmma used before its wait, or written without wgmma.fence.
  // Ends of any launch:
  TILEC_SIM_TIMEOUT,   // The time limit has passed.
  TILEC_SIM_CANCELLED, // By options.cancel.
  // Also in any launch:
  TILEC_SIM_REGISTERS, // A setmaxnreg to an invalid count. With checks, also one by only a part of a
                       // warpgroup.
  TILEC_SIM_TMEM, // Tensor memory: an address or number of columns that tcgen05 does not support. With checks, also
                  // a missing wait, commit or synchronisation of tcgen05, and columns that are not freed.
  // With options.checks only:
  TILEC_SIM_TMEM_FENCE, // Accesses to tensor memory that are synchronised, but without tcgen05.fence.
  TILEC_SIM_CLUSTER,    // Shared memory of a CTA of the cluster that may not run, or cluster launch control.
  // Also in any launch:
  TILEC_SIM_MULTICAST, // A multicast address in an instruction other than multimem, or another address in multimem.
} tilec_sim_report_kind;

// A source location, from .loc. Columns are bytes, from 1. 0: not known. The call through which the code was
// inlined is known from .loc's inlined_at or tilec's comment. The comment has the length too. With inlined_at the
// location is the innermost one in the folder of the kernel's file: not a line of the CUDA toolkit's headers.
typedef struct tilec_sim_place {
  const char *file;              // NULL: a line of the PTX text.
  uint32_t line, column, length; // In bytes; length 0: not known.
  uint32_t param;   // For an access: the kernel's parameter, from 1, whose pointer it uses; 0: not known.
  uint32_t element; // Bytes of one element; 0: not known.
  const struct tilec_sim_place *call; // The call that was inlined; NULL: none, or not known.
  // The instruction's own line in a header, if the fields above are the kernel's line that calls it. NULL: none
  const struct tilec_sim_place *header;
} tilec_sim_place;

// Positions of warps when a limit, a cancellation or a deadlock ended the launch. Warps that wait for the
// same thing at one line are merged.
typedef struct tilec_sim_wait {
  const char *message; // One line that begins with a verb: "waits at barrier 1, 96 of 128 threads are there".
  tilec_sim_place place;
  uint32_t ptx_line; // Line of the PTX text.
  uint32_t device;   // The device of the first such CTA.
  uint64_t address;  // An address in global memory that is read repeatedly; 0: none.
  uint32_t block[3]; // The first such CTA.
  uint32_t warps;    // Its warps, one bit each.
  uint64_t blocks;   // Number of CTAs with such warps.
} tilec_sim_wait;

// How the instruction of a report accesses memory.
typedef enum tilec_sim_access {
  TILEC_SIM_ACCESS_NONE,   // Also for asynchronous copies.
  TILEC_SIM_ACCESS_LOAD,   // Reads.
  TILEC_SIM_ACCESS_STORE,  // Writes.
  TILEC_SIM_ACCESS_ATOMIC, // An atomic or a reduction.
} tilec_sim_access;

// Reports of one kind at the same location, or pair of locations, are merged. `count` is their number. The
// other fields are those of the first. other_ptx_line is 0 if there is no other access of a race, and no
// other instruction to blame.
typedef struct tilec_sim_report {
  tilec_sim_report_kind kind;
  const char *message;                 // One line, without the location.
  const char *file;                    // From .loc; NULL: a line of the PTX text.
  uint32_t line;                       // The line of that file.
  uint32_t ptx_line;                   // The line of the PTX text.
  uint32_t block[3];                   // The CTA.
  uint32_t warp;                       // In its CTA.
  uint32_t lane_mask;                  // The lanes at fault.
  uint32_t device;                     // The CTA's device, from 0.
  uint64_t address;                    // That of the lowest such lane, in its state space; 0: none.
  uint64_t count;                      // The number of merged reports.
  const char *other_message;           // One line that describes it.
  const char *other_file;              // The file of the other access or instruction.
  uint32_t other_line, other_ptx_line; // Likewise.
  // Likewise. A lane of UINT32_MAX: no certain one.
  uint32_t other_block[3], other_warp, other_lane, other_device;
  const char *buffer; // "shared variable 'tile' + 16", of C++ the source's name; NULL: none.
  const char *order;  // A way to order the two accesses, or another fix; NULL: none.
  // The same locations as file and line, in full. other_place is all zero if there is none.
  tilec_sim_place place, other_place;
  const tilec_sim_wait *waits; // For TILEC_SIM_BUDGET, TIMEOUT, CANCELLED and DEADLOCK.
  size_t wait_count;           // The number of waits.
  const char *ptx;             // The text's line from the instruction on, with ptx_bytes bytes; NULL: none.
  size_t ptx_bytes;            // The length of ptx.
  tilec_sim_access access, other_access; // How both access memory.
  uint32_t bytes;                        // Per lane of the access; 0: not known.
  // The race was seen between threads of one CTA; of different CTAs.
  int within_block, between_blocks;
  int is_global; // The address is in global memory.
  // The allocation that contains the address, or is nearest to it. 0: none.
  uint64_t allocation, allocation_bytes;
} tilec_sim_report;

// Returns the number of reports of the last launch.
TILEC_SIM_API size_t tilec_sim_report_count(const tilec_sim *sim);
// Returns report `index`, from 0, in order of first occurrence. NULL beyond the end. Valid until the next launch.
TILEC_SIM_API const tilec_sim_report *tilec_sim_report_at(const tilec_sim *sim, size_t index);

#ifdef __cplusplus
}
#endif

#endif
