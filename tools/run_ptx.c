// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec run FILE.ptx: any PTX, its arguments in order. A number without a point is an integer of the
// parameter's size, one with a point an fp32; the grid and the block are the caller's.
#include "tools/run.h"

#include "ir/number.h"

static uint64_t argument_bits(const RunArg *param) {
  const Argument *value = &param->value;
  if (param->buffer) return param->address;
  if (value->kind == ARGUMENT_FLOAT) return number_encode(ELEM_FP32, value->f);
  return (uint64_t)value->i; // little-endian: the low bytes serve narrower parameters
}

bool run_ptx_image(const Run *run, KernelImage *image) {
  const Options *o = run->options;
  if (!o->kernel || !o->grid_given || !o->threads[0])
    return tool_error("running PTX needs --kernel NAME, --grid X[,Y[,Z]] and --threads T[,Y[,Z]]"), false;
  if (o->check) return tool_error("--check needs a kernel's source: PTX has no reference"), false;
  *image = (KernelImage){.name = o->kernel, .ptx = run->text, .shared_bytes = o->shared_bytes};
  memcpy(image->threads, o->threads, sizeof image->threads);
  return true;
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
