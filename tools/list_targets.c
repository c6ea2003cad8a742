// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --list-targets: the table of architectures in three parts: instructions, limits, and rates with a card.
#include <stdio.h>
#include <string.h>

#include "target/target.h"
#include "tools/tool.h"

enum { MAX_COLUMNS = 16 };

// A row being built. All rows have the same headings.
typedef struct TargetRow {
  Arena *arena;
  uint32_t n;
  const char *heading[MAX_COLUMNS], *text[MAX_COLUMNS];
} TargetRow;

static void text(TargetRow *row, const char *heading, const char *cell) {
  row->heading[row->n] = heading;
  row->text[row->n++] = cell;
}

static void number(TargetRow *row, const char *heading, uint32_t number) {
  text(row, heading, number ? arena_printf(row->arena, "%u", number) : "-");
}

static void has(TargetRow *row, const char *heading, bool has) { text(row, heading, has ? "yes" : "-"); }

// Two numbers. A second number of 0 means that there are none.
static void pair(TargetRow *row, const char *heading, const char *format, uint32_t a, uint32_t b) {
  text(row, heading, "-");
  if (b == 0) return;
  Buf out = {0};
  buf_printf(&out, "%u%s%u", a, format, b);
  row->text[row->n - 1] = arena_copy(row->arena, buf_view(&out));
  buf_free(&out);
}

static const char *mma_types(Arena *arena, uint8_t mma) {
  static const struct {
    uint8_t bit;
    const char *name;
  } types[] = {{MMA_FP16, "fp16"},  {MMA_BF16, ",bf16"}, {MMA_TF32, ",tf32"},
               {MMA_INT8, ",int8"}, {MMA_FP64, ",fp64"}, {MMA_FP8, ",fp8"}};
  Buf out = {0};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (mma & types[i].bit) buf_text(&out, types[i].name);
  const char *names = arena_copy(arena, buf_view(&out));
  buf_free(&out);
  return names;
}

static void instructions(TargetRow *row, const TargetInfo *t) {
  text(row, "PTX", arena_printf(row->arena, "%u.%u", t->ptx / 10, t->ptx % 10));
  text(row, "mma.sync", mma_types(row->arena, t->mma));
  has(row, "wgmma", t->has_wgmma);
  has(row, "cp.async", t->has_cp_async);
  pair(row, "TMA copies", "d of ", t->tensor_rank, t->tensor_box);
  number(row, "cluster", t->cluster_blocks);
  number(row, "barriers", t->named_barriers);
  pair(row, "setmaxnreg", " to ", t->setmaxnreg_least, t->setmaxnreg_most);
  has(row, "redux", t->has_redux);
  has(row, "fp8", t->fp8_ptx > 0);
  has(row, "bf16 atomics", t->has_bf16_atomics);
  has(row, "vector atomics", t->has_vector_atomics);
  has(row, "cache policy", t->has_cache_policy);
  has(row, "async proxy", t->has_async_proxy);
  has(row, "overlap", t->has_grid_control);
}

static void newer_instructions(TargetRow *row, const TargetInfo *t) {
#define FEATURE(name, heading, meaning) has(row, heading, target_has(t, FEATURE_##name));
#include "target/features.def"
#undef FEATURE
}

static void limits(TargetRow *row, const TargetInfo *t) {
  number(row, "shared", t->shared_limit);
  number(row, "static", t->shared_static);
  number(row, "reserved", t->shared_reserved);
  number(row, "registers", t->registers);
  number(row, "a thread", t->thread_registers);
  number(row, "warps", t->warps);
  number(row, "threads", TARGET_WARP * t->warps);
  number(row, "blocks", t->blocks);
}

static void rates(TargetRow *row, const TargetInfo *t) {
  number(row, "fp16, bf16", t->tensor_fp16);
  number(row, "tf32", t->tensor_tf32);
  number(row, "fp8", t->tensor_fp8);
  number(row, "int8", t->tensor_int8);
  number(row, "fp64", t->tensor_fp64);
  number(row, "fma", t->fma);
  number(row, "mufu", t->mufu);
  number(row, "SMs", t->multiprocessors);
  number(row, "L2 MB", t->l2_mb);
  number(row, "GB/s", t->bandwidth);
  text(row, "card", t->card[0] ? t->card : "-");
}

static void print_line(Buf *out, const char *const *cells, const size_t *width, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    buf_printf(out, "%s%-*s", i ? "  " : "", i + 1 < n ? (int)width[i] : 0, cells[i]);
  buf_char(out, '\n');
}

static void print_part(Buf *out, Arena *arena, void (*fill)(TargetRow *row, const TargetInfo *t)) {
  uint32_t count;
  const TargetInfo *list = target_list(&count);
  TargetRow *rows = ARENA_ARRAY(arena, TargetRow, count);
  size_t width[MAX_COLUMNS] = {0};
  for (uint32_t r = 0; r < count; r++) {
    rows[r].arena = arena;
    text(&rows[r], "", list[r].name);
    fill(&rows[r], &list[r]);
    for (uint32_t i = 0; i < rows[r].n; i++) {
      size_t heading = strlen(rows[r].heading[i]), cell = strlen(rows[r].text[i]);
      if (heading > width[i]) width[i] = heading;
      if (cell > width[i]) width[i] = cell;
    }
  }
  print_line(out, rows->heading, width, rows->n);
  for (uint32_t r = 0; r < count; r++) print_line(out, rows[r].text, width, rows[r].n);
}

void tool_list_targets(Buf *out) {
  Arena arena = {0};
  buf_text(out, "Instructions. PTX: the lowest version; TMA copies: ranks, and most elements along a "
                "dimension; cluster: most CTAs; fp8: conversions; overlap: of launches.\n\n");
  print_part(out, &arena, instructions);
  buf_printf(out, "\nInstructions newer than %s's (target/features.def).\n\n", target_fallback()->name);
  print_part(out, &arena, newer_instructions);
  buf_text(out, "\nLimits. Shared memory in bytes: of a CTA, without opt-in, and reserved by the system for "
                "each CTA;\nregisters, warps, threads and CTAs of a multiprocessor.\n\n");
  print_part(out, &arena, limits);
  buf_text(out, "\nRates for each clock and multiprocessor: dense tensor core operations (a multiply-add is "
                "two), fp32 multiply-adds\nand ex2 of threads; and a card. -: none, or unknown.\n\n");
  print_part(out, &arena, rates);
  arena_free(&arena);
}
