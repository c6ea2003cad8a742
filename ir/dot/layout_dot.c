// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of matmuls, built from bases.
#include "ir/dot/layout_dot.h"

#include "base/fault.h"
#include "base/integer.h"
#include "ir/queries.h"
#include "ir/dot/dot_fits.h"
#include "target/tuning.h"

static DotShape dot_shape(const Type *a, const Type *result) {
  uint32_t rank = result->rank;
  return (DotShape){.batch = rank == 3 ? log2_ceil(result->shape[0]) : 0,
                    .m = log2_ceil(result->shape[rank - 2]),
                    .n = log2_ceil(result->shape[rank - 1]),
                    .k = log2_ceil(a->shape[rank - 1])};
}

DotShape dot_op_shape(const Op *dot) {
  DotShape shape = dot_shape(op_operand(dot, 0)->type, op_result(dot)->type);
  shape.k = log2_ceil(dot_part(dot).count);
  return shape;
}

// Bases in the order in which they are added, one list per dimension.
typedef struct Bases {
  uint32_t at[DIM_COUNT][LAYOUT_MAX_BITS];
  uint32_t n[DIM_COUNT];
} Bases;

static void add_basis(Bases *bases, LayoutDim dim, uint32_t basis) {
  if (bases->n[dim] == LAYOUT_MAX_BITS) BUG("a dot's layout of too many bits");
  bases->at[dim][bases->n[dim]++] = basis;
}

static Layout layout_of_bases(const Bases *bases, uint32_t out_bits) {
  Layout layout = {.out_bits = (uint8_t)out_bits};
  uint32_t n = 0;
  for (int d = 0; d < DIM_COUNT; d++) {
    layout.bits[d] = (uint8_t)bases->n[d];
    for (uint32_t i = 0; i < bases->n[d]; i++) {
      if (n == LAYOUT_MAX_BITS) BUG("a dot's layout of too many bits");
      layout.basis[n++] = bases->at[d][i];
    }
  }
  return layout;
}

// Adds the bits first .. end - 1 of an index dimension that begins at `shift`, to dim.
static void add_range(Bases *bases, LayoutDim dim, uint32_t shift, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++) add_basis(bases, dim, 1u << (shift + i));
}

// Warps take a dimension's highest bits, below `end`. Warp bits without room become zero bases. Returns the
// first bit taken.
static uint32_t add_warps(Bases *bases, uint32_t shift, uint32_t first, uint32_t end, uint32_t warps) {
  uint32_t taken = min_u32(warps, end - first);
  add_range(bases, DIM_WARP, shift, end - taken, end);
  for (uint32_t i = taken; i < warps; i++) add_basis(bases, DIM_WARP, 0);
  return end - taken;
}

Layout layout_mma_result(const DotShape *shape, const DotWarps *warps, bool warpgroup) {
  uint32_t n = 0, m = shape->n, batch = shape->n + shape->m;
  Bases bases = {0};
  if (shape->m < 4 || shape->n < 3)
    BUG("a dot of %u x %u has no tile of m16n8", 1u << shape->m, 1u << shape->n);
  add_basis(&bases, DIM_REGISTER, 1u << n);
  add_basis(&bases, DIM_REGISTER, 1u << (m + 3));
  add_range(&bases, DIM_LANE, n, 1, 3);
  add_range(&bases, DIM_LANE, m, 0, 3);
  uint32_t first_m = warpgroup ? 6 : 4;
  if (warpgroup) add_range(&bases, DIM_WARP, m, 4, 6);
  uint32_t end_m = add_warps(&bases, m, first_m, shape->m, warps->m - (warpgroup ? 2 : 0));
  uint32_t end_n = add_warps(&bases, n, 3, shape->n, warps->n);
  uint32_t end_batch = add_warps(&bases, batch, 0, shape->batch, warps->batch);
  add_range(&bases, DIM_REGISTER, n, 3, end_n);
  add_range(&bases, DIM_REGISTER, m, first_m, end_m);
  add_range(&bases, DIM_REGISTER, batch, 0, end_batch);
  return layout_of_bases(&bases, batch + shape->batch);
}

Layout layout_tcgen05_result(const DotShape *shape, const DotWarps *warps) {
  enum { LANE_OF_WARP = 5, PART_ROWS = 4 }; // A warp has 16 of 64 rows, and 32 of 128.
  uint32_t n = 0, m = shape->n, whole = shape->m >= TMEM_LANE_BITS;
  Bases bases = {0};
  if (shape->m < 6 || shape->n < 4) BUG("tcgen05 of %u x %u", 1u << shape->m, 1u << shape->n);
  add_basis(&bases, DIM_REGISTER, 1u << n);
  add_basis(&bases, DIM_REGISTER, 1u << (m + 3));
  add_range(&bases, DIM_LANE, n, 1, 3);
  add_range(&bases, DIM_LANE, m, 0, 3);
  uint32_t first = whole ? LANE_OF_WARP : PART_ROWS;
  add_range(&bases, DIM_WARP, m, first, first + 2);
  uint32_t end_m = add_warps(&bases, m, first + 2, shape->m, warps->m - 2);
  uint32_t end_n = add_warps(&bases, n, 3, shape->n, warps->n);
  add_range(&bases, DIM_REGISTER, n, 3, end_n);
  add_range(&bases, DIM_REGISTER, m, PART_ROWS, first);
  add_range(&bases, DIM_REGISTER, m, first + 2, end_m);
  return layout_of_bases(&bases, m + shape->m);
}

