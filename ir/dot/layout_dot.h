// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of matrix products: results and operands of mma.sync, wgmma and fused multiply-adds, and the
// shared-memory layouts that wgmma reads. PTX ISA, sections on "Matrix fragments for mma" and "Register
// fragments and shared memory matrix layouts" of wgmma.mma_async.
#ifndef IR_DOT_LAYOUT_DOT_H
#define IR_DOT_LAYOUT_DOT_H

#include "ir/dot/dot.h"

// log2 of the (padded) extents of a product: a is [batch,]
// M x K, b is [batch,] K x N, the result [batch,] M x N.
typedef struct DotShape {
  uint32_t batch, m, n, k;
} DotShape;

DotShape dot_shape(const Type *a, const Type *result);
DotShape dot_op_shape(const Op *dot); // k: the dot's part of it

typedef enum DotOperand { DOT_A, DOT_B } DotOperand;

// log2 of the warps along each dimension. What the dimension has no room for is held more than once.
typedef struct DotWarps {
  uint32_t batch, m, n;
} DotWarps;

// The result of tiles of m16n8 (M >= 16, N >= 8): in a tile a thread holds
// 2 neighbours along n, in rows 8 apart; lanes are 8 along m, 4 along n. `warpgroup`:
// the four warps of a warpgroup lie along m, 16 rows each, as wgmma's m64nN wants it (M >= 64;
// warps.m >= 2); warps.m beyond those, and all of mma's, divide m into consecutive parts.
Layout layout_mma_result(const DotShape *shape, const DotWarps *warps, bool warpgroup);
// The result of a wgmma that reads one operand from shared memory into registers, *in_registers, because
// words do not lie along k there: `operand` b: the product is computed transposed, columns of b being the
// instruction's rows. A thread holds neighbours of those.
Layout layout_wgmma_result(const DotShape *shape, const DotWarps *warps, DotOperand operand,
                           Layout *in_registers);
// The result of a wgmma that computes the transposed product of two operands in shared memory: `warps` are of that, m along b's columns.
Layout layout_wgmma_swapped(const DotShape *shape, const DotWarps *warps);
// Whether a dot is a wgmma whose first operand is b, its rows being the result's columns: where b comes from registers, or with `swapped`.
bool dot_takes_b_first(const Op *dot);
// An operand that fits the result's layout; 2^pack elements of it make 32 bits. K >= 8 << pack.
Layout layout_mma_operand(const Layout *result, const DotShape *shape, DotOperand operand, uint32_t pack);
// The part of an operand (of a product of that shape) that has 2^k_bits of k, which threads hold all of their
// rows or columns of: registers count the parts.
Layout layout_dot_part(const Layout *operand, const DotShape *shape, DotOperand which, uint32_t k_bits);
// The result of fused multiply-adds, for the most reuse of what a thread reads.
Layout layout_fma_result(const DotShape *shape, uint32_t warp_bits);
// An operand of which every thread holds all of k for its rows (a) or columns (b) of the result.
Layout layout_fma_operand(const Layout *result, const DotShape *shape, DotOperand operand);

// The layout (from offsets) of a rows x columns matrix of elements of 2^elem_bits bytes, of which
// `contiguous` (0: rows' index, 1: columns') counts upwards in memory, with the widest swizzle that its
// extent has room for. False where that is less than 32 bytes or the other extent less than 8.
bool layout_wgmma_shared(uint32_t row_bits, uint32_t column_bits, uint32_t elem_bits, uint32_t contiguous,
                         Layout *layout, uint32_t *row_bytes);

// The layout of a buffer in which an operand, which the tile `home` holds, lies so (after choose_dot); false:
// its extents have no room for that.
bool layout_dot_placed(const Op *dot, DotOperand operand, const Type *home, DotPlacement placement,
                       Layout *layout);
// The bits of dimension `dim` of a layout's bases, all together.
uint32_t layout_spanned(const Layout *layout, LayoutDim dim);
// The result's registers (order: one each) as multiply-adds sum them: of a k along a row, and back along the
// next, which begins with the column that the row before ended with.
void layout_fma_order(const Layout *result, const DotShape *shape, uint32_t *order);

// Of a padded dot whose result has its layout what instructions sum. Of a wgmma: log2 of the columns of an instruction at most (where b comes from registers the
// instruction's columns are the result's rows), those that the result keeps in registers or lanes, up to 256.
uint32_t dot_column_bits(const Op *dot);
// Of the instruction that sums at that index of the result, of its columns' first, how many columns it has: a number that wgmma
// takes, as many as are meant. 0: rows or columns from there on are padding, and no instruction sums them.
uint32_t dot_columns_at(const Op *dot, uint32_t index);
// Whether the result's register is one that instructions sum in, and not padding alone.
bool dot_sums_in(const Op *dot, uint32_t reg);

// The rows and columns of an operand that a wgmma multiplies, from the first on. False: it takes
// the operand from registers.
bool dot_reads_part(const Op *dot, DotOperand operand, uint32_t part[2]);
// The elements of the result that instructions sum: all of them, or of a padded wgmma fewer.
uint64_t dot_sums(const Op *dot);

// In how many parts along k a wgmma takes the operand that it reads from shared memory into registers (one
// with an anchor and a flag `shared`): the next is read while one is multiplied. 0: it has none.
uint32_t dot_parts(const Op *dot);

// After how many elements of k the dot, which is a wgmma of fp8, adds its sums up in fp32; 0: never.
uint32_t dot_promotes(const Op *dot);

#endif
