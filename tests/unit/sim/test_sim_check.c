// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator's checkers, on kernels with one bug each and on their correct twins
// (tests/golden/sim/bugs). A bug's lines are those of bugs.cu with the marks // A: NAME and // B:
// NAME. Its reports are at these lines and no others, under every schedule. A twin has no report.
#include <stdbool.h>
#include "tests/unit/unit.h"
#include "sim/sim.h"

enum { WORDS = 2048, MAX_PARAMS = 4, SCHEDULES = 4 };

typedef struct Bug {
  const char *name, *file;
  tilec_sim_report_kind kind; // of a race: of any order of the two accesses
  uint32_t blocks, threads;
  uint32_t buffer_words; // of the first buffer; 0: WORDS
  uint32_t n;            // an integer parameter's value
  const char *says;      // in a report's message or advice
  uint32_t schedules;    // bits: those that must show it; 0: all
} Bug;

static char *read_text(const char *name, const char *suffix, size_t *size) {
  char path[512];
  const char *folder = strcmp(suffix, "ptx") == 0 ? NVCC_PTX "/bugs" : TESTS_DIR "/golden/sim/bugs";
  snprintf(path, sizeof path, "%s/%s.%s", folder, name, suffix);
  FILE *file = fopen(path, "rb");
  if (!file) print_error("%s\n", path);
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  *size = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  return text;
}

// The line of the mark "// X: NAME"; 0: there is none.
static uint32_t marked_line(const char *text, char letter, const char *name) {
  char mark[64];
  uint32_t line = 1;
  int n = snprintf(mark, sizeof mark, "// %c: %s", letter, name);
  const char *found = text;
  do {
    found = strstr(found, mark);
    if (!found) return 0;
    found += n;
  } while (*found != '\n');
  for (const char *c = text; c < found; c++) line += *c == '\n';
  return line;
}

// Runs a kernel whose pointer parameters get zeroed buffers of their own, and the others n.
static tilec_sim_result launch(tilec_sim *sim, tilec_sim_module *module, const char *name, const Bug *bug) {
  const tilec_sim_kernel *kernel;
  assert_int_equal(tilec_sim_find(sim, module, name, &kernel), TILEC_SIM_OK);
  uint64_t values[MAX_PARAMS];
  const void *params[MAX_PARAMS];
  size_t count = tilec_sim_param_count(kernel);
  assert_true(count <= MAX_PARAMS);
  for (size_t i = 0; i < count; i++) {
    params[i] = &values[i];
    values[i] = bug->n;
    if (tilec_sim_param_at(kernel, i)->size == 8)
      assert_int_equal(
          tilec_sim_alloc(sim, 4 * (i == 0 && bug->buffer_words ? bug->buffer_words : WORDS), &values[i]),
          TILEC_SIM_OK);
  }
  uint32_t grid[3] = {bug->blocks, 1, 1}, block[3] = {bug->threads, 1, 1};
  return tilec_sim_launch(sim, kernel, grid, block, 0, params);
}

static bool is_race(tilec_sim_report_kind kind) {
  return kind == TILEC_SIM_RACE_READ_WRITE || kind == TILEC_SIM_RACE_WRITE_READ ||
         kind == TILEC_SIM_RACE_WRITE_WRITE;
}

static void print_reports(const tilec_sim *sim, const char *name) {
  print_error("%s: %zu reports\n", name, tilec_sim_report_count(sim));
  for (size_t i = 0; i < tilec_sim_report_count(sim); i++) {
    const tilec_sim_report *r = tilec_sim_report_at(sim, i);
    print_error("  kind %d line %u (ptx %u) block %u warp %u lanes %08x count %llu: %s | other %u: %s | %s\n",
                r->kind, r->line, r->ptx_line, r->block[0], r->warp, r->lane_mask,
                (unsigned long long)r->count, r->message, r->other_line,
                r->other_message ? r->other_message : "", r->order ? r->order : "");
  }
}

// True if a report is the bug's: its kind, and its lines in either order.
static bool shows(const tilec_sim_report *r, const Bug *bug, uint32_t a, uint32_t b) {
  if (is_race(bug->kind) ? !is_race(r->kind) : r->kind != bug->kind) return false;
  bool says = !bug->says || strstr(r->message, bug->says) || (r->order && strstr(r->order, bug->says));
  for (size_t i = 0; i < r->wait_count; i++)
    says |= strstr(r->waits[i].message, bug->says ? bug->says : "") != NULL;
  if (!says) return false;
  if (!r->other_ptx_line || !b) return r->line == a || r->line == b;
  return (r->line == a && r->other_line == b) || (r->line == b && r->other_line == a);
}

