// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec explain: shows each line's work, its cost by the model of cost/, and advice.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ir/build.h"
#include "runtime/compile/machine_code.h"
#include "runtime/compile/spills.h"
#include "tools/explain/explain.h"

enum { EVENTS = 400 }; // of a program's schedule: about ten iterations of a matmul loop

static double sum_of(const double *values) {
  double sum = 0;
  for (int i = 0; i < PIPE_COUNT; i++) sum += values[i];
  return sum;
}

double explain_ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

static bool is_copy(const Op *op) { return op->kind == OP_COPY_ASYNC || op_copies_in(op); }

// Loads that a program waits for, and copies outside of loops.
static double waited(const CostOp *op) {
  bool waits = op->op->kind == OP_LOAD || op->op->kind == OP_ATOMIC_RMW || op->op->kind == OP_ATOMIC_CAS ||
               (is_copy(op->op) && !op_enclosing_loop(op->op));
  return waits && op_copies_in(op->op) ? (double)op->runs.most
         : waits                       ? (double)op->runs.most / region_warps(op->op)
                                       : 0;
}

// Sectors of copies that a loop prefetches.
static double prefetched(const CostOp *op) {
  return is_copy(op->op) && op_enclosing_loop(op->op) ? (double)op->sectors.most : 0;
}

// The op's part of the waits. Copies that loops prefetch have their part of the latency, by their bytes.
static double latency_share(const CostReport *report, const CostOp *op) {
  double loads = 0, copies = 0, part = explain_ratio(report->time.copies, report->time.bounds[BOUND_LATENCY]);
  for (uint32_t i = 0; i < report->op_count; i++)
    loads += waited(&report->ops[i]), copies += prefetched(&report->ops[i]);
  if (loads <= 0) part = 1;
  if (copies <= 0) part = 0;
  return (1 - part) * explain_ratio(waited(op), loads) + part * explain_ratio(prefetched(op), copies);
}

static double updates_of(const CostReport *report) {
  double updates = 0;
  for (uint32_t i = 0; i < report->op_count; i++) updates += report->ops[i].atomic.updates;
  return updates;
}

double explain_share(const CostReport *report, const CostOp *op) {
  const CostTotals *t = &report->totals;
  switch (report->time.bottleneck) {
  case BOUND_SHARED: return explain_ratio((double)op->wavefronts.most, (double)t->wavefronts.most);
  case BOUND_TURNS: // the loop is bound by both dots and copies
  case BOUND_TENSOR: return explain_ratio(op->tensor_cycles, t->tensor_cycles);
  case BOUND_SPILLS:
  case BOUND_ISSUE: return explain_ratio(sum_of(op->instructions), sum_of(t->instructions));
  case BOUND_FMA: return explain_ratio(op->instructions[PIPE_FMA], t->instructions[PIPE_FMA]);
  case BOUND_FP64: return explain_ratio(op->instructions[PIPE_FP64], t->instructions[PIPE_FP64]);
  case BOUND_MUFU: return explain_ratio(op->instructions[PIPE_MUFU], t->instructions[PIPE_MUFU]);
  case BOUND_LATENCY: return latency_share(report, op);
  case BOUND_ATOMICS: return explain_ratio(op->atomic.updates, updates_of(report));
  case BOUND_MEMORY:
  case BOUND_LINK:
  case BOUND_L2:
  case BOUND_COUNT: break;
  }
  return explain_ratio((double)op->sectors.most, (double)t->sectors.most);
}

const tilec_sim_counters *explain_simulated(const Explanation *e, Loc loc) {
  const char *file = sources_name(&e->run->c->sources, loc.file);
  for (size_t i = 0; i < tilec_sim_line_count(e->sim); i++) {
    const tilec_sim_line *line = tilec_sim_line_at(e->sim, i);
    if (line->line == loc.line && line->file && strcmp(line->file, file) == 0) return &line->counters;
  }
  return NULL;
}

const NcuLine *explain_ncu_line(const Explanation *e, Loc loc) {
  return e->ncu && loc.line ? ncu_line(e->ncu, sources_name(&e->run->c->sources, loc.file), loc.line) : NULL;
}

