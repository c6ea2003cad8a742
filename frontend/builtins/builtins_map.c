// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and PTX applied to elements: map_elementwise, inline_asm_elementwise.
#include "frontend/builtins/builtins.h"

enum { MAX_VALUES = 32 };

// Reads the values of a tuple, or one object, in one shape. Returns their number; 0 after an error.
static bool read_values(Elab *e, const Call *call, uint32_t n, const Obj *items, Value **values) {
  if (n > MAX_VALUES)
    return elab_fail(e, call->loc, "[T0204] '%s' takes at most %d values, not %u", call->text, MAX_VALUES, n);
  const char *what = arena_printf(e->arena, "an argument of '%s'", call->text);
  for (uint32_t i = 0; i < n; i++)
    if (!(values[i] = elab_value(e, call->loc, what, &items[i], NULL))) return false;
  bool good = elab_broadcast(e, call->loc, arena_printf(e->arena, "'%s'", call->text), n, values);
  e->b.loc = elab_loc(e, call->loc);
  return good;
}

static Obj as_tuple(const Obj *obj) {
  if (obj->kind == OBJ_TUPLE) return *obj;
  return (Obj){.kind = OBJ_TUPLE, .items = {(Obj *)(uintptr_t)obj, 1}};
}

static Obj results_of(Elab *e, Op *op, bool tuple) {
  if (!tuple) return obj_value(op_result(op));
  Obj results = obj_tuple(e, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) results.items.at[i] = obj_value(&op->results[i]);
  return results;
}

// --- map_elementwise ---

// Runs the function for one element of each value. Sets the yields and returns their number; 0 after an
// error.
static uint32_t run_mapped(Elab *e, const Call *call, Region *region, uint32_t n, Obj *result,
                           Value **yields) {
  Obj elements[MAX_VALUES];
  for (uint32_t i = 0; i < n; i++) elements[i] = obj_value(region->args[i]);
  *result = elab_apply(e, call->loc, &call->args[MAP_SCALAR_FN], n, elements);
  if (result->kind == OBJ_ERROR) return 0;
  Obj items = as_tuple(result);
  if (items.items.n == 0 || items.items.n > MAX_VALUES) {
    elab_error(e, call->loc, "[T0207] the function of '%s' returns %u values, not 1 to %d", call->text,
               items.items.n, MAX_VALUES);
    return 0;
  }
  for (uint32_t i = 0; i < items.items.n; i++) {
    yields[i] = elab_value(e, call->loc, "the function's result", &items.items.at[i], NULL);
    if (!yields[i]) return 0;
  }
  return builtin_check_region(e, region) ? items.items.n : 0;
}

// Makes the op with its results. Moves the provisional op's region into it.
static Op *finish_map(Elab *e, Op *provisional, uint32_t n, Value *const *values, uint32_t count,
                      Value *const *yields) {
  const Type *types[MAX_VALUES];
  for (uint32_t i = 0; i < count; i++) types[i] = yields[i]->type;
  Op *op = build_map(&e->b, n, values, count, types);
  Region *from = provisional->regions[0], *region = op->regions[0];
  for (uint32_t i = 0; i < n; i++) value_replace_uses(from->args[i], region->args[i]);
  while (from->first) op_move(from->first, region, NULL);
  op_erase(provisional);
  return op;
}

// --- map_elementwise, several elements to a call ---

// A tile's elements in row-major order as `pack` one-dimensional tiles. Tile j has the elements j, j + pack,
// ...
static void unpack(Elab *e, Value *x, uint32_t pack, Value **tiles) {
  if (pack == 1) {
    tiles[0] = x;
    return;
  }
  uint32_t shape[] = {(uint32_t)type_elements(x->type) / 2, 2}, half = pack / 2;
  Op *op = build_split(&e->b, build_reshape(&e->b, x, 2, shape));
  Value *halves[2][MAX_VALUES];
  for (uint32_t i = 0; i < 2; i++) unpack(e, &op->results[i], half, halves[i]);
  for (uint32_t j = 0; j < pack; j++) tiles[j] = halves[j % 2][j / 2];
}

// The reverse: makes a one-dimensional tile.
static Value *repack(Elab *e, uint32_t pack, Value *const *tiles) {
  if (pack == 1) return tiles[0];
  Value *halves[2][MAX_VALUES];
  for (uint32_t j = 0; j < pack; j++) halves[j % 2][j / 2] = tiles[j];
  Value *low = repack(e, pack / 2, halves[0]), *high = repack(e, pack / 2, halves[1]);
  uint32_t n = 2 * (uint32_t)type_elements(low->type);
  return build_reshape(&e->b, build_join(&e->b, low, high), 1, &n);
}

