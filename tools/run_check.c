// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --check: the kernel as elaborated runs on the reference evaluator, from the same data, and every buffer is
// compared.
#include "tools/run.h"

#include <stdio.h>

typedef struct CheckTotals {
  uint64_t compared, uncertain, wrong;
  double worst;
} CheckTotals;

// A second compilation of the same source for the same specialisation: the first one's tile IR has been
// through the passes.
static tilec_status elaborate_again(const Run *run, Compilation *c) {
  Run again = *run;
  again.c = c;
  tilec_status status =
      compile_parse(c, tool_source_name(run->options->file), run->c->sources.files.at[run->c->file].text);
  if (status == TILEC_OK) status = tool_spec(run->options, c, &again.spec);
  for (uint32_t i = 0; status == TILEC_OK && i < run->defines.n; i++)
    status = compile_define(c, run->defines.at[i], &again.spec);
  if (status != TILEC_OK) return status;
  again.spec.target = run->spec.target;
  run_specialise(&again);
  return compile_elaborate(c, &again.spec);
}

static tilec_status evaluate(const Run *run, Compilation *c, const int64_t grid[3], const uint64_t *bits,
                             EvalMemory *memory) {
  Func *func = c->module->funcs.at[0];
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, func->param_count);
  for (uint32_t i = 0; i < func->param_count; i++) args[i].bits = bits[i];
  for (uint32_t i = 0; i < run->param_count; i++) {
    const RunParam *param = &run->params[i];
    if (param->buffer == param)
      eval_memory_add(memory, param->base, param->value.data, param->value.bytes, param->value.initialised);
  }
  const uint32_t sizes[3] = {(uint32_t)grid[0], (uint32_t)grid[1], (uint32_t)grid[2]};
  return eval_launch(func, sizes, args, memory, NULL) ? TILEC_OK : TILEC_ERROR_COMPILE;
}

static void compare(const EvalMemory *memory, const RunParam *param, CheckTotals *totals) {
  EvalCheck check;
  if (!eval_check(memory, param->base, param->result, param->value.elem, &check))
    tool_error("check of '%s' failed: %llu of %llu elements differ; %s", param->name,
               (unsigned long long)check.wrong, (unsigned long long)check.elements, check.first_message);
  totals->compared += check.compared;
  totals->uncertain += check.uncertain;
  totals->wrong += check.wrong;
  if (check.worst > totals->worst) totals->worst = check.worst;
}

static ExitStatus report(const CheckTotals *totals) {
  printf("check: %s, %llu elements compared, worst error %.3g of its bound",
         totals->wrong ? "FAILED" : "passed", (unsigned long long)totals->compared, totals->worst);
  if (totals->uncertain) printf(", %llu uncertain ones skipped", (unsigned long long)totals->uncertain);
  printf("\n");
  return totals->wrong ? EXIT_DIAGNOSED : EXIT_DONE;
}

ExitStatus run_check(const Run *run, const int64_t grid[3], const uint64_t *bits) {
  Compilation c;
  compilation_init(&c);
  EvalMemory *memory = eval_memory_new(run->arena);
  CheckTotals totals = {0};
  tilec_status status = elaborate_again(run, &c);
  if (status == TILEC_OK) status = evaluate(run, &c, grid, bits, memory);
  for (uint32_t i = 0; status == TILEC_OK && i < run->param_count; i++)
    if (run->params[i].buffer == &run->params[i]) compare(memory, &run->params[i], &totals);
  ExitStatus result = status == TILEC_OK ? report(&totals) : tool_report(run->options, &c, status);
  compilation_free(&c);
  return result;
}
