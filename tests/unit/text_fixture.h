// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The needs of a module that is read from text.
#ifndef TESTS_UNIT_TEXT_FIXTURE_H
#define TESTS_UNIT_TEXT_FIXTURE_H

#include "ir/build.h"

typedef struct TextFixture {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
} TextFixture;

static inline void text_fixture_open(TextFixture *s) {
  *s = (TextFixture){0};
  s->sources.arena = s->diags.arena = &s->arena;
  s->diags.sources = &s->sources;
  ir_context_init(&s->ir, &s->arena, &s->sources, &s->diags);
}

static inline void text_fixture_close(TextFixture *s) { arena_free(&s->arena); }

#endif
