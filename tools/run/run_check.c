// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --check: runs the elaborated kernel on the reference evaluator, from the same data, and compares every
// buffer.
#include "tools/run/run.h"

#include <stdio.h>

typedef struct CheckTotals {
  uint64_t compared, uncertain, wrong; // compared: outputs only, because buffers that the kernel never writes
                                       // are no evidence
  bool uncompared;                     // more of an output is uncertain than allowed
  bool unwritten;                      // an output has elements that no program wrote
} CheckTotals;

// Notes, at the last error, what takes a reference with other parameters.
static tilec_status other_reference(const Run *run, Compilation *c) {
  if (run->options->check_file && c->diags.errors && c->diags.list.n)
    diag_note(&c->diags, vec_last(&c->diags.list), LOC_NONE,
              "--check=FILE launches both kernels with the same arguments and grid. For another launch save "
              "its results with 'tilec run %s --save NAME=want.npy', and compare by --expect NAME=@want.npy",
              tool_source_name(run->options->check_file));
  return TILEC_ERROR_COMPILE;
}

// Elaborates the reference's kernel: of --check's file, or the same kernel again. The first one's tile IR has
// been through the passes.
static tilec_status elaborate_reference(const Run *run, const BoundArgs *bound, Compilation *c) {
  Run again = *run;
  again.c = c;
  const char *file = run->options->check_file ? run->options->check_file : run->options->file;
  Str text = run->text;
  if (run->options->check_file && !tool_read(run->arena, file, &text)) return TILEC_ERROR_IO;
  tilec_status status = tool_parse(c, file, text);
  again.spec = (Spec){0};
  if (status == TILEC_OK && !c->is_tir) status = tool_spec(run->options, c, &again.spec);
  for (uint32_t i = 0; status == TILEC_OK && i < run->defines.n; i++)
    status = compile_define(c, run->defines.at[i], &again.spec);
  if (status != TILEC_OK) return status;
  again.spec.target = run->spec.target;
  run_specialise(&again, bound);
  status = compile_elaborate(c, &again.spec);
  return status == TILEC_ERROR_COMPILE ? other_reference(run, c) : status;
}

static bool same_parameters(const Run *run, const Func *func) {
  const Func *own = run->c->module->funcs.at[0];
  bool same = func_visible_params(func) == run->bit_count;
  for (uint32_t i = 0; same && i < run->bit_count; i++)
    same = strcmp(func->params[i].name, own->params[i].name) == 0;
  return same;
}

// The evaluator's results, and the buffer addresses it used.
struct Reference {
  Compilation c;
  EvalMemory *memory;
  uint64_t *bases;   // One per parameter.
  uint32_t warnings; // Warnings of the evaluation.
  bool told;         // Compared once: its warnings were reported.
  bool programs;     // The launch has programs.
  bool *reported;    // One per parameter: it differs, and that was reported.
  uint8_t **tables;  // One per parameter: the addresses that a ptrs() had. NULL: no table.
};

static tilec_status evaluate(Run *run, Reference *reference, const int64_t grid[3], const BoundArgs *bound,
                             const LaunchLimits *limits) {
  Compilation *c = &reference->c;
  Func *func = c->module->funcs.at[0];
  if (!same_parameters(run, func)) {
    diag_error(&c->diags, func->loc, "[T1405] the reference kernel '%s' has other parameters", func->name);
    return other_reference(run, c);
  }
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, bound->count);
  for (uint32_t i = 0; i < bound->count; i++) args[i].bits = bound->bits[i];
  for (uint32_t i = 0; i < run->holder_count; i++) {
    const RunArg *arg = &run->params[i];
    reference->bases[i] = arg->base;
    if (arg->value.pointees) {
      reference->tables[i] = arena_alloc(run->arena, arg->value.bytes);
      memcpy(reference->tables[i], arg->value.data, arg->value.bytes);
    }
    if (arg->buffer == arg)
      eval_memory_add(reference->memory, arg->base, arg->value.data, arg->value.bytes,
                      arg->value.initialised);
  }
  const uint32_t sizes[3] = {(uint32_t)grid[0], (uint32_t)grid[1], (uint32_t)grid[2]};
  reference->programs = grid[0] && grid[1] && grid[2];
  const ReportContext context = run_report_context(run);
  const EvalOptions options = {.max_steps = limits->max_instructions,
                               .timeout = limits->timeout,
                               .spent = limits->spent,
                               .cancel = limits->cancel,
                               .programs = limits->programs,
                               .names = context.names,
                               .name_count = context.name_count,
                               .races = true,
                               .compared = true,
                               .wraps = true,
                               .hints = true,
                               .assembly = true,
                               .uncompared = run->options->check};
  return eval_launch(func, sizes, args, reference->memory, &options) ? TILEC_OK : TILEC_ERROR_COMPILE;
}