Layout layout_tcgen05_rows(const DotShape *shape, const DotWarps *warps) {
  uint32_t n = 0, m = shape->n;
  Bases bases = {0};
  if (shape->m < TMEM_LANE_BITS || shape->n < 4)
    BUG("rows of tcgen05 of %u x %u", 1u << shape->m, 1u << shape->n);
  add_range(&bases, DIM_LANE, m, 0, LANE_BITS);
  add_range(&bases, DIM_WARP, m, LANE_BITS, TMEM_LANE_BITS);
  uint32_t end_m = add_warps(&bases, m, TMEM_LANE_BITS, shape->m, warps->m - 2);
  uint32_t end_n = add_warps(&bases, n, 3, shape->n, warps->n);
  add_range(&bases, DIM_REGISTER, n, 0, end_n);
  add_range(&bases, DIM_REGISTER, m, TMEM_LANE_BITS, end_m);
  return layout_of_bases(&bases, m + shape->m);
}

bool tile_has_tmem_rows(const Type *tile) {
  return layout_basis(tile->layout, DIM_LANE, 0) == tile->shape[1];
}

TmemPlace tmem_place(const Type *tmem, uint32_t index) {
  uint32_t row = index / tmem->shape[1], column = index % tmem->shape[1], lanes = 1u << TMEM_LANE_BITS;
  if (tmem->shape[0] < lanes) return (TmemPlace){row / 16 * 32 + row % 16, column};
  return (TmemPlace){row % lanes, row / lanes * tmem->shape[1] + column};
}

uint32_t tmem_columns(const Type *tmem) {
  return max_u32(32, tmem_place(tmem, (uint32_t)type_elements(tmem) - 1).column + 1);
}

bool tmem_is_operand(const Value *state) {
  const Use *use = value_single_use(state);
  return state->type->kind == TYPE_TMEM && use && use->user->kind == OP_DOT &&
         use == &use->user->operands[DOT_A];
}

// True if the op that alone takes the loaded tile stores it to global memory. Nothing in between changes memory.
static bool store_takes(const Op *load) {
  const Use *use = value_single_use(op_result(load));
  const Op *op = use ? load->next : NULL;
  while (op && op != use->user && op_has(op, PURE)) op = op->next;
  return op && op == use->user && op->kind == OP_STORE;
}

static bool changes_tmem(const Op *op) {
  return op->kind == OP_TMEM_STORE || op->kind == OP_DOT || op_has(op, FLOW);
}

// True if only slices of the same region take the loaded tile, before tensor memory changes: each loads what it needs.
static bool only_slices_take(const Op *load) {
  uint32_t left = 0;
  for (const Use *use = op_result(load)->first_use; use; use = use->next, left++)
    if (use->user->kind != OP_SLICE || use->user->region != load->region) return false;
  for (const Op *op = load->next; left > 0; op = op->next) {
    if (changes_tmem(op)) return false;
    left -= op->kind == OP_SLICE && op_operand(op, 0) == op_result(load);
  }
  return true;
}

bool tmem_loads_in_parts(const Op *load) { return store_takes(load) || only_slices_take(load); }

uint32_t tmem_alloc_columns(const Op *alloc) {
  uint32_t columns = tmem_columns(op_result(alloc)->type) * (uint32_t)op_int(alloc, ATTR_SLOTS, 1);
  columns += (uint32_t)op_int(alloc, ATTR_SCALE_COLUMNS, 0);
  return 1u << log2_ceil(columns);
}

enum { SCALE_ROWS = 32, SCALE_BLOCK = 128 };

uint32_t dot_scale_columns(const DotShape *shape, uint32_t group) {
  uint32_t words = (1u << shape->k) / (group * DOT_SCALES_A_WORD);
  return ((1u << shape->m) + (1u << shape->n)) / SCALE_ROWS * words;
}

uint32_t dot_scale_column(const DotShape *shape, uint32_t group, DotOperand operand, uint32_t outer,
                          uint32_t k) {
  uint32_t m = 1u << shape->m, n = 1u << shape->n, of_word = group * DOT_SCALES_A_WORD;
  if (operand == DOT_A) return (k / of_word * m + outer) / SCALE_ROWS;
  return ((1u << shape->k) / of_word * m + k / of_word * n + outer) / SCALE_ROWS;
}