bool explain_measured(const Explanation *e, NcuCounter counter, Measured *out) {
  const CostReport *r = e->report;
  const CostTotals *t = &r->totals;
  double predicted[NCU_COUNT] = {[NCU_INSTRUCTIONS] = sum_of(t->instructions),
                                 [NCU_REQUESTS] = (double)t->requests.most,
                                 [NCU_SECTORS] = (double)t->sectors.most,
                                 [NCU_SECTORS_IDEAL] = (double)t->sectors_ideal.most,
                                 [NCU_WAVEFRONTS] = (double)t->wavefronts.most,
                                 [NCU_WAVEFRONTS_IDEAL] = (double)t->wavefronts_ideal.most,
                                 [NCU_MEMORY] = r->memory,
                                 [NCU_SECONDS] = r->time.known ? r->time.seconds : 0,
                                 [NCU_REGISTERS] = e->usage.registers > 0 ? (double)e->usage.registers
                                                                          : (double)r->registers};
  if (!e->ncu || !e->ncu->total.known[counter]) return false;
  *out = (Measured){counter, e->ncu->total.value[counter], predicted[counter]};
  return counter != NCU_SAMPLES && (counter != NCU_SECONDS || r->time.known);
}

// --ncu. False after printing an error.
static bool read_ncu(Explanation *e) {
  Run *run = e->run;
  const char *file = run->options->ncu_file;
  Str text;
  if (!file) return true;
  if (!tool_read(run->arena, file, &text)) return false;
  e->ncu = ncu_read(run->arena, &run->c->sources, &run->c->diags, tool_source_name(file), text,
                    e->report->func->name);
  if (!e->ncu) tool_report(run->options, run->c, TILEC_ERROR_COMPILE);
  return e->ncu != NULL;
}

static int by_place(const void *a, const void *b) {
  const ExplainedLine *x = a, *y = b;
  if (x->loc.file != y->loc.file) return x->loc.file < y->loc.file ? -1 : 1;
  return x->loc.line < y->loc.line ? -1 : x->loc.line > y->loc.line;
}

static ExplainedLine *line_at(Explanation *e, Loc loc) {
  uint32_t i = 0;
  while (i < e->lines.n && (e->lines.at[i].loc.line != loc.line || e->lines.at[i].loc.file != loc.file)) i++;
  if (i == e->lines.n) vec_push(e->run->arena, &e->lines, ((ExplainedLine){.loc = loc}));
  return &e->lines.at[i];
}

static void add_cost(Explanation *e, const CostOp *op) {
  ExplainedLine *line = line_at(e, op->op->loc);
  if (op->instruction) vec_push(e->run->arena, &line->ops, op);
  line->share += explain_share(e->report, op);
}

static void add_alive(Explanation *e, const Op *op) {
  uint32_t alive = e->report->alive[op->id];
  if (!alive) return;
  ExplainedLine *line = line_at(e, op->loc);
  if (alive > line->alive) line->alive = alive;
}

// Adds the source lines that have measurements.
static void add_measured(Explanation *e) {
  const Sources *sources = &e->run->c->sources;
  for (uint32_t i = 0; e->ncu && i < e->ncu->lines.n; i++)
    for (uint32_t file = 0; file < sources->files.n; file++) {
      Loc loc = {.line = e->ncu->lines.at[i].line, .file = (uint16_t)file};
      if (explain_ncu_line(e, loc) == &e->ncu->lines.at[i]) line_at(e, loc);
    }
}

static void find_lines(Explanation *e) {
  for (uint32_t i = 0; i < e->report->op_count; i++) add_cost(e, &e->report->ops[i]);
  for (OpWalk w = ops_in(e->report->func->body); ops_next(&w);) add_alive(e, w.op);
  add_measured(e);
  if (e->lines.n) qsort(e->lines.at, e->lines.n, sizeof *e->lines.at, by_place);
}

// The launch as the model needs it, in the run's arena.
static CostLaunch explain_launch(const Run *run, const uint64_t *bits, const int64_t grid[3]) {
  CostLaunch launch = {.args = bits, .arg_count = run->bit_count};
  CostBuffer *buffers = ARENA_ARRAY(run->arena, CostBuffer, run->holder_count + 1);
  for (uint32_t i = 0; i < run->holder_count; i++) {
    const RunArg *arg = &run->params[i];
    if (arg->buffer != arg) continue;
    if (arg->value.pointees && arg->value.data) run_fill_table(run, arg);
    buffers[launch.buffer_count++] = (CostBuffer){.name = arg->name,
                                                  .address = arg->base,
                                                  .bytes = arg->value.bytes,
                                                  .device = i / run->device_holders,
                                                  .content = arg->value.pointees ? arg->value.data : NULL};
  }
  launch.buffers = buffers;
  for (int i = 0; i < 3; i++) launch.grid[i] = (uint32_t)grid[i];
  return launch;
}

typedef struct Launched {
  Explanation *e;
  CostLaunch launch;
} Launched;

