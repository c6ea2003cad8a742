// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarriers of the evaluator, and TMA copies, which count their bytes there.
//
// A copy counts its bytes when it starts. Its data is in the buffer only after a wait for the phase. A phase
// waits for its arrivals, usually one, and for the bytes that these announced. Then the next phase begins.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "base/fault.h"
#include "eval/eval_machine.h"
#include "ir/memory/groups.h"
#include "ir/queries.h"
#include "ir/number.h"
#include "ir/memory/tensor_box.h"

typedef struct Mbarrier {
  uint32_t buffer, element;
  bool valid;
  uint32_t arrivals, missing; // per phase; in this phase
  uint64_t bytes;             // that this phase still waits for
  uint64_t phase;             // number of completed phases
} Mbarrier;

struct MbarrierState {
  VEC(Mbarrier) list; // a copy in flight has its mbarrier's index
};

static Mbarrier *mbarrier_at(Machine *m, uint32_t buffer, uint32_t element) {
  if (!m->mbarriers) m->mbarriers = ARENA_NEW(m->arena, MbarrierState);
  for (uint32_t i = 0; i < m->mbarriers->list.n; i++)
    if (m->mbarriers->list.at[i].buffer == buffer && m->mbarriers->list.at[i].element == element)
      return &m->mbarriers->list.at[i];
  vec_push(m->arena, &m->mbarriers->list, ((Mbarrier){.buffer = buffer, .element = element}));
  return &m->mbarriers->list.at[m->mbarriers->list.n - 1];
}

// The mbarrier in a view of one element.
static Mbarrier *mbarrier_of(Machine *m, const Op *op, uint32_t operand) {
  const Tile *view = eval_operand(m, op, operand);
  Mbarrier *mbarrier = mbarrier_at(m, (uint32_t)view->bits[0], (uint32_t)view->bits[1]);
  if (mbarrier->valid) return mbarrier;
  eval_error(m, op, NO_ELEMENT,
             "[T0000] operand %u is not an mbarrier: it was not initialised by mbarrier_init", operand);
  return NULL;
}

static uint64_t copy_key(const Machine *m, const Mbarrier *mbarrier) {
  return (uint64_t)(mbarrier - m->mbarriers->list.at);
}

void eval_mbarriers_program(Machine *m) {
  for (uint32_t i = 0; m->mbarriers && i < m->mbarriers->list.n; i++) m->mbarriers->list.at[i].valid = false;
}

void eval_mbarriers_gone(Machine *m, uint32_t buffer) {
  for (uint32_t i = 0; m->mbarriers && i < m->mbarriers->list.n; i++)
    if (m->mbarriers->list.at[i].buffer == buffer) m->mbarriers->list.at[i].valid = false;
}

static void complete(Mbarrier *mbarrier) {
  if (mbarrier->missing || mbarrier->bytes) return;
  mbarrier->missing = mbarrier->arrivals;
  mbarrier->phase++;
}

// --- ops

static bool is_idle(Machine *m, const Op *op, const Mbarrier *mbarrier, uint64_t i) {
  return !eval_shared_copying_to(m, copy_key(m, mbarrier)) ||
         eval_error(m, op, NO_ELEMENT, "[T0000] copies that count their bytes at mbarrier %u are in flight",
                    (unsigned)i);
}

bool eval_mbarriers_begin(Machine *m, const Op *op, uint32_t operand, bool again) {
  const Tile *view = eval_operand(m, op, operand);
  uint64_t n = type_elements(op_operand(op, operand)->type);
  for (uint64_t i = 0; i < n; i++) {
    Mbarrier *mbarrier = mbarrier_at(m, (uint32_t)view->bits[0], (uint32_t)(view->bits[1] + i));
    if (mbarrier->valid && !again)
      return eval_error(m, op, NO_ELEMENT,
                        "[T0000] element %u is an mbarrier already: mbarrier_inval must come first",
                        (unsigned)i);
    if (mbarrier->valid && !is_idle(m, op, mbarrier, i)) return false;
    *mbarrier = (Mbarrier){.buffer = mbarrier->buffer, .element = mbarrier->element, .valid = true};
    mbarrier->arrivals = mbarrier->missing = (uint32_t)op_int(op, ATTR_ARRIVALS, 1);
  }
  return true;
}

