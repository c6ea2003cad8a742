// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec run FILE.ptx: runs any PTX with its arguments in order. A number without a point is an integer of the
// parameter's size. One with a point is an fp32, or an fp64 for a parameter of type .f64. The user gives the grid and
// the CTA size.
#include "tools/run/run.h"

#include "base/demangle.h"
#include "ir/number.h"
#include "runtime/compile/assemble.h"
#include "runtime/compile/spills.h"
#include "runtime/device/ptx_place.h"

static uint64_t argument_bits(const Run *run, const RunArg *param) {
  const Argument *value = &param->value;
  if (param->buffer) return run_address(run, param);
  if (value->is_device) return run->ordinal;
  if (value->multicast) return param->address;
  if (value->kind == ARGUMENT_TUPLE) return run_struct_bits(run, param);
  if (param->typed && value->kind == ARGUMENT_INT)
    return number_encode(param->elem, value->is_u64 ? (double)(uint64_t)value->i : (double)value->i);
  if (value->kind == ARGUMENT_FLOAT) return number_encode(param->typed ? param->elem : ELEM_FP32, value->f);
  return (uint64_t)value->i; // little-endian: the low bytes serve narrower parameters
}

// Gives numbers the type of their parameters, if that is a floating-point one. `types`: "pointer, u32, f32". False
// after reporting a number with a point for an integer.
static bool take_types(const Run *run, const char *types) {
  for (uint32_t i = 0; i < run->param_count && *types; i++) {
    RunArg *param = &run->params[i];
    size_t n = strcspn(types, ",");
    Str type = {types, n};
    types += types[n] ? n + strlen(", ") : n;
    if (str_is(type, "f32") || str_is(type, "f64"))
      param->typed = true, param->elem = str_is(type, "f32") ? ELEM_FP32 : ELEM_FP64;
    else if (param->value.kind == ARGUMENT_FLOAT && type.n && strchr("us", *type.at))
      return tool_error("[T1003] argument %u is a number with a point, and the kernel's parameter is an "
                        "integer (%.*s): leave the point out",
                        i, STR_ARG(type)),
             false;
  }
  return true;
}

static const char *next_type(const char *types) {
  const char *comma = strchr(types, ',');
  return comma ? comma + strlen(", ") : NULL;
}

// Reports what a launch of the entry needs, and its parameters: "x: pointer, n: u32", with the source's names if it is there.
static bool wrong_launch(Run *run, const char *entry, const char *types, uint32_t count) {
  const Options *o = run->options;
  uint32_t given = run->param_count;
  Buf text = {0}, name = {0};
  demangle(str_from(entry), &name);
  run->param_count = count; // of which there are names
  run_read_source(run, entry);
  run->param_count = given;
  for (uint32_t i = 0; i < count; i++, types = next_type(types))
    buf_printf(&text, "%s%s%s%.*s", i ? ", " : "", run->source_names ? run->source_names[i] : "",
               run->source_names ? ": " : "", (int)strcspn(types, ","), types);
  if (!count) buf_text(&text, "none");
  if (strstr(text.at, "struct of"))
    buf_text(&text, "; give a struct's members in brackets, as in '(zeros:fp32[100],100,2.0)'");
  bool needs_both = !o->grid_given && !o->threads[0];
  if (o->grid_given && o->threads[0])
    tool_error("[T1001] '%s' takes %u argument%s, not %u; its parameters are: %s", name.at, count,
               count == 1 ? "" : "s", given, text.at);
  else
    tool_error("[T1001] '%s' needs %s%s%s; its parameters are: %s", name.at,
               o->grid_given ? "" : "--grid X[,Y[,Z]]", needs_both ? " and " : "",
               o->threads[0] ? "" : "--threads T[,Y[,Z]]", text.at);
  buf_free(&text);
  buf_free(&name);
  return false;
}

bool run_ptx_image(Run *run, KernelImage *image) {
  const Options *o = run->options;
  if (o->grid_text)
    return tool_error("[T1001] --grid of a PTX file takes numbers, not '%s'", o->grid_text), false;
  if (o->check) return tool_error("[T1006] --check needs a kernel's source: PTX has no reference"), false;
  sources_add(&run->c->sources, tool_source_name(o->file), run->text);
  Buf params = {0};
  const char *entry = run_chosen_entry(run, &params);
  uint32_t count = 0;
  if (entry && strcmp(params.at, "no parameters") != 0)
    for (const char *type = params.at; type; type = next_type(type)) count++;
  bool launchable = entry && o->grid_given && o->threads[0] && count == run->param_count;
  if (entry && !launchable) wrong_launch(run, entry, params.at, count);
  launchable = launchable && take_types(run, params.at);
  buf_free(&params);
  if (!launchable) return false;
  run_read_source(run, entry);
  if (!run_check_outputs(run) || !run_load_expectations(run))
    return false; // they may give the source's names
  *image = (KernelImage){.name = entry, .ptx = run->text, .shared_bytes = o->shared_bytes};
  memcpy(image->threads, o->threads, sizeof image->threads);
  for (uint32_t i = 0; i < run->param_count; i++)
    if (run->params[i].value.kind == ARGUMENT_TUPLE || run->params[i].value.descriptor) {
      if (image->by_value.n == MAX_BY_VALUE)
        return tool_error("[T1003] more than %d tuples and tensor maps", MAX_BY_VALUE), false;
      image->by_value.at[image->by_value.n++] = (uint16_t)i;
    }
  return true;
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
  if (status == TILEC_OK && is_ptx) run_warn_padding(run, image);
  if (!line) return status;
  if (!is_ptx) {
    bool refused = ptx_refuse(&run->c->diags, image->ptx, tilec_sim_message(sim), line, column);
    return refused ? TILEC_ERROR_COMPILE : status;
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

bool run_ptx_bits(const Run *run, uint64_t *bits) {
  for (uint32_t i = 0; i < run->param_count; i++) {
    const RunArg *param = &run->params[i];
    const char *why = NULL;
    bits[i] = param->value.descriptor ? run_map_bits(run, param, &why) : argument_bits(run, param);
    if (why) return tool_error("[T1003] argument %u: the tensor map cannot be made: %s", i, why), false;
  }
  return true;
}

ExitStatus run_ptx(Run *run, tilec_buffer **buffers) {
  const Options *o = run->options;
  KernelImage image;
  if (!run->device->needs_ptx)
    return tool_error("[T1006] PTX runs on sim and cuda, not on %s", run->device->name);
  if (!run_ptx_image(run, &image)) return EXIT_DIAGNOSED;
  uint64_t *bits = ARENA_ARRAY(run->arena, uint64_t, run->param_count);
  if (!run_ptx_bits(run, bits)) return EXIT_DIAGNOSED;
  ExitStatus result = run_launch(run, &image, o->grid, bits, buffers);
  return run_outputs(run, result == EXIT_DONE ? run_judge(run, EXIT_DONE) : result);
}
