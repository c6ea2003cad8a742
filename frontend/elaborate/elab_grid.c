// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch grid: sizes from @grid or the command line, computed from the kernel's parameters.
#include "frontend/module/elab_module.h"

static const char *source_text(Elab *e, Loc loc) {
  Str line = sources_line(e->ir->sources, loc.file, loc.line);
  size_t start = loc.col ? loc.col - 1u : 0;
  if (start >= line.n) return "";
  size_t n = loc.len < line.n - start ? loc.len : line.n - start;
  return arena_copy(e->arena, (Str){line.at + start, n});
}

static Value *grid_size(Elab *e, const Expr *expr) {
  Obj obj = elab_expr(e, expr);
  if (obj.kind == OBJ_ERROR) return NULL;
  bool is_int = obj_is(&obj, CONST_INT) || (obj.kind == OBJ_VALUE && obj.value->type->kind == TYPE_SCALAR &&
                                            type_is_int(obj.value->type));
  if (is_int) return elab_value(e, expr->loc, "a grid's size", &obj, elab_scalar(e, ELEM_I64));
  elab_error(e, expr->loc, "[T1001] a grid's size must be an integer, not %s", obj_describe(e, &obj));
  return NULL;
}

// The sizes of @grid(a, b). Returns false with an error unless there are one to three.
static bool decorator_sizes(Elab *e, const Expr *decorator, ExprList *sizes) {
  uint32_t n = decorator->kind == EXPR_CALL ? decorator->call.args.n : 0;
  if (n < 1 || n > 3) return elab_fail(e, decorator->loc, "[T1001] @grid takes one to three sizes");
  for (uint32_t i = 0; i < n; i++) {
    const Arg *arg = &decorator->call.args.at[i];
    if (arg->name || arg->stars)
      return elab_fail(e, arg->loc, "[T1001] @grid takes positional arguments only");
    vec_push(e->arena, sizes, arg->value);
  }
  return true;
}

// The sizes in a text of the command line: a, b or (a, b).
static bool given_sizes(Elab *e, Expr *grid, ExprList *sizes) {
  if (grid->kind == EXPR_TUPLE)
    *sizes = grid->list;
  else
    vec_push(e->arena, sizes, grid);
  if (sizes->n >= 1 && sizes->n <= 3) return true;
  return elab_fail(e, grid->loc, "[T1001] a grid has one to three sizes, not %u", sizes->n);
}

// Removes ops for parameters that the grid does not read.
static void drop_unread(Op *last) {
  for (Op *op = last, *previous; op; op = previous) {
    previous = op->prev;
    bool read = false;
    for (uint32_t i = 0; i < op->result_count; i++) read |= op->results[i].first_use != NULL;
    if (!read) op_erase(op);
  }
}

bool elab_grid_sizes(Elab *e, const Function *function, ExprList *sizes, Loc *loc) {
  const Expr *decorator = elab_decorator(function, "grid");
  Expr *given = e->spec->grid;
  if (!given && !decorator) return false;
  *loc = given ? given->loc : decorator->loc;
  return given ? given_sizes(e, given, sizes) : decorator_sizes(e, decorator, sizes);
}

void elab_grid_yield(Elab *e, HostRegion *grid, const ExprList *sizes, Loc loc) {
  Op *bound = grid->region->last; // the last op for a parameter
  Value *values[HOST_VALUES];
  bool good = true;
  for (uint32_t i = 0; i < sizes->n; i++) {
    const Expr *size = sizes->at[i];
    grid->text[i] = source_text(e, size->loc);
    values[i] = grid_size(e, size);
    good = good && values[i];
  }
  e->b.loc = loc;
  if (good) build_op(&e->b, OP_YIELD, sizes->n, values, 0, NULL);
  drop_unread(bound);
}