static bool run_inval(Machine *m, const Op *op) {
  const Tile *view = eval_operand(m, op, 0);
  uint64_t n = type_elements(op_operand(op, 0)->type);
  for (uint64_t i = 0; i < n; i++) {
    Mbarrier *mbarrier = mbarrier_at(m, (uint32_t)view->bits[0], (uint32_t)(view->bits[1] + i));
    if (!mbarrier->valid)
      return eval_error(m, op, NO_ELEMENT, "[T0000] element %u is not an mbarrier", (unsigned)i);
    if (!is_idle(m, op, mbarrier, i)) return false;
    mbarrier->valid = false;
  }
  return true;
}

static bool run_expect(Machine *m, const Op *op) {
  Mbarrier *mbarrier = mbarrier_of(m, op, 0);
  if (!mbarrier) return false;
  if (!mbarrier->missing)
    return eval_error(m, op, NO_ELEMENT,
                      "[T0000] the mbarrier's phase has had its arrival, and %" PRIu64 " bytes are missing",
                      mbarrier->bytes);
  mbarrier->missing--;
  mbarrier->bytes += (uint64_t)op_int(op, ATTR_BYTES, 0);
  complete(mbarrier);
  return true;
}

// Each warp arrives once, or the one thread of the group.
static bool run_arrive(Machine *m, const Op *op) {
  Mbarrier *mbarrier = mbarrier_of(m, op, 0);
  uint32_t arrivals = group_runs_by_thread(op) ? 1 : region_warps(op);
  if (!mbarrier) return false;
  if (op_follows_dots(op)) eval_dots_wait(m, 0); // The tensor core arrives when they are complete.
  if (arrivals > mbarrier->missing)
    return eval_error(m, op, NO_ELEMENT,
                      "[T0000] %u warps arrive, and the mbarrier's phase waits for %u more", arrivals,
                      mbarrier->missing);
  mbarrier->missing -= arrivals;
  complete(mbarrier);
  return true;
}

bool eval_mbarrier_waits(const Machine *m, const Op *op, char *text, size_t room) {
  const Tile *view = eval_operand(m, op, 0), *parity = eval_operand(m, op, 1);
  for (uint32_t i = 0; m->mbarriers && i < m->mbarriers->list.n; i++) {
    const Mbarrier *mbarrier = &m->mbarriers->list.at[i];
    bool is = mbarrier->valid && mbarrier->buffer == view->bits[0] && mbarrier->element == view->bits[1];
    if (!is || parity->state[0] & UNDEFINED || (mbarrier->phase & 1) != (parity->bits[0] & 1)) continue;
    snprintf(text, room, "%" PRIu64 " phases are complete, and %u arrivals and %" PRIu64 " bytes are missing",
             mbarrier->phase, mbarrier->missing, mbarrier->bytes);
    return true;
  }
  return false;
}

static bool wait_phase(Machine *m, const Op *op, Mbarrier *mbarrier, uint64_t parity) {
  if ((mbarrier->phase & 1) == (parity & 1))
    return eval_error(
        m, op, NO_ELEMENT,
        "[T0000] the wait does not end: %" PRIu64 " phases of the mbarrier are complete, %s", mbarrier->phase,
        !mbarrier->missing ? "and bytes of the next one are missing" : "and nothing has arrived since");
  eval_shared_land(m, copy_key(m, mbarrier));
  return true;
}

bool eval_mbarrier_wait_slot(Machine *m, const Op *op, uint32_t operand, uint32_t slot, uint64_t parity) {
  const Tile *view = eval_operand(m, op, operand);
  Mbarrier *mbarrier = mbarrier_at(m, (uint32_t)view->bits[0], (uint32_t)view->bits[1] + slot);
  return wait_phase(m, op, mbarrier, parity);
}

static bool run_wait(Machine *m, const Op *op) {
  const Tile *parity = eval_operand(m, op, 1);
  Mbarrier *mbarrier = mbarrier_of(m, op, 0);
  if (!mbarrier) return false;
  if (parity->state[0] & UNDEFINED)
    return eval_undefined(m, op, op_operand(op, 1), NO_ELEMENT, "the phase's parity");
  if (parity->bits[0] > 1)
    return eval_error(m, op, NO_ELEMENT, "[T0000] a parity must be 0 or 1, not %lld",
                      (long long)parity->bits[0]);
  return wait_phase(m, op, mbarrier, parity->bits[0]);
}

// --- TMA copies

enum { COPY_BUFFER = 1, COPY_MBARRIER = 2, COPY_COORDINATES = 3 };