// The number of elements that a call takes; 0 after an error. It divides a tile's elements, with at least one
// element left for each tile.
static uint32_t pack_of(Elab *e, const Call *call, uint32_t n, const Type *type) {
  bool good = true;
  if (!builtin_option(e, call, MAP_PACK, CONST_INT, "pack", &good)) return good ? 1 : 0;
  int64_t pack = call->args[MAP_PACK].constant.i;
  bool power = pack > 0 && (pack & (pack - 1)) == 0;
  if (power && pack == 1) return 1;
  uint64_t elements = type_is_tile(type) ? type_elements(type) : 1;
  if (power && (uint64_t)pack < elements && pack * n <= MAX_VALUES) return (uint32_t)pack;
  elab_error(
      e, call->locs[MAP_PACK],
      "[T0207] 'pack' of '%s' must be a power of two below the number of elements, which is %llu, and pass "
      "its function at most %d values, not %lld",
      call->text, (unsigned long long)elements, MAX_VALUES, (long long)pack);
  return 0;
}

// Combines the op's results. Result k has its elements at k pack, k pack + 1, ...
static Obj packed_results(Elab *e, const Call *call, Op *op, uint32_t pack, const Type *like) {
  uint32_t count = op->result_count;
  Obj results = obj_tuple(e, count / pack);
  for (uint32_t k = 0; k < results.items.n; k++) {
    Value *tiles[MAX_VALUES];
    for (uint32_t j = 0; j < pack; j++) {
      tiles[j] = &op->results[k * pack + j];
      if (tiles[j]->type != tiles[0]->type)
        return elab_error(
            e, call->loc,
            "[T0207] values %u to %u of the function of '%s' belong to one result and must have one type",
            k * pack, k * pack + pack - 1, call->text);
    }
    results.items.at[k] = obj_value(build_reshape(&e->b, repack(e, pack, tiles), like->rank, like->shape));
  }
  return results;
}

static Obj map_tiles(Elab *e, Call *call, uint32_t n, Value *const *values, bool *tuple, Op **op) {
  Value *yields[MAX_VALUES];
  Builder outside = e->b;
  Op *provisional = build_map(&e->b, n, values, 0, NULL);
  Region *region = provisional->regions[0];
  outside.before = provisional->next;
  e->b = builder_at_end(e->func, region);
  Obj result;
  uint32_t count = run_mapped(e, call, region, n, &result, yields);
  e->b.loc = outside.loc;
  build_yield(&e->b, count, yields);
  e->b = outside;
  *tuple = result.kind == OBJ_TUPLE;
  if (!count) return obj_error();
  *op = finish_map(e, provisional, n, values, count, yields);
  return obj_none();
}

static Obj map_packed(Elab *e, Call *call, uint32_t n, Value *const *values, uint32_t pack) {
  Value *tiles[MAX_VALUES];
  bool tuple;
  Op *op;
  for (uint32_t i = 0; i < n; i++) unpack(e, values[i], pack, tiles + i * pack);
  Obj failed = map_tiles(e, call, n * pack, tiles, &tuple, &op);
  if (failed.kind == OBJ_ERROR) return failed;
  if (!tuple || op->result_count % pack)
    return elab_error(
        e, call->loc,
        "[T0207] the function of '%s' must return a tuple of %u values for each result, not %u values",
        call->text, pack, op->result_count);
  return packed_results(e, call, op, pack, values[0]->type);
}

Obj builtin_map(Elab *e, Call *call) {
  const Obj *function = &call->args[MAP_SCALAR_FN];
  Value *values[MAX_VALUES];
  uint32_t n = call->rest_count;
  if (function->kind != OBJ_FUNCTION && function->kind != OBJ_BUILTIN)
    return elab_error(e, call->locs[MAP_SCALAR_FN], "[T0207] '%s' maps a function, not %s", call->text,
                      obj_describe(e, function));
  if (n == 0) return elab_error(e, call->loc, "[T0207] '%s' needs values to map over", call->text);
  if (!read_values(e, call, n, call->rest, values)) return obj_error();
  uint32_t pack = pack_of(e, call, n, values[0]->type);
  if (!pack) return obj_error();
  if (pack > 1) return map_packed(e, call, n, values, pack);
  if (!type_is_tile(values[0]->type)) return elab_apply(e, call->loc, function, n, call->rest);
  bool tuple;
  Op *op;
  Obj failed = map_tiles(e, call, n, values, &tuple, &op);
  return failed.kind == OBJ_ERROR ? failed : results_of(e, op, tuple);
}

// --- inline_asm_elementwise ---

static bool string_arg(Elab *e, const Call *call, uint32_t at, const char *name, const char **text) {
  bool good = true;
  bool given = builtin_option(e, call, at, CONST_STR, name, &good);
  if (!given && good)
    elab_error(e, call->locs[at], "[T0207] '%s' of '%s' must be a string, not None", name, call->text);
  *text = given ? call->args[at].constant.str : "";
  return given;
}

