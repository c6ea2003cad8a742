// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference evaluator: runs a launch's programs one after another, and each op over its whole tile.
//
// With race detection, a read may turn out to depend on the order of programs: for example the old value of
// an atomic that other programs change too. Then the launch runs a second time from the same memory. The
// second run marks these reads from the start.
#include "eval/eval_machine.h"
#include <stdio.h>
#include "base/fault.h"

#include <string.h>
#include "ir/number.h"

const Tile *eval_operand(const Machine *m, const Op *op, uint32_t index) {
  if (index >= op_input_count(op)) return NULL;
  const Tile *tile = &m->values[op->operands[index].value->id];
  if (!tile->block) BUG("operand %u of %s is used before it is computed", index, op_info(op->kind)->name);
  return tile;
}

ElemCode eval_code(const Type *element) {
  return element->kind == TYPE_PTR ? (ElemCode)CODE_POINTER : (ElemCode)element->elem;
}

void eval_tile_alloc(Machine *m, Tile *tile) {
  bool is_float = eval_code_is_float(tile->code);
  bool common = is_float && m->has_common;
  tile->block_bytes = (uint64_t)tile->n * (common ? 25 + sizeof(Common) : is_float ? 25 : 9);
  tile->block = eval_block(m->memory, tile->block_bytes);
  tile->bits = tile->block;
  tile->r = is_float ? (double *)(tile->bits + tile->n) : NULL;
  tile->e = is_float ? tile->r + tile->n : NULL;
  tile->common = common ? (Common *)(tile->e + tile->n) : NULL;
  tile->state = common     ? (uint8_t *)(tile->common + tile->n)
                : is_float ? (uint8_t *)(tile->e + tile->n)
                           : (uint8_t *)(tile->bits + tile->n);
}

Tile *eval_tile(Machine *m, const Value *value) {
  Tile *tile = &m->values[value->id];
  if (tile->block) return tile;
  const Type *element = type_element(value->type);
  uint32_t rank = value->type->rank, words = 0; // for values without elements
  if (element->kind == TYPE_BLOCK_PTR) words = 1 + 3 * rank;
  if (element->kind == TYPE_SHARED) words = 2 + rank;
  if (element->kind == TYPE_TOKEN) words = 1;
  if (element->kind == TYPE_RING) words = EVAL_RING_WORDS;
  tile->code = words ? (ElemCode)ELEM_I64 : eval_code(element);
  tile->n = words ? words : (uint32_t)type_elements(value->type);
  eval_tile_alloc(m, tile);
  return tile;
}

void eval_copy(Machine *m, Tile *to, const Tile *from) {
  if (to->n != from->n || to->code != from->code) BUG("a copy between values of different types");
  memcpy(to->block, from->block, from->block_bytes);
  to->dot = from->dot;
  to->tmem = from->tmem;
  to->tmem_slot = from->tmem_slot;
  to->sum_ulps = from->sum_ulps;
  if (to->wrapped || from->wrapped) eval_wrapped_copy(m, to, from);
}

Element eval_exact(ElemCode code, uint64_t bits) {
  Element x = {.bits = bits};
  if (code == CODE_POINTER) return x;
  uint32_t width = elem_info((Elem)code)->bits;
  if (!eval_code_is_float(code)) {
    x.bits = number_wrap((Elem)code, bits);
  } else {
    x.bits = width == 64 ? bits : bits & (((uint64_t)1 << width) - 1);
    x.r = number_decode((Elem)code, x.bits);
  }
  return x;
}

void eval_fill(Tile *tile, const Element *x) {
  for (uint32_t i = 0; i < tile->n; i++) tile_set(tile, i, x);
}

void eval_set_int(Machine *m, const Value *value, uint64_t bits) {
  Tile *tile = eval_tile(m, value);
  Element x = eval_exact(tile->code, bits);
  eval_fill(tile, &x);
}