Layout layout_dot_scales(uint32_t row_bits, uint32_t k_bits) {
  uint32_t in_word = log2_of(DOT_SCALES_A_WORD), part = log2_of(SCALE_ROWS), block = log2_of(SCALE_BLOCK);
  Bases bases = {0};
  if (k_bits < in_word || row_bits < block) BUG("%u x %u scales", 1u << row_bits, 1u << k_bits);
  add_range(&bases, DIM_OFFSET, 0, 0, in_word);
  add_range(&bases, DIM_OFFSET, k_bits, part, block);
  add_range(&bases, DIM_OFFSET, k_bits, 0, part);
  add_range(&bases, DIM_OFFSET, k_bits, block, row_bits);
  add_range(&bases, DIM_OFFSET, 0, in_word, k_bits);
  return layout_of_bases(&bases, row_bits + k_bits);
}

bool dot_reads_matrices(const Op *dot) { return is_dot_of(dot, DOT_WGMMA) || is_dot_of(dot, DOT_TCGEN05); }

// The part of a result's basis that an operand shares: batch and m, or batch and n.
static uint32_t operand_part(const DotShape *shape, DotOperand operand, uint32_t basis) {
  uint32_t n = basis & ((1u << shape->n) - 1), m = basis >> shape->n & ((1u << shape->m) - 1);
  uint32_t batch = basis >> (shape->n + shape->m);
  if (operand == DOT_A) return batch << (shape->m + shape->k) | m << shape->k;
  return batch << (shape->k + shape->n) | n;
}

static uint32_t operand_bits(const DotShape *shape, DotOperand operand) {
  return shape->batch + shape->k + (operand == DOT_A ? shape->m : shape->n);
}

static bool has_basis(const Bases *bases, LayoutDim dim, uint32_t basis) {
  for (uint32_t i = 0; i < bases->n[dim]; i++)
    if (bases->at[dim][i] == basis) return true;
  return false;
}

// Adds the result's bases in the operand's index: all of warps, and those of registers that are not present
// yet.
static void add_shared_part(Bases *bases, const Layout *result, const DotShape *shape, DotOperand operand) {
  for (uint32_t i = 0; i < result->bits[DIM_REGISTER]; i++) {
    uint32_t basis = operand_part(shape, operand, layout_basis(result, DIM_REGISTER, i));
    if (basis && !has_basis(bases, DIM_REGISTER, basis) && !has_basis(bases, DIM_LANE, basis))
      add_basis(bases, DIM_REGISTER, basis);
  }
  for (uint32_t i = 0; i < result->bits[DIM_WARP]; i++)
    add_basis(bases, DIM_WARP, operand_part(shape, operand, layout_basis(result, DIM_WARP, i)));
}

static uint32_t scale_part(const DotShape *shape, DotOperand operand, uint32_t basis, uint32_t k_bits) {
  return (operand == DOT_A ? basis >> shape->n : basis & ((1u << shape->n) - 1)) << k_bits;
}

Layout layout_mma_scales(const Layout *result, const DotShape *shape, DotOperand operand, uint32_t k_bits) {
  bool a = operand == DOT_A;
  Bases bases = {0};
  add_range(&bases, DIM_REGISTER, 0, 0, k_bits);
  add_basis(&bases, DIM_LANE,
            a ? scale_part(shape, operand, layout_basis(result, DIM_REGISTER, 1), k_bits) : 0);
  add_basis(&bases, DIM_LANE, 0);
  if (!a)
    add_basis(&bases, DIM_LANE, scale_part(shape, operand, layout_basis(result, DIM_REGISTER, 0), k_bits));
  for (uint32_t i = a ? 2 : 0; i < (a ? 5 : 2); i++)
    add_basis(&bases, DIM_LANE, scale_part(shape, operand, layout_basis(result, DIM_LANE, i), k_bits));
  for (uint32_t i = 2; i < result->bits[DIM_REGISTER]; i++) {
    uint32_t basis = scale_part(shape, operand, layout_basis(result, DIM_REGISTER, i), k_bits);
    if (basis) add_basis(&bases, DIM_REGISTER, basis);
  }
  for (uint32_t i = 0; i < result->bits[DIM_WARP]; i++)
    add_basis(&bases, DIM_WARP, scale_part(shape, operand, layout_basis(result, DIM_WARP, i), k_bits));
  return layout_of_bases(&bases, (a ? shape->m : shape->n) + k_bits);
}

