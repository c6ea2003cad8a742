// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec check: the kernel on the simulator with every checker on, once under each schedule; what the launches
// report becomes diagnostics, one for each kind and pair of lines. With --check each one's results are
// compared with the reference evaluator's too.
#include <stdio.h>

#include "tools/run.h"

static const struct {
  const char *name;
  tilec_sim_schedule schedule;
} schedules[] = {{"late", TILEC_SIM_LATE},
                 {"early", TILEC_SIM_EARLY},
                 {"late-down", TILEC_SIM_LATE_DOWN},
                 {"early-down", TILEC_SIM_EARLY_DOWN}};

enum { SCHEDULES = sizeof schedules / sizeof *schedules, MOST_REPORTS = 1000 };

// A report of one or more schedules. Its texts are the arena's.
typedef struct Finding {
  tilec_sim_report report;
  uint32_t schedules;         // bits
  Loc loc, other;             // line 0: there is no other
  uint64_t counts[SCHEDULES]; // reports that it stands for; the most of any schedule is shown
} Finding;

typedef struct Check {
  Run *run;
  VEC(Finding) findings;
  KernelImage image;
  const int64_t *grid;
  Reference *reference; // with --check; NULL: no comparison
  ExitStatus compared;  // with the reference and with --expect's arrays
  bool judged;          // a launch was: what it left unwritten is said once
} Check;

// ---- one launch ----

static bool is_race(tilec_sim_report_kind kind) {
  return kind == TILEC_SIM_RACE_WRITE_WRITE || kind == TILEC_SIM_RACE_READ_WRITE ||
         kind == TILEC_SIM_RACE_WRITE_READ;
}

static Loc loc_of(Sources *sources, const tilec_sim_place *place, const char *file) {
  Loc loc = {.line = place->line, .file = sources_named(sources, file)};
  Str text = sources_line(sources, loc.file, loc.line);
  uint32_t column = place->column ? place->column : 1;
  while (!place->column && column <= text.n && text.at[column - 1] == ' ') column++; // the statement
  loc.col = column > UINT16_MAX ? UINT16_MAX : (uint16_t)column;
  loc.len = place->length > UINT16_MAX ? UINT16_MAX : (uint16_t)place->length;
  if (place->call) loc.call = sources_call(sources, loc_of(sources, place->call, place->call->file));
  return loc;
}

// The place of a PTX file's own line where there is no other.
static Loc place_of(Run *run, const tilec_sim_place *place, uint32_t ptx_line) {
  Sources *sources = &run->c->sources;
  if (place->file) return loc_of(sources, place, place->file);
  if (!options_file_is_ptx(run->options) || !ptx_line) return LOC_NONE;
  return loc_of(sources, &(tilec_sim_place){.line = ptx_line}, tool_source_name(run->options->file));
}

static bool same_place(Loc a, Loc b) {
  return a.line == b.line && a.col == b.col && a.len == b.len && a.file == b.file && a.call == b.call;
}

// Which access of a race came first depends on the schedule.
static bool same_finding(const Finding *a, const Finding *b) {
  bool races = is_race(a->report.kind) && is_race(b->report.kind);
  if (!races && a->report.kind != b->report.kind) return false;
  return (same_place(a->loc, b->loc) && same_place(a->other, b->other)) ||
         (races && same_place(a->loc, b->other) && same_place(a->other, b->loc));
}

static const char *keep_text(Arena *arena, const char *text) {
  return text ? arena_copy(arena, str_from(text)) : NULL;
}

static const tilec_sim_wait *keep_waits(Arena *arena, const tilec_sim_report *report) {
  if (!report->wait_count) return NULL;
  tilec_sim_wait *waits = ARENA_ARRAY(arena, tilec_sim_wait, report->wait_count);
  memcpy(waits, report->waits, report->wait_count * sizeof *waits);
  for (size_t i = 0; i < report->wait_count; i++) waits[i].message = keep_text(arena, waits[i].message);
  return waits;
}

static void add_finding(Check *check, const tilec_sim_report *report, uint32_t schedule) {
  Arena *arena = check->run->arena;
  Finding finding = {.report = *report, .schedules = 1u << schedule};
  finding.counts[schedule] = report->count;
  finding.loc = place_of(check->run, &report->place, report->ptx_line);
  if (report->other_ptx_line)
    finding.other = place_of(check->run, &report->other_place, report->other_ptx_line);
  for (uint32_t i = 0; i < check->findings.n; i++) {
    Finding *old = &check->findings.at[i];
    if (!same_finding(old, &finding)) continue;
    old->counts[schedule] += report->count;
    old->schedules |= 1u << schedule;
    return;
  }
  finding.report.message = keep_text(arena, report->message);
  finding.report.other_message = keep_text(arena, report->other_message);
  finding.report.order = keep_text(arena, report->order);
  finding.report.buffer = keep_text(arena, report->buffer);
  finding.report.waits = keep_waits(arena, report);
  vec_push(arena, &check->findings, finding);
}