bool eval_tensor_tile(Machine *m, const Op *op, uint32_t coordinates, TensorTile *tile) {
  *tile = (TensorTile){op, eval_map(m, op_operand(op, 0)), op_operand(op, 1)->type, {0}, 0};
  uint32_t last = tile->map->type->rank - 1;
  for (uint32_t d = 0; d <= last; d++) {
    if (!eval_defined(m, op, coordinates + d, NO_ELEMENT, "the coordinate")) return false;
    tile->at[d] = (int64_t)eval_operand(m, op, coordinates + d)->bits[0];
  }
  return tile->at[last] * elem_bytes(tile->shape->elem) % TENSOR_COPY_BYTES == 0 ||
         eval_error(m, op, NO_ELEMENT,
                    "[T0000] the last coordinate, %" PRId64 ", is not a multiple of %d bytes", tile->at[last],
                    TENSOR_COPY_BYTES);
}

bool eval_tensor_access(const TensorTile *tile, uint32_t i, Access *access) {
  uint64_t elements = 0, rest = i;
  bool inside = true;
  for (uint32_t d = tile->map->type->rank; d-- > 0;) {
    uint32_t extent = tensor_extent(tile->map->type, tile->shape, d);
    if (tile->rows && d + 1 < tile->map->type->rank && extent > 1) extent = tile->rows;
    int64_t at = tile->at[d] + (int64_t)(rest % extent);
    rest /= extent;
    inside &= at >= 0 && at < tile->map->sizes[d];
    elements += (uint64_t)at * (uint64_t)tile->map->strides[d];
  }
  *access = (Access){.op = tile->op, .element = i, .code = (ElemCode)tile->shape->elem};
  access->address = tile->map->base + elements * eval_code_bytes(access->code);
  return inside;
}

// Returns true if the TMA tiles contain the buffer's element i.
static bool is_copied(const TensorTile *copy, const TensorBox *box, uint32_t i) {
  uint32_t columns = copy->shape->shape[1];
  return i / columns < box->shape[0] && i % columns < box->count * box->shape[1];
}

// Element i of the buffer: from the tensor, or the fill value.
static bool copied_element(Machine *m, const TensorTile *copy, uint32_t i, Element *x) {
  Access access;
  bool inside = eval_tensor_access(copy, i, &access);
  *x = eval_exact(access.code, copy->map->type->pads_nan ? number_encode((Elem)access.code, NAN) : 0);
  return !inside || eval_access_load(m, &access, x);
}

static bool are_expected(Machine *m, const Op *op, const Mbarrier *mbarrier, uint64_t bytes) {
  return bytes <= mbarrier->bytes ||
         eval_error(m, op, NO_ELEMENT,
                    "[T0000] %" PRIu64 " bytes are copied, the mbarrier's phase waits for %" PRIu64 " more",
                    bytes, mbarrier->bytes);
}

static bool run_copy(Machine *m, const Op *op) {
  const Type *shape = op_operand(op, COPY_BUFFER)->type;
  TensorTile copy;
  Mbarrier *mbarrier = mbarrier_of(m, op, COPY_MBARRIER);
  TensorBox box;
  if (!tensor_op_box(op, &box)) BUG("a buffer that TMA tiles do not fill");
  uint32_t n = (uint32_t)type_elements(shape);
  uint64_t bytes = (uint64_t)box.count * box.bytes;
  if (!mbarrier || !eval_tensor_tile(m, op, COPY_COORDINATES, &copy)) return false;
  copy.rows = box.shape[0]; // of both halves, for a pair
  if (!are_expected(m, op, mbarrier, bytes)) return false;
  Element *elements = ARENA_ARRAY(m->arena, Element, n);
  eval_race_op(m, op);
  for (uint32_t i = 0; i < n; i++) {
    elements[i] = (Element){.state = UNDEFINED};
    if (is_copied(&copy, &box, i) && !copied_element(m, &copy, i, &elements[i])) return false;
  }
  if (!eval_shared_copy(m, op, COPY_BUFFER, elements, copy_key(m, mbarrier))) return false;
  mbarrier->bytes -= bytes;
  complete(mbarrier);
  return true;
}

// --- bulk copies

// The pointer of a part: the first operand, or one of those after the mbarrier.
static uint32_t pointer_of(uint32_t part) { return part ? COPY_MBARRIER + part : 0; }

