// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race checker against an oracle that keeps every byte's last write and every warp's last read.
// Warps of random kernels read and write runs of 1 to 16 bytes a lane, contiguous or not, with
// barriers between them. Every report's kind, lines, lane and address must be the oracle's.

#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

enum {
  REGION = 3072,
  STEPS = 16,
  MAX_WARPS = 4,
  SEEDS = 400,
  LANES = 32,
  REPORT_LIMIT = 100,
  TEXT_BYTES = 16384
};

typedef struct Step {
  bool barrier, write, global; // a barrier before it
  uint32_t warp, low, high;    // lanes
  uint32_t bytes, stride, offset;
  uint32_t line;
} Step;

typedef struct Event {
  bool set;
  uint32_t warp, lane, segment, line;
} Event;

typedef struct Byte {
  Event write, reads[MAX_WARPS];
} Byte;

typedef struct Expected {
  tilec_sim_report_kind kind;
  uint32_t line, other, lane, other_lane, address;
} Expected;

typedef struct Case {
  uint64_t state;
  uint32_t warps;
  Step steps[STEPS];
  Byte bytes[2][REGION]; // shared, global
  Expected expected[STEPS * STEPS * 3];
  uint32_t n;
} Case;

static uint32_t below(Case *c, uint32_t n) { // xorshift64*
  c->state ^= c->state >> 12, c->state ^= c->state << 25, c->state ^= c->state >> 27;
  return (uint32_t)((c->state * 0x2545f4914f6cdd1du >> 33) % n);
}

// Global memory remembers two readers: kernels with more warps do not use it.
static void make_step(Case *c, Step *step) {
  *step = (Step){.barrier = below(c, 4) == 0, .write = below(c, 2), .warp = below(c, c->warps)};
  step->global = c->warps == 2 && below(c, 2);
  step->bytes = (uint32_t[]){1, 4, 4, 4, 16}[below(c, 5)];
  step->stride = step->bytes * (below(c, 4) ? 1 : step->write ? 2 : 2 * below(c, 2));
  step->high = LANES;
  if (below(c, 3) == 0) step->low = below(c, LANES), step->high = step->low + 1 + below(c, LANES - step->low);
  uint32_t room = REGION - (LANES - 1) * step->stride - step->bytes,
           unit = below(c, 3) ? LANES * step->bytes : 0;
  if (unit < step->bytes || unit > room) unit = step->bytes;
  step->offset = below(c, room / unit + 1) * unit;
}

// ---- the kernel ----

static void write_step(char *text, size_t *n, Step *step, uint32_t number) {
  static const char *const types[] = {[1] = "u8", [4] = "u32", [16] = "v4.u32"};
  const char *values = step->bytes == 16 ? "{%v0, %v1, %v2, %v3}" : "%v0";
  const char *address = step->global ? "%at" : "%a", *space = step->global ? "global" : "shared";
  if (step->barrier) *n += (size_t)snprintf(text + *n, TEXT_BYTES - *n, "bar.sync 0;\n");
  *n += (size_t)snprintf(text + *n, TEXT_BYTES - *n,
                         "sub.u32 %%a, %%id, %u; setp.lt.u32 %%p, %%a, %u;\n"
                         "mad.lo.u32 %%a, %%lane, %u, %u; cvt.u64.u32 %%at, %%a; add.u64 %%at, %%at, %%g;\n",
                         step->warp * LANES + step->low, step->high - step->low, step->stride, step->offset);
  step->line = 1;
  for (const char *at = text; *at; at++) step->line += *at == '\n';
  uint32_t value = 0x01010101u * number; // in no other store: stores of one value may meet
  if (step->write)
    *n += (size_t)snprintf(text + *n, TEXT_BYTES - *n,
                           "mov.b32 %%v0, %u; mov.b32 %%v1, %u; mov.b32 %%v2, %u; mov.b32 %%v3, %u;\n", value,
                           value, value, value),
        step->line++;
  if (step->write)
    *n += (size_t)snprintf(text + *n, TEXT_BYTES - *n, "@%%p st.%s.%s [%s], %s;\n", space, types[step->bytes],
                           address, values);
  else
    *n += (size_t)snprintf(text + *n, TEXT_BYTES - *n, "@%%p ld.%s.%s %s, [%s];\n", space, types[step->bytes],
                           values, address);
}

static void write_kernel(Case *c, char *text) {
  size_t n = (size_t)snprintf(
      text, TEXT_BYTES,
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to)\n{\n"
      ".shared .align 1024 .b8 s[%d];\n.reg .b32 %%id, %%lane, %%a, %%v<4>; .reg .b64 %%g, %%at; .reg .pred "
      "%%p;\nld.param.u64 %%g, [to]; mov.u32 %%id, %%tid.x; and.b32 %%lane, %%id, 31;\n",
      REGION);
  for (int i = 0; i < STEPS; i++) write_step(text, &n, &c->steps[i], (uint32_t)i + 1);
  snprintf(text + n, TEXT_BYTES - n, "ret;\n}\n");
}

// ---- the oracle ----

static void expect(Case *c, Expected expected) {
  for (uint32_t i = 0; i < c->n; i++) {
    const Expected *old = &c->expected[i];
    if (old->kind == expected.kind && old->line == expected.line && old->other == expected.other) return;
  }
  c->expected[c->n++] = expected;
}

static bool unordered(const Event *event, uint32_t warp, uint32_t segment) {
  return event->set && event->warp != warp && event->segment == segment;
}

