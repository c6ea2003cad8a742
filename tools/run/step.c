// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch of tilec run --step, and where it stops.
#include "tools/run/step.h"

#include <stdio.h>

#include "base/plain.h"
#include "tools/run/interrupt.h"

// ---- variables ----

static void record(Stepper *s, const char *name, const Value *value, uint16_t call) {
  for (uint32_t i = 0; name && i < s->variables.n; i++) {
    Variable *v = &s->variables.at[i];
    if (v->name != name || v->call != call) continue;
    v->value = value;
    v->fresh = true;
    return;
  }
  if (name) vec_push(s->run->arena, &s->variables, ((Variable){name, value, call, true}));
}

// Records what the op before computed, or the arguments of the region that begins.
static void record_before(Stepper *s, const Op *op) {
  const Region *region = op->region;
  if (op->prev) {
    for (uint32_t i = 0; i < op->prev->result_count; i++)
      record(s, op->prev->results[i].name, &op->prev->results[i], op->prev->loc.call);
    return;
  }
  for (uint32_t i = 0; i < region->arg_count; i++) {
    const char *name = region->parent ? region->args[i]->name : s->func->params[i].name;
    record(s, name, region->args[i], region->parent ? region->parent->loc.call : 0);
  }
}

// ---- places ----

static uint32_t call_depth(const Stepper *s, Loc loc) {
  uint32_t depth = 0;
  for (; loc.call; depth++) loc = s->run->c->sources.calls.at[loc.call];
  return depth;
}

static bool same_line(Loc a, Loc b) { return a.line == b.line && a.file == b.file && a.call == b.call; }

static bool is_breakpoint(const Stepper *s, Loc loc) {
  for (uint32_t i = 0; i < s->breakpoints.n; i++)
    if (s->breakpoints.at[i] == loc.line && loc.file == s->func->loc.file) return true;
  return false;
}

static bool wants_stop(const Stepper *s, const EvalStop *stop, bool begins) {
  switch (s->mode) {
  case STEP_LINE: return true;
  case STEP_OVER: return begins || call_depth(s, stop->op->loc) <= s->depth;
  case STEP_BREAK: return is_breakpoint(s, stop->op->loc);
  case STEP_PROGRAM: return memcmp(stop->program, s->wanted, sizeof s->wanted) == 0;
  case STEP_END: break;
  }
  return false;
}

// ---- output ----

void step_flush(Stepper *s) {
  fwrite(s->out.at ? s->out.at : "", 1, s->out.n, stdout);
  fflush(stdout);
  buf_reset(&s->out);
}

// Reports that are new. Returns true if there are any.
static bool tell_reports(Stepper *s) {
  Diags news = s->run->c->diags;
  if (news.list.n <= s->told) return false;
  news.list.at += s->told;
  news.list.n -= s->told;
  s->told += news.list.n;
  size_t before = s->out.n;
  diags_print_text(&news, false, &s->out);
  return s->out.n > before;
}

static void show_line(Stepper *s, Loc loc) {
  Sources *sources = &s->run->c->sources;
  if (loc.call && loc.call != s->shown.call)
    buf_printf(&s->out, "in a function of %s, called at line %u\n", sources_name(sources, loc.file),
               sources->calls.at[loc.call].line);
  buf_printf(&s->out, "> %4u  ", loc.line);
  buf_plain(&s->out, sources_line(sources, loc.file, loc.line), SIZE_MAX);
  buf_char(&s->out, '\n');
}

// Loops that ended since the last stop.
static void show_loops(Stepper *s) {
  for (uint32_t i = 0; i < s->loops.n; i++) {
    StepLoop *loop = &s->loops.at[i];
    if (loop->ended && loop->op->loc.line)
      buf_printf(&s->out, "the loop of line %u ended after %llu round%s\n", loop->op->loc.line,
                 (unsigned long long)loop->rounds, loop->rounds == 1 ? "" : "s");
    loop->ended = false;
  }
}

