// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec check: runs the kernel on the simulator with every checker on, once under each schedule. Reports of
// the launches become diagnostics, one for each kind and pair of lines. The evaluator's reports of the same
// launch are added. With --check, each schedule's results are compared with the evaluator's.
#include <stdio.h>

#include "ir/memory/atomic.h"
#include "tools/run/run.h"

static const struct {
  const char *name;
  tilec_sim_schedule schedule;
} schedules[] = {{"late", TILEC_SIM_LATE},
                 {"early", TILEC_SIM_EARLY},
                 {"late-down", TILEC_SIM_LATE_DOWN},
                 {"early-down", TILEC_SIM_EARLY_DOWN}};

// A random schedule has number SCHEDULES - 1 + its seed. The first with a finding is the last one.
enum { SCHEDULES = sizeof schedules / sizeof *schedules, MAX_REPORTS = 1000 };

// A report from one or more schedules.
typedef struct Finding {
  SimFinding sim;
  uint64_t counts[SCHEDULES +
                  1]; // Reports merged into this one, per schedule; the last: of a random one. The largest
                      // count is shown.
  uint32_t seed;      // of that one
} Finding;

typedef struct Check {
  Run *run;
  VEC(Finding) findings;
  KernelImage image;
  const int64_t *grid;
  Reference *reference;   // NULL for PTX.
  tilec_status evaluated; // Status of the evaluation. --check compares results with it.
  ExitStatus compared;    // With the reference and with the arrays of --expect.
  bool judged;            // A launch was judged. Unwritten elements are reported once.
} Check;

static tilec_sim_schedule schedule_kind(uint32_t number) {
  return schedules[(number < SCHEDULES ? number : number + 1) % SCHEDULES].schedule;
}

// "late"; "seed 5 under early".
static const char *schedule_name(Arena *arena, uint32_t number) {
  if (number < SCHEDULES) return schedules[number].name;
  uint32_t seed = number + 1 - SCHEDULES;
  return arena_printf(arena, "seed %u under %s", seed, schedules[seed % SCHEDULES].name);
}

// ---- one launch ----

static const char *keep_text(Arena *arena, const char *text) {
  return text ? arena_copy(arena, str_from(text)) : NULL;
}

// The place's header, which the simulator frees with the launch.
static const tilec_sim_place *keep_header(Arena *arena, const tilec_sim_place *place) {
  if (!place->header) return NULL;
  tilec_sim_place *header = ARENA_NEW(arena, tilec_sim_place);
  *header = (tilec_sim_place){.file = keep_text(arena, place->header->file), .line = place->header->line};
  return header;
}

static const tilec_sim_wait *keep_waits(Arena *arena, const tilec_sim_report *report) {
  if (!report->wait_count) return NULL;
  tilec_sim_wait *waits = ARENA_ARRAY(arena, tilec_sim_wait, report->wait_count);
  memcpy(waits, report->waits, report->wait_count * sizeof *waits);
  for (size_t i = 0; i < report->wait_count; i++) waits[i].message = keep_text(arena, waits[i].message);
  return waits;
}

static ReportContext report_context(const Check *check) {
  ReportContext context = run_report_context(check->run);
  context.weak_atomics = check->image.func && func_has_weak_atomics(check->image.func);
  return context;
}

static void add_finding(Check *check, const tilec_sim_report *report, uint32_t schedule) {
  Arena *arena = check->run->arena;
  ReportContext context = report_context(check);
  uint32_t at = schedule < SCHEDULES ? schedule : SCHEDULES;
  Finding finding = {.sim = report_finding(&context, report), .seed = schedule + 1 - SCHEDULES};
  finding.counts[at] = report->count;
  for (uint32_t i = 0; i < check->findings.n; i++) {
    Finding *old = &check->findings.at[i];
    if (!report_joins(&old->sim, &finding.sim)) continue;
    old->counts[at] += report->count;
    return;
  }
  tilec_sim_report *kept = &finding.sim.report;
  kept->message = keep_text(arena, report->message);
  kept->other_message = keep_text(arena, report->other_message);
  kept->order = keep_text(arena, report->order);
  kept->buffer = keep_text(arena, report->buffer);
  kept->waits = keep_waits(arena, report);
  kept->place.header = keep_header(arena, &report->place);
  kept->other_place.header = keep_header(arena, &report->other_place);
  if (report->ptx) kept->ptx = arena_copy(arena, (Str){report->ptx, report->ptx_bytes});
  vec_push(arena, &check->findings, finding);
}

