// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffle plans, carried out on a warp of 32 lanes as layout.h describes them.
#include "tests/unit/unit.h"
#include "ir/layout/layout.h"
#include "tests/unit/layout_random.h"

enum { LANES = 32, MAX_REGISTERS = 256, POISON = 0x7fffffff };

typedef struct Warp {
  uint32_t value[LANES][MAX_REGISTERS];
} Warp;

static uint32_t linear(const uint32_t *words, uint32_t argument) {
  uint32_t result = 0;
  for (uint32_t i = 0; argument >> i; i++)
    if (argument >> i & 1) result ^= words[i];
  return result;
}

static void run_selects(Warp *w, uint32_t warp, const LaneSelect *selects, uint32_t n, uint32_t registers) {
  for (uint32_t s = 0; s < n; s++) {
    const Warp before = *w;
    for (uint32_t lane = 0; lane < LANES; lane++)
      for (uint32_t j = 0; j < registers; j++)
        if (__builtin_parity((lane | warp << LANE_BITS) & selects[s].threads))
          w->value[lane][j] = before.value[lane][j ^ selects[s].registers];
  }
}

// Shuffles that are needed: some lane's number is not its own.
static uint32_t run_plan(const LanePlan *plan, uint32_t warp, Warp *w, Warp *result) {
  uint32_t shuffles = 0;
  Warp received;
  memset(&received, 0x7f, sizeof received);
  run_selects(w, warp, plan->send, plan->send_count, 1u << plan->src_register_bits);
  for (uint32_t k = 0; k < 1u << plan->round_bits; k++) {
    bool crosses = false;
    for (uint32_t lane = 0; lane < LANES; lane++) {
      uint32_t from = linear(plan->lane_from, lane | warp << LANE_BITS) ^ linear(plan->round_lane, k);
      if (plan->butterfly) assert_int_equal(from, lane ^ linear(plan->round_lane, k));
      received.value[lane][k] = w->value[from][linear(plan->send_register, k)];
      crosses = crosses || from != lane;
    }
    shuffles += crosses || !plan->butterfly;
  }
  run_selects(&received, warp, plan->receive, plan->receive_count, 1u << plan->round_bits);
  for (uint32_t lane = 0; lane < LANES; lane++)
    for (uint32_t r = 0; r < 1u << plan->dst_register_bits; r++)
      result->value[lane][r] = received.value[lane][linear(plan->result_round, r)];
  return shuffles;
}

static void expect_plan(const LanePlan *plan, const Layout *src, const Layout *dst) {
  assert_int_equal(plan->src_register_bits, src->bits[DIM_REGISTER]);
  assert_int_equal(plan->dst_register_bits, dst->bits[DIM_REGISTER]);
  for (uint32_t warp = 0; warp < 1u << src->bits[DIM_WARP]; warp++) {
    Warp w, result;
    memset(&w, 0x7f, sizeof w);
    for (uint32_t lane = 0; lane < LANES; lane++)
      for (uint32_t r = 0; r < layout_registers(src); r++)
        w.value[lane][r] = layout_apply(src, r, lane, warp, 0);
    assert_int_equal(run_plan(plan, warp, &w, &result), plan->shuffles);
    for (uint32_t lane = 0; lane < LANES; lane++)
      for (uint32_t r = 0; r < layout_registers(dst); r++)
        assert_int_equal(result.value[lane][r], layout_apply(dst, r, lane, warp, 0));
  }
}

// The most registers of one thread that its own lane does not have: no fewer shuffles can do.
static uint32_t least_shuffles(const Layout *src, const Layout *dst) {
  uint32_t most = 0;
  for (uint32_t thread = 0; thread < 1u << (LANE_BITS + dst->bits[DIM_WARP]); thread++) {
    uint32_t moving = 0;
    for (uint32_t r = 0; r < layout_registers(dst); r++) {
      bool own = false;
      uint32_t wanted = layout_apply(dst, r, thread % LANES, thread / LANES, 0);
      for (uint32_t s = 0; s < layout_registers(src) && !own; s++)
        own = layout_apply(src, s, thread % LANES, thread / LANES, 0) == wanted;
      moving += !own;
    }
    if (moving > most) most = moving;
  }
  return most;
}

// Exchanges and adds bases among registers and lanes: any map of a warp onto itself.
static void mix(uint64_t *state, Layout *l, uint32_t steps) {
  uint32_t n = l->bits[DIM_REGISTER] + l->bits[DIM_LANE];
  for (uint32_t s = 0; s < steps; s++) {
    uint32_t i = random_below(state, n), k = random_below(state, n), basis = l->basis[i];
    if (i == k) continue;
    if (random_below(state, 3))
      l->basis[i] = l->basis[k], l->basis[k] = basis;
    else
      l->basis[k] ^= basis;
  }
}

static Layout random_onto(uint64_t *state, uint32_t registers, uint32_t warps) {
  Layout l = {.bits = {(uint8_t)registers, LANE_BITS, (uint8_t)warps}};
  l.out_bits = (uint8_t)(registers + LANE_BITS + warps);
  for (uint32_t i = 0; i < l.out_bits; i++) l.basis[i] = 1u << i;
  for (uint32_t i = l.out_bits; i-- > 1;) {
    uint32_t k = random_below(state, i + 1), basis = l.basis[i];
    l.basis[i] = l.basis[k];
    l.basis[k] = basis;
  }
  return l;
}