// `first`: the operand is the instruction's first one, of 16 rows.
static Layout operand_of_mma(const Layout *result, const DotShape *shape, DotOperand operand, uint32_t pack,
                             bool first) {
  uint32_t k = operand == DOT_A ? 0 : shape->n;
  Bases bases = {0};
  if (shape->k < pack + 2 + (pack < 2))
    BUG("a dot over %u has no tile for packs of %u", 1u << shape->k, 1u << pack);
  add_range(&bases, DIM_REGISTER, k, 0, pack);
  if (first)
    add_basis(&bases, DIM_REGISTER, operand_part(shape, operand, layout_basis(result, DIM_REGISTER, 1)));
  add_range(&bases, DIM_REGISTER, k, pack + 2, shape->k);
  add_range(&bases, DIM_LANE, k, pack, pack + 2);
  if (!first) // a register bit in the result is a lane bit of its columns
    add_basis(&bases, DIM_LANE, operand_part(shape, operand, layout_basis(result, DIM_REGISTER, 0)));
  for (uint32_t i = first ? 2 : 0; i < (first ? 5 : 2); i++)
    add_basis(&bases, DIM_LANE, operand_part(shape, operand, layout_basis(result, DIM_LANE, i)));
  add_shared_part(&bases, result, shape, operand);
  return layout_of_bases(&bases, operand_bits(shape, operand));
}

Layout layout_mma_operand(const Layout *result, const DotShape *shape, DotOperand operand, uint32_t pack) {
  return operand_of_mma(result, shape, operand, pack, operand == DOT_A);
}

Layout layout_mma_swapped_operand(const Layout *result, const DotShape *shape, DotOperand operand,
                                  uint32_t pack) {
  return operand_of_mma(result, shape, operand, pack, operand == DOT_B);
}

uint32_t dot_pair_bits(const Op *dot) {
  DotShape shape = dot_op_shape(dot);
  const Attr *anchors[] = {op_attr(dot, ATTR_ANCHOR_A), op_attr(dot, ATTR_ANCHOR_B)};
  uint32_t most = 0, bits = op_attr(dot, ATTR_K_RUN) ? dot_run_bits(dot) : 0;
  for (uint32_t i = 0; bits && i < 2; i++) {
    uint32_t first = anchors[i] ? layout_basis(anchors[i]->layout, DIM_REGISTER, 0) >> (i ? shape.n : 0) : 0;
    if (first && first < 1u << bits) most = max_u32(most, log2_floor(first));
  }
  return most;
}

Layout layout_dot_part(const Layout *operand, const DotShape *shape, DotOperand which, uint32_t k_bits) {
  Bases bases = {0};
  uint32_t at = 0, k_shift = which == DOT_A ? 0 : shape->n, dropped = shape->k - k_bits;
  for (int dim = 0; dim < DIM_COUNT; dim++)
    for (uint32_t i = 0; i < operand->bits[dim]; i++) {
      uint32_t basis = operand->basis[at++], k = basis >> k_shift & ((1u << shape->k) - 1);
      if (k >> k_bits && dim != DIM_REGISTER) BUG("a part of k that other threads hold");
      if (k >> k_bits) continue;
      if (which == DOT_A) basis = basis >> shape->k << k_bits | k;
      add_basis(&bases, (LayoutDim)dim, basis);
    }
  return layout_of_bases(&bases, operand->out_bits - dropped);
}

// Renames rows: an instruction's rows r and r + 8, held by one thread, become neighbours. With 2^run of 4, so do those of
// the next instruction.
static void join_rows(Layout *layout, uint32_t shift, uint32_t run) {
  const uint32_t mask = (8u << run) - 1;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
    uint32_t row = layout->basis[i] >> shift & mask, renamed = (row << run & mask) | row >> 3;
    layout->basis[i] ^= (row ^ renamed) << shift;
  }
}

static const uint32_t transposed[] = {1, 0}, transposed_batch[] = {0, 2, 1};

static DotShape transpose_shape(const DotShape *shape) {
  return (DotShape){.batch = shape->batch, .m = shape->n, .n = shape->m, .k = shape->k};
}

// `run`: see join_rows.
static Layout swapped_result(const DotShape *shape, const DotWarps *warps, bool warpgroup, uint32_t run) {
  DotShape as = transpose_shape(shape);
  uint32_t result_shape[] = {1u << as.batch, 1u << as.m, 1u << as.n};
  Layout result = layout_mma_result(&as, warps, warpgroup);
  if (run) join_rows(&result, as.n, run);
  return layout_trans(&result, 3, result_shape, transposed_batch);
}

Layout layout_wgmma_swapped(const DotShape *shape, const DotWarps *warps) {
  return swapped_result(shape, warps, true, 0);
}

Layout layout_mma_swapped(const DotShape *shape, const DotWarps *warps, uint32_t run) {
  return swapped_result(shape, warps, false, run);
}

