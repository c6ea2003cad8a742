// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor memory and tcgen05 (PTX ISA 9.7.16.6 to 9.7.16.12). Each access is checked at the issue of its
// instruction, in cells of 16 lanes of a column.
//
// tcgen05.ld, st, mma, cp and shift are asynchronous. An access comes after an earlier one if
//
//   * the earlier one is complete (tcgen05.commit and its mbarrier, or tcgen05.wait::ld or ::st). The
//     thread knows of it through tcgen05.fence::before_thread_sync, a synchronisation and
//     tcgen05.fence::after_thread_sync. In its own thread after a tcgen05.wait it needs no fence, after the
//     wait for an mbarrier only the second one.
//   * or both are of the tensor core and form a pipeline (is_pipelined), in one thread or across threads with
//     both fences.
//
// WarpCheck.ordered has the clocks that the warp's next access comes after. Its view has those that
// synchronisation passes on.
#include <stdlib.h>
#include "base/integer.h"
#include "sim/check/check_parts.h"
#include "sim/exec/exec.h"
#include "sim/machine/tmem.h"

enum { PIECE = 16, PIECES = CHIP_TMEM_LANES / PIECE, READERS = 3, PART = 32, PARTS = 4 };

typedef enum TmemBy { BY_MMA, BY_CP, BY_SHIFT, BY_LOAD, BY_STORE } TmemBy;

typedef struct TmemMark {
  uint32_t strand, clock; // strand: from 1, in its CTA; 0: none
  uint32_t issued;
  uint32_t insn, warp;
  const Block *block; // the warp's CTA
  TmemBy by;
  uint32_t column, m, n; // of an accumulator: where D begins, and its shape; m 0: another matrix
} TmemMark;

typedef struct TmemCell {
  TmemMark write, reads[READERS];
} TmemCell;

struct TmemCheck {
  TmemCell cells[CHIP_TMEM_COLUMNS][PIECES];
  uint32_t group_insn;  // the first instruction with a .cta_group; UINT32_MAX: none
  bool filled;          // the collector has A
  uint64_t filled_from; // its descriptor or address
};

bool tmem_open(LaunchChecker *checker, BlockCheck *check) {
  if (!checker->launch->program->has_tcgen05) return true;
  check->tmem = calloc(1, sizeof *check->tmem);
  bool ok = check->tmem;
  for (uint32_t w = 0; w < checker->warps; w++) {
    check->warps[w].ordered = calloc(checker->strands, sizeof *check->warps[w].ordered);
    ok &= check->warps[w].ordered != NULL;
  }
  return ok;
}

void tmem_close(const LaunchChecker *checker, BlockCheck *check) {
  for (uint32_t w = 0; check->warps && w < checker->warps; w++) free(check->warps[w].ordered);
  free(check->tmem);
}

void tmem_begin(const LaunchChecker *checker, BlockCheck *check) {
  if (!check->tmem) return;
  memset(check->tmem, 0, sizeof *check->tmem);
  check->tmem->group_insn = UINT32_MAX;
  for (uint32_t w = 0; w < checker->warps; w++) {
    memset(check->warps[w].ordered, 0, checker->strands * sizeof *check->warps[w].ordered);
    check->warps[w].issued = 1;
  }
}

// ---- fences and waits ----

static void raise(uint32_t *clock, uint32_t to) {
  if (*clock < to) *clock = to;
}

// The strands that need fences: those before STRAND_LOADED.
void tmem_fence(Warp *warp, HookFence fence) {
  const LaunchChecker *checker = checker_of(warp);
  const Block *leader = cluster_leader(warp->block);
  WarpCheck *check = warp_check(warp);
  uint32_t first = strand_of(leader, STRAND_TENSOR_CORE, 0), end = strand_of(leader, STRAND_LOADED, 0);
  for (uint32_t base = 0; base < checker->strands; base += checker->block_strands)
    for (uint32_t i = base + first; i < base + end; i++)
      if (fence == HOOK_FENCE_TCGEN05_BEFORE)
        raise(&check->view.at[i], check->ordered[i]);
      else
        raise(&check->ordered[i], check->view.at[i]);
  if (fence == HOOK_FENCE_TCGEN05_BEFORE)
    raise(&check->view.at[strand_of(warp->block, STRAND_ISSUED, warp->index)], check->issued++);
}

void tmem_wait(Warp *warp, AsyncGroup group, uint32_t groups) {
  WarpCheck *check = warp_check(warp);
  bool loads = group == ASYNC_GROUP_TMEM_LOAD;
  raise(&check->ordered[strand_of(warp->block, loads ? STRAND_TMEM_LOAD : STRAND_TMEM_STORE, warp->index)],
        groups);
  raise(&check->view.at[strand_of(warp->block, loads ? STRAND_LOADED : STRAND_STORED, warp->index)], groups);
}

