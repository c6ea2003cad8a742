// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run-time parameters that become several kernel parameters. A tuple becomes its elements, in order. A tensor
// descriptor becomes its base, its sizes (i32) and its strides (i64), as Triton passes them. Its last stride
// is 1. Hidden parameters that later passes add for the hardware (tensor maps) come after all of these.
#include "frontend/elaborate/elaborate.h"

// --- Declarations ---

static const char *param_text(Elab *e, const ParamSpec *param) {
  Buf buf = {0};
  if (param->form == PARAM_PLAIN && !param->type && !param->facts.none)
    buf_text(&buf, "a number or pointer");
  else
    param_print(param, &buf);
  return elab_text(e, &buf);
}

static bool declared_otherwise(Elab *e, Loc loc, const char *path, const ParamSpec *declared,
                               const ParamSpec *given) {
  return elab_fail(e, loc, "[T1003] parameter '%s' is declared as %s, but is given as %s", path,
                   param_text(e, declared), param_text(e, given));
}

static bool resolve_plain(Elab *e, Loc loc, const char *path, const ParamSpec *declared,
                          const ParamSpec *given, ParamSpec *out) {
  const Type *type = declared ? declared->type : NULL;
  if (given) *out = *given;
  if (out->facts.none) {
    out->type = type_ptr(e->ir, elab_scalar(e, ELEM_I8));
    return true;
  }
  if (type && given && given->type && given->type != elab_without_const(e, type))
    return declared_otherwise(e, loc, path, declared, given);
  if (type) out->type = type;
  if (!out->type && out->facts.equal1) out->type = elab_scalar(e, ELEM_I32);
  if (out->type) return true;
  return elab_fail(e, loc, "[T0403] '%s' has no type; give one with --signature, as in (*fp32, i32)", path);
}

static const char *item_path(Elab *e, const char *path, const ParamSpec *tuple, uint32_t i) {
  const char *name = tuple->items[i].name;
  return name ? arena_printf(e->arena, "%s.%s", path, name) : arena_printf(e->arena, "%s[%u]", path, i);
}

static bool resolve_tuple(Elab *e, Loc loc, const char *path, const ParamSpec *declared,
                          const ParamSpec *given, ParamSpec *out) {
  const ParamSpec *tuple = given ? given : declared;
  bool good = true;
  if (given && declared && given->item_count != declared->item_count)
    return declared_otherwise(e, loc, path, declared, given);
  *out = *tuple;
  out->items = ARENA_ARRAY(e->arena, ParamSpec, tuple->item_count);
  for (uint32_t i = 0; i < tuple->item_count; i++) {
    ParamSpec *item = &out->items[i];
    const ParamSpec *said = declared ? &declared->items[i] : NULL;
    if (!elab_resolve_param(e, loc, item_path(e, path, tuple, i), said, given ? &given->items[i] : NULL,
                            item))
      good = false;
    item->name = tuple->items[i].name ? tuple->items[i].name : said ? said->name : NULL;
  }
  return good;
}

// Records that 16 divides the sizes and strides.
static void know_parts(Elab *e, ParamSpec *descriptor) {
  const ParamSpec *old = descriptor->items;
  descriptor->items = ARENA_ARRAY(e->arena, ParamSpec, descriptor->item_count);
  memcpy(descriptor->items, old, descriptor->item_count * sizeof *old);
  for (uint32_t i = 1; i + 1 < descriptor->item_count; i++) descriptor->items[i].facts.divisible16 = true;
}

// `facts`: what else is known, as "d=:16" states for a declared descriptor; NULL: nothing.
static bool resolve_descriptor(Elab *e, Loc loc, const char *path, const ParamSpec *declared,
                               const ParamSpec *given, const ParamFacts *facts, ParamSpec *out) {
  if (given && declared &&
      (given->type != declared->type || given->pads_nan != declared->pads_nan ||
       given->rounds_tf32 != declared->rounds_tf32))
    return declared_otherwise(e, loc, path, declared, given);
  *out = given ? *given : *declared;
  if (facts && facts->divisible16) know_parts(e, out);
  const Type *type = out->type;
  uint64_t shape[TILE_MAX_RANK];
  for (uint32_t i = 0; i < type->rank; i++) shape[i] = type->shape[i];
  if (!elab_check_tile(e, loc, type->rank, shape)) return false;
  uint32_t last = type->shape[type->rank - 1];
  if (last * type_element_bytes(type->inner) < 16)
    elab_error(
        e, loc,
        "[T0207] parameter '%s': the last dimension of a descriptor's block must have 16 bytes or more, not "
        "%u elements of %s",
        path, last, type_text(e, type->inner));
  else if (out->rounds_tf32 && !type_is_elem(type->inner, ELEM_FP32))
    elab_error(e, loc, "[T0207] parameter '%s': only fp32 is rounded to tf32, not %s", path,
               type_text(e, type->inner));
  else if (out->pads_nan && !type_is_float(type->inner))
    elab_error(e, loc, "[T0207] parameter '%s': padding nan needs float elements, not %s", path,
               type_text(e, type->inner));
  else
    return true;
  return false;
}

