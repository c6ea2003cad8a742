// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost model's parts: occupancy, and counts of small kernels that anybody can count by hand.
#include "tests/unit/unit.h"
#include "tests/unit/ir_fixture.h"

#include <math.h>

#include "cost/l2_cache.h"
#include "cost/time.h"
#include "ir/text/parse.h"

static const TargetInfo *h200(void) { return target_find(STR("sm_90a")); }

static void expect_blocks(uint32_t threads, uint32_t registers, uint32_t shared, uint32_t blocks,
                          CostLimit limit) {
  CostOccupancy o = cost_occupancy(h200(), threads, registers, shared);
  assert_int_equal(o.blocks, blocks);
  assert_int_equal(o.limit, limit);
  assert_int_equal(o.warps, blocks * threads / 32);
}

// 64 warps, 32 CTAs, 65,536 registers, and 228 KB. Each CTA takes one KB more.
TEST(test_occupancy) {
  expect_blocks(128, 32, 0, 16, LIMIT_WARPS);
  expect_blocks(32, 32, 0, 32, LIMIT_BLOCKS);
  expect_blocks(128, 255, 0, 2, LIMIT_REGISTERS);
  expect_blocks(256, 168, 0, 1, LIMIT_REGISTERS);
  expect_blocks(128, 32, 98304, 2, LIMIT_SHARED);
  expect_blocks(128, 32, 227 * 1024, 1, LIMIT_SHARED);
  expect_blocks(1024, 128, 0, 0, LIMIT_REGISTERS);
}

// Four warps; each thread has one of 128 elements, `stride` elements apart.
static const char *kernel_of(Arena *arena, int stride, const char *offsets) {
  return arena_printf(arena,
                      "#l = layout<lane = [1, 2, 4, 8, 16], warp = [32, 64]; 128>\n"
                      "module target = \"sm_90a\", num_warps = 4 {\n"
                      "kernel @k(%%x: *i32, %%n: i32) {\n"
                      "  %%c = constant {value = %d} : tile<128xi32, #l>\n"
                      "  %%i = arange {start = 0, end = 128} : tile<128xi32, #l>\n"
                      "  %%o = mul %%i, %%c : tile<128xi32, #l>\n"
                      "  %%p = splat %%x : tile<128x*i32, #l>\n"
                      "  %%a = addptr %%p, %%o : tile<128x*i32, #l>\n"
                      "  %%b = splat %%n : tile<128xi32, #l>\n"
                      "  %%m = lt %%i, %%b : tile<128xi1, #l>\n"
                      "  %%v = load %%a, %%m : tile<128xi32, #l>\n"
                      "%s"
                      "  return\n}\n}\n",
                      stride, offsets);
}

static CostReport *report_of(IrFixture *s, const char *text, uint64_t n, uint32_t programs) {
  s->module = module_parse(&s->ir, sources_add(&s->sources, "k.tir", str_from(text)));
  assert_non_null(s->module);
  expect_valid(s);
  uint64_t args[] = {0x10000, n};
  CostBuffer buffer = {"x", 0x10000, 1 << 20, 0, NULL};
  CostLaunch launch = {
      .grid = {programs, 1, 1}, .args = args, .arg_count = 2, .buffers = &buffer, .buffer_count = 1};
  return cost_report(&s->arena, s->module->funcs.at[0], &launch);
}

static void expect_range(CostRange range, uint64_t least, uint64_t most) {
  assert_int_equal(range.least, least);
  assert_int_equal(range.most, most);
}

static void read_row(CostCache *cache, uint64_t address, uint64_t bytes) {
  cache_rows_end(cache, cache_row(cache, false, address, bytes, 1), 1);
}