static void expect_bug(const tilec_sim *sim, const Bug *bug, const char *name, uint32_t a, uint32_t b) {
  bool shown = false, stray = false;
  for (size_t i = 0; i < tilec_sim_report_count(sim); i++) {
    const tilec_sim_report *r = tilec_sim_report_at(sim, i);
    shown |= shows(r, bug, a, b);
    stray |= r->line != a && (!b || r->line != b);
  }
  if (!shown || stray) {
    print_reports(sim, name);
    print_error("  expected kind %d at lines %u and %u\n", bug->kind, a, b);
  }
  assert_true(shown);
  assert_false(stray);
}

static void run_twin(const Bug *bug, const char *prefix, bool buggy) {
  size_t size, source_size;
  char name[64], *text = read_text(bug->file, "ptx", &size),
                 *source = read_text(bug->file, "cu", &source_size);
  snprintf(name, sizeof name, "%s_%s", prefix, bug->name);
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
    tilec_sim *sim;
    tilec_sim_module *module;
    options.schedule = (tilec_sim_schedule)schedule;
    options.checks = 1;
    options.instruction_budget = 1000000;
    assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
    if (tilec_sim_load(sim, text, size, &module)) print_error("%s\n", tilec_sim_message(sim));
    assert_non_null(module);
    tilec_sim_result result = launch(sim, module, name, bug);
    if (!buggy) {
      if (result) print_error("%s\n", tilec_sim_message(sim));
      if (tilec_sim_report_count(sim)) print_reports(sim, name);
      assert_int_equal(result, TILEC_SIM_OK);
      assert_int_equal(tilec_sim_report_count(sim), 0);
    } else if (!bug->schedules || (bug->schedules >> schedule & 1)) {
      assert_int_equal(result, TILEC_SIM_ERROR_KERNEL);
      expect_bug(sim, bug, name, marked_line(source, 'A', bug->name), marked_line(source, 'B', bug->name));
    }
    tilec_sim_destroy(sim);
  }
  free(text);
  free(source);
}

// Some bugs show only under some schedules. Under others they may end in a deadlock, or not show.
enum {
  EARLY = 1 << TILEC_SIM_EARLY | 1 << TILEC_SIM_EARLY_DOWN,
  UP = 1 << TILEC_SIM_LATE | 1 << TILEC_SIM_EARLY,
  HASTY = EARLY | 1 << TILEC_SIM_LATE_DOWN
};

