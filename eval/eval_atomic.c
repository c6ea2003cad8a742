// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics of the evaluator, one element after another.
//
// Floats added to one address form one sum of n terms, in any order. The terms are kept per address until
// something else changes the value there.
#include <math.h>
#include <string.h>
#include "base/fault.h"
#include "base/hash.h"
#include "base/table.h"
#include "eval/eval_machine.h"
#include "ir/memory/atomic.h"
#include "ir/number.h"

enum { MAX_SUMS = 1 << 23 };

typedef struct AddressSum {
  uint64_t address;
  Element now; // as it was left in memory
  FloatSum terms;
} AddressSum;

struct AtomicSums {
  Table by_address; // Sum
};

static bool is_at(const void *sum, const void *address) {
  return ((const AddressSum *)sum)->address == *(const uint64_t *)address;
}

// The sum at an address; its first term is the current value. NULL if there are too many sums.
static FloatSum *sum_at(Machine *m, uint64_t address, Elem elem, const Element *now, AddressSum **slot) {
  if (!m->sums) m->sums = ARENA_NEW(m->arena, AtomicSums);
  if (m->sums->by_address.n >= MAX_SUMS) return NULL;
  void **place = table_place(&m->sums->by_address, m->arena, hash_u64(address), &address, is_at);
  AddressSum *sum = *slot = *place;
  bool same = sum && sum->now.bits == now->bits && sum->now.r == now->r && sum->now.e == now->e;
  if (same) return &sum->terms;
  if (!sum) *place = *slot = sum = ARENA_NEW(m->arena, AddressSum);
  *sum = (AddressSum){.address = address};
  if (now->r != 0 || now->e != 0) eval_sum_add(&sum->terms, elem, now);
  return &sum->terms;
}

static Element add_float(Machine *m, const Access *access, const Element *old, const Element *value) {
  AddressSum *slot;
  Elem elem = (Elem)access->code;
  FloatSum *terms = sum_at(m, access->address, elem, old, &slot);
  if (!terms) return eval_float_binary(OP_ADD, elem, old, value);
  if (terms->terms == 0) terms->v = number_decode(elem, old->bits);
  eval_sum_add(terms, elem, value);
  terms->state |= old->state;
  slot->now = eval_sum_end(terms, elem);
  return slot->now;
}

typedef enum Rmw {
  RMW_ADD,
  RMW_MAX,
  RMW_MIN,
  RMW_AND,
  RMW_OR,
  RMW_XOR,
  RMW_XCHG,
  RMW_LOAD,
  RMW_STORE,
  RMW_CAS
} Rmw;

static const char *const RMW_NAMES[] = {"add", "max", "min", "and", "or", "xor", "xchg", "load", "store"};

static Rmw rmw_of(const Op *op) {
  const Attr *attr = op_attr(op, ATTR_RMW);
  for (int i = 0; attr && i < RMW_CAS; i++)
    if (strcmp(RMW_NAMES[i], attr->str) == 0) return (Rmw)i;
  BUG("no read-modify-write \"%s\"", attr ? attr->str : "");
}

static Element rmw_apply(Machine *m, Rmw rmw, const Access *access, const Element *old,
                         const Element *value) {
  static const OpKind KINDS[] = {OP_ADD, OP_MAX, OP_MIN, OP_AND, OP_OR, OP_XOR};
  if (rmw == RMW_XCHG || rmw == RMW_STORE) return *value;
  if (rmw == RMW_ADD && eval_code_is_float(access->code)) return add_float(m, access, old, value);
  return eval_binary(KINDS[rmw], access->code, old, value);
}

// Returns true if the value left in memory depends on the order: exchanges of different values, and kinds
// that do not commute.
static bool order_shows(Rmw rmw, unsigned found, const Element *old, const Element *now) {
  bool changes = old->bits != now->bits;
  if (found & UNORDERED) return true;
  bool replaces = rmw == RMW_XCHG || rmw == RMW_STORE;
  return changes && (replaces ? found & OTHER_LAST : rmw != RMW_CAS && found & OTHER_KIND);
}

// Returns true if the old value is used. A loop that only waits for it does not count.
static bool shows_old(const Op *op) {
  return op_result(op)->first_use && !eval_only_waits(op->region->parent);
}

// The old value as the op gives it: uncertain if others race for the place.
static Element seen(Machine *m, const Access *access, unsigned found, Element old) {
  if (found & CONTENDED && shows_old(access->op)) {
    eval_race_old_used(m, access->op);
    old.state |= UNCERTAIN;
  }
  return old;
}

static Element load_element(Machine *m, EvalBuffer *buffer, const Access *access) {
  Element old = eval_memory_load(buffer, access->address, access->code);
  unsigned found = eval_race_atomic_load(m, access);
  return seen(m, access, found, old);
}

