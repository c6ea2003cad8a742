// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cost/l2_cache.h"

#include <string.h>

#include "base/hash.h"
#include "ir/queries.h"

enum { SECTOR = 32, GRAIN_MOST = 4096, PAGE_GRAINS = 4096 };

// --- accesses counted once per round

typedef struct CachedTile {
  uint64_t address, rest;
  const Pattern *pointer;
  bool writes;
  uint32_t round, buffer;
  double bytes;     // bytes that it touches
  uint64_t program; // the last program that used it
  double position;  // bytes that this program had touched until then
} CachedTile;

static bool is_tile(const void *entry, const void *key) {
  const CachedTile *a = entry, *b = key;
  return a->address == b->address && a->rest == b->rest && a->pointer == b->pointer && a->writes == b->writes;
}

// Nothing is lost up to 0.89 of the capacity, everything from 1.11 on (cost/chips.def).
static double share_lost(double bytes, double capacity) {
  enum { FROM = 89, TO = 111 }; // percent
  double share = (100 * bytes / capacity - FROM) / (TO - FROM);
  return share > 1 ? 1 : share < 0 ? 0 : share;
}

// Between a program's two uses of a tile, each concurrent program touches the same number of bytes.
static void use_again(CostCache *cache, CachedTile *tile, double bytes) {
  double between = (cache->position - tile->position) * (double)cache->beside;
  if (tile->program == cache->programs && !tile->writes)
    cache->lost[tile->buffer] += bytes * share_lost(between, cache->capacity);
  cache->asked[cache->round] += bytes;
  cache->position += bytes;
  tile->program = cache->programs;
  tile->position = cache->position;
}

bool cache_has(CostCache *cache, const Op *op, uint64_t address, const Pattern *pointer, uint64_t rest,
               uint64_t weight) {
  CachedTile key = {address, rest, pointer,         op_writes_global(op), cache->round,
                    0,       0,    cache->programs, cache->position};
  uint64_t hash = hash_u64(hash_u64(address ^ (uint64_t)(uintptr_t)pointer) ^ rest ^ key.writes);
  void **place = table_place(&cache->tiles, cache->arena, hash, &key, is_tile);
  CachedTile *tile = *place;
  if (tile && tile->round == cache->round && !cache->measures) {
    use_again(cache, tile, tile->bytes * (double)weight);
    return true;
  }
  if (!tile) *place = tile = ARENA_NEW(cache->arena, CachedTile);
  *tile = key;
  cache->tile = tile;
  return false;
}

// --- grains

// 1 + the last round that touched the grain.
static uint8_t *grain_of(CostCache *cache, uint32_t buffer, uint64_t number) {
  uint8_t ***pages = &cache->touched[buffer];
  if (!*pages) {
    uint64_t grains = cache->launch->buffers[buffer].bytes / cache->grains[buffer];
    *pages = ARENA_ARRAY(cache->arena, uint8_t *, grains / PAGE_GRAINS + 1);
  }
  uint8_t **page = &(*pages)[number / PAGE_GRAINS];
  if (!*page) *page = ARENA_ARRAY(cache->arena, uint8_t, PAGE_GRAINS);
  return &(*page)[number % PAGE_GRAINS];
}

// Touches `bytes` bytes of each grain from `first` to before `end`. Neighbours with one last round are touched at once.
static void touch_grains(CostCache *cache, bool writes, uint32_t buffer, uint64_t first, uint64_t end,
                         uint64_t bytes) {
  for (uint64_t same; first < end; first += same) {
    uint8_t *grain = grain_of(cache, buffer, first);
    uint64_t left = PAGE_GRAINS - first % PAGE_GRAINS, most = end - first < left ? end - first : left;
    for (same = 1; same < most && grain[same] == *grain;) same++;
    uint32_t since = *grain ? *grain - 1u : CACHE_ROUNDS;
    cache->touches += same;
    if (since == cache->round) continue;
    if (!writes) cache->reads[buffer].bytes[cache->round][since] += (double)(bytes * same);
    memset(grain, (int)(cache->round + 1), same);
    cache->moved[cache->round] += (double)(bytes * same);
  }
}

// Reduces the grain to the largest power of two that divides the row's offset and size.
static void measure(uint32_t *grain, uint64_t offset, uint64_t bytes) {
  while (*grain > SECTOR && (offset | bytes) % *grain) *grain /= 2;
}

static bool is_within(const CostBuffer *buffer, uint64_t address) {
  return address >= buffer->address && address < buffer->address + buffer->bytes;
}

uint64_t cache_row(CostCache *cache, bool writes, uint64_t address, uint64_t bytes, uint64_t weight) {
  uint32_t i = cache->buffer; // mostly that of the row before
  const CostBuffer *buffers = cache->launch->buffers;
  if (i >= cache->launch->buffer_count || !is_within(&buffers[i], address))
    for (i = 0; i < cache->launch->buffer_count && !is_within(&buffers[i], address);) i++;
  if (i == cache->launch->buffer_count || !bytes) return 0;
  cache->buffer = i;
  uint64_t offset = address - buffers[i].address, grain = cache->grains[i], left = buffers[i].bytes - offset;
  if (bytes > left) bytes = left; // the access is out of bounds
  if (cache->measures) {
    measure(&cache->grains[i], offset, bytes);
    return 0;
  }
  int shift = __builtin_ctzll(grain);
  uint64_t first = offset >> shift, last = (offset + bytes - 1) >> shift, count = last - first + 1;
  touch_grains(cache, writes, i, first, last + 1, grain * weight);
  return count * grain;
}