// ---- order ----

typedef enum Hazard { WRITE_WRITE, READ_WRITE, WRITE_READ } Hazard; // the earlier access, then the later one

static bool of_tensor_core(const TmemMark *mark) { return mark->by <= BY_SHIFT; }

// True if the tensor core executes both in the order of their issue. The ISA (9.7.16.6.2) names mma -> mma of
// one accumulator and shape, cp -> mma, shift -> mma, shift -> cp.4x256b and mma -> shift. That an operation
// does not overwrite what an earlier one still reads or writes is not said there. Kernels rely on it, so it is
// no error here.
static bool is_pipelined(const TmemMark *first, const TmemMark *then, Hazard hazard) {
  if (!of_tensor_core(first) || !of_tensor_core(then)) return false;
  if (hazard != WRITE_READ) return true;
  if (first->by == BY_MMA && then->by == BY_MMA)
    return then->m && first->column == then->column && first->m == then->m && first->n == then->n;
  return then->by == BY_MMA || (first->by == BY_MMA && then->by == BY_SHIFT);
}

static bool of_warp(const TmemMark *mark, const Warp *warp) {
  return mark->warp == warp->index && mark->block == warp->block;
}

static bool comes_after(const Warp *warp, const TmemMark *first, const TmemMark *then, Hazard hazard) {
  const uint32_t *ordered = warp_check(warp)->ordered;
  if (is_pipelined(first, then, hazard) &&
      (of_warp(first, warp) || first->issued <= ordered[strand_of(first->block, STRAND_ISSUED, first->warp)]))
    return true;
  return first->clock <= ordered[first->strand - 1];
}

// Readers come after the last write. So what comes after a complete reader comes after the write.
static bool comes_after_write(const Warp *warp, const TmemCell *cell, const TmemMark *then, Hazard hazard) {
  const uint32_t *ordered = warp_check(warp)->ordered;
  if (!cell->write.strand || comes_after(warp, &cell->write, then, hazard)) return true;
  for (int i = 0; i < READERS; i++) {
    const TmemMark *read = &cell->reads[i];
    if (read->strand && read->clock <= ordered[read->strand - 1]) return true;
  }
  return false;
}

// True if the access is complete and the warp knows of it, with or without fences.
static bool is_over(const Warp *warp, const TmemMark *mark) {
  const uint32_t *seen = warp_check(warp)->view.at;
  if (of_tensor_core(mark)) return mark->clock <= seen[mark->strand - 1];
  return mark->clock <=
         seen[strand_of(mark->block, mark->by == BY_LOAD ? STRAND_LOADED : STRAND_STORED, mark->warp)];
}

// ---- reports ----

static const char *name_of(TmemBy by) {
  static const char *const names[] = {"tcgen05.mma", "tcgen05.cp", "tcgen05.shift", "tcgen05.ld",
                                      "tcgen05.st"};
  return names[by];
}

static void advise(Report *report, const Warp *warp, const TmemMark *first, const TmemMark *then,
                   Hazard hazard) {
  const char *wait = first->by == BY_LOAD ? "tcgen05.wait::ld" : "tcgen05.wait::st";
  const WarpCheck *other = &block_check(first->block)->warps[first->warp];
  bool in_pipeline = is_pipelined(first, then, hazard);
  if (is_over(warp, first) && warp_check(warp)->view.at[first->strand - 1] >= first->clock)
    report_order(report, "tcgen05.fence::after_thread_sync between the synchronisation and this instruction");
  else if (is_over(warp, first))
    report_order(report,
                 "tcgen05.fence::before_thread_sync by warp %u between the %s and the synchronisation",
                 first->warp, wait);
  else if (in_pipeline)
    report_order(report,
                 "tcgen05.fence::before_thread_sync by warp %u, a synchronisation, and "
                 "tcgen05.fence::after_thread_sync here",
                 first->warp);
  else if (of_tensor_core(first))
    report_order(report, "tcgen05.commit after the first, a wait for its mbarrier, and "
                         "tcgen05.fence::after_thread_sync");
  else if (other->ordered[first->strand - 1] < first->clock)
    report_order(report, "%s by warp %u after the first%s", wait, first->warp,
                 of_warp(first, warp) ? "" : ", then a synchronisation");
  else
    report_order(report,
                 "a synchronisation of warp %u and warp %u, with tcgen05.fence::before_thread_sync before it "
                 "and tcgen05.fence::after_thread_sync after it",
                 first->warp, warp->index);
}

