// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of memory accesses, atomics and block pointers, and of ops with effects outside tile IR.
#include "ir/verify/verify_parts.h"

#include <inttypes.h>

static void check_power(Verifier *v, const Op *op, AttrKey key, int64_t max) {
  int64_t value = op_int(op, key, 1);
  if (value < 1 || (value & (value - 1)) != 0 || value > max)
    verify_fail(v, op, "'%s' is a power of two up to %" PRId64 ", not %" PRId64, attr_info(key)->name, max,
                value);
}

static void check_hints(Verifier *v, const Op *op) {
  static const char *const cache[] = {".ca", ".cg", ".cs", ".wb", ".wt", ".cv"};
  static const char *const evict[] = {"evict_first", "evict_last"};
  verify_word(v, op, ATTR_CACHE, cache, 6);
  verify_word(v, op, ATTR_EVICT, evict, 2);
}

static void check_access(Verifier *v, const Op *op) {
  const Type *pointer = operand_type(op, 0);
  check_hints(v, op);
  check_power(v, op, ATTR_ALIGN, 1 << 16);
  check_power(v, op, ATTR_VECTOR, (int64_t)type_elements(pointer));
  const Attr *anchor = op_attr(op, ATTR_ANCHOR);
  if (anchor && pointer->kind != TYPE_TILE)
    verify_fail(v, op, "an access by one pointer has no anchor");
  else if (anchor)
    verify_layout(v, op, pointer, anchor->layout, "the anchor");
}

// --- atomics

static void check_order(Verifier *v, const Op *op) {
  static const char *const sem[] = {"acq_rel", "acquire", "release", "relaxed"};
  static const char *const scope[] = {"gpu", "cta", "sys"};
  verify_word(v, op, ATTR_SEM, sem, 4);
  verify_word(v, op, ATTR_SCOPE, scope, 3);
}

// Allowed: add, max and min of numbers, 16-bit floats too; and, or, xor of integers; xchg; otherwise 32 or 64
// bits. load and store: all but i1.
static bool has_rmw(const char *rmw, const Type *type) {
  uint32_t bits = element_bits(type);
  bool word = bits == 32 || bits == 64;
  if (strcmp(rmw, "load") == 0 || strcmp(rmw, "store") == 0) return !type_is_elem(type, ELEM_I1);
  if (strcmp(rmw, "xchg") == 0) return word;
  if (type_is_float(type)) {
    bool half = type_is_elem(type, ELEM_FP16) || type_is_elem(type, ELEM_BF16);
    return (word || half) && (strcmp(rmw, "add") == 0 || strcmp(rmw, "max") == 0 || strcmp(rmw, "min") == 0);
  }
  return type_is_int(type) && word;
}

// A load cannot release and a store cannot acquire, so they have no default order.
static void check_half_order(Verifier *v, const Op *op, const char *rmw) {
  bool load = strcmp(rmw, "load") == 0;
  if (!load && strcmp(rmw, "store") != 0) return;
  const Attr *sem = op_attr(op, ATTR_SEM);
  const char *own = load ? "acquire" : "release";
  if (!sem || (strcmp(sem->str, own) != 0 && strcmp(sem->str, "relaxed") != 0))
    verify_fail(v, op, "'sem' of an atomic %s is \"%s\" or \"relaxed\"", load ? "load" : "store", own);
  if (!load && op_result(op)->first_use) verify_fail(v, op, "the result of an atomic store is not used");
}

static void check_atomic_rmw(Verifier *v, const Op *op) {
  static const char *const names[] = {"add", "max", "min", "and", "or", "xor", "xchg", "load", "store"};
  const char *rmw = op_attr(op, ATTR_RMW)->str;
  verify_word(v, op, ATTR_RMW, names, sizeof names / sizeof *names);
  check_order(v, op);
  check_half_order(v, op, rmw);
  check_power(v, op, ATTR_ALIGN, 1 << 16);
  check_power(v, op, ATTR_VECTOR, (int64_t)type_elements(operand_type(op, 0)));
  if (!has_rmw(rmw, result_type(op)))
    verify_fail(v, op, "there is no atomic %.10s of %s", rmw, verify_type_text(v, result_type(op)));
}

static void check_atomic_cas(Verifier *v, const Op *op) {
  uint32_t bits = element_bits(result_type(op));
  check_order(v, op);
  if (bits != 16 && bits != 32 && bits != 64)
    verify_fail(v, op, "there is no atomic cas of %s", verify_type_text(v, result_type(op)));
}

// --- block pointers

