// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pipeline: prefetches loads that feed shared memory several iterations ahead.
//
// ```
// before  for %i = ... {
//           %x = load %p, %m
//           %s = shared_alloc : shared<128x64xfp16, #s>
//           shared_store %x, %s
//           ... dot %s ...
//         }
// after   %s = shared_alloc : shared<3x128x64xfp16, #s3>
//         %r = ring_begin {slots = 3}
//         ring_fill and copies of iterations 0 and 1, each its own group, if there are such iterations
//         for %i = range (%s, tokens, %r) {
//           async_wait %token {pending = 1}
//           barrier
//           ring_fill; copies of iteration i + 2 into the slot that the last iteration read, as a group
//           %x = ring_wait %r, %s
//           ... dot of %x ...
//           ring_release
//         }
// ```
//
// needs   layouts, and promote_shared's buffers
// keeps   every value. Any number of iterations is right, counting up or down. Nothing beyond the last one is
//         prefetched
// breaks  nothing. The rings' barriers and fences are put here, where they cost least. place_barriers finds none
//         missing
// pays    earlier iterations hide the memory's latency
//
// cp.async cannot copy vectors under 4 bytes, or elements that are reordered on the way. They are loaded into registers
// one iteration ahead. They are stored at the start of the iteration, before the barrier.
//
// A load may have ops between it and a dot (cast, scaled, masked ...). It is copied too if possible, and read back at
// its place. The dot's buffer is then written from registers, as before.
//
//         %x = load %p                      %c = ring_wait %r, %t
//         %y = mul %x, %gate        ->      %x = shared_load %c
//         shared_store %y, %s               %y = mul %x, %gate
//
// A scalar that a dot depends on is loaded into a register one iteration ahead.
//
// A wgmma whose accumulator only the next iteration uses stays in flight until the next one has started. Then a slot is
// free two iterations after its use. Copies are then one iteration less ahead. Or they start after a second barrier,
// when the previous dot is done, so that more of them are in flight (`refills`).
//
// An operand that the loop computes for the dot alone has two slots for that. Without them each iteration would wait for
// its dot before the next one could compute. Programs on a multiprocessor do not hide this: they come into step.
//
// ```
//         %w = mul %y, %scale                 %p = ring_fill %q, %two
//         shared_store %w, %t            ->   shared_store %w, %p
//         dot %x, %t; wait                    %t = ring_wait %q, %two
//                                             dot %x, %t; wait for the one before
// ```
//
// A dot that reads an operand into registers waits for the previous one (split_ops). It comes first. Otherwise its
// reads would queue up after the copies:
//
// ```
//         async_wait, barrier for the first iteration
//         for %i = ... {
//           dot, which stays in flight
//           async_wait for iteration i + 1
//           barrier
//           copies of iteration i + 3 into the slot that the last iteration read
//         }
// ```
//
// Packed words of a dot of few rows are read back before the next copies start. Starting a copy takes many instructions,
// which hide the time of reading.
//
// A slot is released when its readers are done: at the end of the iteration. For a dot that stays in flight, it is
// released when the next dot has started and this one was waited for.
#include "ir/dot/layout_dot.h"
#include "target/tuning.h"
#include "passes/pipeline/pipeline_emit.h"
#include "passes/analysis/overlapped_dots.h"
#include "passes/analysis/pressure.h"

// --- the loop's body

static void push_copies(Stager *s, const Op *at) {
  for (int g = STAGED_COPIES; g <= STAGED_LATE_TENSORS; g++) stage_step(s, STAGED_BEGIN, g, at);
}

// Loads through registers come before the barrier. ptxas would move loads after it to the end of the iteration, where
// more registers are free. The next iteration would then wait for them.
static void push_next_data(Stager *s, const Op *at) {
  stage_step(s, STAGED_STORE, STAGED_STORES, at);
  stage_step(s, STAGED_BEGIN, STAGED_STORES, at);
  stage_step(s, STAGED_BEGIN, STAGED_VALUES, at);
  if (!s->refills || s->groups[STAGED_COPIES].count || s->groups[STAGED_STORES].count)
    stage_step(s, STAGED_AWAIT, STAGED_COPIES, at);
  if (!s->refills && !s->begin_at) push_copies(s, at);
}

static void release_all(Stager *s, const Op *at) {
  for (int g = 0; g < STAGED_GROUPS; g++) stage_step(s, STAGED_RELEASE, g, at);
}

// The dot has started, and the previous one is complete. Its slots are free in this warp, and after a barrier in all
// warps.
static void push_behind_dot(Stager *s, const Op *wait) {
  release_all(s, wait);
  if (s->dot_first) push_next_data(s, wait);
  if (!s->refills) return;
  stage_step(s, STAGED_MEET, 0, wait);
  stage_step(s, STAGED_BEGIN, STAGED_COPIES, wait);
  stage_step(s, STAGED_BEGIN, STAGED_TENSORS, wait);
}