static void report_hazard(const HookTmem *access, const TmemMark *first, const TmemMark *then, Hazard hazard,
                          uint32_t column) {
  static const char *const texts[][2] = {{"written", "writes"}, {"read", "writes"}, {"written", "reads"}};
  const AsyncOp *op = access->op;
  // Complete, and known to be: only a fence is missing.
  tilec_sim_report_kind kind = is_over(op->warp, first) ? TILEC_SIM_TMEM_FENCE : TILEC_SIM_TMEM;
  Report *report = report_new(op->warp, op->insn, op->mask, kind, column, first->insn);
  if (!report) return;
  report_message(report,
                 "data race in tensor memory: this %s %s column %u, which an earlier %s may not have %s yet",
                 name_of(then->by), texts[hazard][1], column, name_of(first->by), texts[hazard][0]);
  report_blame(report, op->warp, first->insn, first->warp, "the earlier access");
  advise(report, op->warp, first, then, hazard);
}

static void report_unwritten(const HookTmem *access, const TmemMark *then, uint32_t column) {
  const AsyncOp *op = access->op;
  Report *report = report_new(op->warp, op->insn, op->mask, TILEC_SIM_TMEM, column, UINT32_MAX);
  if (!report) return;
  report_message(report, "this %s reads column %u of tensor memory, which nothing has written",
                 name_of(then->by), column);
  if (access->accumulator) report_order(report, "enable-input-d false for the first tcgen05.mma");
}

// ---- accesses ----

static TmemBy by_of(const Insn *insn) {
  if (insn->exec == exec_tmem_load) return BY_LOAD;
  if (insn->exec == exec_tmem_store) return BY_STORE;
  return insn->exec == exec_tcgen05_mma ? BY_MMA : insn->exec == exec_tcgen05_cp ? BY_CP : BY_SHIFT;
}

static TmemMark mark_of(const HookTmem *access) {
  const AsyncOp *op = access->op;
  uint32_t strand, clock;
  async_event(op, lowest_lane(op->mask), access->access == HOOK_WRITE, &strand, &clock);
  return (TmemMark){.strand = strand + 1,
                    .clock = clock,
                    .issued = warp_check(op->warp)->issued,
                    .insn = insn_index(op->warp, op->insn),
                    .warp = op->warp->index,
                    .block = op->warp->block,
                    .by = by_of(op->insn),
                    .column = access->column,
                    .m = access->accumulator ? access->m : 0,
                    .n = access->n};
}

// A fourth reader replaces the first one.
static void remember_read(const Warp *warp, TmemCell *cell, const TmemMark *mark) {
  TmemMark *to = &cell->reads[0];
  for (int i = READERS - 1; i >= 0; i--) {
    TmemMark *old = &cell->reads[i];
    if (!old->strand || old->strand == mark->strand || comes_after(warp, old, mark, READ_WRITE)) to = old;
  }
  *to = *mark;
}

static void touch_cell(const HookTmem *access, TmemCell *cell, const TmemMark *mark, uint32_t column) {
  const Warp *warp = access->op->warp;
  bool writes = access->access == HOOK_WRITE;
  if (!writes && !cell->write.strand) {
    report_unwritten(access, mark, column);
    cell->write = (TmemMark){
        .strand = mark->strand, .warp = mark->warp, .block = mark->block, .by = mark->by}; // reported once
    return;
  }
  Hazard hazard = writes ? WRITE_WRITE : WRITE_READ;
  if (!comes_after_write(warp, cell, mark, hazard)) report_hazard(access, &cell->write, mark, hazard, column);
  for (int i = 0; writes && i < READERS; i++)
    if (cell->reads[i].strand && !comes_after(warp, &cell->reads[i], mark, READ_WRITE))
      report_hazard(access, &cell->reads[i], mark, READ_WRITE, column);
  if (!writes) {
    remember_read(warp, cell, mark);
    return;
  }
  *cell = (TmemCell){.write = *mark};
}

static void wrong_lanes(const AsyncOp *op) {
  uint32_t lane = tmem_lane(op->u.tensor->to), first = op->warp->index % PARTS * PART;
  if (lane / PART * PART == first) return;
  Report *report = report_new(op->warp, op->insn, op->mask, TILEC_SIM_TMEM, op->u.tensor->to, UINT32_MAX);
  if (!report) return;
  report_message(report, "warp %u reaches lanes %u to %u of tensor memory, and the address has lane %u",
                 op->warp->index, first, first + PART - 1, lane);
  report_order(report, "the address plus 32 times the warp's number in its warpgroup, in bits 16 and up");
}

void hook_tmem(void *context, const HookTmem *access) {
  TmemCheck *tmem = block_check(access->block ? access->block : access->op->warp->block)->tmem;
  TmemMark mark = mark_of(access);
  (void)context;
  if (!of_tensor_core(&mark)) wrong_lanes(access->op);
  uint32_t last = (access->lane + access->lanes - 1) / PIECE;
  for (uint32_t c = access->column; c < access->column + access->columns; c++)
    for (uint32_t p = access->lane / PIECE; p <= last; p++) touch_cell(access, &tmem->cells[c][p], &mark, c);
}