// Bytes that rounds after the first read from memory. Every round reads `shared` bytes of one
// buffer, and the same number of another that no other round has.
static double missed(uint64_t shared, double capacity, uint32_t buffer) {
  Arena arena = {0};
  CostBuffer buffers[] = {{"x", 0x100000, 1 << 20, 0, NULL}, {"y", 0x400000, 1 << 20, 0, NULL}};
  CostLaunch launch = {.buffers = buffers, .buffer_count = 2};
  CostCache cache = cache_init(&arena, &launch, capacity, 2);
  static const Op load = {.kind = OP_LOAD};
  for (uint32_t round = 0; round <= CACHE_ROUNDS; round++) {
    for (uint32_t program = 0; round && program < 2; program++) {
      cache.measures = false;
      cache_program(&cache, round - 1);
      if (!cache_has(&cache, &load, 0x100000, NULL, shared, 1)) read_row(&cache, 0x100000, shared);
    }
    cache_has(&cache, &load, 0x400000 + round * 0x10000, NULL, shared, 1);
    read_row(&cache, 0x400000 + round * 0x10000, shared);
  }
  double bytes = cache_missed(&cache, buffer, 3.0 * (double)shared);
  arena_free(&arena);
  return bytes;
}

// The data of another round is lost if both rounds touch more than the cache keeps: half of it at
// exactly the capacity.
TEST(test_cache) {
  assert_float_equal(missed(4096, 16384, 0), 0, 0.001);
  assert_float_equal(missed(4096, 4096, 0), 4096, 0.001);
  assert_float_equal(missed(4096, 8192, 0), 2048, 0.001);
  assert_float_equal(missed(4096, 1e9, 1), 4096, 0.001);
}

// x is read by two programs of round 0 and one of round 1. All programs read the same amount of y
// by themselves.
static double lost_in_two(double capacity, uint32_t buffer) {
  enum { BYTES = 4096 };
  Arena arena = {0};
  CostBuffer buffers[] = {{"x", 0x100000, 1 << 20, 0, NULL}, {"y", 0x400000, 1 << 20, 0, NULL}};
  CostLaunch launch = {.buffers = buffers, .buffer_count = 2};
  CostCache cache = cache_init(&arena, &launch, capacity, 2);
  static const Op load = {.kind = OP_LOAD};
  read_row(&cache, 0x100000, BYTES);
  read_row(&cache, 0x400000, BYTES);
  cache.measures = false;
  for (uint32_t program = 0; program < 3; program++) {
    uint64_t own = 0x400000 + program * BYTES;
    cache_program(&cache, program / 2);
    if (!cache_has(&cache, &load, 0x100000, NULL, BYTES, 1)) read_row(&cache, 0x100000, BYTES);
    if (!cache_has(&cache, &load, own, NULL, BYTES, 1)) read_row(&cache, own, BYTES);
  }
  double bytes = cache_lost(&cache, buffer, cache.asked[0] + cache.asked[1]);
  arena_free(&arena);
  return bytes;
}

// Round 0 touches 12,288 bytes: x, and two programs' of y.
TEST(test_cache_of_two_rounds) {
  assert_float_equal(lost_in_two(1e9, 0), 0, 0.001);
  assert_float_equal(lost_in_two(12288, 0), 2048, 0.001);
  assert_float_equal(lost_in_two(1024, 0), 4096, 0.001);
  assert_float_equal(lost_in_two(1024, 1), 0, 0.001);
}

// Bytes that a program reads from memory again: x, then the same amount of y, then x. `beside` is the number of
// programs that do so at a time.
static double lost(double capacity, uint64_t beside) {
  enum { BYTES = 4096 };
  Arena arena = {0};
  CostBuffer buffers[] = {{"x", 0x100000, 1 << 20, 0, NULL}, {"y", 0x400000, 1 << 20, 0, NULL}};
  CostLaunch launch = {.buffers = buffers, .buffer_count = 2};
  CostCache cache = cache_init(&arena, &launch, capacity, beside);
  static const Op load = {.kind = OP_LOAD};
  const uint64_t addresses[] = {0x100000, 0x400000, 0x100000};
  cache.measures = false;
  for (uint32_t program = 0; program < 2; program++) {
    cache_program(&cache, 0);
    for (size_t i = 0; i < 3; i++)
      if (!cache_has(&cache, &load, addresses[i] + program * BYTES, NULL, BYTES, 1))
        read_row(&cache, addresses[i] + program * BYTES, BYTES);
  }
  double bytes = cache.lost[0] + cache.lost[1];
  arena_free(&arena);
  return bytes;
}