Layout layout_wgmma_result(const DotShape *shape, const DotWarps *warps, DotOperand operand, uint32_t pack,
                           Layout *in_registers) {
  DotShape as = operand == DOT_B ? transpose_shape(shape) : *shape;
  Layout result = layout_mma_result(&as, warps, true);
  *in_registers = layout_mma_operand(&result, &as, DOT_A, pack);
  join_rows(&result, as.n, 1);
  join_rows(in_registers, as.k, 1);
  if (operand == DOT_A) return result;
  uint32_t operand_shape[] = {1u << as.m, 1u << as.k}, result_shape[] = {1u << as.m, 1u << as.n};
  *in_registers = layout_trans(in_registers, 2, operand_shape, transposed);
  return layout_trans(&result, 2, result_shape, transposed);
}

// Registers are pieces of up to 4 x 4 neighbours, so that 16 bytes of fp32 are read at once. Then come lanes,
// 8 along n and 4 along m, then warps as square as possible. The remaining pieces come last, far apart. No
// two lanes' pieces share a bank.
//
// For accesses of 16 bytes per lane, shared memory may serve two quarters of a warp at once. This requires
// equal addresses for all lanes i and i ^ 1, or all i and i ^ 2. With one of the two bits along m and one
// along n, both operands satisfy it: 2 wavefronts each. With 8 lanes in a row along n, b takes 4. Threads
// with 128 sums multiply longer than they wait for shared memory: they keep the rows of 8
// (docs/measurements.md).
Layout layout_fma_result(const DotShape *shape, uint32_t warp_bits) {
  uint32_t m = shape->n, batch = shape->n + shape->m, bits = batch + shape->batch;
  uint32_t threads = LANE_BITS + warp_bits, registers = bits > threads ? bits - threads : 0;
  uint32_t piece_n = min_u32(min_u32(2, shape->n), registers),
           piece_m = min_u32(min_u32(2, shape->m), registers - piece_n);
  uint32_t at_n = piece_n, at_m = piece_m, at_batch = 0, first_n = registers < TUNE_FMA_ROWS_OF_8;
  Bases bases = {0};
  add_range(&bases, DIM_REGISTER, 0, 0, piece_n);
  add_range(&bases, DIM_REGISTER, m, 0, piece_m);
  for (uint32_t i = 0; i < threads; i++) {
    LayoutDim dim = i < LANE_BITS ? DIM_LANE : DIM_WARP;
    bool along_n = i < LANE_BITS ? i >= first_n && i < first_n + 3 : at_n <= at_m;
    if (at_n < shape->n && (along_n || at_m == shape->m))
      add_basis(&bases, dim, 1u << at_n++);
    else if (at_m < shape->m)
      add_basis(&bases, dim, 1u << (m + at_m++));
    else
      add_basis(&bases, dim, at_batch < shape->batch ? 1u << (batch + at_batch++) : 0);
  }
  add_range(&bases, DIM_REGISTER, 0, at_n, shape->n);
  add_range(&bases, DIM_REGISTER, m, at_m, shape->m);
  add_range(&bases, DIM_REGISTER, batch, at_batch, shape->batch);
  return layout_of_bases(&bases, bits);
}

Layout layout_fma_operand(const Layout *result, const DotShape *shape, DotOperand operand) {
  Bases bases = {0};
  add_range(&bases, DIM_REGISTER, operand == DOT_A ? 0 : shape->n, 0, shape->k);
  for (uint32_t i = 0; i < result->bits[DIM_LANE]; i++)
    add_basis(&bases, DIM_LANE, operand_part(shape, operand, layout_basis(result, DIM_LANE, i)));
  add_shared_part(&bases, result, shape, operand);
  return layout_of_bases(&bases, operand_bits(shape, operand));
}

bool layout_wgmma_shared(uint32_t row_bits, uint32_t column_bits, uint32_t elem_bits, uint32_t contiguous,
                         Layout *layout, uint32_t *row_bytes) {
  uint32_t inner_bits = contiguous ? column_bits : row_bits, outer_bits = contiguous ? row_bits : column_bits;
  uint32_t inner = contiguous ? 0 : column_bits, outer = contiguous ? column_bits : 0;
  uint32_t row = min_u32(7, inner_bits + elem_bits); // log2 of a swizzled row's bytes
  if (row < 5 || outer_bits < 3) return false;
  *row_bytes = 1u << row;
  // The 16-byte chunks of a row are permuted by XOR with the number of the 128-byte line. The modulus is 8,
  // or the row's number of chunks: line bit i changes chunk bit i. Several narrower rows share a line.
  uint32_t chunks = row - 4, rows_a_line = 7 - row;
  Bases bases = {0};
  add_range(&bases, DIM_OFFSET, inner, 0, row - elem_bits);
  for (uint32_t i = 0; i < outer_bits; i++) {
    uint32_t basis = 1u << (outer + i);
    if (i >= rows_a_line && i - rows_a_line < chunks)
      basis |= 1u << (inner + 4 - elem_bits + (i - rows_a_line));
    add_basis(&bases, DIM_OFFSET, basis);
  }
  add_range(&bases, DIM_OFFSET, inner, row - elem_bits, inner_bits);
  *layout = layout_of_bases(&bases, row_bits + column_bits);
  return true;
}