static bool run_constant(Machine *m, Op *op) {
  Tile *tile = eval_tile(m, op_result(op));
  const Attr *value = op_attr(op, ATTR_FVALUE);
  bool is_float = eval_code_is_float(tile->code);
  uint64_t bits =
      is_float ? number_encode((Elem)tile->code, value ? value->f : 0) : (uint64_t)op_int(op, ATTR_VALUE, 0);
  Element x = eval_exact(tile->code, bits);
  eval_fill(tile, &x);
  return true;
}

static bool run_arange(Machine *m, Op *op) {
  Tile *tile = eval_tile(m, op_result(op));
  uint64_t start = (uint64_t)op_int(op, ATTR_START, 0);
  for (uint32_t i = 0; i < tile->n; i++) {
    Element x = eval_exact(tile->code, start + i);
    tile_set(tile, i, &x);
  }
  return true;
}

static bool run_grid_position(Machine *m, Op *op) {
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  bool knows_grid = m->host && m->host->kind == HOST_GUARD && op->kind == OP_NUM_PROGRAMS;
  if (m->host && !knows_grid)
    return eval_on_host(m, op, op->kind == OP_PROGRAM_ID ? "use program_id" : "use num_programs");
  if (axis < 0 || axis > 2) BUG("%s of axis %lld", op_info(op->kind)->name, (long long)axis);
  eval_set_int(m, op_result(op), op->kind == OP_PROGRAM_ID ? m->program[axis] : m->grid[axis]);
  return true;
}

// A value that only the machine knows. It may be anything, so nothing that depends on it is compared.
static bool run_machine_value(Machine *m, Op *op) {
  Tile *tile = eval_tile(m, op_result(op));
  Element x = eval_exact(tile->code, op->kind == OP_SMID ? 0 : m->steps);
  x.state = UNCERTAIN;
  eval_fill(tile, &x);
  return true;
}

static bool run_splat(Machine *m, Op *op) {
  Element x = tile_get(eval_operand(m, op, 0), 0);
  eval_fill(eval_tile(m, op_result(op)), &x);
  return true;
}

// Copies the elements in order.
static bool run_copy(Machine *m, Op *op) {
  eval_copy(m, eval_tile(m, op_result(op)), eval_operand(m, op, 0));
  return true;
}

static bool run_barrier(Machine *m, Op *op) {
  int64_t warps = region_warps(op);
  eval_race_barrier(m);
  if (op_int(op, ATTR_WARPS, warps) == warps) eval_stores_barrier(m);
  return true;
}

static bool run_nothing(Machine *m, Op *op) {
  (void)m, (void)op;
  return true;
}

bool eval_gave_up(const EvalMemory *memory) { return memory->gave_up; }

// Inline assembly gets the buffer's address. It may change the buffer, and read it at any time.
static void give_away(Machine *m, const Tile *addresses) {
  for (uint32_t i = 0; i < addresses->n; i++) {
    EvalBuffer *buffer = eval_buffer_at(m->memory, addresses->bits[i], 1);
    if (buffer) buffer->assembled = true;
  }
}

// The effect of assembly is unknown. Its results are uncertain, and so is memory that it may have changed.
static bool run_inline_asm(Machine *m, Op *op) {
  if (!m->options.assembly) {
    m->memory->gave_up = true;
    return eval_error(m, op, NO_ELEMENT, "[T1405] the evaluator cannot evaluate inline assembly");
  }
  bool first = eval_first_time(m, op);
  if (first && m->options.uncompared)
    diag_warning(
        m->diags, op->loc,
        "[T1405] the evaluator does not run inline assembly: values that depend on it are not compared");
  else if (first)
    diag_remark(m->diags, op->loc, "eval",
                "the evaluator does not run inline assembly: values that depend on it are not known");
  for (uint32_t k = 0; k < op->operand_count && !op_attr(op, ATTR_PURE); k++) {
    const Tile *operand = eval_operand(m, op, k);
    if (!eval_code_is_float(operand->code) && eval_code_bytes(operand->code) == 8) give_away(m, operand);
  }
  for (uint32_t k = 0; k < op->result_count; k++) {
    Tile *to = eval_tile(m, &op->results[k]);
    Element x = eval_exact(to->code, 0);
    x.state = UNCERTAIN | ASSEMBLED;
    eval_fill(to, &x);
  }
  return true;
}