// Between the two reads of x lie the 4,096 bytes of y, of each program.
TEST(test_read_again) {
  assert_float_equal(lost(1 << 20, 100), 0, 0.001);
  assert_float_equal(lost(4096 * 100, 100), 4096, 0.001);
  assert_float_equal(lost(4096 * 50, 100), 2 * 4096, 0.001);
}

// A warp's 128 bytes are 4 sectors; one in eight of them apart each lane has its own.
TEST(test_sectors) {
  static const struct {
    int stride;
    uint64_t n, requests, sectors;
  } cases[] = {{1, 128, 4, 16}, {1, 40, 2, 5},    {1, 0, 0, 0},
               {2, 128, 4, 32}, {8, 128, 4, 128}, {8, 33, 2, 33}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    IrFixture s;
    ir_fixture_open(&s);
    CostReport *r = report_of(&s, kernel_of(&s.arena, cases[i].stride, ""), cases[i].n, 3);
    assert_true(r->exact);
    expect_range(r->totals.requests, 3 * cases[i].requests, 3 * cases[i].requests);
    expect_range(r->totals.sectors, 3 * cases[i].sectors, 3 * cases[i].sectors);
    ir_fixture_close(&s);
  }
}

// A third of the element's number, by the reciprocal: 43 words. Each warp's words lie in two
// sectors.
TEST(test_reciprocals) {
  IrFixture s;
  ir_fixture_open(&s);
  CostReport *r =
      report_of(&s,
                kernel_of(&s.arena, 1,
                          "  %u = cast %i : tile<128xu32, #l>\n"
                          "  %t = constant {value = 1431655766} : tile<128xu32, #l>\n"
                          "  %h = mulhi %u, %t : tile<128xu32, #l>\n  %d = cast %h : tile<128xi32, #l>\n"
                          "  %q = addptr %p, %d : tile<128x*i32, #l>\n  %w = load %q : tile<128xi32, #l>\n"),
                128, 1);
  assert_true(r->exact);
  expect_range(r->totals.sectors, 16 + 8, 16 + 8);
  ir_fixture_close(&s);
}

// The second load reads at the values of the first: all lanes in one sector, or each in its own.
TEST(test_addresses_of_data) {
  IrFixture s;
  ir_fixture_open(&s);
  CostReport *r = report_of(
      &s, kernel_of(&s.arena, 1, "  %q = addptr %p, %v : tile<128x*i32, #l>\n  store %q, %i, %m\n"), 128, 1);
  assert_false(r->exact);
  expect_range(r->totals.requests, 8, 8);
  expect_range(r->totals.sectors, 16 + 4, 16 + 128);
  ir_fixture_close(&s);
}

// A loop's trips are counted; one whose bound is loaded may make any number.
TEST(test_trips) {
  static const char counted[] = "  %z = constant {value = 0} : i32\n  %one = constant {value = 1} : i32\n"
                                "  for %z, %n, %one do (%k: i32) {\n    store %a, %i, %m\n    yield\n  }\n";
  static const char loaded[] =
      "  %z = constant {value = 0} : i32\n  %one = constant {value = 1} : i32\n  %e = load %x : i32\n"
      "  for %z, %e, %one do (%k: i32) {\n    store %a, %i, %m\n    yield\n  }\n";
  IrFixture s;
  ir_fixture_open(&s);
  CostReport *r = report_of(&s, kernel_of(&s.arena, 1, counted), 64, 1);
  assert_true(r->exact);
  expect_range(r->totals.requests, 2 + 64 * 2, 2 + 64 * 2);
  ir_fixture_close(&s);
  ir_fixture_open(&s);
  r = report_of(&s, kernel_of(&s.arena, 1, loaded), 64, 1);
  assert_false(r->exact);
  assert_true(r->unbounded);
  expect_range(r->totals.requests, 2 + 4, 2 + 4 + 2);
  ir_fixture_close(&s);
}