// Rows of 32-bit elements along m or n, for registers. Lanes read 8 elements of a row (16 in pairs) in 4
// rows. Vectors are written along rows. The lowest 2 bits of the row number change bits 3 and 4 of the
// columns.
static Layout rows_of_words(uint32_t row_bits, uint32_t column_bits, uint32_t contiguous) {
  uint32_t inner_bits = contiguous ? column_bits : row_bits, outer_bits = contiguous ? row_bits : column_bits;
  uint32_t inner = contiguous ? 0 : column_bits, outer = contiguous ? column_bits : 0;
  Bases bases = {0};
  add_range(&bases, DIM_OFFSET, inner, 0, inner_bits);
  for (uint32_t i = 0; i < outer_bits; i++)
    add_basis(&bases, DIM_OFFSET, 1u << (outer + i) | (i < 2 ? 1u << (inner + 3 + i) : 0));
  return layout_of_bases(&bases, row_bits + column_bits);
}

// The elements of the operand that the dot's threads hold.
static Layout read_layout(const Op *dot, DotOperand operand, const DotShape *shape) {
  const Attr *anchor = op_attr(dot, operand == DOT_A ? ATTR_ANCHOR_A : ATTR_ANCHOR_B);
  const Attr *result = op_attr(dot, ATTR_ANCHOR);
  if (anchor) return *anchor->layout;
  return layout_fma_operand(result ? result->layout : op_result(dot)->type->layout, shape, operand);
}

uint32_t layout_spanned(const Layout *layout, LayoutDim dim) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < layout->bits[dim]; i++) mask |= layout_basis(layout, dim, i);
  return mask;
}

// For fused multiply-adds whose words arrive along k: vectors of 16 bytes along m or n (from bit `outer` on).
// Readers then get neighbours in neighbouring registers, which the register file's two banks need.
//
// The bits of k that `home`'s lanes hold change the banks by XOR, so that a store's words hit different
// banks. Below the vector size the order within a vector changes. The reading lanes are within a row of 128
// bytes. The rest of the row is a thread's own vectors, whose permutation is known with the address. Returns
// false for fewer than 8 vectors or rows of k.
static bool fma_shared(const Layout *home, const Layout *read, const DotShape *shape, DotOperand operand,
                       Layout *layout) {
  enum { VECTOR_BITS = 2, LINE_BITS = 3, BANK_BITS = 5 };
  uint32_t outer_bits = operand == DOT_A ? shape->m : shape->n, outer = operand == DOT_A ? shape->k : 0;
  uint32_t k = operand == DOT_A ? 0 : shape->n;
  if (outer_bits < VECTOR_BITS + LINE_BITS || shape->k < LINE_BITS) return false;
  Bases bases = {0};
  uint32_t written = layout_spanned(home, DIM_LANE) >> k & ((1u << shape->k) - 1), at = BANK_BITS;
  at -= min_u32(BANK_BITS, (uint32_t)__builtin_popcount(written));
  add_range(&bases, DIM_OFFSET, outer, 0, VECTOR_BITS);
  uint32_t lanes = layout_spanned(read, DIM_LANE), registers = layout_spanned(read, DIM_REGISTER);
  for (uint32_t choice = 0; choice < 3; choice++)
    for (uint32_t i = VECTOR_BITS; i < outer_bits; i++) {
      uint32_t basis = 1u << (outer + i), holder = lanes & basis ? 0 : registers & basis ? 1 : 2;
      if (holder == choice) add_basis(&bases, DIM_OFFSET, basis);
    }
  for (uint32_t i = 0; i < shape->k; i++)
    add_basis(&bases, DIM_OFFSET,
              1u << (k + i) | (written >> i & 1 && at < BANK_BITS ? bases.at[DIM_OFFSET][at++] : 0));
  *layout = layout_of_bases(&bases, outer_bits + shape->k);
  return true;
}

bool layout_dot_placed(const Op *dot, DotOperand operand, const Type *home, DotPlacement placement,
                       Layout *layout) {
  DotShape shape = dot_op_shape(dot);
  Layout read = read_layout(dot, operand, &shape);
  uint32_t rows = operand == DOT_A ? shape.m : shape.k, columns = operand == DOT_A ? shape.k : shape.n;
  uint32_t elem_bits = log2_ceil(type_element_bytes(home)), row_bytes, along_columns = operand == DOT_B;
  if (shape.batch && placement != DOT_PLACED_SWIZZLE) return false;
  switch (placement) {
  case DOT_PLACED_ROWS: return layout_wgmma_shared(rows, columns, elem_bits, 1, layout, &row_bytes);
  case DOT_PLACED_COLUMNS: return layout_wgmma_shared(rows, columns, elem_bits, 0, layout, &row_bytes);
  case DOT_PLACED_WORDS:
    if ((along_columns ? columns : rows) < LANE_BITS) return false;
    *layout = rows_of_words(rows, columns, along_columns);
    return true;
  case DOT_PLACED_VECTORS: return fma_shared(home->layout, &read, &shape, operand, layout);
  case DOT_PLACED_SWIZZLE: *layout = layout_swizzle(home->layout, &read, elem_bits); return true;
  }
  return false;
}

