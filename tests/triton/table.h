// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of triton_table: the table that make_table.py made, the kernels that compute its rows in the tile
// language, and the rows that differ.
#ifndef TESTS_TRITON_TABLE_H
#define TESTS_TRITON_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "runtime/tilec.h"

enum {
  TYPE_COUNT = 15,
  SET_COUNT = 11,
  SET_ELEMENTS = 8,
  ROW_MEMORY = 16,
  MAX_VARIABLES = 5,
  MAX_VALUES = 256
};

typedef struct TypeName {
  const char *name, *long_name; // "i8", "int8"
  int bytes;
  int mantissa; // bits of a float's fraction; 0 for integers
} TypeName;

extern const TypeName type_names[TYPE_COUNT]; // in the order of tilec_dtype
int type_named(Str name);                     // -1: none

// A section's head: an expression, the shape of its results, and how far floats may be from Triton's.
typedef struct Section {
  const char *file;
  Str expression;
  int shape[3], rank;
  uint64_t ulp;
} Section;

typedef enum Result {
  RESULT_REFUSED, // by Triton's frontend
  RESULT_VALUE,   // a type, with values where Triton could generate code
  RESULT_OTHER    // a pointer or a constexpr: only that it is accepted
} Result;

typedef struct Row {
  const Section *section;
  uint32_t line; // of the file
  Str types;     // as written: "i8 fp16"
  int variables[MAX_VARIABLES], variable_count;
  Result result;
  int type;
  Str values;   // hexadecimal, as written; empty: none to compare
  bool no_code; // Triton's frontend takes it, and its compiler does not
} Row;

// Every row of tests/triton/NAME.txt; false, having said why, where it cannot be read.
bool table_read(Arena *arena, const char *name, Row **rows, uint32_t *count);
// The bits of a row's values: how many, 0 where there are none.
int row_values(const Row *row, uint64_t values[MAX_VALUES]);
// The inputs of each type: all sets one after the other.
// The functions that expressions call.
Str helpers_text(Arena *arena);
bool inputs_read(Arena *arena, uint8_t *memory[TYPE_COUNT]);

// source.c: the text of one kernel for rows, and which line is whose.
typedef struct Source {
  Buf text;
  VEC(uint32_t) line_rows;      // of each line from 1 on: its row's place in `rows`, or UINT32_MAX
  uint32_t offsets[MAX_VALUES]; // of each row's values in the output of its type
  uint32_t ends[TYPE_COUNT];    // elements of each output
} Source;

enum { CHUNK_ROWS = 200 };

// asserts: with an assertion of each row's type, which reports the type if it fails.
void source_make(Arena *arena, Source *source, Row *const *rows, uint32_t count, bool asserts);

// differ.c: what is wrong with a row, and the lists of rows that may be.
typedef struct Fault {
  const Row *row;
  const char *what; // "accepted", "refused", "type", "values", "zero" (only signs of zeros), "error"
  const char *text;
} Fault;

typedef struct Faults {
  Arena *arena;
  VEC(Fault) list;
} Faults;

void fault_add(Faults *faults, const Row *row, const char *what, const char *text);
// Prints what no line of tests/triton/LIST explains, and the lines that explain nothing any more. The count of rows explained
// that way is added to *explained; false where something was printed.
bool faults_explained(Faults *faults, const char *const *lists, uint32_t count, uint32_t *explained);

// check.c: finds the faults of `count` rows, at most CHUNK_ROWS of them.
typedef struct Machine {
  Arena *arena;
  tilec_device *device;
  const char *name;
  uint8_t **inputs;
} Machine;

// Types and legality; good[i]: row i has the right ones, and values to compare.
void check_types(Faults *faults, Row *const *rows, uint32_t count, bool *good);
void check_values(Machine *machine, Faults *faults, Row *const *rows, uint32_t count);

#endif
