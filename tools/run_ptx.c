// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec run FILE.ptx: any PTX, its arguments in order. A number without a point is an integer of the
// parameter's size, one with a point an fp32; the grid and the block are the caller's.
#include "tools/run.h"

#include "ir/number.h"
#include "runtime/cubin.h"
#include "runtime/spills.h"

static uint64_t argument_bits(const RunArg *param) {
  const Argument *value = &param->value;
  if (param->buffer) return param->address;
  if (value->kind == ARGUMENT_FLOAT) return number_encode(ELEM_FP32, value->f);
  return (uint64_t)value->i; // little-endian: the low bytes serve narrower parameters
}

bool run_ptx_image(const Run *run, KernelImage *image) {
  const Options *o = run->options;
  if (o->grid_text) return tool_error("--grid of a PTX file takes numbers, not '%s'", o->grid_text), false;
  if (!o->kernel || !o->grid_given || !o->threads[0])
    return tool_error("running PTX needs --kernel NAME, --grid X[,Y[,Z]] and --threads T[,Y[,Z]]"), false;
  if (o->check) return tool_error("--check needs a kernel's source: PTX has no reference"), false;
  sources_add(&run->c->sources, tool_source_name(o->file), run->text);
  *image = (KernelImage){.name = o->kernel, .ptx = run->text, .shared_bytes = o->shared_bytes};
  memcpy(image->threads, o->threads, sizeof image->threads);
  return true;
}

tilec_status run_load(Run *run, const KernelImage *image, DeviceKernel *kernel) {
  tilec_status status = cubin_load(run->device, image, kernel);
  const tilec_sim *sim = device_simulator(run->device);
  uint32_t line = 0, column = 0;
  if (status != TILEC_OK && sim && options_file_is_ptx(run->options)) tilec_sim_load_place(sim, &line, &column);
  if (status == TILEC_OK) spills_warn_loaded(&run->c->diags, image->func, image->name, kernel);
  if (!line) return status;
  const char *text = strstr(tilec_sim_message(sim), ": ");
  uint16_t file = sources_named(&run->c->sources, tool_source_name(run->options->file));
  Loc loc = {.line = line, .col = column > UINT16_MAX ? UINT16_MAX : (uint16_t)column, .file = file};
  diag_error(&run->c->diags, loc, "%s", text ? text + strlen(": ") : tilec_sim_message(sim));
  return TILEC_ERROR_COMPILE;
}

void run_ptx_bits(const Run *run, uint64_t *bits) {
  for (uint32_t i = 0; i < run->param_count; i++) bits[i] = argument_bits(&run->params[i]);
}

ExitStatus run_ptx(Run *run, tilec_buffer **buffers) {
  const Options *o = run->options;
  KernelImage image;
  if (!run->device->needs_ptx) return tool_error("PTX runs on sim and cuda, not on %s", run->device->name);
  if (!run_ptx_image(run, &image)) return EXIT_DIAGNOSED;
  uint64_t *bits = ARENA_ARRAY(run->arena, uint64_t, run->param_count);
  run_ptx_bits(run, bits);
  ExitStatus result = run_launch(run, &image, o->grid, bits, buffers);
  return run_outputs(run, result == EXIT_DONE ? run_judge(run, EXIT_DONE) : result);
}
