// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "sim/api.h"
#include "sim/exec/exec.h"
#include "sim/timeline/timeline_parts.h"

enum { QUARTERS = 4, LOADS = 256, PHASES = 256 };

// Busy times, sorted. A later call may take an earlier gap, because warps do not run in the order of times.
struct Resource {
  VEC(double) begins, ends;
};

typedef struct Load {
  uint32_t slot;
  double ready;
} Load;

typedef VEC(double) DoneList; // by number of a committed group

typedef struct TimedWarp {
  double now, began; // of the running slice
  uint32_t line;
  Load loads[LOADS];
  uint32_t load_count;
  DoneList groups[ASYNC_GROUP_NONE];
  double arrived; // at a barrier; less than 0: it waits at none
  uint32_t barrier;
} TimedWarp;

typedef struct TimedBarrier {
  double last;
} TimedBarrier;

// An mbarrier: when its current phase was last arrived at, and when both parities were completed.
typedef struct Phases {
  uint64_t address;
  bool used;
  double last, completed[2];
} Phases;

static bool is_recorded(const Block *block) { return block->index == 0; }

void timeline_add(Timeline *t, Slice slice) {
  if (slice.end > slice.begin && t->slices.n < TIMELINE_MOST) vec_push(&t->arena, &t->slices, slice);
}

// The first time from `from` on at which the resource is free for so long. Takes it.
static double book(Timeline *t, struct Resource *r, double from, double duration) {
  uint32_t i = r->begins.n;
  while (i > 0 && r->ends.at[i - 1] > from) i--; // those before are over
  double begin = from;
  for (; i < r->begins.n && r->begins.at[i] < begin + duration; i++)
    if (r->ends.at[i] > begin) begin = r->ends.at[i];
  if (i > 0 && i == r->begins.n && r->ends.at[i - 1] == begin) { // goes on from the last
    r->ends.at[i - 1] = begin + duration;
    return begin;
  }
  vec_push(&t->arena, &r->begins, 0);
  vec_push(&t->arena, &r->ends, 0);
  memmove(r->begins.at + i + 1, r->begins.at + i, (r->begins.n - 1 - i) * sizeof(double));
  memmove(r->ends.at + i + 1, r->ends.at + i, (r->ends.n - 1 - i) * sizeof(double));
  r->begins.at[i] = begin, r->ends.at[i] = begin + duration;
  return begin;
}

// --- warps

// The source's; 0: not known.
static uint32_t line_of(const Timeline *t, const Insn *insn) {
  const Site *site = &t->launch->program->sites.at[insn->site];
  return site->file ? site->line : 0;
}

static void end_run(Timeline *t, uint32_t index) {
  TimedWarp *w = &t->warps[index];
  timeline_add(t, (Slice){SLICE_RUN, .line = w->line, .warp = index, .begin = w->began, .end = w->now});
  w->began = w->now;
}

static void wait_until(Timeline *t, uint32_t index, const Insn *insn, const char *what, double until) {
  TimedWarp *w = &t->warps[index];
  if (until <= w->now) return;
  end_run(t, index);
  uint32_t line = insn ? line_of(t, insn) : w->line;
  timeline_add(t, (Slice){SLICE_WAIT, what, line, .warp = index, .begin = w->now, .end = until});
  w->now = w->began = until;
}

static void wait_for_slot(Timeline *t, uint32_t index, const Insn *insn, uint32_t slot) {
  TimedWarp *w = &t->warps[index];
  for (uint32_t i = 0; i < w->load_count; i++) {
    if (w->loads[i].slot != slot) continue;
    wait_until(t, index, insn, "wait: load", w->loads[i].ready);
    w->loads[i--] = w->loads[--w->load_count];
  }
}

static void fill_slot(TimedWarp *w, uint32_t slot, double ready) {
  uint32_t at = w->load_count;
  for (uint32_t i = 0; i < w->load_count; i++)
    if (w->loads[i].slot == slot) at = i;
  if (at == LOADS) return;
  w->loads[at] = (Load){slot, ready};
  if (at == w->load_count) w->load_count++;
}