// Each program of a persistent kernel is counted once, whichever CTA runs it. Data that all four
// warps load is requested once from the L2 cache: 32 elements are 4 sectors.
static void expect_same(const char *use, uint64_t sectors) {
  static const char before[] = "#l = layout<lane = [1, 2, 4, 8, 16], warp = [0, 0]; 32>\n"
                               "module target = \"sm_90a\", num_warps = 4 {\n"
                               "kernel @k(%x: *i32, %n: i32) {\n"
                               "  %i = arange {start = 0, end = 32} : tile<32xi32, #l>\n"
                               "  %p = splat %x : tile<32x*i32, #l>\n"
                               "  %a = addptr %p, %i : tile<32x*i32, #l>\n"
                               "  %v = load %a : tile<32xi32, #l>\n"
                               "  %w = add %v, %i : tile<32xi32, #l>\n";
  static const char after[] = "  store %a, %w\n"
                              "  return\n}\n}\n";
  IrFixture s;
  ir_fixture_open(&s);
  CostReport *r = report_of(&s, arena_printf(&s.arena, "%s%s%s", before, use, after), 64, 1);
  expect_range(r->totals.sectors, sectors, sectors);
  assert_true(r->totals.cache_sectors == 4 + 4);
  ir_fixture_close(&s);
}

// Only the first warp stores. The others load only what they use for something else.
TEST(test_warps_that_load_the_same) {
  expect_same("", 4 + 4);
  expect_same("  %r = reduce %v {axis = 0} : i32 do (%b: i32, %c: i32) {\n"
              "    %d = max %b, %c : i32\n"
              "    yield %d\n  }\n",
              4 * 4 + 4);
}

static double rounds_of(const char *stored, uint64_t trips) {
  static const char before[] =
      "  %z = constant {value = 0} : i32\n  %one = constant {value = 1} : i32\n"
      "  for %z, %n, %one do (%k: i32) {\n    %w = load %a, %m : tile<128xi32, #l>\n";
  IrFixture s;
  ir_fixture_open(&s);
  const char *loop = arena_printf(&s.arena, "%s%s    yield\n  }\n", before, stored);
  double rounds = report_of(&s, kernel_of(&s.arena, 1, loop), trips, 1)->rounds;
  ir_fixture_close(&s);
  return rounds;
}

// In a small loop ptxas has four iterations' loads in flight at once, unless it stores: loads may
// not pass stores.
TEST(test_rounds_of_a_small_loop) {
  assert_true(rounds_of("", 2) == 1 + 1);
  assert_true(rounds_of("", 64) == 1 + 16);
  assert_true(rounds_of("    store %a, %w, %m\n", 64) == 1 + 64);
}

// Lanes that walk along rows advance by an element in each iteration. Without most iterations only the registers of
// the loads in flight limit the time.
TEST(test_longer_steps) {
  static const char loop[] =
      "  %z = constant {value = 0} : i32\n  %one = constant {value = 1} : i32\n"
      "  for %z, %n, %one do (%k: i32) {\n    %r = splat %k : tile<128xi32, #l>\n"
      "    %d = addptr %a, %r : tile<128x*i32, #l>\n    %w = load %d : tile<128xi32, #l>\n"
      "    store %d, %w\n    yield\n  }\n";
  IrFixture s;
  ir_fixture_open(&s);
  CostReport *r = report_of(&s, kernel_of(&s.arena, 64, loop), 64, 1);
  const CostOp *in_loop[2] = {NULL, NULL}; // load, store
  for (uint32_t i = 0; i < r->op_count; i++)
    if (r->ops[i].requests.most && r->ops[i].op->region->parent)
      in_loop[r->ops[i].op->kind == OP_STORE] = &r->ops[i];
  assert_true(in_loop[0]->advance == 4 && in_loop[1]->advance == 4);
  assert_true(in_loop[0]->waits == 64 && in_loop[1]->waits == 0);
  double least = in_loop[0]->least_waits, share;
  assert_true(least > 1 && least < 64);
  const CostSaving some = {.rounds = 64 - least, .parts = 64 - least},
                   all = {.rounds = 64 - least, .parts = 64};
  assert_true(cost_saving(r, &some, &share) > 0);
  assert_true(cost_saving(r, &all, &share) > cost_saving(r, &some, &share));
  ir_fixture_close(&s);
}

