// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters against their definitions, by brute force: random addresses,
// masks and widths; one request each.

#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

enum { LANES = 32, BANKS = 32, WORD = 4, SECTOR = 32, REGION = 4096, SEEDS = 60 };

static uint64_t state;

static uint32_t below(uint32_t n) { // xorshift64*
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return (uint32_t)((state * 0x2545f4914f6cdd1du >> 33) % n);
}

// Lanes of `mask` load `bytes` at offsets[lane]: on line LINE of the text, from the space that it names.
#define LOAD_LINE 9
#define LOAD_TEXT                                                                                            \
  ".version 8.0\n.target sm_90\n.address_size 64\n"                                                          \
  ".visible .entry k(.param .u64 offsets, .param .u64 data, .param .u32 mask)\n{\n"                          \
  ".shared .align 16 .b8 s[4096];\n.reg .b32 %%r<9>, %%v<4>; .reg .b64 %%d<9>; .reg .pred %%p;\n"            \
  "ld.param.u64 %%d1, [offsets]; ld.param.u64 %%d2, [data]; ld.param.u32 %%r1, [mask]; mov.u32 %%r2, "       \
  "%%tid.x; mul.wide.u32 %%d3, %%r2, 4; add.u64 %%d1, %%d1, %%d3; ld.global.u32 %%r3, [%%d1]; cvt.u64.u32 "  \
  "%%d4, %%r3; add.u64 %%d2, %%d2, %%d4; mov.u32 %%r4, s; add.u32 %%r4, %%r4, %%r3; shr.u32 %%r5, %%r1, "    \
  "%%r2; and.b32 %%r5, %%r5, 1; setp.ne.u32 %%p, %%r5, 0;\n"                                                 \
  "@%%p ld.%s.%s [%s];\nret;\n}\n"

static tilec_sim_counters count_load(bool shared, uint32_t bytes, uint32_t *offsets, uint32_t mask) {
  static const char *const loads[] = {[1] = "u8 %v0,",
                                      [2] = "u16 %v0,",
                                      [4] = "u32 %v0,",
                                      [8] = "v2.u32 {%v0, %v1},",
                                      [16] = "v4.u32 {%v0, %v1, %v2, %v3},"};
  static unsigned char data[REGION];
  char text[2000];
  snprintf(text, sizeof text, LOAD_TEXT, shared ? "shared" : "global", loads[bytes], shared ? "%r4" : "%d2");
  SimFixture f = sim_open_text(text, TILEC_SIM_LATE);
  uint64_t at = sim_bind(&f, offsets, LANES * sizeof *offsets), from = sim_bind(&f, data, sizeof data);
  const void *params[] = {&at, &from, &mask};
  sim_run(&f, "k", 1, 1, LANES, 0, params);
  tilec_sim_counters found = {0};
  for (size_t i = 0; i < tilec_sim_line_count(f.sim); i++)
    if (tilec_sim_line_at(f.sim, i)->line == LOAD_LINE) found = tilec_sim_line_at(f.sim, i)->counters;
  sim_close(&f);
  assert_int_equal(found.instructions, 1);
  return found;
}

static void expect_global(const tilec_sim_counters *got, uint32_t bytes, const uint32_t *offsets,
                          uint32_t mask) {
  bool touched[REGION] = {false};
  uint32_t distinct = 0, sectors = 0;
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t b = 0; b < bytes && (mask >> l & 1); b++) touched[offsets[l] + b] = true;
  for (uint32_t s = 0; s < REGION; s += SECTOR) {
    uint32_t here = 0;
    for (uint32_t b = s; b < s + SECTOR; b++) here += touched[b];
    distinct += here;
    sectors += here > 0;
  }
  assert_int_equal(got->global_requests, 1);
  assert_int_equal(got->global_sectors, sectors);
  assert_int_equal(got->global_sectors_ideal, (distinct + SECTOR - 1) / SECTOR);
  assert_int_equal(got->shared_requests, 0);
}

static bool same_by_pairs(const uint32_t *offsets, uint32_t mask, uint32_t apart) {
  bool same = true;
  for (uint32_t l = 0; l < LANES; l++)
    if (mask & 1u << l && mask & 1u << (l ^ apart)) same &= offsets[l] == offsets[l ^ apart];
  return same;
}

static void expect_shared(const tilec_sim_counters *got, uint32_t bytes, const uint32_t *offsets,
                          uint32_t mask) {
  uint32_t phases = bytes > WORD ? bytes / WORD : 1, wavefronts = 0, ideal = 0;
  if (phases > 1 && (same_by_pairs(offsets, mask, 1) || same_by_pairs(offsets, mask, 2))) phases /= 2;
  uint32_t lanes = LANES / phases;
  for (uint32_t phase = 0; phase < phases; phase++) {
    bool touched[REGION / WORD] = {false};
    uint32_t most = 0;
    for (uint32_t l = phase * lanes; l < (phase + 1) * lanes; l++)
      for (uint32_t b = 0; b < bytes && (mask >> l & 1); b++) touched[(offsets[l] + b) / WORD] = true;
    for (uint32_t bank = 0; bank < BANKS; bank++) {
      uint32_t words = 0;
      for (uint32_t w = bank; w < REGION / WORD; w += BANKS) words += touched[w];
      if (words > most) most = words;
    }
    wavefronts += most;
    ideal += most > 0;
  }
  assert_int_equal(got->shared_requests, 1);
  assert_int_equal(got->shared_wavefronts, wavefronts);
  assert_int_equal(got->shared_wavefronts_ideal, ideal);
  assert_int_equal(got->global_requests, 0);
}

