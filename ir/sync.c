// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The synchronising instructions of ops, by the table.
#include "ir/sync.h"

#include "ir/dot.h"

typedef enum SyncWhen { ALWAYS, WGMMA } SyncWhen;

static const struct {
  OpKind kind;
  SyncWhen when;
  const char *words;
} rows[] = {
#define X(name, when, words) {OP_##name, when, words},
#include "ir/sync.def"
#undef X
};

static bool row_applies(const Op *op, SyncWhen when) { return when == ALWAYS || is_dot_of(op, DOT_WGMMA); }

const char *op_sync(const Op *op) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].kind == op->kind && row_applies(op, rows[i].when)) return rows[i].words;
  return "";
}
