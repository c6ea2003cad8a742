// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec run FILE.ptx: runs any PTX with its arguments in order. A number without a point is an integer of the
// parameter's size. One with a point is an fp32. The user gives the grid and the CTA size.
#include "tools/run/run.h"

#include "ir/number.h"
#include "runtime/compile/assemble.h"
#include "runtime/compile/spills.h"

static uint64_t argument_bits(const Run *run, const RunArg *param) {
  const Argument *value = &param->value;
  if (param->buffer) return param->address;
  if (value->kind == ARGUMENT_TUPLE) return run_struct_bits(run, param);
  if (value->kind == ARGUMENT_FLOAT) return number_encode(ELEM_FP32, value->f);
  return (uint64_t)value->i; // little-endian: the low bytes serve narrower parameters
}

bool run_ptx_image(const Run *run, KernelImage *image) {
  const Options *o = run->options;
  if (o->grid_text)
    return tool_error("[T1001] --grid of a PTX file takes numbers, not '%s'", o->grid_text), false;
  if (o->check) return tool_error("[T1006] --check needs a kernel's source: PTX has no reference"), false;
  sources_add(&run->c->sources, tool_source_name(o->file), run->text);
  Buf params = {0};
  const char *entry = run_chosen_entry(run, &params);
  bool launchable = entry && o->grid_given && o->threads[0];
  if (entry && !launchable)
    tool_error("[T1001] '%s' needs --grid X[,Y[,Z]] and --threads T[,Y[,Z]]; its parameters are: %s", entry,
               params.at);
  buf_free(&params);
  if (!launchable) return false;
  *image = (KernelImage){.name = entry, .ptx = run->text, .shared_bytes = o->shared_bytes};
  memcpy(image->threads, o->threads, sizeof image->threads);
  for (uint32_t i = 0; i < run->param_count; i++)
    if (run->params[i].value.kind == ARGUMENT_TUPLE) {
      if (image->by_value.n == MAX_BY_VALUE)
        return tool_error("[T1003] more than %d tuples", MAX_BY_VALUE), false;
      image->by_value.at[image->by_value.n++] = (uint16_t)i;
    }
  return true;
}

// The number after `at` and blanks. *at moves past it.
static uint32_t number_at(Str text, size_t *at) {
  uint32_t number = 0;
  while (*at < text.n && (text.at[*at] == ' ' || text.at[*at] == '\t')) ++*at;
  for (; *at < text.n && text.at[*at] >= '0' && text.at[*at] <= '9'; ++*at)
    number = 10 * number + (uint32_t)(text.at[*at] - '0');
  return number;
}

// Line `line` of the PTX, without leading blanks.
static Str ptx_line(Str ptx, uint32_t line) {
  size_t from = 0;
  for (; line > 1 && from < ptx.n; from++) line -= ptx.at[from] == '\n';
  while (from < ptx.n && (ptx.at[from] == ' ' || ptx.at[from] == '\t')) from++;
  size_t to = from;
  while (to < ptx.n && ptx.at[to] != '\n') to++;
  return (Str){ptx.at + from, to - from};
}

// The source location of a PTX line: the last .loc before it, as codegen writes it. Line 0: not known.
static Loc source_of_ptx(Run *run, Str ptx, uint32_t line) {
  Loc loc = LOC_NONE;
  for (; line > 0 && !loc.line; line--) {
    Str text = ptx_line(ptx, line);
    size_t at = strlen(".loc");
    if (!str_starts(text, ".loc")) continue;
    (void)number_at(text, &at); // the file number; with kernels from several files, the file that has such a
                                // line
    loc.line = number_at(text, &at);
    loc.col = (uint16_t)number_at(text, &at);
    const char *length = memchr(text.at, '+', text.n);
    if (length) at = (size_t)(length + 1 - text.at), loc.len = (uint16_t)number_at(text, &at);
  }
  if (loc.line)
    loc.file = sources_with_line(&run->c->sources, tool_source_name(run->options->file), loc.line);
  return loc;
}

// Reports compiled code that the simulator rejects. Only the user's inline assembly can be the cause.
static tilec_status refuse_instruction(Run *run, const KernelImage *image, const tilec_sim *sim,
                                       uint32_t line, uint32_t column) {
  const char *text = strstr(tilec_sim_message(sim), ": ");
  Loc loc = source_of_ptx(run, image->ptx, line);
  if (!loc.line || !text) return TILEC_ERROR_NOT_SUPPORTED;
  Str whole = ptx_line(image->ptx, line);
  const char *start = image->ptx.at, *end = whole.at + whole.n;
  while (line > 1 && start < end) line -= *start++ == '\n';
  start += column ? column - 1 : 0;
  int n = 0;
  while (start + n < end && start[n] != ';' && n < 100) n++;
  diag_error(&run->c->diags, loc, "[T1403] the simulator does not run the instruction '%.*s': %s", n, start,
             text + strlen(": "));
  return TILEC_ERROR_COMPILE;
}

tilec_status run_load(Run *run, const KernelImage *image, DeviceKernel *kernel) {
  tilec_status status = cubin_load(run->device, image, kernel);
  const tilec_sim *sim = device_simulator(run->device);
  uint32_t line = 0, column = 0;
  if (status != TILEC_OK && sim) tilec_sim_load_place(sim, &line, &column);
  if (status == TILEC_OK) spills_warn_loaded(&run->c->diags, image->func, image->name, kernel);
  bool is_ptx = options_file_is_ptx(run->options);
  if (status == TILEC_OK && is_ptx && !run_structs_fit(run, kernel)) {
    device_unload(kernel);
    return TILEC_ERROR_COMPILE;
  }
  if (!line) return status;
  if (!is_ptx) {
    tilec_status refused = refuse_instruction(run, image, sim, line, column);
    return refused == TILEC_ERROR_COMPILE ? refused : status;
  }
  const char *text = strstr(tilec_sim_message(sim), ": ");
  uint16_t file = sources_named(&run->c->sources, tool_source_name(run->options->file));
  Loc loc = {.line = line, .col = column > UINT16_MAX ? UINT16_MAX : (uint16_t)column, .file = file};
  Diag *diag =
      diag_error(&run->c->diags, loc, "[T1403] %s", text ? text + strlen(": ") : tilec_sim_message(sim));
  if (text && str_starts(str_from(text), ": unknown instruction"))
    diag_note(
        &run->c->diags, diag, LOC_NONE,
        "the simulator runs a part of PTX: kernels of this file without such instructions can be run, and "
        "--device cuda runs all");
  return TILEC_ERROR_COMPILE;
}

void run_ptx_bits(const Run *run, uint64_t *bits) {
  for (uint32_t i = 0; i < run->param_count; i++) bits[i] = argument_bits(run, &run->params[i]);
}

ExitStatus run_ptx(Run *run, tilec_buffer **buffers) {
  const Options *o = run->options;
  KernelImage image;
  if (!run->device->needs_ptx)
    return tool_error("[T1006] PTX runs on sim and cuda, not on %s", run->device->name);
  if (!run_ptx_image(run, &image)) return EXIT_DIAGNOSED;
  uint64_t *bits = ARENA_ARRAY(run->arena, uint64_t, run->param_count);
  run_ptx_bits(run, bits);
  ExitStatus result = run_launch(run, &image, o->grid, bits, buffers);
  return run_outputs(run, result == EXIT_DONE ? run_judge(run, EXIT_DONE) : result);
}