static const Bug bugs[] = {
    {"missing_barrier", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "bar.sync", 0},
    {"loop_barrier", "bugs", TILEC_SIM_RACE_READ_WRITE, 1, 128, 0, 0, "'bug_loop_barrier::tile'", 0},
    {"off_by_one", "bugs", TILEC_SIM_OUT_OF_BOUNDS, 2, 64, 100, 100, "allocation", 0},
    {"shared_bounds", "bugs", TILEC_SIM_OUT_OF_BOUNDS, 1, 128, 0, 0, "shared", 0},
    {"uninitialised", "bugs", TILEC_SIM_UNINITIALISED, 1, 128, 0, 0, "nothing has written", 0},
    {"misaligned", "bugs", TILEC_SIM_MISALIGNED, 1, 32, 0, 0, "multiple of 16", 0},
    {"divergent_barrier", "bugs", TILEC_SIM_BARRIER, 1, 128, 0, 0, "16 of the warp's 32", 0},
    {"two_writers", "bugs", TILEC_SIM_RACE_WRITE_WRITE, 1, 128, 0, 0, "different values", 0},
    {"write_write", "bugs", TILEC_SIM_RACE_WRITE_WRITE, 1, 128, 0, 0, "barrier", 0},
    {"blocks_write", "bugs", TILEC_SIM_RACE_WRITE_WRITE, 2, 64, 0, 0, "after the flag is read", 0},
    {"last_block", "bugs", TILEC_SIM_RACE_WRITE_READ, 4, 32, 0, 0, "fence", 0},
    {"block_ticket", "bugs", TILEC_SIM_RACE_WRITE_READ, 4, 64, 0, 0, "fence", 0},
    {"flag", "bugs", TILEC_SIM_RACE_WRITE_READ, 2, 32, 0, 0, "fence", 0},
    {"weak_flag", "bugs", TILEC_SIM_RACE_WRITE_READ, 2, 32, 0, 0, NULL, 0},
    {"scope", "bugs", TILEC_SIM_RACE_WRITE_READ, 2, 32, 0, 0, ".cta", 0},
    {"early_exit", "bugs", TILEC_SIM_BARRIER, 1, 128, 0, 90, "have exited", 0},
    {"lost_arrival", "bugs", TILEC_SIM_DEADLOCK, 1, 128, 0, 0, "waits at barrier ", 0},
    {"other_count", "bugs", TILEC_SIM_BARRIER, 1, 128, 0, 0, "count", 0},
    {"producer", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 64, 0, 0, "barrier", 0},
    {"shuffle", "bugs", TILEC_SIM_LANES, 1, 32, 0, 0, "lane 20", 0},
    {"member_mask", "bugs", TILEC_SIM_LANES, 1, 32, 0, 0, "leaves it out", 0},
    {"half_warps", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 32, 0, 0, "bar.warp.sync", 0},
    {"cp_async", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "cp.async.wait_group", EARLY},
    {"cp_async_barrier", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "barrier", EARLY},
    {"wait_group", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "cp.async.wait_group", EARLY},
    {"refill", "bugs", TILEC_SIM_RACE_READ_WRITE, 1, 128, 0, 0, NULL, EARLY},
    {"second_reader", "bugs", TILEC_SIM_RACE_READ_WRITE, 1, 160, 0, 0, "barrier", 0},
    {"last_reader", "bugs", TILEC_SIM_RACE_READ_WRITE, 3, 160, 0, 0, "barrier", 0},
    {"byte_reader", "bugs", TILEC_SIM_RACE_READ_WRITE, 1, 160, 0, 0, "barrier", 0},
    {"overfull", "bugs", TILEC_SIM_BARRIER, 1, 96, 0, 0, "80 arrive before it completes", UP},
    {"odd_count", "bugs", TILEC_SIM_BARRIER, 1, 64, 0, 0, "multiple of 32", 0},
    {"two_rounds", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "barrier", 0},
    {"other_barrier", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "barrier", UP},
    {"other_masks", "bugs", TILEC_SIM_LANES, 1, 32, 0, 0, "different member masks", 0},
    {"absent", "bugs", TILEC_SIM_LANES, 1, 32, 0, 0, "names lane 16", 0},
    {"lane_chain", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 32, 0, 0, "bar.warp.sync", 0},
    {"block_fence", "bugs", TILEC_SIM_RACE_WRITE_READ, 2, 64, 0, 0, "fence", 0},
    {"early_fence", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 64, 0, 0, NULL, 0},
    {"narrow_acquire", "bugs", TILEC_SIM_RACE_WRITE_READ, 2, 32, 0, 0, NULL, 0},
    {"two_steps", "bugs", TILEC_SIM_RACE_WRITE_READ, 2, 32, 0, 0, "fence", 0},
    {"hearsay", "bugs", TILEC_SIM_RACE_WRITE_READ, 4, 32, 0, 0, "fence", 0},
    {"relay", "bugs", TILEC_SIM_RACE_WRITE_READ, 3, 64, 0, 0, "fence", 0},
    {"lost_update", "lanes", TILEC_SIM_RACE_READ_WRITE, 1, 32, 0, 0, "atomicAdd", 0},
    {"lost_shared_update", "lanes", TILEC_SIM_RACE_READ_WRITE, 1, 64, 0, 5, "keeps one update", 0},
    {"header", "headers", TILEC_SIM_RACE_WRITE_WRITE, 1, 64, 0, 0, "barrier", 0},
    {"parity", "async", TILEC_SIM_RACE_WRITE_READ, 1, 64, 0, 0, "barrier", UP},
    {"lost_arrive", "async", TILEC_SIM_RACE_READ_WRITE, 1, 96, 0, 0, "barrier", 0},
    {"never_full", "async", TILEC_SIM_DEADLOCK, 1, 64, 0, 0, "1 arrivals", 0},
    {"too_many", "async", TILEC_SIM_MBARRIER, 1, 32, 0, 0, "more arrivals", 0},
    {"init_again", "async", TILEC_SIM_MBARRIER, 1, 32, 0, 0, "initialised again", 0},
    {"bulk_wait", "async", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "mbarrier", EARLY},
    {"bulk_stage", "async", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "mbarrier", EARLY},
    {"bulk_refill", "async", TILEC_SIM_RACE_READ_WRITE, 1, 128, 0, 0, "barrier", EARLY},
    {"bytes", "async", TILEC_SIM_DEADLOCK, 1, 128, 0, 0, "bytes pending", 0},
    {"proxy", "async", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "fence.proxy.async", 0},
    {"store_reuse", "async", TILEC_SIM_RACE_READ_WRITE, 1, 32, 0, 0, "wait_group.read", EARLY},
    {"wgmma_proxy", "async", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "fence.proxy.async", 0},
    {"wgmma_early", "async", TILEC_SIM_WGMMA, 1, 128, 0, 0, "is read before wgmma.wait_group", 0},
    {"wgmma_fence", "async", TILEC_SIM_WGMMA, 1, 128, 0, 0, "wgmma.fence", 0},
    {"wgmma_refill", "async", TILEC_SIM_RACE_READ_WRITE, 1, 128, 0, 0, "wgmma.wait_group", EARLY},
    {"next_phase", "async", TILEC_SIM_RACE_WRITE_READ, 1, 64, 0, 0, "barrier", 0},
    {"read_back", "async", TILEC_SIM_RACE_WRITE_READ, 1, 32, 0, 0, "cp.async.bulk.wait_group", EARLY},
    {"cluster", "async", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, "barrier", 0},
    {"wgmma_a", "async", TILEC_SIM_WGMMA, 1, 128, 0, 0, "reads as A is written", 0},
    {"wgmma_unfenced", "async", TILEC_SIM_WGMMA, 1, 128, 0, 0, "no wgmma.fence", 0},
    {"wgmma_loaded", "async", TILEC_SIM_WGMMA, 1, 128, 0, 0, "wgmma.fence", 0},
    {"once_copy", "roles", TILEC_SIM_RACE_WRITE_READ, 1, 32, 0, 0, "mbarrier", EARLY},
    {"once_store", "roles", TILEC_SIM_RACE_WRITE_READ, 1, 64, 0, 0, "barrier", HASTY},
    {"init_fence", "roles", TILEC_SIM_MBARRIER, 1, 32, 0, 0, "fence.mbarrier_init", 0},
    {"proxy_fence", "roles", TILEC_SIM_MBARRIER, 1, 64, 0, 0, "no fence has made its initialisation", 0},
    {"many", "roles", TILEC_SIM_RACE_WRITE_READ, 1, 64, 0, 0, "barrier", 0},
    {"last_store", "roles", TILEC_SIM_ASYNC, 1, 32, 0, 0, "cp.async.bulk.wait_group.read 0", 0},
    {"uncommitted", "roles", TILEC_SIM_ASYNC, 1, 32, 0, 0, "may still read shared memory", 0},
    {"ahead", "roles", TILEC_SIM_ASYNC, 1, 32, 0, 0, "may still be in flight", 0},
    {"never_granted", "roles", TILEC_SIM_DEADLOCK, 1, 384, 0, 0, "240 registers per thread: it needs 72 more",
     0},
    {"registers_late", "roles", TILEC_SIM_DEADLOCK, 1, 384, 0, 0, "the CTA's pool has 0", 0},
    {"dec_above", "roles", TILEC_SIM_REGISTERS, 1, 384, 0, 0, "but the warp has 168", 0},
    {"inc_below", "roles", TILEC_SIM_REGISTERS, 1, 384, 0, 0, "but the warp has 168", 0},
    {"part_of_group", "roles", TILEC_SIM_REGISTERS, 1, 384, 0, 0, "3 of the warpgroup's 4 warps", 0},
    {"two_counts", "roles", TILEC_SIM_REGISTERS, 1, 384, 0, 0, "different setmaxnreg", 0},
    {"ignored", "roles", TILEC_SIM_REGISTERS, 1, 384, 0, 0, ".minnctapersm", 0},
};

