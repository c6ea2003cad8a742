// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A golden file of passes that differs from another in a few lines, NAME.diff, has these alone.
// ```
//   // like: loops/windows.tir    the other file, from the folder passes on
//   @@                            a change: the next place with its lines ' ' and '-' gets its lines ' ' and '+'
//    a line of both
//   -a line of the other file alone
//   +a line of this one alone
// ```
// Marks are of the lines. So the changes give this file's input too, of the other's input, whatever the marks are now.
// Values without a name have their place among all values as a number. Where changes add or remove values, lines "//+" of
// the other file get the numbers of this one, unless it has regions of the host.
#ifndef TESTS_UNIT_PASS_VARIANT_H
#define TESTS_UNIT_PASS_VARIANT_H

#include <ctype.h>

#include "tests/unit/golden.h"
#include "tests/unit/pass_file.h"

#define PASS_LIKE "// like: "

static inline bool pass_is_variant(Str text) { return text.at && str_starts(text, PASS_LIKE); }

// The whole file that a variant is like.
static inline Str pass_variant_base(Arena *arena, Str text) {
  size_t start = strlen(PASS_LIKE), end = start;
  while (end < text.n && text.at[end] != '\n') end++;
  const char *name = arena_copy(arena, (Str){text.at + start, end - start});
  return golden_read(arena, arena_printf(arena, "%s/golden/passes/%s", TESTS_DIR, name));
}

// --- Numbers

typedef VEC(uint32_t) PassNumbers; // by the other file's numbers; UINT32_MAX: that number as it is

typedef struct PassName {
  size_t at, end; // behind the '%'
  uint32_t n;     // UINT32_MAX: no number
  bool defines;   // It is before " = ", or an argument, which a ':' follows.
} PassName;

// The next value's name in the line from `at` on.
static inline bool pass_next_name(Str line, size_t at, PassName *name) {
  size_t skipped = str_starts(line, "//+") ? 3 : 0, equal = pass_text_at(line, " = ");
  bool gives = str_starts(str_trimmed((Str){line.at + skipped, line.n - skipped}), "%");
  while (at < line.n && line.at[at] != '%') at++;
  if (at == line.n) return false;
  *name = (PassName){.at = at + 1, .end = at + 1};
  for (; name->end < line.n; name->end++) {
    unsigned char c = (unsigned char)line.at[name->end];
    if (!isalnum(c) && c != '_') break;
    name->n = isdigit(c) && name->n != UINT32_MAX ? name->n * 10 + (c - '0') : UINT32_MAX;
  }
  name->defines = (gives && at < equal) || (name->end < line.n && line.at[name->end] == ':');
  return true;
}

// How many values the line defines, if it is of the result.
static inline uint32_t pass_definitions(Str line) {
  PassName name = {0};
  uint32_t count = 0;
  if ((pass_line_is_comment(line) && !str_starts(line, "//+")) || str_ends(line, " //-")) return 0;
  while (pass_next_name(line, name.end, &name)) count += name.defines;
  return count;
}

static inline void pass_map_number(Arena *arena, PassNumbers *map, uint32_t from, uint32_t to) {
  while (map->n <= from) vec_push(arena, map, UINT32_MAX);
  map->at[from] = to;
}

// A line "//+" of the other file with this file's numbers, or without numbers if `map` is NULL. Those that it defines are
// `shift` further.
static inline Str pass_renumbered(Arena *arena, Str line, PassNumbers *map, const uint32_t *shift) {
  Buf out = {0};
  PassName name = {0};
  size_t done = 0;
  if (!str_starts(line, "//+")) return line;
  while (pass_next_name(line, name.end, &name)) {
    if (shift && name.defines && name.n != UINT32_MAX) pass_map_number(arena, map, name.n, name.n + *shift);
    if (name.n == UINT32_MAX || (map && (name.n >= map->n || map->at[name.n] == UINT32_MAX))) continue;
    buf_str(&out, (Str){line.at + done, name.at - done});
    if (map) buf_printf(&out, "%u", map->at[name.n]);
    done = name.end;
  }
  buf_str(&out, (Str){line.at + done, line.n - done});
  Str made = {arena_copy(arena, buf_view(&out)), out.n};
  buf_free(&out);
  return made;
}

// True if the file has regions of the host, whose numbers follow those of the kernel's body behind them.
static inline bool pass_has_host(const PassLines *lines) {
  bool has = false;
  for (uint32_t i = 0; i < lines->n; i++)
    has |= str_starts(lines->at[i], "//+} ") || str_starts(lines->at[i], "} ");
  return has;
}

// --- Reading

// A line as the input has it, if only the input is asked for. Its .at is NULL if the input does not have it.
static inline Str pass_line_of(Str line, bool input) { return input ? pass_input_line(line) : line; }

static inline PassLines pass_lines_of(Arena *arena, const PassLines *lines, bool input) {
  PassLines some = {0};
  for (uint32_t i = 0; i < lines->n; i++) {
    Str line = pass_line_of(lines->at[i], input);
    if (line.at) vec_push(arena, &some, line);
  }
  return some;
}

