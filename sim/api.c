// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C API: simulators, modules and memory. Checks arguments and turns faults of base/ into results.
#include "sim/api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/demangle.h"
#include "base/fault.h"
#include "base/sized.h"
#include "base/text.h"
#include "sim/machine/chip.h"

static const uint64_t DEFAULT_BUDGET = (uint64_t)1 << 40;

tilec_sim_result sim_fail(tilec_sim *sim, tilec_sim_result result, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *message = text_make_list(format, args);
  va_end(args);
  text_free(sim->message);
  sim->message = message;
  return result;
}

tilec_sim_result tilec_sim_create(const tilec_sim_options *options, tilec_sim **sim) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  *sim = NULL;
  tilec_sim_options chosen = TILEC_SIM_OPTIONS_INIT;
  if (options && !sized_take(&chosen, sizeof chosen, options)) return TILEC_SIM_ERROR_INVALID;
  if (chosen.threads == 0 || chosen.threads > 1024 || (unsigned)chosen.schedule > TILEC_SIM_EARLY_DOWN ||
      !(chosen.timeout >= 0))
    return TILEC_SIM_ERROR_INVALID;
  if (chosen.instruction_budget == 0) chosen.instruction_budget = DEFAULT_BUDGET;
  if (chosen.multiprocessors == 0) chosen.multiprocessors = CHIP_MULTIPROCESSORS;
  tilec_sim *made = calloc(1, sizeof *made);
  if (!made) return TILEC_SIM_ERROR_MEMORY;
  made->options = chosen;
  *sim = made;
  return TILEC_SIM_OK;
}

tilec_sim_result tilec_sim_limit(tilec_sim *sim, uint64_t instruction_budget, double timeout, double spent,
                                 const int *cancel) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  if (!(timeout >= 0)) return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "a time limit cannot be negative");
  sim->options.instruction_budget = instruction_budget ? instruction_budget : DEFAULT_BUDGET;
  sim->options.timeout = timeout;
  sim->spent = spent;
  sim->options.cancel = cancel;
  return TILEC_SIM_OK;
}

tilec_sim_result tilec_sim_check(tilec_sim *sim, tilec_sim_schedule schedule, int checks) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  if ((unsigned)schedule > TILEC_SIM_EARLY_DOWN)
    return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "%d is not a schedule", (int)schedule);
  sim->options.schedule = schedule;
  sim->options.checks = checks;
  return TILEC_SIM_OK;
}

void tilec_sim_destroy(tilec_sim *sim) {
  if (!sim) return;
  for (tilec_sim_module *module = sim->modules, *next; module; module = next) {
    next = module->next;
    arena_free(&module->arena);
    free(module);
  }
  check_free(sim->checker);
  waits_free(sim->waits);
  memory_free_all(&sim->memory);
  free(sim->lines);
  free(sim->printed);
  text_free(sim->message);
  text_free(sim->report_text);
  free(sim);
}

const char *tilec_sim_message(const tilec_sim *sim) { return sim && sim->message ? sim->message : ""; }

// ---- modules ----

// Writes an initialiser's values, in order, to `to`. Nested braces count as one list.
static void fill_values(tilec_sim_module *module, const PtxVar *var, const PtxOperand *value,
                        unsigned char *to, uint64_t *at, uint32_t depth, PtxError *error) {
  uint32_t bytes = ptx_type_bytes(var->type);
  for (; value; value = value->next) {
    if (value->kind == OPERAND_VECTOR && depth < 8) {
      fill_values(module, var, value->items, to, at, depth + 1, error);
      continue;
    }
    uint64_t bits = value->value;
    if (value->kind == OPERAND_NAME) {
      const GlobalVar *found = NULL;
      for (uint32_t i = 0; i < module->globals.n; i++)
        if (str_eq(module->globals.at[i].var->name, value->name)) found = &module->globals.at[i];
      if (!found) ptx_error(error, value->pos, "'%.*s' has no address here", STR_ARG(value->name));
      bits = found ? found->address + (uint64_t)value->offset : 0;
    } else if (value->kind == OPERAND_VECTOR || value->kind == OPERAND_LIST) {
      ptx_error(error, value->pos, "malformed initial value");
    }
    if (bytes > sizeof bits) ptx_error(error, value->pos, "128-bit variables have no initial value here");
    if (error->pos.line) return;
    if (*at + bytes > var->bytes) {
      ptx_error(error, value->pos, "more initial values than '%.*s' has elements", STR_ARG(var->name));
      return;
    }
    memcpy(to + *at, &bits, bytes);
    *at += bytes;
  }
}