// What a launch without reports left in the buffers.
static tilec_status judge_results(Check *check, uint32_t schedule, tilec_buffer **buffers) {
  Run *run = check->run;
  tilec_status status = run_read_buffers(run, buffers);
  if (status != TILEC_OK) return status;
  const char *prefix = arena_printf(run->arena, "%s: ", schedules[schedule].name);
  if (check->reference && run_compare(run, check->reference, prefix) != EXIT_DONE)
    check->compared = EXIT_DIAGNOSED;
  if (run_expect(run, prefix) != EXIT_DONE) check->compared = EXIT_DIAGNOSED;
  if (!check->judged) run_warn_unwritten(run);
  check->judged = true;
  return TILEC_OK;
}

// Launches on run->device and keeps what it reports.
static tilec_status launch_once(Check *check, const uint64_t *bits, uint32_t schedule,
                                tilec_buffer **buffers) {
  Run *run = check->run;
  DeviceKernel kernel = {0};
  tilec_status status = device_load(run->device, &check->image, &kernel);
  LaunchLimits limits = run_limits(run);
  if (status == TILEC_OK) status = device_launch(&kernel, check->grid, bits, run->param_count, NULL, &limits);
  const tilec_sim *sim = device_simulator(run->device);
  size_t count = tilec_sim_report_count(sim);
  for (size_t i = 0; i < count; i++) add_finding(check, tilec_sim_report_at(sim, i), schedule);
  device_unload(&kernel);
  if (count) return TILEC_OK;
  return status == TILEC_OK ? judge_results(check, schedule, buffers) : status;
}

// On a device of its own for each schedule, with the buffers as they were at first.
static tilec_status launch_schedule(Check *check, uint32_t schedule, uint64_t *bits,
                                    bool (*pack)(Run *, uint64_t *)) {
  Run *run = check->run;
  tilec_device *first = run->device;
  tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
  options.schedule = schedules[schedule].schedule;
  options.checks = 1;
  tilec_status status = device_open_sim(&options, &run->device);
  if (status != TILEC_OK) {
    run->device = first;
    return status;
  }
  tilec_buffer **buffers = ARENA_ARRAY(run->arena, tilec_buffer *, run->param_count);
  status = run_place_buffers(run, buffers);
  if (status == TILEC_OK && !pack(run, bits)) status = TILEC_ERROR_INVALID_ARGUMENT;
  if (status == TILEC_OK) status = launch_once(check, bits, schedule, buffers);
  for (uint32_t i = 0; i < run->param_count; i++) tilec_buffer_free(buffers[i]);
  tilec_device_close(run->device);
  run->device = first;
  return status;
}

// ---- what was found ----

// The parameter whose buffer holds the address; NULL: none.
static const RunArg *param_at(const Run *run, uint64_t address) {
  enum { NEAR = 1 << 16 }; // bytes past its end
  const RunArg *below = NULL;
  for (uint32_t i = 0; i < run->param_count; i++) {
    const RunArg *param = &run->params[i];
    if (param->buffer != param || address < param->base) continue;
    if (!below || param->base > below->base) below = param;
  }
  return below && address - below->base < below->value.bytes + NEAR ? below : NULL;
}

static void print_place(const Check *check, const Finding *finding, Buf *text) {
  const tilec_sim_report *r = &finding->report;
  buf_printf(text, "block %u,%u,%u, warp %u", r->block[0], r->block[1], r->block[2], r->warp);
  if (r->lane_mask) buf_printf(text, ", lanes 0x%08x", r->lane_mask);
  const RunArg *param = r->address ? param_at(check->run, r->address) : NULL;
  if (param)
    buf_printf(text, ", byte %llu of '%s' (%llu bytes)", (unsigned long long)(r->address - param->base),
               param->name, (unsigned long long)param->value.bytes);
  else if (r->address)
    buf_printf(text, ", address 0x%llx", (unsigned long long)r->address);
  uint64_t count = 0;
  for (uint32_t s = 0; s < SCHEDULES; s++) count = finding->counts[s] > count ? finding->counts[s] : count;
  if (count > 1) buf_printf(text, "; %llu times", (unsigned long long)count);
  buf_text(text, "; schedule");
  for (uint32_t s = 0, n = 0; s < SCHEDULES; s++)
    if (finding->schedules >> s & 1) buf_printf(text, "%s %s", n++ ? "," : "", schedules[s].name);
}