// Checks the buffers after a launch without reports.
static tilec_status judge_results(Check *check, uint32_t schedule, tilec_buffer **buffers) {
  Run *run = check->run;
  tilec_status status = run_read_buffers(run, buffers);
  if (status != TILEC_OK) return status;
  const char *prefix = arena_printf(run->arena, "%s: ", schedule_name(run->arena, schedule));
  bool compares = run->options->check && check->reference && check->evaluated == TILEC_OK;
  if (compares && run_compare(run, check->reference, prefix) != EXIT_DONE) check->compared = EXIT_DIAGNOSED;
  if (run_expect(run, prefix) != EXIT_DONE) check->compared = EXIT_DIAGNOSED;
  if (!check->judged) run_warn_unwritten(run);
  check->judged = true;
  return TILEC_OK;
}

// Launches on run->device and keeps its reports.
static tilec_status launch_once(Check *check, const uint64_t *bits, uint32_t schedule,
                                tilec_buffer **buffers) {
  Run *run = check->run;
  DeviceKernel kernel = {0};
  run->bits = bits;
  tilec_status status = run_load(run, &check->image, &kernel);
  if (status == TILEC_OK) status = run_launch_devices(run, &kernel, check->grid, bits);
  const tilec_sim *sim = device_simulator(run->device);
  size_t count = tilec_sim_report_count(sim);
  for (size_t i = 0; i < count; i++) add_finding(check, tilec_sim_report_at(sim, i), schedule);
  device_unload(&kernel);
  if (count) return TILEC_OK;
  return status == TILEC_OK ? judge_results(check, schedule, buffers) : status;
}

// Runs one schedule on a new device, with the initial buffers.
static tilec_status launch_schedule(Check *check, uint32_t schedule, uint64_t *bits,
                                    bool (*pack)(Run *, uint64_t *)) {
  Run *run = check->run;
  tilec_device *first = run->device;
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.schedule = schedule_kind(schedule);
  options.seed = schedule < SCHEDULES ? 0 : schedule + 1 - SCHEDULES;
  options.checks = 1;
  options.watch_every = run->options->sim.watch_every;
  tilec_status status = device_open_sim(&options, &run->device);
  if (status != TILEC_OK) {
    run->device = first;
    return status;
  }
  tilec_buffer **buffers = ARENA_ARRAY(run->arena, tilec_buffer *, run->holder_count);
  status = run_place_buffers(run, buffers);
  if (status == TILEC_OK && !pack(run, bits)) status = TILEC_ERROR_INVALID_ARGUMENT;
  if (status == TILEC_OK) status = launch_once(check, bits, schedule, buffers);
  for (uint32_t i = 0; i < run->holder_count; i++) tilec_buffer_free(buffers[i]);
  tilec_device_close(run->device);
  run->device = first;
  return status;
}

// ---- findings ----

static void add_diagnostic(const Check *check, Finding *finding) {
  Buf text = {0};
  for (uint32_t s = 0; s <= SCHEDULES; s++) {
    if (!finding->counts[s]) continue;
    if (finding->counts[s] > finding->sim.count) finding->sim.count = finding->counts[s];
    if (text.n) buf_text(&text, ", ");
    buf_text(&text, schedule_name(check->run->arena, s < SCHEDULES ? s : SCHEDULES - 1 + finding->seed));
  }
  finding->sim.schedules = text.at;
  ReportContext context = report_context(check);
  report_diagnose(&context, &finding->sim);
  buf_free(&text);
}

