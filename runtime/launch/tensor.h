// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack tensors as arguments ("DLPack: Open In Memory Tensor Structure", dlpack.h).
#ifndef RUNTIME_LAUNCH_TENSOR_H
#define RUNTIME_LAUNCH_TENSOR_H

#include "runtime/device/device.h"
#include "runtime/launch/specialise.h"

// A DLTensor; tests/abi/dlpack.c compares it with dlpack.h where that is installed.
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

// What dlpack.h's enums say.
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

// The pointer or integer that an argument of kind TILEC_ARG_DL, _DIM or _STRIDE stands for; of a tensor in the host's
// memory that memory's address. The error names kernel and parameter.
tilec_status tensor_plain(const char *kernel, const char *param, const tilec_arg *arg, tilec_arg *plain);

// Where the tensor of an argument of kind TILEC_ARG_DL lies, which is checked to be the device's: from *start, aligned as
// facts say, *bytes; 0 where it has no elements. tensor_plain has taken it.
tilec_status tensor_memory(const tilec_device *device, const char *kernel, const char *param, const tilec_arg *arg,
                           uint64_t *start, uint64_t *bytes);

// The tensors' memory on a device that runs on this CPU while a launch lasts.
typedef struct TensorMaps {
  uint32_t count;
  uint64_t mapped[MAX_PARAMS];
} TensorMaps;

// Checks that the arguments' tensors are the device's, and puts into bound->bits where it sees them. tensors_unmap is
// to be called in every case.
tilec_status tensors_map(tilec_device *device, const char *kernel, const RunParam *params,
                         const tilec_arg *args, size_t arg_count, BoundArgs *bound, TensorMaps *maps);
void tensors_unmap(tilec_device *device, const TensorMaps *maps);

#endif
