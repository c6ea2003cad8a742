// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a kernel that computes rows of the table, as kernels.py makes it for Triton.
#include "tests/triton/table.h"

#include <ctype.h>
#include <stdio.h>

static const char sets[] = "abcdekmwlho";
static const char forms[] = " spMRC"; // of what is defined at the head

typedef struct Variable {
  Str text;
  char form, set; // form: 0 or one of "spMRCQZ"; set 0: the type T
} Variable;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// The variable that begins at `i`, if one does.
static bool variable_at(Str text, size_t i, Variable *variable) {
  if (i > 0 && is_word(text.at[i - 1])) return false;
  size_t n = 0;
  while (i + n < text.n && is_word(text.at[i + n])) n++;
  *variable = (Variable){.text = {text.at + i, n}};
  if (n == 0 || n > 2 || (i + n < text.n && text.at[i + n] == '=')) return false;
  char last = text.at[i + n - 1];
  if (n == 1 && last == 'T') return true;
  if (!strchr(sets, last)) return false;
  variable->set = last;
  if (n == 2) variable->form = text.at[i];
  return n == 1 || strchr("spMRCQZ", variable->form);
}

// The variable's index in the row's types: they are in the order in which variables appear.
static int type_of(const Row *row, Str variable) {
  Str seen[MAX_VARIABLES];
  int count = 0;
  Str text = row->section->expression;
  for (size_t i = 0; i < text.n; i++) {
    Variable found;
    if (!variable_at(text, i, &found)) continue;
    int k = 0;
    while (k < count && !str_eq(seen[k], found.text)) k++;
    if (str_eq(found.text, variable)) return row->variables[k];
    if (k == count && count < MAX_VARIABLES) seen[count++] = found.text;
  }
  return 0;
}

static void write_variable(Buf *out, const Row *row, const Variable *variable, uint32_t index) {
  const TypeName *type = &type_names[type_of(row, variable->text)];
  if (!variable->set)
    buf_printf(out, "tl.%s", type->long_name);
  else if (variable->form == 'Q' || variable->form == 'Z')
    buf_printf(out, "(z_%s + %u%s)", type->name, index * ROW_MEMORY, variable->form == 'Q' ? " + r" : "");
  else
    buf_printf(out, "%.*s_%s", STR_ARG(variable->text), type->name);
}

static void instantiate(Buf *out, const Row *row, uint32_t index) {
  Str text = row->section->expression;
  for (size_t i = 0; i < text.n;) {
    Variable variable;
    if (variable_at(text, i, &variable)) {
      write_variable(out, row, &variable, index);
      i += variable.text.n;
    } else {
      buf_char(out, text.at[i++]);
    }
  }
}

// "a_i8", "sa_i8" and similar names in the lines are defined at the kernel's head, once each.
static void write_definition(Buf *out, Str name, bool *done) {
  size_t form = name.at[1] == '_' ? 0 : 1;
  const char *set = strchr(sets, name.at[form]);
  if (name.n < form + 3 || name.at[form + 1] != '_' || !set || !name.at[form]) return;
  if (form && !strchr(forms + 1, name.at[0])) return;
  int type = type_named((Str){name.at + form + 2, name.n - form - 2});
  if (type < 0) return;
  char kind = form ? name.at[0] : ' ';
  bool *seen = &done[((size_t)(strchr(forms, kind) - forms) * SET_COUNT + (size_t)(set - sets)) * TYPE_COUNT +
                     (size_t)type];
  if (*seen) return;
  *seen = true;
  int offset = (int)(set - sets) * SET_ELEMENTS;
  const char *index = kind == 's'   ? " + 5"
                      : kind == 'M' ? " + (r16[:, None] * 3 + r16[None, :] * 5) % 8"
                      : kind == 'R' ? " + (r16[:, None] * 3 + r32[None, :] * 5) % 8"
                      : kind == 'C' ? " + (r32[:, None] * 3 + r16[None, :] * 5) % 8"
                                    : " + r";
  if (kind == 'p')
    buf_printf(out, "    %.*s = x_%s + %d\n", STR_ARG(name), type_names[type].name, offset);
  else
    buf_printf(out, "    %.*s = tl.load(x_%s + %d%s)\n", STR_ARG(name), type_names[type].name, offset, index);
}

