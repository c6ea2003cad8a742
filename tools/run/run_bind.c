// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds a run's arguments in the runtime's form, with addresses and the grid.
#include "base/integer.h"
#include "runtime/launch/expand.h"
#include "tools/run/ask.h"
#include "tools/run/run.h"

static tilec_arg launch_arg(const Run *run, const RunArg *arg);

static tilec_arg tuple_arg(const Run *run, const RunArg *arg) {
  tilec_arg *items = ARENA_ARRAY(run->arena, tilec_arg, arg->item_count);
  const char **names = ARENA_ARRAY(run->arena, const char *, arg->item_count);
  tilec_tuple *tuple = ARENA_NEW(run->arena, tilec_tuple);
  for (uint32_t i = 0; i < arg->item_count; i++) {
    items[i] = launch_arg(run, &arg->items[i]);
    names[i] = arg->items[i].field;
  }
  *tuple = (tilec_tuple)TILEC_TUPLE_INIT;
  tuple->items = items;
  tuple->count = arg->item_count;
  tuple->names = arg->item_count && names[0] ? names : NULL;
  return tilec_arg_tuple(tuple);
}

static tilec_arg buffer_arg(const Run *run, const RunArg *arg) {
  return tilec_arg_pointer((tilec_dtype)arg->buffer->value.elem, run_address(run, arg));
}

static tilec_arg descriptor_arg(const Run *run, const RunArg *arg) {
  const TensorBlock *block = arg->value.descriptor;
  tilec_descriptor *d = ARENA_NEW(run->arena, tilec_descriptor);
  *d = (tilec_descriptor)TILEC_DESCRIPTOR_INIT;
  d->base = buffer_arg(run, arg);
  d->rank = block->rank;
  d->padding = (tilec_padding)((block->pads_nan ? TILEC_PADDING_NAN : TILEC_PADDING_ZERO) |
                               (block->rounds_tf32 ? TILEC_PADDING_ZERO_TF32 : 0));
  for (uint32_t i = 0; i < block->rank; i++) {
    d->block[i] = block->block[i];
    d->shape[i] = block->shape[i];
    d->strides[i] = block->strides[i];
  }
  return tilec_arg_descriptor(d);
}

static tilec_arg launch_arg(const Run *run, const RunArg *arg) {
  if (!arg->given) return tilec_arg_default();
  if (arg->buffer && arg->value.descriptor) return descriptor_arg(run, arg);
  if (arg->buffer) return buffer_arg(run, arg);
  const Argument *value = &arg->value;
  if (value->is_device) return tilec_arg_int(run->ordinal);
  if (value->multicast) return tilec_arg_int((int64_t)arg->address);
  if (value->kind == ARGUMENT_TUPLE) return tuple_arg(run, arg);
  if (value->kind == ARGUMENT_CONSTEXPR) return tilec_arg_constexpr(value->text);
  if (value->kind == ARGUMENT_NONE) return tilec_arg_none();
  if (value->kind == ARGUMENT_BOOL) return tilec_arg_bool((int)value->i);
  if (value->kind == ARGUMENT_FLOAT) return tilec_arg_float(value->f);
  return value->is_u64 ? tilec_arg_uint((uint64_t)value->i) : tilec_arg_int(value->i);
}

// Checks the facts that a .tir file's code was compiled with.
static bool facts_hold(const Run *run, const BoundArgs *bound) {
  const Func *func = run->c->module->funcs.at[0];
  for (uint32_t i = 0; i < run->param_count; i++) {
    const ParamFacts *needed = &func->params[i].facts;
    uint8_t known = bound->key[KEY_BYTES * i + 1];
    const char *fact = needed->divisible16 && !(known & KEY_DIVISIBLE) ? "divisible by 16"
                       : needed->equal1 && !(known & KEY_ONE)          ? "1"
                       : needed->none && !(known & KEY_NONE)           ? "None"
                                                                       : NULL;
    if (fact)
      return tool_error("[T1003] argument '%s' is not %s, for which '%s' was specialised",
                        run->params[i].name, fact, run->options->file),
             false;
  }
  return true;
}

static const char nobody[] = "the kernel"; // whom bind_args speaks of: the place says it

// True if an argument is, or may become, several of the kernel's parameters.
static bool is_wide(const RunArg *arg) {
  return arg->param.wide || arg->value.kind == ARGUMENT_TUPLE || arg->value.kind == ARGUMENT_CONSTEXPR ||
         arg->value.descriptor || (!arg->given && arg->param.default_is_tuple);
}

tilec_arg *run_launch_args(const Run *run) {
  tilec_arg *args = ARENA_ARRAY(run->arena, tilec_arg, run->param_count + 1);
  for (uint32_t i = 0; i < run->param_count; i++) args[i] = launch_arg(run, &run->params[i]);
  return args;
}

