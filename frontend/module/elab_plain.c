// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python functions of a file that the module level calls: `is_hip()`, factories of jit functions, texts of
// inline assembly. They are parsed when called, and run like constexpr functions. An unknown value is an
// error, and the condition or name that needed it is undecided. Kernels cannot call them.
#include "frontend/module/elab_module.h"

// --- Functions ---

// True for a decorator that does not change the function's result.
static bool is_harmless(const Expr *decorator) {
  static const char *const names[] = {"cache",   "lru_cache", "staticmethod",
                                      "disable", "no_grad",   "inference_mode"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (elab_is_decorator(decorator, names[i])) return true;
  return false;
}

static const Function *parsed(Elab *e, const Module *module, const Stmt *outside) {
  for (uint32_t i = 0; i < e->plains.n; i++)
    if (e->plains.at[i].origin == outside) return e->plains.at[i].function;
  Function *function = syntax_plain_function(e->arena, &e->ir->names, e->diags, module->file, outside);
  for (uint32_t i = 0; function && i < function->decorators.n; i++)
    if (!is_harmless(function->decorators.at[i])) function = NULL;
  if (function) {
    function->module = module;
    function->plain = true;
  }
  vec_push(e->arena, &e->plains, ((PlainFunction){outside, function}));
  return function;
}

bool elab_plain_function(Elab *e, const Module *module, const Stmt *outside, Obj *obj) {
  const Function *function = elab_on_host(e) && outside->outside.tokens ? parsed(e, module, outside) : NULL;
  if (function) *obj = (Obj){.kind = OBJ_FUNCTION, .function = function};
  return function != NULL;
}

const Function *elab_unplain(Elab *e, const Function *plain) {
  for (uint32_t i = 0; i < e->plains.n; i++)
    if (e->plains.at[i].origin == plain) return e->plains.at[i].function;
  Function *function = ARENA_NEW(e->arena, Function);
  *function = *plain;
  function->plain = false;
  vec_push(e->arena, &e->plains, ((PlainFunction){plain, function}));
  return function;
}

// "tilec" if the kernel is decorated with @tilec.jit, else "triton".
static const char *jit_module(const Elab *e) {
  const Expr *jit = e->kernel ? elab_decorator(e->kernel, "jit") : NULL;
  if (jit && jit->kind == EXPR_CALL) jit = jit->call.callee;
  const Expr *base = jit && jit->kind == EXPR_ATTRIBUTE ? jit->attribute.object : NULL;
  return base && base->kind == EXPR_NAME && strcmp(base->name, "tilec") == 0 ? "tilec" : "triton";
}

Obj elab_refuse_plain(Elab *e, Loc loc, const char *name, Loc defined) {
  Diag *diag = diag_error(e->diags, elab_loc(e, loc),
                          "[T0203] '%s' is a plain Python function; a kernel can call only "
                          "functions that are decorated with @%s.jit",
                          name, jit_module(e));
  diag_note(e->diags, diag, defined, "it is defined here");
  return obj_error();
}

// --- Classes ---

// The value that `A = 1` or `A: int = 1` in a class body assigns; NULL: another statement.
static const Expr *field_of(const Stmt *stmt, const char **name) {
  bool annotated = stmt->kind == STMT_ANNOTATED;
  if (!annotated && (stmt->kind != STMT_ASSIGN || stmt->assign.targets.n != 1)) return NULL;
  const Expr *target = annotated ? stmt->annotated.target : stmt->assign.targets.at[0];
  if (target->kind != EXPR_NAME) return NULL;
  *name = target->name;
  return annotated ? stmt->annotated.value : stmt->assign.value;
}

// Reads the fields with known values, as a named tuple. Later ones see earlier ones.
static uint32_t read_fields(Elab *e, const Block *body, Obj *values, const char **names) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < body->n; i++) {
    const Expr *value = field_of(body->at[i], &names[n]);
    Said before = elab_said(e);
    if (!value) continue;
    values[n] = elab_expr(e, value);
    if (elab_take_back(e, &before) || !obj_is_static(&values[n])) continue;
    elab_bind_quietly(e, names[n], value->loc, values[n]);
    n++;
  }
  return n;
}