static void write_head(Buf *out, Str lines) {
  for (int p = 'x'; p <= 'z'; p++)
    for (int i = 0; i < TYPE_COUNT; i++)
      buf_printf(out, "%s%c_%s: '*%s', ", p == 'x' && i == 0 ? "@triton.jit\ndef k(" : "", p,
                 type_names[i].name, type_names[i].name);
  buf_printf(out,
             "n32: 'i32', n64: 'i64', f32: 'fp32', const: '*const i32', one: 'i32'):\n    r = tl.arange(0, "
             "%d)\n    r16 "
             "= tl.arange(0, 16)\n    r32 = tl.arange(0, 32)\n",
             SET_ELEMENTS);
  bool done[6 * SET_COUNT * TYPE_COUNT] = {0};
  for (size_t i = 0; i < lines.n;) {
    size_t n = 0;
    while (i + n < lines.n && is_word(lines.at[i + n])) n++;
    if (n > 3) write_definition(out, (Str){lines.at + i, n}, done);
    i += n ? n : 1;
  }
}

// "; " separates statements; the last is the row's expression.
static void write_row(Buf *out, const Row *row, uint32_t index) {
  Buf text = {0};
  instantiate(&text, row, index);
  const char *last = text.at;
  for (const char *next; (next = strstr(last, "; ")); last = next + 2)
    buf_printf(out, "    %.*s\n", (int)(next - last), last);
  buf_printf(out, "    t%u = %s\n", index, last);
  buf_free(&text);
}

static void write_assertion(Buf *out, const Row *row, uint32_t index) {
  if (row->result == RESULT_REFUSED)
    buf_printf(out, "    tl.static_assert(False, f\"{t%u.dtype}\")\n", index);
  else if (row->result == RESULT_VALUE)
    buf_printf(out, "    tl.static_assert(t%u.dtype == tl.%s, f\"{t%u.dtype}\")\n", index,
               type_names[row->type].long_name, index);
}

static void write_store(Source *source, Buf *out, const Row *row, uint32_t index) {
  const Section *section = row->section;
  int size = 1;
  for (int i = 0; i < section->rank; i++) size *= section->shape[i];
  source->offsets[index] = source->ends[row->type];
  source->ends[row->type] += (uint32_t)size;
  buf_printf(out, "    tl.store(y_%s + %u", type_names[row->type].name, source->offsets[index]);
  if (section->rank) {
    buf_printf(out, " + tl.reshape(tl.arange(0, %d), (", size);
    for (int i = 0; i < section->rank; i++) buf_printf(out, "%d,", section->shape[i]);
    buf_text(out, "))");
  }
  buf_printf(out, ", t%u)\n", index);
}

static uint32_t count_lines(Str text) {
  uint32_t n = 0;
  for (size_t i = 0; i < text.n; i++) n += text.at[i] == '\n';
  return n;
}

void source_make(Arena *arena, Source *source, Row *const *rows, uint32_t count, bool asserts) {
  *source = (Source){0};
  Buf body = {0};
  VEC(uint32_t) ends = {0};
  for (uint32_t i = 0; i < count; i++) {
    write_row(&body, rows[i], i);
    if (asserts) write_assertion(&body, rows[i], i);
    if (rows[i]->result == RESULT_VALUE) write_store(source, &body, rows[i], i);
    vec_push(arena, &ends, count_lines(buf_view(&body)));
  }
  buf_text(&source->text,
           "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n");
  buf_str(&source->text, helpers_text(arena));
  buf_text(&source->text, "\n\n");
  write_head(&source->text, buf_view(&body));
  uint32_t head = count_lines(buf_view(&source->text));
  for (uint32_t line = 0; line <= head; line++) vec_push(arena, &source->line_rows, UINT32_MAX);
  for (uint32_t i = 0; i < count; i++)
    while (source->line_rows.n <= head + ends.at[i]) vec_push(arena, &source->line_rows, i);
  buf_str(&source->text, buf_view(&body));
  buf_free(&body);
}
