// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C API: arguments checked, results kept, faults of base/ turned into results.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/fault.h"
#include "sim/check.h"
#include "sim/chip.h"
#include "sim/decode.h"
#include "sim/launch.h"

struct tilec_sim_kernel {
  tilec_sim_module *module;
  Program program;
  tilec_sim_param *params;
};

struct tilec_sim_module {
  Arena arena;
  PtxModule tree;
  VEC(GlobalVar) globals;
  VEC(tilec_sim_kernel *) kernels;
  tilec_sim_module *next;
};

struct tilec_sim {
  tilec_sim_options options;
  Memory memory;
  tilec_sim_module *modules;
  char message[512];
  // The last launch's results; names belong to its module.
  const tilec_sim_module *launched; // NULL: nothing is left of a launch
  tilec_sim_counters total;
  tilec_sim_line *lines;
  size_t line_count;
  tilec_sim_report report; // of a launch without checks
  char report_text[192];
  size_t report_count;
  Checker *checker; // of a launch with checks: it has the reports
  char *printed;    // NULL: nothing
  size_t printed_bytes;
};

static tilec_sim_result sim_fail(tilec_sim *sim, tilec_sim_result result, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(sim->message, sizeof sim->message, format, args);
  va_end(args);
  return result;
}

tilec_sim_result tilec_sim_create(const tilec_sim_options *options, tilec_sim **sim) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  *sim = NULL;
  tilec_sim_options chosen = TILEC_SIM_OPTIONS_INIT;
  if (options) memcpy(&chosen, options, options->size < sizeof chosen ? options->size : sizeof chosen);
  chosen.size = sizeof chosen;
  if (chosen.threads == 0 || chosen.threads > 1024 || (unsigned)chosen.schedule > TILEC_SIM_EARLY_DOWN)
    return TILEC_SIM_ERROR_INVALID;
  if (chosen.instruction_budget == 0) chosen.instruction_budget = (uint64_t)1 << 40;
  if (chosen.multiprocessors == 0) chosen.multiprocessors = CHIP_MULTIPROCESSORS;
  tilec_sim *made = calloc(1, sizeof *made);
  if (!made) return TILEC_SIM_ERROR_MEMORY;
  made->options = chosen;
  *sim = made;
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
  memory_free_all(&sim->memory);
  free(sim->lines);
  free(sim->printed);
  free(sim);
}

const char *tilec_sim_message(const tilec_sim *sim) { return sim ? sim->message : ""; }

// ---- modules ----

// An initialiser's values, in order, into `to`; nested braces count as one list.
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

static void add_kernel(tilec_sim_module *module, const PtxFunc *func, PtxError *error) {
  DecodeInput input = {&module->arena, &module->tree, module->globals.at, module->globals.n};
  tilec_sim_kernel *kernel = ARENA_NEW(&module->arena, tilec_sim_kernel);
  kernel->module = module;
  if (!decode_kernel(&input, func, &kernel->program, error)) return;
  kernel->params = ARENA_ARRAY(&module->arena, tilec_sim_param, kernel->program.params.n);
  for (uint32_t i = 0; i < kernel->program.params.n; i++) {
    const Param *param = &kernel->program.params.at[i];
    kernel->params[i] = (tilec_sim_param){param->name, param->offset, param->size, param->align};
  }
  vec_push(&module->arena, &module->kernels, kernel);
}

static void load_kernels(tilec_sim *sim, tilec_sim_module *module, Str text, PtxError *error) {
  char *copy = arena_copy(&module->arena, text);
  if (!ptx_parse(&module->arena, (Str){copy, text.n}, &module->tree, error)) return;
  if (!place_globals(sim, module, error)) return;
  for (const PtxFunc *func = module->tree.funcs; func && !error->pos.line; func = func->next)
    if (func->is_entry && func->has_body) add_kernel(module, func, error);
}

static void drop_module(tilec_sim *sim, tilec_sim_module *module) {
  for (uint32_t i = 0; i < module->globals.n; i++) memory_unmap(&sim->memory, module->globals.at[i].address);
  arena_free(&module->arena);
  free(module);
}

