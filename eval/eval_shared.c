// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory of the evaluator: buffers of elements, independent of layout, undefined until written.
//
// If buffers have offsets and their bytes overlap, a write to one makes the others undefined. A copy's data
// is available after a wait for its group. Until then the elements are undefined.
#include <string.h>
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/memory/groups.h"
#include "ir/number.h"
#include "ir/memory/scratch.h"

typedef struct Buffer {
  const Op *alloc;
  uint64_t begin, end; // bytes; both 0 without an offset
  Element *at;
  uint32_t n;
} Buffer;

typedef struct CopiedElement {
  uint32_t buffer, element;
  uint32_t by;    // the warp group
  uint64_t group; // its commit group, or OF_MBARRIER and the mbarrier
  Element value;
} CopiedElement;

static const uint64_t OF_MBARRIER = UINT64_C(1) << 63;

struct SharedState {
  VEC(Buffer) buffers;          // one per alloc op: reallocating makes it undefined again
  VEC(CopiedElement) copies;    // in flight
  uint32_t by;                  // the current warp group
  uint64_t groups[GROUPS_MOST]; // committed, by warp group
};

void eval_shared_program(Machine *m) {
  if (!m->shared) return;
  for (uint32_t i = 0; i < m->shared->buffers.n; i++)
    for (uint32_t k = 0; k < m->shared->buffers.at[i].n; k++)
      m->shared->buffers.at[i].at[k] = (Element){.state = UNDEFINED};
  m->shared->copies.n = 0;
  memset(m->shared->groups, 0, sizeof m->shared->groups);
}

static SharedState *state_of(Machine *m) {
  if (!m->shared) m->shared = ARENA_NEW(m->arena, SharedState);
  return m->shared;
}

void eval_shared_group(Machine *m, uint32_t group) { state_of(m)->by = group; }

uint32_t eval_shared_by(const Machine *m) { return m->shared ? m->shared->by : 0; }

static void clear_buffer(Buffer *buffer) {
  for (uint32_t k = 0; k < buffer->n; k++) buffer->at[k] = (Element){.state = UNDEFINED};
}

static bool share_bytes(const Buffer *a, const Buffer *b) {
  return a != b && a->begin < b->end && b->begin < a->end;
}

// Before a write to buffer number `index`: other buffers that share bytes with it become undefined.
static void take_bytes(SharedState *state, uint32_t index) {
  const Buffer *taken = &state->buffers.at[index];
  for (uint32_t i = 0; i < state->buffers.n; i++)
    if (share_bytes(&state->buffers.at[i], taken)) clear_buffer(&state->buffers.at[i]);
}

// Returns true if elements of buffer number `index` may be written: nothing in flight reads them or their
// bytes.
static bool may_write(Machine *m, const Op *op, uint32_t index, uint64_t first, uint64_t last) {
  const SharedState *state = m->shared;
  bool dot = eval_dots_read(m, index, first, last), store = eval_stores_read(m, index, first, last);
  for (uint32_t i = 0; i < state->buffers.n; i++) {
    if (!share_bytes(&state->buffers.at[i], &state->buffers.at[index])) continue;
    dot |= eval_dots_read(m, i, 0, state->buffers.at[i].n);
    store |= eval_stores_read(m, i, 0, state->buffers.at[i].n);
  }
  if (dot)
    return eval_error(m, op, NO_ELEMENT, "[T0000] the buffer is written while an asynchronous dot reads it");
  return !store || eval_error(m, op, NO_ELEMENT, "[T0000] the buffer is written while a TMA store reads it");
}

static uint32_t buffer_number(Machine *m, const Op *alloc) {
  SharedState *state = state_of(m);
  for (uint32_t i = 0; i < state->buffers.n; i++)
    if (state->buffers.at[i].alloc == alloc) return i;
  const Type *type = op_result(alloc)->type;
  Buffer buffer = {.alloc = alloc, .n = (uint32_t)type_elements(type)};
  if (op_attr(alloc, ATTR_OFFSET)) {
    buffer.begin = (uint64_t)op_int(alloc, ATTR_OFFSET, 0);
    buffer.end = buffer.begin + alloc_bytes(alloc);
  }
  buffer.at = ARENA_ARRAY(m->arena, Element, buffer.n);
  vec_push(m->arena, &state->buffers, buffer);
  return state->buffers.n - 1;
}

void eval_shared_clear(Machine *m, uint32_t buffer, uint64_t first, uint64_t n) {
  for (uint64_t i = first; i < first + n; i++)
    m->shared->buffers.at[buffer].at[i] = (Element){.state = UNDEFINED};
}

