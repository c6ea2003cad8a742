// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter of PTX that is a struct by value: a tuple gives its members, which are laid out as C does it. An integer
// without a type is an int, or a long if it needs one. A number with a point is a float.
#include "ir/number.h"
#include "tools/run/run.h"

typedef struct Extent {
  uint64_t bytes, align;
} Extent;

static Elem number_elem(const RunArg *item) {
  const Argument *value = &item->value;
  if (item->typed) return item->elem;
  if (value->kind == ARGUMENT_FLOAT) return ELEM_FP32;
  if (value->kind == ARGUMENT_BOOL) return ELEM_I1;
  return !value->is_u64 && value->i >= INT32_MIN && value->i <= UINT32_MAX ? ELEM_I32 : ELEM_I64;
}

static uint64_t number_bits(const RunArg *item, Elem elem) {
  const Argument *value = &item->value;
  if (!elem_is_float(elem)) return (uint64_t)value->i;
  return number_encode(elem, value->kind == ARGUMENT_FLOAT ? value->f : (double)value->i);
}

static uint64_t aligned(uint64_t at, uint64_t align) { return (at + align - 1) / align * align; }

// Writes the member at `to`, which is NULL for its layout alone.
static Extent put_member(const RunArg *item, uint8_t *to) {
  Extent extent = {0, 1};
  if (item->value.kind == ARGUMENT_TUPLE) {
    for (uint32_t i = 0; i < item->item_count; i++) {
      Extent member = put_member(&item->items[i], NULL);
      extent.bytes = aligned(extent.bytes, member.align);
      if (to) put_member(&item->items[i], to + extent.bytes);
      extent.bytes += member.bytes;
      if (member.align > extent.align) extent.align = member.align;
    }
    extent.bytes = aligned(extent.bytes, extent.align);
    return extent;
  }
  bool pointer = item->buffer || item->value.kind == ARGUMENT_NONE;
  uint64_t bits = pointer ? item->address : number_bits(item, number_elem(item));
  extent.bytes = extent.align = pointer ? sizeof bits : elem_bytes(number_elem(item));
  if (to) memcpy(to, &bits, extent.bytes);
  return extent;
}

uint64_t run_struct_bits(const Run *run, const RunArg *param) {
  uint8_t *bytes = arena_alloc(run->arena, put_member(param, NULL).bytes + 1);
  memset(bytes, 0, put_member(param, NULL).bytes);
  put_member(param, bytes);
  return (uint64_t)(uintptr_t)bytes;
}

bool run_structs_fit(Run *run, const DeviceKernel *kernel) {
  Diags *diags = &run->c->diags;
  KernelParams params;
  if (kernel->device->kind->params(kernel->device, kernel->state, &params) != TILEC_OK) return true;
  for (uint32_t i = 0; i < run->param_count && i < params.count; i++) {
    const RunArg *param = &run->params[i];
    bool tuple = param->value.kind == ARGUMENT_TUPLE;
    uint64_t bytes = tuple ? put_member(param, NULL).bytes : 0;
    if (tuple && bytes != params.bytes[i])
      diag_error(
          diags, LOC_NONE,
          "[T1003] argument %u has %llu bytes as a struct of C, and the kernel's parameter has %u: an "
          "integer without a type is an int, and a number with a point a float; give other types as in "
          "100:i64 or 0.5:fp64",
          i, (unsigned long long)bytes, params.bytes[i]);
    if (!tuple && params.bytes[i] > sizeof(uint64_t))
      diag_error(
          diags, LOC_NONE,
          "[T1003] parameter %u of the kernel is a struct of %u bytes: give its members in brackets, as in "
          "'(zeros:fp32[100],100,2.0)'",
          i, params.bytes[i]);
  }
  return !diags->errors;
}