void cache_rows_end(CostCache *cache, uint64_t bytes, uint64_t weight) {
  if (!bytes) return;
  cache->asked[cache->round] += (double)(bytes * weight);
  cache->position += (double)(bytes * weight);
  cache->tile->bytes += (double)bytes;
  cache->tile->position = cache->position;
  cache->tile->buffer = cache->buffer;
}

// --- accesses by pointers

// Consecutive elements form a row.
typedef struct Row {
  uint64_t offset, bytes;
} Row;

// The rows of an access's elements that its mask keeps, by what they depend on.
typedef struct CachedRows {
  const Pattern *pointer, *mask;
  int64_t mask_base;
  uint32_t bytes; // of an element
  bool masked;
  VEC(Row) rows;
} CachedRows;

static bool are_rows(const void *entry, const void *key) {
  const CachedRows *a = entry, *b = key;
  return a->pointer == b->pointer && a->mask == b->mask && a->mask_base == b->mask_base &&
         a->bytes == b->bytes && a->masked == b->masked;
}

static void find_rows(Arena *arena, CachedRows *found, const CostValue *mask) {
  uint32_t n = found->pointer ? found->pointer->n : 1;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t offset = found->pointer ? (uint64_t)found->pointer->at[i] : 0;
    if (mask && !cost_element(mask, i)) continue;
    Row *last = found->rows.n ? &found->rows.at[found->rows.n - 1] : NULL;
    if (last && offset == last->offset + last->bytes)
      last->bytes += found->bytes;
    else
      vec_push(arena, &found->rows, ((Row){offset, found->bytes}));
  }
}

static const CachedRows *rows_of(CostCache *cache, const Pattern *pointer, const CostValue *mask,
                                 uint32_t bytes) {
  CachedRows key = {.pointer = pointer, .bytes = bytes, .masked = mask != NULL};
  if (mask) key.mask = mask->tile, key.mask_base = mask->base;
  uint64_t hash = hash_u64(hash_u64((uint64_t)(uintptr_t)pointer ^ bytes) ^ (uint64_t)(uintptr_t)key.mask ^
                           (uint64_t)key.mask_base << 1 ^ key.masked);
  void **place = table_place(&cache->rows, cache->arena, hash, &key, are_rows);
  if (!*place) {
    CachedRows *found = ARENA_NEW(cache->arena, CachedRows);
    *found = key;
    *place = found;
    find_rows(cache->arena, found, mask);
  }
  return *place;
}

void cache_access(CostCache *cache, const Op *op, const CostValue *pointer, const CostValue *mask,
                  uint64_t weight) {
  uint32_t bytes = type_element_bytes(type_element(op_operand(op, 0)->type)->inner);
  uint64_t rest = mask ? (uint64_t)(uintptr_t)mask->tile ^ (uint64_t)mask->base : 1;
  if (cache_has(cache, op, (uint64_t)pointer->base, pointer->tile, rest, weight)) return;
  const CachedRows *found = rows_of(cache, pointer->tile, mask, bytes);
  bool written = op_writes_global(op);
  uint64_t all = 0;
  for (uint32_t i = 0; i < found->rows.n; i++)
    all += cache_row(cache, written, (uint64_t)pointer->base + found->rows.at[i].offset,
                     found->rows.at[i].bytes, weight);
  cache_rows_end(cache, all, weight);
}

CostCache cache_init(Arena *arena, const CostLaunch *launch, double capacity, uint64_t beside) {
  CostCache cache = {
      .arena = arena, .launch = launch, .measures = true, .capacity = capacity, .beside = beside};
  cache.lost = ARENA_ARRAY(arena, double, launch->buffer_count + 1);
  cache.reads = ARENA_ARRAY(arena, CacheReads, launch->buffer_count + 1);
  cache.grains = ARENA_ARRAY(arena, uint32_t, launch->buffer_count + 1);
  cache.touched = ARENA_ARRAY(arena, uint8_t **, launch->buffer_count + 1);
  for (uint32_t i = 0; i < launch->buffer_count; i++) cache.grains[i] = GRAIN_MOST;
  return cache;
}

void cache_program(CostCache *cache, uint32_t round) {
  cache->round = round;
  cache->programs++;
  cache->position = 0;
}

// The share of a grain that is lost between uses in two rounds. Programs of a round run concurrently: all
// bytes of the rounds from `since` up to `round` lie between the two uses.
static double lost_since(const CostCache *cache, uint32_t since, uint32_t round, double capacity) {
  double bytes = 0;
  for (uint32_t i = since; i < round; i++) bytes += cache->moved[i];
  return since == CACHE_ROUNDS ? 1 : share_lost(bytes, capacity);
}

double cache_missed(const CostCache *cache, uint32_t buffer, double asked) {
  double missed = 0, all = 0;
  uint32_t rounds = 0;
  while (rounds < CACHE_ROUNDS && cache->asked[rounds] > 0) all += cache->asked[rounds++];
  if (rounds < 2) return 0;
  double scale = asked / (all / rounds);
  for (uint32_t round = 1; round < rounds; round++)
    for (uint32_t since = 0; since <= CACHE_ROUNDS; since++)
      missed +=
          cache->reads[buffer].bytes[round][since] * lost_since(cache, since, round, cache->capacity / scale);
  return missed * scale / (rounds - 1);
}

double cache_lost(const CostCache *cache, uint32_t buffer, double asked) {
  double all = cache->asked[0] + cache->asked[1], scale = all > 0 ? asked / all : 0;
  if (scale <= 0) return 0;
  return cache->reads[buffer].bytes[1][0] * scale * lost_since(cache, 0, 1, cache->capacity / scale);
}