// ---- the collector ----

void tmem_issue(const AsyncOp *op) {
  TmemCheck *tmem = block_check(op->warp->block)->tmem;
  if (op->insn->exec != exec_tcgen05_mma) return;
  const TensorMma *mma = op->insn->u.mma;
  uint64_t from = mma->a_in_tmem ? op->u.tensor->a : op->descriptors[0];
  bool uses = mma->collector == COLLECTOR_USE || mma->collector == COLLECTOR_LASTUSE;
  if (uses && !(tmem->filled && tmem->filled_from == from)) {
    Report *report = report_new(op->warp, op->insn, op->mask, TILEC_SIM_TMEM, 0, UINT32_MAX);
    if (report)
      report_message(report, "this tcgen05.mma takes A from the collector, %s",
                     tmem->filled ? "which was filled with another A" : "which no earlier one has filled");
  }
  tmem->filled = mma->collector == COLLECTOR_FILL || (mma->collector == COLLECTOR_USE && tmem->filled);
  if (mma->collector == COLLECTOR_FILL) tmem->filled_from = from;
}

// ---- allocation ----

static void freed_early(Warp *warp, const Insn *insn, uint32_t mask, const TmemMark *mark, uint32_t column) {
  if (!mark->strand || is_over(warp, mark)) return;
  Report *report = report_new(warp, insn, mask, TILEC_SIM_TMEM, column, mark->insn);
  if (!report) return;
  report_message(report, "column %u of tensor memory is freed, and an earlier %s may still use it", column,
                 name_of(mark->by));
  report_blame(report, warp, mark->insn, mark->warp, "the earlier access");
  if (of_tensor_core(mark))
    report_order(report,
                 "tcgen05.commit after the access, and a wait for its mbarrier before tcgen05.dealloc");
  else
    report_order(report, "%s by warp %u, then a barrier before tcgen05.dealloc",
                 mark->by == BY_LOAD ? "tcgen05.wait::ld" : "tcgen05.wait::st", mark->warp);
}

static void freed_cell(Warp *warp, const Insn *insn, uint32_t mask, const TmemCell *cell, uint32_t column) {
  bool read_over = false;
  for (int i = 0; i < READERS; i++) {
    freed_early(warp, insn, mask, &cell->reads[i], column);
    read_over |= cell->reads[i].strand && is_over(warp, &cell->reads[i]);
  }
  if (!read_over) freed_early(warp, insn, mask, &cell->write, column);
}

void hook_tmem_change(void *context, Warp *warp, const Insn *insn, uint32_t mask, uint32_t column,
                      uint32_t columns) {
  TmemCheck *tmem = block_check(warp->block)->tmem;
  (void)context;
  for (uint32_t c = column; c < column + columns; c++)
    for (uint32_t p = 0; p < PIECES; p++) {
      TmemCell *cell = &tmem->cells[c][p];
      if (insn->extra == TMEM_DEALLOC) freed_cell(warp, insn, mask, cell, c);
      *cell = (TmemCell){0};
    }
}

void tmem_end(Block *block) {
  for (uint32_t i = 0; i < TMEM_ALLOCATIONS; i++) {
    const TmemAllocation *a = &block->tmem->allocations[i];
    if (!a->columns) continue;
    Report *report = report_new(&block->warps[a->warp], &block->program->code.at[a->insn], ALL_LANES,
                                TILEC_SIM_TMEM, a->column, UINT32_MAX);
    if (!report) continue;
    report_message(report, "%u columns of tensor memory are not freed when the CTA has ended", a->columns);
    report_order(report, "tcgen05.dealloc before the end");
  }
}

void hook_cta_group(void *context, Warp *warp, const Insn *insn, uint32_t mask) {
  TmemCheck *tmem = block_check(cluster_leader(warp->block))->tmem;
  uint32_t index = insn_index(warp, insn);
  (void)context;
  if (tmem->group_insn == UINT32_MAX) tmem->group_insn = index;
  const Insn *first = &warp->block->program->code.at[tmem->group_insn];
  if (first->count == insn->count) return;
  Report *report = report_new(warp, insn, mask, TILEC_SIM_TMEM, 0, tmem->group_insn);
  if (!report) return;
  report_message(
      report, "this tcgen05 has .cta_group::%u, and an earlier one .cta_group::%u: a kernel has one of them",
      insn->count, first->count);
  report_blame(report, warp, tmem->group_insn, warp->index, "the other .cta_group");
}
