// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checkers of tcgen05. Faults are planted in the right kernels of tests/golden/sim/tcgen05_order.ptx by an
// edit of one line. Each must be reported at its line under every schedule. The kernels themselves are right
// and have no report.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

enum { ROWS = 128, COLUMNS = 32, ZEROS = 8 };

typedef struct Planted {
  const char *kernel;
  const char *line;    // the only line of the kernel with this text
  const char *instead; // replaces the line; NULL: the line is dropped. "%s" in it is the line
  tilec_sim_report_kind kind;
  const char *at;     // the only line of the edited kernel with this text has the report; NULL: any line
  const char *says;   // in its message or advice
  uint32_t schedules; // bits: those that must show it; 0: all
} Planted;

// Under all schedules but the first, try_wait gives false once.
enum {
  EARLY = 1 << TILEC_SIM_EARLY | 1 << TILEC_SIM_EARLY_DOWN,
  HASTY = 1 << TILEC_SIM_EARLY | 1 << TILEC_SIM_LATE_DOWN | 1 << TILEC_SIM_EARLY_DOWN
};

// Parts of lines that several faults name.
#define FIRST   "[%r5+32], %d3, %r8, %p3;"
#define SECOND  "[%r5+32], %d3, %r8, %p4;"
#define LOAD_D  "[%r6]; // D"
#define COMMIT  "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];"
#define BEFORE  "tcgen05.fence::before_thread_sync;                       // A"
#define AFTER   "tcgen05.fence::after_thread_sync;                        // A"
#define BARRIER "bar.sync 0;                                              // A"
#define ALLOC   "tcgen05.alloc."
#define FREE    "tcgen05.dealloc."