// Functions for the ops that are not elementwise and have no regions.
static bool (*const runners[OP_COUNT])(Machine *m, Op *op) = {
    [OP_CONSTANT] = run_constant,
    [OP_ARANGE] = run_arange,
    [OP_PROGRAM_ID] = run_grid_position,
    [OP_NUM_PROGRAMS] = run_grid_position,
    [OP_SPLAT] = run_splat,
    [OP_EXPAND_DIMS] = run_copy,
    [OP_RESHAPE] = run_copy,
    [OP_CONVERT_LAYOUT] = run_copy,
    [OP_BROADCAST] = eval_shape_op,
    [OP_TRANS] = eval_shape_op,
    [OP_JOIN] = eval_shape_op,
    [OP_SPLIT] = eval_shape_op,
    [OP_CAT] = eval_shape_op,
    [OP_SLICE] = eval_shape_op,
    [OP_GATHER] = eval_shape_op,
    [OP_FLIP] = eval_shape_op,
    [OP_SORT] = eval_sort,
    [OP_HISTOGRAM] = eval_sort,
    [OP_ADDPTR] = eval_access,
    [OP_LOAD] = eval_access,
    [OP_STORE] = eval_access,
    [OP_ATOMIC_RMW] = eval_atomic,
    [OP_ATOMIC_CAS] = eval_atomic,
    [OP_BARRIER] = run_barrier,
    [OP_ARRIVE] = run_nothing,
    [OP_PINGPONG_WAIT] = eval_turn,
    [OP_PINGPONG_PASS] = eval_turn,
    [OP_MAKE_BLOCK_PTR] = eval_block_op,
    [OP_ADVANCE] = eval_block_op,
    [OP_BLOCK_LOAD] = eval_block_op,
    [OP_BLOCK_STORE] = eval_block_op,
    [OP_SHARED_ALLOC] = eval_shared,
    [OP_SHARED_STORE] = eval_shared,
    [OP_SHARED_LOAD] = eval_shared,
    [OP_SHARED_GATHER] = eval_shared,
    [OP_SHARED_COUNT] = eval_shared,
    [OP_SHARED_INDEX] = eval_shared,
    [OP_SHARED_TRANS] = eval_shared,
    [OP_COPY_ASYNC] = eval_shared,
    [OP_ASYNC_COMMIT] = eval_shared,
    [OP_ASYNC_WAIT] = eval_shared,
    [OP_DOT_WAIT] = eval_shared,
    [OP_TMEM_ALLOC] = eval_tmem,
    [OP_TMEM_SLOT] = eval_tmem,
    [OP_TMEM_STORE] = eval_tmem,
    [OP_TMEM_LOAD] = eval_tmem,
    [OP_TMEM_DEALLOC] = eval_tmem,
    [OP_RING_BEGIN] = eval_ring_begin,
    [OP_RING_FILL] = eval_ring,
    [OP_RING_WAIT] = eval_ring,
    [OP_RING_RELEASE] = eval_ring,
    [OP_MBARRIER_INIT] = eval_mbarrier,
    [OP_MBARRIER_INVAL] = eval_mbarrier,
    [OP_MBARRIER_EXPECT] = eval_mbarrier,
    [OP_MBARRIER_WAIT] = eval_mbarrier,
    [OP_MBARRIER_ARRIVE] = eval_mbarrier,
    [OP_TMA_COPY] = eval_mbarrier,
    [OP_BULK_COPY] = eval_mbarrier,
    [OP_TAKE_PROGRAM] = eval_mbarrier,
    [OP_TAKEN_PROGRAM] = eval_mbarrier,
    [OP_TMA_STORE] = eval_stores,
    [OP_TMA_STORE_COMMIT] = eval_stores,
    [OP_TMA_STORE_WAIT] = eval_stores,
    [OP_TMA_MARK] = run_copy,
    [OP_BULK_MARK] = run_copy,
    [OP_RING_COMMIT] = eval_ring,
    [OP_CHANNEL] = eval_ring_begin,
    [OP_FENCE_ASYNC] = eval_stores,
    [OP_DOT] = eval_dot,
    [OP_MATH] = eval_math,
    [OP_PRINT] = eval_debug,
    [OP_ASSERT] = eval_debug,
    [OP_GLOBALTIMER] = run_machine_value,
    [OP_SMID] = run_machine_value,
    [OP_GDC_WAIT] = run_nothing,
    [OP_GDC_LAUNCH_DEPENDENTS] = run_nothing,
    [OP_INLINE_ASM] = run_inline_asm,
};