// Prints them in one list with the compiler's remarks and warnings.
static ExitStatus print_findings(Check *check) {
  Run *run = check->run;
  ExitStatus evaluated = EXIT_DONE;
  run->c->diags.error_limit = MAX_REPORTS;
  for (uint32_t i = 0; i < check->findings.n; i++) add_diagnostic(check, &check->findings.at[i]);
  report_join_updates(&run->c->diags);
  run_note_hint(run);
  if (check->reference) evaluated = run_take_reports(run, check->reference, check->evaluated);
  ExitStatus result = tool_report(run->options, run->c, TILEC_OK);
  if (check->findings.n) return EXIT_DIAGNOSED;
  if (result == EXIT_DONE) result = evaluated != EXIT_DONE ? evaluated : check->compared;
  if (result == EXIT_DONE && !run->warnings) printf("no reports\n");
  return run_strict(run, result);
}

// ---- the command ----

static tilec_status check_schedules(Check *check, uint64_t *bits, bool (*pack)(Run *, uint64_t *)) {
  for (uint32_t s = 0; s < SCHEDULES + check->run->options->sim_seeds; s++) {
    bool enough = s >= SCHEDULES || run_is_over(check->run);
    if (enough && (check->findings.n || check->compared != EXIT_DONE)) break; // reported already
    tilec_status status = launch_schedule(check, s, bits, pack);
    if (status != TILEC_OK) return status;
  }
  return TILEC_OK;
}

static bool pack_source(Run *run, uint64_t *bits) {
  BoundArgs bound;
  if (!run_bind(run, &bound)) return false;
  memcpy(bits, bound.bits, bound.count * sizeof *bits);
  return true;
}

static bool pack_ptx(Run *run, uint64_t *bits) { return run_ptx_bits(run, bits); }

// Runs the evaluator for errors that only it sees: undefined values, offsets that wrap, results that depend
// on an order. It may take a few times as long as the schedules did. It may use only as much memory as an
// ordinary machine has. If it does not finish, the run gets a warning, because its findings are unknown.
static void evaluate_also(Check *check, double seconds) {
  Run *run = check->run;
  BoundArgs bound;
  if (check->findings.n && run_is_over(run)) return;
  if (run->options->devices > 1) return; // it runs the programs of one device, one after another
  if (run_too_large(run)) {
    run_warn(
        run, check->image.func->loc,
        "[T1405] not evaluated, so undefined values and wrapped offsets are not detected: buffers have %llu "
        "bytes, more than 256 MiB",
        (unsigned long long)run_too_large(run));
    return;
  }
  if (!run_bind(run, &bound)) return; // the addresses are those of the last schedule
  check->evaluated = run_evaluate_shortly(run, check->grid, &bound, seconds, &check->reference);
}

static ExitStatus check_both(Check *check, const BoundArgs *bound) {
  Run *run = check->run;
  uint64_t *bits = ARENA_ARRAY(run->arena, uint64_t, run->bit_count);
  LaunchLimits limits = run_limits(run);
  if (run->options->check)
    check->evaluated = run_evaluate(run, check->grid, bound, &limits, &check->reference);
  double began = seconds_now();
  tilec_status status = check_schedules(check, bits, pack_source);
  if (status == TILEC_OK && !check->reference) evaluate_also(check, seconds_now() - began);
  ExitStatus result = status == TILEC_OK ? print_findings(check) : run_failed(run, status);
  run_reference_free(check->reference);
  return result;
}

ExitStatus check_source(Run *run, tilec_buffer **buffers) {
  Check check = {.run = run};
  int64_t grid[3];
  (void)buffers;
  BoundArgs bound;
  if (!run_bind(run, &bound)) return EXIT_DIAGNOSED;
  run_specialise(run, &bound);
  tilec_status status = run_compile(run, &bound, &check.image);
  if (status != TILEC_OK) return tool_report(run->options, run->c, status);
  if (!run_grid(run, check.image.func, bound.bits, grid)) return EXIT_DIAGNOSED;
  check.grid = grid;
  return check_both(&check, &bound);
}

ExitStatus check_ptx(Run *run, tilec_buffer **buffers) {
  Check check = {.run = run, .grid = run->options->grid};
  (void)buffers;
  if (!run_ptx_image(run, &check.image)) return EXIT_DIAGNOSED;
  tilec_status status =
      check_schedules(&check, ARENA_ARRAY(run->arena, uint64_t, run->param_count), pack_ptx);
  return status == TILEC_OK ? print_findings(&check) : run_failed(run, status);
}
