// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference evaluator: programs one after the other, each op over its whole tile.
//
// Every value has one tile for the whole launch. What a loop carries is kept in the tiles of the loop's
// results and copied to the region's arguments before each iteration, so that a yield may permute the
// arguments.
#include "ir/eval_machine.h"

#include <string.h>
#include "base/fault.h"
#include "ir/number.h"

enum { MAX_DEPTH = 256 };

typedef enum Flow {
  FLOW_FAIL,   // an error was reported
  FLOW_END,    // the region ended, with the operands of its yield where it has one
  FLOW_RETURN, // the program ended
} Flow;

const Tile *eval_operand(const Machine *m, const Op *op, uint32_t index) {
  const Tile *tile = &m->values[op->operands[index].value->id];
  if (!tile->block) BUG("operand %u of %s is used before it is computed", index, op_info(op->kind)->name);
  return tile;
}

Tile *eval_tile(Machine *m, const Value *value) {
  Tile *tile = &m->values[value->id];
  if (tile->block) return tile;
  const Type *element = type_element(value->type);
  tile->code = element->kind == TYPE_PTR ? (ElemCode)CODE_POINTER : (ElemCode)element->elem;
  tile->n = (uint32_t)type_elements(value->type);
  bool is_float = eval_code_is_float(tile->code);
  tile->block_bytes = (uint64_t)tile->n * (is_float ? 25 : 9);
  tile->block = eval_block(m->memory, tile->block_bytes);
  tile->bits = tile->block;
  tile->r = is_float ? (double *)(tile->bits + tile->n) : NULL;
  tile->e = is_float ? tile->r + tile->n : NULL;
  tile->state = is_float ? (uint8_t *)(tile->e + tile->n) : (uint8_t *)(tile->bits + tile->n);
  return tile;
}

void eval_copy(Tile *to, const Tile *from) {
  if (to->n != from->n || to->code != from->code) BUG("a copy between values of different types");
  memcpy(to->block, from->block, from->block_bytes);
}

