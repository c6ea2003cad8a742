// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions within warps as shuffles.
//
// M(r, t) is the (register, lane) of src that holds the element for dst's register r of thread t. In round k
// thread t receives the element for its register k ^ P(t). So it reads from lane(M(k, 0)) ^ lane(T(t)) with
// T(t) = M(P(t), t).
//
// In a round, a lane sends one register to all its readers. So no two T of a warp may have the same lane but
// different registers. If T(t)'s lane is t's own, rounds with lane(M(k, 0)) = 0 need no shuffle. P is chosen
// for these goals. M has freedom too if src holds elements several times.
#include "base/fault.h"
#include "ir/layout/layout_parts.h"

enum { MAX_GENERATORS = 2 * LANE_PLAN_BITS + LANE_BITS };

// Words encode src's registers (low bits) and lanes.
typedef struct LaneProblem {
  uint32_t registers, lanes, warps;   // bits
  uint32_t round[LANE_PLAN_BITS];     // M of a round bit.
  uint32_t thread[LANE_PLAN_BITS];    // M of a thread bit at first, then T.
  uint32_t round_of[LANE_PLAN_BITS];  // P of a thread bit.
  uint32_t generator[MAX_GENERATORS]; // Allowed changes of a T: src's kernel, then M of the round bits.
  uint32_t kernel, generators;        // Number of kernel generators, of all.
  Span lanes_reached;                 // The lanes that the generators span.
  uint32_t select_of[LANE_PLAN_BITS]; // The register change that a lane (then warp) bit adds to what the lane
                                      // sends.
} LaneProblem;

static uint32_t lane_of(const LaneProblem *p, uint32_t word) { return word >> p->registers; }

static uint32_t register_of(const LaneProblem *p, uint32_t word) {
  return word & ((UINT32_C(1) << p->registers) - 1);
}

// src within a warp: only its registers and lanes.
static Layout within_warp(const Layout *src) {
  Layout warp = {.bits = {[DIM_REGISTER] = src->bits[DIM_REGISTER], [DIM_LANE] = src->bits[DIM_LANE]},
                 .out_bits = src->out_bits};
  for (uint32_t i = 0; i < layout_in_bits(&warp); i++) warp.basis[i] = src->basis[i];
  return warp;
}

// The layout's kernel in echelon form. Lanes lead, so that reducing a word clears lanes first.
static Span kernel_of(const Layout *layout) {
  Span image = {0}, kernel = {0};
  for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
    uint64_t combo = UINT64_C(1) << i;
    if (span_reduce(&image, layout->basis[i], &combo) == 0)
      span_add(&kernel, (uint32_t)combo, 0);
    else
      span_add(&image, layout->basis[i], i);
  }
  return kernel;
}

static void add_generator(LaneProblem *p, uint32_t word) {
  span_add(&p->lanes_reached, lane_of(p, word), p->generators);
  p->generator[p->generators++] = word;
}

// Returns false if dst needs elements from another warp.
static bool problem_pose(const Layout *src, const Layout *kept, LaneProblem *p) {
  *p = (LaneProblem){
      .registers = src->bits[DIM_REGISTER], .lanes = src->bits[DIM_LANE], .warps = src->bits[DIM_WARP]};
  const Layout warp = within_warp(src);
  const Span kernel = kernel_of(&warp);
  for (uint32_t i = 0; i < 32; i++)
    if (kernel.row[i]) add_generator(p, kernel.row[i]);
  p->kernel = p->generators;
  for (uint32_t i = 0; i < kept->bits[DIM_REGISTER]; i++) {
    uint64_t unused = 0;
    if (!layout_delta(&warp, kept->basis[i], &p->round[i])) return false;
    p->round[i] = span_reduce_fully(&kernel, p->round[i], &unused);
    add_generator(p, p->round[i]);
  }
  for (uint32_t i = 0; i < p->lanes + p->warps; i++) {
    uint32_t here = src->basis[p->registers + i], wanted = kept->basis[kept->bits[DIM_REGISTER] + i];
    if (i < p->lanes && here == wanted)
      p->thread[i] = UINT32_C(1) << (p->registers + i);
    else if (!layout_delta(&warp, i < p->lanes ? wanted : wanted ^ here, &p->thread[i]))
      return false;
  }
  return true;
}