// Where the launch stood: a note a place.
static void add_waits(const Check *check, const Finding *finding, Diag *diag, Diags *diags) {
  const tilec_sim_report *r = &finding->report;
  for (size_t i = 0; i < r->wait_count; i++) {
    Buf text = {0};
    device_sim_waiting(&r->waits[i], &text);
    Loc loc = place_of(check->run, &r->waits[i].place, r->waits[i].ptx_line);
    diag_note(diags, diag, loc, "%s", text.at);
    buf_free(&text);
  }
}

static void add_diagnostic(const Check *check, const Finding *finding, Diags *diags) {
  const tilec_sim_report *r = &finding->report;
  Buf text = {0};
  Diag *diag = diag_error(diags, finding->loc, "%s", r->message);
  print_place(check, finding, &text);
  diag_note(diags, diag, finding->loc, "%s", text.at);
  buf_free(&text);
  if (finding->other.line)
    diag_note(diags, diag, finding->other, "%s: block %u,%u,%u, warp %u, lane %u",
              r->other_message ? r->other_message : "here", r->other_block[0], r->other_block[1],
              r->other_block[2], r->other_warp, r->other_lane);
  add_waits(check, finding, diag, diags);
  if (r->order)
    diag_note(diags, diag, finding->loc, "%s%s", is_race(r->kind) ? "what would order them: " : "", r->order);
}

// With the compiler's own remarks and warnings: one list.
static ExitStatus print_findings(const Check *check) {
  const Run *run = check->run;
  run->c->diags.error_limit = MOST_REPORTS;
  for (uint32_t i = 0; i < check->findings.n; i++)
    add_diagnostic(check, &check->findings.at[i], &run->c->diags);
  ExitStatus result = tool_report(run->options, run->c, TILEC_OK);
  if (check->findings.n) return EXIT_DIAGNOSED;
  if (result == EXIT_DONE) result = check->compared;
  if (result == EXIT_DONE && !run->warnings) printf("no reports\n");
  return run_strict(run, result);
}

// ---- the command ----

static ExitStatus check_schedules(Check *check, uint64_t *bits, bool (*pack)(Run *, uint64_t *)) {
  for (uint32_t s = 0; s < SCHEDULES; s++) {
    tilec_status status = launch_schedule(check, s, bits, pack);
    if (status != TILEC_OK) return run_device_failed(status);
  }
  return print_findings(check);
}

static bool pack_source(Run *run, uint64_t *bits) {
  BoundArgs bound;
  if (!run_bind(run, &bound)) return false;
  memcpy(bits, bound.bits, run->param_count * sizeof *bits);
  return true;
}

static bool pack_ptx(Run *run, uint64_t *bits) {
  run_ptx_bits(run, bits);
  return true;
}

ExitStatus check_source(Run *run, tilec_buffer **buffers) {
  Check check = {.run = run};
  int64_t grid[3];
  uint64_t *bits = ARENA_ARRAY(run->arena, uint64_t, run->param_count);
  (void)buffers;
  BoundArgs bound;
  if (!run_bind(run, &bound)) return EXIT_DIAGNOSED;
  run_specialise(run, &bound);
  tilec_status status = run_compile(run, &check.image);
  if (status != TILEC_OK) return tool_report(run->options, run->c, status);
  if (!run_grid(run, check.image.func, bound.bits, grid)) return EXIT_DIAGNOSED;
  check.grid = grid;
  ExitStatus result = EXIT_DONE;
  if (run->options->check) result = run_evaluate(run, grid, &bound, &check.reference);
  if (result == EXIT_DONE) result = check_schedules(&check, bits, pack_source);
  run_reference_free(check.reference);
  return result;
}

ExitStatus check_ptx(Run *run, tilec_buffer **buffers) {
  Check check = {.run = run, .grid = run->options->grid};
  (void)buffers;
  sources_add(&run->c->sources, tool_source_name(run->options->file), run->text);
  if (!run_ptx_image(run, &check.image)) return EXIT_DIAGNOSED;
  return check_schedules(&check, ARENA_ARRAY(run->arena, uint64_t, run->param_count), pack_ptx);
}