void layout_fma_order(const Layout *result, const DotShape *shape, uint32_t *order) {
  uint32_t bits = result->bits[DIM_REGISTER], columns = 0, bit_of[LAYOUT_MAX_BITS], at;
  for (uint32_t i = 0; i < bits; i++)
    if (layout_basis(result, DIM_REGISTER, i) < 1u << shape->n) bit_of[columns++] = i;
  at = columns;
  for (uint32_t i = 0; i < bits; i++)
    if (layout_basis(result, DIM_REGISTER, i) >= 1u << shape->n) bit_of[at++] = i;
  for (uint32_t step = 0; step < 1u << bits; step++) {
    uint32_t back = (step >> columns & 1) * ((1u << columns) - 1);
    order[step] = 0;
    for (uint32_t i = 0; i < bits; i++) order[step] |= ((step ^ back) >> i & 1) << bit_of[i];
  }
}

// --- computed part of a padded wgmma

bool dot_takes_b_first(const Op *dot) {
  return is_dot_of(dot, DOT_WGMMA) &&
         (op_attr(dot, ATTR_SWAPPED) || op_attr(dot, ATTR_ANCHOR_B) ||
          (type_is_tile(op_operand(dot, 1)->type) && !op_attr(dot, ATTR_SHARED_B)));
}

// A position in the result, as the instruction's row and column.
typedef struct DotPlace {
  uint32_t row, column;
} DotPlace;

static DotPlace place_of(const Op *dot, uint32_t index) {
  DotShape shape = dot_op_shape(dot);
  uint32_t row = index >> shape.n & ((1u << shape.m) - 1), column = index & ((1u << shape.n) - 1);
  return dot_takes_b_first(dot) ? (DotPlace){column, row} : (DotPlace){row, column};
}

uint32_t dot_column_bits(const Op *dot) {
  enum { MAX_BITS = 8 };
  const Layout *layout = op_result(dot)->type->layout;
  DotShape shape = dot_op_shape(dot);
  uint32_t taken = 0, bits = 0, most = min_u32(dot_takes_b_first(dot) ? shape.m : shape.n, MAX_BITS);
  for (uint32_t i = 0; i < layout->bits[DIM_WARP]; i++)
    taken |= place_of(dot, layout_basis(layout, DIM_WARP, i)).column;
  while (bits < most && !(taken >> bits & 1)) bits++;
  return bits;
}

// The smallest number of columns that wgmma accepts and that is at least n.
static uint32_t wgmma_columns(const Op *dot, uint32_t n) {
  enum { FEW = 32 }; // for integers: multiples of 16 above it
  uint32_t step = type_is_elem(op_result(dot)->type, ELEM_I32) && n > FEW ? 16 : 8;
  return (n + step - 1) / step * step;
}

// Columns of the instruction that computes this position; 0 in padding.
static uint32_t columns_from(const Op *dot, DotPlace first) {
  DotExtents meant = dot_extents(dot);
  DotPlace end = dot_takes_b_first(dot) ? (DotPlace){meant.n, meant.m} : (DotPlace){meant.m, meant.n};
  if (first.row >= end.row || first.column >= end.column) return 0;
  if (!is_dot_of(dot, DOT_WGMMA)) return dot_instruction_info(dot_instruction(dot))->columns;
  return min_u32(wgmma_columns(dot, end.column - first.column), 1u << dot_column_bits(dot));
}

uint32_t dot_columns_at(const Op *dot, uint32_t index) { return columns_from(dot, place_of(dot, index)); }

bool dot_sums_in(const Op *dot, uint32_t reg) {
  if (!op_attr(dot, ATTR_EXTENTS)) return true;
  const DotInstructionInfo *info = dot_instruction_info(dot_instruction(dot));
  bool wgmma = is_dot_of(dot, DOT_WGMMA);
  uint32_t columns = wgmma ? 1u << dot_column_bits(dot) : info->columns;
  DotPlace at = place_of(dot, layout_apply(op_result(dot)->type->layout, reg, 0, 0, 0)),
           first = {at.row / info->rows * info->rows, at.column / columns * columns};
  return at.column - first.column < columns_from(dot, first);
}

