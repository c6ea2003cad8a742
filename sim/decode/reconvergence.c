// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which the groups of a diverged warp run. A join comes after all code that leads to it, and the
// code after a loop comes after the whole loop. This is independent of where the compiler has placed the
// code. So lanes reconverge at joins, as ptxas makes them with BSSY and BSYNC.
//
// The order is Bourdoncle's weak topological order of the basic blocks. Source: Efficient chaotic iteration
// strategies with widenings, 1993, figure 4.
#include "sim/decode/reconvergence.h"

#include "base/integer.h"

enum { MAX_BLOCKS = 1 << 13 }; // limit, because the search is recursive; longer code keeps the text's order

typedef struct Block {
  uint32_t begin, end; // instruction indices
  uint32_t number;     // of the search; 0: not reached yet
} Block;

typedef struct Order {
  Program *program;
  uint32_t *block_of; // by instruction; UINT32_MAX: no basic block begins there
  Block *blocks;
  uint32_t n;
  uint32_t *stack, depth, searched;
  uint32_t *list, first; // basic blocks in order, filled from the end
} Order;

static bool ends_block(const Insn *insn) {
  return insn->kind == KIND_BRANCH || insn->kind == KIND_INDEXED || insn->kind == KIND_EXIT ||
         insn->kind == KIND_END;
}

// Successor i of the basic block's last instruction. UINT32_MAX: there are no more.
static uint32_t successor(const Order *o, const Block *block, uint32_t i) {
  const Insn *last = &o->program->code.at[block->end - 1];
  bool always = last->guard == 0 && !last->guard_flip,
       falls = last->kind != KIND_END && !(ends_block(last) && always);
  uint32_t targets = last->kind == KIND_BRANCH ? 1 : last->kind == KIND_INDEXED ? last->count : 0;
  if (i < targets) return o->block_of[last->kind == KIND_BRANCH ? last->target : last->u.targets[i]];
  return i == targets && falls ? o->block_of[block->end] : UINT32_MAX;
}

static uint32_t visit(Order *o, uint32_t v);

static void visit_successors(Order *o, uint32_t v, uint32_t *head, bool *loops) {
  for (uint32_t i = 0, s; (s = successor(o, &o->blocks[v], i)) != UINT32_MAX; i++) {
    uint32_t least = o->blocks[s].number ? o->blocks[s].number : visit(o, s);
    if (least <= *head) *head = least, *loops = true;
  }
}

// The basic blocks of a loop are searched again without its head.
static uint32_t visit(Order *o, uint32_t v) {
  Block *block = &o->blocks[v];
  o->stack[o->depth++] = v;
  uint32_t head = block->number = ++o->searched;
  bool loops = false;
  visit_successors(o, v, &head, &loops);
  if (head != block->number) return head;
  block->number = UINT32_MAX;
  while (o->stack[--o->depth] != v) o->blocks[o->stack[o->depth]].number = 0;
  if (loops) {
    uint32_t ignored = 0;
    for (uint32_t i = 0, s; (s = successor(o, block, i)) != UINT32_MAX; i++)
      if (!o->blocks[s].number) ignored += visit(o, s);
  }
  o->list[--o->first] = v;
  return head;
}

static void find_blocks(Order *o) {
  const Insn *code = o->program->code.at;
  uint32_t count = o->program->code.n;
  bool begins = true;
  for (uint32_t pc = 0; pc < count; pc++) o->block_of[pc] = UINT32_MAX;
  for (uint32_t pc = 0; pc < count; pc++) {
    if (begins) o->block_of[pc] = 0;
    begins = ends_block(&code[pc]);
    if (code[pc].kind == KIND_BRANCH) o->block_of[code[pc].target] = 0;
    for (uint32_t i = 0; code[pc].kind == KIND_INDEXED && i < code[pc].count; i++)
      o->block_of[code[pc].u.targets[i]] = 0;
  }
  for (uint32_t pc = 0; pc < count; pc++) {
    if (o->block_of[pc] == UINT32_MAX) continue;
    if (o->n) o->blocks[o->n - 1].end = pc;
    o->blocks[o->n].begin = pc;
    o->block_of[pc] = o->n++;
  }
  o->blocks[o->n - 1].end = count;
}

static void find_ends(Program *program) {
  CodeOrder *order = program->order;
  for (uint32_t pc = program->code.n; pc-- > 0;) {
    bool on = pc + 1 < program->code.n && order[pc + 1].place == order[pc].place + 1;
    order[pc].end = on ? order[pc + 1].end : pc + 1;
  }
}

void order_code(Arena *arena, Program *program) {
  uint32_t count = program->code.n;
  Order o = {.program = program,
             .block_of = ARENA_ARRAY(arena, uint32_t, count + 1),
             .blocks = ARENA_ARRAY(arena, Block, count + 1)};
  find_blocks(&o);
  program->order = ARENA_ARRAY(arena, CodeOrder, count + 1);
  for (uint32_t pc = 0; pc < count; pc++) program->order[pc] = (CodeOrder){pc, count};
  if (o.n > MAX_BLOCKS) return;
  o.stack = ARENA_ARRAY(arena, uint32_t, o.n + 1);
  o.list = ARENA_ARRAY(arena, uint32_t, o.n + 1);
  o.first = o.n;
  for (uint32_t v = 0; v < o.n; v++)
    if (!o.blocks[v].number) visit(&o, v);
  uint32_t at = 0;
  for (uint32_t i = o.first; i < o.n; i++)
    for (uint32_t pc = o.blocks[o.list[i]].begin; pc < o.blocks[o.list[i]].end; pc++)
      program->order[pc].place = at++;
  find_ends(program);
}