TEST(test_programs_in_turn) {
  static const char text[] =
      "#l = layout<lane = [1, 2, 4, 8, 16], warp = [32, 64]; 128>\n"
      "module target = \"sm_90a\", num_warps = 4 {\n"
      "kernel @k(%x: *i32, %n: i32, %px: i32 {hidden = programs}, %py: i32 {hidden = programs}, %pz: i32 "
      "{hidden = programs}) {\n"
      "  %b = program_id {axis = 0} : i32\n  %bs = num_programs {axis = 0} : i32\n"
      "  %r = mul %px, %py : i32\n  %all = mul %r, %pz : i32\n"
      "  for %b, %all, %bs {programs} do (%t: i32) {\n"
      "    %s = splat %t : tile<128xi32, #l>\n    %i = arange {start = 0, end = 128} : tile<128xi32, #l>\n"
      "    %e = splat %n : tile<128xi32, #l>\n    %o = mul %s, %e : tile<128xi32, #l>\n    %q = add %o, %i : "
      "tile<128xi32, #l>\n"
      "    %p = splat %x : tile<128x*i32, #l>\n    %a = addptr %p, %q : tile<128x*i32, #l>\n    store %a, "
      "%i\n    yield\n  }\n"
      "  return\n}\n}\n";
  IrFixture s;
  ir_fixture_open(&s);
  CostReport *r = report_of(&s, text, 128, 7);
  assert_true(r->exact);
  expect_range(r->totals.requests, 7 * 4, 7 * 4);
  expect_range(r->totals.sectors, 7 * 16, 7 * 16);
  ir_fixture_close(&s);
}

// The parts of a time are its bounds. Without one of them it is less.
TEST(test_time) {
  IrFixture s;
  ir_fixture_open(&s);
  CostReport *r = report_of(&s, kernel_of(&s.arena, 8, ""), 128, 1000);
  double share, sectors = (double)r->totals.sectors.most;
  assert_true(r->time.known);
  assert_true(r->time.seconds > r->time.launch + r->time.bounds[r->time.bottleneck]);
  assert_true(r->time.tail > 1 && r->time.tail < 1.1); // 1000 programs on 132
  const CostSaving half = {.sectors = sectors / 2, .steps = r->totals.cache_steps / 2};
  assert_true(cost_saving(r, &half, &share) >= 0);
  assert_true(share > 0);
  ir_fixture_close(&s);
}

