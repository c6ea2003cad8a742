// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Works around two bugs of ptxas 13.0.
//
// ptxas assumes that the result of abs is not negative. But the least integer is its own magnitude. It loses
// its sign in a division, comparison or conversion after abs.
//
// From max(max(a, -b), c) it makes a VIMNMX3 of a, b and c, and loses the negation. The same happens with
// min.
//
// It does not recognise not(x) + 1 as a negation. (There is no such instruction for 64 bits.)
#include "codegen/llvm/ptx_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

// ---- lines as LLVM writes them: "\tmax.s32 \t%r3, %r1, %r2;" ----

typedef struct Line {
  const char *begin, *end; // from its tab to just after its semicolon
  Str bits;                // "32"
  Str operand[3];          // "%r3", "%r1", "%r2"
} Line;

// Parses the line at the tab if its instruction is `name`, such as "max.s", with `count` operands.
static bool read_line(const char *at, const char *name, uint32_t count, Line *line) {
  size_t n = strlen(name);
  *line = (Line){.begin = at};
  if (strncmp(++at, name, n) != 0) return false;
  line->bits = (Str){at + n, strcspn(at + n, " \n")};
  at += n + line->bits.n;
  if (strncmp(at, " \t", 2) != 0) return false;
  at += 2;
  for (uint32_t i = 0; i < count; i++) {
    line->operand[i] = (Str){at, strcspn(at, ",;\n")};
    at += line->operand[i].n;
    if (strncmp(at, i + 1 < count ? ", " : ";", i + 1 < count ? 2 : 1) != 0) return false;
    at += i + 1 < count ? 2 : 1;
  }
  line->end = at;
  return true;
}

// ---- registers that a max or min of up to 32 bits takes, as they are or by moves ----

// Indexed by register number. Kernels of one text and registers of different widths share numbers. A false
// positive does no harm.
typedef struct Registers {
  uint8_t *taken;
  size_t n;
} Registers;

// For "%r12" or "%rs3". NULL: not a register.
static uint8_t *taken_of(const Registers *registers, Str name) {
  size_t digits = 0;
  while (digits < name.n && name.at[name.n - digits - 1] >= '0' && name.at[name.n - digits - 1] <= '9')
    digits++;
  size_t number =
      digits > 0 && digits < 12 ? (size_t)strtoull(name.at + name.n - digits, NULL, 10) : SIZE_MAX;
  return name.n > 0 && name.at[0] == '%' && number < registers->n ? &registers->taken[number] : NULL;
}

// Marks the register. True if it was not marked before.
static bool mark(const Registers *registers, Str name) {
  uint8_t *taken = taken_of(registers, name);
  bool found = taken && !*taken;
  if (found) *taken = 1;
  return found;
}

static bool mark_bounds(const char *text, const Registers *registers) {
  bool found = false;
  Line line;
  for (const char *at = text; (at = strchr(at, '\t')); at++) {
    if (!read_line(at, "max.s", 3, &line) && !read_line(at, "min.s", 3, &line)) continue;
    if (str_is(line.bits, "64")) continue;
    found |= mark(registers, line.operand[1]);
    found |= mark(registers, line.operand[2]);
  }
  return found;
}

// Marks registers that are moved to a marked one. True if some are new.
static bool mark_moved(const char *text, const Registers *registers) {
  bool found = false;
  Line line;
  for (const char *at = text; (at = strstr(at, "\tmov.b")); at++) {
    const uint8_t *to = read_line(at, "mov.b", 2, &line) ? taken_of(registers, line.operand[0]) : NULL;
    if (to && *to) found |= mark(registers, line.operand[1]);
  }
  return found;
}

// ---- rewriting ----

// Finds the next abs, or the next neg of a marked register, from `at` on.
static bool find(const char *at, const Registers *registers, Line *line, bool *is_abs) {
  for (; (at = strchr(at, '\t')); at++) {
    *is_abs = read_line(at, "abs.s", 2, line);
    if (*is_abs) return true;
    if (!read_line(at, "neg.s", 2, line) || str_is(line->bits, "64")) continue;
    const uint8_t *taken = taken_of(registers, line->operand[0]);
    if (taken && *taken) return true;
  }
  return false;
}

// The result may be x's own register, so the negation has a separate one.
static void print_mended(Buf *out, const Line *line, bool is_abs) {
  Str bits = line->bits, result = line->operand[0], x = line->operand[1];
  buf_printf(out, "\t{ .reg .b%.*s %%minus; not.b%.*s %%minus, %.*s; ", STR_ARG(bits), STR_ARG(bits),
             STR_ARG(x));
  if (is_abs)
    buf_printf(out, "add.s%.*s %%minus, %%minus, 1; max.s%.*s %.*s, %.*s, %%minus; }", STR_ARG(bits),
               STR_ARG(bits), STR_ARG(result), STR_ARG(x));
  else
    buf_printf(out, "add.s%.*s %.*s, %%minus, 1; }", STR_ARG(bits), STR_ARG(result));
}

static void rewrite(Buf *ptx, size_t first, const Registers *registers) {
  const char *done = ptx->at;
  Buf out = {0};
  Line line;
  bool is_abs;
  for (const char *at = ptx->at + first; find(at, registers, &line, &is_abs); at = done) {
    buf_bytes(&out, done, (size_t)(line.begin - done));
    print_mended(&out, &line, is_abs);
    done = line.end;
  }
  buf_text(&out, done);
  buf_free(ptx);
  *ptx = out;
}

void ptx_mend(Arena *arena, Buf *ptx, size_t first) {
  if (first >= ptx->n) return;
  const char *text = ptx->at + first;
  bool negates = strstr(text, "\tneg.s"), bounds = strstr(text, "\tmax.s") || strstr(text, "\tmin.s");
  if (!strstr(text, "\tabs.s") && !(negates && bounds)) return;
  Registers registers = {.n = ptx->n - first}; // a text has fewer registers than bytes
  registers.taken = ARENA_ARRAY(arena, uint8_t, registers.n);
  if (mark_bounds(text, &registers))
    while (mark_moved(text, &registers)) {
    }
  rewrite(ptx, first, &registers);
}

void ptx_make_functions_local(Buf *ptx, size_t first) {
  if (first < ptx->n) buf_replace(ptx, first, "\n.visible .func", "\n.func");
}

void ptx_date_files(Buf *ptx, size_t first) {
  static const char line[] = "\n\t.file\t";
  if (first >= ptx->n || !strstr(ptx->at + first, line)) return;
  Buf out = {0};
  const char *done = ptx->at;
  for (const char *at = ptx->at + first; (at = strstr(at, line)); at = done) {
    at += sizeof line - 1;
    at += strcspn(at, "\n");
    buf_bytes(&out, done, (size_t)(at - done));
    if (at[-1] == '"') buf_text(&out, ", 1, 1");
    done = at;
  }
  buf_text(&out, done);
  buf_free(ptx);
  *ptx = out;
}