// An element without error: r = v.
static Element exact_element(ElemCode code, uint64_t bits) {
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

static void fill(Tile *tile, const Element *x) {
  for (uint32_t i = 0; i < tile->n; i++) tile_set(tile, i, x);
}

static void set_int(Machine *m, const Value *value, uint64_t bits) {
  Tile *tile = eval_tile(m, value);
  Element x = exact_element(tile->code, bits);
  fill(tile, &x);
}

static void run_constant(Machine *m, const Op *op) {
  Tile *tile = eval_tile(m, op_result(op));
  const Attr *value = op_attr(op, ATTR_FVALUE);
  bool is_float = eval_code_is_float(tile->code);
  uint64_t bits =
      is_float ? number_encode((Elem)tile->code, value ? value->f : 0) : (uint64_t)op_int(op, ATTR_VALUE, 0);
  Element x = exact_element(tile->code, bits);
  fill(tile, &x);
}

static void run_arange(Machine *m, const Op *op) {
  Tile *tile = eval_tile(m, op_result(op));
  uint64_t start = (uint64_t)op_int(op, ATTR_START, 0);
  for (uint32_t i = 0; i < tile->n; i++) {
    Element x = exact_element(tile->code, start + i);
    tile_set(tile, i, &x);
  }
}

static bool run_grid_position(Machine *m, const Op *op) {
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  if (m->in_grid)
    return eval_error(m, op, NO_ELEMENT, "a grid expression cannot use %s", op_info(op->kind)->name);
  if (axis < 0 || axis > 2) BUG("%s of axis %lld", op_info(op->kind)->name, (long long)axis);
  set_int(m, op_result(op), op->kind == OP_PROGRAM_ID ? m->program[axis] : m->grid[axis]);
  return true;
}

static Flow run_region(Machine *m, const Region *region, const Op **end);

// The scalar operand that control flow hangs on; false with an error where it is undefined.
static bool control_operand(Machine *m, const Op *op, uint32_t index, const char *what, uint64_t *bits) {
  const Tile *tile = eval_operand(m, op, index);
  if (tile->state[0] & UNDEFINED) return eval_undefined(m, op, op_operand(op, index), NO_ELEMENT, what);
  if (tile->state[0] & UNCERTAIN) m->memory->uncertain = true;
  *bits = tile->bits[0];
  return true;
}

// What the region yielded becomes the op's results.
static void take_yielded(Machine *m, const Op *op, const Op *end) {
  uint32_t yielded = end && end->kind == OP_YIELD ? end->operand_count : 0;
  if (yielded != op->result_count)
    BUG("%s yields %u values for %u results", op_info(op->kind)->name, yielded, op->result_count);
  for (uint32_t i = 0; i < yielded; i++) eval_copy(eval_tile(m, &op->results[i]), eval_operand(m, end, i));
}

static Flow run_if(Machine *m, const Op *op) {
  uint64_t condition = 0;
  const Op *end = NULL;
  if (!control_operand(m, op, 0, "the condition", &condition)) return FLOW_FAIL;
  Flow flow = run_region(m, op->regions[condition ? 0 : 1], &end);
  if (flow == FLOW_END) take_yielded(m, op, end);
  return flow;
}

// Iterations left from i on are counted down by distance, so that an upper bound near the type's end cannot
// overflow i.
static bool for_advance(uint64_t *i, uint64_t upper, uint64_t step, bool down) {
  uint64_t distance = down ? *i - upper : upper - *i, size = down ? 0 - step : step;
  if (size >= distance) return false;
  *i += step;
  return true;
}

static Flow run_for(Machine *m, const Op *op) {
  uint64_t i = 0, upper = 0, step = 0;
  if (!control_operand(m, op, 0, "the loop's lower bound", &i) ||
      !control_operand(m, op, 1, "the loop's upper bound", &upper) ||
      !control_operand(m, op, 2, "the loop's step", &step))
    return FLOW_FAIL;
  if (step == 0) return eval_error(m, op, NO_ELEMENT, "the loop's step is 0") ? FLOW_END : FLOW_FAIL;
  ElemCode code = eval_operand(m, op, 0)->code;
  bool is_signed = elem_is_signed((Elem)code), down = is_signed && (int64_t)step < 0;
  for (uint32_t k = 0; k < op->result_count; k++)
    eval_copy(eval_tile(m, &op->results[k]), eval_operand(m, op, k + 3));
  bool more = down ? (int64_t)i > (int64_t)upper : is_signed ? (int64_t)i < (int64_t)upper : i < upper;
  const Region *body = op->regions[0];
  for (; more; more = for_advance(&i, upper, step, down)) {
    const Op *end = NULL;
    set_int(m, body->args[0], i);
    for (uint32_t k = 0; k < op->result_count; k++)
      eval_copy(eval_tile(m, body->args[k + 1]), &m->values[op->results[k].id]);
    Flow flow = run_region(m, body, &end);
    if (flow != FLOW_END) return flow;
    take_yielded(m, op, end);
  }
  return FLOW_END;
}

static bool run_plain(Machine *m, Op *op) {
  switch ((int)op->kind) {
  case OP_CONSTANT: run_constant(m, op); return true;
  case OP_ARANGE: run_arange(m, op); return true;
  case OP_PROGRAM_ID:
  case OP_NUM_PROGRAMS: return run_grid_position(m, op);
  case OP_SPLAT: {
    Element x = tile_get(eval_operand(m, op, 0), 0);
    fill(eval_tile(m, op_result(op)), &x);
    return true;
  }
  case OP_CONVERT_LAYOUT: eval_copy(eval_tile(m, op_result(op)), eval_operand(m, op, 0)); return true;
  case OP_ADDPTR:
  case OP_LOAD:
  case OP_STORE: return eval_access(m, op);
  case OP_ADD:
  case OP_SUB:
  case OP_MUL:
  case OP_DIV:
  case OP_REM:
  case OP_NEG:
  case OP_AND:
  case OP_OR:
  case OP_XOR:
  case OP_SHL:
  case OP_SHR:
  case OP_MIN:
  case OP_MAX:
  case OP_EQ:
  case OP_NE:
  case OP_LT:
  case OP_LE:
  case OP_GT:
  case OP_GE:
  case OP_SELECT:
  case OP_CAST:
  case OP_BITCAST:
  case OP_EXP: return eval_elementwise(m, op);
  default: return eval_error(m, op, NO_ELEMENT, "the evaluator cannot run `%s`", op_info(op->kind)->name);
  }
}

// A yield is a step too, so that an empty loop has some.
static bool take_step(Machine *m, const Op *op) {
  if (!m->max_steps || m->steps++ < m->max_steps) return true;
  return eval_error(m, op, NO_ELEMENT, "the limit of %llu steps is reached",
                    (unsigned long long)m->max_steps);
}

static Flow run_op(Machine *m, Op *op) {
  if (op->kind == OP_RETURN) return FLOW_RETURN;
  if (op->kind == OP_FOR) return run_for(m, op);
  if (op->kind == OP_IF) return run_if(m, op);
  return run_plain(m, op) ? FLOW_END : FLOW_FAIL;
}

static Flow run_region(Machine *m, const Region *region, const Op **end) {
  Flow flow = FLOW_END;
  if (++m->depth > MAX_DEPTH) {
    eval_error(m, region->parent, NO_ELEMENT, "more than %d levels of control flow", MAX_DEPTH);
    flow = FLOW_FAIL;
  }
  for (Op *op = region->first; op && flow == FLOW_END; op = op->next) {
    *end = op;
    if (!take_step(m, op))
      flow = FLOW_FAIL;
    else if (op->kind == OP_YIELD)
      break;
    else
      flow = run_op(m, op);
  }
  m->depth--;
  return flow;
}

static Machine machine_new(Func *func, EvalMemory *memory, const EvalOptions *options) {
  func_number(func);
  Machine m = {.func = func, .diags = func->module->ir->diags, .memory = memory};
  m.max_steps = options ? options->max_steps : 0;
  m.values = eval_block(memory, (uint64_t)func->value_count * sizeof *m.values);
  return m;
}

static void machine_set_args(Machine *m, const Region *region, const EvalArg *args) {
  for (uint32_t i = 0; i < region->arg_count; i++) set_int(m, region->args[i], args[i].bits);
}

static void machine_free(Machine *m) {
  for (uint32_t i = 0; i < m->func->value_count; i++)
    if (m->values[i].block) eval_block_free(m->memory, m->values[i].block, m->values[i].block_bytes);
  eval_block_free(m->memory, m->values, (uint64_t)m->func->value_count * sizeof *m->values);
}

bool eval_launch(Func *func, const uint32_t grid[3], const EvalArg *args, EvalMemory *memory,
                 const EvalOptions *options) {
  Machine m = machine_new(func, memory, options);
  machine_set_args(&m, func->body, args);
  memcpy(m.grid, grid, sizeof m.grid);
  bool ok = true;
  for (uint32_t z = 0; z < grid[2] && ok; z++)
    for (uint32_t y = 0; y < grid[1] && ok; y++)
      for (uint32_t x = 0; x < grid[0] && ok; x++) {
        const Op *end = NULL;
        m.program[0] = x, m.program[1] = y, m.program[2] = z;
        ok = run_region(&m, func->body, &end) != FLOW_FAIL;
      }
  machine_free(&m);
  return ok;
}

// CUDA's limits on a grid's dimensions.
static bool take_grid(Machine *m, const Op *yield, uint32_t grid[3]) {
  static const int64_t LIMITS[3] = {INT32_MAX, 65535, 65535};
  for (uint32_t d = 0; d < 3; d++) grid[d] = 1;
  for (uint32_t d = 0; d < yield->operand_count && d < 3; d++) {
    uint64_t bits = 0;
    if (!control_operand(m, yield, d, "the grid's size", &bits)) return false;
    int64_t size = (int64_t)bits;
    if (size < 0)
      return eval_error(m, yield, NO_ELEMENT, "the grid's size %u is negative: %lld", d, (long long)size);
    if (size > LIMITS[d])
      return eval_error(m, yield, NO_ELEMENT, "the grid's size %u is %lld, the most is %lld", d,
                        (long long)size, (long long)LIMITS[d]);
    grid[d] = (uint32_t)size;
  }
  return true;
}

typedef struct GridRun {
  Arena arena;
  Func *func;
  const EvalArg *args;
  uint32_t *grid;
  bool ok;
} GridRun;

static void run_grid(void *data) {
  GridRun *run = data;
  Machine m = machine_new(run->func, eval_memory_new(&run->arena), NULL);
  m.in_grid = true;
  machine_set_args(&m, run->func->grid, run->args);
  const Op *end = NULL;
  run->ok = run_region(&m, run->func->grid, &end) == FLOW_END;
  if (run->ok && (!end || end->kind != OP_YIELD)) BUG("the grid of %s does not yield", run->func->name);
  run->ok = run->ok && take_grid(&m, end, run->grid);
}

bool eval_grid(Func *func, const EvalArg *args, uint32_t grid[3]) {
  if (!func->grid) {
    diag_error(func->module->ir->diags, func->loc, "kernel `%s` has no @grid", func->name);
    return false;
  }
  GridRun run = {.func = func, .args = args, .grid = grid};
  arena_guard(&run.arena, run_grid, &run);
  return run.ok;
}
