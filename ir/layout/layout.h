// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts: linear maps over GF(2) from index bits (register, lane, warp, block; or a shared buffer's offset)
// to the bits of a tile's flattened row-major index. "Linear Layouts: Robust Code Generation of Efficient
// Tensor Computation Using F2" (arXiv 2505.23819). docs/layouts.md has the mathematics.
//
// L(x) is the XOR of the bases at x's set bits. A zero basis means that the input bit
// does not matter: the element is held more than once. There are no kinds of layouts:
// constructors give bases, and everything else asks the bases.
#ifndef IR_LAYOUT_LAYOUT_H
#define IR_LAYOUT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

typedef struct IrContext IrContext;

typedef enum LayoutDim {
  DIM_REGISTER, // which of a thread's values
  DIM_LANE,     // which thread of the warp
  DIM_WARP,     // which warp of the block
  DIM_BLOCK,    // which block of the cluster; no bits today
  DIM_OFFSET,   // element offset in a shared buffer; such a layout has no register, lane or warp bits
  DIM_COUNT
} LayoutDim;

enum { LAYOUT_MAX_BITS = 40, LAYOUT_MAX_RANK = 32, LANE_BITS = 5 };

typedef struct Layout {
  uint8_t bits[DIM_COUNT];         // input bits a dimension
  uint8_t out_bits;                // log2 of the (padded) tile's elements
  uint32_t basis[LAYOUT_MAX_BITS]; // concatenated in LayoutDim order; basis < 2^out_bits
} Layout;

// Interned: equal layouts have one address. Faults where a basis is out of range.
const Layout *layout_intern(IrContext *ir, const Layout *layout);

uint32_t layout_in_bits(const Layout *layout);                  // of all dimensions
uint32_t layout_first_bit(const Layout *layout, LayoutDim dim); // the dimension's first place in `basis`
const char *layout_dim_name(LayoutDim dim);                     // "reg", "lane", "warp", "block", "offset"

// The basis of bit `bit` of dimension `dim`.
uint32_t layout_basis(const Layout *layout, LayoutDim dim, uint32_t bit);
// L(register, lane, warp, block): the flattened index.
uint32_t layout_apply(const Layout *layout, uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block);
uint32_t layout_apply_offset(const Layout *layout, uint32_t offset);
uint32_t layout_registers(const Layout *layout); // registers a thread: 2^bits[DIM_REGISTER]
uint32_t layout_own_elements(const Layout *layout); // elements of a thread, each once
// Register bits, from the lowest, that lead along one dimension: 2^that registers are neighbours there.
uint32_t layout_run_bits(const Layout *layout);
bool layout_equal(const Layout *a, const Layout *b);

// Blocked: `elems` consecutive registers, then 32 lanes, then 2^warp_bits warps along the
// dimensions of `order` (order[0] is the fastest), in a tile of `shape` (powers of two).
// elems, lanes and warps are log2 a dimension. Lanes and warps beyond the tile have zero bases
// (held more than once), registers beyond it are left out; a layout smaller than the tile
// repeats in registers. shape and the three arrays are indexed by dimension, not by order.
Layout layout_blocked(uint32_t rank, const uint32_t *shape, const uint32_t *order, const uint32_t *elem_bits,
                      const uint32_t *lane_bits, const uint32_t *warp_bits);
// The default: one dimension order (last fastest), 2^elem_bits consecutive elements a thread, all lanes and
// then all warps along the fastest dimension first, then the next.
Layout layout_default(uint32_t rank, const uint32_t *shape, const uint32_t *order, uint32_t elem_bits,
                      uint32_t warp_bits);

