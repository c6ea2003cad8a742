// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA stores of the evaluator, and the fences and barriers that they need.
//
// A store reads its buffer and writes memory when it starts. Until a tma_store_wait for its read, nothing may
// write the buffer. The store sees writes of threads only after a fence_async and a barrier, in that order.
// Written ranges are recorded until both happened. Global memory counts as written immediately. Reading it
// too early is a race that only the simulator detects. All this is recorded only in kernels with TMA stores.
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/memory/groups.h"

typedef struct StoreReading {
  uint32_t buffer, by; // by: the warp group
  uint64_t first, last, group;
} StoreReading;

typedef struct WrittenRange {
  uint32_t buffer, by;
  uint64_t first, last;
  bool fenced;
} WrittenRange;

struct StoreState {
  VEC(StoreReading) readings;
  VEC(WrittenRange) written;    // no barrier since the fence
  uint64_t groups[GROUPS_MOST]; // committed
};

void eval_stores_begin(Machine *m) {
  m->stores = ops_find(m->func->body, OP_TMA_STORE) ? ARENA_NEW(m->arena, StoreState) : NULL;
}

void eval_stores_program(Machine *m) {
  if (!m->stores) return;
  m->stores->readings.n = m->stores->written.n = 0;
  memset(m->stores->groups, 0, sizeof m->stores->groups);
}

// --- what threads write

static bool ranges_overlap(uint64_t first, uint64_t last, uint64_t other_first, uint64_t other_last) {
  return first <= other_last && other_first <= last;
}

bool eval_stores_read(const Machine *m, uint32_t buffer, uint64_t first, uint64_t last) {
  for (uint32_t i = 0; m->stores && i < m->stores->readings.n; i++) {
    const StoreReading *reading = &m->stores->readings.at[i];
    if (reading->buffer == buffer && ranges_overlap(reading->first, reading->last, first, last)) return true;
  }
  return false;
}

void eval_stores_written(Machine *m, uint32_t buffer, uint64_t first, uint64_t last) {
  StoreState *s = m->stores;
  uint32_t by = eval_shared_by(m);
  if (!s) return;
  for (uint32_t i = 0; i < s->written.n; i++) {
    WrittenRange *range = &s->written.at[i];
    if (range->buffer != buffer || range->by != by || range->first != first || range->last != last) continue;
    range->fenced = false;
    return;
  }
  vec_push(m->arena, &s->written, ((WrittenRange){buffer, by, first, last, false}));
}

static bool run_fence(Machine *m) {
  for (uint32_t i = 0; m->stores && i < m->stores->written.n; i++)
    m->stores->written.at[i].fenced |= m->stores->written.at[i].by == eval_shared_by(m);
  return true;
}

void eval_stores_barrier(Machine *m) {
  StoreState *s = m->stores;
  uint32_t kept = 0;
  if (!s) return;
  for (uint32_t i = 0; i < s->written.n; i++)
    if (!s->written.at[i].fenced || s->written.at[i].by != eval_shared_by(m))
      s->written.at[kept++] = s->written.at[i];
  s->written.n = kept;
}

// --- stores

// Stores element i of the buffer if it is inside the tensor.
static bool store_element(Machine *m, const TensorTile *tile, const Tile *from, uint32_t i) {
  Element x = tile_get(from, i);
  Access access;
  if (!eval_tensor_access(tile, i, &access)) return true;
  return eval_state_defined(m, tile->op, 1, i, x.state, "the value to store") &&
         eval_access_store(m, &access, &x);
}

// Returns true if all writes by threads to the part were followed by a fence and then a barrier.
static bool is_ordered(Machine *m, const Op *op, const StoreReading *reading) {
  for (uint32_t i = 0; i < m->stores->written.n; i++) {
    const WrittenRange *range = &m->stores->written.at[i];
    if (range->buffer != reading->buffer ||
        !ranges_overlap(range->first, range->last, reading->first, reading->last))
      continue;
    return eval_error(m, op, NO_ELEMENT,
                      range->fenced
                          ? "[T0000] threads wrote to the buffer and fenced, but no barrier came after it"
                          : "[T0000] threads wrote to the buffer, but no fence_async came after it");
  }
  return true;
}

static bool run_store(Machine *m, const Op *op) {
  const Value *buffer = op_operand(op, 1);
  const Tile *view = eval_operand(m, op, 1);
  StoreReading reading = {(uint32_t)view->bits[0], eval_shared_by(m), view->bits[1], view->bits[1], 0};
  Tile from = {.n = (uint32_t)type_elements(buffer->type), .code = (ElemCode)buffer->type->elem};
  TensorTile tile;
  for (uint32_t d = 0; d < buffer->type->rank; d++)
    reading.last += (buffer->type->shape[d] - 1) * view->bits[2 + d];
  reading.group = m->stores->groups[reading.by] + 1;
  if (!is_ordered(m, op, &reading) || !eval_tensor_tile(m, op, 2, &tile)) return false;
  eval_tile_alloc(m, &from);
  eval_shared_read(m, buffer, &from);
  eval_race_op(m, op);
  bool ok = true;
  for (uint32_t i = 0; i < from.n && ok; i++) ok = store_element(m, &tile, &from, i);
  eval_block_free(m->memory, from.block, from.block_bytes);
  vec_push(m->arena, &m->stores->readings, reading);
  return ok;
}

static bool run_wait(Machine *m, const Op *op) {
  StoreState *s = m->stores;
  if (!s) return true;
  uint32_t by = eval_shared_by(m), kept = 0;
  uint64_t pending = (uint64_t)op_int(op, ATTR_PENDING, 0);
  uint64_t done = s->groups[by] > pending ? s->groups[by] - pending : 0;
  for (uint32_t i = 0; i < s->readings.n; i++)
    if (s->readings.at[i].by != by || s->readings.at[i].group > done)
      s->readings.at[kept++] = s->readings.at[i];
  s->readings.n = kept;
  return true;
}

bool eval_stores_end(Machine *m, const Op *end) {
  if (!m->stores || !m->stores->readings.n) return true;
  return eval_error(
      m, end, NO_ELEMENT,
      "[T0000] the program ends while a TMA store may still read shared memory: a wait is missing");
}

bool eval_stores(Machine *m, Op *op) {
  switch ((int)op->kind) {
  case OP_TMA_STORE: return run_store(m, op);
  case OP_TMA_STORE_COMMIT:
    if (m->stores) m->stores->groups[eval_shared_by(m)]++;
    return true;
  case OP_TMA_STORE_WAIT: return run_wait(m, op);
  case OP_FENCE_ASYNC: return run_fence(m);
  default: BUG("%s is not of TMA stores", op_info(op->kind)->name);
  }
}
