// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics of golden files, a line each: NAME:LINE:FIRST-LAST, severity, code, message and fix-its. The source stands
// beside the golden file, so no excerpt of it is printed: test_diag, test_lexer and golden/mistakes have excerpts.
#ifndef TESTS_UNIT_GOLDEN_DIAGS_H
#define TESTS_UNIT_GOLDEN_DIAGS_H

#include "base/diag.h"
#include "base/plain.h"

static inline void golden_place(const Diags *diags, Loc loc, Buf *out) {
  if (!loc.line)
    buf_text(out, "tilec");
  else
    buf_printf(out, "%s:%u:%u", sources_name(diags->sources, loc.file), loc.line, loc.col);
  if (loc.len > 1) buf_printf(out, "-%u", loc.col + loc.len - 1u);
}

static inline void golden_diag(const Diags *diags, const Diag *diag, Buf *out) {
  static const char *const severities[] = {"error", "warning", "remark", "note"};
  golden_place(diags, diag->loc, out);
  buf_printf(out, ": %s", severities[diag->severity]);
  if (diag->code) buf_printf(out, "[%s]", diag->code);
  buf_text(out, ": ");
  buf_plain_lines(out, str_from(diag->message), 4096);
  if (diag->pass) buf_printf(out, " [%s]", diag->pass);
  for (uint32_t i = 0; i < diag->fixits.n; i++) {
    buf_text(out, "; fix ");
    golden_place(diags, diag->fixits.at[i].at, out);
    buf_printf(out, ": %s", diag->fixits.at[i].text);
  }
  buf_char(out, '\n');
  for (uint32_t i = 0; i < diag->notes.n; i++) golden_diag(diags, diag->notes.at[i], out);
}

static inline void golden_diags(const Diags *diags, Buf *out) {
  uint32_t listed = 0;
  for (uint32_t i = 0; i < diags->list.n; i++) {
    golden_diag(diags, diags->list.at[i], out);
    listed += diags->list.at[i]->severity == DIAG_ERROR;
  }
  if (diags->errors > listed) buf_printf(out, "%u errors more\n", diags->errors - listed);
}

#endif