tilec_sim_result tilec_sim_load(tilec_sim *sim, const char *ptx, size_t bytes, tilec_sim_module **module) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  if (!ptx || !module || bytes > UINT32_MAX / 2)
    return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "no text, or no place for the module");
  *module = NULL;
  tilec_sim_module *made = calloc(1, sizeof *made);
  if (!made) return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory");
  PtxError error = {0};
  FaultFrame frame;
  fault_enter(&frame);
  tilec_sim_result result = TILEC_SIM_OK;
  if (setjmp(frame.env) == 0)
    load_kernels(sim, made, (Str){ptx, bytes}, &error);
  else
    result = sim_fail(sim, frame.kind == FAULT_MEMORY ? TILEC_SIM_ERROR_MEMORY : TILEC_SIM_ERROR_INTERNAL,
                      "%s", frame.message);
  fault_leave(&frame);
  if (result == TILEC_SIM_OK && error.pos.line)
    result = sim_fail(sim, TILEC_SIM_ERROR_PTX, "%u:%u: %s", error.pos.line, error.pos.col, error.text);
  if (result != TILEC_SIM_OK) {
    drop_module(sim, made);
    return result;
  }
  made->next = sim->modules;
  sim->modules = made;
  *module = made;
  return TILEC_SIM_OK;
}

// What the last launch left that names its module's files.
static void forget_places(tilec_sim *sim) {
  check_free(sim->checker);
  sim->checker = NULL;
  free(sim->lines);
  sim->lines = NULL;
  sim->line_count = sim->report_count = 0;
  sim->launched = NULL;
}

static void forget_launch(tilec_sim *sim) {
  forget_places(sim);
  free(sim->printed);
  sim->printed = NULL;
  sim->printed_bytes = 0;
  sim->total = (tilec_sim_counters){0};
}

tilec_sim_result tilec_sim_unload(tilec_sim *sim, tilec_sim_module *module) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  if (!module) return TILEC_SIM_OK;
  tilec_sim_module **at = &sim->modules;
  while (*at && *at != module) at = &(*at)->next;
  if (!*at) return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "no such module is loaded");
  *at = module->next;
  if (sim->launched == module) forget_places(sim);
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
  return *kernel ? TILEC_SIM_OK : sim_fail(sim, TILEC_SIM_ERROR_NOT_FOUND, "no kernel '%s'", name);
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

