// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// load and store through pointers and tiles of pointers. Block pointers are passed on to builtins_block.c.
#include "frontend/builtins/builtins.h"

// --- Pointers, masks, values ---

Value *builtin_pointer(Elab *e, const Call *call, uint32_t at) {
  const Obj *obj = &call->args[at];
  if (obj->kind == OBJ_ERROR) return NULL;
  if (obj->kind == OBJ_VALUE && type_is_ptr(obj->value->type)) {
    if (type_element(obj->value->type)->inner->kind == TYPE_SCALAR) return obj->value;
    // A pointer in memory is a 64-bit integer there.
    const Type *address = type_ptr(e->ir, elab_scalar(e, ELEM_I64));
    return elab_bitcast(e, call->loc, obj->value, address);
  }
  bool offsets = obj->kind == OBJ_VALUE && type_is_int(obj->value->type);
  elab_error(e, call->locs[at], "[T0501] '%s' needs a pointer, not %s%s", call->text, obj_describe(e, obj),
             offsets ? "; offsets are added to one: pointer + offsets" : "");
  return NULL;
}

Value *builtin_written_pointer(Elab *e, const Call *call, uint32_t at) {
  const Obj *obj = &call->args[at];
  bool is_ptr = obj->kind == OBJ_VALUE && type_is_ptr(obj->value->type);
  if (!is_ptr || !type_element(obj->value->type)->is_const) return builtin_pointer(e, call, at);
  elab_error(e, call->locs[at],
             "[T0207] '%s' cannot write through %s: const memory can only be read; declare the parameter "
             "without const",
             call->text, obj_describe(e, obj));
  return NULL;
}

// The mask as given. NULL if there is none, if it is True, or after an error.
static Value *mask_arg(Elab *e, const Call *call, uint32_t at, const Type *pointer, bool *good) {
  if (at == NO_ARG || !obj_given(&call->args[at])) return NULL;
  const Obj *obj = &call->args[at];
  bool flag = obj_is(obj, CONST_BOOL) || obj_is(obj, CONST_INT);
  if (flag && obj->constant.i != 0) return NULL;
  e->b.loc = elab_loc(e, call->loc);
  if (flag) return build_int(&e->b, type_with_element(e->ir, pointer, elab_scalar(e, ELEM_I1)), 0);
  Value *mask = elab_value(e, call->locs[at], "a mask", obj, NULL);
  *good = *good && mask;
  if (!mask || type_is_elem(mask->type, ELEM_I1)) return mask;
  elab_error(e, call->locs[at],
             "[T0504] a mask's elements must be i1, not %s: a mask is a comparison, such as offsets < n",
             type_text(e, type_element(mask->type)));
  *good = false;
  return NULL;
}

static bool is_larger(Elab *e, Loc loc, const char *what, const Value *value, const Type *pointer) {
  if (!value || !type_is_tile(value->type) || type_is_tile(pointer)) return false;
  elab_error(e, loc,
             "[T0503] %s is %s, but the pointer is %s: pass a tile of pointers, as in pointer + offsets",
             what, type_text(e, value->type), type_text(e, pointer));
  return true;
}

// Broadcasts the pointer, the mask and the value to one shape.
static bool access_widen(Elab *e, const Call *call, MemoryArgs *access) {
  Value *values[3] = {access->pointer}, **places[3] = {&access->pointer};
  uint32_t n = 1;
  if (access->mask) values[n] = access->mask, places[n++] = &access->mask;
  if (access->value) values[n] = access->value, places[n++] = &access->value;
  if (!elab_broadcast(e, call->loc, arena_printf(e->arena, "'%s'", call->text), n, values)) return false;
  for (uint32_t i = 0; i < n; i++) *places[i] = values[i];
  return true;
}

static bool access_fit(Elab *e, Loc loc, const char *what, const Type *pointer, Value **value) {
  if (!*value) return true;
  *value = elab_broadcast_to(e, loc, what, *value, pointer->rank, pointer->shape);
  return *value != NULL;
}

bool builtin_access(Elab *e, const Call *call, MemoryArgs *access, const char *what, uint32_t value_at,
                    uint32_t mask_at) {
  const Type *pointer = access->pointer->type;
  bool good = true, has_value = value_at != NO_ARG;
  if (has_value) {
    const Obj *obj = &call->args[value_at];
    access->value = elab_value(e, call->locs[value_at], what, obj, type_element(pointer)->inner);
    if (access->value) access->value = elab_spread(e, obj, access->value, pointer);
    if (!access->value || is_larger(e, call->locs[value_at], what, access->value, pointer)) return false;
  }
  access->mask = mask_arg(e, call, mask_at, pointer, &good);
  if (!good || (access->mask && is_larger(e, call->locs[mask_at], "the mask", access->mask, pointer)))
    return false;
  if (access->widens) return access_widen(e, call, access);
  if (!type_is_tile(pointer)) return true;
  return (!has_value || access_fit(e, call->locs[value_at], what, pointer, &access->value)) &&
         (!access->mask || access_fit(e, call->locs[mask_at], "the mask", pointer, &access->mask));
}

// --- load, store ---

static const char *const evictions[] = {"evict_first", "evict_last", "evict_normal", NULL};