static void test_bug(void **state) { run_twin(*state, "bug", true); }
static void test_twin(void **state) { run_twin(*state, "ok", false); }

// A kernel that releases but does not acquire has a twin of another name.
TEST(test_a_missing_acquire_is_a_race) {
  static const Bug bug = {"no_acquire", "bugs", TILEC_SIM_RACE_WRITE_READ, 4, 32, 0, 0, "after the flag is read", 0};
  run_twin(&bug, "bug", true);
}

TEST(test_an_mbarrier_is_used_after_its_initialisation) {
  static const Bug bug = {"init_race", "async", TILEC_SIM_RACE_WRITE_READ, 1, 64, 0, 0, "mbarrier.init", 0};
  run_twin(&bug, "bug", true);
}

TEST(test_a_launch_goes_on_after_reports) {
  size_t size;
  char *text = read_text("bugs", "ptx", &size);
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.checks = 1;
  tilec_sim *sim;
  tilec_sim_module *module;
  assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_load(sim, text, size, &module), TILEC_SIM_OK);
  free(text);
  const tilec_sim_kernel *kernel;
  assert_int_equal(tilec_sim_find(sim, module, "bug_off_by_one", &kernel), TILEC_SIM_OK);
  static int out[1000];
  uint64_t address;
  int n = 1000;
  const void *params[] = {&address, &n};
  uint32_t grid[3] = {16, 1, 1}, block[3] = {64, 1, 1};
  assert_int_equal(tilec_sim_bind(sim, out, sizeof out, &address), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_launch(sim, kernel, grid, block, 0, params), TILEC_SIM_ERROR_KERNEL);
  assert_int_equal(tilec_sim_report_count(sim), 1);
  const tilec_sim_report *report = tilec_sim_report_at(sim, 0);
  assert_int_equal(report->kind, TILEC_SIM_OUT_OF_BOUNDS);
  assert_int_equal(report->block[0], 15);
  assert_int_equal(report->warp, 1);
  assert_int_equal(report->lane_mask, 1 << 8);
  assert_int_equal(report->count, 1);
  assert_true(report->address == address + sizeof out);
  assert_int_equal(report->other_ptx_line, 0);
  for (int i = 0; i < 960; i++) assert_int_equal(out[i], i);
  assert_null(tilec_sim_report_at(sim, 1));
  tilec_sim_destroy(sim);
}

