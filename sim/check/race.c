// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides if an access races with an earlier one. race_run() is called for each access. after() compares
// vector clocks to find out if the two are ordered. Synchronisation advances the clocks, in check_sync.c
// (atomics, fences), check_barrier.c and check_async.c.
#include "sim/check/race.h"

#include <string.h>
#include "sim/check/check_parts.h"
#include "sim/check/facts.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

// Lanes of one warp are ordered while they run together. After a divergence, they are ordered by the clocks
// they have exchanged.
static bool lanes_ordered(const Actor *actor, const Mark *mark, uint32_t lane) {
  const WarpCheck *check = warp_check(actor->warp);
  uint32_t other = mark_lane(mark);
  return mark->clock <= check->converged || (actor->group >> other & 1) ||
         (check->lanes && mark->clock <= check->lanes[lane][other]);
}

static bool known_elsewhere(Actor *actor, const Mark *mark) {
  if (!actor->foreign) return false;
  if (actor->last.strand != mark->strand)
    actor->last = (Event){mark->strand, foreign_clock(actor->foreign, mark->strand)};
  return mark->clock <= actor->last.clock;
}

// True if the actor comes after the marked access.
static inline bool after(Actor *actor, const Mark *mark, uint32_t lane) {
  uint32_t strand = mark->strand - actor->first;
  if (strand >= actor->strands) return known_elsewhere(actor, mark);
  if (strand == actor->own) return lanes_ordered(actor, mark, lane);
  return mark->clock <= actor->seen[strand];
}

static bool on_other_device(const Actor *actor, const Mark *mark) {
  return strand_device(checker_of(actor->warp), mark->strand) != actor->block->device;
}

// Two strong accesses are no race if each thread is within the scope of the other access.
static inline bool both_strong(const Actor *actor, const Mark *mark) {
  uint32_t flags = actor->mark.info & mark->info;
  if (!(flags & MARK_STRONG)) return false;
  if (checker_of(actor->warp)->launch->devices > 1 && on_other_device(actor, mark)) {
    const Insn *other = &actor->warp->block->program->code.at[mark_insn(mark)];
    return actor->insn->u.access->scope == SCOPE_SYSTEM && other->u.access->scope == SCOPE_SYSTEM;
  }
  return mark->strand - actor->first - actor->base < actor->block_strands ||
         !((actor->mark.info | mark->info) & MARK_BLOCK);
}

// A generic write that may not yet be visible to the asynchronous proxy.
static inline bool behind_proxy(const Actor *actor, const Mark *mark) {
  uint32_t strand = mark->strand - actor->first;
  return actor->proxy && !(mark->info & MARK_ASYNC) && strand < actor->strands &&
         mark->clock > actor->proxy[strand];
}

// One access is through a multicast address and the other is not, and no thread has executed fence.proxy.alias after
// the first. A fence of a thread that does not order the two is taken for one that does.
static inline bool behind_alias(const Actor *actor, const Mark *mark) {
  const LaunchChecker *checker = checker_of(actor->warp);
  if (!checker->aliases) return false;
  const Insn *other = &actor->warp->block->program->code.at[mark_insn(mark)];
  return is_multimem(actor->insn) != is_multimem(other) &&
         mark->clock > foreign_clock(checker->aliased, mark->strand);
}

// A read and a write of one source line, as in `*sum += s`: an update that is no atomic.
static bool is_update(const Actor *actor, const Mark *mark) {
  const Program *program = actor->warp->block->program;
  const Insn *other = &program->code.at[mark_insn(mark)];
  const Site *a = &program->sites.at[actor->insn->site], *b = &program->sites.at[other->site];
  return access_of(actor->insn) != access_of(other) && a->file && b->file && a->line == b->line &&
         strcmp(a->file, b->file) == 0;
}

// True if the access is the copy of a cp.async, which may run long after the instruction.
static bool is_copy(const Actor *actor) {
  StrandKind kind;
  uint32_t block, which;
  strand_name(checker_of(actor->warp), actor->mark.strand, &block, &kind, &which);
  return kind == STRAND_COPY;
}

