// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: one interface, three ways to run a kernel. A device kind is a DeviceKind table. runtime/ and the
// tool call the device_* functions, which check and count. They never call the table directly.
//
// Addresses are those of the device: a CUdeviceptr, or on sim and eval any value the device chose. Every
// status but TILEC_OK has its message set (runtime/error.h).
#ifndef RUNTIME_DEVICE_DEVICE_H
#define RUNTIME_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/seconds.h"
#include "base/buf.h"
#include "base/str.h"
#include "ir/memory/buffer_name.h"
#include "ir/ir.h"
#include "ir/memory/tensor_map.h"
#include "runtime/tilec.h"
#include "sim/sim.h"

// Parameters of more than 8 bytes, by index.
enum { MAX_BY_VALUE = 16 };
_Static_assert((int)MAX_BY_VALUE >= (int)MAX_TENSOR_MAPS, "tensor maps are parameters by value");
typedef struct ByValueParams {
  uint32_t n;
  uint16_t at[MAX_BY_VALUE];
} ByValueParams;

ByValueParams by_value_params(const Func *func);

// A compiled kernel, for loading. It is read only during the load, except `func`.
typedef struct KernelImage {
  const char *name;      // The entry's name in the PTX.
  Str ptx;               // cuda, sim: NUL-terminated. cuda: may be a cubin. eval: not read.
  Func *func;            // eval: as elaborated. It and its IrContext must outlive the loaded kernel.
  uint32_t threads[3];   // Per CTA.
  uint32_t shared_bytes; // Dynamic shared memory.
  ByValueParams by_value;
  bool is_binary;  // `ptx` is a cubin or a fatbin.
  bool overlaps;   // A launch may start while the previous one in its stream ends.
  bool debug;      // The kernel is for debugging.
  bool persistent; // Persistent kernel: few CTAs run all programs of a launch.
} KernelImage;

enum { LAUNCH_MAX_ARGS = 1024, MAX_IMAGE_PARAMS = 256 };

// As tilec_kernel_attributes reports them. -1: the device does not report it.
typedef struct KernelAttributes {
  int threads, registers, shared_static, shared_dynamic, local_bytes, blocks;
} KernelAttributes;

// Sizes in bytes of the parameters of PTX or code that was not compiled here.
typedef struct KernelParams {
  uint32_t count, bytes[MAX_IMAGE_PARAMS];
} KernelParams;

// Limits of a launch on sim and eval, or of a wait on cuda. All zero: no limits but the simulator's own.
typedef struct LaunchLimits {
  uint64_t max_instructions; // Not on cuda.
  double timeout;            // Seconds.
  const int *cancel;         // A nonzero value cancels. Another thread or a signal handler sets it. NULL: no
                             // cancelling.
  double spent;              // Seconds of the timeout that an earlier part of the work has used.
  int checked_schedule;      // Sim: 1 + the tilec_sim_schedule to run under with every checker on. 0: the
                             // device's setting. eval: nonzero reports races.
  uint32_t devices;  // Sim: number of devices that each run the grid, and the launch has so many lists of
                     // arguments, one after another. 0: one.
  uint32_t programs; // Persistent kernel: maximum number of CTAs. 0: all that fit on the GPU at once.
  Buf *printed;      // Sim, eval: gets a copy of what the kernel prints. NULL: only the device keeps
                     // it.
} LaunchLimits;

typedef struct KernelLaunch {
  uint32_t grid[3]; // no zeros: device_launch handles those
  // One per parameter of the PTX signature: its bits, in the low bytes. Integers may be sign-extended. For a
  // parameter by value: the host address of its bytes, which are read during the call.
  const uint64_t *args;
  uint32_t arg_count;
  void *stream; // the device's own handle; NULL: the default stream
  LaunchLimits limits;
} KernelLaunch;

