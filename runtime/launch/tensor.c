// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/tensor.h"

#include <string.h>

#include "runtime/error.h"

static tilec_status refuse(const char *kernel, const char *param, const char *why) {
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter '%s': %s", kernel, param, why);
}

// Copied, because the caller's struct is another type.
static Tensor tensor_of(const tilec_arg *arg) {
  Tensor tensor;
  memcpy(&tensor, (const void *)(uintptr_t)arg->value.address, sizeof tensor);
  return tensor;
}

static bool dtype_of(const Tensor *t, tilec_dtype *dtype) {
  static const struct {
    uint8_t code, bits;
    tilec_dtype dtype;
  } rows[] = {
      {TENSOR_INT, 8, TILEC_I8},
      {TENSOR_INT, 16, TILEC_I16},
      {TENSOR_INT, 32, TILEC_I32},
      {TENSOR_INT, 64, TILEC_I64},
      {TENSOR_UINT, 8, TILEC_U8},
      {TENSOR_UINT, 16, TILEC_U16},
      {TENSOR_UINT, 32, TILEC_U32},
      {TENSOR_UINT, 64, TILEC_U64},
      {TENSOR_FLOAT, 16, TILEC_FP16},
      {TENSOR_FLOAT, 32, TILEC_FP32},
      {TENSOR_FLOAT, 64, TILEC_FP64},
      {TENSOR_BFLOAT, 16, TILEC_BF16},
      {TENSOR_BOOL, 8, TILEC_I1},
      {TENSOR_FLOAT8_E4M3FN, 8, TILEC_FP8E4NV},
      {TENSOR_FLOAT8_E5M2, 8, TILEC_FP8E5},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].code == t->code && rows[i].bits == t->bits) return *dtype = rows[i].dtype, true;
  return false;
}

static int64_t stride_of(const Tensor *t, int32_t dim) {
  if (t->strides) return t->strides[dim];
  int64_t stride = 1;
  for (int32_t i = dim + 1; i < t->ndim; i++) stride *= t->shape[i];
  return stride;
}

static tilec_status plain_pointer(const char *kernel, const char *param, const Tensor *t, tilec_arg *plain) {
  tilec_dtype dtype;
  if (t->lanes != 1)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "%s: parameter '%s': the tensor's elements have %u lanes, not 1", kernel, param,
                     t->lanes);
  if (!dtype_of(t, &dtype))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "%s: parameter '%s': the tensor's type (DLPack code %u of %u bits) is not a tilec_dtype",
                     kernel, param, t->code, t->bits);
  *plain = tilec_arg_pointer(dtype, (uint64_t)(uintptr_t)t->data + t->byte_offset);
  return TILEC_OK;
}

tilec_status tensor_plain(const char *kernel, const char *param, const tilec_arg *arg, tilec_arg *plain) {
  if (!arg->value.address) return refuse(kernel, param, "the tensor is NULL");
  const Tensor t = tensor_of(arg);
  if (t.ndim < 0 || (t.ndim > 0 && !t.shape)) return refuse(kernel, param, "the tensor has no shape");
  if (arg->kind == TILEC_ARG_DL) return plain_pointer(kernel, param, &t, plain);
  int32_t dim = (int32_t)arg->dtype;
  if (dim < 0 || dim >= t.ndim)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "%s: parameter '%s': the tensor has %d dimensions, no dimension %d", kernel, param,
                     t.ndim, dim);
  *plain = tilec_arg_int(arg->kind == TILEC_ARG_DIM ? t.shape[dim] : stride_of(&t, dim));
  return TILEC_OK;
}

// --- The tensor's device ---