// The line that runs next, and the variables that are new. `error`: an error happened at the line.
static void step_show(Stepper *s, const EvalStop *stop, Loc loc, bool error) {
  bool other = !s->begun || memcmp(s->program, stop->program, sizeof s->program) != 0;
  if (other) {
    buf_printf(&s->out, "program (%u, %u, %u) of grid %u,%u,%u\n", stop->program[0], stop->program[1],
               stop->program[2], stop->grid[0], stop->grid[1], stop->grid[2]);
    memcpy(s->program, stop->program, sizeof s->program);
  }
  for (uint32_t i = 0; i < s->variables.n; i++) {
    Variable *v = &s->variables.at[i];
    if (v->fresh) step_print_summary(stop, v, &s->out);
    v->fresh = false;
  }
  eval_stop_wraps(stop, &s->out);
  show_loops(s);
  if (!error) show_line(s, loc);
  s->begun = true;
  s->shown = loc;
  s->depth = call_depth(s, loc);
}

// ---- the launch ----

static bool on_failure(Stepper *s, const EvalStop *stop) {
  s->last = stop->op->loc;
  tell_reports(s);
  if (s->mode != STEP_END) {
    step_show(s, stop, stop->op->loc, true);
    buf_text(&s->out, "the launch ends here\n");
    step_commands(s, stop);
  }
  step_flush(s);
  return false;
}

static StepLoop *loop_of(Stepper *s, const Op *op) {
  for (uint32_t i = 0; i < s->loops.n; i++)
    if (s->loops.at[i].op == op) return &s->loops.at[i];
  vec_push(s->run->arena, &s->loops, ((StepLoop){.op = op}));
  return &vec_last(&s->loops);
}

// Counts a round that begins with the op. NULL: none begins.
static const StepLoop *count_rounds(Stepper *s, const Op *op) {
  const Op *parent = op->region->parent;
  if (op_is_loop(op)) *loop_of(s, op) = (StepLoop){.op = op};
  if (op->prev && op_is_loop(op->prev)) loop_of(s, op->prev)->ended = true;
  if (op->prev || !parent || !op_is_loop(parent) || op->region != parent->regions[parent->region_count - 1])
    return NULL;
  StepLoop *loop = loop_of(s, parent);
  loop->rounds++;
  return loop;
}

// A breakpoint at a loop stops before its first op, before each further round, and after its end.
static bool stop_at_round(Stepper *s, const EvalStop *stop, const StepLoop *loop) {
  if (!loop || loop->rounds < 2 || s->mode != STEP_BREAK || !is_breakpoint(s, loop->op->loc)) return true;
  s->last = loop->op->loc;
  buf_printf(&s->out, "round %llu\n", (unsigned long long)loop->rounds);
  step_show(s, stop, loop->op->loc, false);
  return step_commands(s, stop);
}

// Ops of one line follow one another. A line begins again in each round of a loop.
static bool on_op(const EvalStop *stop, void *data) {
  Stepper *s = data;
  const Op *op = stop->op;
  if (stop->failed) return on_failure(s, stop);
  bool begins = op == s->func->body->first, ends = op->kind == OP_YIELD || op->kind == OP_RETURN;
  if (begins) s->variables.n = s->loops.n = 0;
  record_before(s, op);
  if (!stop_at_round(s, stop, count_rounds(s, op))) return false;
  bool reports = tell_reports(s);
  bool arrives = begins || !same_line(op->loc, s->last) || (!op->prev && op_is_loop(op->region->parent));
  if (!op->loc.line || ends) arrives = false;
  bool after_loop =
      s->mode == STEP_BREAK && op->prev && op_is_loop(op->prev) && is_breakpoint(s, op->prev->loc);
  if (!op->loc.line && !reports) return true;
  if (!ends) s->last = op->loc;
  if (s->mode == STEP_END || !(reports || after_loop || (arrives && wants_stop(s, stop, begins)))) {
    step_flush(s);
    return true;
  }
  step_show(s, stop, op->loc, false);
  return step_commands(s, stop);
}

static void print_line(const char *text, void *data) {
  Stepper *s = data;
  buf_plain_lines(&s->out, str_from(text), SIZE_MAX);
  buf_char(&s->out, '\n');
}