// The dot of the iteration before may still read the other slot.
static void push_computed(Stager *s, const Op *store) {
  stage_step(s, STAGED_STORE, STAGED_COMPUTED, store);
  stage_step(s, STAGED_USE, STAGED_COMPUTED, store);
}

static void assign_steps(Stager *s) {
  const Op *loop = s->staged->loop, *last = loop->regions[0]->last;
  stage_step(s, STAGED_TAKE, STAGED_VALUES, loop);
  if (!s->dot_first) push_next_data(s, loop);
  for (int g = 0; g < STAGED_VALUES; g++) stage_step(s, STAGED_USE, g, loop);
  for (const Op *op = loop->regions[0]->first; op != last; op = op->next) {
    if (op == s->begin_at) push_copies(s, op);
    bool overlaps = s->in_flight && op == s->staged->dot_wait;
    if (stage_is_read(s, op)) stage_step(s, STAGED_READ, STAGED_COPIES, op);
    if (s->groups[STAGED_COMPUTED].count && op == s->staged->computed_operand.store) push_computed(s, op);
    if (stage_replaces(s, op)) continue;
    schedule_push(&s->schedule, (ScheduleStep){.op = op, .pending = overlaps});
    if (overlaps) push_behind_dot(s, op);
  }
  if (!s->in_flight) release_all(s, last);
}

// --- prefetch distance

static uint32_t count_async(const StagedLoop *staged) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < staged->loads.n; i++) count += staged->loads.at[i].async;
  return count;
}

static uint32_t count_tensors(const StagedLoop *staged) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < staged->loads.n; i++) count += staged->loads.at[i].by_tensor;
  return count;
}

// Returns true if a second barrier per iteration is worth it. With three stages it is: without it, copies must be
// waited for before others start. With more stages it depends on the time between the last instruction's start and the
// dot's end. If several warpgroups have more than 64 rows each, this time is short. The tensor cores' queue is then
// full until shortly before the end (docs/measurements.md).
static bool refill_pays(const Stager *s, uint32_t stages) {
  const Type *result = op_result(s->staged->dot)->type;
  uint32_t rows = result->shape[result->rank - 2], warpgroups = region_warps(s->staged->dot) / 4;
  return stages == 3 || warpgroups == 1 || rows <= TUNE_REFILL_ROWS * warpgroups;
}

static int kind_of(const Stager *s, const StagedLoad *load) {
  bool late = s->late && load->alloc == s->late;
  if (load->by_tensor) return late ? STAGED_LATE_TENSORS : STAGED_TENSORS;
  return !load->async ? STAGED_STORES : late ? STAGED_LATE_COPIES : STAGED_COPIES;
}

// The buffer that the second dot of an overlapped loop reads. All prefetches must be copies, and each needs its own
// buffer.
static const Op *late_buffer(const StagedLoop *staged) {
  const Op *buffer = op_attr(staged->loop, ATTR_OVERLAPPED) ? overlapped_buffer(staged->loop) : NULL;
  bool found = false, others = false;
  if (!buffer || staged->computed || staged->values.n) return NULL;
  for (uint32_t i = 0; i < staged->loads.n; i++) {
    const StagedLoad *load = &staged->loads.at[i];
    if (!load->async || load->reads) return NULL;
    found |= load->alloc == buffer;
    others |= load->alloc != buffer;
  }
  return found && others ? buffer : NULL;
}

// Two slots, which the loop fills itself: one for the dot in flight, one for the next.
static void make_computed(Stager *s) {
  StagedGroup *group = &s->groups[STAGED_COMPUTED];
  *group = (StagedGroup){.kind = STAGED_COMPUTED, .slots = 2};
  if (!s->in_flight || s->staged->dot != s->staged->computed_dot) return;
  group->count = 1;
  group->loads = ARENA_ARRAY(s->arena, const StagedLoad *, 1);
  group->loads[0] = &s->staged->computed_operand;
  group->buffers = ARENA_ARRAY(s->arena, Value *, 1);
  group->views = ARENA_ARRAY(s->arena, Value *, 1);
  group->state = ARENA_ARRAY(s->arena, Value *, s->staged->loop->result_count);
}

