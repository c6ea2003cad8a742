// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hash tables in an arena: open addressing, entries are pointers. The caller chooses the hash and the
// comparison. The functions are inline so that the comparison is inlined too. There is no removal. Nothing
// may depend on the order of slots.
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

typedef struct TableSlot {
  void *entry; // NULL: free
  uint64_t hash;
} TableSlot;

// Ready when zeroed: Table t = {0}.
typedef struct Table {
  TableSlot *slots; // `cap` slots, a power of two; at most half are used
  uint32_t n, cap;
} Table;

typedef bool TableIs(const void *entry, const void *key);

void table_grow(Table *table, Arena *arena);

static inline TableSlot *table_slot(const Table *table, uint64_t hash, const void *key, TableIs *is) {
  uint32_t i = (uint32_t)hash & (table->cap - 1);
  while (table->slots[i].entry && !(table->slots[i].hash == hash && is(table->slots[i].entry, key)))
    i = (i + 1) & (table->cap - 1);
  return &table->slots[i];
}

// The entry for `key`; NULL if there is none.
static inline void *table_find(const Table *table, uint64_t hash, const void *key, TableIs *is) {
  return table->cap ? table_slot(table, hash, key, is)->entry : NULL;
}

// The slot for `key`. It holds NULL if the table has no such entry. Then the caller must store one before it
// uses the table again.
static inline void **table_place(Table *table, Arena *arena, uint64_t hash, const void *key, TableIs *is) {
  if (table->n * 2 >= table->cap) table_grow(table, arena);
  TableSlot *slot = table_slot(table, hash, key, is);
  if (!slot->entry) {
    slot->hash = hash;
    table->n++;
  }
  return &slot->entry;
}

#endif