static Element rmw_element(Machine *m, Rmw rmw, EvalBuffer *buffer, const Access *access,
                           const Element *value) {
  if (rmw == RMW_LOAD) return load_element(m, buffer, access);
  Element old = eval_memory_load(buffer, access->address, access->code);
  unsigned found = eval_race_atomic(m, access, rmw);
  Element now = rmw_apply(m, rmw, access, &old, value);
  if (order_shows(rmw, found, &old, &now)) now.state |= UNCERTAIN;
  eval_memory_store(m->memory, buffer, access->address, access->code, &now);
  return seen(m, access, found, old);
}

// Returns true if correct implementations may differ in a comparison of bits.
static bool bits_uncertain(const Element *x) { return state_is_doubtful(x->state) || x->e > 0; }

static Element cas_element(Machine *m, EvalBuffer *buffer, const Access *access, const Element *compare,
                           const Element *value) {
  Element old = eval_memory_load(buffer, access->address, access->code);
  unsigned found = eval_race_atomic(m, access, RMW_CAS);
  Element now = old.bits == compare->bits ? *value : old;
  if (bits_uncertain(&old) || bits_uncertain(compare) || found & UNORDERED) now.state |= UNCERTAIN;
  eval_memory_store(m->memory, buffer, access->address, access->code, &now);
  return seen(m, access, found, old);
}

// The buffer of element i. NULL with an error if the pointer, memory or an operand is undefined.
static EvalBuffer *open_element(Machine *m, const Op *op, uint32_t i, Access *access) {
  const Tile *pointer = eval_operand(m, op, 0);
  uint8_t doubt = state_is_doubtful(pointer->state[i]) ? pointer->state[i] : 0;
  *access =
      (Access){op, i, pointer->bits[i], eval_pointee(op_operand(op, 0)), doubt, eval_wrap_of(pointer, i)};
  if (!eval_defined(m, op, 0, i, "the address")) return NULL;
  EvalBuffer *buffer = eval_access_buffer(m, access);
  if (!buffer) return NULL;
  uint32_t values = op->kind == OP_ATOMIC_CAS ? 2 : atomic_is_load(op) ? 0 : 1;
  for (uint32_t k = 1; k <= values; k++)
    if (!eval_defined(m, op, k, i,
                      k == 1 && op->kind == OP_ATOMIC_CAS ? "the value to compare" : "the value"))
      return NULL;
  eval_doubt_memory(m, doubt);
  if (!(eval_memory_load(buffer, access->address, access->code).state & UNDEFINED)) return buffer;
  if (op->kind == OP_ATOMIC_RMW && (rmw_of(op) == RMW_XCHG || atomic_is_store(op))) return buffer;
  eval_unwritten(m, access);
  return NULL;
}

static void doubt_result(Machine *m, const Op *op, uint32_t i, uint8_t state) {
  uint64_t address = eval_operand(m, op, 0)->bits[i];
  ElemCode code = eval_pointee(op_operand(op, 0));
  uint32_t bytes = eval_code_bytes(code);
  EvalBuffer *buffer = eval_buffer_at(m->memory, address, bytes);
  if (buffer && address % bytes == 0) eval_memory_doubt(m->memory, buffer, address, code, state);
}

static bool run_element(Machine *m, const Op *op, uint32_t i, Element *old) {
  Access access;
  uint8_t state = eval_operand(m, op, 0)->state[i];
  if (state & ASSEMBLED) {
    eval_doubt_memory(m, state);
    *old = eval_exact(eval_pointee(op_operand(op, 0)), 0);
    old->state = UNCERTAIN | ASSEMBLED;
    return true;
  }
  EvalBuffer *buffer = open_element(m, op, i, &access);
  if (!buffer) return false;
  Element x = tile_get(eval_operand(m, op, 1), i);
  if (op->kind == OP_ATOMIC_RMW) {
    *old = rmw_element(m, rmw_of(op), buffer, &access, &x);
  } else {
    Element value = tile_get(eval_operand(m, op, 2), i);
    *old = cas_element(m, buffer, &access, &x, &value);
  }
  return true;
}

bool eval_atomic(Machine *m, Op *op) {
  if (m->host) return eval_on_host(m, op, "access memory");
  uint32_t at = op->kind == OP_ATOMIC_RMW ? 2 : 3;
  const Tile *mask = op_input(op, at) ? eval_operand(m, op, at) : NULL;
  bool ok = true;
  Tile *to = eval_tile(m, op_result(op));
  eval_race_op(m, op);
  for (uint32_t i = 0; i < to->n; i++) {
    Element old = {.state = UNDEFINED | UNREAD};
    bool holds = !mask || eval_mask(m, op, at, i, &ok);
    if (!ok || (holds && !run_element(m, op, i, &old))) return false;
    uint8_t state = mask ? mask->state[mask->n == 1 ? 0 : i] : 0;
    if (state_is_doubtful(state)) {
      doubt_result(m, op, i, state);
      old.state |= UNCERTAIN | (state & (UNREAD | ASSEMBLED));
    }
    tile_set(to, i, &old);
  }
  // One thread executes a scalar atomic, and shares the old value if it is used.
  if (!type_is_tile(op_result(op)->type) && op_result(op)->first_use) eval_race_barrier(m);
  return true;
}
