// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that a test of the evaluator builds op by op, with its memory and what it said.
#ifndef TESTS_UNIT_EVAL_FIXTURE_H
#define TESTS_UNIT_EVAL_FIXTURE_H


#include "tests/unit/unit.h"
#include "ir/build.h"
#include "eval/eval.h"
#include "ir/number.h"

enum { IN = 0x10000, IN2 = 0x20000, OUT = 0x30000 };

// A kernel with up to four parameters, its memory and what it said.
typedef struct Fixture {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
  Func *func;
  Builder b;
  EvalMemory *memory;
  uint32_t line;
} Fixture;

static inline void fixture_open(Fixture *f, uint32_t params, const Type *(*type)(IrContext *, uint32_t)) {
  *f = (Fixture){0};
  f->sources.arena = f->diags.arena = &f->arena;
  f->diags.sources = &f->sources;
  ir_context_init(&f->ir, &f->arena, &f->sources, &f->diags);
  FuncParam list[4] = {0};
  for (uint32_t i = 0; i < params; i++)
    list[i] = (FuncParam){.name = ir_name(&f->ir, STR("p")), .type = type(&f->ir, i)};
  Target target = {0};
  f->func = func_new(module_new(&f->ir, &target), "kernel", LOC_NONE, list, params);
  f->b = builder_at_end(f->func, f->func->body);
  f->b.loc = (Loc){.line = 1, .col = 1};
  f->memory = eval_memory_new(&f->arena);
}

static inline void fixture_close(Fixture *f) { arena_free(&f->arena); }

static inline const Type *floats(IrContext *ir, uint32_t i) {
  (void)i;
  return type_ptr(ir, type_scalar(ir, ELEM_FP32));
}

static inline const Type *scalar_type(Fixture *f, Elem elem) { return type_scalar(&f->ir, elem); }

static inline const Type *tile_type(Fixture *f, const Type *element, uint32_t n) {
  return type_tile(&f->ir, element, 1, &n, NULL);
}

static inline Value *arg(Fixture *f, uint32_t i) { return f->func->body->args[i]; }

// base + 0 .. n - 1.
static inline Value *pointers(Fixture *f, Value *base, uint32_t n) {
  Value *splat = build_splat(&f->b, base, tile_type(f, base->type, n));
  return build(&f->b, OP_ADDPTR, splat->type, splat, build_arange(&f->b, 0, n), NULL);
}

// A pointer constant: any address as any type.
static inline Value *address(Fixture *f, Elem elem, uint64_t at) {
  Value *bits = build_int(&f->b, scalar_type(f, ELEM_I64), (int64_t)at);
  return build(&f->b, OP_BITCAST, type_ptr(&f->ir, scalar_type(f, elem)), bits, NULL, NULL);
}

static inline bool launch(Fixture *f, const uint64_t *args) {
  EvalArg list[4] = {{0}};
  for (uint32_t i = 0; i < f->func->param_count; i++) list[i].bits = args[i];
  build_op(&f->b, OP_RETURN, 0, NULL, 0, NULL);
  EvalOptions options = {.max_steps = 100000};
  return eval_launch(f->func, (const uint32_t[3]){1, 1, 1}, list, f->memory, &options);
}

// The element stored at OUT + index.
static inline uint64_t out_bits(Fixture *f, Elem elem, uint32_t index) {
  return number_load(elem, eval_memory_bytes(f->memory, OUT) + index * elem_bytes(elem));
}

static inline const char *said(Fixture *f) { return f->diags.list.n ? f->diags.list.at[0]->message : ""; }

static inline void assert_said(Fixture *f, const char *text) {
  if (!strstr(said(f), text)) fail_msg("\"%s\" does not say \"%s\"", said(f), text);
}

static inline const char *noted(Fixture *f) {
  return f->diags.list.n && f->diags.list.at[0]->notes.n ? f->diags.list.at[0]->notes.at[0]->message : "";
}

#endif
