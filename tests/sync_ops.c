// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sync_ops FILE.tir: prints the synchronising instructions that the ops of the module make by
// ir/ops.def. One line has an instruction and its number. Each piece of inline assembly is a line
// "asm TEXT".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "ir/build.h"
#include "ir/text/parse.h"
#include "ir/dot/dot.h"
#include "ir/memory/atomic.h"
#include "ir/memory/groups.h"
#include "ir/queries.h"

enum { MAX_WORDS = 64 };

typedef struct Counts {
  Str word[MAX_WORDS];
  uint32_t count[MAX_WORDS], n;
} Counts;

static void count_word(Counts *counts, Str word) {
  uint32_t i = 0;
  while (i < counts->n && !str_eq(counts->word[i], word)) i++;
  if (i == MAX_WORDS) return;
  if (i == counts->n) counts->word[counts->n++] = word;
  counts->count[i]++;
}

// A turn is one instruction for each warpgroup of its region, or one with `first` or `last`.
static uint32_t copies_of(Op *op) {
  bool turn = op->kind == OP_PINGPONG_WAIT || op->kind == OP_PINGPONG_PASS;
  return turn && !op_attr(op, ATTR_FIRST) && !op_attr(op, ATTR_LAST) ? region_warps(op) / 4 : 1;
}

// The synchronising instructions that the op prints, separated by spaces.
static const char *op_sync(const Op *op) {
  bool tmem = op->result_count && op->results[0].type->kind == TYPE_TMEM;
  if (tmem && op->kind == OP_DOT) return group_runs_by_thread(op) ? "" : "tcgen05.fence tcgen05.commit";
  if (tmem && op->kind == OP_DOT_WAIT) return "mbarrier.try_wait tcgen05.fence";
  bool none = op->kind == OP_DOT && !is_dot_of(op, DOT_WGMMA); // complete when issued
  none |= op->kind == OP_ATOMIC_RMW && !atomic_fences(op);
  none |= op->kind == OP_WARP_GROUPS && !op_attr(op, ATTR_GROUP_REGISTERS);
  if (op->kind == OP_MBARRIER_ARRIVE && op_follows_dots(op)) return "tcgen05.commit";
  if (op->kind == OP_MBARRIER_ARRIVE && group_runs_by_thread(op))
    return "mbarrier.arrive"; // its warp need not converge
  return none ? "" : op_info(op->kind)->sync;
}

static void count_op(Op *op, void *data) {
  Str word;
  for (uint32_t i = 0; i < copies_of(op); i++) {
    const char *words = op_sync(op);
    while (words_next(&words, &word)) count_word(data, word);
  }
  const Attr *text = op_attr(op, ATTR_ASM);
  if (text) printf("asm %s\n", text->str);
}

static bool read_all(const char *path, Buf *text) {
  char part[4096];
  FILE *file = fopen(path, "r");
  if (!file) return false;
  for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) buf_bytes(text, part, n);
  fclose(file);
  return true;
}

int main(int argc, char **argv) {
  Arena arena = {0};
  Sources sources = {.arena = &arena};
  Diags diags = {.arena = &arena, .sources = &sources};
  IrContext ir;
  Buf text = {0};
  Counts counts = {.n = 0};
  if (argc != 2 || !read_all(argv[1], &text)) return 2;
  ir_context_init(&ir, &arena, &sources, &diags);
  IrModule *module = module_parse(&ir, sources_add(&sources, argv[1], buf_view(&text)));
  if (!module) return 1;
  for (uint32_t i = 0; i < module->funcs.n; i++)
    for (OpWalk w = ops_in(module->funcs.at[i]->body); ops_next(&w);) count_op(w.op, &counts);
  for (uint32_t i = 0; i < counts.n; i++)
    printf("%.*s %u\n", (int)counts.word[i].n, counts.word[i].at, counts.count[i]);
  arena_free(&arena);
  buf_free(&text);
  return 0;
}
