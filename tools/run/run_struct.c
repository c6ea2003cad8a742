// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter of PTX that is a struct by value: a tuple gives its members. An integer without a type is an int, or a long
// if it needs one. A number with a point is a float.
#include "runtime/launch/image_struct.h"
#include "tools/run/run.h"

static Elem number_elem(const RunArg *item) {
  const Argument *value = &item->value;
  if (item->typed) return item->elem;
  if (value->kind == ARGUMENT_FLOAT) return ELEM_FP32;
  if (value->kind == ARGUMENT_BOOL) return ELEM_I1;
  return !value->is_u64 && value->i >= INT32_MIN && value->i <= UINT32_MAX ? ELEM_I32 : ELEM_I64;
}

// The number as the library's argument, whose dtype is the member's type.
static tilec_arg number_arg(const RunArg *item) {
  const Argument *value = &item->value;
  Elem elem = number_elem(item);
  bool is_float = value->kind == ARGUMENT_FLOAT;
  tilec_arg arg = elem_is_float(elem) ? tilec_arg_float(is_float ? value->f : (double)value->i)
                  : value->is_u64     ? tilec_arg_uint((uint64_t)value->i)
                                      : tilec_arg_int(value->i);
  arg.dtype = (tilec_dtype)elem;
  return arg;
}

static tilec_arg library_arg(const Run *run, const RunArg *item) {
  if (item->buffer || item->value.kind == ARGUMENT_NONE) return tilec_arg_pointer(TILEC_I8, item->address);
  if (item->value.kind != ARGUMENT_TUPLE) return number_arg(item);
  tilec_arg *items = ARENA_ARRAY(run->arena, tilec_arg, item->item_count);
  tilec_tuple *tuple = ARENA_NEW(run->arena, tilec_tuple);
  for (uint32_t i = 0; i < item->item_count; i++) items[i] = library_arg(run, &item->items[i]);
  *tuple = (tilec_tuple)TILEC_TUPLE_INIT;
  tuple->items = items, tuple->count = item->item_count;
  return tilec_arg_tuple(tuple);
}

// Writes the struct at `to`, of `room` bytes. Returns its size. *why: what no struct can have, or NULL.
static size_t pack(const Run *run, const RunArg *param, uint8_t *to, size_t room, const char **why) {
  tilec_arg arg = library_arg(run, param);
  size_t bytes;
  *why = struct_pack(&arg, to, room, &bytes);
  return bytes;
}

uint64_t run_struct_bits(const Run *run, const RunArg *param) {
  const char *why; // run_structs_fit reports it
  size_t bytes = pack(run, param, NULL, 0, &why);
  uint8_t *to = arena_alloc(run->arena, bytes + 1);
  pack(run, param, to, bytes, &why);
  return (uint64_t)(uintptr_t)to;
}

bool run_structs_fit(Run *run, const DeviceKernel *kernel) {
  Diags *diags = &run->c->diags;
  KernelParams params;
  if (kernel->device->kind->params(kernel->device, kernel->state, &params) != TILEC_OK) return true;
  for (uint32_t i = 0; i < run->param_count && i < params.count; i++) {
    const RunArg *param = &run->params[i];
    bool tuple = param->value.kind == ARGUMENT_TUPLE;
    const char *why = NULL;
    uint64_t bytes = tuple ? pack(run, param, NULL, 0, &why) : 0;
    if (why)
      diag_error(diags, LOC_NONE, "[T1003] argument %u: a struct cannot have %s", i, why);
    else if (tuple && bytes != params.bytes[i])
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