bool elab_resolve_param(Elab *e, Loc loc, const char *path, const ParamSpec *declared, const ParamSpec *given,
                        ParamSpec *out) {
  bool said = declared && (declared->form != PARAM_PLAIN || declared->type);
  const ParamSpec *meant = given ? given : declared;
  *out = (ParamSpec){.form = PARAM_PLAIN};
  if (!said) declared = NULL;
  if (meant && meant->form == PARAM_CONSTEXPR) {
    *out = *meant;
    return true;
  }
  bool none = given && given->form == PARAM_PLAIN && given->facts.none;
  bool facts_alone = given && given->form == PARAM_PLAIN && !given->type && !none && !given->facts.equal1;
  if (said && declared->form == PARAM_DESCRIPTOR && facts_alone)
    return resolve_descriptor(e, loc, path, declared, NULL, &given->facts, out);
  if (said && given && !none && declared->form != given->form)
    return declared_otherwise(e, loc, path, declared, given);
  if (meant && meant->form == PARAM_TUPLE) return resolve_tuple(e, loc, path, declared, given, out);
  if (meant && meant->form == PARAM_DESCRIPTOR)
    return resolve_descriptor(e, loc, path, declared, given, NULL, out);
  return resolve_plain(e, loc, path, declared, given, out);
}

// --- Kernel parameters ---

uint32_t elab_param_leaves(const ParamSpec *param) {
  uint32_t n = 0;
  switch (param->form) {
  case PARAM_PLAIN: return 1;
  case PARAM_CONSTEXPR: return 0;
  case PARAM_DESCRIPTOR: return descriptor_parts(param->type->rank);
  case PARAM_TUPLE:
    for (uint32_t i = 0; i < param->item_count; i++) n += elab_param_leaves(&param->items[i]);
  }
  return n;
}

typedef struct Declaring {
  Elab *e;
  Loc loc;
  FuncParam *params;
  uint32_t *n;
  const Function *taken;
} Declaring;

static bool is_taken(const Declaring *d, const char *name) {
  for (uint32_t i = 0; i < d->taken->params.n; i++)
    if (d->taken->params.at[i].name == name) return true;
  for (uint32_t i = 0; i < *d->n; i++)
    if (d->params[i].name == name) return true;
  return false;
}

// "t_0". Appends underscores while another parameter has that name.
static const char *part_name(const Declaring *d, const char *of, const char *part, uint32_t number) {
  Arena *arena = d->e->arena;
  const char *name = part && number != UINT32_MAX ? arena_printf(arena, "%s_%s_%u", of, part, number)
                     : part                       ? arena_printf(arena, "%s_%s", of, part)
                                                  : arena_printf(arena, "%s_%u", of, number);
  for (name = ir_name(d->e->ir, str_from(name)); is_taken(d, name);)
    name = ir_name(d->e->ir, str_from(arena_printf(arena, "%s_", name)));
  return name;
}

static void declare_part(const Declaring *d, const char *name, const Type *type, ParamFacts facts) {
  d->params[(*d->n)++] = (FuncParam){.name = name, .type = type, .facts = facts, .loc = d->loc};
}

static void declare_descriptor(const Declaring *d, const char *name, const ParamSpec *param) {
  Elab *e = d->e;
  const Type *size = elab_scalar(e, ELEM_I32), *stride = elab_scalar(e, ELEM_I64);
  uint32_t rank = param->type->rank;
  declare_part(d, name, type_ptr(e->ir, param->type->inner), param->items[0].facts);
  for (uint32_t i = 0; i < 2 * rank; i++)
    declare_part(d, part_name(d, name, i < rank ? "shape" : "stride", i % rank), i < rank ? size : stride,
                 param->items[1 + i].facts);
}