static tilec_status report_body(Compilation *c, void *data) {
  Launched *l = data;
  Explanation *e = l->e;
  CostLaunch own = l->launch; // what tilec tune knows
  own.code = NULL;
  if (!e->given) own.registers = 0;
  e->model = cost_report(&c->arena, c->module->funcs.at[0], &own);
  bool assembled = l->launch.code || l->launch.registers != own.registers;
  e->report = assembled ? cost_report(&c->arena, c->module->funcs.at[0], &l->launch) : e->model;
  e->report->time = e->model->time;
  if (e->run->options->format == FORMAT_HTML)
    e->events = cost_events(&c->arena, c->module->funcs.at[0], &l->launch, EVENTS);
  return TILEC_OK;
}

// The register count as given. Otherwise the count from ptxas, if it is available.
static void ask_assembler(Explanation *e, const Func *func, CostLaunch *launch) {
  Compilation *c = e->run->c;
  e->usage = (CubinUsage){-1, -1, -1, -1};
  e->given = e->run->options->registers > 0;
  if (e->given)
    e->usage.registers = (int)e->run->options->registers;
  else
    launch->code = machine_code(c, &e->usage, e->run->options->format == FORMAT_HTML ? &e->code : NULL);
  Buf log = {0};
  if (e->usage.registers < 0 && cubin_ptxas_log(buf_view(&c->code.ptx), &c->code.target, &log, NULL))
    cubin_usage_of_log(buf_view(&log).at, func->name, &e->usage);
  buf_free(&log);
  if (e->usage.registers > 0) launch->registers = (uint32_t)e->usage.registers;
  if (e->usage.spill_stores > 0) spills_warn(&e->run->c->diags, func, func->name, e->usage.local_bytes);
}

static ExitStatus print(const Explanation *e) {
  const Options *o = e->run->options;
  bool file = o->output && strcmp(o->output, "-") != 0;
  Buf out = {0};
  if (o->format == FORMAT_JSON)
    explain_json(e, &out);
  else if (o->format == FORMAT_HTML)
    explain_html(e, &out);
  else
    explain_text(e, file ? o->color == COLOR_ALWAYS : tool_colors(o->color, STDOUT_FILENO), &out);
  bool good = tool_write(file ? o->output : "-", buf_view(&out));
  if (good && file && o->format == FORMAT_HTML)
    printf("%s\nwrote %s, a page for a browser\n", explain_headline(e), o->output);
  buf_free(&out);
  return good ? EXIT_DONE : EXIT_DIAGNOSED;
}

static ExitStatus finish(Explanation *e) {
  find_lines(e);
  explain_search(e);
  explain_losses(e);
  explain_answer(e);
  ExitStatus printed = print(e), told = run_tell(e->run, TILEC_OK);
  return printed != EXIT_DONE ? printed : told;
}

// Counters by line exist while the kernel is loaded.
static ExitStatus simulate_and_finish(Explanation *e, const KernelImage *image, const int64_t grid[3]) {
  DeviceKernel kernel = {0};
  Run *run = e->run;
  tilec_status status = run_load_and_launch(run, image, grid, run->bound->bits, &kernel);
  e->sim = device_simulator(run->device);
  ExitStatus result = status == TILEC_OK ? finish(e) : run_launch_failed(run, grid, status);
  device_unload(&kernel);
  return result;
}

ExitStatus explain_source(Run *run, tilec_buffer **buffers) {
  BoundArgs bound;
  KernelImage image = {0};
  Explanation e = {.run = run};
  Launched l = {.e = &e};
  int64_t grid[3];
  (void)buffers;
  if (!run_bind(run, &bound)) return EXIT_DIAGNOSED;
  run->bound = &bound;
  run_specialise(run, &bound);
  if (run->options->format == FORMAT_HTML) run->pass_texts = &e.passes;
  tilec_status status = run_compile(run, &bound, &image);
  double *predicted = run->options->predicted;
  if (status != TILEC_OK) return predicted ? EXIT_DIAGNOSED : run_tell(run, status);
  if (!run_grid(run, image.func, bound.bits, grid)) return EXIT_DIAGNOSED;
  l.launch = explain_launch(run, bound.bits, grid);
  const char *card = run->options->card;
  const TargetInfo *arch = image.func->module->target.arch;
  if (card && !(l.launch.card = cost_card(arch, card)))
    return tool_error(
        "[T1006] --card: %s has no card '%s' with known times; cards are: %s; without --card the counts are "
        "those of every card",
        arch->name, card, cost_cards(run->arena, arch));
  ask_assembler(&e, image.func, &l.launch);
  status = compile_guard(run->c, report_body, &l);
  if (predicted) {
    if (status == TILEC_OK && e.model->time.known) *predicted = e.model->time.seconds;
    return EXIT_DONE;
  }
  if (status != TILEC_OK) return run_tell(run, status);
  if (!read_ncu(&e)) return EXIT_DIAGNOSED;
  return run->options->simulate ? simulate_and_finish(&e, &image, grid) : finish(&e);
}
