// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of matmuls: results and operands of mma.sync, wgmma and fused multiply-adds, and the shared-memory
// layouts that wgmma reads. PTX ISA: "Matrix fragments for mma", and "Register fragments and shared memory
// matrix layouts" of wgmma.mma_async.
#ifndef IR_DOT_LAYOUT_DOT_H
#define IR_DOT_LAYOUT_DOT_H

#include "ir/dot/dot.h"

// log2 of the (padded) extents of a dot: a is [batch,] M x K, b is [batch,] K x N, the result [batch,] M x N.
typedef struct DotShape {
  uint32_t batch, m, n, k;
} DotShape;

DotShape dot_op_shape(const Op *dot); // k: the dot's part of it

typedef enum DotOperand { DOT_A, DOT_B } DotOperand;

// log2 of the warps along each dimension. Warps without room in a dimension hold copies.
typedef struct DotWarps {
  uint32_t batch, m, n;
} DotWarps;

// The result as m16n8 tiles (M >= 16, N >= 8). In a tile a thread holds 2 neighbours along n, in rows 8
// apart. Lanes are 8 along m, 4 along n.
//
// `warpgroup`: the four warps of a warpgroup are along m, 16 rows each, as wgmma's m64nN needs it (M >= 64;
// warps.m >= 2). Further warps.m, and all of mma's, divide m into consecutive parts.
Layout layout_mma_result(const DotShape *shape, const DotWarps *warps, bool warpgroup);
// The result of a wgmma that takes one operand from registers, *in_registers. It loads 32-bit words there because these
// do not run along k in shared memory, or b is computed. `operand` b: the dot is computed transposed. The columns of b are
// the instruction's rows, and a thread holds neighbours of those. 2^pack elements take 32 bits.
Layout layout_wgmma_result(const DotShape *shape, const DotWarps *warps, DotOperand operand, uint32_t pack,
                           Layout *in_registers);
// The result of a wgmma that computes the transposed dot of two operands in shared memory. `warps` describe
// the transposed dot: m is along b's columns.
Layout layout_wgmma_swapped(const DotShape *shape, const DotWarps *warps);
// The same of mma.sync. `run`: log2 of the neighbouring columns that a thread holds, up to DOT_COLUMN_RUN. A warp has
// 2^(3 + run) columns or more.
Layout layout_mma_swapped(const DotShape *shape, const DotWarps *warps, uint32_t run);
enum { DOT_COLUMN_RUN = 2 };
// The result of tcgen05 as threads read it from tensor memory (M >= 64, N >= 16; warps.m >= 2).
//
// Tensor memory has 128 lanes and 512 columns. A block of 128 rows has a lane for each row, and a column for each
// column of the result. 64 rows are the first 16 lanes of each 32. The next block has the next columns.
//
// tcgen05.ld.16x256b reads 16 lanes and 8 columns as one m16n8 tile. A warp reaches the 32 lanes of its number modulo
// 4. Further warps divide the blocks (m), then the columns (n).
Layout layout_tcgen05_result(const DotShape *shape, const DotWarps *warps);
// The same of tcgen05.ld.32x32b: a thread has a lane, so a whole row of a block if no warps divide the columns
// (M >= 128). Reductions along rows then need no other thread.
Layout layout_tcgen05_rows(const DotShape *shape, const DotWarps *warps);
// Returns true if a tile has that layout.
bool tile_has_tmem_rows(const Type *tile);
enum { TMEM_LANE_BITS = 7, TMEM_COLUMN_BITS = 9 };
// The lane and the column, from the accumulator's first one, of an element by its flattened index.
typedef struct TmemPlace {
  uint32_t lane, column;
} TmemPlace;
TmemPlace tmem_place(const Type *tmem, uint32_t index);
// The columns of an accumulator: a power of two, 32 or more.
uint32_t tmem_columns(const Type *tmem);
// True for a state of tensor memory that is a dot's first operand: a column has two of its elements, of 16 bits.
bool tmem_is_operand(const Value *state);
// True if a tmem_load loads a few registers at a time: only a store to global memory takes them, or slices do.
bool tmem_loads_in_parts(const Op *load);
// The columns that tmem_alloc allocates: a power of two for the accumulators and scales.
uint32_t tmem_alloc_columns(const Op *alloc);
// Scales of a dot, each of a group along k. A column of tensor memory has 4 scales of each of 32 rows (a) or columns (b).
// The columns of a block of 128 rows are neighbours.
enum { DOT_SCALES_A_WORD = 4 };
uint32_t dot_scale_columns(const DotShape *shape, uint32_t group); // of both operands
// The first column of the scales of the operand's 128 rows (or columns) from `outer` on, and of the 4 groups at k.
uint32_t dot_scale_column(const DotShape *shape, uint32_t group, DotOperand operand, uint32_t outer,
                          uint32_t k);