// The first place from `at` on that has the lines `old`; UINT32_MAX: none.
static inline uint32_t pass_find_lines(const PassLines *lines, uint32_t at, const PassLines *old) {
  for (; at + old->n <= lines->n; at++) {
    uint32_t same = 0;
    while (same < old->n && str_eq(lines->at[at + same], old->at[same])) same++;
    if (same == old->n) return at;
  }
  return UINT32_MAX;
}

typedef struct PassChange {
  PassLines before; // the lines ' ' and '-'
  PassLines all;    // with their marks
} PassChange;

// Reads the change from line *at on, and leaves *at at the next one.
static inline PassChange pass_change_read(Arena *arena, const PassLines *lines, uint32_t *at, bool input) {
  PassChange change = {0};
  for (; *at < lines->n && !str_starts(lines->at[*at], "@@"); ++*at) {
    Str marked = lines->at[*at], line = pass_line_of((Str){marked.at + 1, marked.n - 1}, input);
    if (line.at && marked.at[0] != '+') vec_push(arena, &change.before, line);
    if (line.at) vec_push(arena, &change.all, ((Str){marked.at, line.n + 1}));
  }
  return change;
}

// Appends the whole file of a variant, or its input only. Returns false if the other file does not have a line.
static inline bool pass_variant_apply(Arena *arena, Str base, Str variant, bool input, Buf *out) {
  PassLines all = pass_lines(arena, base), lines = pass_lines_of(arena, &all, input),
            changes = pass_lines(arena, variant);
  PassNumbers map = {0};
  uint32_t done = 0, shift = 0;
  bool keeps = pass_has_host(&all);
  for (uint32_t at = 2; at < changes.n; at++) {
    PassChange change = pass_change_read(arena, &changes, &at, input);
    if (change.all.n == 0) continue;
    uint32_t place = pass_find_lines(&lines, done, &change.before);
    if (place == UINT32_MAX) return false;
    for (; done < place; done++)
      pass_put_line(out, "", pass_renumbered(arena, lines.at[done], &map, &shift), "");
    for (uint32_t i = 0; i < change.all.n; i++) {
      Str line = {change.all.at[i].at + 1, change.all.at[i].n - 1};
      char mark = line.at[-1];
      if (mark == ' ') line = pass_renumbered(arena, line, &map, &shift);
      if (mark != '-') pass_put_line(out, "", line, "");
      if (!keeps) shift += mark == '+' ? pass_definitions(line) : mark == '-' ? -pass_definitions(line) : 0;
    }
    done += change.before.n;
  }
  for (; done < lines.n; done++)
    pass_put_line(out, "", pass_renumbered(arena, lines.at[done], &map, &shift), "");
  return true;
}

// The whole text of a golden file, a variant or not; .at is NULL if there is none.
static inline Str pass_golden_read(Arena *arena, const char *path) {
  Str text = golden_read(arena, path);
  if (!pass_is_variant(text)) return text;
  Str base = pass_variant_base(arena, text), whole = {0};
  Buf out = {0};
  if (base.at && pass_variant_apply(arena, base, text, false, &out))
    whole = (Str){arena_copy(arena, buf_view(&out)), out.n};
  buf_free(&out);
  return whole;
}

// --- Writing

// A place where two texts differ: the lines of each.
typedef struct PassHunk {
  uint32_t from, from_end, to, to_end;
} PassHunk;

typedef VEC(PassHunk) PassHunks;

typedef struct PassTexts {
  Arena *arena;
  PassLines from, to;
} PassTexts;

static inline PassHunks pass_differences(const PassTexts *x) {
  PassTable t = pass_table(x->arena, &x->from, &x->to);
  PassHunks hunks = {0};
  for (uint32_t i = 0, k = 0; i < x->from.n || k < x->to.n;) {
    PassHunk hunk = {i, i, k, k};
    bool both = i < x->from.n && k < x->to.n;
    uint16_t alike = both ? pass_alike(x->from.at[i], x->to.at[k]) : 0;
    bool common = both && pass_is_common(&t, i, k, alike);
    bool left = both ? *pass_common(&t, i + 1, k) >= *pass_common(&t, i, k + 1) : i < x->from.n;
    i += common || left;
    k += common || !left;
    if (common && alike == PASS_SAME) continue;
    if (hunks.n == 0 || hunk.from > vec_last(&hunks).from_end || hunk.to > vec_last(&hunks).to_end)
      vec_push(x->arena, &hunks, hunk);
    vec_last(&hunks).from_end = i, vec_last(&hunks).to_end = k;
  }
  return hunks;
}