typedef struct DeviceKind {
  const char *name; // "cuda"
  // Fills device->state, target and name. On failure everything is released.
  tilec_status (*open)(tilec_device *device, int ordinal);
  void (*close)(tilec_device *device);
  // Waits within the limits. cuda: if they are exceeded, TILEC_ERROR_LAUNCH and device->gave_up.
  tilec_status (*synchronize)(tilec_device *device, const LaunchLimits *limits);
  tilec_status (*alloc)(tilec_device *device, size_t bytes, uint64_t *address); // aligned to 256
  void (*release)(tilec_device *device, uint64_t address);
  // Maps the caller's memory in place. *mapped is its device address. *is_mapped: true if it needs unmap.
  tilec_status (*map)(tilec_device *device, uint64_t address, size_t bytes, uint64_t *mapped,
                      bool *is_mapped);
  void (*unmap)(tilec_device *device, uint64_t address);
  // Makes a multicast address of copies of `bytes` bytes, for unmap. NULL: the device does not support it.
  tilec_status (*multicast)(tilec_device *device, const uint64_t *copies, size_t count, size_t bytes,
                            uint64_t *address);
  tilec_status (*write)(tilec_device *device, uint64_t address, const void *from, size_t bytes);
  tilec_status (*read)(tilec_device *device, uint64_t address, void *to, size_t bytes);
  tilec_status (*fill)(tilec_device *device, uint64_t address, uint8_t byte, size_t bytes);
  // The same, queued on a stream (NULL: the default one). NULL: the synchronous functions are used instead.
  tilec_status (*write_async)(tilec_device *device, uint64_t to, const void *from, size_t bytes,
                              void *stream);
  tilec_status (*read_async)(tilec_device *device, uint64_t from, void *to, size_t bytes, void *stream);
  tilec_status (*copy_async)(tilec_device *device, uint64_t to, uint64_t from, size_t bytes, void *stream);
  tilec_status (*fill_async)(tilec_device *device, uint64_t at, uint8_t byte, size_t bytes, void *stream);
  // As for device_watch and device_written. NULL if the device does not support it.
  tilec_status (*watch)(tilec_device *device, uint64_t address);
  const uint8_t *(*written)(tilec_device *device, uint64_t address);
  // All NULL if work is done when its call returns.
  tilec_status (*stream_new)(tilec_device *device, void **stream);
  tilec_status (*stream_synchronize)(tilec_device *device, void *stream);
  // Later work on the default stream waits for the work on this stream, which is not being captured.
  tilec_status (*stream_join)(tilec_device *device, void *stream);
  void (*stream_free)(tilec_device *device, void *stream);
  // All NULL if work is done when its call returns. event_wait: later work on the stream waits for the event.
  tilec_status (*event_new)(tilec_device *device, void **event);
  tilec_status (*event_record)(tilec_device *device, void *event, void *stream);
  tilec_status (*event_wait)(tilec_device *device, void *event, void *stream);
  tilec_status (*event_synchronize)(tilec_device *device, void *event);
  tilec_status (*event_elapsed)(tilec_device *device, void *start, void *end,
                                double *seconds); // waits for end
  void (*event_free)(tilec_device *device, void *event);
  tilec_status (*load)(tilec_device *device, const KernelImage *image, void **kernel);
  void (*unload)(tilec_device *device, void *kernel);
  // *out is initialised to -1. NULL: the device reports none.
  tilec_status (*attributes)(tilec_device *device, void *kernel, KernelAttributes *out);
  // The number of the kernel's CTAs that run on the device at once. NULL: persistent kernels are launched
  // like others.
  tilec_status (*room)(tilec_device *device, void *kernel, uint32_t *blocks);
  tilec_status (*params)(tilec_device *device, void *kernel, KernelParams *out); // NULL: it runs no PTX
  // Encodes a valid tensor map for a launch: BY_VALUE_BYTES, aligned to BY_VALUE_ALIGN. False: the device
  // does not support it. NULL: kernels take the values that their host regions yield.
  bool (*encode)(tilec_device *device, const TensorMapValue *map, void *out);
  // Never waits on cuda.
  tilec_status (*launch)(tilec_device *device, void *kernel, const KernelLaunch *launch);
  // Seconds per launch for each of `rounds` rounds of `count` launches. Launch i uses launches[i %
  // launch_count]. May change the launches' streams. NULL: the host's clock is used.
  tilec_status (*time)(tilec_device *device, void *kernel, KernelLaunch *launches, uint32_t launch_count,
                       uint32_t count, uint32_t rounds, double *seconds);
  // The device's machine code from PTX. NULL if it has none.
  tilec_status (*assemble)(tilec_device *device, Str ptx, Buf *cubin);
} DeviceKind;

