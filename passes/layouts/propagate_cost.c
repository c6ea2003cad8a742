// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of layouts. Accesses cost by their sectors, conversions by how far elements move. Reductions cost by how
// much crosses lanes and warps.
#include "base/integer.h"
#include "passes/analysis/dot_loops.h"
#include "passes/layouts/propagate.h"

#include "ir/memory/scratch.h"
#include "target/tuning.h"

// Low register bits along which memory addresses count upwards, limited by the access's own bound.
uint32_t access_vector(const GraphAccess *access, const Layout *layout) {
  uint32_t bits = 0;
  while (bits < layout->bits[DIM_REGISTER] && (2u << bits) <= access->vector &&
         layout_basis(layout, DIM_REGISTER, bits) == 1u << (access->shift + bits))
    bits++;
  return 1u << bits;
}

// The aligned part of memory that contains an index: a sector or a line.
static uint64_t place_of(const GraphAccess *access, uint32_t index, uint32_t part_bits) {
  uint64_t place = 0;
  for (; index; index &= index - 1) place ^= access->place[lowest_bit(index)];
  return place >> part_bits;
}

// Bits of the index whose distances leave a sector.
static uint64_t beyond_sectors(const GraphAccess *access, uint32_t index) {
  uint64_t bits = 0;
  for (uint32_t rest = index; rest; rest &= rest - 1)
    if (access->place[lowest_bit(rest)] >> SECTOR_BITS) bits |= UINT64_C(1) << lowest_bit(rest);
  return bits;
}

// 2^rank of the rows over GF(2), which it reduces.
static uint64_t spanned(uint64_t *rows, uint32_t n) {
  uint32_t rank = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t row = rows[i];
    for (uint32_t r = 0; r < rank; r++)
      if ((row ^ rows[r]) < row) row ^= rows[r];
    if (row) rows[rank++] = row;
  }
  return (uint64_t)1 << rank;
}

// The index of a warp's bit i: its lane bits, then its register bits.
static uint32_t warp_basis(const Layout *layout, uint32_t i) {
  uint32_t lanes = layout->bits[DIM_LANE];
  return i < lanes ? layout_basis(layout, DIM_LANE, i) : layout_basis(layout, DIM_REGISTER, i - lanes);
}

// The parts of memory, of 2^part_bits bytes, that a warp touches with each thread's first 2^registers elements.
static uint64_t parts_in(const GraphAccess *access, const Layout *layout, uint32_t registers,
                         uint32_t part_bits) {
  uint64_t rows[LAYOUT_MAX_BITS];
  uint32_t count = layout->bits[DIM_LANE] + registers;
  for (uint32_t i = 0; i < count; i++) rows[i] = place_of(access, warp_basis(layout, i), part_bits);
  return spanned(rows, count);
}

// The sectors of all elements of a warp, or of the warps that differ in the low `warps` bits. Places are powers of two,
// so a long row and the distance to the next one may have a place in common, though they have no sector in common. So
// bits of the index count here.
static uint64_t distinct_sectors(const GraphAccess *access, const Layout *layout, uint32_t warps) {
  uint64_t rows[LAYOUT_MAX_BITS];
  uint32_t count = layout->bits[DIM_LANE] + layout->bits[DIM_REGISTER];
  for (uint32_t i = 0; i < count; i++) rows[i] = beyond_sectors(access, warp_basis(layout, i));
  for (uint32_t i = 0; i < warps; i++)
    rows[count + i] = beyond_sectors(access, layout_basis(layout, DIM_WARP, i));
  return spanned(rows, count + warps);
}

// Rows that begin within a sector: each run of neighbours that a warp stores is in another sector more often. Returns
// the cost of that for one access.
static uint64_t split_cost(const GraphAccess *access, const Layout *layout, uint32_t vector) {
  uint64_t run = (uint64_t)vector * access->bytes, runs = 1;
  for (uint32_t i = 0; i < layout->bits[DIM_LANE]; i++) {
    uint32_t basis = layout_basis(layout, DIM_LANE, i);
    bool follows = is_power_of_two(basis) && access->place[lowest_bit(basis)] == run;
    if (follows)
      run *= 2;
    else if (basis)
      runs *= 2;
  }
  uint64_t beyond = min_u64(run, SECTOR_BYTES) + access->split; // of a sector, by the last byte of the run
  return beyond <= SECTOR_BYTES ? 0 : TUNE_COST_SECTOR * runs * (beyond - SECTOR_BYTES) / SECTOR_BYTES;
}

// L2 looks up each line of an access (docs/cost.md), so parts of lines cost more than their sectors. Places are powers
// of two, at most the true distances: rows nearer than a line are in more lines by that factor. Warps share what L1
// keeps.
static uint64_t lines_cost(const GraphAccess *access, const Layout *layout, uint64_t instructions,
                           uint32_t vector_bits, uint64_t sectors) {
  if (!access->spread) return 0;
  uint64_t lines = parts_in(access, layout, vector_bits, LINE_BITS) * access->spread / PLACE_SPREAD;
  uint64_t all = instructions * sectors, looked_up = instructions * min_u64(sectors, lines);
  uint64_t cost = TUNE_COST_LINE * (LINE_SECTORS * looked_up - all) / LINE_SECTORS;
  if (!access->cached) return cost;
  uint32_t warps = layout->bits[DIM_WARP];
  return cost * min_u64(all << warps, distinct_sectors(access, layout, warps)) / (all << warps);
}

