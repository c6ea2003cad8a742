// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: one interface, three ways to run a kernel. A device kind is a filled-in DeviceKind; runtime/ and
// the tool call the device_* functions, which check and count, and never the table itself.
//
// Addresses are the device's own (a CUdeviceptr; on sim and eval whatever the device chose). Every status
// that is not TILEC_OK has its message set (runtime/error.h).
#ifndef RUNTIME_DEVICE_DEVICE_H
#define RUNTIME_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"
#include "ir/memory/buffer_name.h"
#include "ir/ir.h"
#include "ir/memory/tensor_map.h"
#include "runtime/tilec.h"
#include "sim/sim.h"

// Parameters of more than 8 bytes, by their places.
enum { MAX_BY_VALUE = 16 };
_Static_assert((int)MAX_BY_VALUE >= (int)MAX_TENSOR_MAPS, "tensor maps are parameters by value");
typedef struct ByValueParams {
  uint32_t n;
  uint16_t at[MAX_BY_VALUE];
} ByValueParams;

ByValueParams by_value_params(const Func *func);

// A kernel as compiled, for loading. Read during the load only, but for `func`.
typedef struct KernelImage {
  const char *name;      // the entry's name in the PTX
  Str ptx;               // cuda, sim: NUL-terminated; cuda: or a cubin; not read on eval
  Func *func;            // eval: as elaborated, with its IrContext, which outlive the loaded kernel
  uint32_t threads[3];   // a block
  uint32_t shared_bytes; // dynamic shared memory
  ByValueParams by_value;
  bool is_binary; // `ptx` is a cubin or a fatbin
  bool overlaps;  // may start while the launch before it in its stream ends
  bool debug;     // it is to be debugged
  bool persistent; // few blocks run the programs of a launch in turn
} KernelImage;

enum { LAUNCH_MAX_ARGS = 1024, MAX_IMAGE_PARAMS = 256 };

// As tilec_kernel_attributes says; -1: the device does not tell.
typedef struct KernelAttributes {
  int threads, registers, shared_static, shared_dynamic, local_bytes, blocks;
} KernelAttributes;

// Bytes of each parameter of PTX or code that was not compiled here.
typedef struct KernelParams {
  uint32_t count, bytes[MAX_IMAGE_PARAMS];
} KernelParams;

// What a launch on sim and eval, or the wait for one on cuda, may take. All zero: no limit but the simulator's own.
typedef struct LaunchLimits {
  uint64_t max_instructions; // not on cuda
  double timeout;            // seconds
  const int *cancel;         // another thread or a signal handler makes it other than 0; NULL: nobody does
  double spent;              // seconds of the timeout that are gone: it is of something that began earlier
  int checked_schedule;      // sim: 1 + the tilec_sim_schedule that it runs under with every checker on; 0: as the device
  uint32_t programs;         // of a persistent kernel: blocks at most; 0: as many as there is room for
  Buf *printed;              // sim, eval: what the kernel prints is added to it; NULL: it is the device's alone
} LaunchLimits;

double device_clock(void); // seconds, monotonic

typedef struct KernelLaunch {
  uint32_t grid[3]; // no zeros; device_launch has dealt with them
  // One a parameter of the PTX signature: its bits, in the low bytes; integers may be sign-extended. Of one
  // by value the address of its bytes in the host's memory, read during the call.
  const uint64_t *args;
  uint32_t arg_count;
  void *stream; // the device's own stream; NULL: the default one
  LaunchLimits limits;
} KernelLaunch;

