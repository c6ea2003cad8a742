// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module that tests of the IR build in.
#ifndef TESTS_UNIT_IR_FIXTURE_H
#define TESTS_UNIT_IR_FIXTURE_H


#include "tests/unit/unit.h"
#include "ir/build.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"

typedef struct IrFixture {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
  IrModule *module;
  const Type *i32;
} IrFixture;

static inline void ir_fixture_open(IrFixture *s) {
  *s = (IrFixture){0};
  s->sources.arena = s->diags.arena = &s->arena;
  s->diags.sources = &s->sources;
  ir_context_init(&s->ir, &s->arena, &s->sources, &s->diags);
  Target target = target_default();
  s->module = module_new(&s->ir, &target);
  s->i32 = type_scalar(&s->ir, ELEM_I32);
}

static inline void ir_fixture_close(IrFixture *s) { arena_free(&s->arena); }

static inline Func *new_func(IrFixture *s) {
  FuncParam params[] = {{.name = ir_name(&s->ir, STR("p")), .type = type_ptr(&s->ir, s->i32)},
                        {.name = ir_name(&s->ir, STR("n")), .type = s->i32}};
  return func_new(s->module, "k", LOC_NONE, params, 2);
}

static inline void expect_valid(IrFixture *s) {
  bool ok = module_verify(s->module, &s->diags);
  Buf out = {0};
  diags_print_text(&s->diags, false, &out);
  if (!ok) fail_msg("%s", out.at);
  buf_free(&out);
}

static inline void expect_broken(IrFixture *s, const char *error) {
  assert_false(module_verify(s->module, &s->diags));
  Buf out = {0};
  diags_print_text(&s->diags, false, &out);
  if (!strstr(out.at, error)) fail_msg("wanted: %s\ngot: %s", error, out.at);
  buf_free(&out);
}

#endif
