// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps of the fake driver: the simulator's.
#include "tests/gpu/fake_driver.h"
#include "tests/gpu/fake_record.h"

#define EXPORT __attribute__((visibility("default")))
enum { MAP_ALIGN = 64 };

static long encodings;

EXPORT long fake_driver_encodings(void) { return __atomic_load_n(&encodings, __ATOMIC_RELAXED); }

EXPORT CudaResult TensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                                       const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                       int interleave, int swizzle, int promotion,
                                       int fill) __asm__("cuTensorMapEncodeTiled");
CudaResult TensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                                const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                int interleave, int swizzle, int promotion, int fill) {
  CudaResult begun = fake_begin(__func__);
  if (begun) return begun;
  if (fake_needs_context()) return fake_needs_context();
  __atomic_add_fetch(&encodings, 1, __ATOMIC_RELAXED);
  if ((uintptr_t)map % MAP_ALIGN) return CUDA_INVALID_VALUE;
  tilec_sim_result result = tilec_sim_tensor_map_encode(
      map, (uint32_t)type, rank, (uint64_t)(uintptr_t)address, sizes, strides, box, steps, (uint32_t)interleave,
      (uint32_t)swizzle, (uint32_t)promotion, (uint32_t)fill);
  return result == TILEC_SIM_OK ? 0 : CUDA_INVALID_VALUE;
}
