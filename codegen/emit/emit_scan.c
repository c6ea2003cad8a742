// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans. Goes through the axis bits from the lowest. Elements with the bit set are combined with the last
// element of the half before theirs, from a register or by a shuffle. If lanes hold several bits in a row,
// the last elements of threads' runs go first, and the others follow in one step.
//
// Warps hold the higher axis bits. scan_chunks gives the totals of the chunks below them. scan_carry combines
// each chunk with what comes before it. Each thread adds its lines' totals, or lanes share and scan them like
// elements. With `runs`, scan_chunks only sums each run and gives what comes before it. scan_carry then scans
// the runs.
//
// A reverse scan inverts the meaning of every bit.
#include <string.h>
#include "codegen/emit/emit_combine.h"
#include "ir/memory/exchange.h"

typedef struct Scan {
  Emitter *e;
  const Op *op;
  const Layout *layout;
  ScanPlan plan;
  uint32_t count, registers;
  LLVMValueRef *v[MAX_COMBINED];
  LLVMValueRef
      *starts[MAX_COMBINED]; // with `runs`: what comes before each run, by without_bits of its registers
  bool reverse, runs;
} Scan;

// The register or lane bits that hold axis bits 0 .. n - 1.
static uint32_t held_bits(const Scan *s, LayoutDim dim, uint32_t n) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < n; i++)
    if (s->plan.holder[i].dim == dim) mask |= 1u << s->plan.holder[i].bit;
  return mask;
}

// Sets `bits` as in the last element of a run, in the scan's direction.
static uint32_t at_last(const Scan *s, uint32_t from, uint32_t bits) {
  return s->reverse ? from & ~bits : from | bits;
}
static uint32_t at_first(const Scan *s, uint32_t from, uint32_t bits) {
  return s->reverse ? from | bits : from & ~bits;
}

// Combines `before` and v[r] into v[r] where `taken` is true (NULL: always).
static void take_in(Scan *s, uint32_t r, const LLVMValueRef *before, LLVMValueRef taken) {
  LLVMValueRef own[MAX_COMBINED], out[MAX_COMBINED];
  for (uint32_t k = 0; k < s->count; k++) own[k] = s->v[k][r];
  emit_combine(s->e, s->op, before, own, out);
  for (uint32_t k = 0; k < s->count; k++)
    s->v[k][r] = taken ? LLVMBuildSelect(s->e->builder, taken, out[k], own[k], "") : out[k];
}

// The lane that holds the last element of the half before this lane's; NULL: this lane.
static LLVMValueRef source_lane(Scan *s, uint32_t low, uint32_t bit) {
  Emitter *e = s->e;
  if (!(low | bit)) return NULL;
  uint32_t set = at_first(s, at_last(s, 0, low), bit) & (low | bit);
  LLVMValueRef lane = LLVMBuildAnd(e->builder, e->threads.lane, emit_i32(e, 31u & ~(low | bit)), "");
  return LLVMBuildOr(e->builder, lane, emit_i32(e, set), "");
}

static LLVMValueRef lane_receives(Scan *s, uint32_t bit) {
  LLVMValueRef at = LLVMBuildAnd(s->e->builder, s->e->threads.lane, emit_i32(s->e, bit), "");
  return LLVMBuildICmp(s->e->builder, s->reverse ? LLVMIntEQ : LLVMIntNE, at, emit_i32(s->e, 0), "");
}

