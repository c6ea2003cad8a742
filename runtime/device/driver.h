// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the CUDA driver's interface that we use (libcuda.so.1, "CUDA Driver API"). It is declared here,
// so that building needs no toolkit. If a toolkit is installed, tests/gpu/driver_abi.c compares this with
// cuda.h.
#ifndef RUNTIME_DEVICE_DRIVER_H
#define RUNTIME_DEVICE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int CudaResult; // 0: success
typedef int CudaDevice;
typedef void *CudaContext, *CudaModule, *CudaFunction, *CudaStream, *CudaGraph, *CudaGraphExec, *CudaEvent,
    *CudaLink;

typedef struct CudaLaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  CudaStream stream;
  const struct CudaLaunchAttribute *attributes;
  unsigned attribute_count;
} CudaLaunchConfig;

typedef struct CudaLaunchAttribute {
  int id, padding;
  union {
    int allowed; // CUDA_LAUNCH_OVERLAP: the launch may start while the previous one ends
    char bytes[64];
  } value;
} CudaLaunchAttribute;

// Values of the enums in cuda.h.
enum {
  CUDA_INVALID_VALUE = 1,
  CUDA_INVALID_CONTEXT = 201,
  CUDA_OUT_OF_MEMORY = 2,
  CUDA_NO_DEVICE = 100,
  CUDA_INVALID_DEVICE = 101,
  CUDA_INVALID_PTX = 218,
  CUDA_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_NOT_READY = 600,
  CUDA_ILLEGAL_ADDRESS = 700,
  CUDA_LAUNCH_TIMEOUT = 702,
  CUDA_ASSERT = 710,
  CUDA_HARDWARE_STACK_ERROR = 714,
  CUDA_ILLEGAL_INSTRUCTION = 715,
  CUDA_MISALIGNED_ADDRESS = 716,
  CUDA_INVALID_ADDRESS_SPACE = 717,
  CUDA_INVALID_PC = 718,
  CUDA_LAUNCH_FAILED = 719,

  CUDA_ATTRIBUTE_MULTIPROCESSORS = 16,
  CUDA_ATTRIBUTE_CC_MAJOR = 75,
  CUDA_ATTRIBUTE_CC_MINOR = 76,
  CUDA_ATTRIBUTE_SHARED_OPTIN = 97,

  CUDA_JIT_INFO_LOG = 3,
  CUDA_JIT_INFO_LOG_BYTES = 4,
  CUDA_JIT_ERROR_LOG = 5,
  CUDA_JIT_ERROR_LOG_BYTES = 6,
  CUDA_JIT_INPUT_PTX = 1,

  CUDA_FUNC_SHARED_BYTES = 1,
  CUDA_FUNC_LOCAL_BYTES = 3,
  CUDA_FUNC_REGISTERS = 4,
  CUDA_FUNC_MAX_DYNAMIC_SHARED = 8,
  CUDA_LAUNCH_OVERLAP = 6,
  CUDA_STREAM_NON_BLOCKING = 1,
  CUDA_EVENT_NO_TIMING = 2,
  CUDA_CAPTURE_RELAXED = 2,

  CUDA_TENSOR_U8 = 0,
  CUDA_TENSOR_U16 = 1,
  CUDA_TENSOR_U32 = 2,
  CUDA_TENSOR_I32 = 3,
  CUDA_TENSOR_U64 = 4,
  CUDA_TENSOR_I64 = 5,
  CUDA_TENSOR_FP16 = 6,
  CUDA_TENSOR_FP32 = 7,
  CUDA_TENSOR_FP64 = 8,
  CUDA_TENSOR_BF16 = 9,
  CUDA_TENSOR_SWIZZLE_32 = 1,
  CUDA_TENSOR_SWIZZLE_64 = 2,
  CUDA_TENSOR_SWIZZLE_128 = 3,
  CUDA_TENSOR_PROMOTE_256 = 3, // an L2 miss loads the surrounding 256 bytes
  CUDA_TENSOR_FILL_NAN = 1,
};

typedef struct CudaApi {
#define X(name, symbol, parameters) CudaResult(*name) parameters;
#include "runtime/device/driver_api.def"
#undef X
  // cuFuncGetParamInfo, in drivers of CUDA 12.4 and newer. Otherwise NULL.
  CudaResult (*FuncGetParamInfo)(CudaFunction function, size_t index, size_t *offset, size_t *bytes);
  // cuTensorMapEncodeTiled, in drivers of CUDA 12 and newer. Otherwise NULL. map: 128 bytes, aligned to 64.
  CudaResult (*TensorMapEncodeTiled)(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                                     const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                     int interleave, int swizzle, int promotion, int fill);
} CudaApi;

#endif