static bool place_globals(tilec_sim *sim, tilec_sim_module *module, PtxError *error) {
  for (const PtxVar *var = module->tree.vars.first; var; var = var->next) {
    if (var->space == SPACE_SHARED) continue;
    if (var->is_extern)
      ptx_error(error, var->pos, "'%.*s': variables of other modules are not supported", STR_ARG(var->name));
    GlobalVar global = {var, 0};
    if (error->pos.line ||
        !memory_map(&sim->memory, NULL, var->bytes, var->space == SPACE_CONST, &global.address))
      return false;
    memory_name(&sim->memory, global.address, str_from(demangled(&module->arena, var->name)));
    vec_push(&module->arena, &module->globals, global);
  }
  MemoryCache cache = {0};
  for (uint32_t i = 0; i < module->globals.n; i++) {
    const GlobalVar *global = &module->globals.at[i];
    const Allocation *allocation = memory_find(&sim->memory, &cache, global->address, 0);
    uint64_t at = 0;
    if (global->var->init)
      fill_values(module, global->var, global->var->init, allocation->host, &at, 0, error);
  }
  return error->pos.line == 0;
}

// A kernel with an error is refused when it is looked up: the others can be run.
static void add_kernel(tilec_sim_module *module, const PtxFunc *func) {
  PtxError error = {0};
  DecodeInput input = {&module->arena, &module->tree, module->globals.at, module->globals.n};
  tilec_sim_kernel *kernel = ARENA_NEW(&module->arena, tilec_sim_kernel);
  kernel->module = module;
  if (!decode_kernel(&input, func, &kernel->program, &error)) {
    vec_push(&module->arena, &module->refused, ((RefusedKernel){func->name, error}));
    return;
  }
  kernel->params = ARENA_ARRAY(&module->arena, tilec_sim_param, kernel->program.params.n);
  for (uint32_t i = 0; i < kernel->program.params.n; i++) {
    const PtxParam *param = &kernel->program.params.at[i];
    kernel->params[i] = (tilec_sim_param){param->name, param->offset, param->size, param->align};
  }
  vec_push(&module->arena, &module->kernels, kernel);
}

static void load_kernels(tilec_sim *sim, tilec_sim_module *module, Str text, PtxError *error) {
  char *copy = arena_copy(&module->arena, text);
  if (!ptx_parse(&module->arena, (Str){copy, text.n}, &module->tree, error)) return;
  if (!place_globals(sim, module, error)) return;
  for (const PtxFunc *func = module->tree.funcs; func; func = func->next)
    if (func->is_entry && func->has_body) add_kernel(module, func);
  if (!module->kernels.n && module->refused.n) *error = module->refused.at[0].error;
}

static void drop_module(tilec_sim *sim, tilec_sim_module *module) {
  for (uint32_t i = 0; i < module->globals.n; i++) memory_unmap(&sim->memory, module->globals.at[i].address);
  arena_free(&module->arena);
  free(module);
}

static tilec_sim_result refuse(tilec_sim *sim, const PtxError *error) {
  sim->load_error = error->pos;
  return sim_fail(sim, TILEC_SIM_ERROR_PTX, "%u:%u: %s", error->pos.line, error->pos.col, error->text);
}

tilec_sim_result tilec_sim_load(tilec_sim *sim, const char *ptx, size_t bytes, tilec_sim_module **module) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  if (!ptx || !module || bytes > UINT32_MAX / 2)
    return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "no text, or no module to fill");
  *module = NULL;
  tilec_sim_module *made = calloc(1, sizeof *made);
  if (!made) return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory");
  PtxError error = {0};
  FaultFrame frame;
  sim->load_error = error.pos;
  fault_enter(&frame);
  tilec_sim_result result = TILEC_SIM_OK;
  if (setjmp(frame.env) == 0)
    load_kernels(sim, made, (Str){ptx, bytes}, &error);
  else
    result = sim_fail(sim, frame.kind == FAULT_MEMORY ? TILEC_SIM_ERROR_MEMORY : TILEC_SIM_ERROR_INTERNAL,
                      "%s", frame.message);
  fault_leave(&frame);
  if (result == TILEC_SIM_OK && error.pos.line) result = refuse(sim, &error);
  if (result != TILEC_SIM_OK) {
    drop_module(sim, made);
    return result;
  }
  made->next = sim->modules;
  sim->modules = made;
  *module = made;
  return TILEC_SIM_OK;
}