static void wait_for_operands(Timeline *t, uint32_t index, const Insn *insn) {
  if (!t->warps[index].load_count) return;
  if (insn->exec == exec_store) {
    for (uint32_t i = 0; i < insn->u.access->count; i++)
      wait_for_slot(t, index, insn, insn->u.access->slots[i]);
  } else if (insn->exec == exec_mma) {
    const Matrix *m = insn->u.matrix;
    for (uint32_t i = 0; i < m->a_count; i++) wait_for_slot(t, index, insn, m->a_slots[i]);
    for (uint32_t i = 0; i < m->b_count; i++) wait_for_slot(t, index, insn, m->b_slots[i]);
    for (uint32_t i = 0; i < m->c_count; i++) wait_for_slot(t, index, insn, m->c_slots[i]);
  } else if (insn->kind == KIND_LANES || insn->kind == KIND_ROUNDED) {
    for (int i = 0; i < 4; i++) wait_for_slot(t, index, insn, insn->src[i]);
  }
}

static const char *shape_name(Timeline *t, const char *name, const Matrix *m, uint32_t rows) {
  return arena_printf(&t->arena, "%s m%un%uk%u", name, rows, m->n, m->k);
}

static uint32_t operand_bytes(MatrixType type) {
  if (type == MATRIX_F16 || type == MATRIX_BF16) return 2;
  if (type == MATRIX_TF32 || type == MATRIX_F32) return 4;
  return type == MATRIX_F64 ? 8 : 1;
}

// The end of a warp's part of a dot that can begin now.
static double run_dot(Timeline *t, uint32_t warp, const Insn *insn, const char *name, uint32_t rows) {
  const Matrix *m = insn->u.matrix;
  double rate = t->model.tensor[operand_bytes(m->a)];
  double flops = 2.0 * m->m * m->n * m->k, duration = rate > 0 ? flops / rate : t->model.clock;
  double begin = book(t, &t->tensor[warp % QUARTERS], t->warps[warp].now, duration);
  timeline_add(t, (Slice){SLICE_MMA, shape_name(t, name, m, rows), line_of(t, insn), .warp = warp,
                          .begin = begin, .end = begin + duration});
  return begin + duration;
}

static void step(void *context, Warp *warp, const Insn *insn, uint32_t mask) {
  Timeline *t = context;
  if (!is_recorded(warp->block)) return;
  TimedWarp *w = &t->warps[warp->index];
  uint32_t line = line_of(t, insn);
  if (line != w->line) end_run(t, warp->index);
  w->line = line;
  if (mask) wait_for_operands(t, warp->index, insn);
  w->now += t->model.issue * t->model.clock;
  if (mask && insn->exec == exec_mma) {
    double end = run_dot(t, warp->index, insn, "mma", insn->u.matrix->m);
    for (uint32_t i = 0; i < insn->u.matrix->d_count; i++) fill_slot(w, insn->u.matrix->d_slots[i], end);
  }
}

static void note_access(void *context, const HookLanes *lanes) {
  Timeline *t = context;
  if (!is_recorded(lanes->warp->block) || lanes->access != HOOK_READ) return;
  TimedWarp *w = &t->warps[lanes->warp->index];
  double ready = w->now + (lanes->space == SPACE_GLOBAL ? t->model.load : t->model.shared);
  const Insn *insn = lanes->insn;
  if (insn->exec == exec_load)
    for (uint32_t i = 0; i < insn->u.access->count; i++) fill_slot(w, insn->u.access->slots[i], ready);
  else if (insn->exec == exec_ldmatrix)
    for (uint32_t i = 0; i < insn->u.move->count; i++) fill_slot(w, insn->u.move->slots[i], ready);
}

static void note_exit(void *context, Warp *warp, const Insn *insn, uint32_t lanes) {
  Timeline *t = context;
  (void)insn, (void)lanes;
  if (is_recorded(warp->block)) end_run(t, warp->index);
}

// --- asynchronous operations

static void keep_done(Timeline *t, const AsyncOp *op, double end) {
  while (t->done.n <= op->sequence) vec_push(&t->arena, &t->done, 0);
  t->done.at[op->sequence] = end;
  if (op->group_kind == ASYNC_GROUP_NONE) return;
  DoneList *list = &t->warps[op->warp->index].groups[op->group_kind];
  uint32_t number = op->group[lowest_lane(op->mask)];
  while (list->n <= number) vec_push(&t->arena, list, 0);
  if (end > list->at[number]) list->at[number] = end;
}

