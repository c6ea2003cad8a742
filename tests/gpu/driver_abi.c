// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled where a CUDA toolkit is installed: our declarations of the driver's interface against cuda.h's.
// Nothing to run.
#include <cuda.h>

#include "runtime/driver.h"

#define SAME_FIELD(ours, theirs)                                                                             \
  _Static_assert(offsetof(CudaLaunchConfig, ours) == offsetof(CUlaunchConfig, theirs),                       \
                 "CUlaunchConfig." #theirs)

_Static_assert(sizeof(CudaLaunchConfig) == sizeof(CUlaunchConfig), "CUlaunchConfig");
SAME_FIELD(grid_x, gridDimX);
SAME_FIELD(block_z, blockDimZ);
SAME_FIELD(shared_bytes, sharedMemBytes);
SAME_FIELD(stream, hStream);
SAME_FIELD(attributes, attrs);
SAME_FIELD(attribute_count, numAttrs);
_Static_assert(sizeof(CudaLaunchAttribute) == sizeof(CUlaunchAttribute), "CUlaunchAttribute");
_Static_assert(offsetof(CudaLaunchAttribute, value) == offsetof(CUlaunchAttribute, value),
               "CUlaunchAttribute.value");
_Static_assert(sizeof(CudaResult) == sizeof(CUresult) && sizeof(CudaDevice) == sizeof(CUdevice), "handles");
_Static_assert(sizeof(CUdeviceptr) == sizeof(uint64_t) && sizeof(CUjit_option) == sizeof(int), "handles");

#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME_VALUE(CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME_VALUE(CUDA_INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE);
SAME_VALUE(CUDA_NOT_READY, CUDA_ERROR_NOT_READY);
SAME_VALUE(CUDA_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_VALUE(CUDA_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME_VALUE(CUDA_ASSERT, CUDA_ERROR_ASSERT);
SAME_VALUE(CUDA_HARDWARE_STACK_ERROR, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME_VALUE(CUDA_MISALIGNED_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME_VALUE(CUDA_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
SAME_VALUE(CUDA_ATTRIBUTE_CC_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(CUDA_ATTRIBUTE_CC_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(CUDA_ATTRIBUTE_SHARED_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME_VALUE(CUDA_JIT_INFO_LOG, CU_JIT_INFO_LOG_BUFFER);
SAME_VALUE(CUDA_JIT_INFO_LOG_BYTES, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(CUDA_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME_VALUE(CUDA_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(CUDA_JIT_INPUT_PTX, CU_JIT_INPUT_PTX);
SAME_VALUE(CUDA_FUNC_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_VALUE(CUDA_LAUNCH_OVERLAP, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME_VALUE(CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME_VALUE(CUDA_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED);
