// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ptx_text.h"

#include <stdbool.h>
#include <string.h>

static const char absolute[] = "\tabs.s";

typedef struct Abs {
  const char *line, *end; // from its tab to behind its semicolon
  Str bits, result, x;    // "32", "%r2", "%r1"
} Abs;

// Up to the character, which is left out and stepped over; false where the line ends before.
static bool take(const char **at, char until, Str *word) {
  const char *begin = *at;
  while (**at && **at != '\n' && **at != until) ++*at;
  *word = (Str){begin, (size_t)(*at - begin)};
  if (**at != until) return false;
  ++*at;
  return true;
}

// The next one at or behind `at`: "\tabs.s32 \t%r2, %r1;".
static bool find(const char *at, Abs *abs) {
  while ((at = strstr(at, absolute))) {
    abs->line = at;
    at += sizeof absolute - 1;
    if (!take(&at, ' ', &abs->bits) || *at++ != '\t') continue;
    if (!take(&at, ',', &abs->result) || *at++ != ' ' || !take(&at, ';', &abs->x)) continue;
    abs->end = at;
    return true;
  }
  return false;
}

// The result may be x's own register, so that the negation has one of its own.
static void print_larger(Buf *out, const Abs *abs) {
  buf_printf(out, "\t{ .reg .b%.*s %%minus; neg.s%.*s %%minus, %.*s; ", STR_ARG(abs->bits),
             STR_ARG(abs->bits), STR_ARG(abs->x));
  buf_printf(out, "max.s%.*s %.*s, %.*s, %%minus; }", STR_ARG(abs->bits), STR_ARG(abs->result),
             STR_ARG(abs->x));
}

void ptx_avoid_abs(Buf *ptx, size_t first) {
  Abs abs;
  if (first >= ptx->n || !find(ptx->at + first, &abs)) return;
  Buf out = {0};
  const char *done = ptx->at;
  do {
    buf_bytes(&out, done, (size_t)(abs.line - done));
    print_larger(&out, &abs);
    done = abs.end;
  } while (find(done, &abs));
  buf_text(&out, done);
  buf_free(ptx);
  *ptx = out;
}

void ptx_make_functions_local(Buf *ptx, size_t first) {
  static const char line[] = "\n.visible .func";
  if (first >= ptx->n) return;
  char *to = strstr(ptx->at + first, line);
  if (!to) return;
  for (const char *from = to; *from;) {
    if (strncmp(from, line, sizeof line - 1) == 0) {
      *to++ = '\n';
      from += sizeof "\n.visible " - 1;
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
  ptx->n = (size_t)(to - ptx->at);
}