static void make_group(Stager *s, int kind, uint32_t stages) {
  StagedGroup *group = &s->groups[kind];
  bool copies = kind <= STAGED_LATE_TENSORS, values = kind == STAGED_VALUES;
  uint32_t n = values ? s->staged->values.n : s->staged->loads.n, carried = s->staged->loop->result_count;
  const StagedLoad *loads = values ? s->staged->values.at : s->staged->loads.at;
  *group = (StagedGroup){.kind = kind, .async = kind == STAGED_COPIES || kind == STAGED_LATE_COPIES};
  group->distance = copies ? stages - 1 - (s->in_flight && !s->dot_first && !s->refills) : 1;
  group->held = group->distance - s->dot_first;
  group->slots = copies ? stages : values ? 0 : 2u + s->in_flight;
  group->loads = ARENA_ARRAY(s->arena, const StagedLoad *, n);
  for (uint32_t i = 0; i < n; i++)
    if (values || kind_of(s, &loads[i]) == kind) group->loads[group->count++] = &loads[i];
  group->buffers = ARENA_ARRAY(s->arena, Value *, n);
  group->views = ARENA_ARRAY(s->arena, Value *, n);
  group->state = ARENA_ARRAY(s->arena, Value *, carried);
  group->tokens = ARENA_ARRAY(s->arena, Value *, group->distance);
  group->tiles = ARENA_ARRAY(s->arena, Value *, n);
  group->maps = ARENA_ARRAY(s->arena, Value *, n);
}

// The first op that computes with words that the loop copies, if its dot is of packed weights and few rows (slice_k).
// These words are then read before the next copies start: starting copies takes as long as reading. With more rows the
// words would need registers of the sums. Copies that are needed soon start first. NULL: copies start first.
static const Op *reads_before_copies(const Stager *s, uint32_t stages) {
  enum { MANY_STAGES = 5 };
  if (stages < MANY_STAGES) return NULL;
  const Region *body = s->staged->loop->regions[0];
  const Op *dot = NULL;
  for (const Op *op = body->first; op && !dot; op = op->next)
    if (op->kind == OP_DOT && op_attr(op, ATTR_K_RUN) && op_result(op)->type->rank == 3) dot = op;
  for (const Op *op = body->first; op && dot && op != dot; op = op->next)
    if (op->kind == OP_SHR && type_is_tile(op_result(op)->type)) return op;
  return NULL;
}

// True if the loop computes nothing for the operand: it is a slot, or made before the loop.
static bool is_ready(const StagedLoop *staged, const Value *operand) {
  if (!value_is_within(operand, staged->loop)) return true;
  operand = value_viewed(operand);
  for (uint32_t i = 0; i < staged->loads.n; i++) {
    const StagedLoad *load = &staged->loads.at[i];
    if (load->alloc && operand == op_result(load->alloc) && !load->reads) return true;
  }
  return false;
}

// The wait for the loop's first dot, if that dot needs nothing that the iteration computes. Copies by all threads start
// between both: before the dot they would delay it. NULL: the loop has no such dot, or writes global memory before it,
// so that the copies would need another barrier.
static const Op *first_dot_wait(const Stager *s) {
  const Region *body = s->staged->loop->regions[0];
  const Op *dot = body->first;
  if (s->in_flight || s->late || count_async(s->staged) != s->staged->loads.n || count_tensors(s->staged))
    return NULL;
  while (dot && dot->kind != OP_DOT && !op_has(dot, GLOBAL | WRITES)) dot = dot->next;
  if (!dot || dot->kind != OP_DOT || !is_ready(s->staged, op_operand(dot, 0)) ||
      !is_ready(s->staged, op_operand(dot, 1)))
    return NULL;
  for (const Op *op = dot; op; op = op->next)
    if (op->kind == OP_DOT_WAIT) return op;
  return NULL;
}

static void make_groups(Stager *s, uint32_t stages) {
  s->late = late_buffer(s->staged);
  s->in_flight = s->staged->dot && stages >= 3;
  s->dot_first = s->in_flight && dot_parts(s->staged->dot) && count_async(s->staged) == s->staged->loads.n;
  bool all_tensors =
      count_tensors(s->staged) == s->staged->loads.n; // The second barrier is then the only one.
  s->refills =
      s->in_flight && !s->dot_first && count_async(s->staged) > 0 && (all_tensors || refill_pays(s, stages));
  s->begin_at = reads_before_copies(s, stages);
  s->reads_first = s->begin_at != NULL;
  if (!s->reads_first) s->begin_at = first_dot_wait(s);
  for (int g = 0; g < STAGED_COMPUTED; g++) make_group(s, g, stages);
  make_computed(s);
}