static uint64_t lowest_address(const AsyncOp *op) {
  uint64_t least = UINT64_MAX;
  for (uint32_t l = 0; l < LANES; l++)
    if (op->mask >> l & 1 && op->u.lanes->to_address[l] < least) least = op->u.lanes->to_address[l];
  return least;
}

// Copies of lanes are one slice for each commit and line.
static void add_copy_lanes(Timeline *t, const AsyncOp *op, double begin, double end) {
  uint32_t line = line_of(t, op->insn), number = op->group[lowest_lane(op->mask)];
  uint64_t bytes = (uint64_t)bit_count(op->mask) * op->u.lanes->bytes, address = lowest_address(op);
  for (uint32_t i = t->groups.n; i-- > 0;) {
    if (t->groups.at[i].line != line || t->groups.at[i].number != number) continue;
    Slice *slice = &t->slices.at[t->groups.at[i].slice];
    if (begin < slice->begin) slice->begin = begin;
    if (end > slice->end) slice->end = end;
    if (address < slice->address) slice->address = address;
    slice->bytes += bytes;
    return;
  }
  uint32_t at = t->slices.n;
  timeline_add(t, (Slice){SLICE_COPY, "cp.async", line, op->warp->index, address, bytes, false, begin, end});
  if (t->slices.n > at) vec_push(&t->arena, &t->groups, ((CopyGroup){line, number, at}));
}

static double run_copy(Timeline *t, const AsyncOp *op) {
  double now = t->warps[op->warp->index].now;
  bool lanes = op->kind == ASYNC_COPY;
  uint64_t bytes = lanes ? (uint64_t)bit_count(op->mask) * op->u.lanes->bytes : op->u.range->bytes;
  double sent = book(t, t->link, now, (double)bytes / t->model.link) + (double)bytes / t->model.link;
  double end = sent + t->model.arrival;
  if (lanes) {
    add_copy_lanes(t, op, now, end);
    return end;
  }
  bool out = op->u.range->to.space != SPACE_SHARED;
  uint64_t address = out ? op->u.range->from.address : op->u.range->to.address;
  const char *name = op->kind == ASYNC_TENSOR ? "TMA" : op->kind == ASYNC_STORE ? "st.async" : "bulk";
  timeline_add(
      t, (Slice){SLICE_COPY, name, line_of(t, op->insn), op->warp->index, address, bytes, out, now, end});
  return end;
}

static void note_issue(void *context, const AsyncOp *op) {
  Timeline *t = context;
  enum { WARPGROUP = 4 };
  if (!is_recorded(op->warp->block)) return;
  double end = t->warps[op->warp->index].now;
  switch (op->kind) {
  case ASYNC_COPY:
  case ASYNC_BULK:
  case ASYNC_STORE:
  case ASYNC_TENSOR: end = run_copy(t, op); break;
  case ASYNC_WGMMA:
    end = run_dot(t, op->warp->index, op->insn, "wgmma", WARPGROUP * op->insn->u.matrix->m);
    break;
  case ASYNC_ARRIVE:
  case ASYNC_TENSOR_CORE:
  case ASYNC_TMEM_MOVE:
  case ASYNC_COMMIT: break;
  }
  keep_done(t, op, end);
}

static void note_wait(void *context, Warp *warp, const Insn *insn, uint32_t mask, AsyncGroup group,
                      uint32_t pending, bool read) {
  static const char *const names[] = {"wait: cp.async", "wait: TMA stores", "wait: dot",
                                      "wait: dot",      "wait: tmem",       "wait: tmem"};
  Timeline *t = context;
  (void)read;
  if (!is_recorded(warp->block) || group >= ASYNC_GROUP_NONE || !mask) return;
  const DoneList *list = &t->warps[warp->index].groups[group];
  uint32_t committed = warp->committed[group][lowest_lane(mask)];
  double until = 0;
  for (uint32_t i = 0; i < list->n && i + pending < committed; i++)
    if (list->at[i] > until) until = list->at[i];
  wait_until(t, warp->index, insn, names[group], until);
}

// --- mbarriers and barriers

static Phases *phases_at(Timeline *t, uint64_t address) {
  for (uint32_t i = 0; i < PHASES; i++) {
    Phases *p = &t->phases[(address / 8 + i) % PHASES];
    if (p->used && p->address != address) continue;
    p->address = address, p->used = true;
    return p;
  }
  return NULL;
}

