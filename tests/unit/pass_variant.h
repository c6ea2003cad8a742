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
#ifndef TESTS_UNIT_PASS_VARIANT_H
#define TESTS_UNIT_PASS_VARIANT_H

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
  PassLines before, after; // the lines ' ' and '-', and ' ' and '+'
} PassChange;

// Reads the change from line *at on, and leaves *at at the next one.
static inline PassChange pass_change_read(Arena *arena, const PassLines *lines, uint32_t *at, bool input) {
  PassChange change = {0};
  for (; *at < lines->n && !str_starts(lines->at[*at], "@@"); ++*at) {
    Str marked = lines->at[*at], line = pass_line_of((Str){marked.at + 1, marked.n - 1}, input);
    if (line.at && marked.at[0] != '+') vec_push(arena, &change.before, line);
    if (line.at && marked.at[0] != '-') vec_push(arena, &change.after, line);
  }
  return change;
}

// Appends the whole file of a variant, or its input only. Returns false if the other file does not have a line.
static inline bool pass_variant_apply(Arena *arena, Str base, Str variant, bool input, Buf *out) {
  PassLines all = pass_lines(arena, base), lines = pass_lines_of(arena, &all, input),
            changes = pass_lines(arena, variant);
  uint32_t done = 0;
  for (uint32_t at = 2; at < changes.n; at++) {
    PassChange change = pass_change_read(arena, &changes, &at, input);
    if (change.before.n + change.after.n == 0) continue;
    uint32_t place = pass_find_lines(&lines, done, &change.before);
    if (place == UINT32_MAX) return false;
    for (; done < place; done++) pass_put_line(out, "", lines.at[done], "");
    for (uint32_t i = 0; i < change.after.n; i++) pass_put_line(out, "", change.after.at[i], "");
    done += change.before.n;
  }
  for (; done < lines.n; done++) pass_put_line(out, "", lines.at[done], "");
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
static inline void pass_variant_make(Arena *arena, Str like, Str base, Str text, Buf *out) {
  PassTexts x = {arena, pass_lines(arena, base), pass_lines(arena, text)};
  PassHunks hunks = pass_differences(&x);
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

#endif