static void advise(const Actor *actor, const Mark *mark, bool proxy, Report *report) {
  StrandKind kind;
  uint32_t block, which;
  strand_name(checker_of(actor->warp), mark->strand, &block, &kind, &which);
  if (on_other_device(actor, mark))
    report_order(report, "a release by the first device and an acquire by the second, both of scope .sys");
  else if (block != actor->warp->block->index && mark->strand - actor->first < actor->strands)
    report_order(report, "cluster.sync() (barrier.cluster.arrive and .wait), or an mbarrier");
  else if (block != actor->warp->block->index) {
    if (mark->info & actor->mark.info & MARK_STRONG)
      report_order(report, "scope .cta (_block in CUDA) orders nothing between CTAs: use scope .gpu");
    else if (is_update(actor, mark))
      report_order(report,
                   "an atomic, such as atomicAdd, instead of the load and the store; if a lock guards "
                   "them, __threadfence() after it is taken and before it is released");
    else
      report_order(
          report,
          "for an update an atomic, such as atomicAdd; else __threadfence() (fence.acq_rel.gpu) after "
          "the first, an atomic or volatile flag, and __threadfence() after the flag is read");
  } else if (proxy)
    report_order(report, "fence.proxy.async by the writing threads, then a barrier");
  else if (kind == STRAND_COPY)
    report_order(report,
                 "__pipeline_wait_prior() (cp.async.wait_group) by warp %u, then __syncthreads() for other "
                 "warps",
                 which);
  else if (is_copy(actor))
    report_order(
        report,
        "if the other access needs this copy, __pipeline_wait_prior() (cp.async.wait_group) by warp %u, "
        "then __syncthreads(); else __syncthreads() before the copy",
        actor->warp->index);
  else if (kind == STRAND_BULK_READ)
    report_order(report, "cp.async.bulk.wait_group.read by the issuing thread, then a barrier for others");
  else if (kind == STRAND_BULK)
    report_order(report, "cp.async.bulk.wait_group by the issuing thread, then a barrier for others");
  else if (kind == STRAND_WGMMA)
    report_order(report, "wgmma.wait_group by warp %u, then a barrier for other warps", which);
  else if (kind == STRAND_TENSOR_CORE)
    report_order(report, "tcgen05.commit by its thread of warp %u, and a wait for that mbarrier", which);
  else if (kind == STRAND_MBARRIER)
    report_order(report, "a wait for that phase of its mbarrier");
  else if (which == actor->warp->index)
    report_order(report,
                 "__syncwarp() (bar.warp.sync) between them: the lanes have not met since they parted");
  else
    report_order(report,
                 "__syncthreads() (bar.sync) or an mbarrier between warp %u and warp %u; two updates of "
                 "one element need atomics",
                 which, actor->warp->index);
}

// Records if the race is within a CTA or between CTAs, in the new or the counted report.
static void note_blocks(Actor *actor, const Mark *mark) {
  const LaunchChecker *checker = checker_of(actor->warp);
  uint32_t block, which;
  StrandKind kind;
  strand_name(checker, mark->strand, &block, &kind, &which);
  if (!checker->current) return;
  if (block == actor->warp->block->index)
    checker->current->api.within_block = 1;
  else
    checker->current->api.between_blocks = 1;
}

static void report_race(Actor *actor, const Mark *mark, tilec_sim_report_kind kind, uint32_t lane,
                        uint64_t address, bool proxy) {
  static const char *const texts[][2] = {
      {"write", "an earlier write"}, {"write", "an earlier read"}, {"read", "an earlier write"}};
  const char *const *text = texts[kind - TILEC_SIM_RACE_WRITE_WRITE];
  Report *report =
      report_new(actor->warp, actor->insn, actor->lanes & (1u << lane), kind, address, mark_insn(mark));
  note_blocks(actor, mark);
  if (!report) return;
  report_buffer(report, actor->warp, actor->space, address);
  if (proxy)
    report_message(report,
                   "data race: a %s through the asynchronous proxy of %s is not ordered after "
                   "%s through the generic one",
                   text[0], report->buffer, text[1]);
  else
    report_message(report, "data race: this %s of %s and %s are not ordered", text[0], report->buffer,
                   text[1]);
  report_other(report, actor->warp, mark, kind == TILEC_SIM_RACE_READ_WRITE);
  advise(actor, mark, proxy, report);
}