static void access_byte(Case *c, const Step *step, uint32_t segment, uint32_t lane, uint32_t at) {
  Byte *byte = &c->bytes[step->global][at];
  Expected expected = {.line = step->line, .lane = lane, .address = at};
  if (!step->write && !step->global && !byte->write.set) {
    expected.kind = TILEC_SIM_UNINITIALISED;
    expect(c, expected);
  }
  if (unordered(&byte->write, step->warp, segment)) {
    expected.kind = step->write ? TILEC_SIM_RACE_WRITE_WRITE : TILEC_SIM_RACE_WRITE_READ;
    expected.other = byte->write.line;
    expected.other_lane = byte->write.lane;
    expect(c, expected);
  }
  for (uint32_t w = 0; step->write && w < MAX_WARPS; w++)
    if (unordered(&byte->reads[w], step->warp, segment)) {
      expected.kind = TILEC_SIM_RACE_READ_WRITE;
      expected.other = byte->reads[w].line;
      expected.other_lane = byte->reads[w].lane;
      expect(c, expected);
    }
  Event event = {true, step->warp, lane, segment, step->line};
  if (!step->write)
    byte->reads[step->warp] = event;
  else
    *byte = (Byte){.write = event};
}

static void run_step(Case *c, const Step *step, uint32_t segment) {
  for (uint32_t lane = step->low; lane < step->high; lane++)
    for (uint32_t i = 0; i < step->bytes; i++)
      access_byte(c, step, segment, lane, step->offset + lane * step->stride + i);
}

// Between barriers one warp after another runs to its end. The last to arrive at a barrier goes
// first after it.
static void run_oracle(Case *c, bool descending) {
  c->n = 0;
  memset(c->bytes, 0, sizeof c->bytes);
  uint32_t segment = c->steps[0].barrier;
  for (uint32_t from = 0, to; from < STEPS; from = to, segment++) {
    for (to = from + 1; to < STEPS && !c->steps[to].barrier;) to++;
    for (uint32_t k = 0; k < c->warps; k++) {
      uint32_t warp = (k + segment * (c->warps - 1)) % c->warps;
      for (uint32_t i = from; i < to; i++)
        if (c->steps[i].warp == (descending ? c->warps - 1 - warp : warp)) run_step(c, &c->steps[i], segment);
    }
  }
}

// ---- the comparison ----

static bool is_expected(const Case *c, const tilec_sim_report *report, uint64_t buffer) {
  for (uint32_t i = 0; i < c->n; i++) {
    const Expected *e = &c->expected[i];
    if (e->kind != report->kind || e->line != report->ptx_line || e->other != report->other_ptx_line)
      continue;
    uint64_t address = report->address >= buffer ? report->address - buffer : report->address;
    if (report->lane_mask == 1u << e->lane && address == e->address && report->other_lane == e->other_lane)
      return true;
    print_error("expected lanes %u and %u, address %u; got lanes 0x%x and %u, address %llu\n", e->lane,
                e->other_lane, e->address, report->lane_mask, report->other_lane,
                (unsigned long long)address);
  }
  return false;
}

static void print_missing(const Case *c, const tilec_sim *sim) {
  for (uint32_t i = 0; i < c->n; i++) {
    const Expected *e = &c->expected[i];
    bool given = false;
    for (size_t k = 0; k < tilec_sim_report_count(sim); k++) {
      const tilec_sim_report *r = tilec_sim_report_at(sim, k);
      given |= r->kind == e->kind && r->ptx_line == e->line && r->other_ptx_line == e->other;
    }
    if (!given) print_error("missing: kind %d at lines %u and %u\n", e->kind, e->line, e->other);
  }
}

static void compare(const Case *c, const tilec_sim *sim, uint64_t buffer, const char *text) {
  size_t count = tilec_sim_report_count(sim);
  bool same = count == (c->n < REPORT_LIMIT ? c->n : REPORT_LIMIT);
  if (!same) print_error("%u reports expected, %zu given\n", c->n, count);
  for (size_t i = 0; i < count; i++) {
    const tilec_sim_report *r = tilec_sim_report_at(sim, i);
    if (is_expected(c, r, buffer)) continue;
    print_error("not expected: kind %d at lines %u and %u\n", r->kind, r->ptx_line, r->other_ptx_line);
    same = false;
  }
  if (same) return;
  print_missing(c, sim);
  fputs(text, stderr);
  fail_msg("other reports");
}

TEST(test_random_accesses) {
  static Case c;
  static char text[TEXT_BYTES];
  uint32_t reports = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    c.state = seed * 0x9e3779b97f4a7c15u + 1;
    c.warps = below(&c, 2) ? 2 : MAX_WARPS;
    memset(text, 0, sizeof text);
    for (int i = 0; i < STEPS; i++) make_step(&c, &c.steps[i]);
    write_kernel(&c, text);
    tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
    options.checks = 1;
    options.schedule = seed % 2 ? TILEC_SIM_LATE_DOWN : TILEC_SIM_LATE;
    run_oracle(&c, seed % 2);
    SimFixture f;
    assert_int_equal(tilec_sim_create(&options, &f.sim), TILEC_SIM_OK);
    tilec_sim_result loaded = tilec_sim_load(f.sim, text, strlen(text), &f.module);
    if (loaded) fail_msg("%s", tilec_sim_message(f.sim));
    uint64_t buffer;
    assert_int_equal(tilec_sim_alloc(f.sim, REGION, &buffer), TILEC_SIM_OK);
    const void *params[] = {&buffer};
    tilec_sim_result result = sim_launch(&f, "k", 1, 1, c.warps * LANES, 0, params);
    assert_int_equal(result, c.n ? TILEC_SIM_ERROR_KERNEL : TILEC_SIM_OK);
    compare(&c, f.sim, buffer, text);
    reports += c.n;
    sim_close(&f);
  }
  assert_true(reports > SEEDS); // there is something to compare
}

WHOLE_SUITE(sim_race)