// Changes T of the thread bit by the generators in `combo`; other bits of `combo` are ignored.
static void lane_change(LaneProblem *p, uint32_t thread_bit, uint64_t combo) {
  for (uint32_t g = 0; g < p->generators; g++) {
    if (!(combo >> g & 1)) continue;
    p->thread[thread_bit] ^= p->generator[g];
    if (g >= p->kernel) p->round_of[thread_bit] ^= UINT32_C(1) << (g - p->kernel);
  }
}

// Makes T's lane of the thread bit `wanted`, if the generators can.
static bool lane_steer(LaneProblem *p, uint32_t thread_bit, uint32_t wanted) {
  uint64_t combo = 0;
  if (span_reduce(&p->lanes_reached, lane_of(p, p->thread[thread_bit]) ^ wanted, &combo)) return false;
  lane_change(p, thread_bit, combo);
  return true;
}

static bool stay_in_own_lanes(LaneProblem *p) {
  const LaneProblem before = *p;
  for (uint32_t i = 0; i < p->lanes; i++)
    if (!lane_steer(p, i, UINT32_C(1) << i)) {
      *p = before;
      return false;
    }
  return true;
}

// Makes the lanes of T independent, except for dependent T. Lanes outside the generators' span stay. Each
// dependent lane gets a fresh lane from that span.
static bool read_distinct_lanes(LaneProblem *p) {
  Span words = {0}, lanes = p->lanes_reached;
  for (uint32_t g = 0; g < p->generators; g++) span_add(&words, p->generator[g], g);
  uint32_t fresh = 0;
  for (uint32_t i = 0; i < p->lanes; i++) {
    uint64_t combo = 0, lane_combo = 0;
    if (span_reduce(&words, p->thread[i], &combo) == 0) {
      lane_change(p, i, combo);
      continue;
    }
    if (span_reduce(&lanes, lane_of(p, p->thread[i]), &lane_combo) == 0) {
      while (fresh < 32 && !p->lanes_reached.row[fresh]) fresh++;
      if (fresh == 32) return false;
      lane_change(p, i, lane_combo ^ p->lanes_reached.combo[fresh++]);
    } else {
      span_add(&lanes, lane_of(p, p->thread[i]), p->generators + i);
    }
    span_add(&words, p->thread[i], p->generators + i);
  }
  return true;
}

// A lane sends send_register(k) ^ select_of(its number). Derives select_of from T.
static void find_selects(LaneProblem *p) {
  Span lanes = {0};
  for (uint32_t i = 0; i < p->lanes; i++) span_add(&lanes, lane_of(p, p->thread[i]), i);
  for (uint32_t i = 0; i < p->lanes; i++) {
    uint64_t combo = 0;
    span_reduce_fully(&lanes, UINT32_C(1) << i, &combo);
    for (uint32_t k = 0; k < p->lanes; k++)
      if (combo >> k & 1) p->select_of[i] ^= register_of(p, p->thread[k]);
  }
}

static uint32_t selects_of(const LaneProblem *p, uint32_t lane) {
  uint32_t registers = 0;
  for (uint32_t i = 0; i < p->lanes; i++)
    if (lane >> i & 1) registers ^= p->select_of[i];
  return registers;
}