static const Planted planted[] = {
    // A missing wait, commit, fence or barrier.
    {"chain", "tcgen05.wait::st.sync.aligned;                           // A", NULL, TILEC_SIM_TMEM, FIRST,
     "tcgen05.wait::st", 0},
    {"chain", BEFORE, NULL, TILEC_SIM_TMEM_FENCE, FIRST, "tcgen05.fence::before_thread_sync by warp", 0},
    {"chain", AFTER, NULL, TILEC_SIM_TMEM_FENCE, FIRST, "tcgen05.fence::after_thread_sync between", 0},
    {"chain", BARRIER, NULL, TILEC_SIM_TMEM, FIRST, "nothing has written", 0},
    {"chain", COMMIT, NULL, TILEC_SIM_DEADLOCK, "MULTIPLIED:\n", "1 arrivals", 0},
    {"chain", "@!%p5 bra MULTIPLIED;", NULL, TILEC_SIM_TMEM, LOAD_D, "tcgen05.commit after the first", HASTY},
    {"chain", "tcgen05.fence::after_thread_sync;                        // D", NULL, TILEC_SIM_TMEM_FENCE,
     LOAD_D, "tcgen05.fence::after_thread_sync between", 0},
    {"chain", "tcgen05.wait::ld.sync.aligned;                           // D", NULL, TILEC_SIM_TMEM,
     "%v0}; // zeros", "tcgen05.wait::ld by warp", 0},
    {"chain", "tcgen05.wait::st.sync.aligned;                           // zeros", NULL, TILEC_SIM_TMEM,
     "[%r6]; // zeros", "tcgen05.wait::st by warp", 0},
    {"chain", "tcgen05.wait::ld.sync.aligned;                           // zeros", NULL, TILEC_SIM_TMEM, FREE,
     "tcgen05.wait::ld by warp", 0},
    {"chain", "bar.sync 0;                                              // end", NULL, TILEC_SIM_TMEM, LOAD_D,
     "which is not allocated", 0},
    {"relay", BEFORE, NULL, TILEC_SIM_TMEM, "[%r5+32], %d3, %r8, %p4;",
     "tcgen05.fence::before_thread_sync by warp 0", 0},
    {"relay", AFTER, NULL, TILEC_SIM_TMEM, "[%r5+32], %d3, %r8, %p4;",
     "tcgen05.fence::after_thread_sync here", 0},
    {"ring", "@!%p5 bra LOADS;", NULL, TILEC_SIM_TMEM, "[%r6];", "tcgen05.commit after", HASTY},
    // Shared memory that the tensor core reads.
    {"chain", "// B is visible", NULL, TILEC_SIM_RACE_WRITE_READ, FIRST, "fence.proxy.async", 0},
    {"ring", "fence.proxy.async.shared::cta;                           // B", NULL, TILEC_SIM_RACE_WRITE_READ,
     "%d3, %d3, %r8, %p6;", "fence.proxy.async", 0},
    {"ring", "@!%p5 bra FULL;", NULL, TILEC_SIM_UNINITIALISED, "%d3, %d3, %r8, %p6;", "nothing has written",
     1 << TILEC_SIM_EARLY},
    {"ring", "[%r17]; // stage",
     "%s\ntcgen05.mma.cta_group::1.kind::f16 [%r5], %d3, %d3, %r8, %p6; // after its commit",
     TILEC_SIM_RACE_READ_WRITE, "// B\n  add.u32 %r20", "tcgen05.commit by its thread", EARLY},
    {"ring", "[%r17]; // stage", NULL, TILEC_SIM_DEADLOCK, NULL, "1 arrivals", 0},
    {"chain", "MULTIPLIED:\n", "%s st.shared.b32 [sB], %r1; // early", TILEC_SIM_RACE_READ_WRITE, "// early",
     "tcgen05.commit by its thread", 0},
    // Tensor memory that was not written, and accumulators of another shape.
    {"chain", FIRST, "tcgen05.mma.cta_group::1.kind::f16 [%r5], [%r5+32], %d3, %r8, %p4; // again",
     TILEC_SIM_TMEM, "// again", "nothing has written", 0},
    {"chain", FIRST, NULL, TILEC_SIM_TMEM, SECOND, "enable-input-d false", 0},
    {"chain", SECOND,
     "@%p2 tcgen05.mma.cta_group::1.kind::f16 [%r5], [%r5+32], %d3, 0x08040490, %p4; // narrow",
     TILEC_SIM_TMEM, "// narrow", "may not have written yet", 0},
    // Addresses and lanes.
    {"chain", LOAD_D, "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r5]; // lanes", TILEC_SIM_TMEM,
     "// lanes", "the address has lane 0", 0},
    {"chain", SECOND, "tcgen05.mma.cta_group::1.kind::f16 [%r5+48], [%r5+32], %d3, %r8, %p3; // beyond",
     TILEC_SIM_TMEM, "// beyond", "which is not allocated", 0},
    {"chain", SECOND,
     "add.u32 %r9, %r5, 0x80000; tcgen05.mma.cta_group::1.kind::f16 [%r9], %d3, %d3, %r8, %p3; // lane",
     TILEC_SIM_TMEM, "// lane", "D with 128 rows is at lane 8", 0},
    // Allocation.
    {"chain", FREE, NULL, TILEC_SIM_TMEM, ALLOC, "64 columns of tensor memory are not freed", 0},
    {"chain", FREE, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 32;", TILEC_SIM_TMEM, FREE,
     "no allocation of 32 columns", 0},
    {"chain", ALLOC, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tm], 48;", TILEC_SIM_TMEM,
     ALLOC, "power of two from 32 to 512", 0},
    {"chain", "tcgen05.relinquish",
     "%s tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 32; // again", TILEC_SIM_TMEM,
     "// again", "after tcgen05.relinquish_alloc_permit", 0},
    {"chain", "tcgen05.relinquish",
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 128; // larger", TILEC_SIM_TMEM,
     "// larger", "must not be larger", 0},
    {"chain", "MULTIPLIED:\n", "%s @%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 64; // early",
     TILEC_SIM_TMEM, "// early", "may still use it", 0},
    {"chain", LOAD_D,
     "@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 64; bar.sync 0; "
     "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r6]; // freed",
     TILEC_SIM_TMEM, "// freed", "which is not allocated", 0},
    {"chain", "tcgen05.relinquish",
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 64; "
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 64; "
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 64; "
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 64; "
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 64; "
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 64; "
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 64; "
     "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [more], 64; // full",
     TILEC_SIM_DEADLOCK, "// full", "waits for columns of tensor memory", 0},
    // Forms.
    {"chain", COMMIT, "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [done]; // pair",
     TILEC_SIM_TMEM, "// pair", "has .cta_group::2, and an earlier one .cta_group::1", 0},
    {"chain", SECOND,
     "tcgen05.mma.cta_group::1.kind::f16.collector::a::use [%r5], [%r5+32], %d3, %r8, %p4; // collector",
     TILEC_SIM_TMEM, "// collector", "which no earlier one has filled", 0},
};

