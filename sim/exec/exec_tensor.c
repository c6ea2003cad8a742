// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA copies: tiles between a tensor in global memory, described by its map, and packed, swizzled shared
// memory. PTX ISA 5.5.
#include "sim/exec/bulk.h"
#include "sim/exec/float_bits.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

enum { CHUNK = 16 };

static bool is_load(const AsyncOp *op) { return op->insn->u.copy->has_mbarrier; }

static bool load_map(Warp *warp, const Insn *insn, uint32_t lane, const AddressOperand *operand,
                     TensorMap *map) {
  Place place;
  if (!resolve_operand(warp, insn, lane, operand, TENSOR_MAP_BYTES, 64, false, &place)) return false;
  memcpy(map, place.host, sizeof *map);
  const char *wrong = tensor_map_error(map);
  if (!wrong && map->rank != insn->u.copy->rank) wrong = "its rank is not the instruction's";
  if (!wrong) return true;
  return warp_fault(warp, insn, 1u << lane, TILEC_SIM_ASYNC, place.address, "the tensor map at 0x%llx: %s",
                    (unsigned long long)place.address, wrong);
}

static PtxType reduced_type(const CopyOperands *copy, const TensorMap *map) {
  PtxType type = tensor_type(map->type);
  bool bits = copy->reduce == OP_AND || copy->reduce == OP_OR || copy->reduce == OP_XOR;
  bool is_float = ptx_type_class(type) == CLASS_FLOAT,
       one_step = copy->reduce == OP_POPC || copy->reduce == OP_CLZ;
  if (ptx_type_bytes(type) == 1 || type == PTX_U16 || (is_float && (bits || one_step))) return PTX_NONE;
  return type;
}

// Rejects corners that stop an H200 with an illegal instruction. No manual documents this.
static bool corner_allowed(const AsyncOp *op, uint32_t lane, const TensorBox *box) {
  const int32_t *at = op->u.range->at;
  if (at[0] % (int32_t)box->unit || at[0] / (int32_t)box->unit * (int64_t)box->packed % CHUNK)
    warp_fault(op->warp, op->insn, 1u << lane, TILEC_SIM_ASYNC, 0,
               "the innermost coordinate %d is not a multiple of 16 bytes", at[0]);
  else {
    uint32_t i = 0;
    while (i < op->insn->u.copy->rank && (is_load(op) || at[i] >= 0)) i++;
    if (i == op->insn->u.copy->rank) return true;
    warp_fault(op->warp, op->insn, 1u << lane, TILEC_SIM_ASYNC, 0, "a store's coordinate %u is negative: %d",
               i, at[i]);
  }
  return false;
}

static bool prepare(AsyncOp *op, uint32_t lane) {
  Warp *warp = op->warp;
  const Insn *insn = op->insn;
  const CopyOperands *copy = insn->u.copy;
  CopyRange *range = op->u.range;
  bool load = is_load(op);
  if (!load_map(warp, insn, lane, load ? &copy->from : &copy->to, &range->map)) return false;
  if (copy->reduce && !reduced_type(copy, &range->map))
    return warp_fault(warp, insn, 1u << lane, TILEC_SIM_ASYNC, 0,
                      "the tensor's elements have no such reduction");
  TensorBox box = tensor_map_box(&range->map);
  range->bytes = box.counted;
  if (!load && box.packed != box.element)
    return warp_fault(warp, insn, 1u << lane, TILEC_SIM_ASYNC, 0, "a store of padded elements is not built");
  for (uint32_t i = 0; i < copy->rank; i++)
    range->at[i] = ((const int32_t *)lanes_at(warp, copy->coordinates[i]))[lane];
  if (!corner_allowed(op, lane, &box)) return false;
  return resolve_operand(warp, insn, lane, load ? &copy->to : &copy->from, box.span, 128, load,
                         load ? &range->to : &range->from) &&
         bulk_mbarrier(op, lane);
}

void exec_tensor(Warp *warp, const Insn *insn, uint32_t mask) {
  const CopyOperands *copy = insn->u.copy;
  for (uint32_t l = 0; l < LANES && !warp->block->worker->fault.set; l++) {
    TensorMap map;
    if (!(mask >> l & 1)) continue;
    if (copy->prefetch) {
      load_map(warp, insn, l, &copy->from, &map);
      continue;
    }
    uint32_t ctas;
    AsyncOp *op = bulk_begin(warp, insn, l, ASYNC_TENSOR, prepare, &ctas);
    if (!op) return;
    bulk_issue(op, ctas);
  }
}

// ---- the tensor in global memory ----

typedef struct BoxRow {  // innermost row of a tile
  uint64_t address;      // of its first unit inside of the tensor
  uint32_t first, count; // units inside; count 0: none
} BoxRow;

static BoxRow row_of(const CopyRange *range, const TensorBox *box, const uint32_t *index) {
  const TensorMap *map = &range->map;
  BoxRow row = {.address = map->address};
  for (uint32_t i = 1; i < map->rank; i++) {
    int64_t at = (int64_t)range->at[i] + (int64_t)index[i] * map->steps[i];
    if (at < 0 || at > (int64_t)map->last[i]) return row;
    row.address += (uint64_t)at * map->strides[i - 1];
  }
  int64_t begin = range->at[0] / (int32_t)box->unit, end = begin + box->counts[0],
          extent = ((int64_t)map->last[0] + 1) / box->unit;
  int64_t first = begin < 0 ? 0 : begin, last = end < extent ? end : extent;
  if (first >= last) return row;
  row.first = (uint32_t)(first - begin);
  row.count = (uint32_t)(last - first);
  row.address += (uint64_t)first * box->packed;
  return row;
}