static unsigned char *range(tilec_sim *sim, uint64_t address, size_t bytes) {
  MemoryCache cache = {0};
  const Allocation *allocation = memory_find(&sim->memory, &cache, address, bytes);
  if (allocation) return allocation->host + (address - allocation->base);
  sim_fail(sim, TILEC_SIM_ERROR_INVALID, "%zu bytes at 0x%llx are not allocated", bytes,
           (unsigned long long)address);
  return NULL;
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

// ---- launches ----

// The limits of the modelled GPU, and the kernel's own.
static tilec_sim_result check_shape(tilec_sim *sim, const Program *program, const uint32_t grid[3],
                                    const uint32_t block[3], uint32_t shared) {
  const tilec_sim_result invalid = TILEC_SIM_ERROR_INVALID;
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  if (block[0] == 0 || block[1] == 0 || block[2] == 0)
    return sim_fail(sim, invalid, "a block dimension is zero");
  if (block[0] > CHIP_BLOCK_THREADS || block[1] > CHIP_BLOCK_THREADS || block[2] > CHIP_BLOCK_THREADS_Z ||
      threads > CHIP_BLOCK_THREADS)
    return sim_fail(sim, invalid, "a block has at most %d threads", CHIP_BLOCK_THREADS);
  if (grid[0] > CHIP_GRID_BLOCKS_X || grid[1] > CHIP_GRID_BLOCKS_YZ || grid[2] > CHIP_GRID_BLOCKS_YZ)
    return sim_fail(sim, invalid, "the grid is too large");
  if ((uint64_t)grid[0] * grid[1] * grid[2] > UINT32_MAX)
    return sim_fail(sim, invalid, "the grid has more than 2^32 - 1 blocks");
  if ((uint64_t)program->dynamic_shared + shared > CHIP_BLOCK_SHARED)
    return sim_fail(sim, invalid, "a block has at most %d KiB of shared memory", CHIP_BLOCK_SHARED / 1024);
  const uint32_t *need = program->reqntid, *most = program->maxntid;
  if (need[0] && (need[0] != block[0] || need[1] != block[1] || need[2] != block[2]))
    return sim_fail(sim, invalid, "the block is not what .reqntid requires");
  if (most[0] && threads > (uint64_t)most[0] * most[1] * most[2])
    return sim_fail(sim, invalid, "the block is larger than .maxntid allows");
  return TILEC_SIM_OK;
}

static uint32_t resident_blocks(const tilec_sim *sim, const uint32_t block[3], uint64_t shared) {
  uint64_t threads = ((uint64_t)block[0] * block[1] * block[2] + LANES - 1) / LANES * LANES;
  uint64_t here = CHIP_SM_THREADS / threads;
  uint64_t by_shared = shared ? CHIP_SM_SHARED / (shared + CHIP_SM_SHARED_OF_BLOCK) : CHIP_SM_BLOCKS;
  if (by_shared < here) here = by_shared;
  if (here > CHIP_SM_BLOCKS) here = CHIP_SM_BLOCKS;
  return (uint32_t)((here ? here : 1) * sim->options.multiprocessors);
}

static int compare_lines(const void *a, const void *b) {
  const tilec_sim_line *x = a, *y = b;
  int files = x->file && y->file ? strcmp(x->file, y->file) : (x->file != NULL) - (y->file != NULL);
  return files ? files : (x->line > y->line) - (x->line < y->line);
}

static void keep_counters(tilec_sim *sim, const Program *program, LaunchResult *result) {
  for (uint32_t i = 0; i < program->code.n; i++)
    result->by_site[program->code.at[i].site].instructions += result->executed[i];
  for (uint32_t i = 0; i < program->sites.n; i++) {
    sim->lines[i] =
        (tilec_sim_line){program->sites.at[i].file, program->sites.at[i].line, result->by_site[i]};
    counters_add(&sim->total, &result->by_site[i]);
  }
  qsort(sim->lines, program->sites.n, sizeof *sim->lines, compare_lines);
  size_t n = 0;
  for (uint32_t i = 0; i < program->sites.n; i++)
    if (n && compare_lines(&sim->lines[n - 1], &sim->lines[i]) == 0)
      counters_add(&sim->lines[n - 1].counters, &sim->lines[i].counters);
    else
      sim->lines[n++] = sim->lines[i];
  sim->line_count = n;
}

static tilec_sim_result keep_fault(tilec_sim *sim, const Launch *launch, const Fault *fault) {
  const Insn *insn = &launch->program->code.at[fault->insn];
  const Site *site = &launch->program->sites.at[insn->site];
  memcpy(sim->report_text, fault->message, sizeof sim->report_text);
  sim->report = (tilec_sim_report){.kind = fault->kind,
                                   .message = sim->report_text,
                                   .file = site->file,
                                   .line = site->line,
                                   .ptx_line = insn->ptx_line,
                                   .warp = fault->warp,
                                   .lane_mask = fault->lanes,
                                   .address = fault->address,
                                   .count = 1};
  uint32_t *id = sim->report.block;
  id[0] = fault->block % launch->grid[0];
  id[1] = fault->block / launch->grid[0] % launch->grid[1];
  id[2] = fault->block / launch->grid[0] / launch->grid[1];
  sim->report_count = 1;
  return sim_fail(sim, TILEC_SIM_ERROR_KERNEL, "%s:%u: %s (block %u,%u,%u warp %u lanes 0x%08x)",
                  site->file ? site->file : "ptx", site->line, fault->message, id[0], id[1], id[2],
                  fault->warp, fault->lanes);
}

// The checker's reports, which hold the fault that ended the launch too.
static tilec_sim_result keep_reports(tilec_sim *sim) {
  if (check_failed(sim->checker)) return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory for the checks");
  sim->report_count = check_report_count(sim->checker);
  if (sim->report_count == 0) return TILEC_SIM_OK;
  const tilec_sim_report *first = check_report_at(sim->checker, 0);
  return sim_fail(sim, TILEC_SIM_ERROR_KERNEL, "%s:%u: %s, and %zu more reports",
                  first->file ? first->file : "ptx", first->line, first->message, sim->report_count - 1);
}

static tilec_sim_result run_launch(tilec_sim *sim, Launch *launch) {
  LaunchResult result = launch_run(launch, sim->checker ? 1 : sim->options.threads);
  tilec_sim_result status = TILEC_SIM_OK;
  sim->lines = calloc(launch->program->sites.n + 1, sizeof *sim->lines);
  if (result.no_memory || !sim->lines)
    status = sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory for the launch");
  else {
    keep_counters(sim, launch->program, &result);
    if (sim->checker)
      status = keep_reports(sim);
    else if (result.fault.set)
      status = keep_fault(sim, launch, &result.fault);
  }
  sim->printed = result.printed;
  sim->printed_bytes = result.printed_bytes;
  free(result.executed);
  free(result.by_site);
  return status;
}

// The checker outlives the launch, for its reports.
static tilec_sim_result open_checks(tilec_sim *sim, Launch *launch) {
  const char *refusal = check_refusal(launch);
  if (refusal) return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "%s", refusal);
  sim->checker = check_new(launch);
  if (!sim->checker) return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory for the checks");
  launch->hooks = check_hooks(sim->checker);
  return TILEC_SIM_OK;
}