static void report_alias(Actor *actor, const Mark *mark, bool read, uint32_t lane, uint64_t address) {
  Report *report = report_new(actor->warp, actor->insn, actor->lanes & (1u << lane), TILEC_SIM_MULTICAST,
                              address, mark_insn(mark));
  if (!report) return;
  report_buffer(report, actor->warp, actor->space, address);
  report_message(
      report,
      "this access of %s and an earlier %s are ordered, but one uses a multicast address and the other "
      "does not, without fence.proxy.alias between them (PTX ISA 9.7.13.4)",
      report->buffer, read ? "read" : "write");
  report_other(report, actor->warp, mark, read);
  report_order(report, "fence.proxy.alias by the first thread before its release, or by the second one after "
                       "its acquire");
}

// ---- one cell ----

static void against_write(Actor *actor, const Cell *cell, tilec_sim_report_kind kind, uint32_t lane,
                          uint64_t address) {
  const Mark *mark = &cell->write;
  if (!mark->strand) return;
  if (!after(actor, mark, lane)) {
    if (!both_strong(actor, mark)) report_race(actor, mark, kind, lane, address, false);
  } else if (behind_proxy(actor, mark))
    report_race(actor, mark, kind, lane, address, true);
  else if (behind_alias(actor, mark) && !both_strong(actor, mark))
    report_alias(actor, mark, false, lane, address);
}

// True if a lane's store writes the value that the memory has.
static bool keeps_value(const Actor *actor, const ByteRun *run, uint32_t lane, uint64_t address,
                        uint64_t bytes) {
  const MemoryAccess *access = actor->insn->u.access;
  const unsigned char *held = actor->block->shared + address;
  if (actor->space != SPACE_SHARED) {
    const Allocation *allocation = memory_below(checker_of(actor->warp)->launch->memory, run->address);
    if (!allocation) return false;
    held = allocation->host + (address - allocation->base);
  }
  for (uint64_t i = 0; i < bytes; i++) {
    uint64_t at = address + i - actor->addresses[lane], element = at / access->bytes;
    if (element >= access->count) return false;
    const unsigned char *slot = lanes_at(actor->warp, access->slots[element]);
    if (held[i] != slot[(uint64_t)lane * access->slot_bytes[element] + at % access->bytes]) return false;
  }
  return true;
}

// True if a store writes the value that the earlier store wrote. Their order then does not matter.
static bool writes_same(const Actor *actor, const Mark *mark, const ByteRun *run, uint32_t lane,
                        uint64_t address, uint64_t bytes) {
  const Insn *code = actor->warp->block->program->code.at;
  return actor->addresses && access_of(actor->insn) == TILEC_SIM_ACCESS_STORE &&
         access_of(&code[mark_insn(mark)]) == TILEC_SIM_ACCESS_STORE &&
         keeps_value(actor, run, lane, address, bytes);
}

static void against_read(Actor *actor, const Mark *mark, uint32_t lane, uint64_t address) {
  if (!mark->strand || both_strong(actor, mark)) return;
  if (!after(actor, mark, lane))
    report_race(actor, mark, TILEC_SIM_RACE_READ_WRITE, lane, address, false);
  else if (behind_alias(actor, mark))
    report_alias(actor, mark, true, lane, address);
}

static void uninitialised(Actor *actor, uint32_t lane, uint64_t address) {
  Report *report = report_new(actor->warp, actor->insn, actor->lanes & (1u << lane), TILEC_SIM_UNINITIALISED,
                              address, UINT32_MAX);
  if (!report) return;
  report_buffer(report, actor->warp, actor->space, address);
  report_message(report, "read of %s, which nothing has written", report->buffer);
}