// For wgmma, which may be padded.
static void find_read_part(const Op *dot, DotOperand operand, uint32_t part[2]) {
  const Layout *layout = op_result(dot)->type->layout;
  uint32_t rows = 0, columns = 0, lanes = (1u << LANE_BITS) - 1, warps = (1u << layout->bits[DIM_WARP]) - 1,
           n = dot_op_shape(dot).n;
  for (uint32_t r = 0; r < layout_registers(layout);
       r++) { // each basis has its own bits, so the last thread's elements are furthest
    uint32_t index = layout_apply(layout, r, lanes, warps, 0);
    if (!dot_sums_in(dot, r)) continue;
    rows = max_u32(rows, (index >> n) + 1), columns = max_u32(columns, (index & ((1u << n) - 1)) + 1);
  }
  part[operand == DOT_A ? 0 : 1] = operand == DOT_A ? rows : columns;
  part[operand == DOT_A ? 1 : 0] = dot_depth(dot);
}

// The rows and columns that the instructions compute: all rows of the tile.
static DotExtents tcgen05_extents(const Op *dot) {
  enum { COLUMNS = 16 };
  DotExtents sums = dot_extents(dot);
  sums.m = op_result(dot)->type->shape[0], sums.n = (uint32_t)round_up(sums.n, COLUMNS);
  return sums;
}

bool dot_reads_part(const Op *dot, DotOperand operand, uint32_t part[2]) {
  if (op_attr(dot, operand == DOT_A ? ATTR_ANCHOR_A : ATTR_ANCHOR_B)) return false;
  if (is_dot_of(dot, DOT_TCGEN05)) {
    DotExtents sums = tcgen05_extents(dot);
    part[operand == DOT_A ? 0 : 1] = operand == DOT_A ? sums.m : sums.n;
    part[operand == DOT_A ? 1 : 0] = op_attr(dot, ATTR_EXTENTS) ? dot_depth(dot) : sums.k;
  } else
    find_read_part(dot, operand, part);
  return true;
}

uint64_t dot_sums(const Op *dot) {
  const Type *result = op_result(dot)->type;
  uint64_t elements = type_elements(result);
  if (!op_attr(dot, ATTR_EXTENTS)) return elements;
  if (is_dot_of(dot, DOT_TCGEN05)) return (uint64_t)tcgen05_extents(dot).m * tcgen05_extents(dot).n;
  uint32_t registers = layout_registers(result->layout), summed = 0;
  for (uint32_t r = 0; r < registers; r++) summed += dot_sums_in(dot, r);
  return elements / registers * summed;
}

bool dot_takes_b_computed(const Op *dot) {
  return is_dot_of(dot, DOT_WGMMA) && op_attr(dot, ATTR_SWAPPED) && type_is_tile(op_operand(dot, 1)->type) &&
         !op_attr(dot, ATTR_SHARED_B);
}

// A large operand has a part for each instruction: registers hold only the parts that are in flight.
static uint32_t unpacked_parts(const Op *dot) {
  enum { INSTRUCTION_BYTES = 32, LARGE_BYTES = 128 };
  const Type *b = op_operand(dot, 1)->type;
  uint32_t bytes = type_element_bytes(b), steps = dot_part(dot).count * bytes / INSTRUCTION_BYTES;
  bool large = b->layout && (uint64_t)layout_registers(b->layout) * bytes > LARGE_BYTES;
  return large ? steps : min_u32(steps, DOT_PARTS_IN_FLIGHT);
}

uint32_t dot_parts(const Op *dot) {
  const Type *a = op_operand(dot, 0)->type;
  bool reads_a = op_attr(dot, ATTR_ANCHOR_A) && op_attr(dot, ATTR_SHARED_A);
  bool reads_b = op_attr(dot, ATTR_ANCHOR_B) && op_attr(dot, ATTR_SHARED_B);
  if (dot_takes_b_computed(dot)) return unpacked_parts(dot);
  if (!reads_a && !reads_b) return 0;
  return dot_part(dot).count * type_element_bytes(a) > 32 ? 2 : 1;
}

uint32_t dot_promotes(const Op *dot) {
  enum { INSTRUCTION_K = 32 };
  const Type *a = op_operand(dot, 0)->type;
  Elem elem = a->kind == TYPE_SHARED ? a->elem : type_element(a)->elem;
  const Attr *imprecise = op_attr(dot, ATTR_IMPRECISE);
  uint32_t k = dot_part(dot).count;
  if (!imprecise || (elem != ELEM_FP8E4NV && elem != ELEM_FP8E5)) return 0;
  if (!type_is_elem(op_result(dot)->type, ELEM_FP32) || imprecise->i >= k) return 0;
  uint32_t step = imprecise->i < INSTRUCTION_K ? INSTRUCTION_K : (uint32_t)imprecise->i;
  while (step & (step - 1)) step &= step - 1;
  return step < k ? step : 0;
}