bool run_bind(Run *run, BoundArgs *bound) {
  uint32_t n = run->param_count;
  RunParam *params = ARENA_ARRAY(run->arena, RunParam, n);
  tilec_arg *args = run_launch_args(run);
  bool wide = false;
  for (uint32_t i = 0; i < n; i++) {
    params[i] = run->params[i].param;
    if (run->params[i].value.is_device) params[i].no_facts |= KEY_DIVISIBLE | KEY_ONE; // for any device
    wide |= is_wide(&run->params[i]);
  }
  tilec_status status = wide ? bind_wide(nobody, params, n, args, n, bound, ARENA_NEW(run->arena, Expanded))
                             : bind_args(nobody, params, n, args, n, bound);
  if (status != TILEC_OK) {
    const char *text = tilec_last_error();
    const RunArg *param = bound->count < n ? &run->params[bound->count] : NULL;
    if (!param || !str_starts(str_from(text), nobody)) return tool_error("[T1003] %s", text), false;
    text += strlen(nobody) + strlen(": ");
    return run_refuse(run, param, arena_printf(run->arena, "[T1003] %s", text));
  }
  run->bit_count = bound->count;
  return !run->c->is_tir || facts_hold(run, bound);
}

void run_specialise(Run *run, const BoundArgs *bound) {
  if (run->c->is_tir) return;
  RunParam *params = ARENA_ARRAY(run->arena, RunParam, run->param_count);
  for (uint32_t i = 0; i < run->param_count; i++) params[i] = run->params[i].param;
  bound_spec(&run->c->ir, params, run->param_count, bound, &run->spec);
}

void run_fill_table(const Run *run, const RunArg *table) {
  const Argument *value = &table->value;
  for (uint64_t i = 0; value->pointees && i < value->elements; i++) {
    const Pointee *pointee = &value->pointees[i];
    const RunArg *holder = pointee->name ? run_find_holder(run, pointee->name) : NULL;
    uint64_t address = 0;
    if (holder)
      address = run_device_copy(run, holder->buffer, pointee->device)->base + holder->value.offset +
                pointee->offset;
    memcpy(value->data + i * sizeof address, &address, sizeof address);
  }
}

// Assigns addresses as a device would. No memory is allocated.
void run_lay_out_buffers(Run *run) {
  const uint64_t apart = UINT64_C(1) << 21;
  uint64_t next = UINT64_C(1) << 32;
  for (uint32_t i = 0; i < run->holder_count; i++) {
    RunArg *param = &run->params[i];
    if (param->buffer != param) continue;
    param->base = next;
    next = round_up(next + param->value.bytes + 1, apart);
  }
  for (uint32_t i = 0; i < run->holder_count; i++)
    if (run->params[i].buffer)
      run->params[i].address = run->params[i].buffer->base + run->params[i].value.offset;
  for (uint32_t i = 0; i < run->device_holders; i++)
    if (run->params[i].value.multicast)
      run->params[i].address = next + run->params[i].value.offset, next += apart;
}

bool run_ask_grid(Run *run, const char *name) {
  Compilation *c = run->c;
  const KernelInfo *kernel = c->is_tir ? NULL : frontend_chosen(&c->ir, c->syntax, &run->spec);
  if (!kernel)
    return tool_error(
               "[T1001] kernel '%s' has no @grid; give --grid X[,Y[,Z]], how many programs run: --grid 16",
               name),
           false;
  ask_grid(run->options, c, kernel, run_given(run));
  return tool_report(run->options, c, TILEC_ERROR_COMPILE), false;
}

// The grid as given, or as the kernel computes it.
bool run_grid(Run *run, Func *func, const uint64_t *bits, int64_t grid[3]) {
  if (run->options->grid_given) {
    memcpy(grid, run->options->grid, 3 * sizeof *grid);
    return true;
  }
  if (run->options->grid_text && run->c->is_tir)
    return tool_error("[T1001] --grid of a .tir file takes numbers: '%s' has no names", run->options->file),
           false;
  if (!func_host(func, HOST_GRID, NULL)) return run_ask_grid(run, func->name);
  EvalArg *args = ARENA_ARRAY(run->arena, EvalArg, run->bit_count);
  for (uint32_t i = 0; i < run->bit_count; i++) args[i].bits = bits[i];
  uint32_t sizes[3];
  if (!eval_grid(func, args, sizes)) return tool_report(run->options, run->c, TILEC_ERROR_COMPILE), false;
  for (int i = 0; i < 3; i++) grid[i] = sizes[i];
  return true;
}
