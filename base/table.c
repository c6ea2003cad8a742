// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/table.h"

enum { FIRST_SLOTS = 64 };

void table_grow(Table *table, Arena *arena) {
  Table grown = {.n = table->n, .cap = table->cap ? table->cap * 2 : FIRST_SLOTS};
  grown.slots = ARENA_ARRAY(arena, TableSlot, grown.cap);
  for (uint32_t i = 0; i < table->cap; i++) {
    if (!table->slots[i].entry) continue;
    uint32_t at = (uint32_t)table->slots[i].hash & (grown.cap - 1);
    while (grown.slots[at].entry) at = (at + 1) & (grown.cap - 1);
    grown.slots[at] = table->slots[i];
  }
  *table = grown;
}