// What lines outside the differences define, by its numbers in the one text, has these in the other.
static inline PassNumbers pass_map_common(const PassTexts *x, const PassHunks *hunks) {
  PassNumbers map = {0};
  for (uint32_t i = 0, k = 0, h = 0; i < x->from.n; i++, k++) {
    for (; h < hunks->n && hunks->at[h].from == i; h++) i = hunks->at[h].from_end, k = hunks->at[h].to_end;
    PassName a = {0}, b = {0};
    if (i == x->from.n || !str_starts(x->from.at[i], "//+")) continue;
    while (pass_next_name(x->from.at[i], a.end, &a) && pass_next_name(x->to.at[k], b.end, &b))
      if (a.defines && a.n != UINT32_MAX && b.n != UINT32_MAX) pass_map_number(x->arena, &map, a.n, b.n);
  }
  return map;
}

static inline PassLines pass_lines_renumbered(Arena *arena, const PassLines *lines, PassNumbers *map) {
  PassLines made = {0};
  for (uint32_t i = 0; i < lines->n; i++)
    vec_push(arena, &made, pass_renumbered(arena, lines->at[i], map, NULL));
  return made;
}

// First of the lines without numbers, then with those that follow from the differences.
static inline PassHunks pass_differences_renumbered(const PassTexts *x) {
  PassTexts y = {x->arena, pass_lines_renumbered(x->arena, &x->from, NULL),
                 pass_lines_renumbered(x->arena, &x->to, NULL)};
  PassHunks hunks = pass_differences(&y);
  y.to = x->to;
  for (int round = 0; round < 4; round++) {
    PassNumbers map = pass_map_common(x, &hunks);
    y.from = pass_lines_renumbered(x->arena, &x->from, &map);
    hunks = pass_differences(&y);
  }
  return hunks;
}

static inline void pass_put_lines(Buf *out, const char *mark, const PassLines *lines, uint32_t at,
                                  uint32_t end) {
  for (; at < end; at++) pass_put_line(out, mark, lines->at[at], "");
}

static inline PassLines pass_some_lines(const PassTexts *x, const PassLines *lines, uint32_t at, uint32_t end,
                                        bool input) {
  PassLines some = {lines->at + at, end - at, 0};
  return pass_lines_of(x->arena, &some, input);
}

// True if a change's lines come in the other file at its place first, from line `done` on.
static inline bool pass_is_found(const PassTexts *x, uint32_t done, PassHunk hunk, bool input) {
  PassLines between = pass_some_lines(x, &x->from, done, hunk.from, input);
  PassLines rest = pass_some_lines(x, &x->from, done, x->from.n, input);
  PassLines old = pass_some_lines(x, &x->from, hunk.from, hunk.from_end, input);
  PassLines new = pass_some_lines(x, &x->to, hunk.to, hunk.to_end, input);
  return old.n + new.n == 0 || pass_find_lines(&rest, 0, &old) == between.n;
}

static inline bool pass_has_input(const PassTexts *x, PassHunk hunk) {
  return pass_some_lines(x, &x->from, hunk.from, hunk.from_end, true).n +
             pass_some_lines(x, &x->to, hunk.to, hunk.to_end, true).n >
         0;
}

// Appends the variant of the whole file `text`. Differences with one line between them are one change: the line is as short
// as '@@'. Where a change's lines come earlier too, lines of both precede it.
static inline void pass_variant_write(const PassTexts *y, PassHunks hunks, Str like, Buf *out) {
  PassTexts x = *y;
  uint32_t done = 0, done_input = 0;
  pass_put_line(out, "", like, "");
  for (uint32_t i = 0; i < hunks.n;) {
    uint32_t end = i + 1;
    while (end < hunks.n && hunks.at[end].from <= hunks.at[end - 1].from_end + 1) end++;
    PassHunk whole = {hunks.at[i].from, hunks.at[end - 1].from_end, hunks.at[i].to, hunks.at[end - 1].to_end};
    while (whole.from > done &&
           !(pass_is_found(&x, done, whole, false) && pass_is_found(&x, done_input, whole, true)))
      whole.from--, whole.to--;
    buf_text(out, "@@\n");
    for (done = whole.from; i < end; done = hunks.at[i++].from_end) {
      pass_put_lines(out, " ", &x.from, done, hunks.at[i].from);
      pass_put_lines(out, "-", &x.from, hunks.at[i].from, hunks.at[i].from_end);
      pass_put_lines(out, "+", &x.to, hunks.at[i].to, hunks.at[i].to_end);
    }
    if (pass_has_input(&x, whole)) done_input = done;
  }
}

static inline void pass_variant_make(Arena *arena, Str like, Str base, Str text, Buf *out) {
  PassTexts x = {arena, pass_lines(arena, base), pass_lines(arena, text)};
  Buf again = {0};
  pass_variant_write(&x, pass_differences_renumbered(&x), like, out);
  bool right =
      pass_variant_apply(arena, base, buf_view(out), false, &again) && str_eq(buf_view(&again), text);
  if (!right) buf_reset(out), pass_variant_write(&x, pass_differences(&x), like, out);
  buf_free(&again);
}

#endif
