// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/specialise.h"

#include <math.h>
#include <stdio.h>

#include "ir/number.h"
#include "runtime/error.h"
#include "runtime/launch/expand.h"
#include "runtime/launch/tensor.h"

// Both lists of element types have the same order: a tilec_dtype is an Elem.
_Static_assert((int)TILEC_I1 == (int)ELEM_I1 && (int)TILEC_U8 == (int)ELEM_U8 &&
                   (int)TILEC_FP8E4NV == (int)ELEM_FP8E4NV && (int)TILEC_BF16 == (int)ELEM_BF16 &&
                   (int)TILEC_FP64 == (int)ELEM_FP64 && ELEM_COUNT == TILEC_FP64 + 1,
               "tilec_dtype and Elem differ");

static tilec_arg default_arg(const ConstValue *value) {
  switch (value->kind) {
  case CONST_NONE: return tilec_arg_none();
  case CONST_BOOL: return tilec_arg_bool(value->i != 0);
  case CONST_INT: return value->is_u64 ? tilec_arg_uint((uint64_t)value->i) : tilec_arg_int(value->i);
  case CONST_FLOAT: return tilec_arg_float(value->f);
  case CONST_STR:
  case CONST_NAME:
  case CONST_DTYPE:
  case CONST_TUPLE: break;
  }
  return tilec_arg_default();
}

static void take_type(RunParam *param, const Type *type) {
  if (!type) return;
  param->annotated = true;
  param->pointer = type->kind == TYPE_PTR;
  if (param->pointer) type = type->inner;
  param->elem = type->kind == TYPE_PTR ? ELEM_I64 : type->elem;
}

static const RunWide *run_wide(Arena *arena, const ParamSpec *spec) {
  RunWide *wide = ARENA_NEW(arena, RunWide);
  *wide = (RunWide){.form = spec->form,
                    .count = spec->item_count,
                    .pads_nan = spec->pads_nan,
                    .rounds_tf32 = spec->rounds_tf32};
  if (spec->form == PARAM_DESCRIPTOR) {
    wide->count = spec->type->rank;
    wide->elem = spec->type->elem;
    memcpy(wide->block, spec->type->shape, sizeof wide->block);
    return wide;
  }
  RunParam *items = ARENA_ARRAY(arena, RunParam, spec->item_count);
  for (uint32_t i = 0; i < spec->item_count; i++) {
    const ParamSpec *item = &spec->items[i];
    if (item->name) items[i].name = arena_copy(arena, str_from(item->name));
    if (item->form == PARAM_PLAIN)
      take_type(&items[i], item->type);
    else if (item->form != PARAM_CONSTEXPR)
      items[i].wide = run_wide(arena, item);
  }
  wide->items = items;
  return wide;
}

RunParam run_param(Arena *arena, const KernelParam *param) {
  RunParam result = {
      .name = param->name, .in_heuristic = param->in_heuristic, .has_default = param->has_default};
  result.no_facts = param->any_value ? KEY_DIVISIBLE | KEY_ONE : param->any_alignment ? KEY_DIVISIBLE : 0;
  take_type(&result, param->type);
  if (param->wide) result.wide = run_wide(arena, param->wide);
  if (param->has_default) result.default_value = default_arg(&param->default_value);
  result.default_is_tuple = param->has_default && param->default_value.kind == CONST_TUPLE;
  return result;
}

// The destination of one argument.
typedef struct ArgSlot {
  const char *kernel;
  const RunParam *param;
  uint64_t *bits;
  uint8_t *key;
  BoundArgs *bound;
} ArgSlot;

static tilec_status type_mismatch(const ArgSlot *slot, const char *given) {
  const RunParam *p = slot->param;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter '%s' is declared %s%s; it cannot take %s",
                   slot->kernel, p->name, p->pointer ? "*" : "", elem_info(p->elem)->name, given);
}

static inline uint8_t address_facts(const RunParam *p, uint64_t address) {
  return (uint8_t)((address % 16 == 0 ? KEY_DIVISIBLE : 0) & ~p->no_facts);
}