// B after A: replaces each basis b of A by B(b). B is square:
// its input bits, concatenated, number A's out_bits.
Layout layout_compose(const Layout *a, const Layout *b);
// X with L(X(i)) == i for every index i: out_bits (X's offset bits) -> L's input bits,
// concatenated; the smallest such input, so that free input bits (more holders
// of one element) are zero. False where L is not onto. Up to 31 input bits.
bool layout_invert(const Layout *layout, Layout *inverse);
// Input bits that do not change the element beyond what the others give, one mask a dimension: holders with
// any of these bits set are redundant (they mask their stores and skip their atomics).
void layout_free_bits(const Layout *layout, uint32_t free_mask[DIM_COUNT]);
// Conversion plan src -> dst, two layouts of one tile.
typedef enum Conversion {
  CONVERT_NOTHING,   // every register stays
  CONVERT_REGISTERS, // every thread renames registers, all threads the same way; some may be copied, or go
  CONVERT_LANES,     // what a warp needs its own lanes hold
  CONVERT_SHARED,    // elements change warps
} Conversion;
Conversion layout_conversion(const Layout *src, const Layout *dst);
// log2 of how many of a thread's registers, from register 0, hold consecutive elements.
uint32_t layout_contiguous_bits(const Layout *layout);

// --- products, division, equations (layout_solve.c)

// A * B, the direct sum: A's bases first in each dimension,
// then B's, shifted left by A's out_bits (31 in all).
Layout layout_product(const Layout *a, const Layout *b);
// Whether whole == left * rest, which *rest gets.
bool layout_divide_left(const Layout *whole, const Layout *left, Layout *rest);
// X with A(X(i)) == B(i) for every input i of B: basis j of X, over B's concatenated input bits, is a word of
// A's concatenated input bits, the smallest. False where there is none. Up to 32 input bits of A.
bool layout_solve(const Layout *a, const Layout *b, uint32_t x[LAYOUT_MAX_BITS]);
// The smallest input (all dimensions concatenated, registers lowest; up to 32 bits) whose XOR with any input
// moves L's result by `delta`; false: none does.
bool layout_delta(const Layout *layout, uint32_t delta, uint32_t *input);

// --- shapes (layout_shape.c): the index of a tile is row-major over its shape padded to powers of two.
// Shapes may be given padded or not; up to 8 dimensions; rank 0 is a scalar, without index bits.

// The bits of dimension `dim` in the flattened index of a tile; *first (or NULL): the lowest one's place.
uint32_t layout_dim_bits(uint32_t rank, const uint32_t *shape, uint32_t dim, uint32_t *first);
// Slice: dimension `dim` removed (its bits dropped from every
// basis, then registers as layout_drop_registers does).
Layout layout_slice(const Layout *layout, uint32_t rank, const uint32_t *shape, uint32_t dim);
// The same with the dimension kept at size 1: the same bases.
Layout layout_keep_dims(const Layout *layout, uint32_t rank, const uint32_t *shape, uint32_t dim);
// Of the tile whose dimension i is dimension order[i] of the operand; layout and shape are the operand's.
Layout layout_trans(const Layout *layout, uint32_t rank, const uint32_t *shape, const uint32_t *order);
// The operand's layout from the result's (registers dropped as by layout_drop_registers), and the other way;
// `in`, `out` are the shapes (one rank). Forward repeats in new high registers, last dimension first.
Layout layout_broadcast_operand(const Layout *out_layout, uint32_t rank, const uint32_t *in,
                                const uint32_t *out);
Layout layout_broadcast_result(const Layout *in_layout, uint32_t rank, const uint32_t *in,
                               const uint32_t *out);
// Of the tile whose dimension `dim` is 2^bits times as long: the new index bits are the highest inputs of `in`.
Layout layout_stretch(const Layout *layout, uint32_t rank, const uint32_t *shape, uint32_t dim, uint32_t bits,
                      LayoutDim in);
// join: a new lowest register bit for the new lowest index bit; split: the other way, false where a thread's
// registers do not hold both halves of each pair, or not in the same registers in all threads.
Layout layout_join(const Layout *layout);
bool layout_split(const Layout *layout, Layout *half);
// Drops registers that repeat others of the same thread: what is left has no zero or dependent register
// basis. The lowest register of each kind stays.
Layout layout_drop_registers(const Layout *layout);

// --- conversions within warps, by shuffles (layout_lanes.c)

enum { LANE_PLAN_BITS = 16 };

// In threads (number in the block: lane, then warp) of which `threads` picks an odd number of set bits, each
// register j and register j ^ registers trade places: a select a register.
typedef struct LaneSelect {
  uint32_t threads, registers;
} LaneSelect;

