// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing, assertions, barriers, and special registers.
#include "frontend/builtins/builtins.h"
#include "frontend/elaborate/elab_refuse.h"

// device_print and Python's print. A leading constexpr, also an f-string, is the prefix.
static Obj refuse_prefix(Elab *e, const Call *call, const Obj *prefix) {
  const char *text = elab_source(e, call->locs[PRINT_PREFIX]);
  if (prefix->kind == OBJ_ERROR) return *prefix;
  if (!text || strchr(text, '"')) text = "x";
  return elab_error(e, call->locs[PRINT_PREFIX],
                    "[T0204] the first argument of '%s' must be a string, not %s; write %s(\"%s\", %s)",
                    call->text, obj_describe(e, prefix), call->text, text, text);
}

Obj builtin_device_print(Elab *e, Call *call) {
  bool good = true, hex = builtin_flag(e, call, PRINT_HEX, "hex", false, &good);
  Obj prefix = call->args[PRINT_PREFIX];
  uint32_t first = 0, n = call->rest_count;
  Value **values = ARENA_ARRAY(e->arena, Value *, n + 1);
  if (prefix.kind == OBJ_VALUE || prefix.kind == OBJ_ERROR) return refuse_prefix(e, call, &prefix);
  Buf text = {0};
  buf_text(&text, obj_text(e, &prefix));
  // Constants directly after the prefix belong to the text.
  for (; first < n && call->rest[first].kind == OBJ_CONST; first++)
    buf_printf(&text, " %s", obj_text(e, &call->rest[first]));
  for (uint32_t i = first; i < n; i++) {
    values[i - first] = elab_value(e, call->loc, "the printed value", &call->rest[i], NULL);
    good = good && values[i - first];
  }
  const char *label = elab_text(e, &text);
  if (!good) return obj_error();
  e->b.loc = elab_loc(e, call->loc);
  Op *op = build_op(&e->b, OP_PRINT, n - first, values, 0, NULL);
  op_set_str(op, ATTR_PREFIX, label);
  op_set_flag(op, ATTR_HEX, hex);
  return obj_none();
}

// With a mask, checks only the selected elements.
Obj builtin_device_assert(Elab *e, Call *call) {
  Obj condition = call->args[ASSERT_COND];
  bool good = true;
  if (!obj_is_static(&call->args[ASSERT_MSG])) builtin_option(e, call, ASSERT_MSG, CONST_STR, "msg", &good);
  if (!good) return obj_error();
  if (obj_given(&call->args[ASSERT_MASK])) {
    Obj zero = obj_int(0), truth = elab_compare(e, call->locs[ASSERT_COND], COMPARE_NE, &condition, &zero);
    Obj skipped = elab_compare(e, call->locs[ASSERT_MASK], COMPARE_EQ, &call->args[ASSERT_MASK], &zero);
    condition = elab_binary(e, call->loc, BINARY_OR, &truth, &skipped);
  }
  if (condition.kind == OBJ_ERROR) return condition;
  elab_assert(e, call->loc, call->locs[ASSERT_COND], &condition, &call->args[ASSERT_MSG]);
  return obj_none();
}

// x itself. With assertions on, it must be 0 where the mask is true.
Obj builtin_expect_zero(Elab *e, Call *call) {
  Obj x = call->args[EXPECT_ZERO_X], zero = obj_int(0);
  Obj is_zero = elab_compare(e, call->locs[EXPECT_ZERO_X], COMPARE_EQ, &x, &zero);
  Obj skipped =
      elab_compare(e, call->locs[EXPECT_ZERO_MASK], COMPARE_EQ, &call->args[EXPECT_ZERO_MASK], &zero);
  if (is_zero.kind == OBJ_ERROR || skipped.kind == OBJ_ERROR) return obj_error();
  Obj condition = elab_binary(e, call->loc, BINARY_OR, &is_zero, &skipped);
  Obj message = obj_string(e, str_from("expect_zero expected x == 0 where mask is true"));
  if (condition.kind != OBJ_ERROR) elab_assert(e, call->loc, call->loc, &condition, &message);
  return x;
}

static Obj effect(Elab *e, OpKind kind) {
  build_op(&e->b, kind, 0, NULL, 0, NULL);
  return obj_none();
}

static Obj reading(Elab *e, OpKind kind, Elem elem) {
  const Type *type = elab_scalar(e, elem);
  return obj_value(op_result(build_op(&e->b, kind, 0, NULL, 1, &type)));
}

static bool in_kernel(Elab *e, const Call *call) {
  if (!e->frame->grid) return true;
  return elab_fail(e, call->loc, "[T0507] a grid is evaluated before the launch: it has no '%s'", call->text);
}

// detail: the op.
Value *builtin_clock(Elab *e) { return reading(e, OP_GLOBALTIMER, ELEM_I64).value; }

Obj builtin_machine(Elab *e, Call *call) {
  const char *name = call->builtin->detail;
  OpKind kind;
  if (!in_kernel(e, call) || !op_parse_kind(str_from(name), &kind)) return obj_error();
  if (kind == OP_GLOBALTIMER) return reading(e, kind, ELEM_I64);
  if (kind == OP_SMID) return reading(e, kind, ELEM_I32);
  return effect(e, kind);
}

// Marks for a profiler. Nothing is measured.
Obj builtin_profiler_mark(Elab *e, Call *call) {
  (void)e;
  (void)call;
  return obj_none();
}

// detail: "threads" counts threads, "warps" warps.
Obj builtin_warps(Elab *e, Call *call) {
  int64_t each = call->builtin->detail[0] == 't' ? 32 : 1;
  return obj_int(each * e->out->target.num_warps);
}