static bool next_row(const TensorBox *box, uint32_t *index) {
  for (uint32_t i = 1; i < TENSOR_RANK; i++) {
    if (++index[i] < box->counts[i]) return true;
    index[i] = 0;
  }
  return false;
}

static void fill_row(const TensorMap *map, const TensorBox *box, unsigned char *to) {
  static const unsigned char high = 0x7f;
  memset(to, map->fill ? 0xff : 0, box->row);
  for (uint32_t i = box->element - 1; map->fill && i < box->row; i += box->element) to[i] = high;
}

// To nearest even with 10 fraction bits. Infinities and NaNs are unchanged.
static uint32_t round_tf32(uint32_t bits) {
  return (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
}

// Applies the conversions of the 32-bit float types to loaded elements.
static void convert_row(uint32_t type, const TensorBox *box, unsigned char *to) {
  bool flushes = type == TENSOR_F32_FTZ || type == TENSOR_TF32_FTZ;
  bool rounds = type == TENSOR_TF32 || type == TENSOR_TF32_FTZ;
  if (!flushes && !rounds) return;
  for (uint32_t i = 0; i < box->row; i += 4) {
    uint32_t bits;
    memcpy(&bits, to + i, 4);
    if (flushes) bits = float_bits(float_flush(float_of(bits)));
    if (rounds) bits = round_tf32(bits);
    memcpy(to + i, &bits, 4);
  }
}

static void load_row(AsyncOp *op, const BoxRow *row, const TensorBox *box, unsigned char *staged) {
  Place place;
  uint64_t bytes = (uint64_t)row->count * box->packed;
  fill_row(&op->u.range->map, box, staged);
  if (!row->count) return;
  if (!resolve_range(op->warp, op->insn, lowest_lane(op->mask), SPACE_GLOBAL, row->address, bytes, 1, false,
                     &place))
    return;
  if (box->packed == box->element)
    memcpy(staged + (size_t)row->first * box->element, place.host, bytes);
  else
    for (uint32_t i = 0; i < row->count; i++)
      memcpy(staged + (size_t)(row->first + i) * box->element, place.host + (size_t)i * box->packed,
             box->packed);
  convert_row(op->u.range->map.type, box, staged);
  bulk_range_hook(op, SPACE_GLOBAL, HOOK_READ, row->address, bytes);
}

// The hardware writes whole chunks. If a tensor's row ends within a chunk, the bytes after it are written too
// (seen on an H200). Rows, corners and the rows of tiles begin at multiples of a chunk.
static void store_row(AsyncOp *op, const BoxRow *row, const TensorBox *box, const unsigned char *staged) {
  Place place;
  const CopyOperands *copy = op->insn->u.copy;
  uint64_t inside = (uint64_t)row->count * box->element, bytes = (inside + CHUNK - 1) / CHUNK * CHUNK;
  const unsigned char *from = staged + (size_t)row->first * box->element;
  if (!row->count) return;
  if (!resolve_range(op->warp, op->insn, lowest_lane(op->mask), SPACE_GLOBAL, row->address, bytes, 1, true,
                     &place))
    return;
  if (copy->reduce)
    bulk_reduce(copy->reduce, reduced_type(copy, &op->u.range->map), place.host, from, bytes);
  else
    memcpy(place.host, from, bytes);
  bulk_row_hook(op, SPACE_GLOBAL, copy->reduce ? HOOK_ATOMIC : HOOK_WRITE, row->address, bytes,
                bytes - inside);
}

static void tensor_rows(AsyncOp *op) {
  CopyRange *range = op->u.range;
  TensorBox box = tensor_map_box(&range->map);
  uint32_t index[TENSOR_RANK] = {0};
  unsigned char *staged = range->staged;
  bool first = true;
  do {
    BoxRow row = row_of(range, &box, index);
    if (is_load(op))
      load_row(op, &row, &box, staged);
    else
      store_row(op, &row, &box, staged);
    if (!op->repeats) bulk_count(op, row.address, (uint64_t)row.count * box.packed, first);
    staged += box.row;
    first = false;
  } while (!op->warp->block->worker->fault.set && next_row(&box, index));
}

// ---- the tile in shared memory, in swizzled chunks of 16 bytes ----

// False: the fault is set.
static bool shared_chunk(AsyncOp *op, uint64_t address, unsigned char *staged) {
  const Block *block = is_load(op) ? op->u.range->to.block : op->u.range->from.block;
  address = tensor_swizzle(op->u.range->map.swizzle, address);
  if (address + CHUNK > block->shared_bytes)
    return warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_OUT_OF_BOUNDS, address,
                      "the swizzle moves a box to shared address %llu, beyond the end",
                      (unsigned long long)address);
  if (is_load(op))
    memcpy(block->shared + address, staged, CHUNK);
  else
    memcpy(staged, block->shared + address, CHUNK);
  bulk_range_hook(op, SPACE_SHARED, is_load(op) ? HOOK_WRITE : HOOK_READ, address, CHUNK);
  return true;
}

static void shared_chunks(AsyncOp *op) {
  CopyRange *range = op->u.range;
  TensorBox box = tensor_map_box(&range->map);
  uint64_t base = is_load(op) ? range->to.address : range->from.address;
  for (uint32_t row = 0; row < box.bytes / box.row; row++)
    for (uint32_t at = 0; at < box.row; at += CHUNK)
      if (!shared_chunk(op, base + (uint64_t)row * box.pitch + at,
                        range->staged + (size_t)row * box.row + at))
        return;
}

void tensor_read(AsyncOp *op) {
  if (is_load(op))
    tensor_rows(op);
  else
    shared_chunks(op);
}

void tensor_write(AsyncOp *op) {
  if (is_load(op))
    shared_chunks(op);
  else
    tensor_rows(op);
}
