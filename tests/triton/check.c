// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the table in the tile language: types and legality by the front end, values by a device.
#include <stdio.h>
#include <stdlib.h>

#include "frontend/frontend.h"
#include "ir/verify/verify.h"
#include "runtime/tilec.h"
#include "tests/triton/table.h"

// --- Types and legality ---

// The line in the kernel that an error comes from, through inlined calls.
static uint32_t kernel_line(const Sources *sources, Loc loc) {
  while (loc.call) loc = sources->calls.at[loc.call];
  return loc.line;
}

static const char assertion[] = "static assertion failed: ";

static void add_error(Faults *faults, const Row *row, const char *message, bool *good) {
  *good = false;
  bool type = str_starts(str_from(message), assertion);
  if (type) message += sizeof assertion - 1;
  if (row->result == RESULT_REFUSED)
    fault_add(faults, row, "accepted", message);
  else if (type)
    fault_add(faults, row, "type",
              arena_printf(faults->arena, "%s, not %s", message, type_names[row->type].name));
  else
    fault_add(faults, row, "refused", message);
}

// The first of a row's errors counts. A row that must be refused has an error that is no
// assertion's.
static void judge(Faults *faults, const Row *row, const char *message, bool *good) {
  bool refused = row->result == RESULT_REFUSED;
  if (refused && (!message || !str_starts(str_from(message), assertion))) {
    *good = false;
    if (!message) fault_add(faults, row, "accepted", "without a type");
    return;
  }
  *good = row->result == RESULT_VALUE && row->values.n > 0;
  // Code that Triton's frontend takes and its compiler does not may be refused here.
  if (message && row->no_code && !str_starts(str_from(message), assertion)) return;
  if (message) add_error(faults, row, message, good);
}

static void collect(const IrContext *ir, const Source *source, uint32_t count, const char **messages) {
  const Diags *diags = ir->diags;
  for (uint32_t i = 0; i < diags->list.n; i++) {
    const Diag *diag = diags->list.at[i];
    if (diag->severity != DIAG_ERROR) continue;
    uint32_t line = kernel_line(diags->sources, diag->loc);
    uint32_t row = line < source->line_rows.n ? source->line_rows.at[line] : UINT32_MAX;
    if (row < count) {
      if (!messages[row]) messages[row] = diag->message;
    } else {
      printf("FAILED the table's kernel, line %u: %s\n", line, diag->message);
      exit(2);
    }
  }
}

void check_types(Faults *faults, Row *const *rows, uint32_t count, bool *good) {
  Arena arena = {0};
  Source source;
  source_make(&arena, &source, rows, count, true);
  Sources sources = {.arena = &arena};
  Diags diags = {.arena = &arena, .sources = &sources, .error_limit = UINT32_MAX};
  IrContext ir;
  ir_context_init(&ir, &arena, &sources, &diags);
  uint16_t file = sources_add(&sources, "table.py", buf_view(&source.text));
  Module *syntax = syntax_parse(&arena, &ir.names, &diags, &sources, file, SYNTAX_PY);
  Spec spec = {.target = target_default(), .kernel = ir_name(&ir, STR("k"))};
  IrModule *module = module_new(&ir, &spec.target);
  if (!diags.errors && frontend_elaborate(module, syntax, &spec)) module_verify(module, &diags);
  const char **messages = ARENA_ARRAY(&arena, const char *, count);
  collect(&ir, &source, count, messages);
  for (uint32_t i = 0; i < count; i++) judge(faults, rows[i], messages[i], &good[i]);
  buf_free(&source.text);
  arena_free(&arena);
}

// --- Values ---

typedef struct Run {
  tilec_buffer *buffers[3][TYPE_COUNT]; // inputs, outputs, the rows' own memory
  uint8_t *outputs[TYPE_COUNT];
} Run;

static bool is_nan(int type, uint64_t bits) {
  const TypeName *t = &type_names[type];
  if (!t->mantissa) return false;
  uint64_t sign = (uint64_t)1 << (8 * t->bytes - 1), infinity = (sign - 1) >> t->mantissa << t->mantissa;
  if (type == TILEC_FP8E4NV) infinity = sign - 2;
  return (bits & (sign - 1)) > infinity;
}