static void declare(const Declaring *d, const char *name, const ParamSpec *param) {
  switch (param->form) {
  case PARAM_CONSTEXPR: return;
  case PARAM_PLAIN: declare_part(d, name, param->type, param->facts); return;
  case PARAM_DESCRIPTOR: declare_descriptor(d, name, param); return;
  case PARAM_TUPLE:
    for (uint32_t i = 0; i < param->item_count; i++) {
      const ParamSpec *item = &param->items[i];
      declare(d, part_name(d, name, item->name, item->name ? UINT32_MAX : i), item);
    }
  }
}

void elab_declare_param(Elab *e, const char *name, Loc loc, const ParamSpec *param, FuncParam *params,
                        uint32_t *n, const Function *taken) {
  declare(&(Declaring){e, loc, params, n, taken}, name, param);
}

// --- Objects ---

static Obj plain_value(Elab *e, const ParamSpec *param, Value *arg, bool known) {
  if (param->facts.none) return obj_none();
  if (known && param->value) return obj_from_const(e, param->value);
  if (!param->facts.equal1 || !type_is_int(arg->type) || e->frame->grid) return obj_value(arg);
  return known ? obj_int(1) : obj_value(build_int(&e->b, arg->type, 1));
}

// A descriptor's size or stride, with facts beyond those of the parameter.
static Value *extent(Elab *e, const ParamSpec *part, Value *value, const Type *element) {
  uint32_t multiple = 16 / type_element_bytes(element);
  if (!part->aligned || part->facts.divisible16 || multiple == 1 || e->frame->grid) return value;
  value = build(&e->b, OP_HINT, value->type, value, NULL, NULL);
  op_set_ints(value->def, ATTR_MULTIPLE, 1, &multiple);
  return value;
}

// Builds it like tl.make_tensor_descriptor.
static Obj descriptor_value(Elab *e, const ParamSpec *param, Value *const *parts) {
  const Type *wide = elab_scalar(e, ELEM_I64), *type = param->type;
  Value *sizes[TILE_MAX_RANK], *strides[TILE_MAX_RANK], *zeros[TILE_MAX_RANK];
  uint32_t rank = type->rank;
  Value *zero = build_int(&e->b, wide, 0);
  for (uint32_t i = 0; i < rank; i++) {
    const ParamSpec *size = &param->items[1 + i], *stride = size + rank;
    sizes[i] = elab_cast(e, e->b.loc, extent(e, size, parts[1 + i], type->inner), wide);
    strides[i] =
        i + 1 < rank ? extent(e, stride, parts[1 + rank + i], type->inner) : build_int(&e->b, wide, 1);
    zeros[i] = zero;
  }
  BlockPtrParts made = {parts[0], rank, sizes, strides, zeros, type->shape, NULL, true};
  Value *descriptor = build_make_block_ptr(&e->b, &made);
  if (param->pads_nan) vec_push(e->arena, &e->nan_descriptors, descriptor);
  if (param->rounds_tf32) vec_push(e->arena, &e->tf32_descriptors, descriptor);
  return obj_value(descriptor);
}

static Obj tuple_value(Elab *e, const ParamSpec *param, Value *const *args, uint32_t *n, bool known) {
  Obj tuple = obj_tuple(e, param->item_count);
  const char **names = ARENA_ARRAY(e->arena, const char *, param->item_count);
  for (uint32_t i = 0; i < param->item_count; i++) {
    Obj *item = &tuple.items.at[i];
    *item = elab_param_value(e, &param->items[i], args, n, known);
    names[i] = param->items[i].name;
    bool counts = e->frame->grid && item->kind == OBJ_VALUE && item->value->type->kind == TYPE_SCALAR &&
                  type_is_int(item->value->type);
    if (counts) *item = obj_value(elab_cast(e, e->b.loc, item->value, elab_scalar(e, ELEM_I64)));
  }
  if (param->item_count && names[0]) tuple.items.names = names;
  return tuple;
}

Obj elab_param_value(Elab *e, const ParamSpec *param, Value *const *args, uint32_t *n, bool known) {
  uint32_t first = *n;
  switch (param->form) {
  case PARAM_TUPLE: return tuple_value(e, param, args, n, known);
  case PARAM_CONSTEXPR: return obj_from_const(e, param->value);
  case PARAM_DESCRIPTOR: *n += elab_param_leaves(param); return descriptor_value(e, param, args + first);
  case PARAM_PLAIN: break;
  }
  *n += 1;
  return plain_value(e, param, args[first], known);
}