bool eval_plain(Machine *m, Op *op) {
  m->memory->changes += !eval_is_function(op);
  if (!eval_scratch(m, op)) return false;
  if (!eval_ring_access(m, op)) return false;
  bool elementwise = !runners[op->kind] && op_has(op, ELEMENTWISE);
  if (!runners[op->kind] && !elementwise)
    return eval_error(m, op, NO_ELEMENT, "[T0000] the evaluator cannot run `%s`", op_info(op->kind)->name);
  bool ok = elementwise ? eval_elementwise(m, op) : runners[op->kind](m, op);
  if (ok && m->wraps) eval_wraps_op(m, op);
  return ok;
}

static Machine machine_new(Func *func, EvalMemory *memory, const EvalOptions *options) {
  func_number(func);
  Machine m = {.func = func, .diags = func->module->ir->diags, .memory = memory};
  m.options = options ? *options : (EvalOptions){.races = true, .compared = true};
  m.has_common = eval_has_common(func);
  m.values = eval_block(memory, (uint64_t)func->value_count * sizeof *m.values);
  return m;
}

static void machine_set_args(Machine *m, const Region *region, const EvalArg *args) {
  for (uint32_t i = 0; i < region->arg_count; i++) {
    HiddenKind hidden = m->func->params[i].hidden;
    if (hidden != HIDDEN_PROGRAMS && !type_is_by_value(region->args[i]->type))
      eval_set_int(m, region->args[i], args[i].bits);
  }
}

enum { PROGRAMS_AT_ONCE = 2 };

// A persistent kernel's programs run on a few CTAs, several per CTA.
static bool set_programs(Machine *m) {
  const int64_t grid[] = {m->grid[0], m->grid[1], m->grid[2]};
  uint32_t first = func_programs_param(m->func),
           most = m->options.programs ? m->options.programs : PROGRAMS_AT_ONCE;
  if (!func_is_persistent(m->func)) return true;
  if (programs_fault(grid))
    return eval_error(m, m->func->body->last, NO_ELEMENT,
                      "[T0000] the launch is the kernel's with persistent = \"off\": %s",
                      programs_fault(grid));
  for (uint32_t d = 0; d < PROGRAM_AXES; d++) eval_set_int(m, m->func->body->args[first + d], m->grid[d]);
  uint32_t programs = m->grid[0] * m->grid[1] * m->grid[2];
  m->grid[0] = programs < most ? programs : most;
  m->grid[1] = m->grid[2] = 1;
  return true;
}

static void machine_free(Machine *m) {
  for (uint32_t i = 0; i < m->func->value_count; i++) {
    eval_wrapped_free(m, &m->values[i]);
    if (m->values[i].block) eval_block_free(m->memory, m->values[i].block, m->values[i].block_bytes);
  }
  eval_block_free(m->memory, m->values, (uint64_t)m->func->value_count * sizeof *m->values);
}

// The next program of the grid that has not begun; false: none is left.
static bool eval_next_program(Machine *m, uint32_t place[PROGRAM_AXES]) {
  if (m->begun == (uint64_t)m->grid[0] * m->grid[1] * m->grid[2]) return false;
  uint32_t number = m->begun++;
  place[0] = number % m->grid[0];
  place[1] = number / m->grid[0] % m->grid[1];
  place[2] = number / m->grid[0] / m->grid[1];
  return true;
}