// Names the reference, for messages.
static const char *reference_name(const Run *run, const Reference *reference) {
  const char *file = run->options->check_file;
  if (!file) return "the reference evaluator";
  return arena_printf(run->arena, "kernel '%s' of %s on the reference evaluator",
                      reference->c.module->funcs.at[0]->name, tool_source_name(file));
}

// Prints one buffer's line on standard output.
static void print_compared(const RunArg *param, const EvalCheck *check, const char *with,
                           const char *prefix) {
  unsigned long long uncertain = check->uncertain - check->unread, unread = check->unread;
  printf("%scheck: %s: ", prefix, param->name);
  if (check->wrong)
    printf("differs from %s in %llu of %llu elements\n", with, (unsigned long long)check->wrong,
           (unsigned long long)check->elements);
  else if (!check->outputs && check->compared)
    printf("unchanged (%llu element%s)\n", (unsigned long long)check->compared,
           check->compared == 1 ? "" : "s");
  else if (check->compared) {
    printf("equal to %s (%llu element%s", with, (unsigned long long)check->compared,
           check->compared == 1 ? "" : "s");
    if (check->worst > 0) printf(", worst error %.3g of its bound", check->worst);
    if (uncertain) printf(", %llu skipped as uncertain", uncertain);
    if (unread) printf(", %llu skipped that depend on masked-off loads", unread);
    if (check->unwritten) printf(", %llu never written", (unsigned long long)check->unwritten);
    printf(")\n");
  } else if (uncertain)
    printf("not compared: all %llu elements are uncertain\n", uncertain + unread);
  else if (unread)
    printf("not compared: all %llu elements depend on masked-off loads\n", unread);
  else
    printf("nothing to compare: %s\n", check->unwritten ? "no element was written" : "it has no elements");
}

// Rewrites a table for the comparison. The reference's buffers may have had other addresses. So entries that
// did not change get the value that they had for the reference.
static const uint8_t *result_for(const Run *run, const Reference *reference, const RunArg *param) {
  const uint8_t *table = reference->tables[param - run->params];
  const size_t size = sizeof(uint64_t);
  if (!table) return param->result;
  uint8_t *result = arena_alloc(run->arena, param->value.bytes);
  for (uint64_t at = 0; at < param->value.bytes; at += size) {
    bool same = memcmp(param->result + at, param->value.data + at, size) == 0;
    memcpy(result + at, (same ? table : param->result) + at, size);
  }
  return result;
}

// The reason why the uncertain elements could not be compared.
static const char *doubt_of(const EvalCheck *check) {
  if (check->assembled && check->assembled + check->unread == check->uncertain)
    return "they depend on inline assembly, which the evaluator does not run";
  if (check->vague)
    return "they differ from the reference by no more than error bounds that are as large as their values";
  return "they depend on an order, or on a comparison or conversion within its error bound";
}

// Reports an output with more uncertain elements than allowed, or one that depends only on data that no load
// read. Returns true if that makes the check fail.
static bool judge_uncertain(Run *run, const Reference *reference, const RunArg *param,
                            const EvalCheck *check) {
  uint64_t uncertain = check->uncertain - check->unread, counted = check->outputs - check->unread;
  bool fails = (double)uncertain > run->options->allow_uncompared * (double)counted;
  if (reference->told) return fails;
  if (fails)
    diag_error(
        &run->c->diags, param->loc,
        "[T1405] --check could not compare %llu of %llu elements of '%s' (%.3g%%; the limit is %.3g%%): %s; "
        "compare with an array of your own by --expect %s=@FILE.npy, or raise the limit by "
        "--allow-uncompared=SHARE",
        (unsigned long long)uncertain, (unsigned long long)counted, param->name,
        100 * (double)uncertain / (double)counted, 100 * run->options->allow_uncompared, doubt_of(check),
        param->name);
  else if (check->uncertain && check->uncertain == check->outputs)
    run_warn(run, param->loc, "[T1405] no element of %s could be compared: %s", param->name,
             uncertain ? doubt_of(check)
                       : "all depend on elements that a masked load without `other` did not read");
  return fails;
}