static void scan_bit(Scan *s, uint32_t axis_bit) {
  bool in_lane = s->plan.holder[axis_bit].dim == DIM_LANE;
  uint32_t bit = 1u << s->plan.holder[axis_bit].bit;
  uint32_t reg_bit = in_lane ? 0 : bit, lane_bit = in_lane ? bit : 0;
  uint32_t low = held_bits(s, DIM_REGISTER, axis_bit);
  LLVMValueRef lane = source_lane(s, held_bits(s, DIM_LANE, axis_bit), lane_bit);
  LLVMValueRef taken = in_lane ? lane_receives(s, lane_bit) : NULL;
  LLVMValueRef *moved = ARENA_ARRAY(s->e->arena, LLVMValueRef, (size_t)s->registers * s->count);
  for (uint32_t r = 0; r < s->registers; r++) {
    if (at_last(s, r, low) != r || at_first(s, r, reg_bit) != r)
      continue; // only the last of a run, in the half before the bit
    for (uint32_t k = 0; k < s->count; k++)
      moved[r * s->count + k] = lane ? emit_shuffle_from(s->e, s->v[k][r], lane) : s->v[k][r];
  }
  for (uint32_t r = 0; r < s->registers; r++) {
    uint32_t source = at_first(s, at_last(s, r, low), reg_bit);
    if (!in_lane && at_last(s, r, reg_bit) != r) continue;
    take_in(s, r, moved + source * s->count, taken);
  }
}

// --- across lanes, of totals

// The number of axis bits from `axis_bit` on that consecutive lane bits hold. Returns 0 in these cases: fewer
// than two, lanes hold lower axis bits too, or registers hold none.
static uint32_t lane_run(const Scan *s, uint32_t axis_bit) {
  uint32_t n = 0;
  if (held_bits(s, DIM_LANE, axis_bit) || !held_bits(s, DIM_REGISTER, axis_bit)) return 0;
  while (axis_bit + n < s->plan.low && s->plan.holder[axis_bit + n].dim == DIM_LANE &&
         s->plan.holder[axis_bit + n].bit == s->plan.holder[axis_bit].bit + n)
    n++;
  return n > 1 ? n : 0;
}

// Scans the lanes' runs, whose last elements are v[last]. v[last] becomes final. `before` is what comes
// before this lane's run.
static void scan_totals(Scan *s, uint32_t axis_bit, uint32_t n, uint32_t last, LLVMValueRef *before) {
  Emitter *e = s->e;
  for (uint32_t i = axis_bit; i < axis_bit + n; i++) {
    uint32_t bit = 1u << s->plan.holder[i].bit;
    LLVMValueRef lane = source_lane(s, held_bits(s, DIM_LANE, i), bit), moved[MAX_COMBINED];
    for (uint32_t k = 0; k < s->count; k++) moved[k] = emit_shuffle_from(e, s->v[k][last], lane);
    take_in(s, last, moved, lane_receives(s, bit));
  }
  LLVMValueRef step = emit_i32(e, 1u << s->plan.holder[axis_bit].bit);
  LLVMValueRef from = s->reverse ? LLVMBuildAdd(e->builder, e->threads.lane, step, "")
                                 : LLVMBuildSub(e->builder, e->threads.lane, step, "");
  from = LLVMBuildAnd(e->builder, from, emit_i32(e, (1u << LANE_BITS) - 1), "");
  for (uint32_t k = 0; k < s->count; k++) before[k] = emit_shuffle_from(e, s->v[k][last], from);
}

// True if a lane is not the first of those that hold axis bits from `axis_bit` on.
static LLVMValueRef has_lane_before(Scan *s, uint32_t axis_bit, uint32_t n) {
  Emitter *e = s->e;
  uint32_t bits = held_bits(s, DIM_LANE, axis_bit + n);
  LLVMValueRef at = LLVMBuildAnd(e->builder, e->threads.lane, emit_i32(e, bits), "");
  return LLVMBuildICmp(e->builder, LLVMIntNE, at, emit_i32(e, at_first(s, 0, bits)), "");
}

// Scans several lane bits at once. Only the last elements of threads' runs pass through all of them.
static void scan_lanes(Scan *s, uint32_t axis_bit, uint32_t n) {
  uint32_t low = held_bits(s, DIM_REGISTER, axis_bit);
  LLVMValueRef taken = has_lane_before(s, axis_bit, n);
  for (uint32_t last = 0; last < s->registers; last++) {
    LLVMValueRef before[MAX_COMBINED];
    if (at_last(s, last, low) != last) continue;
    scan_totals(s, axis_bit, n, last, before);
    for (uint32_t r = 0; r < s->registers; r++)
      if (r != last && at_last(s, r, low) == last) take_in(s, r, before, taken);
  }
}