// As persistent kernels' do, a few CTAs take all programs.
bool eval_take_program(Machine *m, uint32_t place[PROGRAM_AXES]) {
  uint32_t most = m->options.programs ? m->options.programs : PROGRAMS_AT_ONCE;
  uint64_t all = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
  if (m->taken + 1 >= (all + most - 1) / most || !eval_next_program(m, place)) return false;
  m->taken++;
  return true;
}

static bool run_programs(Machine *m, const EvalArg *args) {
  machine_set_args(m, m->func->body, args);
  m->sums = NULL;
  m->shared = NULL;
  m->rings = NULL;
  m->mbarriers = NULL;
  eval_stores_begin(m);
  m->begun = 0;
  while (eval_next_program(m, m->program)) {
    const Op *end = NULL;
    m->taken = 0;
    eval_race_program(m);
    eval_shared_program(m);
    eval_mbarriers_program(m);
    eval_dots_program(m);
    eval_stores_program(m);
    memset(m->turns, 0, sizeof m->turns);
    if (eval_region(m, m->func->body, &end) == REGION_FAILED) return false;
    if (!eval_rings_end(m, m->func->body->last) || !eval_stores_end(m, m->func->body->last) ||
        !eval_turns_end(m, m->func->body->last))
      return false;
  }
  return true;
}

// The second run does not repeat the first run's prints, reports and stops.
static bool run_again(Machine *m, const EvalArg *args) {
  eval_race_again(m);
  m->options.print = NULL;
  m->options.step = NULL;
  m->steps = 0;
  return run_programs(m, args);
}

// --- host regions

// Checks CUDA's limits on a grid's dimensions.
static bool check_grid(Machine *m, const Op *yield, const int64_t *sizes) {
  static const int64_t LIMITS[3] = {GRID_MAX_X, GRID_MAX_YZ, GRID_MAX_YZ};
  for (uint32_t d = 0; d < 3; d++) {
    long long size = sizes[d];
    if (size < 0)
      return eval_error(m, yield, NO_ELEMENT, "[T1001] the grid's size %u is negative: %lld", d, size);
    if (size > LIMITS[d])
      return eval_error(m, yield, NO_ELEMENT, "[T1001] the grid's size %u is %lld; at most %lld is allowed",
                        d, size, (long long)LIMITS[d]);
  }
  return true;
}

static bool take_yielded(Machine *m, const Op *yield, int64_t *values) {
  const HostInfo *info = host_info(m->host->kind);
  char what[60];
  snprintf(what, sizeof what, "the %s's %s", info->name, info->value);
  for (uint32_t i = 0; i < HOST_VALUES; i++) values[i] = 1;
  for (uint32_t i = 0; i < yield->operand_count && i < HOST_VALUES; i++) {
    uint64_t bits = 0;
    uint8_t doubt;
    if (!eval_control_operand(m, yield, i, what, &bits, &doubt)) return false;
    values[i] = (int64_t)bits;
  }
  return m->host->kind != HOST_GRID || check_grid(m, yield, values);
}

static bool run_host(Machine *m, const HostRegion *host, const EvalArg *args, int64_t *values) {
  const Op *end = NULL;
  m->host = host;
  machine_set_args(m, host->region, args);
  bool ended = eval_region(m, host->region, &end) == REGION_ENDED;
  if (ended && (!end || end->kind != OP_YIELD))
    BUG("the %s of %s does not yield", host_info(host->kind)->name, m->func->name);
  bool ok = ended && take_yielded(m, end, values);
  m->host = NULL;
  return ok;
}

static bool check_guard(Machine *m, const EvalArg *args) {
  const HostRegion *guard = func_host(m->func, HOST_GUARD, NULL);
  int64_t values[HOST_VALUES];
  if (!guard) return true;
  if (!run_host(m, guard, args, values)) return false;
  if (values[0] & 1) return true;
  return eval_error(m, guard->region->last, NO_ELEMENT,
                    "[T0000] the guard does not hold: this launch is the kernel's with tma = \"off\"");
}

