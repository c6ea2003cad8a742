// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/triton/table.h"

#include <stdio.h>
#include <stdlib.h>

const TypeName type_names[TYPE_COUNT] = {
    {"i1", "int1", 1, 0},        {"i8", "int8", 1, 0},
    {"i16", "int16", 2, 0},      {"i32", "int32", 4, 0},
    {"i64", "int64", 8, 0},      {"u8", "uint8", 1, 0},
    {"u16", "uint16", 2, 0},     {"u32", "uint32", 4, 0},
    {"u64", "uint64", 8, 0},     {"fp8e4nv", "float8e4nv", 1, 3},
    {"fp8e5", "float8e5", 1, 2}, {"fp16", "float16", 2, 10},
    {"bf16", "bfloat16", 2, 7},  {"fp32", "float32", 4, 23},
    {"fp64", "float64", 8, 52},
};

int type_named(Str name) {
  for (int i = 0; i < TYPE_COUNT; i++)
    if (str_is(name, type_names[i].name)) return i;
  return -1;
}

static Str read_text(Arena *arena, const char *name) {
  const char *path = arena_printf(arena, TESTS_DIR "/triton/%s", name);
  FILE *file = fopen(path, "rb");
  if (!file) {
    printf("cannot read %s\n", path);
    return (Str){0};
  }
  Buf text = {0};
  char block[1 << 16];
  for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) buf_bytes(&text, block, n);
  fclose(file);
  return buf_view(&text); // read once, and kept to the end
}

// The text before `separator`, which is skipped; all of it where there is none.
static Str cut(Str *rest, const char *separator) {
  size_t n = strlen(separator);
  for (size_t i = 0; i + n <= rest->n; i++)
    if (memcmp(rest->at + i, separator, n) == 0) {
      Str part = {rest->at, i};
      *rest = (Str){rest->at + i + n, rest->n - i - n};
      return part;
    }
  Str part = *rest;
  *rest = (Str){rest->at + rest->n, 0};
  return part;
}

// "EXPRESSION : 16x16 ~3"; shape and ulp may be left out.
static Section *read_section(Arena *arena, const char *file, Str line) {
  Section *section = arena_alloc(arena, sizeof *section);
  *section = (Section){.file = file};
  Str head = cut(&line, " ~");
  section->ulp = line.n ? strtoull(line.at, NULL, 10) : 0;
  section->expression = cut(&head, " : ");
  while (head.n && section->rank < 3) {
    Str size = cut(&head, "x");
    section->shape[section->rank++] = atoi(size.at);
  }
  return section;
}

static bool read_row(Row *row, Str line) {
  for (Str types = row->types; types.n; row->variable_count++) {
    if (row->variable_count == MAX_VARIABLES) return false;
    row->variables[row->variable_count] = type_named(cut(&types, " "));
    if (row->variables[row->variable_count] < 0) return false;
  }
  Str result = cut(&line, " ");
  row->type = type_named(result);
  row->result = str_is(result, "refused") ? RESULT_REFUSED : row->type >= 0 ? RESULT_VALUE : RESULT_OTHER;
  row->values = line.n && strchr("-u", *line.at) ? (Str){0} : line;
  row->no_code = str_is(line, "-");
  return result.n > 0;
}

typedef VEC(Row) Rows;
typedef VEC(const Section *) Sections;

// "i8 i16, i8 i32: i32 0 1 | i8 u8: i8 0 1 | i8 fp16: refused"
static bool read_rows(Arena *arena, const Section *section, uint32_t number, Str line, Rows *list) {
  while (line.n) {
    Str result = cut(&line, " | "), all = cut(&result, ": ");
    do {
      Row row = {.section = section, .line = number, .types = cut(&all, ", ")};
      if (!read_row(&row, result)) return false;
      vec_push(arena, list, row);
    } while (all.n);
  }
  return true;
}

bool table_read(Arena *arena, const char *name, Row **rows, uint32_t *count) {
  Str text = read_text(arena, name);
  if (!text.at) return false;
  Rows list = {0};
  Sections sections = {0}; // whose rows the lines are
  bool head = false;
  for (uint32_t number = 1; text.n; number++) {
    Str line = cut(&text, "\n");
    if (str_starts(line, "== ")) {
      if (!head) sections.n = 0;
      head = true;
      vec_push(arena, &sections, read_section(arena, name, (Str){line.at + 3, line.n - 3}));
      continue;
    }
    head = false;
    bool good = sections.n > 0;
    for (uint32_t i = 0; i < sections.n; i++)
      good = good && read_rows(arena, sections.at[i], number, line, &list);
    if (!good) {
      printf("%s:%u: not rows of the table\n", name, number);
      return false;
    }
  }
  *rows = list.at;
  *count = list.n;
  return true;
}

int row_values(const Row *row, uint64_t values[MAX_VALUES]) {
  int count = 0;
  for (Str rest = row->values; rest.n && count < MAX_VALUES; count++) {
    Str one = row->type == TILEC_I1 ? (Str){rest.at, 1} : cut(&rest, " ");
    if (row->type == TILEC_I1) rest = (Str){rest.at + 1, rest.n - 1};
    values[count] = strtoull(one.at, NULL, row->type == TILEC_I1 ? 2 : 16);
    if (row->type == TILEC_I1) values[count] = *one.at == '1';
  }
  return count;
}

Str helpers_text(Arena *arena) { return read_text(arena, "helpers.py"); }

bool inputs_read(Arena *arena, uint8_t *memory[TYPE_COUNT]) {
  Str text = read_text(arena, "inputs.txt");
  int read = 0;
  for (int i = 0; i < TYPE_COUNT; i++) memory[i] = arena_alloc(arena, (size_t)(SET_COUNT * SET_ELEMENTS) * 8);
  while (text.n) {
    Str line = cut(&text, "\n"), name = cut(&line, ": ");
    cut(&name, " ");
    int type = type_named(name), bytes = type < 0 ? 0 : type_names[type].bytes;
    uint8_t *to = type < 0 ? NULL : memory[type] + (read / TYPE_COUNT) * SET_ELEMENTS * bytes;
    for (; to && line.n; to += bytes) {
      uint64_t bits = strtoull(cut(&line, " ").at, NULL, 16);
      memcpy(to, &bits, (size_t)bytes);
    }
    read++;
  }
  return read == SET_COUNT * TYPE_COUNT;
}