// The location is in the kernel's file, with its call there; the header's line is known too.
TEST(test_code_of_headers_is_at_its_call) {
  static const Bug bug = {"header", "headers", TILEC_SIM_RACE_WRITE_WRITE, 1, 64, 0, 0, NULL, 0};
  size_t size, source_size, found = 0;
  char *text = read_text("headers", "ptx", &size), *source = read_text("headers", "cu", &source_size);
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.checks = 1;
  tilec_sim *sim;
  tilec_sim_module *module;
  assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_load(sim, text, size, &module), TILEC_SIM_OK);
  assert_int_equal(launch(sim, module, "bug_header", &bug), TILEC_SIM_ERROR_KERNEL);
  for (size_t i = 0; i < tilec_sim_report_count(sim); i++) {
    const tilec_sim_report *r = tilec_sim_report_at(sim, i);
    if (r->access != TILEC_SIM_ACCESS_ATOMIC) continue;
    found++;
    assert_string_equal(r->place.file, "headers.cu");
    assert_int_equal(r->place.line, marked_line(source, 'A', "header"));
    assert_non_null(r->place.call);
    assert_string_equal(r->place.call->file, "headers.cu");
    assert_null(r->place.call->call);
    assert_non_null(r->place.header);
    assert_string_equal(r->place.header->file, "include/device_atomic_functions.hpp");
  }
  assert_true(found > 0);
  tilec_sim_destroy(sim);
  free(text);
  free(source);
}

TEST(test_reports_are_merged_and_counted) {
  static const Bug bug = {"missing_barrier", "bugs", TILEC_SIM_RACE_WRITE_READ, 1, 128, 0, 0, NULL, 0};
  size_t size;
  char *text = read_text("bugs", "ptx", &size);
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.checks = 1;
  tilec_sim *sim;
  tilec_sim_module *module;
  assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_load(sim, text, size, &module), TILEC_SIM_OK);
  free(text);
  assert_int_equal(launch(sim, module, "bug_missing_barrier", &bug), TILEC_SIM_ERROR_KERNEL);
  // Warps 0 to 2 read what is not yet written, and the next warp then writes it; warp 3 reads warp 0's.
  assert_int_equal(tilec_sim_report_count(sim), 3);
  uint64_t uninitialised = 0, reads = 0, writes = 0;
  for (size_t i = 0; i < 3; i++) {
    const tilec_sim_report *r = tilec_sim_report_at(sim, i);
    uninitialised += r->kind == TILEC_SIM_UNINITIALISED ? r->count : 0;
    reads += r->kind == TILEC_SIM_RACE_WRITE_READ ? r->count : 0;
    writes += r->kind == TILEC_SIM_RACE_READ_WRITE ? r->count : 0;
  }
  assert_int_equal(uninitialised, 96);
  assert_int_equal(writes, 96);
  assert_int_equal(reads, 32);
  tilec_sim_destroy(sim);
}