uint64_t eval_shared_elements(const Machine *m, uint32_t buffer) { return m->shared->buffers.at[buffer].n; }

bool eval_shared_copying(const Machine *m, uint32_t buffer, uint64_t first, uint64_t n) {
  for (uint32_t i = 0; i < m->shared->copies.n; i++) {
    const CopiedElement *copy = &m->shared->copies.at[i];
    if (copy->buffer == buffer && copy->element >= first && copy->element < first + n) return true;
  }
  return false;
}

static void run_alloc(Machine *m, const Op *op) {
  uint32_t number = buffer_number(m, op);
  clear_buffer(&m->shared->buffers.at[number]);
  eval_mbarriers_gone(m, number);
  const Type *type = op_result(op)->type;
  Tile *to = eval_tile(m, op_result(op));
  to->bits[0] = number;
  to->bits[1] = 0;
  uint64_t stride = 1;
  for (uint32_t d = type->rank; d-- > 0; stride *= type->shape[d]) to->bits[2 + d] = stride;
  memset(to->state, 0, to->n);
}

// --- positions

// The elements of a part of a buffer, of `shape`, in row-major order.
typedef struct PartWalk {
  Buffer *buffer;
  uint32_t number;
  const Type *shape;
  uint64_t at, stride[TILE_MAX_RANK];
  uint32_t index[TILE_MAX_RANK];
} PartWalk;

static PartWalk walk_of(Machine *m, const Tile *view, const Type *shape, const Attr *starts) {
  PartWalk walk = {.shape = shape, .number = (uint32_t)view->bits[0], .at = view->bits[1]};
  walk.buffer = &m->shared->buffers.at[walk.number];
  for (uint32_t d = 0; d < shape->rank; d++) {
    walk.stride[d] = view->bits[2 + d];
    if (starts) walk.at += walk.stride[d] * (uint64_t)starts->ints.at[d];
  }
  return walk;
}

static Element *walk_next(PartWalk *walk) {
  if (walk->at >= walk->buffer->n) BUG("an element outside of its shared buffer");
  Element *element = &walk->buffer->at[walk->at];
  for (uint32_t d = walk->shape->rank; d-- > 0;) {
    walk->at += walk->stride[d];
    if (++walk->index[d] < walk->shape->shape[d]) break;
    walk->at -= walk->stride[d] * walk->shape->shape[d];
    walk->index[d] = 0;
  }
  return element;
}

static uint64_t last_of(const PartWalk *walk) {
  uint64_t last = walk->at;
  for (uint32_t d = 0; d < walk->shape->rank; d++) last += (walk->shape->shape[d] - 1) * walk->stride[d];
  return last;
}

// Returns true if all elements of the walk may be written.
static bool may_write_walk(Machine *m, const Op *op, const PartWalk *walk) {
  return may_write(m, op, walk->number, walk->at, last_of(walk));
}

// Records a write by threads.
static void written_by_threads(Machine *m, const PartWalk *walk) {
  eval_stores_written(m, walk->number, walk->at, last_of(walk));
}

// --- ops

static bool run_store(Machine *m, const Op *op) {
  const Tile *from = eval_operand(m, op, 0);
  PartWalk walk = walk_of(m, eval_operand(m, op, 1), op_operand(op, 0)->type, op_attr(op, ATTR_STARTS));
  if (!may_write_walk(m, op, &walk)) return false;
  take_bytes(m->shared, walk.number);
  written_by_threads(m, &walk);
  for (uint32_t i = 0; i < from->n; i++) *walk_next(&walk) = tile_get(from, i);
  return true;
}

static void run_load(Machine *m, const Op *op) {
  Tile *to = eval_tile(m, op_result(op));
  const Type *type = op_result(op)->type;
  PartWalk walk = walk_of(m, eval_operand(m, op, 0), type, op_attr(op, ATTR_STARTS));
  const Attr *mirror = op_attr(op, ATTR_MIRROR);
  if (mirror) { // backwards from the end: unsigned sums wrap, and wrap back
    walk.at += walk.stride[mirror->i] * (type->shape[mirror->i] - 1);
    walk.stride[mirror->i] = -walk.stride[mirror->i];
  }
  for (uint32_t i = 0; i < to->n; i++) tile_set(to, i, walk_next(&walk));
}

// The buffer's elements in row-major order.
static Tile read_buffer(Machine *m, const Value *buffer) {
  Tile all = {.n = (uint32_t)type_elements(buffer->type), .code = (ElemCode)buffer->type->elem};
  eval_tile_alloc(m, &all);
  eval_shared_read(m, buffer, &all);
  return all;
}