typedef struct DeviceKind {
  const char *name; // "cuda"
  // Fills device->state, target, name. On failure nothing is left behind.
  tilec_status (*open)(tilec_device *device, int ordinal);
  void (*close)(tilec_device *device);
  // Within the limits; cuda, beyond them: TILEC_ERROR_LAUNCH and device->gave_up.
  tilec_status (*synchronize)(tilec_device *device, const LaunchLimits *limits);
  tilec_status (*alloc)(tilec_device *device, size_t bytes, uint64_t *address); // aligned to 256
  void (*release)(tilec_device *device, uint64_t address);
  // The caller's memory, in place: *mapped is its address on the device, *is_mapped whether unmap is to be
  // called with it.
  tilec_status (*map)(tilec_device *device, uint64_t address, size_t bytes, uint64_t *mapped,
                      bool *is_mapped);
  void (*unmap)(tilec_device *device, uint64_t address);
  tilec_status (*write)(tilec_device *device, uint64_t address, const void *from, size_t bytes);
  tilec_status (*read)(tilec_device *device, uint64_t address, void *to, size_t bytes);
  tilec_status (*fill)(tilec_device *device, uint64_t address, uint8_t byte, size_t bytes);
  // The same, in their turn on a stream (NULL: the default one). NULL: what returns when it is done serves.
  tilec_status (*write_async)(tilec_device *device, uint64_t to, const void *from, size_t bytes,
                              void *stream);
  tilec_status (*read_async)(tilec_device *device, uint64_t from, void *to, size_t bytes, void *stream);
  tilec_status (*copy_async)(tilec_device *device, uint64_t to, uint64_t from, size_t bytes, void *stream);
  tilec_status (*fill_async)(tilec_device *device, uint64_t at, uint8_t byte, size_t bytes, void *stream);
  // As device_watch and device_written say; NULL where the device cannot tell.
  tilec_status (*watch)(tilec_device *device, uint64_t address);
  const uint8_t *(*written)(tilec_device *device, uint64_t address);
  tilec_status (*stream_new)(tilec_device *device, void **stream);
  tilec_status (*stream_synchronize)(tilec_device *device, void *stream);
  // What is put on the default stream from now on waits for what is on this one, which is not captured.
  // NULL: nothing has to.
  tilec_status (*stream_join)(tilec_device *device, void *stream);
  void (*stream_free)(tilec_device *device, void *stream);
  // All NULL where work is done when its call returns; event_wait: what comes on the stream waits for the event.
  tilec_status (*event_new)(tilec_device *device, void **event);
  tilec_status (*event_record)(tilec_device *device, void *event, void *stream);
  tilec_status (*event_wait)(tilec_device *device, void *event, void *stream);
  tilec_status (*event_synchronize)(tilec_device *device, void *event);
  tilec_status (*event_elapsed)(tilec_device *device, void *start, void *end,
                                double *seconds); // waits for end
  void (*event_free)(tilec_device *device, void *event);
  tilec_status (*load)(tilec_device *device, const KernelImage *image, void **kernel);
  void (*unload)(tilec_device *device, void *kernel);
  // *out is all -1. NULL: the device tells none of it.
  tilec_status (*attributes)(tilec_device *device, void *kernel, KernelAttributes *out);
  // How many blocks of it the device runs at once. NULL: launches of persistent kernels are as of others.
  tilec_status (*room)(tilec_device *device, void *kernel, uint32_t *blocks);
  tilec_status (*params)(tilec_device *device, void *kernel, KernelParams *out); // NULL: it runs no PTX
  // The tensor map, which has no fault, as a launch passes it: BY_VALUE_BYTES, aligned to BY_VALUE_ALIGN. False: the
  // device cannot have it. NULL: kernels take what their host regions yield.
  bool (*encode)(tilec_device *device, const TensorMapValue *map, void *out);
  // Never waits on cuda.
  tilec_status (*launch)(tilec_device *device, void *kernel, const KernelLaunch *launch);
  // Seconds of one launch in each of `rounds` rounds of `count` launches, which take launches[i %
  // launch_count] in turn. May change the launches' streams. NULL: by the host's clock.
  tilec_status (*time)(tilec_device *device, void *kernel, KernelLaunch *launches, uint32_t launch_count,
                       uint32_t count, uint32_t rounds, double *seconds);
  // The device's own code from PTX; NULL where there is none.
  tilec_status (*assemble)(tilec_device *device, Str ptx, Buf *cubin);
} DeviceKind;