void builtin_set_hints(Op *op, const Hints *hints) {
  bool normal = hints->evict && strcmp(hints->evict, "evict_normal") == 0;
  op_set_str(op, ATTR_CACHE, hints->cache);
  op_set_str(op, ATTR_EVICT, normal ? NULL : hints->evict);
}

static bool is_empty(const Obj *obj) {
  return !obj_given(obj) || (obj->kind == OBJ_TUPLE && obj->items.n == 0) ||
         (obj_is(obj, CONST_STR) && !obj->constant.str[0]);
}

// Gives an error for options of block pointers.
static bool refuse_block_option(Elab *e, const Call *call, uint32_t at, const char *name) {
  if (is_empty(&call->args[at])) return false;
  if (call->args[at].kind != OBJ_ERROR)
    elab_error(e, call->locs[at], "[T0501] '%s' needs a block pointer (make_block_ptr), not %s; use a mask",
               name, obj_describe(e, &call->args[LOAD_POINTER]));
  return true;
}

// A bool in memory is a byte. If the value is not a bool, the access uses i8, and the value is converted: 1
// if it is not 0.
static void access_bytes(Elab *e, const Call *call, uint32_t value_at, MemoryArgs *access) {
  const Obj *obj = &call->args[value_at];
  bool number =
      obj_is_number(obj) || (obj->kind == OBJ_VALUE && type_element(obj->value->type)->kind == TYPE_SCALAR);
  if (!access->pointer || !type_is_elem(type_element(access->pointer->type)->inner, ELEM_I1) || !number)
    return;
  if (obj_elem(obj) == ELEM_I1) return;
  double known = obj_is_number(obj) ? const_number(&obj->constant) : -1;
  if (known == 0 || known == 1) return; // the same either way
  access->pointer = elab_bitcast(e, call->loc, access->pointer, type_ptr(e->ir, elab_scalar(e, ELEM_I8)));
}

// Converts a loaded value back to the pointee's type if that is a pointer or a bool.
static Obj loaded_value(Elab *e, const Call *call, Value *value) {
  const Type *pointee = type_element(call->args[LOAD_POINTER].value->type)->inner;
  if (type_is_elem(pointee, ELEM_I1)) return obj_value(build_cast(&e->b, value, pointee));
  return obj_value(pointee->kind == TYPE_PTR ? elab_bitcast(e, call->loc, value, pointee) : value);
}

Obj builtin_load(Elab *e, Call *call) {
  static const char *const caches[] = {".ca", ".cg", ".cs", ".cv", NULL};
  bool good = true;
  Hints hints = {builtin_choice(e, call, LOAD_CACHE_MODIFIER, "cache_modifier", caches, &good),
                 builtin_choice(e, call, LOAD_EVICTION_POLICY, "eviction_policy", evictions, &good)};
  bool is_volatile = builtin_flag(e, call, LOAD_VOLATILE, "volatile", false, &good);
  if (!good) return obj_error();
  if (builtin_is_block(&call->args[LOAD_POINTER])) return builtin_block_load(e, call, &hints);
  if (refuse_block_option(e, call, LOAD_BOUNDARY_CHECK, "boundary_check") ||
      refuse_block_option(e, call, LOAD_PADDING_OPTION, "padding_option"))
    return obj_error();
  MemoryArgs access = {.pointer = builtin_pointer(e, call, LOAD_POINTER), .widens = true};
  if (!access.pointer) return obj_error();
  bool masked = obj_given(&call->args[LOAD_MASK]), other = obj_given(&call->args[LOAD_OTHER]);
  if (other && !masked) return elab_error(e, call->locs[LOAD_OTHER], "[T0204] 'other' needs a mask");
  if (other) access_bytes(e, call, LOAD_OTHER, &access);
  if (!builtin_access(e, call, &access, "'other'", other ? LOAD_OTHER : NO_ARG, LOAD_MASK))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  Value *value = build_load(&e->b, access.pointer, access.mask, access.mask ? access.value : NULL);
  builtin_set_hints(value->def, &hints);
  op_set_flag(value->def, ATTR_VOLATILE, is_volatile);
  return loaded_value(e, call, value);
}

Obj builtin_store(Elab *e, Call *call) {
  static const char *const caches[] = {".wb", ".cg", ".cs", ".wt", NULL};
  bool good = true;
  Hints hints = {builtin_choice(e, call, STORE_CACHE_MODIFIER, "cache_modifier", caches, &good),
                 builtin_choice(e, call, STORE_EVICTION_POLICY, "eviction_policy", evictions, &good)};
  if (!good) return obj_error();
  if (builtin_is_block(&call->args[STORE_POINTER])) return builtin_block_store(e, call, &hints);
  if (refuse_block_option(e, call, STORE_BOUNDARY_CHECK, "boundary_check")) return obj_error();
  MemoryArgs access = {.pointer = builtin_written_pointer(e, call, STORE_POINTER)};
  access_bytes(e, call, STORE_VALUE, &access);
  if (!access.pointer || !builtin_access(e, call, &access, "the value", STORE_VALUE, STORE_MASK))
    return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  builtin_set_hints(build_store(&e->b, access.pointer, access.value, access.mask), &hints);
  return obj_none();
}