static tilec_status bind_pointer(const ArgSlot *slot, const tilec_arg *arg) {
  const RunParam *p = slot->param;
  if ((unsigned)arg->dtype >= ELEM_COUNT)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter '%s': %d is not a tilec_dtype",
                     slot->kernel, p->name, (int)arg->dtype);
  Elem elem = (Elem)arg->dtype;
  if (p->annotated && !p->pointer) return type_mismatch(slot, "a pointer");
  if (p->annotated && elem_bytes(p->elem) != elem_bytes(elem))
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "%s: parameter '%s' is declared *%s; it cannot point to %s", slot->kernel, p->name,
                     elem_info(p->elem)->name, elem_info(elem)->name);
  *slot->bits = arg->value.address;
  slot->key[0] = (uint8_t)(KEY_POINTER | (p->annotated ? p->elem : elem));
  slot->key[1] = address_facts(p, arg->value.address);
  return TILEC_OK;
}

// An integer as the caller gave it. Beyond INT64_MAX `i` has the bits of an unsigned one.
typedef struct GivenInt {
  int64_t i;
  bool is_u64;
} GivenInt;

static bool int_fits(Elem elem, GivenInt value) {
  if (value.is_u64) return elem == ELEM_U64;
  if (elem == ELEM_U64) return value.i >= 0;
  return (int64_t)number_wrap(elem, (uint64_t)value.i) == value.i;
}

// "-128 to 127"
static const char *range_text(Elem elem, char *out, size_t size) {
  uint32_t bits = elem == ELEM_I1 ? 1 : 8 * elem_bytes(elem);
  uint64_t most = UINT64_MAX >> (64 - bits);
  if (elem_is_float(elem))
    snprintf(out, size, "%g to %g", -number_max(elem), number_max(elem));
  else if (elem_is_signed(elem) && elem != ELEM_I1)
    snprintf(out, size, "%lld to %lld", -(long long)(most >> 1) - 1, (long long)(most >> 1));
  else
    snprintf(out, size, "0 to %llu", (unsigned long long)most);
  return out;
}

static tilec_status out_of_range(const ArgSlot *slot, const char *value) {
  char range[64];
  Elem elem = slot->param->elem;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                   "%s: parameter '%s' is declared %s; it cannot hold %s, only %s", slot->kernel,
                   slot->param->name, elem_info(elem)->name, value, range_text(elem, range, sizeof range));
}

static uint8_t int_facts(const RunParam *p, int64_t i) {
  return (uint8_t)(((i % 16 == 0 ? KEY_DIVISIBLE : 0) | (i == 1 ? KEY_ONE : 0)) & ~p->no_facts);
}

static __attribute__((noinline)) tilec_status bind_any_int(const ArgSlot *slot, GivenInt value) {
  const RunParam *p = slot->param;
  if (p->annotated && p->pointer) return type_mismatch(slot, "an integer");
  Elem elem = p->annotated                  ? p->elem
              : value.is_u64                ? ELEM_U64
              : value.i == (int32_t)value.i ? ELEM_I32
                                            : ELEM_I64;
  slot->key[0] = (uint8_t)elem;
  slot->key[1] = 0;
  bool is_float = elem_is_float(elem);
  if (is_float) *slot->bits = number_from_int(value.is_u64 ? ELEM_U64 : ELEM_I64, (uint64_t)value.i, elem);
  if (is_float ? !isfinite(number_decode(elem, *slot->bits)) : !int_fits(elem, value)) {
    char text[24];
    snprintf(text, sizeof text, value.is_u64 ? "%llu" : "%lld", (long long)value.i);
    return out_of_range(slot, text);
  }
  if (is_float) return TILEC_OK;
  *slot->bits = (uint64_t)value.i;
  if (elem != ELEM_I1) slot->key[1] = int_facts(p, value.i);
  return TILEC_OK;
}

// A parameter without a type takes i1. One with a type takes the number 0 or 1.
static tilec_status bind_bool(const ArgSlot *slot, int64_t value) {
  if (value != 0 && value != 1)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                     "%s: parameter '%s' is given a bool of %lld; it must be 0 or 1", slot->kernel,
                     slot->param->name, (long long)value);
  if (slot->param->annotated) return bind_any_int(slot, (GivenInt){value, false});
  *slot->bits = (uint64_t)value;
  slot->key[0] = ELEM_I1;
  slot->key[1] = 0;
  return TILEC_OK;
}