static void run_gather(Machine *m, const Op *op) {
  const Value *buffer = op_operand(op, 0);
  Tile all = read_buffer(m, buffer), *to = eval_tile(m, op_result(op));
  eval_gather(op, buffer->type, &all, eval_operand(m, op, 1), to);
  eval_block_free(m->memory, all.block, all.block_bytes);
}

static bool run_count(Machine *m, const Op *op) {
  const Value *buffer = op_operand(op, 1);
  Tile bins = read_buffer(m, buffer);
  PartWalk walk = walk_of(m, eval_operand(m, op, 1), buffer->type, NULL);
  if (!may_write_walk(m, op, &walk)) return false;
  eval_count(eval_operand(m, op, 0), eval_operand(m, op, 2), &bins);
  take_bytes(m->shared, walk.number);
  written_by_threads(m, &walk);
  for (uint32_t i = 0; i < bins.n; i++) *walk_next(&walk) = tile_get(&bins, i);
  eval_block_free(m->memory, bins.block, bins.block_bytes);
  return true;
}

void eval_shared_read(Machine *m, const Value *buffer, Tile *to) {
  const Tile *view = &m->values[buffer->id];
  if (!view->block) BUG("a shared buffer is used before it is made");
  PartWalk walk = walk_of(m, view, buffer->type, NULL);
  for (uint32_t i = 0; i < to->n; i++) tile_set(to, i, walk_next(&walk));
}

static bool run_index(Machine *m, const Op *op) {
  const Tile *from = eval_operand(m, op, 0), *index = eval_operand(m, op, 1);
  uint32_t count = op_operand(op, 0)->type->shape[0];
  if (index->state[0] & UNDEFINED)
    return eval_undefined(m, op, op_operand(op, 1), NO_ELEMENT, "the buffer's number");
  if (index->bits[0] >= count)
    return eval_error(m, op, NO_ELEMENT, "[T0000] buffer number %lld of %u", (long long)index->bits[0],
                      count);
  Tile *to = eval_tile(m, op_result(op));
  to->bits[0] = from->bits[0];
  to->bits[1] = from->bits[1] + index->bits[0] * from->bits[2];
  memcpy(to->bits + 2, from->bits + 3, (to->n - 2) * sizeof *to->bits);
  memset(to->state, 0, to->n);
  return true;
}

static void run_trans(Machine *m, const Op *op) {
  const Tile *from = eval_operand(m, op, 0);
  const Attr *order = op_attr(op, ATTR_ORDER);
  Tile *to = eval_tile(m, op_result(op));
  memcpy(to->bits, from->bits, 2 * sizeof *to->bits);
  for (uint32_t d = 0; d < op_result(op)->type->rank; d++)
    to->bits[2 + d] = from->bits[2 + order->ints.at[d]];
  memset(to->state, 0, to->n);
}

// Reads the copy's source element when the copy starts.
static bool copy_element(Machine *m, const Op *op, uint32_t i, Element *x) {
  const Tile *pointer = eval_operand(m, op, 0);
  bool ok = true, copied = op->operand_count < 3 || eval_mask(m, op, 2, i, &ok);
  Access access = {.op = op, .element = i, .code = eval_pointee(op_operand(op, 0))};
  if (!ok) return false;
  if (!copied) {
    *x = eval_exact(access.code, 0);
    return true;
  }
  if (!eval_defined(m, op, 0, i, "the pointer")) return false;
  access.address = pointer->bits[i];
  access.doubt = state_is_doubtful(pointer->state[i]) ? pointer->state[i] : 0;
  return eval_access_load(m, &access, x);
}

// The next element of the walk gets the value when the group has landed.
static void begin_copy(Machine *m, PartWalk *walk, const Element *value, uint64_t group) {
  Element *element = walk_next(walk);
  CopiedElement copy = {.buffer = walk->number, .element = (uint32_t)(element - walk->buffer->at)};
  copy.by = m->shared->by;
  copy.group = group;
  copy.value = *value;
  *element = (Element){.state = UNDEFINED};
  vec_push(m->arena, &m->shared->copies, copy);
}

static bool run_copy(Machine *m, const Op *op) {
  const Type *type = op_operand(op, 0)->type;
  PartWalk walk = walk_of(m, eval_operand(m, op, 1), type, NULL);
  uint32_t n = (uint32_t)type_elements(type);
  eval_race_op(m, op);
  if (!may_write_walk(m, op, &walk)) return false;
  take_bytes(m->shared, walk.number);
  written_by_threads(m, &walk);
  for (uint32_t i = 0; i < n; i++) {
    Element value;
    if (!copy_element(m, op, i, &value)) return false;
    begin_copy(m, &walk, &value, m->shared->groups[m->shared->by] + 1);
  }
  return true;
}

