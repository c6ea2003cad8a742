// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports a launch's errors in the terms of the command line: names and shapes of its arguments.
#include "tools/run/run.h"

BufferName run_buffer_name(const RunArg *param) {
  BufferName name = {.name = param->name,
                     .address = param->base,
                     .bytes = param->value.bytes,
                     .elem = param->value.elem,
                     .rank = param->value.rank};
  for (uint32_t d = 0; d < name.rank; d++) name.shape[d] = param->value.shape[d];
  return name;
}

ReportContext run_report_context(const Run *run) {
  BufferName *names = ARENA_ARRAY(run->arena, BufferName, run->holder_count);
  ReportContext context = {
      .diags = &run->c->diags, .names = names, .args = run->bits, .verbose = run->options->verbose};
  context.devices = run->options->devices;
  if (run->bits) context.arg_count = run->bit_count;
  if (options_file_is_ptx(run->options)) context.ptx_file = tool_source_name(run->options->file);
  context.no_shared = context.ptx_file && !run->options->shared_bytes;
  for (uint32_t i = 0; i < run->holder_count; i++)
    if (run->params[i].buffer == &run->params[i]) {
      BufferName name = run_buffer_name(&run->params[i]);
      if (context.ptx_file) name.name = run_source_name(run, name.name);
      names[context.name_count++] = name;
    }
  return context;
}

bool run_no_buffer(const Run *run, const char *option, const char *text, Str name) {
  const char **names = ARENA_ARRAY(run->arena, const char *, run->holder_count);
  size_t n = 0;
  for (uint32_t i = 0; i < run->holder_count; i++)
    if (run->params[i].buffer) names[n++] = run_source_name(run, run->params[i].name);
  Buf list = {0};
  if (n)
    buf_text(&list, options_file_is_ptx(run->options) && !run->source_names
                        ? "; buffers of PTX have numbers: "
                        : "; the buffers are ");
  diag_list_names(name, names, n, &list);
  tool_error("[T1006] %s %s: there is no buffer '%.*s'%s", option, text, STR_ARG(name),
             list.at ? list.at : "");
  buf_free(&list);
  return false;
}

void run_note_hint(Run *run) {
  Diags *diags = &run->c->diags;
  if (run->ptx_hint && diags->errors)
    diag_note(diags, diags->list.at[diags->list.n - 1], LOC_NONE, "%s", run->ptx_hint);
}

// True if the mistake belongs to an op, so that the evaluator finds it too.
static bool is_of_op(tilec_sim_report_kind kind) {
  return kind == TILEC_SIM_OUT_OF_BOUNDS || kind == TILEC_SIM_MISALIGNED || kind == TILEC_SIM_READ_ONLY ||
         kind == TILEC_SIM_ASSERT || kind == TILEC_SIM_TRAP;
}

ExitStatus run_launch_failed(Run *run, const int64_t grid[3], tilec_status status) {
  const tilec_sim *sim = device_simulator(run->device);
  size_t count = sim && status == TILEC_ERROR_LAUNCH ? tilec_sim_report_count(sim) : 0;
  ReportContext context = run_report_context(run);
  bool of_op = false;
  for (size_t i = 0; i < count; i++) {
    SimFinding finding = report_finding(&context, tilec_sim_report_at(sim, i));
    report_diagnose(&context, &finding);
    of_op |= is_of_op(finding.report.kind);
  }
  run_note_hint(run);
  if (status != TILEC_ERROR_LAUNCH || !run->c->diags.errors) return run_failed(run, status);
  if (of_op) run_explain_fault(run, grid);
  tool_report(run->options, run->c, TILEC_ERROR_COMPILE);
  return EXIT_DIAGNOSED;
}
