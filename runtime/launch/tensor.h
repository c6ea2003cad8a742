// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack tensors as arguments ("DLPack: Open In Memory Tensor Structure", dlpack.h).
#ifndef RUNTIME_LAUNCH_TENSOR_H
#define RUNTIME_LAUNCH_TENSOR_H

#include "runtime/device/device.h"
#include "runtime/launch/specialise.h"

// A DLTensor. If dlpack.h is installed, tests/abi/dlpack.c compares this with it.
typedef struct Tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits; // of the element type
  uint16_t lanes;
  int64_t *shape;
  int64_t *strides; // in elements; NULL: compact, in row-major order
  uint64_t byte_offset;
} Tensor;

// Values of the enums in dlpack.h.
enum {
  TENSOR_CPU = 1,
  TENSOR_CUDA = 2,
  TENSOR_CUDA_HOST = 3,
  TENSOR_CUDA_MANAGED = 13,
  TENSOR_INT = 0,
  TENSOR_UINT = 1,
  TENSOR_FLOAT = 2,
  TENSOR_BFLOAT = 4,
  TENSOR_BOOL = 6,
  TENSOR_FLOAT8_E4M3FN = 10,
  TENSOR_FLOAT8_E5M2 = 12,
};

// The pointer or integer for an argument of kind TILEC_ARG_DL, _DIM or _STRIDE. For a tensor in host memory,
// the host address. The error names kernel and parameter.
tilec_status tensor_plain(const char *kernel, const char *param, const tilec_arg *arg, tilec_arg *plain);

// The memory of a tensor argument (TILEC_ARG_DL), after checking that it is on the device: *bytes from
// *start, aligned as facts state. *bytes is 0 if it has no elements. Call after tensor_plain accepted it.
tilec_status tensor_memory(const tilec_device *device, const char *kernel, const char *param,
                           const tilec_arg *arg, uint64_t *start, uint64_t *bytes);

// The tensors' memory, mapped on a device on this CPU during a launch.
typedef struct TensorMaps {
  uint32_t count;
  uint64_t mapped[MAX_PARAMS];
} TensorMaps;

// Checks that the tensors are on the device, and puts their device addresses into bound->bits. Always call
// tensors_unmap afterwards.
tilec_status tensors_map(tilec_device *device, const char *kernel, const RunParam *params,
                         const tilec_arg *args, size_t arg_count, BoundArgs *bound, TensorMaps *maps);
void tensors_unmap(tilec_device *device, const TensorMaps *maps);

#endif