static void note_arrive(void *context, Warp *warp, const Insn *insn, uint32_t lane, const AsyncOp *op,
                        Block *block, uint64_t address, uint32_t phase) {
  Timeline *t = context;
  (void)insn, (void)lane, (void)phase;
  Phases *p = is_recorded(block) && is_recorded(warp->block) ? phases_at(t, address) : NULL;
  if (!p) return;
  double at = op && op->sequence < t->done.n ? t->done.at[op->sequence] : t->warps[warp->index].now;
  if (at > p->last) p->last = at;
}

static void note_phase(void *context, Block *block, uint64_t address, uint32_t phase) {
  Timeline *t = context;
  Phases *p = is_recorded(block) ? phases_at(t, address) : NULL;
  if (!p) return;
  p->completed[phase & 1] = p->last;
  p->last = 0;
}

static void note_mbarrier_wait(void *context, Warp *warp, const Insn *insn, uint32_t lane, uint64_t address,
                               uint32_t phase) {
  Timeline *t = context;
  (void)lane;
  const Phases *p = is_recorded(warp->block) ? phases_at(t, address) : NULL;
  if (p) wait_until(t, warp->index, insn, "wait: mbarrier", p->completed[phase & 1]);
}

static void note_bar_arrive(void *context, Warp *warp, const Insn *insn, uint32_t mask, uint32_t barrier) {
  Timeline *t = context;
  (void)mask;
  if (!is_recorded(warp->block) || barrier >= BARRIERS) return;
  TimedWarp *w = &t->warps[warp->index];
  if (w->now > t->barriers[barrier].last) t->barriers[barrier].last = w->now;
  if (insn->flags & FLAG_ARRIVE) return;
  w->arrived = w->now, w->barrier = barrier;
}

static void note_bar_release(void *context, Block *block, uint32_t barrier) {
  Timeline *t = context;
  if (!is_recorded(block) || barrier >= BARRIERS) return;
  for (uint32_t i = 0; i < t->warp_count; i++) {
    TimedWarp *w = &t->warps[i];
    if (w->arrived < 0 || w->barrier != barrier) continue;
    w->arrived = -1;
    wait_until(t, i, NULL, "wait: barrier", t->barriers[barrier].last);
  }
  t->barriers[barrier].last = 0;
}

static void note_start(void *context, Block *block) {
  Timeline *t = context;
  if (!is_recorded(block)) return;
  t->slices.n = t->done.n = t->groups.n = 0;
  t->warp_count = block->warp_count;
  t->warps = ARENA_ARRAY(&t->arena, TimedWarp, t->warp_count);
  t->barriers = ARENA_ARRAY(&t->arena, TimedBarrier, BARRIERS);
  t->phases = ARENA_ARRAY(&t->arena, Phases, PHASES);
  t->link = ARENA_ARRAY(&t->arena, struct Resource, 1);
  t->tensor = ARENA_ARRAY(&t->arena, struct Resource, QUARTERS);
  for (uint32_t i = 0; i < t->warp_count; i++) t->warps[i].arrived = -1;
}

// --- the timeline

const SimHooks *timeline_hooks(Timeline *t, const Launch *launch) {
  t->launch = launch;
  snprintf(t->kernel, sizeof t->kernel, "%s", launch->program->name);
  t->hooks = (SimHooks){.context = t,
                        .step = step,
                        .access = note_access,
                        .exit = note_exit,
                        .async_issue = note_issue,
                        .wait = note_wait,
                        .mbarrier_arrive = note_arrive,
                        .mbarrier_phase = note_phase,
                        .mbarrier_wait = note_mbarrier_wait,
                        .bar_arrive = note_bar_arrive,
                        .bar_release = note_bar_release,
                        .block_start = note_start};
  return &t->hooks;
}

void timeline_record(tilec_sim *sim, Timeline *timeline) { sim->timeline = timeline; }

Timeline *timeline_new(const TimelineModel *model) {
  Timeline *t = calloc(1, sizeof *t);
  if (t) t->model = *model;
  return t;
}

Timeline *timeline_measured(const char *kernel, uint32_t warps, const char *times) {
  Timeline *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->warp_count = warps;
  t->times = times;
  snprintf(t->kernel, sizeof t->kernel, "%s", kernel);
  return t;
}

void timeline_free(Timeline *t) {
  if (!t) return;
  arena_free(&t->arena);
  free(t);
}
