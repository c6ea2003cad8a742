// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/tensor_encode.h"

#include "base/fault.h"
#include "runtime/device/driver.h"

static int data_type(Elem elem) {
  bool is_signed = elem_is_signed(elem);
  switch ((int)elem) {
  case ELEM_FP16: return CUDA_TENSOR_FP16;
  case ELEM_BF16: return CUDA_TENSOR_BF16;
  case ELEM_FP32: return CUDA_TENSOR_FP32;
  case ELEM_FP64: return CUDA_TENSOR_FP64;
  default: break;
  }
  switch (elem_bytes(elem)) {
  case 1: return CUDA_TENSOR_U8;
  case 2: return CUDA_TENSOR_U16;
  case 4: return is_signed ? CUDA_TENSOR_I32 : CUDA_TENSOR_U32;
  case 8: return is_signed ? CUDA_TENSOR_I64 : CUDA_TENSOR_U64;
  default: BUG("a tensor map of elements of %u bytes", elem_bytes(elem));
  }
}

static int swizzle_mode(uint32_t bytes) {
  return bytes == 128  ? CUDA_TENSOR_SWIZZLE_128
         : bytes == 64 ? CUDA_TENSOR_SWIZZLE_64
         : bytes == 32 ? CUDA_TENSOR_SWIZZLE_32
                       : 0;
}

TensorEncoding tensor_encoding(const TensorMapValue *map) {
  const Type *type = map->type;
  TensorEncoding e = {.type = data_type(type->elem),
                      .rank = type->rank,
                      .swizzle = swizzle_mode(type->swizzle),
                      .promotion = CUDA_TENSOR_PROMOTE_256,
                      .fill = type->pads_nan ? CUDA_TENSOR_FILL_NAN : 0};
  for (uint32_t i = 0; i < type->rank; i++) {
    uint32_t d = type->rank - 1 - i;
    e.sizes[i] = (uint64_t)map->sizes[d];
    e.box[i] = type->shape[d];
    e.steps[i] = 1;
    if (i) e.strides[i - 1] = (uint64_t)map->strides[d] * elem_bytes(type->elem);
  }
  return e;
}