// A member of an enumeration. It has a `value` and equals no number.
static Obj member_of(Elab *e, Obj value) {
  const char **name = ARENA_ARRAY(e->arena, const char *, 1);
  Obj member = obj_tuple(e, 1);
  name[0] = intern(&e->ir->names, STR("value"));
  member.items.at[0] = value;
  member.items.names = name;
  return member;
}

bool elab_plain_class(Elab *e, const Module *module, const Stmt *outside, Obj *obj) {
  if (!elab_on_host(e) || !outside->outside.tokens) return false;
  bool is_enum;
  Block body = syntax_class_body(e->arena, &e->ir->names, e->diags, module->file, outside, &is_enum);
  const char **names = ARENA_ARRAY(e->arena, const char *, body.n + 1);
  Obj fields = obj_tuple(e, body.n);
  Frame *frame = elab_push(e, NULL);
  frame->module = module;
  frame->visible = module->definitions.n;
  fields.items.n = read_fields(e, &body, fields.items.at, names);
  elab_pop(e);
  for (uint32_t i = 0; is_enum && i < fields.items.n; i++)
    fields.items.at[i] = member_of(e, fields.items.at[i]);
  fields.items.names = names;
  if (fields.items.n) *obj = fields;
  return fields.items.n > 0;
}

// --- Statements of Python functions only ---

void elab_local_import(Elab *e, const Import *import) {
  for (uint32_t i = 0; i < import->names.n; i++) {
    const ImportName *item = &import->names.at[i];
    Truth fails = elab_import_fails(e, import, item);
    if (fails != TRUTH_NO) {
      elab_error(e, item->loc, "[T0404] it is unknown whether this import works");
      e->raises = e->raises || fails == TRUTH_YES;
      return;
    }
    elab_bind(e, import_bound_name(&e->ir->names, item), item->loc,
              elab_imported(e, item->loc, import, item));
  }
}

// If the body is known to raise an exception, drops its errors and runs the only handler.
Flow elab_attempt(Elab *e, const Stmt *stmt, const Cont *rest) {
  Said before = elab_said(e);
  bool outer = e->raises;
  Obj result = e->frame->result, returned = e->frame->returned;
  e->raises = false;
  Flow flow = elab_block(e, &stmt->attempt.body, rest);
  bool failed = e->diags->raised > before.raised, raises = e->raises;
  e->raises = outer;
  if (failed && raises && stmt->attempt.handlers.n == 1) {
    elab_take_back(e, &before);
    e->frame->result = result;
    e->frame->returned = returned;
    flow = elab_block(e, &stmt->attempt.handlers.at[0], rest);
  } else if (!failed && flow == FLOW_NEXT)
    flow = elab_block(e, &stmt->attempt.orelse, rest);
  e->raises = e->raises || (failed && raises && stmt->attempt.handlers.n == 0);
  if (flow == FLOW_RETURN) return flow;
  Flow last = elab_block(e, &stmt->attempt.finally, rest);
  return last == FLOW_NEXT ? flow : last;
}

Flow elab_host_while(Elab *e, const Stmt *stmt, const Cont *rest) {
  for (uint32_t i = 0; i < ELAB_MAX_UNROLL && !e->stopped; i++) {
    Obj condition = elab_expr(e, stmt->loop.condition);
    bool truth;
    if (condition.kind == OBJ_ERROR) return FLOW_NEXT;
    if (!const_truth(e, &condition, &truth)) {
      elab_error(e, stmt->loop.condition->loc, "[T0401] the condition must be a constexpr, not %s",
                 obj_describe(e, &condition));
      return FLOW_NEXT;
    }
    if (!truth) return FLOW_NEXT;
    Flow flow = elab_block(e, &stmt->loop.body, rest);
    if (flow != FLOW_NEXT && flow != FLOW_CONTINUE) return flow;
  }
  elab_error(e, stmt->loc, "[T0506] the loop has more than %d iterations", ELAB_MAX_UNROLL);
  return FLOW_NEXT;
}