static void add_buffers(const Run *run, EvalMemory *memory) {
  for (uint32_t i = 0; i < run->holder_count; i++) {
    const RunArg *arg = &run->params[i];
    if (arg->buffer == arg && arg->value.bytes)
      eval_memory_add(memory, arg->base, arg->value.data, arg->value.bytes, arg->value.initialised);
  }
}

static void take_results(Run *run, const EvalMemory *memory) {
  for (uint32_t i = 0; i < run->holder_count; i++) {
    RunArg *arg = &run->params[i];
    if (arg->buffer == arg && arg->value.bytes)
      memcpy(arg->result, eval_memory_bytes(memory, arg->base), arg->value.bytes);
  }
}

typedef struct StepLaunch {
  Stepper *s;
  Func *func;
  const EvalArg *args;
  const uint32_t *grid;
  EvalMemory *memory;
  bool done;
} StepLaunch;

// An earlier program begins from the start of the launch, with the initial buffers.
static tilec_status launch(Compilation *c, void *data) {
  StepLaunch *l = data;
  Stepper *s = l->s;
  Run *run = s->run;
  const ReportContext context = run_report_context(run);
  const EvalOptions options = {.max_steps = run->options->max_instructions,
                               .programs = run->options->max_programs,
                               .cancel = interrupt_flag(),
                               .races = true,
                               .wraps = true,
                               .hints = true,
                               .names = context.names,
                               .name_count = context.name_count,
                               .print = print_line,
                               .print_data = s,
                               .step = on_op,
                               .step_data = s};
  do {
    s->restarts = s->begun = false;
    s->last = s->shown = LOC_NONE;
    c->diags.list.n = c->diags.errors = c->diags.warnings = s->told = 0;
    l->memory = s->memory = eval_memory_new(run->arena);
    add_buffers(run, l->memory);
    l->done = eval_launch(l->func, l->grid, l->args, l->memory, &options);
  } while (s->restarts);
  return TILEC_OK;
}

static ExitStatus step_launch(Run *run, Func *func, const BoundArgs *bound, const int64_t grid[3]) {
  Stepper s = {.run = run, .func = func};
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, bound->count);
  const uint32_t sizes[3] = {(uint32_t)grid[0], (uint32_t)grid[1], (uint32_t)grid[2]};
  StepLaunch l = {.s = &s, .func = func, .args = args, .grid = sizes};
  for (uint32_t i = 0; i < bound->count; i++) args[i].bits = bound->bits[i];
  tilec_status status = compile_guard(run->c, launch, &l);
  if (status == TILEC_OK && !s.quits) tell_reports(&s); // of the launch's end
  step_flush(&s);
  buf_free(&s.out);
  if (status != TILEC_OK) return tool_report(run->options, run->c, status);
  if (s.quits) return EXIT_DONE;
  if (!l.done) return EXIT_DIAGNOSED;
  take_results(run, l.memory);
  printf("%s on the evaluator, grid %lld,%lld,%lld\n", func->name, (long long)grid[0], (long long)grid[1],
         (long long)grid[2]);
  run->bits = bound->bits;
  run_report_buffers(run, func);
  run_print_elements(run);
  ExitStatus expected = run_expect(run, "");
  return run_tell(run, TILEC_OK) == EXIT_DONE ? expected : EXIT_DIAGNOSED;
}

ExitStatus step_source(Run *run, tilec_buffer **buffers) {
  (void)buffers;
  BoundArgs bound;
  if (!run_bind(run, &bound)) return EXIT_DIAGNOSED;
  run->bound = &bound;
  run->bits = bound.bits;
  run_specialise(run, &bound);
  KernelImage image = {0};
  ExitStatus result = run_tell(run, run_compile(run, &bound, &image));
  int64_t grid[3];
  if (result != EXIT_DONE) return result;
  if (!run_grid(run, image.func, bound.bits, grid)) return EXIT_DIAGNOSED;
  return step_launch(run, image.func, &bound, grid);
}
