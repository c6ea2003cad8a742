// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --check: the kernel as elaborated runs on the reference evaluator, from the same
// data, and every buffer is compared.
#include "tools/run.h"

#include <stdio.h>

typedef struct CheckTotals {
  uint64_t compared, uncertain, wrong;
  double worst;
} CheckTotals;

// The reference's kernel, of --check's file or the same one again (the first one's tile
// IR has been through the passes).
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
  return compile_elaborate(c, &again.spec);
}

static bool same_parameters(const Run *run, const Func *func) {
  bool same = func->param_count == run->param_count;
  for (uint32_t i = 0; same && i < run->param_count; i++)
    same = strcmp(func->params[i].name, run->params[i].name) == 0;
  return same;
}

// What the evaluator left, and where the buffers were.
struct Reference {
  Compilation c;
  EvalMemory *memory;
  uint64_t *bases; // one a parameter
};

static tilec_status evaluate(const Run *run, Reference *reference, const int64_t grid[3],
                             const BoundArgs *bound) {
  Compilation *c = &reference->c;
  Func *func = c->module->funcs.at[0];
  if (!same_parameters(run, func)) {
    diag_error(&c->diags, func->loc, "the reference kernel '%s' has other parameters", func->name);
    return TILEC_ERROR_COMPILE;
  }
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, func->param_count);
  for (uint32_t i = 0; i < func->param_count; i++) args[i].bits = bound->bits[i];
  for (uint32_t i = 0; i < run->param_count; i++) {
    const RunArg *arg = &run->params[i];
    reference->bases[i] = arg->base;
    if (arg->buffer == arg)
      eval_memory_add(reference->memory, arg->base, arg->value.data, arg->value.bytes,
                      arg->value.initialised);
  }
  const uint32_t sizes[3] = {(uint32_t)grid[0], (uint32_t)grid[1], (uint32_t)grid[2]};
  const EvalOptions options = {.races = true};
  return eval_launch(func, sizes, args, reference->memory, &options) ? TILEC_OK : TILEC_ERROR_COMPILE;
}

static void compare_buffer(const EvalMemory *memory, uint64_t base, const RunArg *param,
                           CheckTotals *totals) {
  EvalCheck check;
  if (!eval_check(memory, base, param->result, param->value.elem, &check))
    tool_error("check of '%s' failed: %llu of %llu elements differ; %s", param->name,
               (unsigned long long)check.wrong, (unsigned long long)check.elements, check.first_message);
  totals->compared += check.compared;
  totals->uncertain += check.uncertain;
  totals->wrong += check.wrong;
  if (check.worst > totals->worst) totals->worst = check.worst;
}

static ExitStatus report_totals(const CheckTotals *totals) {
  printf("check: %s, %llu elements compared, worst error %.3g of its bound",
         totals->wrong ? "FAILED" : "passed", (unsigned long long)totals->compared, totals->worst);
  if (totals->uncertain) printf(", %llu uncertain ones skipped", (unsigned long long)totals->uncertain);
  printf("\n");
  return totals->wrong ? EXIT_DIAGNOSED : EXIT_DONE;
}

ExitStatus run_evaluate(const Run *run, const int64_t grid[3], const BoundArgs *bound, Reference **result) {
  Reference *reference = ARENA_NEW(run->arena, Reference);
  compilation_init(&reference->c);
  reference->memory = eval_memory_new(run->arena);
  reference->bases = ARENA_ARRAY(run->arena, uint64_t, run->param_count);
  tilec_status status = elaborate_reference(run, bound, &reference->c);
  if (status == TILEC_OK) status = evaluate(run, reference, grid, bound);
  *result = reference;
  // Warnings too: races, results that hang on an order.
  return tool_report(run->options, &reference->c, status);
}

ExitStatus run_compare(const Run *run, const Reference *reference) {
  CheckTotals totals = {0};
  for (uint32_t i = 0; i < run->param_count; i++)
    if (run->params[i].buffer == &run->params[i])
      compare_buffer(reference->memory, reference->bases[i], &run->params[i], &totals);
  return report_totals(&totals);
}

void run_reference_free(Reference *reference) {
  if (reference) compilation_free(&reference->c);
}

ExitStatus run_check(const Run *run, const int64_t grid[3], const BoundArgs *bound) {
  Reference *reference;
  ExitStatus result = run_evaluate(run, grid, bound, &reference);
  if (result == EXIT_DONE) result = run_compare(run, reference);
  run_reference_free(reference);
  return result;
}
