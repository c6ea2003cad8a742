// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled where dlpack.h is installed: our declaration of its tensor against it. Nothing to run.
#include <dlpack/dlpack.h>

#include "runtime/launch/tensor.h"

#define SAME_FIELD(ours, theirs)                                                                             \
  _Static_assert(offsetof(Tensor, ours) == offsetof(DLTensor, theirs), "DLTensor." #theirs)

_Static_assert(sizeof(Tensor) == sizeof(DLTensor), "DLTensor");
SAME_FIELD(data, data);
SAME_FIELD(ndim, ndim);
SAME_FIELD(code, dtype.code);
SAME_FIELD(bits, dtype.bits);
SAME_FIELD(lanes, dtype.lanes);
SAME_FIELD(shape, shape);
SAME_FIELD(strides, strides);
SAME_FIELD(byte_offset, byte_offset);
_Static_assert((int)TENSOR_CPU == (int)kDLCPU && (int)TENSOR_CUDA_HOST == 3, "DLDeviceType");
_Static_assert((int)TENSOR_INT == (int)kDLInt && (int)TENSOR_UINT == (int)kDLUInt &&
                   (int)TENSOR_FLOAT == (int)kDLFloat && (int)TENSOR_BFLOAT == (int)kDLBfloat,
               "DLDataTypeCode");