static void scan_within_warp(Scan *s) {
  for (uint32_t i = 0, n; i < s->plan.low; i += n ? n : 1) {
    n = lane_run(s, i);
    if (n)
      scan_lanes(s, i, n);
    else
      scan_bit(s, i);
  }
}

// --- between warps

static uint32_t chunk_bits(const Scan *s) { return s->plan.axis_bits - s->plan.low; }

// Register r's number without `bits`.
static uint32_t without_bits(const Scan *s, uint32_t r, uint32_t bits) {
  uint32_t number = 0, at = 0;
  for (uint32_t i = 0; 1u << i < s->registers; i++)
    if (!(bits >> i & 1)) number |= (r >> i & 1) << at++;
  return number;
}

// Element i, in the scan's direction, of the run that begins at register r.
static uint32_t run_element(const Scan *s, uint32_t r, uint32_t i) {
  uint32_t run = scan_run_bits(&s->plan);
  if (s->reverse) i = (1u << run) - 1 - i;
  for (uint32_t bit = 0; bit < run; bit++) r |= (i >> bit & 1) << s->plan.holder[bit].bit;
  return r;
}

// Sums each run at the place of its last element. Keeps what comes before it in its chunk.
static void keep_starts(Scan *s) {
  uint32_t run = scan_run_bits(&s->plan), low = held_bits(s, DIM_REGISTER, run);
  for (uint32_t k = 0; k < s->count; k++) s->starts[k] = emit_new(s->e, &s->op->results[k]);
  for (uint32_t first = 0; first < s->registers; first++) {
    uint32_t last = at_last(s, first, low);
    LLVMValueRef sum[MAX_COMBINED], before[MAX_COMBINED];
    if (first & low) continue;
    for (uint32_t i = 0; i < 1u << run; i++) {
      uint32_t at = run_element(s, first, i);
      if (i) take_in(s, at, sum, NULL);
      for (uint32_t k = 0; k < s->count; k++) sum[k] = s->v[k][at];
    }
    scan_totals(s, run, s->plan.low - run, last, before);
    for (uint32_t k = 0; k < s->count; k++) s->starts[k][without_bits(s, first, low)] = before[k];
  }
}

// Keeps the last elements of the chunks, or those that the thread has.
static void keep_totals(Scan *s) {
  uint32_t low = held_bits(s, DIM_REGISTER, s->plan.low), free_bits[DIM_COUNT];
  layout_free_bits(&s->plan.totals, free_bits);
  for (uint32_t k = 0; k < s->count; k++) {
    LLVMValueRef *out = emit_new(s->e, &s->op->results[s->count + k]);
    for (uint32_t r = 0; r < s->registers; r++)
      if (!(r & free_bits[DIM_REGISTER])) *out++ = s->v[k][at_last(s, r, low)];
  }
}

// The line of register r: its bits that are not the axis's, as a number.
static uint32_t line_of(const Scan *s, uint32_t r) {
  return without_bits(s, r, held_bits(s, DIM_REGISTER, s->plan.axis_bits));
}

static LLVMValueRef chunk_of(Scan *s, uint32_t r) {
  Emitter *e = s->e;
  uint32_t shift = s->plan.axis_first + s->plan.low;
  LLVMValueRef index = LLVMBuildLShr(e->builder, emit_index(e, s->layout, r), emit_i32(e, shift), "");
  return LLVMBuildAnd(e->builder, index, emit_i32(e, (1u << chunk_bits(s)) - 1), "");
}

// True if register r may belong to chunk c. Warps hold the chunk's other bits.
static bool may_be_of(const Scan *s, uint32_t r, uint32_t c) {
  for (uint32_t i = s->plan.low; i < s->plan.axis_bits; i++)
    if (s->plan.holder[i].dim == DIM_REGISTER &&
        (r >> s->plan.holder[i].bit & 1) != (c >> (i - s->plan.low) & 1))
      return false;
  return true;
}