// Two warps write to the same places: the sum of their first value and `step` a warp.
static size_t writers_reports(uint32_t step) {
  static const char text[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                             ".visible .entry writers(.param .u64 out, .param .u32 step) {\n"
                             ".shared .align 8 .b8 words[256];\n"
                             ".reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n"
                             "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [step];\nmov.u32 %r2, %tid.x;\n"
                             "and.b32 %r3, %r2, 31;\nshr.u32 %r4, %r2, 5;\nmad.lo.u32 %r5, %r4, %r1, 1;\n"
                             "mov.u32 %r6, words;\nshl.b32 %r7, %r3, 3;\nadd.u32 %r6, %r6, %r7;\n"
                             "st.shared.v2.b32 [%r6], {%r3, %r5};\n"
                             "mul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
                             "st.global.u32 [%rd3], %r5;\n"
                             "ret;\n}\n";
  tilec_sim *sim;
  tilec_sim_module *module;
  const tilec_sim_kernel *kernel;
  static uint32_t out[32];
  uint64_t address;
  const void *params[] = {&address, &step};
  uint32_t grid[3] = {1, 1, 1}, block[3] = {64, 1, 1};
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.checks = 1;
  assert_int_equal(tilec_sim_create(&options, &sim), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_load(sim, text, sizeof text - 1, &module), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_find(sim, module, "writers", &kernel), TILEC_SIM_OK);
  assert_int_equal(tilec_sim_bind(sim, out, sizeof out, &address), TILEC_SIM_OK);
  tilec_sim_result result = tilec_sim_launch(sim, kernel, grid, block, 0, params);
  size_t count = tilec_sim_report_count(sim);
  for (size_t i = 0; i < count; i++)
    assert_int_equal(tilec_sim_report_at(sim, i)->kind, TILEC_SIM_RACE_WRITE_WRITE);
  assert_int_equal(result, count ? TILEC_SIM_ERROR_KERNEL : TILEC_SIM_OK);
  assert_int_equal(out[31], 1 + step);
  tilec_sim_destroy(sim);
  return count;
}

TEST(test_stores_of_one_value_do_not_race) {
  assert_int_equal(writers_reports(0), 0);
  assert_int_equal(writers_reports(1), 2);
}

int suite_sim_check(void) {
  enum { COUNT = sizeof bugs / sizeof *bugs };
  static struct CMUnitTest tests[2 * COUNT + 6];
  static char names[2 * COUNT][64];
  for (size_t i = 0; i < COUNT; i++) {
    snprintf(names[2 * i], sizeof names[0], "bug: %s", bugs[i].name);
    snprintf(names[2 * i + 1], sizeof names[0], "twin: %s", bugs[i].name);
    tests[2 * i] = (struct CMUnitTest){names[2 * i], test_bug, NULL, NULL, (void *)&bugs[i]};
    tests[2 * i + 1] = (struct CMUnitTest){names[2 * i + 1], test_twin, NULL, NULL, (void *)&bugs[i]};
  }
  tests[2 * COUNT] = (struct CMUnitTest)cmocka_unit_test(test_a_missing_acquire_is_a_race);
  tests[2 * COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(test_a_launch_goes_on_after_reports);
  tests[2 * COUNT + 2] = (struct CMUnitTest)cmocka_unit_test(test_reports_are_merged_and_counted);
  tests[2 * COUNT + 3] =
      (struct CMUnitTest)cmocka_unit_test(test_an_mbarrier_is_used_after_its_initialisation);
  tests[2 * COUNT + 4] = (struct CMUnitTest)cmocka_unit_test(test_stores_of_one_value_do_not_race);
  tests[2 * COUNT + 5] = (struct CMUnitTest)cmocka_unit_test(test_code_of_headers_is_at_its_call);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