// A load's second access to a sector finds it in L1. It costs a wavefront for each line, as shared memory does.
static uint64_t sectors_cost(const GraphAccess *access, const Layout *layout, uint64_t instructions,
                             uint32_t vector) {
  const uint32_t bits = log2_ceil(vector);
  uint64_t sectors = parts_in(access, layout, bits, SECTOR_BITS), all = instructions * sectors;
  uint64_t distinct = access->cached ? min_u64(all, distinct_sectors(access, layout, 0)) : all;
  uint64_t cost = TUNE_COST_SECTOR * distinct + lines_cost(access, layout, instructions, bits, sectors);
  if (distinct == all) return cost;
  uint64_t lines = instructions * parts_in(access, layout, bits, LINE_BITS);
  return cost + TUNE_COST_WORD * lines * (all - distinct) / all;
}

uint64_t access_cost(const GraphAccess *access, const Layout *layout) {
  uint32_t vector = access_vector(access, layout);
  uint64_t instructions = layout_registers(layout) / vector;
  uint64_t wait = access->waits && vector * access->bytes < MIN_COPY_BYTES ? TUNE_COST_WAIT : 0;
  uint64_t sectors = sectors_cost(access, layout, instructions, vector);
  return access->weight *
         (wait + instructions * (TUNE_COST_ISSUE + split_cost(access, layout, vector)) + sectors);
}

static uint64_t words_of(const Type *tile) { return (type_element_bytes(tile) + 3u) / 4u; }

// Each register is written once and read once, `vector` registers at a time.
static uint64_t shared_cost(const Type *tile, uint64_t registers, uint64_t vector) {
  uint64_t accesses = divide_up(registers, vector), wavefronts = (vector * type_element_bytes(tile) + 3) / 4;
  return TUNE_COST_BARRIER + accesses * (TUNE_COST_ISSUE + TUNE_COST_WORD * wavefronts);
}

// Registers of both sides that one access to shared memory can move.
static uint64_t shared_vector(const Type *tile, const Layout *from, const Layout *to) {
  uint64_t vector = 1;
  for (uint32_t i = 0; i < from->bits[DIM_REGISTER]; i++)
    for (uint32_t k = 0; k < to->bits[DIM_REGISTER]; k++)
      if (from->basis[i] && from->basis[i] == to->basis[k] && vector * 2 * type_element_bytes(tile) <= 16)
        vector *= 2;
  return vector;
}

// For a pair that is exchanged, counts the values that are needed.
static uint64_t selects_in(const LanePlan *plan) {
  uint64_t registers = UINT64_C(1) << plan->src_register_bits, rounds = UINT64_C(1) << plan->round_bits;
  uint64_t sent = plan->send_count * registers / 2, received = plan->receive_count * rounds / 2;
  if (rounds < registers && sent > registers - rounds) sent = registers - rounds;
  return sent + received;
}

uint64_t conversion_cost(const Type *tile, const Layout *from, const Layout *to) {
  LanePlan plan;
  uint64_t registers = layout_registers(from);
  if (layout_registers(to) > registers) registers = layout_registers(to);
  switch (layout_conversion(from, to)) {
  case CONVERT_NOTHING:
  case CONVERT_REGISTERS: return 0;
  case CONVERT_LANES:
    if (layouts_by_lanes(from, to, type_element_bytes(tile), &plan))
      return 1 + words_of(tile) * (TUNE_COST_SHUFFLE * plan.shuffles + selects_in(&plan));
    break;
  case CONVERT_SHARED: break;
  }
  // Booleans become bytes on the way, and back.
  uint64_t bytes = type_is_elem(tile, ELEM_I1) ? layout_registers(from) + layout_registers(to) : 0;
  return shared_cost(tile, registers, shared_vector(tile, from, to)) + bytes;
}

static uint32_t bits_along(const Layout *layout, LayoutDim dim, uint32_t mask) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < layout->bits[dim]; i++) n += (layout_basis(layout, dim, i) & mask) != 0;
  return n;
}

uint64_t reduction_cost(const GraphReduction *reduction, const Layout *layout) {
  const Op *op = reduction->op;
  const Type *tile = op_operand(op, 0)->type;
  uint32_t axis = (uint32_t)op_int(op, ATTR_AXIS, 0), first;
  uint32_t bits = layout_dim_bits(tile->rank, tile->shape, axis, &first);
  uint32_t mask = ((UINT32_C(1) << bits) - 1) << first;
  Layout result = layout_slice(layout, tile->rank, tile->shape, axis);
  uint64_t registers = op->kind == OP_REDUCE ? layout_registers(&result) : layout_registers(layout), cost = 0;
  for (uint32_t i = 0; i < op_input_count(op); i++) {
    cost += TUNE_COST_SHUFFLE * registers * words_of(op_operand(op, i)->type) *
            bits_along(layout, DIM_LANE, mask);
    if (bits_along(layout, DIM_WARP, mask)) cost += shared_cost(op_operand(op, i)->type, registers, 1);
  }
  return cost * reduction->weight;
}