static char *read_text(void) {
  char path[512];
  snprintf(path, sizeof path, "%s/golden/sim/tcgen05_order.ptx", TESTS_DIR);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 17);
  assert_true(fread(text, 1, 1 << 16, file) > 0);
  fclose(file);
  return text;
}

// The only place of `part` in the kernel's text.
static char *only(char *text, const char *kernel, const char *part) {
  char head[64];
  snprintf(head, sizeof head, ".entry %s(", kernel);
  char *from = strstr(text, head), *end = from ? strstr(from, "\n}\n") : NULL;
  assert_non_null(end);
  char *found = strstr(from, part);
  if (!found || found > end) fail_msg("%s has no '%s'", kernel, part);
  char *second = strstr(found + 1, part);
  if (second && second < end) fail_msg("%s has '%s' twice", kernel, part);
  return found;
}

static void edit(char *text, const Planted *p) {
  char *found = only(text, p->kernel, p->line), *from = found, *to = strchr(found, '\n'), line[512],
       new_line[1600];
  while (from[-1] != '\n') from--;
  snprintf(line, sizeof line, "%.*s", (int)(to - from), from);
  const char *instead = p->instead ? p->instead : "", *mark = strstr(instead, "%s");
  if (mark)
    snprintf(new_line, sizeof new_line, "%s%s", line, mark + 2);
  else
    snprintf(new_line, sizeof new_line, "%s", instead);
  size_t length = strlen(new_line);
  memmove(from + length, to, strlen(to) + 1);
  memcpy(from, new_line, length);
}

static uint32_t line_of(char *text, const Planted *p) {
  const char *at = p->at;
  uint32_t line = 1;
  if (!at) return 0;
  for (const char *c = text, *end = only(text, p->kernel, at); c < end; c++) line += *c == '\n';
  return line + (strcmp(at, "MULTIPLIED:\n") == 0 || strcmp(at, "EMPTY:\n") == 0);
}

static tilec_sim_result run(SimFixture *f, const char *kernel, float *out, float *zero) {
  uint64_t po = sim_bind(f, out, ROWS * COLUMNS * sizeof *out),
           pz = sim_bind(f, zero, ROWS * ZEROS * sizeof *zero);
  const void *params[] = {&po, &pz};
  return sim_launch(f, kernel, 1, 1, 128, 0, params);
}

static SimFixture checked(const char *text, int schedule) {
  SimFixture f = sim_open_text(text, schedule);
  assert_int_equal(tilec_sim_check(f.sim, (tilec_sim_schedule)schedule, 1), TILEC_SIM_OK);
  return f;
}

static bool says(const tilec_sim_report *report, const char *part) {
  return !part || strstr(report->message, part) || (report->order && strstr(report->order, part));
}