// Alternating slots of a ring of two, each stored to and read in its iteration, with the barrier
// between.
TEST(test_events) {
  static const char text[] =
      "#l = layout<lane = [1, 2, 4, 8, 16], warp = [32, 64]; 128>\n"
      "#s = layout<offset = [1, 2, 4, 8, 16, 32, 64]; 128>\n#r = layout<offset = [1, 2, 4, 8, 16, 32, 64, "
      "128]; 256>\n"
      "module target = \"sm_90a\", num_warps = 4 {\nkernel @k(%x: *i32, %n: i32) {\n"
      "  %b = shared_alloc {offset = 0} : shared<2x128xi32, #r>\n"
      "  %i = arange {start = 0, end = 128} : tile<128xi32, #l>\n  %c0 = constant {value = 0} : i32\n"
      "  %c1 = constant {value = 1} : i32\n"
      "  for %c0, %n, %c1 do (%k: i32) {\n    %h = and %k, %c1 : i32\n"
      "    %w = shared_index %b, %h : shared<128xi32, #s>\n    shared_store %i, %w\n    barrier\n"
      "    %v = shared_load %w : tile<128xi32, #l>\n    %p = splat %x : tile<128x*i32, #l>\n"
      "    %a = addptr %p, %i : tile<128x*i32, #l>\n    store %a, %v\n    yield\n  }\n  return\n}\n}\n";
  IrFixture s;
  ir_fixture_open(&s);
  report_of(&s, text, 3, 2);
  uint64_t args[] = {0x10000, 3};
  CostLaunch launch = {.grid = {2, 1, 1}, .args = args, .arg_count = 2};
  CostEventList events = cost_events(&s.arena, s.module->funcs.at[0], &launch, 8);
  static const struct {
    OpKind kind;
    int64_t slot;
    uint32_t trip;
  } expected[] = {{OP_SHARED_STORE, 0, 0}, {OP_BARRIER, -1, 0}, {OP_SHARED_LOAD, 0, 0},
                  {OP_SHARED_STORE, 1, 1}, {OP_BARRIER, -1, 1}, {OP_SHARED_LOAD, 1, 1},
                  {OP_SHARED_STORE, 0, 2}, {OP_BARRIER, -1, 2}};
  assert_int_equal(events.n, 8); // of nine
  for (uint32_t i = 0; i < events.n; i++) {
    assert_int_equal(events.at[i].op->kind, expected[i].kind);
    assert_int_equal(events.at[i].slot, expected[i].slot);
    assert_int_equal(events.at[i].trip, expected[i].trip);
    assert_int_equal(events.at[i].alloc != NULL, expected[i].kind != OP_BARRIER);
  }
  ir_fixture_close(&s);
}

// For a card with another memory only that memory's bound differs.
TEST(test_cards) {
  Arena arena = {0};
  assert_string_equal(cost_card(h200(), "H200"), "H200 SXM");
  assert_string_equal(cost_card(h200(), "H100 SXM"), "H100 SXM");
  assert_null(cost_card(h200(), "H1"));
  assert_null(cost_card(target_find(STR("sm_80")), "H100"));
  assert_string_equal(cost_cards(&arena, h200()), "H200 SXM, H100 SXM");
  assert_string_equal(cost_card_of(h200(), "NVIDIA H100 80GB HBM3"), "H100 SXM");
  assert_string_equal(cost_card_of(h200(), "NVIDIA H200"), "H200 SXM");
  assert_null(cost_card_of(h200(), "NVIDIA GH200 480GB"));
  assert_null(cost_card_of(target_find(STR("sm_80")), "NVIDIA H100 80GB HBM3"));
  IrFixture s;
  ir_fixture_open(&s);
  CostReport *report = report_of(&s, kernel_of(&s.arena, 1, ""), 128, 1000);
  CostTime own = report->time;
  report->card = cost_card(h200(), "H100");
  cost_set_registers(report, report->registers);
  assert_float_equal(report->time.bounds[BOUND_MEMORY] / own.bounds[BOUND_MEMORY], 4800.0 / 3350.0, 1e-9);
  assert_float_equal(report->time.bounds[BOUND_L2], own.bounds[BOUND_L2], 0);
  ir_fixture_close(&s);
  arena_free(&arena);
}

typedef struct Step {
  int ladder;
  double m, n, k, measured;
  uint32_t tile_m, tile_n,
      ctas; // A CTA multiplies tile_m x 64 and 64 x tile_n in a step; two CTAs of a pair each copy half of the latter.
  CostPlan plan;
  double parts, rows;
} Step;

// Bytes that CTAs read from memory. All those at the same time read their operands once. Nothing stays in the L2 cache for
// the next ones, unless everything fits.
static double read_bytes(const Step *s, double programs, double cache, double at_once) {
  double m = s->tile_m * s->ctas, rows = s->rows > 0 ? s->rows : fmax(1, at_once * s->tile_n / s->n);
  double columns = at_once / rows, all = (s->m + s->n) * s->k * 2;
  return all + 2 * s->m * s->n <= cache ? all
                                        : (rows * m + columns * s->tile_n) * s->k * 2 * programs / at_once;
}

