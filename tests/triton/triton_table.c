// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares operators and builtins with the table that Triton 3.6 gave: types, legality, and values on the evaluator and
// the simulator.
//
//   triton_table [--list] [NAME.txt...]
// --list: every row that differs, explained or not. Closes with 'N passed, N failed'.
#include <stdio.h>
#include <string.h>

#include "tests/triton/table.h"

static const char *const tables[] = {"operators.txt",  "scalars.txt",    "literals.txt",  "casts.txt",
                                     "statements.txt", "reductions.txt", "functions.txt", "dots.txt",
                                     "builtins.txt",   "memory.txt",     "scaled.txt"};
static const char *const lists[] = {"differences", "pending"};

typedef struct Table {
  Arena arena;
  Faults faults;
  Machine machines[2];
  uint8_t *inputs[TYPE_COUNT];
  uint32_t rows;
} Table;

static bool open_machines(Table *table) {
  static const char *const names[] = {"eval", "sim"};
  for (int i = 0; i < 2; i++) {
    Machine *machine = &table->machines[i];
    *machine = (Machine){.arena = &table->arena, .name = names[i], .inputs = table->inputs};
    if (tilec_device_open(names[i], &machine->device)) {
      printf("no device %s: %s\n", names[i], tilec_last_error());
      return false;
    }
  }
  return true;
}

static void check_rows(Table *table, Row *rows, uint32_t count) {
  Row *chunk[CHUNK_ROWS], *ready[CHUNK_ROWS];
  bool good[CHUNK_ROWS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i += CHUNK_ROWS) {
    uint32_t size = count - i < CHUNK_ROWS ? count - i : CHUNK_ROWS;
    for (uint32_t k = 0; k < size; k++) chunk[k] = &rows[i + k];
    check_types(&table->faults, chunk, size, good);
    for (uint32_t k = 0; k < size; k++) {
      if (good[k]) ready[n++] = chunk[k];
      if (n < CHUNK_ROWS && (i + k + 1 < count || n == 0)) continue;
      for (int m = 0; m < 2; m++) check_values(&table->machines[m], &table->faults, ready, n);
      n = 0;
    }
  }
}

static bool check_table(Table *table, const char *name) {
  Row *rows;
  uint32_t count;
  if (!table_read(&table->arena, name, &rows, &count)) return false;
  table->rows += count;
  check_rows(table, rows, count);
  return true;
}

static int close_table(Table *table, bool list) {
  uint32_t explained = 0;
  bool good = faults_explained(&table->faults, lists, list ? 0 : 2, &explained);
  uint32_t failed = table->faults.list.n - explained;
  if (!good && failed == 0) failed = 1;
  printf("%u rows, %u of them differ as the lists say\n", table->rows, explained);
  printf("%u passed, %u failed\n", table->rows - table->faults.list.n + explained, failed);
  return failed > 0;
}

int main(int argc, char **argv) {
  static Table table;
  table.faults.arena = &table.arena;
  bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
  if (!inputs_read(&table.arena, table.inputs) || !open_machines(&table)) return 2;
  int first = 1 + list;
  bool all = first >= argc;
  for (int i = all ? 0 : first; i < (all ? (int)(sizeof tables / sizeof *tables) : argc); i++)
    if (!check_table(&table, all ? tables[i] : argv[i])) return 2;
  for (int i = 0; i < 2; i++) tilec_device_close(table.machines[i].device);
  return close_table(&table, list || !all);
}
