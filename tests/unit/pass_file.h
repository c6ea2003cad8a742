// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A golden file of passes: tile IR, and what the passes make of it, in one text. The marks are comments, so the file is
// also the input:
// ```
//   //: 33: hoist: a message      a remark or error of the passes, in their order
//     %a = add %b, %c : i32       a line that the result has too
//     %a = add %b, %c : i32 //-   a line that the result has not
//     %a = load %p : i32 //> {align = 4} : i32     the result's line has this after the operands
//   //+  %a = sub %b, %c : i32    a line that only the result has
// ```
// Other comments, and empty lines, are the input's alone. A refused file's result is nothing but errors.
#ifndef TESTS_UNIT_PASS_FILE_H
#define TESTS_UNIT_PASS_FILE_H

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

typedef VEC(Str) PassLines;

static inline PassLines pass_lines(Arena *arena, Str text) {
  PassLines lines = {0};
  for (size_t at = 0, end; at < text.n; at = end + 1) {
    for (end = at; end < text.n && text.at[end] != '\n';) end++;
    Str line = {text.at + at, end - at};
    vec_push(arena, &lines, line);
  }
  return lines;
}

// True if the file's result is an outline, and no module.
static inline bool pass_file_is_outline(Str text) { return strstr(text.at, "\n// outline\n") != NULL; }

static inline bool pass_line_is_comment(Str line) {
  Str trimmed = str_trimmed(line);
  return trimmed.n == 0 || str_starts(trimmed, "//");
}

// The first place of `text` in the line; SIZE_MAX: none.
static inline size_t pass_text_at(Str line, const char *text) {
  size_t n = strlen(text);
  for (size_t i = 0; i + n <= line.n; i++)
    if (memcmp(line.at + i, text, n) == 0) return i;
  return SIZE_MAX;
}

// An op's line up to its attributes or types. Others have no such part: .n is 0.
static inline Str pass_line_head(Str line) {
  size_t attributes = pass_text_at(line, " {"), types = pass_text_at(line, " : ");
  size_t end = attributes < types ? attributes : types;
  return str_starts(line, "  ") && end != SIZE_MAX ? (Str){line.at, end} : (Str){0};
}

// The line without its mark, if it is the input's; .at is NULL of the result's own lines.
static inline Str pass_input_line(Str line) {
  if (str_starts(line, "//+") || str_starts(line, "//:")) return (Str){0};
  if (str_ends(line, " //-")) line.n -= strlen(" //-");
  size_t mark = pass_text_at(line, " //> ");
  return mark == SIZE_MAX ? line : (Str){line.at, mark};
}

static inline void pass_put_line(Buf *out, const char *before, Str line, const char *after) {
  buf_printf(out, "%s", before);
  buf_str(out, line);
  buf_printf(out, "%s\n", after);
}

// Appends the input, without marks.
static inline void pass_file_input(Arena *arena, Str text, Buf *out) {
  PassLines lines = pass_lines(arena, text);
  for (uint32_t i = 0; i < lines.n; i++) {
    Str line = pass_input_line(lines.at[i]);
    if (line.at) pass_put_line(out, "", line, "");
  }
}

// Appends what the passes have to make of it: remarks as comments, then the module unless they refuse it.
static inline void pass_file_result(Arena *arena, Str text, bool refused, Buf *out) {
  PassLines lines = pass_lines(arena, text);
  for (uint32_t i = 0; i < lines.n; i++) {
    Str line = lines.at[i];
    bool remark = str_starts(line, "//:");
    size_t mark = pass_text_at(line, " //> ");
    if (remark || str_starts(line, "//+"))
      pass_put_line(out, remark ? "//" : "", (Str){line.at + 3, line.n - 3}, "");
    else if (refused || pass_line_is_comment(line) || str_ends(line, " //-"))
      continue;
    else if (mark == SIZE_MAX)
      pass_put_line(out, "", line, "");
    else {
      buf_str(out, pass_line_head(line));
      pass_put_line(out, " ", (Str){line.at + mark + 5, line.n - mark - 5}, "");
    }
  }
}

// How much two lines have in common: all, up to attributes and types, or nothing.
enum { PASS_SAME = 3, PASS_SAME_HEAD = 2 };

static inline uint16_t pass_alike(Str a, Str b) {
  if (str_eq(a, b)) return PASS_SAME;
  Str head = pass_line_head(a);
  return head.n && str_eq(head, pass_line_head(b)) ? PASS_SAME_HEAD : 0;
}

// The most that the lines from [i] of the input on have in common with those from [k] of the result on, in their order.
typedef struct PassTable {
  uint16_t *at;
  uint32_t width;
} PassTable;

static inline uint16_t *pass_common(const PassTable *t, uint32_t i, uint32_t k) {
  return t->at + (size_t)i * t->width + k;
}

static inline bool pass_is_common(const PassTable *t, uint32_t i, uint32_t k, uint16_t alike) {
  return alike && *pass_common(t, i, k) == *pass_common(t, i + 1, k + 1) + alike;
}

static inline PassTable pass_table(Arena *arena, const PassLines *from, const PassLines *to) {
  PassTable t = {.width = to->n + 1};
  size_t bytes = (size_t)(from->n + 1) * t.width * sizeof *t.at;
  t.at = arena_alloc(arena, bytes);
  memset(t.at, 0, bytes);
  for (uint32_t i = from->n; i-- > 0;)
    for (uint32_t k = to->n; k-- > 0;) {
      uint16_t without = *pass_common(&t, i + 1, k), other = *pass_common(&t, i, k + 1);
      uint16_t most = without > other ? without : other, alike = pass_alike(from->at[i], to->at[k]);
      uint16_t with = (uint16_t)(*pass_common(&t, i + 1, k + 1) + alike);
      *pass_common(&t, i, k) = alike && with > most ? with : most;
    }
  return t;
}

// Appends an input's line that is alike the result's.
static inline void pass_put_alike(Buf *out, Str from, Str to) {
  buf_str(out, from);
  if (!str_eq(from, to)) {
    buf_text(out, " //>");
    to = (Str){to.at + pass_line_head(to).n, to.n - pass_line_head(to).n};
    buf_str(out, to);
  }
  buf_char(out, '\n');
}

// Appends the file of an input and a result. The result's remarks precede the input's first line of code.
static inline void pass_file_join(Arena *arena, Str input, Str result, Buf *out) {
  PassLines from = pass_lines(arena, input), to = pass_lines(arena, result);
  uint32_t i = 0, k = 0;
  for (; i < from.n && pass_line_is_comment(from.at[i]); i++) pass_put_line(out, "", from.at[i], "");
  for (; k < to.n && str_starts(to.at[k], "//"); k++)
    pass_put_line(out, "//:", (Str){to.at[k].at + 2, to.at[k].n - 2}, "");
  bool refused = k == to.n; // nothing but errors
  PassTable t = pass_table(arena, &from, &to);
  while (i < from.n || k < to.n) {
    if (i < from.n && (pass_line_is_comment(from.at[i]) || refused)) {
      pass_put_line(out, "", from.at[i++], "");
    } else if (i < from.n && k < to.n && pass_is_common(&t, i, k, pass_alike(from.at[i], to.at[k]))) {
      pass_put_alike(out, from.at[i++], to.at[k++]);
    } else if (k == to.n || (i < from.n && *pass_common(&t, i + 1, k) >= *pass_common(&t, i, k + 1))) {
      pass_put_line(out, "", from.at[i++], " //-");
    } else {
      pass_put_line(out, "//+", to.at[k++], "");
    }
  }
}

#endif