static double predict_step(Step *s) {
  const TargetInfo *arch = target_find(STR("sm_100a"));
  const Chip *chip = chip_named(cost_card(arch, "B200"));
  double sms = arch->multiprocessors, at_once = sms / s->ctas,
         programs = s->m / s->tile_m / s->ctas * (s->n / s->tile_n);
  s->plan.steps = s->k / 64, s->plan.stored = 2.0 * s->tile_m * s->tile_n / s->parts;
  double rounds = ceil(programs / at_once), works = rounds * s->plan.steps;
  double dot = 2.0 * s->tile_m * s->tile_n * 64 / arch->tensor_fp16 / (chip->mhz * 1e6);
  CostTime time = {.launch = chip->launch * 1e-9};
  time.bounds[BOUND_TENSOR] = works * dot * 100 / chip->tensor;
  time.bounds[BOUND_L2] = works * (s->tile_m + (double)s->tile_n / s->ctas) * 128 * sms / (chip->l2 * 1e9);
  time.bounds[BOUND_MEMORY] =
      (read_bytes(s, programs, arch->l2_mb * 1e6, at_once) / chip->read + 2 * s->m * s->n / chip->write) *
      100 / (chip->bandwidth * 1e9);
  plan_add_waits(&s->plan, rounds, dot, &time);
  return 2e-12 * s->m * s->n * s->k / plan_seconds(&time);
}

// The constants are fitted to the first ladder alone. Steps of all ladders come in their order, and gain what was measured.
TEST(test_blackwell_steps) {
  enum { TILUS, JAX, KITTENS };
#define X(ladder, M, N, K, speed, bm, bn, slots, by_tma, own, turns, sums, pair, parts, rows)                \
  {ladder, M, N, K, speed, bm, bn, pair, {0, slots, by_tma, own, turns, sums, 0}, parts, rows},
  Step steps[] = {
#include "tests/unit/cost/published.def"
  };
  double before = 0;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; before = predict_step(&steps[i++])) {
    double now = predict_step(&steps[i]);
    if (steps[i].ladder == TILUS) assert_float_equal(now / steps[i].measured, 1, 0.05);
    if (i == 0 || steps[i - 1].ladder != steps[i].ladder) continue;
    double gain = now / before, measured = steps[i].measured / steps[i - 1].measured;
    assert_true((gain > 1) == (measured > 1));
    assert_float_equal(gain / measured, 1, 0.2);
  }
  assert_false(cost_card_is_measured("B200"));
}

// Four of 512 elements a thread: addresses are made where they are used, and a sum takes an operand's registers that nothing reads again.
TEST(test_alive) {
  static const char text[] =
      "#l = layout<reg = [1, 2], lane = [4, 8, 16, 32, 64], warp = [128, 256]; 512>\n"
      "module target = \"sm_90a\", num_warps = 4 {\nkernel @k(%x: *fp32, %n: i32) {\n"
      "  %i = arange {start = 0, end = 512} : tile<512xi32, #l>\n  %p = splat %x : tile<512x*fp32, #l>\n"
      "  %a = addptr %p, %i : tile<512x*fp32, #l>\n"
      "  %v = load %a : tile<512xfp32, #l>\n  %w = load %a : tile<512xfp32, #l>\n"
      "  %s = add %v, %w : tile<512xfp32, #l>\n  %t = mul %s, %v : tile<512xfp32, #l>\n"
      "  store %a, %t\n  return\n}\n}\n";
  static const uint32_t alive[] = {0, 0, 0, 4, 8, 8, 4, 0};
  IrFixture s;
  ir_fixture_open(&s);
  const CostReport *report = report_of(&s, text, 0, 1);
  const Op *op = report->func->body->first;
  for (size_t i = 0; i < sizeof alive / sizeof *alive; i++, op = op->next)
    assert_int_equal(report->alive[op->id], alive[i]);
  ir_fixture_close(&s);
}

WHOLE_SUITE(cost)