void tilec_sim_load_place(const tilec_sim *sim, uint32_t *line, uint32_t *column) {
  *line = sim->load_error.line;
  *column = sim->load_error.col;
}

tilec_sim_result tilec_sim_unload(tilec_sim *sim, tilec_sim_module *module) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  if (!module) return TILEC_SIM_OK;
  tilec_sim_module **at = &sim->modules;
  while (*at && *at != module) at = &(*at)->next;
  if (!*at) return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "no such module is loaded");
  *at = module->next;
  if (sim->launched == module) sim_forget_places(sim);
  drop_module(sim, module);
  return TILEC_SIM_OK;
}

size_t tilec_sim_kernel_count(const tilec_sim_module *module) { return module->kernels.n; }

const tilec_sim_kernel *tilec_sim_kernel_at(const tilec_sim_module *module, size_t index) {
  return index < module->kernels.n ? module->kernels.at[index] : NULL;
}

tilec_sim_result tilec_sim_find(tilec_sim *sim, const tilec_sim_module *module, const char *name,
                                const tilec_sim_kernel **kernel) {
  if (!sim || !module || !name || !kernel) return TILEC_SIM_ERROR_INVALID;
  *kernel = NULL;
  for (uint32_t i = 0; i < module->kernels.n; i++)
    if (strcmp(module->kernels.at[i]->program.name, name) == 0) *kernel = module->kernels.at[i];
  if (*kernel) return TILEC_SIM_OK;
  for (uint32_t i = 0; i < module->refused.n; i++)
    if (str_is(module->refused.at[i].name, name)) return refuse(sim, &module->refused.at[i].error);
  enum { SHOWN = 3 };
  uint32_t n = module->kernels.n;
  const char *names[SHOWN] = {"", "", ""};
  for (uint32_t i = 0; i < n && i < SHOWN; i++) names[i] = module->kernels.at[i]->program.name;
  return sim_fail(sim, TILEC_SIM_ERROR_NOT_FOUND, "no kernel '%s'; the PTX has %s%s%s%s%s%s", name, names[0],
                  n > 1 ? ", " : "", names[1], n > 2 ? ", " : "", names[2], n > SHOWN ? " and others" : "");
}

const char *tilec_sim_kernel_name(const tilec_sim_kernel *kernel) { return kernel->program.name; }
size_t tilec_sim_param_count(const tilec_sim_kernel *kernel) { return kernel->program.params.n; }

const tilec_sim_param *tilec_sim_param_at(const tilec_sim_kernel *kernel, size_t index) {
  return index < kernel->program.params.n ? &kernel->params[index] : NULL;
}

void tilec_sim_required_threads(const tilec_sim_kernel *kernel, uint32_t threads[3]) {
  memcpy(threads, kernel->program.reqntid, sizeof kernel->program.reqntid);
}

void tilec_sim_max_threads(const tilec_sim_kernel *kernel, uint32_t threads[3]) {
  memcpy(threads, kernel->program.maxntid, sizeof kernel->program.maxntid);
}

uint32_t tilec_sim_shared_bytes(const tilec_sim_kernel *kernel) { return kernel->program.shared_bytes; }

uint32_t tilec_sim_multiprocessors(const tilec_sim *sim) { return sim->options.multiprocessors; }

// ---- memory ----

tilec_sim_result tilec_sim_alloc(tilec_sim *sim, size_t bytes, uint64_t *address) {
  if (!sim || !address) return TILEC_SIM_ERROR_INVALID;
  if (memory_map(&sim->memory, NULL, bytes, false, address)) return TILEC_SIM_OK;
  return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory for %zu bytes", bytes);
}

tilec_sim_result tilec_sim_bind(tilec_sim *sim, void *host, size_t bytes, uint64_t *address) {
  if (!sim || !address || (!host && bytes)) return TILEC_SIM_ERROR_INVALID;
  if (memory_map(&sim->memory, host, bytes, false, address)) return TILEC_SIM_OK;
  return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no address space for %zu bytes", bytes);
}

tilec_sim_result tilec_sim_free(tilec_sim *sim, uint64_t address) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  if (address == 0 || memory_unmap(&sim->memory, address)) return TILEC_SIM_OK;
  return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "0x%llx was not allocated", (unsigned long long)address);
}