// Reports errors of one lane's access to a cell without spread marks.
static void report_cell(Actor *actor, const Shadow *shadow, const Cell *cell, const ByteRun *run,
                        HookAccess access, uint32_t lane, uint64_t offset, uint32_t bytes) {
  uint64_t address = run->address + (offset - run->offset);
  if (access != HOOK_WRITE && actor->space == SPACE_SHARED && !cell->write.strand)
    uninitialised(actor, lane, address);
  if (access != HOOK_WRITE || !writes_same(actor, &cell->write, run, lane, address, bytes))
    against_write(actor, cell, access == HOOK_READ ? TILEC_SIM_RACE_WRITE_READ : TILEC_SIM_RACE_WRITE_WRITE,
                  lane, address);
  if (access == HOOK_READ) return;
  against_read(actor, &cell->reads[0], lane, address);
  against_read(actor, &cell->reads[1], lane, address);
  const Readers *list = cell->more ? &shadow->readers[cell->more - 1] : NULL;
  for (uint32_t k = 0; list && k < list->n; k++) against_read(actor, &list->at[k], lane, address);
}

// True if every lane of a run comes after every lane of the mark, in a cell of 1 << shift bytes. May be false
// although it is so, for lanes that have diverged and reconverged.
static inline bool all_after(Actor *actor, const Mark *mark, uint32_t shift) {
  uint32_t strand = mark->strand - actor->first;
  if (strand >= actor->strands) return known_elsewhere(actor, mark);
  if (strand != actor->own) return mark->clock <= actor->seen[strand];
  if (mark->clock <= actor->converged || actor->group == ALL_LANES) return true;
  uint32_t spread = mark_spread(mark), count = spread ? 1u << (shift - (spread - 1)) : 1;
  uint32_t lanes = (count >= LANES ? ALL_LANES : (1u << count) - 1) << mark_lane(mark);
  return !(lanes & ~actor->group);
}

static inline bool may_follow(Actor *actor, const Mark *mark, uint32_t shift) {
  return !mark->strand || both_strong(actor, mark) ||
         (all_after(actor, mark, shift) && !behind_alias(actor, mark));
}

// True if there is nothing to report. False: check lane by lane.
static inline bool in_order(Actor *actor, const Shadow *shadow, const Cell *cell, HookAccess access,
                            uint32_t shift) {
  if (!cell->write.strand) {
    if (access != HOOK_WRITE && actor->space == SPACE_SHARED) return false;
  } else if (!may_follow(actor, &cell->write, shift) || behind_proxy(actor, &cell->write))
    return false;
  if (access == HOOK_READ) return true;
  if (!may_follow(actor, &cell->reads[0], shift) || !may_follow(actor, &cell->reads[1], shift)) return false;
  const Readers *list = cell->more ? &shadow->readers[cell->more - 1] : NULL;
  for (uint32_t k = 0; list && k < list->n; k++)
    if (!may_follow(actor, &list->at[k], shift)) return false;
  return true;
}

// Adds a third reader that is not ordered after the others.
static void remember_more(Actor *actor, Shadow *shadow, Cell *cell, Mark mark) {
  if (!shadow->every_reader) {
    cell->reads[1] = mark;
    return;
  }
  Readers *list = shadow_readers(shadow, cell);
  uint32_t strand = mark.strand - actor->first, index = strand;
  if (list && strand >= actor->warps) // not a warp's instructions: after those, in order of arrival
    for (index = actor->warps; index < list->n && list->at[index].strand != mark.strand;) index++;
  if (list && readers_reach(list, index))
    list->at[index] = mark;
  else
    actor->failed = true;
}

static inline bool replaceable(Actor *actor, const Mark *old, Mark mark, uint32_t shift) {
  return !old->strand || old->strand == mark.strand || all_after(actor, old, shift);
}