// The combined elements before each chunk of a line, in order. The line's registers share them.
typedef struct Line {
  LLVMValueRef *before; // [chunk * count + k], except for the first chunk; NULL until needed
} Line;

// Adds the total of chunk `c` of the line to running[k]. If it is the `first`, copies it.
static void add_total(Scan *s, LLVMValueRef **totals, uint32_t at, bool first, LLVMValueRef *running) {
  LLVMValueRef total[MAX_COMBINED];
  for (uint32_t k = 0; k < s->count; k++) total[k] = totals[k][at];
  if (first)
    memcpy(running, total, s->count * sizeof *total);
  else
    emit_combine(s->e, s->op, running, total, running);
}

// Scans the run of register r. Combines `before` (if not the first chunk), then what comes before the run.
static void scan_run(Scan *s, uint32_t r, LLVMValueRef not_first, const LLVMValueRef *before) {
  LLVMBuilderRef b = s->e->builder;
  uint32_t run = scan_run_bits(&s->plan), low = held_bits(s, DIM_REGISTER, run);
  LLVMValueRef inner = has_lane_before(s, run, s->plan.low - run), running[MAX_COMBINED], both[MAX_COMBINED];
  LLVMValueRef start[MAX_COMBINED], any = LLVMBuildOr(b, not_first, inner, "");
  for (uint32_t k = 0; k < s->count; k++) start[k] = s->starts[k][without_bits(s, r, low)];
  emit_combine(s->e, s->op, before, start, both);
  for (uint32_t k = 0; k < s->count; k++) {
    running[k] = LLVMBuildSelect(b, not_first, both[k], start[k], "");
    running[k] = LLVMBuildSelect(b, inner, running[k], before[k], "");
  }
  for (uint32_t i = 0; i < 1u << run; i++) {
    uint32_t at = run_element(s, r, i);
    take_in(s, at, running, i == 0 ? any : NULL);
    for (uint32_t k = 0; k < s->count; k++) running[k] = s->v[k][at];
  }
}

// Combines `before` into the runs of register r's chunk, if it is not the first chunk.
static void take_in_run(Scan *s, uint32_t r, LLVMValueRef chunk, const LLVMValueRef *before) {
  uint32_t low = held_bits(s, DIM_REGISTER, s->plan.low);
  uint32_t first = s->reverse ? (1u << chunk_bits(s)) - 1 : 0;
  LLVMValueRef taken = LLVMBuildICmp(s->e->builder, LLVMIntNE, chunk, emit_i32(s->e, first), "");
  uint32_t run = s->runs ? held_bits(s, DIM_REGISTER, scan_run_bits(&s->plan)) : 0;
  for (uint32_t other = 0; other < s->registers; other++) {
    if ((other & ~low) != r || other & run) continue;
    if (s->runs)
      scan_run(s, other, taken, before);
    else
      take_in(s, other, before, taken);
  }
}

// Combines what comes before the chunk of register r, the first of its run. The totals are the line's, in
// order.
static void take_in_chunk(Scan *s, uint32_t r, LLVMValueRef **totals, Line *line) {
  Emitter *e = s->e;
  uint32_t chunks = 1u << chunk_bits(s);
  LLVMValueRef before[MAX_COMBINED], chunk = chunk_of(s, r);
  bool known = line->before != NULL;
  if (!known) line->before = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)chunks * s->count);
  for (uint32_t i = 0; i + 1 < chunks; i++) {
    uint32_t c = s->reverse ? chunks - 1 - i : i, next = s->reverse ? c - 1 : c + 1;
    LLVMValueRef *running = line->before + next * s->count;
    if (!known) {
      if (i) memcpy(running, line->before + c * s->count, s->count * sizeof *running);
      add_total(s, totals, line_of(s, r) * chunks + c, i == 0, running);
    }
    if (i && !may_be_of(s, r, next)) continue;
    LLVMValueRef here = LLVMBuildICmp(e->builder, LLVMIntEQ, chunk, emit_i32(e, next), "");
    for (uint32_t k = 0; k < s->count; k++)
      before[k] = i == 0 ? running[k] : LLVMBuildSelect(e->builder, here, running[k], before[k], "");
  }
  take_in_run(s, r, chunk, before);
}

