// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/memory/access.h"

#include "base/fault.h"
#include "base/integer.h"

enum { ACCESS_MOST = 16 }; // bytes per thread and instruction

// --- global memory

// Addresses must increase along a run; `vector` says so.
uint32_t access_run(const Op *op, const Type *type) {
  uint32_t bytes = type_element_bytes(type), length = 1;
  if (!type_is_tile(type)) return 1;
  uint32_t registers = layout_registers(type->layout);
  uint64_t most = min_u64(ACCESS_MOST / bytes, (uint64_t)op_int(op, ATTR_VECTOR, 1));
  most = min_u64(most, (uint64_t)op_int(op, ATTR_ALIGN, 1) / bytes);
  most = min_u64(most, 1ull << layout_run_bits(type->layout));
  while (length * 2 <= most && registers % (length * 2) == 0) length *= 2;
  return length;
}

// Each element's first holder writes it: to global memory, or for a tile to a buffer. The buffer is no load's result.
static bool is_stored_by(const Use *use) {
  const Op *op = use->user;
  if (op->kind == OP_SHARED_STORE) return !op_attr(op, ATTR_WRITER);
  return op->kind == OP_STORE && use == &op->operands[1];
}

static bool is_held_by_warps(const Type *type) {
  uint32_t free_bits[DIM_COUNT];
  if (!type_is_tile(type) || !type->layout) return false;
  layout_free_bits(type->layout, free_bits);
  return free_bits[DIM_WARP] != 0;
}

// `left`: uses that are looked at.
static bool is_for_holders(const Value *value, uint32_t *left) {
  bool computed = is_held_by_warps(value->type);
  for (const Use *use = value->first_use; use; use = use->next) {
    if (is_stored_by(use)) continue;
    const Op *op = use->user;
    if (!computed || !op_has(op, PURE) || !op_has(op, ELEMENTWISE) || *left == 0) return false;
    --*left;
    if (!is_for_holders(op_result(op), left)) return false;
  }
  return value->first_use != NULL;
}

bool access_is_for_holders(const Value *value) {
  enum { MOST_USES = 64 };
  uint32_t left = MOST_USES;
  return is_for_holders(value, &left);
}

// --- shared memory

// Finds the register bit with that basis. No other bit of the layout may change it.
static bool find_register(const Layout *map, uint32_t offset_bit, uint32_t *bit) {
  uint32_t holders = 0;
  for (uint32_t i = 0; i < layout_in_bits(map); i++) {
    if (!(map->basis[i] >> offset_bit & 1)) continue;
    holders++;
    *bit = i;
  }
  return holders == 1 && *bit < map->bits[DIM_REGISTER] && map->basis[*bit] == 1u << offset_bit;
}

SharedRuns shared_runs(const Layout *map, uint32_t bytes, uint32_t parted, uint32_t skip) {
  SharedRuns runs = {0};
  while (bytes << (runs.bits + 1) <= ACCESS_MOST && !(parted >> runs.bits & 1)) {
    uint32_t *bit = &runs.register_bit[runs.bits];
    if (!find_register(map, runs.bits, bit) || skip >> *bit & 1) break;
    runs.bits++;
  }
  return runs;
}

bool shared_run_begins(const SharedRuns *runs, uint32_t r) {
  for (uint32_t bit = 0; bit < runs->bits; bit++)
    if (r >> runs->register_bit[bit] & 1) return false;
  return true;
}

uint32_t shared_vector(const Layout *offsets, uint32_t bytes, uint32_t vector_at[4]) {
  uint32_t bits = 0;
  while (bytes << (bits + 1) <= ACCESS_MOST && bits < 4) {
    uint32_t wanted = 1u << bits, found = UINT32_MAX;
    for (uint32_t i = 0; i < layout_in_bits(offsets); i++) {
      if (i >= offsets->bits[DIM_REGISTER] && offsets->basis[i] & wanted) return bits;
      if (i < offsets->bits[DIM_REGISTER] && offsets->basis[i] == wanted) found = i;
    }
    if (found == UINT32_MAX) return bits;
    vector_at[bits++] = found;
  }
  return bits;
}

// The flattened index in the buffer of the element with `index` in the tile.
static uint32_t index_in(const Type *buffer, const Type *tile, uint32_t index) {
  uint32_t result = 0;
  for (uint32_t d = 0; d < tile->rank; d++) {
    uint32_t from, to, bits = layout_dim_bits(tile->rank, tile->shape, d, &from);
    layout_dim_bits(buffer->rank, buffer->shape, d, &to);
    result |= (index >> from & ((1u << bits) - 1)) << to;
  }
  return result;
}

static uint32_t start_index(const Type *buffer, const Attr *starts) {
  uint32_t index = 0;
  for (uint32_t d = 0; starts && d < buffer->rank; d++) {
    uint32_t first;
    layout_dim_bits(buffer->rank, buffer->shape, d, &first);
    index |= (uint32_t)starts->ints.at[d] << first;
  }
  return index;
}

static bool is_aligned(const Type *tile, const Attr *starts) {
  for (uint32_t d = 0; starts && d < tile->rank; d++)
    if (starts->ints.at[d] % tile->shape[d] != 0) return false;
  return true;
}

static bool is_plain_row(const Type *buffer) {
  bool plain = buffer->rank == 1;
  for (uint32_t i = 0; i < layout_in_bits(buffer->layout); i++)
    plain = plain && buffer->layout->basis[i] == UINT32_C(1) << i;
  return plain;
}

bool shared_reaches(const Type *buffer, const Type *tile, const Attr *starts) {
  return is_aligned(tile, starts) || is_plain_row(buffer);
}

SharedMap shared_map(const Type *buffer, const Type *tile, const Attr *starts) {
  Layout inverse, in_buffer = {0}; // for a scalar: its one element
  if (!layout_invert(buffer->layout, &inverse)) BUG("a shared buffer without a place for every element");
  if (type_is_tile(tile)) in_buffer = *tile->layout;
  in_buffer.out_bits = buffer->layout->out_bits;
  for (uint32_t i = 0; i < layout_in_bits(&in_buffer); i++)
    in_buffer.basis[i] = index_in(buffer, tile, in_buffer.basis[i]);
  SharedMap map = {.map = layout_compose(&in_buffer, &inverse)};
  if (is_aligned(tile, starts))
    map.change = layout_apply_offset(&inverse, start_index(buffer, starts));
  else
    map.shift = (uint32_t)starts->ints.at[0];
  return map;
}

// The longest run that both sides, the alignment and the mask allow.
uint32_t copy_async_run(const Op *op) {
  const Type *pointer = op_operand(op, 0)->type, *buffer = op_operand(op, 1)->type;
  uint32_t bytes = elem_bytes(buffer->elem), bits = 0;
  Layout inverse;
  if (!layout_invert(buffer->layout, &inverse)) return 1;
  Layout map = layout_compose(pointer->layout, &inverse);
  uint64_t most = (uint64_t)op_int(op, ATTR_VECTOR, 1), align = (uint64_t)op_int(op, ATTR_ALIGN, bytes);
  if (align / bytes < most) most = align / bytes;
  if (ACCESS_MOST / bytes < most) most = ACCESS_MOST / bytes;
  uint32_t free_bits[DIM_COUNT];
  layout_free_bits(pointer->layout, free_bits);
  for (uint32_t bit = 0; 2ull << bits <= most && find_register(&map, bits, &bit) && bit == bits; bits++)
    if (free_bits[DIM_REGISTER] >> bit & 1) break;
  return 1u << bits;
}