static void remark_stages(const Stager *s, uint32_t stages) {
  static const char copies[] = "prefetched by cp.async, %u iterations ahead, in %u slots",
                    tensors[] = "prefetched by TMA copies, %u iterations ahead, in %u slots";
  static const char *const how[STAGED_VALUES] = {
      [STAGED_COPIES] = copies,
      [STAGED_LATE_COPIES] = copies,
      [STAGED_TENSORS] = tensors,
      [STAGED_LATE_TENSORS] = tensors,
      [STAGED_STORES] = "prefetched into registers, %u iteration ahead, in %u slots"};
  for (uint32_t i = 0; i < s->staged->values.n; i++)
    diag_remark(s->context->diags, s->staged->values.at[i].load->loc, "pipeline",
                "a scalar is prefetched, 1 iteration ahead");
  for (int g = 0; g < STAGED_VALUES; g++)
    for (uint32_t i = 0; i < s->groups[g].count; i++)
      diag_remark(s->context->diags, s->groups[g].loads[i]->load->loc, "pipeline", how[g],
                  s->groups[g].distance, s->groups[g].slots);
  if (s->in_flight)
    diag_remark(s->context->diags, s->staged->dot->loc, "pipeline",
                "the dot stays in flight while the next starts (%u stages%s)", stages,
                s->refills ? ", a second barrier before copies" : "");
}

static void enter_loop(void *data, Builder *b) {
  Stager *s = data;
  if (s->dot_first)
    stage_wait(s, b, s->groups[STAGED_COPIES].distance);
  else if (s->refills && s->groups[STAGED_TENSORS].count && !stage_begins_again(s))
    stage_meet(s, b); // Their mbarriers now exist.
}

// A loop that leaves a dot in flight is entered only if there is an iteration. Otherwise a loop without iterations
// would have accumulators that its wait does not cover.
static void replace_loop(Stager *s) {
  Op *loop = s->staged->loop;
  Builder b = builder_before(loop);
  stage_schedule(s);
  s->schedule.enter = enter_loop;
  assign_steps(s);
  Value *any = schedule_any(&s->schedule, &b);
  for (int g = 0; g < STAGED_GROUPS; g++) stage_begin(s, &b, &s->groups[g], any);
  for (int g = 0; g < STAGED_GROUPS; g++) stage_carry(s, &s->groups[g]);
  stage_expand(s, "pipeline", &b, any);
}

// Returns true if the loop is inside a loop with few iterations, such as one over a window. Then it starts often and
// probably ends soon.
static bool begins_often(const Op *loop) {
  const Op *around = loop->region->parent;
  int64_t lower, upper, step;
  if (!around || around->kind != OP_FOR || !value_int_constant(loop_lower(around), &lower)) return false;
  if (!value_int_constant(loop_upper(around), &upper) || !value_int_constant(loop_step(around), &step))
    return false;
  return step > 0 && upper > lower && (upper - lower) / step <= TUNE_WINDOW_ROUNDS;
}

// Loads through registers are one iteration ahead. In a loop with few iterations this hides no latency. The prologue
// would repeat the body's loads and addresses.
static bool is_ahead_in_vain(const StagedLoop *staged) {
  for (uint32_t i = 0; i < staged->loads.n; i++)
    if (staged->loads.at[i].async) return false;
  return begins_often(staged->loop);
}

static bool stage_loop(PassContext *context, Func *func, Op *loop) {
  enum { MAX_STEP = INT32_MAX / 64 };
  StagedLoop staged;
  int64_t step;
  func_number(func);
  if (!staged_loop_find(context, func, loop, &staged)) return false;
  if (!value_int_constant(loop_step(loop), &step) || step == 0 || step < -MAX_STEP || step > MAX_STEP) {
    diag_remark(context->diags, loop->loc, "pipeline", "not pipelined: the step is not a small constant");
    return false;
  }
  if (is_ahead_in_vain(&staged)) {
    diag_remark(context->diags, loop->loc, "pipeline",
                "not pipelined: loads through registers, in a loop that starts often");
    return false;
  }
  uint32_t stages = staged_loop_stages(context, func, &staged);
  if (stages < 2) return false;
  stages = staged_loop_hold(context, func, &staged, stages);
  Stager s = {.context = context, .func = func, .staged = &staged, .arena = context->scratch, .step = step};
  s.spare = register_slack(context->scratch, func);
  make_groups(&s, stages);
  remark_stages(&s, stages);
  replace_loop(&s);
  return true;
}

static bool is_innermost(const Op *loop) {
  return !ops_find(loop->regions[0], OP_FOR) && !ops_find(loop->regions[0], OP_WHILE);
}

bool pass_pipeline(PassContext *context, Func *func) {
  bool changed = false;
  for (OpWalk w = ops_outward(func->body); ops_next(&w);)
    if (w.op->kind == OP_FOR && is_innermost(w.op)) changed |= stage_loop(context, func, w.op);
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_FOR && is_innermost(w.op) && ops_find(w.op->regions[0], OP_DOT))
      changed |= carried_loads_early(context, func, w.op);
  return changed;
}