extern const DeviceKind device_cuda, device_sim, device_eval;
// As device_cuda.open, for the GPU of a CUcontext. The context is used and stays the caller's.
tilec_status cuda_open_context(tilec_device *device, void *context);

struct tilec_device {
  const DeviceKind *kind;
  char name[24];    // "cuda:0".
  char card[64];    // For a GPU: "NVIDIA H200".
  Target target;    // The defaults for this device's architecture.
  int ordinal;      // For a GPU.
  bool is_gpu;      // It runs only code for its own architecture.
  bool gave_up;     // cuda: a launch did not end in time. Releasing anything would wait for it.
  bool needs_ptx;   // False: the device runs the elaborated function (eval).
  int users;        // Objects that hold the device, including the caller. Atomic.
  uint32_t buffers; // Number of its buffers. Atomic.
  void *state;      // Private to the kind.
  // Names of the buffers in the evaluator's messages. NULL: those of the kernel's parameters.
  const BufferName *names;
  uint32_t name_count;
  Buf printed; // sim, eval: output of the last launch's kernel; a GPU's driver prints it directly
};

// As tilec_device_open.
tilec_status device_open(const char *name, tilec_device **device);
// Opens the simulator with other options than the defaults.
tilec_status device_open_sim(const tilec_sim_options *options, tilec_device **device);
// The simulator of such a device, for its reports and counters. NULL for other devices.
tilec_sim *device_simulator(const tilec_device *device);
// From now on records which bytes of the buffer at `address` kernels write. The buffer has at least one byte,
// and its contents are undefined. On eval its bytes count as never written. On a GPU this does nothing.
tilec_status device_watch(tilec_device *device, uint64_t address);
// One byte per byte of a watched buffer: 1 if a kernel has written it. Valid until the buffer's memory is
// freed. NULL: the device does not support it.
const uint8_t *device_written(tilec_device *device, uint64_t address);
// sim: the start and size of the allocation that holds the address. False: there is none.
bool device_memory_at(tilec_device *device, uint64_t address, uint64_t *base, uint64_t *bytes);
// sim: as tilec_sim_copies. 0 on other devices.
size_t device_copies(tilec_device *device, uint64_t address, uint64_t copies[TILEC_SIM_MAX_DEVICES]);
void device_hold(tilec_device *device);
void device_release(tilec_device *device); // closes it with the last reference

// A loaded kernel. It holds its device.
typedef struct DeviceKernel {
  tilec_device *device;
  void *state;
  uint32_t room; // persistent kernel: number of CTAs that run on the device at once; 0: not persistent
} DeviceKernel;

tilec_status device_load(tilec_device *device, const KernelImage *image, DeviceKernel *kernel);
void device_unload(DeviceKernel *kernel); // does nothing for a zeroed one

// Checks the grid and launches. A negative or too large size is an error, and a zero launches nothing. `grid`
// is in programs and has passed programs_fault. A persistent kernel gets only CTAs that all fit on the GPU at
// once. stream NULL: the default one. limits NULL: none.
tilec_status device_launch(const DeviceKernel *kernel, const int64_t grid[3], const uint64_t *args,
                           uint32_t arg_count, tilec_stream *stream, const LaunchLimits *limits);
// Waits for work on the default stream, within the limits.
tilec_status device_wait(tilec_device *device, const LaunchLimits *limits);
// Seconds per launch for each of `rounds` rounds of `count` launches (seconds[rounds]). On cuda the clock is
// events around a replayed graph, otherwise the host's clock. `args` holds `set_count` argument lists of
// arg_count each. Launches alternate between them, so that buffers can exceed the caches.
tilec_status device_time(const DeviceKernel *kernel, const int64_t grid[3], const uint64_t *args,
                         uint32_t arg_count, uint32_t set_count, uint32_t count, uint32_t rounds,
                         const LaunchLimits *limits, double *seconds);

#endif