static void run_commit(Machine *m, const Op *op) {
  Tile *to = eval_tile(m, op_result(op));
  SharedState *state = state_of(m);
  to->bits[0] = ++state->groups[state->by];
  to->state[0] = 0;
}

// Makes the data of groups `first` to `last` available.
static void land_copies(SharedState *state, uint64_t first, uint64_t last) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < state->copies.n; i++) {
    const CopiedElement *copy = &state->copies.at[i];
    bool others = !(copy->group & OF_MBARRIER) && copy->by != state->by;
    if (copy->group < first || copy->group > last || others) {
      state->copies.at[kept++] = *copy;
      continue;
    }
    if (i == 0 || copy[-1].buffer != copy->buffer) take_bytes(state, copy->buffer);
    state->buffers.at[copy->buffer].at[copy->element] = copy->value;
  }
  state->copies.n = kept;
}

static bool run_wait(Machine *m, const Op *op) {
  SharedState *state = state_of(m);
  uint64_t pending = (uint64_t)op_int(op, ATTR_PENDING, 0);
  uint64_t groups = state->groups[state->by], last = groups > pending ? groups - pending : 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    uint64_t group = eval_operand(m, op, i)->bits[0];
    if (group > last)
      return eval_error(
          m, op, NO_ELEMENT,
          "[T0000] the copies of operand %u may still be in flight: %llu groups were committed after "
          "them, and %llu are not waited for",
          i, (unsigned long long)(groups - group), (unsigned long long)pending);
  }
  land_copies(state, 0, last);
  return true;
}

// --- TMA copies

bool eval_shared_copying_to(const Machine *m, uint64_t mbarrier) {
  for (uint32_t i = 0; m->shared && i < m->shared->copies.n; i++)
    if (m->shared->copies.at[i].group == (OF_MBARRIER | mbarrier)) return true;
  return false;
}

void eval_shared_land(Machine *m, uint64_t mbarrier) {
  if (m->shared) land_copies(m->shared, OF_MBARRIER | mbarrier, OF_MBARRIER | mbarrier);
}

bool eval_shared_copy(Machine *m, const Op *op, uint32_t operand, const Element *elements,
                      uint64_t mbarrier) {
  const Type *type = op_operand(op, operand)->type;
  PartWalk walk = walk_of(m, eval_operand(m, op, operand), type, NULL);
  if (!may_write_walk(m, op, &walk)) return false;
  take_bytes(m->shared, walk.number);
  for (uint32_t i = 0; i < type_elements(type); i++) {
    begin_copy(m, &walk, &elements[i], OF_MBARRIER | mbarrier);
  }
  return true;
}

static void run_dot_wait(Machine *m, const Op *op) {
  eval_dots_wait(m, (uint64_t)op_int(op, ATTR_PENDING, 0));
  for (uint32_t i = 0; i < op->result_count; i++)
    eval_copy(m, eval_tile(m, &op->results[i]), eval_operand(m, op, i));
}

bool eval_scratch(Machine *m, const Op *op) {
  const Value *scratch = op_scratch(op);
  if (!scratch) return true;
  uint32_t number = (uint32_t)m->values[scratch->id].bits[0];
  if (!may_write(m, op, number, 0, m->shared->buffers.at[number].n)) return false;
  clear_buffer(&m->shared->buffers.at[number]);
  take_bytes(m->shared, number);
  return true;
}

bool eval_shared(Machine *m, Op *op) {
  switch ((int)op->kind) {
  case OP_SHARED_ALLOC: run_alloc(m, op); return true;
  case OP_SHARED_STORE: return run_store(m, op);
  case OP_SHARED_LOAD: run_load(m, op); return true;
  case OP_SHARED_GATHER: run_gather(m, op); return true;
  case OP_SHARED_COUNT: return run_count(m, op);
  case OP_SHARED_INDEX: return run_index(m, op);
  case OP_SHARED_TRANS: run_trans(m, op); return true;
  case OP_COPY_ASYNC: return run_copy(m, op);
  case OP_ASYNC_COMMIT: run_commit(m, op); return true;
  case OP_ASYNC_WAIT: return run_wait(m, op);
  case OP_DOT_WAIT: run_dot_wait(m, op); return true;
  default: BUG("%s is not of shared memory", op_info(op->kind)->name);
  }
}