static void test_planted(void **state) {
  const Planted *p = *state;
  static float out[ROWS * COLUMNS], zero[ROWS * ZEROS];
  char *text = read_text();
  edit(text, p);
  uint32_t line = line_of(text, p);
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    if (p->schedules && !(p->schedules >> schedule & 1)) continue;
    SimFixture f = checked(text, schedule);
    assert_int_equal(run(&f, p->kernel, out, zero), TILEC_SIM_ERROR_KERNEL);
    bool found = false;
    for (size_t i = 0; i < tilec_sim_report_count(f.sim); i++) {
      const tilec_sim_report *report = tilec_sim_report_at(f.sim, i);
      found |= report->kind == p->kind && (line == 0 || report->ptx_line == line) && says(report, p->says);
    }
    for (size_t i = 0; !found && i < tilec_sim_report_count(f.sim); i++) {
      const tilec_sim_report *report = tilec_sim_report_at(f.sim, i);
      print_error("schedule %d: kind %d, line %u: %s; %s\n", schedule, (int)report->kind, report->ptx_line,
                  report->message, report->order ? report->order : "");
    }
    if (!found) fail_msg("no such report at line %u", line);
    sim_close(&f);
  }
  free(text);
}

TEST(test_right) {
  static const struct {
    const char *kernel;
    float value;
  } kernels[] = {{"chain", 32}, {"relay", 16}, {"ring", 480}};
  static float out[ROWS * COLUMNS], zero[ROWS * ZEROS];
  char *text = read_text();
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    for (int schedule = 0; schedule < SCHEDULES; schedule++) {
      memset(out, 0xff, sizeof out);
      memset(zero, 0xff, sizeof zero);
      SimFixture f = checked(text, schedule);
      tilec_sim_result result = run(&f, kernels[k].kernel, out, zero);
      if (result) print_error("%s: %s\n", kernels[k].kernel, tilec_sim_message(f.sim));
      assert_int_equal(result, TILEC_SIM_OK);
      for (int i = 0; i < ROWS * COLUMNS; i++) assert_float_equal(out[i], kernels[k].value, 0);
      for (int i = 0; k == 0 && i < ROWS * ZEROS; i++) assert_float_equal(zero[i], 0, 0);
      sim_close(&f);
    }
  free(text);
}

// A late schedule shows in the values what the checkers report: the load does not wait for the matmul.
TEST(test_values_without_a_wait) {
  static const Planted fault = {"chain", "@!%p5 bra MULTIPLIED;", NULL, TILEC_SIM_TMEM, NULL, NULL, 0};
  static float out[ROWS * COLUMNS], zero[ROWS * ZEROS];
  char *text = read_text();
  edit(text, &fault);
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text, schedule);
    assert_int_equal(run(&f, "chain", out, zero), TILEC_SIM_OK);
    if (schedule == TILEC_SIM_LATE_DOWN) assert_true(out[0] != 32);
    if (!sim_is_late(schedule)) assert_true(out[0] == 32);
    sim_close(&f);
  }
  free(text);
}

// A true dependence through registers needs no wait (PTX ISA 9.7.16.6.4.5).
TEST(test_registers_without_a_wait) {
  static const Planted fault = {"chain", "tcgen05.wait::ld.sync.aligned;                           // D",
                                NULL,    TILEC_SIM_TMEM,
                                NULL,    NULL,
                                0};
  static float out[ROWS * COLUMNS], zero[ROWS * ZEROS];
  char *text = read_text();
  edit(text, &fault);
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text, schedule);
    memset(out, 0xff, sizeof out);
    assert_int_equal(run(&f, "chain", out, zero), TILEC_SIM_OK);
    for (int i = 0; i < ROWS * COLUMNS; i++) assert_float_equal(out[i], 32, 0);
    sim_close(&f);
  }
  free(text);
}