extern const DeviceKind device_cuda, device_sim, device_eval;
// As device_cuda.open, of the GPU of a CUcontext, which is used and stays the caller's.
tilec_status cuda_open_context(tilec_device *device, void *context);

struct tilec_device {
  const DeviceKind *kind;
  char name[24];    // "cuda:0"
  char card[64];    // of a GPU: "NVIDIA H200"
  Target target;    // the defaults, for this device's architecture
  int ordinal;      // of a GPU
  bool is_gpu;      // it runs code for its own architecture alone
  bool gave_up;     // cuda: a launch did not end in time; to release anything would wait for it
  bool needs_ptx;   // false: the device runs the elaborated function (eval)
  int users;        // objects that hold the device, the caller included; atomic
  uint32_t buffers; // how many there are of it; atomic
  void *state;      // the kind's own
  // What the evaluator's messages call the buffers; NULL: as the kernel's parameters.
  const BufferName *names;
  uint32_t name_count;
  Buf printed; // sim, eval: what the last launch's kernel printed; a GPU's driver prints it itself
};

// As tilec_device_open says.
tilec_status device_open(const char *name, tilec_device **device);
// The simulator with other than the default options.
tilec_status device_open_sim(const tilec_sim_options *options, tilec_device **device);
// The simulator of such a device, for its reports and counters; NULL of other devices.
tilec_sim *device_simulator(const tilec_device *device);
// The buffer at `address`, of at least a byte, whose bytes mean nothing yet, keeps from now on which of them
// kernels write; on eval they count as never written. On a GPU nothing happens.
tilec_status device_watch(tilec_device *device, uint64_t address);
// Of a watched buffer, a byte a byte: 1 where a kernel has written; valid until its memory is freed. NULL: the
// device cannot tell.
const uint8_t *device_written(tilec_device *device, uint64_t address);
// sim: where the allocation begins that holds the address, and its bytes. false: there is none.
bool device_memory_at(tilec_device *device, uint64_t address, uint64_t *base, uint64_t *bytes);
void device_hold(tilec_device *device);
void device_release(tilec_device *device); // closes it when nobody holds it

// A loaded kernel. It holds its device.
typedef struct DeviceKernel {
  tilec_device *device;
  void *state;
  uint32_t room; // of a persistent kernel: blocks that the device runs at once; 0: it is none
} DeviceKernel;

tilec_status device_load(tilec_device *device, const KernelImage *image, DeviceKernel *kernel);
void device_unload(DeviceKernel *kernel); // a zeroed one does nothing

// Checks the grid (a negative or too large size is an error, a zero launches nothing) and launches: of a persistent kernel
// as many blocks as there is room for; the grid is of programs, which programs_fault has nothing against. stream
// NULL: the default one; limits NULL: none.
tilec_status device_launch(const DeviceKernel *kernel, const int64_t grid[3], const uint64_t *args,
                           uint32_t arg_count, tilec_stream *stream, const LaunchLimits *limits);
// Waits for what was launched on the default stream, within the limits.
tilec_status device_wait(tilec_device *device, const LaunchLimits *limits);
// Seconds of a launch in each of `rounds` rounds of `count` launches (seconds[rounds]), by the device's own
// clock: on cuda events around a replayed graph, otherwise the host's. `args` holds `set_count` argument
// lists of arg_count each, used in turn, so that buffers can be rotated beyond the caches.
tilec_status device_time(const DeviceKernel *kernel, const int64_t grid[3], const uint64_t *args,
                         uint32_t arg_count, uint32_t set_count, uint32_t count, uint32_t rounds,
                         const LaunchLimits *limits, double *seconds);

#endif
