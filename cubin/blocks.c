// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cubin/blocks.h"

#include <string.h>

enum { NOWHERE = UINT32_MAX };

// --- basic blocks

static bool ends_block(const SassInsn *insn) { return insn->flow != SASS_ON; }

// Keeps only the blocks that control flow can reach, in place.
static void keep_reachable(Arena *arena, SassBlocks *blocks) {
  uint32_t *todo = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)blocks->n + 1),
           *now = ARENA_ARRAY(arena, uint32_t, blocks->n + 1), n = 0, kept = 0;
  bool *seen = ARENA_ARRAY(arena, bool, blocks->n + 1);
  if (blocks->n) todo[n++] = 0;
  while (n) {
    uint32_t i = todo[--n];
    if (seen[i]) continue;
    seen[i] = true;
    for (int k = 0; k < 2; k++)
      if (blocks->at[i].follow[k] != NOWHERE) todo[n++] = blocks->at[i].follow[k];
  }
  for (uint32_t i = 0; i < blocks->n; i++) now[i] = kept, kept += seen[i];
  for (uint32_t i = 0; i < blocks->n; i++) {
    SassBlock block = blocks->at[i];
    for (int k = 0; k < 2; k++)
      if (block.follow[k] != NOWHERE) block.follow[k] = now[block.follow[k]];
    if (seen[i]) blocks->at[now[i]] = block;
  }
  blocks->n = kept;
}

static void find_blocks(Arena *arena, SassBlocks *blocks, uint32_t count) {
  bool *first = ARENA_ARRAY(arena, bool, (size_t)count + 1);
  uint32_t *of = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const SassInsn *insn = &blocks->insns[i];
    first[0] = true;
    if (ends_block(insn)) first[i + 1] = true;
    if (insn->target != NOWHERE) first[insn->target] = true;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (first[i]) blocks->at[blocks->n++] = (SassBlock){i, 0, {NOWHERE, NOWHERE}, 0};
    of[i] = blocks->n - 1;
    blocks->at[of[i]].count++;
  }
  for (uint32_t i = 0; i < blocks->n; i++) {
    SassBlock *block = &blocks->at[i];
    const SassInsn *last = &blocks->insns[block->first + block->count - 1];
    if ((last->flow == SASS_ON || last->conditional) && i + 1 < blocks->n) block->follow[0] = i + 1;
    if (last->flow == SASS_BRANCH && last->target != NOWHERE) block->follow[1] = of[last->target];
  }
}

// --- loops: strongly connected components, and within each those of it without its first block

typedef struct Graph {
  SassBlocks *blocks;
  uint32_t *before_at, *before; // predecessors of block i: before[before_at[i]...before_at[i + 1] - 1]
  uint32_t *part, parts;        // the component that each block is in now
  uint32_t *ahead, *behind, *todo, marks;
} Graph;

static void find_before(Arena *arena, Graph *g) {
  const SassBlocks *blocks = g->blocks;
  g->before_at = ARENA_ARRAY(arena, uint32_t, (size_t)blocks->n + 2);
  g->before = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)blocks->n + 1);
  for (int fill = 0; fill < 2; fill++) {
    for (uint32_t i = 0; i < blocks->n; i++)
      for (int k = 0; k < 2; k++) {
        uint32_t next = blocks->at[i].follow[k];
        if (next == NOWHERE) continue;
        if (fill)
          g->before[g->before_at[next]++] = i;
        else
          g->before_at[next + 1]++;
      }
    if (!fill)
      for (uint32_t i = 0; i < blocks->n; i++) g->before_at[i + 1] += g->before_at[i];
  }
  for (uint32_t i = blocks->n; i > 0; i--) g->before_at[i] = g->before_at[i - 1];
  g->before_at[0] = 0;
}

// Marks the blocks reachable from `start` in at least one step without leaving its component.
static void reach(Graph *g, uint32_t start, bool forwards, uint32_t *mark) {
  uint32_t n = 0;
  g->todo[n++] = start;
  while (n) {
    uint32_t i = g->todo[--n];
    const uint32_t *next = forwards ? g->blocks->at[i].follow : g->before + g->before_at[i];
    uint32_t count = forwards ? 2 : g->before_at[i + 1] - g->before_at[i];
    for (uint32_t k = 0; k < count; k++) {
      if (next[k] == NOWHERE || g->part[next[k]] != g->part[start] || mark[next[k]] == g->marks) continue;
      mark[next[k]] = g->marks;
      g->todo[n++] = next[k];
    }
  }
}

// Handles the blocks of `part` from index `from` on.
static void find_loops(Graph *g, uint32_t part, uint32_t from) {
  for (uint32_t i = from; i < g->blocks->n; i++) {
    if (g->part[i] != part) continue;
    g->marks++;
    reach(g, i, true, g->ahead);
    reach(g, i, false, g->behind);
    g->part[i] = 0;
    if (g->ahead[i] != g->marks || g->behind[i] != g->marks) continue;
    uint32_t inner = ++g->parts;
    g->blocks->at[i].depth++;
    for (uint32_t j = i + 1; j < g->blocks->n; j++)
      if (g->part[j] == part && g->ahead[j] == g->marks && g->behind[j] == g->marks)
        g->blocks->at[j].depth++, g->part[j] = inner;
    find_loops(g, inner, i + 1);
  }
}

SassBlocks sass_blocks(Arena *arena, const MachineCode *code) {
  SassInsn *insns = ARENA_ARRAY(arena, SassInsn, (size_t)code->count + 1);
  for (uint32_t i = 0; i < code->count; i++) insns[i] = sass_decode(code, i);
  SassBlocks blocks = {insns, ARENA_ARRAY(arena, SassBlock, (size_t)code->count + 1), 0};
  find_blocks(arena, &blocks, code->count);
  keep_reachable(arena, &blocks);
  size_t room = (size_t)blocks.n + 1;
  Graph g = {.blocks = &blocks, .parts = 1};
  find_before(arena, &g);
  g.part = ARENA_ARRAY(arena, uint32_t, room);
  g.ahead = ARENA_ARRAY(arena, uint32_t, room);
  g.behind = ARENA_ARRAY(arena, uint32_t, room);
  g.todo = ARENA_ARRAY(arena, uint32_t, room);
  for (uint32_t i = 0; i < blocks.n; i++) g.part[i] = 1;
  find_loops(&g, 1, 0);
  return blocks;
}