static tilec_status bind_float(const ArgSlot *slot, double value) {
  const RunParam *p = slot->param;
  if (p->annotated && (p->pointer || !elem_is_float(p->elem))) return type_mismatch(slot, "a float");
  Elem elem = p->annotated ? p->elem : ELEM_FP32;
  *slot->bits = number_encode(elem, value);
  slot->key[0] = (uint8_t)elem;
  slot->key[1] = 0;
  if (isfinite(value) && fabs(value) >= number_overflow(elem)) {
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    return p->annotated
               ? out_of_range(slot, text)
               : error_set(TILEC_ERROR_INVALID_ARGUMENT,
                           "%s: parameter '%s' is an fp32, as floats are where the kernel declares no "
                           "type; it cannot hold %s",
                           slot->kernel, p->name, text);
  }
  return TILEC_OK;
}

static tilec_status bind_none(const ArgSlot *slot) {
  *slot->bits = 0;
  slot->key[0] = KEY_POINTER | ELEM_I8;
  slot->key[1] = KEY_NONE;
  return TILEC_OK;
}

static inline tilec_status bind_one(const ArgSlot *slot, const tilec_arg *arg);

static tilec_status bind_default(const ArgSlot *slot) {
  const RunParam *p = slot->param;
  if (!p->has_default)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter '%s' has no default value", slot->kernel,
                     p->name);
  if (p->default_value.kind != TILEC_ARG_DEFAULT) return bind_one(slot, &p->default_value);
  slot->bound->wide = p->default_is_tuple;
  return error_set(TILEC_ERROR_INVALID_ARGUMENT,
                   "%s: the default of parameter '%s' cannot be passed at a launch", slot->kernel, p->name);
}

static tilec_status bind_tensor(const ArgSlot *slot, const tilec_arg *arg) {
  tilec_arg plain;
  tilec_status status = tensor_plain(slot->kernel, slot->param->name, arg, &plain);
  slot->bound->tensors = true;
  return status ? status : bind_one(slot, &plain);
}

// Rare kinds of arguments. Kept out of the fast path.
static __attribute__((noinline, cold)) tilec_status bind_other(const ArgSlot *slot, const tilec_arg *arg) {
  switch (arg->kind) {
  case TILEC_ARG_DL:
  case TILEC_ARG_DIM:
  case TILEC_ARG_STRIDE: return bind_tensor(slot, arg);
  case TILEC_ARG_DEFAULT: return bind_default(slot);
  case TILEC_ARG_TUPLE:
  case TILEC_ARG_DESCRIPTOR:
  case TILEC_ARG_CONSTEXPR: slot->bound->wide = true; return TILEC_ERROR_INVALID_ARGUMENT;
  case TILEC_ARG_NONE:
  case TILEC_ARG_POINTER:
  case TILEC_ARG_INT:
  case TILEC_ARG_UINT:
  case TILEC_ARG_BOOL:
  case TILEC_ARG_FLOAT: break; // handled by bind_one
  }
  return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s: parameter '%s': %d is not a tilec_arg_kind",
                   slot->kernel, slot->param->name, (int)arg->kind);
}

static inline tilec_status bind_one(const ArgSlot *slot, const tilec_arg *arg) {
  if (arg->kind == TILEC_ARG_POINTER) return bind_pointer(slot, arg);
  if (arg->kind == TILEC_ARG_INT) return bind_any_int(slot, (GivenInt){arg->value.i, false});
  if (arg->kind == TILEC_ARG_FLOAT) return bind_float(slot, arg->value.f);
  if (arg->kind == TILEC_ARG_BOOL) return bind_bool(slot, arg->value.i);
  if (arg->kind == TILEC_ARG_UINT)
    return bind_any_int(slot, (GivenInt){arg->value.i, arg->value.u > INT64_MAX});
  return arg->kind == TILEC_ARG_NONE ? bind_none(slot) : bind_other(slot, arg);
}