// A float's place among all of its type, so that a difference counts units in the last place.
static int64_t place(int type, uint64_t bits) {
  uint64_t sign = (uint64_t)1 << (8 * type_names[type].bytes - 1);
  return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static bool same(const Row *row, uint64_t got, uint64_t expected) {
  if (got == expected || (is_nan(row->type, got) && is_nan(row->type, expected))) return true;
  if (!row->section->ulp || is_nan(row->type, got) || is_nan(row->type, expected)) return false;
  int64_t distance = place(row->type, got) - place(row->type, expected);
  return (uint64_t)llabs((long long)distance) <= row->section->ulp;
}

static bool is_zero(int type, uint64_t bits) { return type_names[type].mantissa && place(type, bits) == 0; }

static void compare_row(Machine *machine, Faults *faults, const Row *row, const uint8_t *output) {
  uint64_t expected[MAX_VALUES];
  int count = row_values(row, expected), bytes = type_names[row->type].bytes;
  const char *signs = NULL; // where only signs of zeros differ
  for (int i = 0; i < count; i++) {
    uint64_t got = 0;
    memcpy(&got, output + (size_t)i * (size_t)bytes, (size_t)bytes);
    if (same(row, got, expected[i])) continue;
    bool zero = is_zero(row->type, got) && is_zero(row->type, expected[i]);
    const char *text =
        arena_printf(machine->arena, "element %d is %0*llx on %s, Triton's %0*llx", i, 2 * bytes,
                     (unsigned long long)got, machine->name, 2 * bytes, (unsigned long long)expected[i]);
    if (zero)
      signs = signs ? signs : text;
    else
      fault_add(faults, row, "values", text);
    if (!zero) return;
  }
  if (signs) fault_add(faults, row, "zero", signs);
}

static tilec_status make_buffers(Machine *machine, Run *run, const Source *source, uint32_t count) {
  for (int t = 0; t < TYPE_COUNT; t++) {
    size_t bytes = (size_t)type_names[t].bytes, set = SET_ELEMENTS * bytes;
    size_t sizes[] = {SET_COUNT * set, (source->ends[t] + 1) * bytes, count * ROW_MEMORY * bytes};
    for (int b = 0; b < 3; b++) {
      tilec_status status = tilec_buffer_new(machine->device, sizes[b], &run->buffers[b][t]);
      if (!status) status = tilec_buffer_fill(run->buffers[b][t], 0);
      if (status) return status;
    }
    tilec_status status = tilec_buffer_write(run->buffers[0][t], 0, machine->inputs[t], sizes[0]);
    // A row's own memory holds set b twice.
    for (uint32_t i = 0; i < 2 * count && !status; i++)
      status = tilec_buffer_write(run->buffers[2][t], i * set, machine->inputs[t] + set, set);
    if (status) return status;
  }
  return TILEC_OK;
}

static tilec_status launch(Machine *machine, Run *run, const Source *source) {
  tilec_arg args[3 * TYPE_COUNT + 5];
  for (int b = 0; b < 3; b++)
    for (int t = 0; t < TYPE_COUNT; t++)
      args[b * TYPE_COUNT + t] = tilec_arg_buffer((tilec_dtype)t, run->buffers[b][t]);
  args[3 * TYPE_COUNT] = tilec_arg_int(100);
  args[3 * TYPE_COUNT + 1] = tilec_arg_int((int64_t)1 << 33);
  args[3 * TYPE_COUNT + 2] = tilec_arg_float(0.300000011920928955078125);
  args[3 * TYPE_COUNT + 3] = tilec_arg_buffer(TILEC_I32, run->buffers[0][TILEC_I32]);
  args[3 * TYPE_COUNT + 4] = tilec_arg_int(1);
  tilec_program *program = NULL;
  tilec_kernel *kernel = NULL;
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.kernel = "k";
  options.num_warps = 1;
  tilec_launch_options grid = TILEC_LAUNCH_OPTIONS_INIT;
  grid.grid[0] = 1;
  tilec_status status = tilec_program_from_source("table.py", source->text.at, source->text.n, &program);
  if (!status) status = tilec_kernel_new(machine->device, program, &options, &kernel);
  if (!status) status = tilec_launch(kernel, &grid, args, 3 * TYPE_COUNT + 5);
  tilec_kernel_free(kernel);
  tilec_program_free(program);
  return status;
}

static tilec_status run_source(Machine *machine, Faults *faults, Row *const *rows, uint32_t count) {
  Arena arena = {0};
  Source source;
  Run run = {0};
  source_make(&arena, &source, rows, count, false);
  tilec_status status = make_buffers(machine, &run, &source, count);
  if (!status) status = launch(machine, &run, &source);
  for (int t = 0; t < TYPE_COUNT && !status; t++) {
    size_t bytes = source.ends[t] * (size_t)type_names[t].bytes;
    run.outputs[t] = arena_alloc(&arena, bytes + 1);
    status = tilec_buffer_read(run.buffers[1][t], 0, run.outputs[t], bytes);
  }
  for (uint32_t i = 0; i < count && !status; i++)
    compare_row(machine, faults, rows[i],
                run.outputs[rows[i]->type] + source.offsets[i] * (size_t)type_names[rows[i]->type].bytes);
  for (int b = 0; b < 3; b++)
    for (int t = 0; t < TYPE_COUNT; t++) tilec_buffer_free(run.buffers[b][t]);
  buf_free(&source.text);
  arena_free(&arena);
  return status;
}

// A kernel that cannot be compiled or run is halved until only the faulty row is left.
void check_values(Machine *machine, Faults *faults, Row *const *rows, uint32_t count) {
  if (count == 0) return;
  tilec_status status = run_source(machine, faults, rows, count);
  if (!status) return;
  if (count == 1) {
    fault_add(faults, rows[0], "error",
              arena_printf(machine->arena, "on %s: %s", machine->name, tilec_last_error()));
    return;
  }
  check_values(machine, faults, rows, count / 2);
  check_values(machine, faults, rows + count / 2, count - count / 2);
}