TEST(test_permutations_need_no_more_shuffles_than_must_be) {
  uint64_t state = 31;
  uint32_t butterflies = 0, others = 0, by_warp = 0;
  for (int t = 0; t < TRIALS; t++) {
    Layout src = random_onto(&state, random_below(&state, 5), random_below(&state, 3)), dst = src;
    mix(&state, &dst, random_below(&state, 8));
    if (t % 4 == 0 && dst.bits[DIM_WARP]) { // what a lane reads depends on the warp
      uint32_t first = dst.bits[DIM_REGISTER] + LANE_BITS;
      dst.basis[first] ^= dst.basis[random_below(&state, first)];
      by_warp++;
    }
    LanePlan plan;
    assert_true(layout_lane_plan(&src, &dst, &plan));
    expect_plan(&plan, &src, &dst);
    assert_int_equal(plan.shuffles, least_shuffles(&src, &dst));
    butterflies += plan.butterfly && plan.shuffles;
    others += !plan.butterfly;
  }
  assert_true(butterflies > 300 && others > 300 && by_warp > 300);
}

static void add_register(Layout *l, uint32_t basis) {
  uint32_t at = l->bits[DIM_REGISTER]++;
  memmove(l->basis + at + 1, l->basis + at, (layout_in_bits(l) - at - 1) * sizeof *l->basis);
  l->basis[at] = basis;
}

static void drop_register(Layout *l) {
  uint32_t at = --l->bits[DIM_REGISTER];
  memmove(l->basis + at, l->basis + at + 1, (layout_in_bits(l) - at) * sizeof *l->basis);
}

// Elements held several times: by lanes whose basis is 0 or a sum of others, by registers, on either side.
TEST(test_held_several_times) {
  uint64_t state = 32;
  uint32_t planned = 0, declined = 0, crossing = 0;
  for (int t = 0; t < 2 * TRIALS; t++) {
    Layout src = random_onto(&state, random_below(&state, 4), random_below(&state, 3)), dst;
    uint32_t n = src.bits[DIM_REGISTER] + LANE_BITS;
    for (uint32_t holes = random_below(&state, 4); holes > 0; holes--)
      src.basis[random_below(&state, n)] = random_below(&state, 2) ? 0 : src.basis[random_below(&state, n)];
    dst = src;
    mix(&state, &dst, random_below(&state, 12));
    for (uint32_t more = random_below(&state, 3); more > 0; more--)
      add_register(&dst, dst.basis[random_below(&state, n)]);
    if (t % 2 == 0) dst.basis[dst.bits[DIM_REGISTER] + random_below(&state, LANE_BITS)] = 0;
    if (t % 3 == 0 && dst.bits[DIM_REGISTER]) drop_register(&dst);
    Conversion kind = layout_conversion(&src, &dst);
    LanePlan plan;
    bool can = layout_lane_plan(&src, &dst, &plan);
    if (kind == CONVERT_SHARED) assert_false(can);
    if (kind <= CONVERT_REGISTERS) assert_true(can && plan.shuffles == 0);
    if (can) expect_plan(&plan, &src, &dst);
    planned += can;
    crossing += can && plan.shuffles > 0;
    declined += !can && kind == CONVERT_LANES;
  }
  assert_true(planned > 2000 && crossing > 1000);
  assert_true(declined < 300);
}

TEST(test_one_lane_cannot_give_two_registers) {
  // Every warp has all 64 elements; each wants two, both of one lane of the source, in two lanes at once.
  const Layout src = {.bits = {1, 5, 5}, .out_bits = 6, .basis = {1, 2, 4, 8, 16, 32, 0, 0, 0, 0, 0}};
  const Layout dst = {.bits = {0, 5, 5}, .out_bits = 6, .basis = {1, 0, 0, 0, 0, 2, 4, 8, 16, 32}};
  LanePlan plan;
  assert_int_equal(layout_conversion(&src, &dst), CONVERT_LANES);
  assert_false(layout_lane_plan(&src, &dst, &plan));
}

// docs/layouts.md shows this plan.
TEST(test_the_example_of_the_documentation) {
  const Layout src = {.bits = {2, 5}, .out_bits = 7, .basis = {1, 2, 4, 8, 16, 32, 64}};
  const Layout dst = {.bits = {2, 5}, .out_bits = 7, .basis = {32, 64, 1, 2, 4, 8, 16}};
  LanePlan plan;
  assert_true(layout_lane_plan(&src, &dst, &plan));
  expect_plan(&plan, &src, &dst);
  assert_int_equal(plan.shuffles, 4);
  const Layout swapped = {.bits = {2, 5}, .out_bits = 7, .basis = {1, 64, 4, 8, 16, 32, 2}};
  assert_true(layout_lane_plan(&src, &swapped, &plan));
  expect_plan(&plan, &src, &swapped);
  assert_true(plan.butterfly);
  assert_int_equal(plan.shuffles, 2);
  assert_int_equal(plan.send_count, 1);
  assert_int_equal(plan.send[0].threads, 16);
  assert_int_equal(plan.send[0].registers, 2);
  assert_int_equal(plan.receive_count, 1);
  assert_int_equal(plan.receive[0].threads, 16);
  assert_int_equal(plan.receive[0].registers, 2);
  assert_int_equal(plan.round_lane[0], 0);
  assert_int_equal(plan.round_lane[1], 16);
}

WHOLE_SUITE(layout_lanes)