// The common arguments: pointers of the parameter's type, and 32-bit integers for parameters of that type or
// without one.
static inline bool bind_usual(const RunParam *p, const tilec_arg *arg, uint64_t *bits, uint8_t *key) {
  int64_t i = arg->value.i;
  if (arg->kind == TILEC_ARG_POINTER) {
    if (p->annotated ? !p->pointer || p->elem != (Elem)arg->dtype : (unsigned)arg->dtype >= ELEM_COUNT)
      return false;
    key[0] = (uint8_t)(KEY_POINTER | arg->dtype);
    key[1] = address_facts(p, arg->value.address);
  } else {
    if (arg->kind != TILEC_ARG_INT || i != (int32_t)i ||
        (p->annotated && (p->pointer || p->elem != ELEM_I32)))
      return false;
    key[0] = ELEM_I32;
    key[1] = int_facts(p, i);
  }
  *bits = arg->value.address;
  return true;
}

tilec_status bind_args(const char *kernel, const RunParam *params, uint32_t param_count,
                       const tilec_arg *args, size_t arg_count, BoundArgs *bound) {
  static const tilec_arg omitted = {.kind = TILEC_ARG_DEFAULT};
  bound->tensors = bound->wide = false;
  if (arg_count > param_count)
    return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s takes %u arguments, not %zu", kernel, param_count,
                     arg_count);
  for (uint32_t i = 0; i < param_count; i++) {
    const tilec_arg *arg = i < arg_count ? &args[i] : &omitted;
    uint8_t *key = &bound->key[KEY_BYTES * i];
    if (bind_usual(&params[i], arg, &bound->bits[i], key)) continue;
    const ArgSlot slot = {kernel, &params[i], &bound->bits[i], key, bound};
    bound->count = i;
    if (i >= arg_count && !params[i].has_default)
      return error_set(TILEC_ERROR_INVALID_ARGUMENT, "%s takes %u arguments, not %zu: '%s' has no value",
                       kernel, param_count, arg_count, params[i].name);
    tilec_status status = bind_one(&slot, arg);
    if (status) return status;
  }
  bound->count = param_count;
  bound->key_bytes = KEY_BYTES * param_count;
  return TILEC_OK;
}

// A scalar argument as a constexpr, for heuristics.
static const ConstValue *known_value(IrContext *ir, Elem elem, uint64_t bits) {
  ConstValue *value = ARENA_NEW(ir->arena, ConstValue);
  if (elem_is_float(elem))
    *value = (ConstValue){.kind = CONST_FLOAT, .f = number_decode(elem, bits)};
  else if (elem == ELEM_I1)
    *value = (ConstValue){.kind = CONST_BOOL, .i = bits != 0};
  else
    *value =
        (ConstValue){.kind = CONST_INT, .is_u64 = elem == ELEM_U64 && bits > INT64_MAX, .i = (int64_t)bits};
  return value;
}

ParamSpec bound_param(IrContext *ir, const BoundArgs *bound, uint32_t i, bool annotated) {
  uint8_t type = bound->key[KEY_BYTES * i], facts = bound->key[KEY_BYTES * i + 1];
  ParamSpec p = {
      .facts = {.divisible16 = facts & KEY_DIVISIBLE, .equal1 = facts & KEY_ONE, .none = facts & KEY_NONE}};
  p.aligned = facts & KEY_ALIGNED;
  if (!(type & KEY_POINTER)) p.value = known_value(ir, (Elem)type, bound->bits[i]);
  if (annotated || p.facts.none) return p;
  const Type *scalar = type_scalar(ir, (Elem)(type & ~KEY_POINTER));
  p.type = type & KEY_POINTER ? type_ptr(ir, scalar) : scalar;
  return p;
}

void bound_spec(IrContext *ir, const RunParam *params, uint32_t param_count, const BoundArgs *bound,
                Spec *spec) {
  spec->params = ARENA_ARRAY(ir->arena, ParamSpec, param_count);
  spec->param_count = param_count;
  if (bound->wide) {
    spec->param_count = expanded_spec(ir, params, param_count, bound, spec->params);
    return;
  }
  for (uint32_t i = 0; i < param_count; i++) {
    spec->params[i] = bound_param(ir, bound, i, params[i].annotated);
    spec->params[i].name = ir_name(ir, str_from(params[i].name));
  }
}