// Returns true if the integers are dimensions, each at most once.
static bool are_dims(const Attr *attr, uint32_t rank) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < attr->ints.n; i++) {
    int64_t dim = attr->ints.at[i];
    if (dim < 0 || dim >= rank || seen >> dim & 1) return false;
    seen |= 1u << dim;
  }
  return true;
}

static void check_make_block_ptr(Verifier *v, const Op *op) {
  const Type *block = result_type(op), *base = operand_type(op, 0);
  const Attr *order = op_attr(op, ATTR_ORDER);
  if (base->kind != TYPE_PTR || base->inner != block->inner)
    verify_fail(v, op, "the base is %s, the result %s", verify_type_text(v, base),
                verify_type_text(v, block));
  else if (op->operand_count != 1 + 3u * block->rank)
    verify_fail(v, op, "%u dimensions need %u operands, not %u", block->rank, 1 + 3u * block->rank,
                op->operand_count);
  else if (order && (order->ints.n != block->rank || !are_dims(order, block->rank)))
    verify_fail(v, op, "'order' is a permutation of the %u dimensions", block->rank);
}

static void check_advance(Verifier *v, const Op *op) {
  const Type *block = operand_type(op, 0);
  if (op->operand_count != 1u + block->rank)
    verify_fail(v, op, "%u dimensions need %u offsets, not %u", block->rank, block->rank,
                op->operand_count - 1);
}

static void check_block_access(Verifier *v, const Op *op, const Type *tile) {
  static const char *const padding[] = {"zero", "nan"};
  const Type *block = operand_type(op, 0);
  if (!type_same_shape(tile, block) || tile->inner != block->inner)
    verify_fail(v, op, "the tile is %s, the block pointer %s", verify_type_text(v, tile),
                verify_type_text(v, block));
  const Attr *boundary = op_attr(op, ATTR_BOUNDARY);
  if (boundary && !are_dims(boundary, block->rank))
    verify_fail(v, op, "'boundary' names dimensions of %s, each once", verify_type_text(v, block));
  check_hints(v, op);
  verify_word(v, op, ATTR_PADDING, padding, 2);
  const Attr *fill = op_attr(op, ATTR_PADDING);
  if (fill && strcmp(fill->str, "nan") == 0 && !type_is_float(tile))
    verify_fail(v, op, "%s has no NaN to pad with", verify_type_text(v, tile));
}

// --- effects outside tile IR

static bool is_data(const Type *type) { return type_element(type)->kind == TYPE_SCALAR || type_is_ptr(type); }

static void check_inline_asm(Verifier *v, const Op *op) {
  int64_t pack = op_int(op, ATTR_PACK, 1);
  if (op->result_count == 0) verify_fail(v, op, "gives at least one result");
  for (uint32_t i = 0; i < op->result_count; i++) {
    const Type *type = op->results[i].type, *first = op->results[0].type;
    if (!is_data(type) || !type_same_shape(type, first) || type->layout != first->layout)
      verify_fail(v, op, "result %u, %s, does not have the shape and layout of %s", i,
                  verify_type_text(v, type), verify_type_text(v, first));
  }
  if (pack < 1 || (pack & (pack - 1)) != 0 || pack > 64)
    verify_fail(v, op, "'pack' is a power of two up to 64, not %" PRId64, pack);
}

// One size for each dimension of each operand, at most the operand's own.
static void check_print(Verifier *v, const Op *op) {
  const Attr *sizes = op_attr(op, ATTR_SIZES);
  uint32_t at = 0;
  bool good = true;
  for (uint32_t i = 0; sizes && i < op->operand_count; i++)
    for (uint32_t d = 0; d < operand_type(op, i)->rank; d++, at++)
      good = good && at < sizes->ints.n && sizes->ints.at[at] >= 1 &&
             sizes->ints.at[at] <= operand_type(op, i)->shape[d];
  if (sizes && (!good || at != sizes->ints.n))
    verify_fail(v, op, "'sizes' has for each dimension of each operand a number from 1 to its size");
}

void verify_machine_op(Verifier *v, const Op *op) {
  switch ((int)op->kind) {
  case OP_LOAD:
  case OP_STORE: check_access(v, op); break;
  case OP_ATOMIC_RMW: check_atomic_rmw(v, op); break;
  case OP_ATOMIC_CAS: check_atomic_cas(v, op); break;
  case OP_MAKE_BLOCK_PTR: check_make_block_ptr(v, op); break;
  case OP_ADVANCE: check_advance(v, op); break;
  case OP_BLOCK_LOAD: check_block_access(v, op, result_type(op)); break;
  case OP_BLOCK_STORE: check_block_access(v, op, operand_type(op, 1)); break;
  case OP_INLINE_ASM: check_inline_asm(v, op); break;
  case OP_PRINT: check_print(v, op); break;
  default: break;
  }
}