// A commit arrives after the thread's earlier commits: who has waited for it may invalidate their mbarriers.
TEST(test_commits_in_order) {
  static const Planted edits[] = {
      {"chain", "mbarrier.init.shared::cta.b64 [done], 1;",
       ".shared .align 8 .b64 other; mbarrier.init.shared::cta.b64 [other], 1; mbarrier.init.shared::cta.b64 "
       "[done], 1;",
       TILEC_SIM_TMEM, NULL, NULL, 0},
      {"chain", COMMIT,
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [other]; "
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];",
       TILEC_SIM_TMEM, NULL, NULL, 0},
      {"chain", "bar.sync 0;                                              // end",
       "%s @%p2 mbarrier.inval.shared::cta.b64 [other];", TILEC_SIM_TMEM, NULL, NULL, 0}};
  static float out[ROWS * COLUMNS], zero[ROWS * ZEROS];
  char *text = read_text();
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) edit(text, &edits[i]);
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = checked(text, schedule);
    tilec_sim_result result = run(&f, "chain", out, zero);
    if (result) print_error("schedule %d: %s\n", schedule, tilec_sim_message(f.sim));
    assert_int_equal(result, TILEC_SIM_OK);
    for (int i = 0; i < ROWS * COLUMNS; i++) assert_float_equal(out[i], 32, 0);
    sim_close(&f);
  }
  free(text);
}

TEST(test_forms_that_are_refused) {
  static const struct {
    const char *insn, *says;
  } forms[] = {
      {"tcgen05.mma.sp.cta_group::1.kind::f16 [%r], %d, %d, [%r], %r, %p;", "sparse A is not built"},
      {"tcgen05.mma.ws.cta_group::1.kind::f16 [%r], %d, %d, %r, %p;", ".ws is not built"},
      {"tcgen05.mma.cta_group::1.kind::f16.ashift [%r], [%r], %d, %r, %p;", ".ashift is not built"},
      {"tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r, %r}, %r, [%r];", "a reduction is not built"},
      {"tcgen05.mma.kind::f16 [%r], %d, %d, %r, %p;", "needs .cta_group"},
      {"tcgen05.mma.cta_group::1.kind::i8 [%r], %d, %d, %r, %p, 1;", "too many operands"},
      {"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [%r], %d, %d, %r, [%r], [%r], %p;",
       "is not known"},
      {"tcgen05.ld.sync.aligned.16x256b.x2.b32 {%r, %r}, [%r];", "8 registers are needed"},
      {"tcgen05.cp.cta_group::1.64x128b [%r], %d;", "is not known"},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char text[512];
    snprintf(text, sizeof text,
             ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k() {\n.reg .pred %%p; .reg "
             ".b32 %%r; "
             ".reg .b64 %%d;\n%s\nret;\n}\n",
             forms[i].insn);
    tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
    tilec_sim *sim;
    tilec_sim_module *module;
    assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
    assert_int_equal(tilec_sim_load(sim, text, strlen(text), &module), TILEC_SIM_ERROR_PTX);
    if (!strstr(tilec_sim_message(sim), forms[i].says))
      fail_msg("%s: %s", forms[i].insn, tilec_sim_message(sim));
    tilec_sim_destroy(sim);
  }
}

int suite_sim_tcgen05_check(void) {
  enum { COUNT = sizeof planted / sizeof *planted };
  static struct CMUnitTest tests[COUNT + 5];
  static char names[COUNT][120];
  for (size_t i = 0; i < COUNT; i++) {
    snprintf(names[i], sizeof names[0], "%zu: %s: %s", i, planted[i].kernel,
             planted[i].says ? planted[i].says : "");
    tests[i] = (struct CMUnitTest){names[i], test_planted, NULL, NULL, (void *)&planted[i]};
  }
  tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(test_right);
  tests[COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(test_values_without_a_wait);
  tests[COUNT + 2] = (struct CMUnitTest)cmocka_unit_test(test_forms_that_are_refused);
  tests[COUNT + 3] = (struct CMUnitTest)cmocka_unit_test(test_registers_without_a_wait);
  tests[COUNT + 4] = (struct CMUnitTest)cmocka_unit_test(test_commits_in_order);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