static inline void remember(Actor *actor, Shadow *shadow, Cell *cell, HookAccess access, Mark mark,
                            uint32_t shift) {
  if (access != HOOK_READ) {
    cell->write = mark;
    cell->reads[0].strand = cell->reads[1].strand = 0;
    if (cell->more) shadow->readers[cell->more - 1].n = 0;
  } else if (replaceable(actor, &cell->reads[0], mark, shift))
    cell->reads[0] = mark;
  else if (replaceable(actor, &cell->reads[1], mark, shift))
    cell->reads[1] = mark;
  else
    remember_more(actor, shadow, cell, mark);
}

// ---- a run ----

static inline Mark mark_of(const Actor *actor, uint32_t lane, const ByteRun *run, const ShadowPage *page) {
  Mark mark = actor->mark;
  mark.info |= lane << MARK_LANE_SHIFT;
  if (run->shared) mark.info |= MARK_SHARED;
  if (page->shift > run->element) mark.info |= (run->element + 1u) << MARK_SPREAD_SHIFT;
  return mark;
}

// The part [at, end) of a run, as offsets. It lies within one page.
static bool run_in_page(Actor *actor, Shadow *shadow, const ByteRun *run, HookAccess access, uint64_t at,
                        uint64_t end) {
  ShadowPage *page = shadow_page(shadow, at, (uint32_t)(end - at));
  if (!page) return false;
  if (run->element < page->element && run->element < page->shift) page->element = run->element;
  while (at < end) {
    uint32_t lane = run->lane + (uint32_t)((at - run->offset) >> run->element);
    Cell *cell = shadow_cell(page, at);
    if (!in_order(actor, shadow, cell, access, page->shift)) {
      if (page->shift > page->element) { // now cell by cell and lane by lane
        if (!shadow_split(shadow, page, page->element)) return false;
        continue;
      }
      report_cell(actor, shadow, cell, run, access, lane, at, 1u << page->shift);
    }
    remember(actor, shadow, cell, access, mark_of(actor, lane, run, page), page->shift);
    at += (uint64_t)1 << page->shift;
  }
  return true;
}

static bool is_lost_update(const Actor *actor, const Mark *mark, uint32_t lanes) {
  const WarpCheck *check = warp_check(actor->warp);
  return mark->strand == actor->mark.strand && mark->clock > check->synced &&
         mark->clock > check->converged && (mark->info & MARK_SHARED) && !(mark->info & MARK_STRONG) &&
         (lanes >> mark_lane(mark) & 1);
}

void race_lost_update(Actor *actor, const Shadow *shadow, const ByteRun *run, uint32_t lanes) {
  const ShadowPage *page = &shadow->pages[run->offset / SHADOW_PAGE];
  if (!page->cells) return;
  const Cell *cell = shadow_cell(page, run->offset);
  bool first = is_lost_update(actor, &cell->reads[0], lanes);
  if (!first && !is_lost_update(actor, &cell->reads[1], lanes)) return;
  const Mark *mark = &cell->reads[first ? 0 : 1];
  if (keeps_value(actor, run, run->lane, run->address, run->bytes)) return;
  Report *report =
      report_new(actor->warp, actor->insn, lanes, TILEC_SIM_RACE_READ_WRITE, run->address, mark_insn(mark));
  note_blocks(actor, mark);
  if (!report) return;
  report_buffer(report, actor->warp, actor->space, run->address);
  report_message(
      report,
      "data race: lanes of a warp have loaded %s together, and this store of all of them keeps one "
      "update",
      report->buffer);
  report_other(report, actor->warp, mark, true);
  report_order(report, "an atomic, such as atomicAdd, instead of the load and the store");
}

void race_run(Actor *actor, Shadow *shadow, const ByteRun *run, HookAccess access) {
  uint64_t end = run->offset + run->bytes;
  for (uint64_t at = run->offset; at < end && !actor->failed;) {
    uint64_t room = SHADOW_PAGE - at % SHADOW_PAGE, part = end - at < room ? end - at : room;
    if (!run_in_page(actor, shadow, run, access, at, at + part)) actor->failed = true;
    at += part;
  }
}