// Expresses a map from thread bits to registers with the fewest selects.
static uint32_t selects_of_map(const uint32_t *map, uint32_t thread_bits, LaneSelect *selects) {
  Span span = {0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < thread_bits; i++)
    if (span_add(&span, map[i], n)) selects[n++] = (LaneSelect){.registers = map[i]};
  for (uint32_t i = 0; i < thread_bits; i++) {
    uint64_t combo = 0;
    span_reduce(&span, map[i], &combo);
    for (uint32_t s = 0; s < n; s++)
      if (combo >> s & 1) selects[s].threads |= UINT32_C(1) << i;
  }
  return n;
}

// Maps the result's registers to rounds: dst's registers among those that layout_drop_registers kept.
static void find_results(const Layout *dst, const Layout *kept, LanePlan *plan) {
  Layout rounds = {.bits = {[DIM_REGISTER] = kept->bits[DIM_REGISTER]}, .out_bits = kept->out_bits};
  for (uint32_t i = 0; i < kept->bits[DIM_REGISTER]; i++) rounds.basis[i] = kept->basis[i];
  for (uint32_t i = 0; i < dst->bits[DIM_REGISTER]; i++)
    if (!layout_delta(&rounds, dst->basis[i], &plan->result_round[i])) BUG("a dropped register is lost");
}

static void count_shuffles(const LaneProblem *p, LanePlan *plan) {
  Span lanes = {0};
  for (uint32_t i = 0; i < plan->round_bits; i++) span_add(&lanes, plan->round_lane[i], i);
  for (uint32_t i = 0; i < plan->thread_bits; i++)
    plan->butterfly = plan->butterfly && plan->lane_from[i] == (i < p->lanes ? UINT32_C(1) << i : 0);
  plan->shuffles = UINT32_C(1) << plan->round_bits;
  if (plan->butterfly) plan->shuffles -= UINT32_C(1) << (plan->round_bits - span_size(&lanes));
}

static void write_plan(LaneProblem *p, uint32_t round_bits, LanePlan *plan) {
  uint32_t send_of[LANE_PLAN_BITS];
  find_selects(p);
  *plan = (LanePlan){.src_register_bits = p->registers,
                     .round_bits = round_bits,
                     .thread_bits = p->lanes + p->warps,
                     .butterfly = true};
  for (uint32_t i = 0; i < plan->thread_bits; i++) {
    plan->lane_from[i] = lane_of(p, p->thread[i]);
    send_of[i] =
        i < p->lanes ? p->select_of[i] : register_of(p, p->thread[i]) ^ selects_of(p, plan->lane_from[i]);
  }
  for (uint32_t i = 0; i < round_bits; i++) {
    plan->round_lane[i] = lane_of(p, p->round[i]);
    plan->send_register[i] = register_of(p, p->round[i]) ^ selects_of(p, plan->round_lane[i]);
  }
  plan->send_count = selects_of_map(send_of, plan->thread_bits, plan->send);
  plan->receive_count = selects_of_map(p->round_of, plan->thread_bits, plan->receive);
  count_shuffles(p, plan);
}

bool layout_lane_plan(const Layout *src, const Layout *dst, LanePlan *plan) {
  if (layout_conversion(src, dst) > CONVERT_LANES) return false;
  if (src->bits[DIM_REGISTER] > LANE_PLAN_BITS || dst->bits[DIM_REGISTER] > LANE_PLAN_BITS ||
      src->bits[DIM_LANE] > LANE_BITS || src->bits[DIM_LANE] + src->bits[DIM_WARP] > LANE_PLAN_BITS)
    return false;
  const Layout kept = layout_drop_registers(dst);
  LaneProblem p;
  if (!problem_pose(src, &kept, &p)) return false;
  if (!stay_in_own_lanes(&p) && !read_distinct_lanes(&p)) return false;
  for (uint32_t i = p.lanes; i < p.lanes + p.warps; i++) lane_steer(&p, i, 0);
  write_plan(&p, kept.bits[DIM_REGISTER], plan);
  plan->dst_register_bits = dst->bits[DIM_REGISTER];
  find_results(dst, &kept, plan);
  return true;
}