// The scales for mma.sync, of a dot with that result, as a tile of 2^k_bits scales a row. A lane has words of a row.
// For a these are rows g and g + 8, in even and odd lanes of the quad g. For b it is column g.
Layout layout_mma_scales(const Layout *result, const DotShape *shape, DotOperand operand, uint32_t k_bits);
// The buffer in shared memory of 2^row_bits x 2^k_bits scales: blocks of 128 rows by 4, as tcgen05.cp.32x128b reads them.
// Row r and scale j of a block are at byte r % 32 * 16 + r / 32 * 4 + j.
Layout layout_dot_scales(uint32_t row_bits, uint32_t k_bits);
// Returns true if the dot is asynchronous and reads matrices in shared memory by descriptors.
bool dot_reads_matrices(const Op *dot);
// Returns true if the dot is a wgmma whose first operand is b, so its rows are the result's columns. This is
// so if b comes from registers, or with `swapped`.
bool dot_takes_b_first(const Op *dot);
// An operand's layout for the result's layout; 2^pack elements take 32 bits. K >= 8 << pack.
Layout layout_mma_operand(const Layout *result, const DotShape *shape, DotOperand operand, uint32_t pack);
// The same for the transposed dot, whose first operand is b.
Layout layout_mma_swapped_operand(const Layout *result, const DotShape *shape, DotOperand operand,
                                  uint32_t pack);
// log2 of the distance along k of the two elements that a word of mma has. It is 0, or with k_run that of an operand's
// first two registers.
uint32_t dot_pair_bits(const Op *dot);
// A part of an operand of a dot with this shape. The part has 2^k_bits of k. Threads hold their rows or
// columns of all parts: registers count the parts.
Layout layout_dot_part(const Layout *operand, const DotShape *shape, DotOperand which, uint32_t k_bits);
// The result of fused multiply-adds, with the most reuse of the values that a thread reads.
Layout layout_fma_result(const DotShape *shape, uint32_t warp_bits);
// An operand layout: every thread holds the whole k for its rows (a) or columns (b) of the result.
Layout layout_fma_operand(const Layout *result, const DotShape *shape, DotOperand operand);

// The layout (from offsets) of a rows x columns matrix of elements of 2^elem_bits bytes, with the widest
// possible swizzle. `contiguous`: the index that is contiguous in memory (0: rows, 1: columns). Returns false
// if that extent is less than 32 bytes, or the other extent less than 8.
bool layout_wgmma_shared(uint32_t row_bits, uint32_t column_bits, uint32_t elem_bits, uint32_t contiguous,
                         Layout *layout, uint32_t *row_bytes);

// The layout of a buffer for an operand, held by the tile `home`, in this placement (after choose_dot).
// Returns false if the extents are too small.
bool layout_dot_placed(const Op *dot, DotOperand operand, const Type *home, DotPlacement placement,
                       Layout *layout);
// The bits in any basis of dimension `dim`.
uint32_t layout_spanned(const Layout *layout, LayoutDim dim);
// The order in which multiply-adds visit the result's registers for one k (order: one entry each). It runs
// along a row and back along the next, which starts in the column where the previous row ended.
void layout_fma_order(const Layout *result, const DotShape *shape, uint32_t *order);

// log2 of the maximum columns of a wgmma instruction, for a padded dot whose result has its layout. Counts the
// columns that the result keeps in registers or lanes, up to 256. If b comes from registers, the
// instruction's columns are the result's rows.
uint32_t dot_column_bits(const Op *dot);
// The number of columns of the wgmma instruction whose first column is this index of the result. It is the
// unpadded columns, rounded up to a number that wgmma accepts. Returns 0 if rows or columns from there on are
// padding: no instruction computes them.
uint32_t dot_columns_at(const Op *dot, uint32_t index);
// Returns true if instructions compute the result's register, and it is not only padding.
bool dot_sums_in(const Op *dot, uint32_t reg);

// The leading rows and columns of an operand that a wgmma or tcgen05.mma reads. Returns false if it takes the operand from
// registers.
bool dot_reads_part(const Op *dot, DotOperand operand, uint32_t part[2]);
// The number of result elements that instructions compute: all, or fewer for a padded wgmma.
uint64_t dot_sums(const Op *dot);

// The number of parts along k for an operand in registers. It is loaded from shared memory (it has an anchor and a flag
// `shared`), or computed there for the transposed dot. The next part is loaded or computed while one is multiplied. 0:
// there is no such operand.
uint32_t dot_parts(const Op *dot);
enum { DOT_PARTS_IN_FLIGHT = 4 }; // At most, of an operand that is computed in registers.
// Returns true if the dot is a transposed wgmma that takes b from registers.
bool dot_takes_b_computed(const Op *dot);

// The number of k elements after which an fp8 wgmma adds its sums up in fp32; 0: never.
uint32_t dot_promotes(const Op *dot);

#endif