// src -> dst within warps, in 2^round_bits rounds; a round moves one register of every thread:
//   x = the source's registers, after the `send` selects in any order (src_registers of them)
//   in round k a thread gives x[send_register(k)] and receives y[k] from the lane
//   lane_from(thread) ^ round_lane(k) of its warp
//   y, after the `receive` selects; the result's register r is y[result_round(r)]
// The maps are linear: the XOR of the words at the argument's set bits. Rounds of one round_lane(k) may be
// packed: two 16-bit or four 8-bit registers a shuffle.
typedef struct LanePlan {
  uint32_t src_register_bits, round_bits, dst_register_bits, thread_bits;
  uint32_t send_count, receive_count;
  LaneSelect send[LANE_PLAN_BITS], receive[LANE_PLAN_BITS];
  uint32_t send_register[LANE_PLAN_BITS], round_lane[LANE_PLAN_BITS]; // a round bit
  uint32_t lane_from[LANE_PLAN_BITS];                                 // a thread bit
  uint32_t result_round[LANE_PLAN_BITS];                              // a bit of the result's registers
  // lane_from(thread) is the thread's own lane: shfl.xor by round_lane(k), and no shuffle where that is 0.
  bool butterfly;
  uint32_t shuffles; // rounds that need one
} LanePlan;
// The plan with the fewest shuffles. False where elements change warps, and where a lane would have to give
// two registers at once (only where an element is held several times): then shared memory.
bool layout_lane_plan(const Layout *src, const Layout *dst, LanePlan *plan);

// --- conversions through shared memory (layout_swizzle.c, layout_banks.c)

// Where each register of each thread lies: register, lane, warp bits -> the element's offset in the buffer.
// Addresses are XORs of the bases. `shared` is onto.
Layout layout_offsets(const Layout *registers, const Layout *shared);
// The swizzle: the layout of a buffer (from DIM_OFFSET bits; offset in elements; a bijection) that src is written to and
// dst is read from. It has the fewest wavefronts, then the fewest accesses, then vectors along the tile's fastest
// dimension. Loads are by ldmatrix where layout_matrix allows it. elem_bits: log2 of an element's bytes (0 .. 3).
// Registers of src and dst that repeat others should be neither written nor read.
// Callers: promote_shared (conversions), split_exchanges (flips, gathers), layout_dot_placed (operands of dots).
Layout layout_swizzle(const Layout *src, const Layout *dst, uint32_t elem_bits);
// log2 of the elements of one access of a thread, at most 16 bytes: registers in some order to consecutive,
// aligned offsets in all threads. Fills register_order (a permutation of the registers' bits, by number,
// lowest first) so that the access is registers 0 .. 2^v - 1 in it.
uint32_t layout_vector_bits(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                            uint32_t *register_order);
// log2 of the phases that an access of 2^vector_bits elements
// a lane has: one for each 128 bytes, of consecutive lanes.
uint32_t layout_phase_bits(uint32_t elem_bits, uint32_t vector_bits);
// Wavefronts of one warp's access of 2^vector_bits elements a lane, all lanes active: the sum over phases of
// the most words in one of the 32 banks of 4 bytes; ideal (or NULL): the phases.
uint32_t layout_wavefronts(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                           uint32_t vector_bits, const uint32_t *register_order, uint32_t *ideal);

// Whether ldmatrix (stmatrix) can move the registers: matrices of 8 rows of 16 consecutive bytes,
// 32 bits a thread and matrix. PLAIN: the words of a row are in lane bits 0 and 1,
// rows in lane bits 2 .. 4; elements up to 4 bytes. TRANSPOSED: the 2-byte elements
// of a row are in lane bits 2 .. 4, rows in one register bit and lane bits 0 and 1.
typedef enum LayoutMatrix { MATRIX_NONE, MATRIX_PLAIN, MATRIX_TRANSPOSED } LayoutMatrix;
// register_order: as of layout_vector_bits, first the bits within 32 bits (TRANSPOSED: the row's
// bit, the lowest that does as well as any).
// *wavefronts: of one matrix, ideally 1.
LayoutMatrix layout_matrix(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                           uint32_t *register_order, uint32_t *wavefronts);

// "layout<reg = [1, 2], lane = [4, 8, 16, 32, 64], warp = [128, 256]; 1024>":
// dimensions without bits are left out.
void layout_print(const Layout *layout, Buf *out);

#endif