// An `empty:` buffer that the kernel stores to is an output. True if its end was not written, and this is more than
// --allow-uncompared of it: the grid is too small, and comparing the rest does not show it. Gaps are a warning, as of
// padded rows and masked stores.
static bool judge_unwritten(Run *run, const Reference *reference, RunArg *param, const EvalCheck *check) {
  bool is_output = check->stored_to || check->outputs;
  bool is_end = check->last_unwritten == check->elements - 1 &&
                check->last_unwritten - check->first_unwritten + 1 == check->unwritten;
  double limit = run->options->allow_uncompared * (double)check->elements;
  if ((double)check->unwritten <= limit || !is_output || !is_end || !reference->programs) return false;
  if (!reference->told)
    run_refuse_unwritten(run, param,
                         &(Unwritten){check->unwritten, check->first_unwritten, check->last_unwritten});
  return true;
}

static void compare_buffer(Run *run, Reference *reference, RunArg *param, const char *prefix,
                           CheckTotals *totals) {
  EvalCheck check;
  uint32_t number = (uint32_t)(param - run->params);
  bool equal = eval_check(reference->memory, reference->bases[number], result_for(run, reference, param),
                          param->value.elem, &check);
  Comparison comparison = {.param = param,
                           .with = reference_name(run, reference),
                           .elements = check.elements,
                           .compared = check.compared,
                           .outputs = check.outputs,
                           .uncertain = check.uncertain,
                           .unread = check.unread,
                           .wrong = check.wrong,
                           .first = check.first_wrong,
                           .got = check.got,
                           .expected = check.expected};
  vec_push(run->arena, &run->comparisons, comparison);
  if (!equal && !reference->reported[number])
    run_differs(run, &comparison,
                arena_printf(run->arena, "check of '%s' failed: %llu of %llu elements differ from %s; %s",
                             param->name, (unsigned long long)check.wrong, (unsigned long long)check.elements,
                             comparison.with, check.first_message));
  reference->reported[number] |= !equal;
  print_compared(param, &check, comparison.with, prefix);
  totals->uncompared |= judge_uncertain(run, reference, param, &check);
  totals->unwritten |= judge_unwritten(run, reference, param, &check);
  totals->compared += check.outputs - check.uncertain;
  totals->uncertain += check.uncertain;
  totals->wrong += check.wrong;
}

static ExitStatus report_totals(Run *run, const Reference *reference, const CheckTotals *totals,
                                const char *prefix) {
  bool nothing =
      !totals->compared && !totals->wrong && reference->programs && run->options->allow_uncompared < 1;
  bool failed = totals->wrong || totals->uncompared || totals->unwritten || nothing;
  printf("%scheck: %s\n", prefix, failed ? "FAILED" : "passed");
  bool tells = nothing && !reference->told && !totals->unwritten;
  if (tells && totals->uncertain)
    diag_error(&run->c->diags, run->c->module->funcs.at[0]->loc,
               "[T1405] --check compared nothing: all %llu elements are uncertain",
               (unsigned long long)totals->uncertain);
  else if (tells)
    diag_error(&run->c->diags, run->c->module->funcs.at[0]->loc,
               "[T1405] --check compared nothing: the kernel wrote to no buffer");
  return failed ? EXIT_DIAGNOSED : EXIT_DONE;
}