// --- between warps, of totals that lanes share

// A lane's `n` chunks, in the scan's direction.
typedef struct Share {
  uint32_t n;
  LLVMValueRef *before; // [place * count + k], before the chunk
} Share;

// The lane before this one in the scan's direction.
static LLVMValueRef lane_before(Scan *s) {
  Emitter *e = s->e;
  LLVMValueRef step = emit_i32(e, s->reverse ? 1 : (1u << LANE_BITS) - 1);
  return LLVMBuildAnd(e->builder, LLVMBuildAdd(e->builder, e->threads.lane, step, ""),
                      emit_i32(e, (1u << LANE_BITS) - 1), "");
}

// Scans `total`, the totals of the lanes' chunks. `before` is what comes before this lane's chunks. The first
// lane gets any value.
static void scan_shares(Scan *s, LLVMValueRef *total, LLVMValueRef *before) {
  LLVMValueRef moved[MAX_COMBINED], out[MAX_COMBINED];
  for (uint32_t i = 0; i < LANE_BITS; i++) {
    LLVMValueRef lane = source_lane(s, (1u << i) - 1, 1u << i), taken = lane_receives(s, 1u << i);
    for (uint32_t k = 0; k < s->count; k++) moved[k] = emit_shuffle_from(s->e, total[k], lane);
    emit_combine(s->e, s->op, moved, total, out);
    for (uint32_t k = 0; k < s->count; k++)
      total[k] = LLVMBuildSelect(s->e->builder, taken, out[k], total[k], "");
  }
  LLVMValueRef lane = lane_before(s);
  for (uint32_t k = 0; k < s->count; k++) before[k] = emit_shuffle_from(s->e, total[k], lane);
}

// True if this lane is the first in the scan's direction.
static LLVMValueRef is_first_lane(Scan *s) {
  uint32_t first = s->reverse ? (1u << LANE_BITS) - 1 : 0;
  return LLVMBuildICmp(s->e->builder, LLVMIntEQ, s->e->threads.lane, emit_i32(s->e, first), "");
}

static Share share_new(Scan *s, LLVMValueRef **totals) {
  Emitter *e = s->e;
  Share share = {.n = 1u << (chunk_bits(s) - LANE_BITS)};
  share.before = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)share.n * s->count);
  LLVMValueRef *own = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)share.n * s->count), before[MAX_COMBINED];
  LLVMValueRef total[MAX_COMBINED], first = is_first_lane(s);
  for (uint32_t i = 0; i < share.n; i++) { // own: with the earlier ones of this lane
    uint32_t at = s->reverse ? share.n - 1 - i : i;
    for (uint32_t k = 0; k < s->count; k++) own[i * s->count + k] = totals[k][at];
    if (i) emit_combine(e, s->op, own + (i - 1) * s->count, own + i * s->count, own + i * s->count);
  }
  memcpy(total, own + (share.n - 1) * s->count, s->count * sizeof *total);
  scan_shares(s, total, before);
  memcpy(share.before, before, s->count * sizeof *before);
  for (uint32_t i = 1; i < share.n; i++) {
    LLVMValueRef *mine = own + (i - 1) * s->count, *to = share.before + i * s->count;
    emit_combine(e, s->op, before, mine, to);
    for (uint32_t k = 0; k < s->count; k++) to[k] = LLVMBuildSelect(e->builder, first, mine[k], to[k], "");
  }
  return share;
}