// Reads the result types, a type or a tuple of types, in the shape of `like`.
static uint32_t asm_types(Elab *e, const Call *call, const Type *like, const Type **types) {
  Obj dtypes = as_tuple(&call->args[ASM_DTYPE]);
  uint32_t n = dtypes.items.n;
  if (n == 0 || n > MAX_VALUES) {
    elab_error(e, call->locs[ASM_DTYPE], "[T0207] '%s' can return 1 to %d values, not %u", call->text,
               MAX_VALUES, n);
    return 0;
  }
  for (uint32_t i = 0; i < n; i++) {
    const Obj *dtype = &dtypes.items.at[i];
    bool data = obj_is(dtype, CONST_DTYPE) &&
                (dtype->constant.type->kind == TYPE_SCALAR || type_is_ptr(dtype->constant.type));
    if (!data || type_is_tile(dtype->constant.type)) {
      elab_error(e, call->locs[ASM_DTYPE],
                 "[T0207] 'dtype' of '%s' must be a type such as fp32 or a tuple of types, not %s",
                 call->text, obj_describe(e, dtype));
      return 0;
    }
    types[i] = type_with_element(e->ir, like, dtype->constant.type);
  }
  return n;
}

// The number of registers for `pack` elements. Types narrower than 32 bits are packed.
static uint32_t registers(const Type *type, uint32_t pack) {
  uint32_t bytes = type_element_bytes(type);
  return bytes >= 4 ? pack : (bytes * pack + 3) / 4;
}

// Checks the constraints, separated by commas. Outputs begin with '=', clobbers with '~'.
static bool check_constraints(Elab *e, const Call *call, const char *text, uint32_t outputs,
                              uint32_t inputs) {
  uint32_t given[2] = {0, 0};
  for (const char *at = text; *at;) {
    while (*at == ' ') at++;
    size_t n = strcspn(at, ",");
    if (n && at[0] != '~') given[at[0] != '=']++;
    at += n + (at[n] == ',');
  }
  if (given[0] == outputs && given[1] == inputs) return true;
  return elab_fail(
      e, call->locs[ASM_CONSTRAINTS],
      "[T0207] the constraints name %u outputs and %u inputs, but the types and 'pack' ask for %u and %u",
      given[0], given[1], outputs, inputs);
}

static bool check_pack(Elab *e, const Call *call, const Type *type, int64_t *pack) {
  bool good = true;
  *pack = builtin_option(e, call, ASM_PACK, CONST_INT, "pack", &good) ? call->args[ASM_PACK].constant.i : 1;
  if (!good) return false;
  bool power = *pack >= 1 && *pack <= 64 && (*pack & (*pack - 1)) == 0;
  if (power && type_elements(type) % (uint64_t)*pack == 0) return true;
  return elab_fail(
      e, call->locs[ASM_PACK],
      "[T0207] 'pack' of '%s' must be a power of two up to 64 that divides the number of elements, "
      "which is %llu: not %lld",
      call->text, (unsigned long long)type_elements(type), (long long)*pack);
}

Obj builtin_inline_asm(Elab *e, Call *call) {
  const char *text, *constraints;
  bool good = string_arg(e, call, ASM_ASM, "asm", &text) &&
              string_arg(e, call, ASM_CONSTRAINTS, "constraints", &constraints);
  bool pure = good && builtin_flag(e, call, ASM_IS_PURE, "is_pure", false, &good);
  Value *values[MAX_VALUES];
  const Type *types[MAX_VALUES];
  if (!good || call->args[ASM_ARGS].kind == OBJ_ERROR) return obj_error();
  Obj args = as_tuple(&call->args[ASM_ARGS]);
  if (!read_values(e, call, args.items.n, args.items.at, values)) return obj_error();
  const Type *like = args.items.n ? values[0]->type : elab_scalar(e, ELEM_I32);
  int64_t pack;
  uint32_t n = asm_types(e, call, like, types), outputs = 0, inputs = 0;
  if (!n || !check_pack(e, call, like, &pack)) return obj_error();
  for (uint32_t i = 0; i < n; i++) outputs += registers(types[i], (uint32_t)pack);
  for (uint32_t i = 0; i < args.items.n; i++) inputs += registers(values[i]->type, (uint32_t)pack);
  if (!check_constraints(e, call, constraints, outputs, inputs)) return obj_error();
  Op *op = build_op(&e->b, OP_INLINE_ASM, args.items.n, values, n, types);
  op_set_str(op, ATTR_ASM, text);
  op_set_str(op, ATTR_CONSTRAINTS, constraints);
  op_set_int(op, ATTR_PACK, pack);
  op_set_flag(op, ATTR_PURE, pure);
  return results_of(e, op, call->args[ASM_DTYPE].kind == OBJ_TUPLE);
}