tilec_status run_evaluate(Run *run, const int64_t grid[3], const BoundArgs *bound, const LaunchLimits *limits,
                          Reference **result) {
  Reference *reference = ARENA_NEW(run->arena, Reference);
  Diags *diags = &reference->c.diags;
  compilation_init(&reference->c);
  reference->memory = eval_memory_new(run->arena);
  reference->bases = ARENA_ARRAY(run->arena, uint64_t, run->holder_count);
  reference->reported = ARENA_ARRAY(run->arena, bool, run->holder_count);
  reference->tables = ARENA_ARRAY(run->arena, uint8_t *, run->holder_count);
  *result = reference;
  tilec_status status = elaborate_reference(run, bound, &reference->c);
  uint32_t warnings = diags->warnings;
  if (status == TILEC_OK && !run->options->check_file)
    diags->list.n = 0; // reported when run->c was elaborated
  if (status == TILEC_OK) status = evaluate(run, reference, grid, bound, limits);
  reference->warnings = diags->warnings - warnings; // results that depend on an order, offsets that wrap
  return status;
}

tilec_status run_evaluate_shortly(Run *run, const int64_t grid[3], const BoundArgs *bound, double seconds,
                                  Reference **reference) {
  enum { MIN_SECONDS = 5, TIMES = 4 };
  LaunchLimits limits = run_limits(run);
  double most = TIMES * seconds > MIN_SECONDS ? TIMES * seconds : MIN_SECONDS;
  if (limits.timeout <= 0 || limits.timeout - limits.spent > most) limits.timeout = most, limits.spent = 0;
  return run_evaluate(run, grid, bound, &limits, reference);
}

uint64_t run_too_large(const Run *run) {
  const uint64_t most_bytes = 1u << 28;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < run->holder_count; i++)
    if (run->params[i].buffer == &run->params[i]) bytes += run->params[i].value.bytes;
  return bytes > most_bytes ? bytes : 0;
}

void run_explain_fault(Run *run, const int64_t grid[3]) {
  Reference *reference;
  if (!run->bound || run->options->devices > 1 || run->options->check_file || run_is_over(run) ||
      run_too_large(run))
    return;
  run_evaluate_shortly(run, grid, run->bound, seconds_now() - run->began, &reference);
  Diags *diags = &reference->c.diags;
  if (eval_gave_up(reference->memory) && diags->list.n) diags->list.n--;
  run_join_reports(&run->c->diags, diags, run->options->check);
  run_reference_free(reference);
}

static bool run_gave_up(const Reference *reference, const char **why) {
  const Diags *diags = &reference->c.diags;
  if (!eval_gave_up(reference->memory) || !diags->list.n) return false;
  *why = vec_last(&diags->list)->message;
  return true;
}

ExitStatus run_take_reports(Run *run, Reference *reference, tilec_status status) {
  const char *why;
  Diags *diags = &reference->c.diags;
  bool gave_up = run_gave_up(reference, &why);
  if (gave_up) {
    Diag *diag = vec_last(&diags->list);
    diag->severity = DIAG_WARNING;
    diag->message = arena_printf(
        run->arena, "not evaluated to its end, so undefined values and wrapped offsets may be missed: %s",
        why);
    run->warnings++;
    status = run->options->check ? status : TILEC_OK;
  }
  run->warnings += reference->warnings;
  run_join_reports(&run->c->diags, diags, true);
  if (reference->c.fault[0]) tool_error("%s", reference->c.fault);
  if (gave_up && run->options->check)
    tool_error("[T1405] --check compared nothing: the reference evaluator did not run the kernel to its end");
  if (status == TILEC_ERROR_INTERNAL) return EXIT_OUR_BUG;
  return status == TILEC_OK ? EXIT_DONE : EXIT_DIAGNOSED;
}

ExitStatus run_compare(Run *run, Reference *reference, const char *prefix) {
  CheckTotals totals = {0};
  for (uint32_t i = 0; i < run->holder_count; i++)
    if (run->params[i].buffer == &run->params[i])
      compare_buffer(run, reference, &run->params[i], prefix, &totals);
  ExitStatus result = report_totals(run, reference, &totals, prefix);
  reference->told = true;
  return result;
}

void run_reference_free(Reference *reference) {
  if (reference) compilation_free(&reference->c);
}

ExitStatus run_check(Run *run, const int64_t grid[3], const BoundArgs *bound) {
  Reference *reference;
  const LaunchLimits limits = run_limits(run);
  tilec_status status = run_evaluate(run, grid, bound, &limits, &reference);
  ExitStatus result = run_take_reports(run, reference, status);
  if (result == EXIT_DONE) result = run_compare(run, reference, "");
  run_reference_free(reference);
  return result;
}