// Bit i of the chunk of register r. A warp's bits are the same in all its threads.
static LLVMValueRef chunk_bit(Scan *s, uint32_t r, uint32_t i) {
  Emitter *e = s->e;
  uint32_t bit = s->plan.holder[s->plan.low + i].bit;
  if (s->plan.holder[s->plan.low + i].dim == DIM_REGISTER) return LLVMConstInt(e->i1, r >> bit & 1, false);
  LLVMValueRef set = LLVMBuildAnd(e->builder, e->threads.warp, emit_i32(e, 1u << bit), "");
  return LLVMBuildICmp(e->builder, LLVMIntNE, set, emit_i32(e, 0), "");
}

// Combines what comes before the chunk of register r. The lane that has the chunk's total knows it.
static void take_in_share(Scan *s, uint32_t r, const Share *share) {
  Emitter *e = s->e;
  LLVMValueRef chunk = chunk_of(s, r), before[MAX_COMBINED];
  LLVMValueRef *left = ARENA_ARRAY(e->arena, LLVMValueRef, share->n);
  LLVMValueRef lane = LLVMBuildLShr(e->builder, chunk, emit_i32(e, chunk_bits(s) - LANE_BITS), "");
  for (uint32_t k = 0; k < s->count; k++) {
    for (uint32_t i = 0; i < share->n; i++) {
      uint32_t place = s->reverse ? share->n - 1 - i : i;
      left[i] = share->before[place * s->count + k];
    }
    for (uint32_t i = 0, n = share->n / 2; n > 0; i++, n /= 2)
      for (uint32_t j = 0; j < n; j++)
        left[j] = LLVMBuildSelect(e->builder, chunk_bit(s, r, i), left[2 * j + 1], left[2 * j], "");
    before[k] = emit_shuffle_from(e, left[0], lane);
  }
  take_in_run(s, r, chunk, before);
}

static Scan scan_new(Emitter *e, const Op *op) {
  Scan s = {.e = e, .op = op, .layout = op_operand(op, 0)->type->layout, .count = combined_count(op)};
  scan_plan(op, &s.plan);
  s.reverse = op_attr(op, ATTR_REVERSE) != NULL;
  s.runs = op_attr(op, ATTR_RUNS) != NULL;
  s.registers = layout_registers(s.layout);
  bool scanned = op->kind != OP_SCAN_CHUNKS || !s.runs; // the result is computed
  for (uint32_t k = 0; k < s.count; k++) {
    s.v[k] = scanned ? emit_new(e, &op->results[k]) : ARENA_ARRAY(e->arena, LLVMValueRef, s.registers);
    memcpy(s.v[k], emit_get(e, op_operand(op, k)), s.registers * sizeof **s.v);
  }
  return s;
}

void emit_scan(Emitter *e, Op *op) {
  Scan s = scan_new(e, op);
  if (s.runs)
    keep_starts(&s);
  else
    scan_within_warp(&s);
  if (op->kind == OP_SCAN_CHUNKS) keep_totals(&s);
}

void emit_scan_carry(Emitter *e, Op *op) {
  Scan s = scan_new(e, op);
  LLVMValueRef *totals[MAX_COMBINED];
  for (uint32_t k = 0; k < s.count; k++) totals[k] = emit_get(e, op_operand(op, s.count + k));
  for (uint32_t k = 0; k < s.count && s.runs; k++) s.starts[k] = emit_get(e, op_operand(op, 2 * s.count + k));
  uint32_t low = held_bits(&s, DIM_REGISTER, s.plan.low);
  bool by_lanes = scan_by_lanes(op, &s.plan);
  Line *lines = ARENA_ARRAY(e->arena, Line, s.registers);
  Share share = by_lanes ? share_new(&s, totals) : (Share){0};
  for (uint32_t r = 0; r < s.registers; r++) {
    if (r & low) continue;
    if (by_lanes)
      take_in_share(&s, r, &share);
    else
      take_in_chunk(&s, r, totals, &lines[line_of(&s, r)]);
  }
}
