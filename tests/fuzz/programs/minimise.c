// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/programs/minimise.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Minimiser {
  Executor *executor;
  Program *program;
  bool assemble;
  double end; // of the time
  Outcome outcome;
  char key[MAX_KEY];
  Result *result;
} Minimiser;

static double now(void) {
  struct timespec time = {0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void copy(Buf *to, const Buf *from) {
  buf_reset(to);
  buf_str(to, buf_view(from));
}

// Keeps the text where it fails as the program did.
static bool try_text(Minimiser *m, Buf *field, const Buf *text) {
  if (now() > m->end) return false;
  Buf old = {0};
  copy(&old, field);
  copy(field, text);
  execute_apart(m->executor, m->program, m->assemble, m->result);
  bool same = m->result->outcome == m->outcome && strcmp(m->result->key, m->key) == 0;
  if (!same) copy(field, &old);
  buf_free(&old);
  return same;
}

// ---- lines ----

typedef struct Line {
  size_t start, end; // with its newline
  size_t indent;
} Line;

static Line line_at(const Buf *text, size_t start) {
  Line line = {start, start, 0};
  while (line.end < text->n && text->at[line.end] != '\n') line.end++;
  if (line.end < text->n) line.end++;
  while (start + line.indent < line.end && text->at[start + line.indent] == ' ') line.indent++;
  return line;
}

// The end of the line's block: what is indented deeper follows it.
static size_t block_end(const Buf *text, Line line) {
  size_t end = line.end;
  while (end < text->n) {
    Line next = line_at(text, end);
    if (next.indent <= line.indent && next.end > next.start + 1) break;
    end = next.end;
  }
  return end;
}

static void replaced(const Buf *text, size_t from, size_t to, const char *with, Buf *out) {
  buf_reset(out);
  buf_bytes(out, text->at, from);
  buf_text(out, with);
  buf_bytes(out, text->at + to, text->n - to);
}

// The header of a loop or branch left out, its lines moved to the left.
static void dedented(const Buf *text, Line header, size_t end, Buf *out) {
  buf_reset(out);
  buf_bytes(out, text->at, header.start);
  for (size_t at = header.end; at < end;) {
    Line line = line_at(text, at);
    size_t skip = line.indent >= 4 ? 4 : 0;
    buf_bytes(out, text->at + at + skip, line.end - at - skip);
    at = line.end;
  }
  buf_bytes(out, text->at + end, text->n - end);
}

static bool try_line(Minimiser *m, Line line, Buf *candidate) {
  Buf *text = &m->program->text;
  size_t end = block_end(text, line);
  replaced(text, line.start, end, "", candidate);
  if (try_text(m, text, candidate)) return true;
  if (end == line.end) return false;
  dedented(text, line, end, candidate);
  return try_text(m, text, candidate);
}

static bool drop_lines(Minimiser *m) {
  Buf candidate = {0}, *text = &m->program->text;
  bool changed = false;
  size_t at = text->n;
  while (at > 0 && now() < m->end) { // from the end: uses before what they use
    size_t start = at - 1;
    while (start > 0 && text->at[start - 1] != '\n') start--;
    Line line = line_at(text, start);
    if (line.end > line.start + 1 && try_line(m, line, &candidate)) changed = true;
    at = start < text->n ? start : text->n;
  }
  buf_free(&candidate);
  return changed;
}

// ---- operands ----

static bool is_word(char ch) { return isalnum((unsigned char)ch) || ch == '_'; }

// v3 = where(v1, v2, v0): tries v1, v2 and v0 instead of the whole right side.
static bool try_operands(Minimiser *m, Line line, Buf *candidate) {
  Buf *text = &m->program->text;
  size_t equals = line.start;
  while (equals + 3 < line.end && strncmp(text->at + equals, " = ", 3) != 0) equals++;
  if (equals + 3 >= line.end) return false;
  size_t from = equals + 3;
  for (size_t at = from; at + 1 < line.end; at++) {
    if (text->at[at] != 'v' || is_word(text->at[at - 1]) || !isdigit((unsigned char)text->at[at + 1]))
      continue;
    char name[24] = "";
    size_t n = 0;
    while (is_word(text->at[at + n]) && n + 2 < sizeof name) name[n] = text->at[at + n], n++;
    if (from + n + 1 >= line.end) return false; // it is that already
    name[n] = '\n', name[n + 1] = '\0';
    replaced(text, from, line.end, name, candidate);
    if (try_text(m, text, candidate)) return true;
    at += n;
  }
  return false;
}

static bool replace_operands(Minimiser *m) {
  Buf candidate = {0}, *text = &m->program->text;
  bool changed = false;
  for (size_t at = 0; at < text->n && now() < m->end;) {
    Line line = line_at(text, at);
    changed |= try_operands(m, line, &candidate);
    at = line_at(text, at).end;
  }
  buf_free(&candidate);
  return changed;
}

// ---- arguments ----

// Parameters that nothing uses go, with their arguments.
static bool drop_parameter(Minimiser *m, const char *name) {
  Buf *text = &m->program->text, *args = &m->program->args, new_text = {0}, new_args = {0}, old_args = {0};
  char pattern[40];
  const char *head = strstr(text->at, "def f(");
  snprintf(pattern, sizeof pattern, "%s: ", name);
  const char *at = head ? strstr(head, pattern) : NULL;
  if (!at) return false;
  size_t from = (size_t)(at - text->at), to = from;
  while (text->at[to] != ',' && text->at[to] != ')') to++;
  if (text->at[to] == ',') to += 2;
  replaced(text, from, to, "", &new_text);
  for (size_t i = 0; i < args->n;) {
    size_t end = i;
    while (end < args->n && args->at[end] != ' ') end++;
    size_t n = strlen(name);
    if (!(end - i > n && strncmp(args->at + i, name, n) == 0 && args->at[i + n] == '=')) {
      buf_bytes(&new_args, args->at + i, end - i);
      buf_char(&new_args, ' ');
    }
    i = end + 1;
  }
  copy(&old_args, args);
  copy(args, &new_args);
  bool kept = try_text(m, text, &new_text);
  if (!kept) copy(args, &old_args);
  buf_free(&new_text);
  buf_free(&new_args);
  buf_free(&old_args);
  return kept;
}

static void drop_parameters(Minimiser *m) {
  Buf args = {0};
  copy(&args, &m->program->args);
  for (char *word = strtok(args.at, " "); word; word = strtok(NULL, " ")) {
    char *equals = strchr(word, '=');
    if (equals) *equals = '\0', drop_parameter(m, word);
  }
  buf_free(&args);
}

static void simplify_options(Minimiser *m) {
  static const char *const simpler[] = {
      "--kernel f --grid 1 --num-warps 1", "--kernel f --grid 1 --num-warps 2",
      "--kernel f --grid 1 --num-warps 4", "--kernel f --grid 1 --num-warps 8",
      "--kernel f --grid 3 --num-warps 4", "--kernel f --grid 1 --num-warps 16"};
  for (size_t i = 0; i < sizeof simpler / sizeof *simpler; i++) {
    Buf text = {0};
    buf_text(&text, simpler[i]);
    bool done = try_text(m, &m->program->options, &text);
    buf_free(&text);
    if (done) return;
  }
}

void program_minimise(Executor *executor, Program *program, bool assemble, double seconds, Result *result) {
  Minimiser m = {.executor = executor,
                 .program = program,
                 .assemble = assemble,
                 .end = now() + seconds,
                 .outcome = result->outcome,
                 .result = result};
  memcpy(m.key, result->key, sizeof m.key);
  while (drop_lines(&m) | replace_operands(&m)) {
  }
  simplify_options(&m);
  drop_parameters(&m);
  execute_apart(executor, program, assemble, result);
}