// Contiguous, strided, all at one place, by pairs at one place, or anywhere; from anywhere.
static void choose_offsets(uint32_t bytes, uint32_t *offsets) {
  uint32_t kind = below(5), apart = 1 + below(2), stride = kind == 0 ? 1 : kind == 1 ? 1 + below(4) : 0;
  uint32_t room = REGION / bytes - (LANES - 1) * stride, first = below(room);
  for (uint32_t l = 0; l < LANES; l++)
    offsets[l] = bytes * (kind >= 3 ? below(REGION / bytes) : first + l * stride);
  for (uint32_t l = 0; l < LANES && kind == 4; l++)
    if (l & apart) offsets[l] = offsets[l ^ apart];
}

TEST(test_counters_are_as_defined) {
  for (uint64_t seed = 0; seed < SEEDS; seed++)
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
      state = (seed * 32 + bytes) * 0x9e3779b97f4a7c15u + 1;
      uint32_t offsets[LANES], mask = below(2) ? UINT32_MAX : below(UINT32_MAX) | 1u << below(LANES);
      choose_offsets(bytes, offsets);
      tilec_sim_counters got = count_load(false, bytes, offsets, mask);
      expect_global(&got, bytes, offsets, mask);
      got = count_load(true, bytes, offsets, mask);
      expect_shared(&got, bytes, offsets, mask);
    }
}

// Lane l adds to the vector of 16 bytes l from `first` on.
static tilec_sim_result add_vectors(const char *operation, uint32_t first, uint16_t *to, size_t bytes,
                                    tilec_sim_counters *counters) {
  char text[1000];
  snprintf(text, sizeof text,
           ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to)\n{\n"
           ".reg .b32 %%r<3>; .reg .b64 %%d<3>;\n"
           "ld.param.u64 %%d1, [to]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, 16; add.u64 %%d1, %%d1, "
           "%%d2; mov.b32 "
           "%%r2, 0x3c003c00;\n%s [%%d1+%u], {%%r2, %%r2, %%r2, %%r2};\nret;\n}\n",
           operation, first);
  SimFixture f = sim_open_text(text, TILEC_SIM_LATE);
  uint64_t at = sim_bind(&f, to, bytes);
  const void *params[] = {&at};
  tilec_sim_result result = sim_launch(&f, "k", 1, 1, LANES, 0, params);
  *counters = (tilec_sim_counters){0};
  for (size_t i = 0; i < tilec_sim_line_count(f.sim); i++)
    if (tilec_sim_line_at(f.sim, i)->line == 8) *counters = tilec_sim_line_at(f.sim, i)->counters;
  sim_close(&f);
  return result;
}

TEST(test_a_vector_of_sums_is_one_request) {
  uint16_t to[LANES * 8 + 8] = {0};
  tilec_sim_counters got;
  const char *sum = "red.relaxed.gpu.global.add.noftz.v4.f16x2";
  assert_int_equal(add_vectors(sum, 0, to, sizeof to, &got), TILEC_SIM_OK);
  for (int i = 0; i < LANES * 8 + 8; i++) assert_int_equal(to[i], i < LANES * 8 ? 0x3c00 : 0);
  assert_int_equal(got.global_requests, 1);
  assert_int_equal(got.global_sectors, LANES * 16 / SECTOR);
  assert_int_not_equal(add_vectors(sum, 8, to, sizeof to, &got), TILEC_SIM_OK); // aligned to half of it
}

// ---- where lanes meet again ----

// Code placed as LLVM may place it: a join comes before one of its paths, and the code after a loop comes before the loop.
#define HEAD_TEXT                                                                                            \
  ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>; .reg .pred %p;\n" \
  "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 31; mov.u32 %r2, 0;\n"
#define JOIN_TEXT                                                                                            \
  HEAD_TEXT "setp.lt.u32 %p, %r1, 5;\n@%p bra OTHER;\nJOIN: bar.sync 0; ret;\n"                              \
            "OTHER: add.u32 %r2, %r1, 1; bra JOIN;\n}\n"
#define LOOP_TEXT                                                                                            \
  HEAD_TEXT "bra HEAD;\nAFTER: bar.sync 0; ret;\nHEAD: setp.ge.u32 %p, %r2, %r1;\n@%p bra AFTER;\n"          \
            "add.u32 %r2, %r2, 1; bra HEAD;\n}\n"

static uint64_t arrivals(const char *text) {
  enum { WARPS = 3 };
  SimFixture f = sim_open_text(text, TILEC_SIM_LATE);
  tilec_sim_counters total;
  sim_run(&f, "k", 1, 1, LANES * WARPS, 0, NULL);
  tilec_sim_total(f.sim, &total);
  sim_close(&f);
  return total.barriers;
}

TEST(test_lanes_meet_where_paths_join) {
  assert_int_equal(arrivals(JOIN_TEXT), 3);
  assert_int_equal(arrivals(LOOP_TEXT), 3);
}

WHOLE_SUITE(sim_counters)
