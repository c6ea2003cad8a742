// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cost/l2_cache.h"

#include "base/hash.h"

enum { SECTOR = 32, PAGE = 4096 };

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

static bool writes(const Op *op) {
  return op_has(op, WRITES) && op->kind != OP_COPY_ASYNC && op->kind != OP_TMA_COPY;
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
  CachedTile key = {address, rest, pointer, writes(op), cache->round, 0, 0, cache->programs, cache->position};
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

typedef struct CachedGrain {
  uint64_t address;
  uint32_t round; // the last round that touched it
} CachedGrain;

static bool is_grain(const void *entry, const void *key) {
  return ((const CachedGrain *)entry)->address == *(const uint64_t *)key;
}

static void touch_bytes(CostCache *cache, bool writes, uint32_t buffer, uint64_t address, double bytes) {
  void **place = table_place(&cache->grain_table, cache->arena, hash_u64(address), &address, is_grain);
  CachedGrain *grain = *place;
  uint32_t since = grain ? grain->round : CACHE_ROUNDS;
  cache->touches++;
  if (since == cache->round) return;
  if (!writes) cache->reads[buffer].bytes[cache->round][since] += bytes;
  if (!grain) *place = grain = ARENA_NEW(cache->arena, CachedGrain);
  *grain = (CachedGrain){address, cache->round};
  cache->moved[cache->round] += bytes;
}

// Reduces the grain to the largest power of two that divides the row's offset and size.
static void measure(uint32_t *grain, uint64_t offset, uint64_t bytes) {
  while (*grain > SECTOR && (offset | bytes) % *grain) *grain /= 2;
}

void cache_row(CostCache *cache, bool writes, uint64_t address, uint64_t bytes, uint64_t weight) {
  uint32_t i = 0;
  const CostBuffer *buffers = cache->launch->buffers;
  while (i < cache->launch->buffer_count &&
         (address < buffers[i].address || address >= buffers[i].address + buffers[i].bytes))
    i++;
  if (i == cache->launch->buffer_count || !bytes) return;
  uint64_t offset = address - buffers[i].address, grain = cache->grains[i];
  if (cache->measures) measure(&cache->grains[i], offset, bytes);
  for (uint64_t n = offset / grain; !cache->measures && n <= (offset + bytes - 1) / grain; n++) {
    touch_bytes(cache, writes, i, buffers[i].address + n * grain, (double)(grain * weight));
    cache->asked[cache->round] += (double)(grain * weight);
    cache->position += (double)(grain * weight);
    cache->tile->bytes += (double)grain;
    cache->tile->position = cache->position;
    cache->tile->buffer = i;
  }
}

// Consecutive elements form a row.
void cache_access(CostCache *cache, const Op *op, const CostValue *pointer, const CostValue *mask,
                  uint64_t weight) {
  uint32_t n = pointer->tile ? pointer->tile->n : 1,
           bytes = type_element_bytes(type_element(op_operand(op, 0)->type)->inner);
  uint64_t rest = mask ? (uint64_t)(uintptr_t)mask->tile ^ (uint64_t)mask->base : 1, first = 0, length = 0;
  if (cache_has(cache, op, (uint64_t)pointer->base, pointer->tile, rest, weight)) return;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t address = (uint64_t)cost_element(pointer, i);
    if (mask && !cost_element(mask, i)) continue;
    if (address != first + length) {
      cache_row(cache, writes(op), first, length, weight);
      first = address, length = 0;
    }
    length += bytes;
  }
  cache_row(cache, writes(op), first, length, weight);
}

CostCache cache_init(Arena *arena, const CostLaunch *launch, double capacity, uint64_t beside) {
  CostCache cache = {
      .arena = arena, .launch = launch, .measures = true, .capacity = capacity, .beside = beside};
  cache.lost = ARENA_ARRAY(arena, double, launch->buffer_count + 1);
  cache.reads = ARENA_ARRAY(arena, CacheReads, launch->buffer_count + 1);
  cache.grains = ARENA_ARRAY(arena, uint32_t, launch->buffer_count + 1);
  for (uint32_t i = 0; i < launch->buffer_count; i++) cache.grains[i] = PAGE;
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