tilec_sim_result tilec_sim_allocation(const tilec_sim *sim, uint64_t address, uint64_t *base,
                                      uint64_t *bytes) {
  const Allocation *allocation = sim ? memory_below(&sim->memory, address) : NULL;
  if (!allocation || address - allocation->base > allocation->size) return TILEC_SIM_ERROR_INVALID;
  *base = allocation->base;
  *bytes = allocation->size;
  return TILEC_SIM_OK;
}

static unsigned char *range(tilec_sim *sim, uint64_t address, size_t bytes) {
  MemoryCache cache = {0};
  const Allocation *allocation = memory_find(&sim->memory, &cache, address, bytes);
  if (allocation) return allocation->host + (address - allocation->base);
  sim_fail(sim, TILEC_SIM_ERROR_INVALID, "%zu bytes at 0x%llx are not allocated", bytes,
           (unsigned long long)address);
  return NULL;
}

tilec_sim_result tilec_sim_multicast(tilec_sim *sim, const uint64_t *copies, size_t count, size_t bytes,
                                     uint64_t *address) {
  if (!sim || !copies || !address) return TILEC_SIM_ERROR_INVALID;
  if (count < 1 || count > TILEC_SIM_MAX_DEVICES)
    return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "a multicast address has 1 to %d copies, not %zu",
                    TILEC_SIM_MAX_DEVICES, count);
  for (size_t i = 0; i < count; i++) {
    if (copies[i] % 16)
      return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "the copy at 0x%llx is at no multiple of 16",
                      (unsigned long long)copies[i]);
    if (!range(sim, copies[i], bytes)) return TILEC_SIM_ERROR_INVALID;
  }
  if (memory_multicast(&sim->memory, copies, (uint32_t)count, bytes, address)) return TILEC_SIM_OK;
  return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no address space for %zu bytes", bytes);
}

size_t tilec_sim_copies(const tilec_sim *sim, uint64_t address, uint64_t *copies) {
  const Multicast *found = sim && copies ? memory_multicast_at(&sim->memory, address) : NULL;
  if (!found || address - found->base > found->size) return 0;
  for (uint32_t i = 0; i < found->count; i++) copies[i] = found->copies[i] + (address - found->base);
  return found->count;
}

tilec_sim_result tilec_sim_write(tilec_sim *sim, uint64_t to, const void *from, size_t bytes) {
  unsigned char *host = sim && (from || !bytes) ? range(sim, to, bytes) : NULL;
  if (!host) return TILEC_SIM_ERROR_INVALID;
  if (bytes) memcpy(host, from, bytes);
  return TILEC_SIM_OK;
}

tilec_sim_result tilec_sim_read(tilec_sim *sim, void *to, uint64_t from, size_t bytes) {
  unsigned char *host = sim && (to || !bytes) ? range(sim, from, bytes) : NULL;
  if (!host) return TILEC_SIM_ERROR_INVALID;
  if (bytes) memcpy(to, host, bytes);
  return TILEC_SIM_OK;
}

tilec_sim_result tilec_sim_fill(tilec_sim *sim, uint64_t to, uint8_t byte, size_t bytes) {
  unsigned char *host = sim ? range(sim, to, bytes) : NULL;
  if (!host) return TILEC_SIM_ERROR_INVALID;
  memset(host, byte, bytes);
  return TILEC_SIM_OK;
}

tilec_sim_result tilec_sim_watch(tilec_sim *sim, uint64_t address) {
  bool found;
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  if (!memory_watch(&sim->memory, address, &found))
    return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory to watch 0x%llx", (unsigned long long)address);
  if (found) return TILEC_SIM_OK;
  return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "0x%llx was not allocated", (unsigned long long)address);
}

const unsigned char *tilec_sim_written(const tilec_sim *sim, uint64_t address) {
  const Allocation *allocation = sim ? memory_below(&sim->memory, address) : NULL;
  return allocation && allocation->base == address ? allocation->written : NULL;
}

tilec_sim_result tilec_sim_symbol(tilec_sim *sim, const tilec_sim_module *module, const char *name,
                                  uint64_t *address, size_t *size) {
  if (!sim || !module || !name || !address) return TILEC_SIM_ERROR_INVALID;
  for (uint32_t i = 0; i < module->globals.n; i++) {
    const GlobalVar *global = &module->globals.at[i];
    if (!str_is(global->var->name, name)) continue;
    *address = global->address;
    if (size) *size = global->var->bytes;
    return TILEC_SIM_OK;
  }
  return sim_fail(sim, TILEC_SIM_ERROR_NOT_FOUND, "no variable '%s'", name);
}