tilec_sim_result tilec_sim_launch(tilec_sim *sim, const tilec_sim_kernel *kernel, const uint32_t grid[3],
                                  const uint32_t block[3], uint32_t dynamic_shared_bytes,
                                  const void *const *params) {
  if (!sim) return TILEC_SIM_ERROR_INVALID;
  forget_launch(sim);
  if (!kernel || !grid || !block) return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "no kernel, grid or block");
  const Program *program = &kernel->program;
  if (!params && program->params.n)
    return sim_fail(sim, TILEC_SIM_ERROR_INVALID, "the kernel has parameters");
  tilec_sim_result shape = check_shape(sim, program, grid, block, dynamic_shared_bytes);
  if (shape != TILEC_SIM_OK) return shape;
  uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
  if (blocks == 0) return TILEC_SIM_OK;
  sim->launched = kernel->module;
  unsigned char *values = calloc(program->param_bytes + 1, 1);
  if (!values) return sim_fail(sim, TILEC_SIM_ERROR_MEMORY, "no memory");
  for (uint32_t i = 0; i < program->params.n; i++)
    memcpy(values + program->params.at[i].offset, params[i], program->params.at[i].size);
  Launch launch = {.program = program,
                   .memory = &sim->memory,
                   .blocks = blocks,
                   .dynamic_shared = dynamic_shared_bytes,
                   .params = values,
                   .multiprocessors = sim->options.multiprocessors,
                   .budget = sim->options.instruction_budget};
  memcpy(launch.grid, grid, sizeof launch.grid);
  memcpy(launch.block, block, sizeof launch.block);
  launch.resident = resident_blocks(sim, block, (uint64_t)program->dynamic_shared + dynamic_shared_bytes);
  launch.descending =
      sim->options.schedule == TILEC_SIM_LATE_DOWN || sim->options.schedule == TILEC_SIM_EARLY_DOWN;
  launch.late = sim->options.schedule == TILEC_SIM_LATE || sim->options.schedule == TILEC_SIM_LATE_DOWN;
  tilec_sim_result result = sim->options.checks ? open_checks(sim, &launch) : TILEC_SIM_OK;
  if (result == TILEC_SIM_OK) result = run_launch(sim, &launch);
  free(values);
  return result;
}

void tilec_sim_total(const tilec_sim *sim, tilec_sim_counters *total) { *total = sim->total; }
size_t tilec_sim_line_count(const tilec_sim *sim) { return sim->line_count; }
const tilec_sim_line *tilec_sim_line_at(const tilec_sim *sim, size_t index) {
  return index < sim->line_count ? &sim->lines[index] : NULL;
}
const char *tilec_sim_printed(const tilec_sim *sim, size_t *bytes) {
  if (bytes) *bytes = sim->printed_bytes;
  return sim->printed ? sim->printed : "";
}
size_t tilec_sim_report_count(const tilec_sim *sim) { return sim->report_count; }
const tilec_sim_report *tilec_sim_report_at(const tilec_sim *sim, size_t index) {
  if (index >= sim->report_count) return NULL;
  return sim->checker ? check_report_at(sim->checker, index) : &sim->report;
}