static tilec_status check_device(const tilec_device *device, const char *kernel, const char *param,
                                 const Tensor *t) {
  bool of_gpu = t->device_type == TENSOR_CUDA || t->device_type == TENSOR_CUDA_MANAGED ||
                t->device_type == TENSOR_CUDA_HOST;
  if (device->is_gpu ? of_gpu && (t->device_type != TENSOR_CUDA || t->device_id == device->ordinal)
                     : t->device_type == TENSOR_CPU)
    return TILEC_OK;
  return error_set(
      TILEC_ERROR_INVALID_ARGUMENT,
      "%s: parameter '%s': the tensor is of DLPack's device %d:%d, the kernel is on %s, whose tensors are of "
      "%s",
      kernel, param, t->device_type, t->device_id, device->name,
      device->is_gpu ? "its own device, 2" : "the CPU, 1");
}

// The range of the tensor's memory around its first element: *below bytes before it (negative strides),
// *above from it on.
static void extent_of(const Tensor *t, uint64_t *below, uint64_t *above) {
  uint64_t bytes = (t->bits + 7U) / 8;
  *below = 0;
  *above = bytes;
  for (int32_t i = 0; i < t->ndim; i++) {
    int64_t last = (t->shape[i] - 1) * stride_of(t, i);
    if (t->shape[i] <= 0) {
      *below = *above = 0;
      return;
    }
    if (last < 0)
      *below += (uint64_t)-last * bytes;
    else
      *above += (uint64_t)last * bytes;
  }
}

tilec_status tensor_memory(const tilec_device *device, const char *kernel, const char *param,
                           const tilec_arg *arg, uint64_t *start, uint64_t *bytes) {
  const Tensor t = tensor_of(arg);
  uint64_t below, above, address = (uint64_t)(uintptr_t)t.data + t.byte_offset;
  extent_of(&t, &below, &above);
  *start = address - below;
  *bytes = above ? address + above - *start : 0;
  return check_device(device, kernel, param, &t);
}

// Adds the memory of the launch's other tensors that overlap [*start, *end): views of one array may do so in part.
static void join_views(const tilec_arg *args, size_t arg_count, uint64_t *start, uint64_t *end) {
  for (size_t i = 0; i < arg_count; i++) {
    if (args[i].kind != TILEC_ARG_DL) continue;
    const Tensor t = tensor_of(&args[i]);
    uint64_t below, above, address = (uint64_t)(uintptr_t)t.data + t.byte_offset;
    extent_of(&t, &below, &above);
    uint64_t first = address - below, last = address + above;
    if (!above || first >= *end || last <= *start || (first >= *start && last <= *end)) continue;
    if (first < *start) *start = first;
    if (last > *end) *end = last;
    i = SIZE_MAX; // what was apart may overlap now
  }
}

// The simulator maps each tensor by itself, so that its bounds are exact. The evaluator's addresses are the host's.
static tilec_status map_one(tilec_device *device, const Tensor *t, const tilec_arg *args, size_t arg_count,
                            uint64_t *bits, TensorMaps *maps) {
  uint64_t below, above, at, address = *bits;
  extent_of(t, &below, &above);
  if (!above) return TILEC_OK;
  uint64_t start = address - below, end = address + above;
  bool is_mapped;
  if (!device->needs_ptx) join_views(args, arg_count, &start, &end);
  tilec_status status = device->kind->map(device, start, (size_t)(end - start), &at, &is_mapped);
  if (status) return status;
  if (is_mapped) maps->mapped[maps->count++] = at;
  *bits = at + (address - start);
  return TILEC_OK;
}

tilec_status tensors_map(tilec_device *device, const char *kernel, const RunParam *params,
                         const tilec_arg *args, size_t arg_count, BoundArgs *bound, TensorMaps *maps) {
  tilec_status status = TILEC_OK;
  maps->count = 0;
  for (uint32_t i = 0; i < arg_count && !status; i++) {
    if (args[i].kind != TILEC_ARG_DL) continue;
    const Tensor t = tensor_of(&args[i]);
    status = check_device(device, kernel, params[i].name, &t);
    if (!status && !device->is_gpu) status = map_one(device, &t, args, arg_count, &bound->bits[i], maps);
  }
  return status;
}

void tensors_unmap(tilec_device *device, const TensorMaps *maps) {
  for (uint32_t i = 0; i < maps->count; i++) device->kind->unmap(device, maps->mapped[i]);
}