static bool make_maps(Machine *m, const EvalArg *args) {
  uint32_t visible = func_visible_params(m->func);
  m->maps = ARENA_ARRAY(m->arena, TensorMapValue, m->func->param_count - visible);
  for (uint32_t i = visible; i < m->func->param_count; i++) {
    const FuncParam *param = &m->func->params[i];
    int64_t values[HOST_VALUES];
    if (param->hidden != HIDDEN_TENSOR_MAP) continue;
    if (!run_host(m, func_host(m->func, HOST_MAP, param->name), args, values)) return false;
    m->maps[i - visible] = tensor_map_value(param->type, values);
  }
  return true;
}

const TensorMapValue *eval_map(const Machine *m, const Value *map) {
  if (map->type->kind != TYPE_TENSOR_MAP || map->region != m->func->body) BUG("there is no tensor map");
  return &m->maps[map->index - func_visible_params(m->func)];
}

// --- launches

typedef struct LaunchRun {
  Machine m;
  const EvalArg *args;
  Arena arena;
  bool ok;
} LaunchRun;

static void run_launch(void *data) {
  LaunchRun *run = data;
  Machine *m = &run->m;
  eval_limit_begin(m);
  m->memory->gave_up = false;
  eval_names_begin(m, run->args);
  eval_race_begin(m);
  eval_wraps_begin(m);
  run->ok = check_guard(m, run->args) && make_maps(m, run->args);
  if (run->ok) eval_mark_stored(m);
  run->ok = run->ok && set_programs(m) && run_programs(m, run->args);
  if (run->ok && !m->failed && eval_race_ordered(m)) run->ok = run_again(m, run->args);
  if (!run->ok && m->memory->assembled) m->memory->gave_up = true; // assembly could have led elsewhere
  eval_race_end(m);
  machine_free(m);
}

static void free_launch(void *data) { arena_free(&((LaunchRun *)data)->arena); }

bool eval_launch(Func *func, const uint32_t grid[3], const EvalArg *args, EvalMemory *memory,
                 const EvalOptions *options) {
  LaunchRun run = {.m = machine_new(func, memory, options), .args = args};
  run.m.arena = &run.arena;
  memcpy(run.m.grid, grid, sizeof run.m.grid);
  fault_guard(run_launch, free_launch, &run);
  return run.ok && !run.m.failed;
}

// --- a host region by itself

typedef struct HostRun {
  Func *func;
  const HostRegion *host;
  const EvalArg *args;
  const uint32_t *grid; // NULL: only guards need it
  int64_t *values;
  Arena arena;
  bool ok;
} HostRun;

static void run_alone(void *data) {
  HostRun *run = data;
  Machine m = machine_new(run->func, eval_memory_new(&run->arena), &(EvalOptions){0});
  m.arena = &run->arena;
  if (run->grid) memcpy(m.grid, run->grid, sizeof m.grid);
  run->ok = run_host(&m, run->host, run->args, run->values);
}

static void free_host(void *data) { arena_free(&((HostRun *)data)->arena); }

bool eval_host(Func *func, const HostRegion *host, const EvalArg *args, int64_t values[HOST_VALUES]) {
  HostRun run = {.func = func, .host = host, .args = args, .values = values};
  fault_guard(run_alone, free_host, &run);
  return run.ok;
}

bool eval_guard(Func *func, const EvalArg *args, const uint32_t grid[3], bool *holds) {
  const HostRegion *guard = func_host(func, HOST_GUARD, NULL);
  int64_t values[HOST_VALUES] = {1};
  HostRun run = {.func = func, .host = guard, .args = args, .grid = grid, .values = values, .ok = true};
  if (guard) fault_guard(run_alone, free_host, &run);
  *holds = values[0] & 1;
  return run.ok;
}

bool eval_grid(Func *func, const EvalArg *args, uint32_t grid[3]) {
  const HostRegion *host = func_host(func, HOST_GRID, NULL);
  int64_t sizes[HOST_VALUES];
  if (!host) {
    diag_error(func->module->ir->diags, func->loc, "[T1001] kernel `%s` has no @grid", func->name);
    return false;
  }
  if (!eval_host(func, host, args, sizes)) return false;
  for (int d = 0; d < 3; d++) grid[d] = (uint32_t)sizes[d];
  return true;
}