static bool copied_part(Machine *m, const Op *op, uint32_t part, uint32_t first, uint32_t n,
                        Element *elements) {
  const Type *buffer = op_operand(op, COPY_BUFFER)->type;
  const Value *pointer = op_operand(op, pointer_of(part));
  const Tile *from = eval_operand(m, op, pointer_of(part));
  if (from->state[0] & UNDEFINED) return eval_undefined(m, op, pointer, NO_ELEMENT, "the address");
  if (from->bits[0] % TENSOR_COPY_BYTES)
    return eval_error(m, op, NO_ELEMENT, "[T0000] an address is no multiple of %d bytes", TENSOR_COPY_BYTES);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = layout_apply_offset(buffer->layout, first + i);
    Access access = {.op = op, .element = at, .code = (ElemCode)buffer->elem};
    access.address = from->bits[0] + (uint64_t)i * elem_bytes(buffer->elem);
    if (!eval_access_load(m, &access, &elements[at])) return false;
  }
  return true;
}

static bool run_bulk_copy(Machine *m, const Op *op) {
  const Type *buffer = op_operand(op, COPY_BUFFER)->type;
  Mbarrier *mbarrier = mbarrier_of(m, op, COPY_MBARRIER);
  uint32_t all = (uint32_t)type_elements(buffer), parts = op->operand_count - COPY_MBARRIER;
  uint64_t bytes = (uint64_t)all * elem_bytes(buffer->elem);
  if (!mbarrier || !are_expected(m, op, mbarrier, bytes)) return false;
  Element *elements = ARENA_ARRAY(m->arena, Element, all);
  eval_race_op(m, op);
  for (uint32_t i = 0; i < parts; i++)
    if (!copied_part(m, op, i, i * (all / parts), all / parts, elements)) return false;
  if (!eval_shared_copy(m, op, COPY_BUFFER, elements, copy_key(m, mbarrier))) return false;
  mbarrier->bytes -= bytes;
  complete(mbarrier);
  return true;
}

// --- programs of the grid

enum { TAKEN_NUMBERS = 1 + PROGRAM_AXES };

static bool run_take(Machine *m, const Op *op) {
  enum { PLACE, MBARRIER, BYTES = 16 };
  Mbarrier *mbarrier = mbarrier_of(m, op, MBARRIER);
  uint32_t place[PROGRAM_AXES];
  Element numbers[TAKEN_NUMBERS];
  if (!mbarrier) return false;
  if (mbarrier->bytes < BYTES)
    return eval_error(m, op, NO_ELEMENT,
                      "[T0000] the answer has %d bytes, the mbarrier's phase waits for %" PRIu64 " more",
                      BYTES, mbarrier->bytes);
  bool taken = eval_take_program(m, place);
  numbers[0] = eval_exact((ElemCode)ELEM_I32, taken);
  for (uint32_t d = 0; d < PROGRAM_AXES; d++)
    numbers[1 + d] = taken ? eval_exact((ElemCode)ELEM_I32, place[d]) : (Element){.state = UNDEFINED};
  if (!eval_shared_copy(m, op, PLACE, numbers, copy_key(m, mbarrier))) return false;
  mbarrier->bytes -= BYTES;
  complete(mbarrier);
  return true;
}

static bool run_taken(Machine *m, const Op *op) {
  Tile all = {.n = TAKEN_NUMBERS, .code = (ElemCode)ELEM_I32};
  eval_tile_alloc(m, &all);
  eval_shared_read(m, op_operand(op, 0), &all);
  for (uint32_t i = 0; i < TAKEN_NUMBERS; i++) {
    Element number = tile_get(&all, i);
    tile_set(eval_tile(m, &op->results[i]), 0, &number);
  }
  eval_block_free(m->memory, all.block, all.block_bytes);
  return true;
}

bool eval_mbarrier(Machine *m, Op *op) {
  switch ((int)op->kind) {
  case OP_MBARRIER_INIT: return eval_mbarriers_begin(m, op, 0, false);
  case OP_MBARRIER_INVAL: return run_inval(m, op);
  case OP_MBARRIER_EXPECT: return run_expect(m, op);
  case OP_MBARRIER_WAIT: return run_wait(m, op);
  case OP_MBARRIER_ARRIVE: return run_arrive(m, op);
  case OP_TMA_COPY: return run_copy(m, op);
  case OP_BULK_COPY: return run_bulk_copy(m, op);
  case OP_TAKE_PROGRAM: return run_take(m, op);
  case OP_TAKEN_PROGRAM: return run_taken(m, op);
  default: BUG("%s is not of mbarriers", op_info(op->kind)->name);
  }
}
