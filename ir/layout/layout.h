// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts: linear maps over GF(2) from index bits (register, lane, warp, CTA, or a shared buffer's offset) to
// the bits of a tile's flattened row-major index. See "Linear Layouts: Robust Code Generation of Efficient
// Tensor Computation Using F2" (arXiv 2505.23819), and docs/layouts.md for the mathematics.
//
// L(x) is the XOR of the bases at x's set bits. A zero basis means that the input bit has no effect: several
// holders have the element. There are no kinds of layouts: constructors produce bases, and all other code
// inspects the bases.
#ifndef IR_LAYOUT_LAYOUT_H
#define IR_LAYOUT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

typedef struct IrContext IrContext;

typedef enum LayoutDim {
  DIM_REGISTER, // Index of a thread's value.
  DIM_LANE,     // Index of the thread in the warp.
  DIM_WARP,     // Index of the warp in the CTA.
  DIM_BLOCK,    // Index of the CTA in the cluster; no bits today.
  DIM_OFFSET,   // Element offset in a shared buffer; such a layout has no register, lane or warp bits.
  DIM_COUNT
} LayoutDim;

enum { LAYOUT_MAX_BITS = 40, LAYOUT_MAX_RANK = 32, LANE_BITS = 5 };

typedef struct Layout {
  uint8_t bits[DIM_COUNT];         // Input bits per dimension.
  uint8_t out_bits;                // log2 of the (padded) tile's elements.
  uint32_t basis[LAYOUT_MAX_BITS]; // Concatenated in LayoutDim order; basis < 2^out_bits.
} Layout;

// Interned: equal layouts have one address. Faults if a basis is out of range.
const Layout *layout_intern(IrContext *ir, const Layout *layout);

uint32_t layout_in_bits(const Layout *layout);                  // over all dimensions
uint32_t layout_first_bit(const Layout *layout, LayoutDim dim); // the dimension's first index in `basis`
const char *layout_dim_name(LayoutDim dim);                     // "reg", "lane", "warp", "block", "offset"

// The basis of bit `bit` of dimension `dim`.
uint32_t layout_basis(const Layout *layout, LayoutDim dim, uint32_t bit);
// L(register, lane, warp, block): the flattened index.
uint32_t layout_apply(const Layout *layout, uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block);
uint32_t layout_apply_offset(const Layout *layout, uint32_t offset);
uint32_t layout_registers(const Layout *layout);    // registers per thread: 2^bits[DIM_REGISTER]
uint32_t layout_own_elements(const Layout *layout); // distinct elements of a thread
// The number of low register bits along one dimension: 2^n consecutive registers hold neighbours there.
uint32_t layout_run_bits(const Layout *layout);
bool layout_equal(const Layout *a, const Layout *b);

// Blocked: `elems` consecutive registers, then 32 lanes, then 2^warp_bits warps, along the dimensions of
// `order` (order[0] is the fastest). The tile has `shape` (powers of two). elem_bits, lane_bits and warp_bits
// are log2 per dimension.
//
// Lanes and warps beyond the tile have zero bases (several holders). Registers beyond it are omitted. A
// layout smaller than the tile repeats in registers. shape and the three arrays are indexed by dimension, not
// by order.
Layout layout_blocked(uint32_t rank, const uint32_t *shape, const uint32_t *order, const uint32_t *elem_bits,
                      const uint32_t *lane_bits, const uint32_t *warp_bits);
// The default: one dimension order (last fastest) and 2^elem_bits consecutive elements per thread. All lanes,
// then all warps, go along the fastest dimension first, then the next.
Layout layout_default(uint32_t rank, const uint32_t *shape, const uint32_t *order, uint32_t elem_bits,
                      uint32_t warp_bits);

// B after A: replaces each basis b of A by B(b). B is square: its concatenated input bits correspond to A's
// out_bits.
Layout layout_compose(const Layout *a, const Layout *b);
// X with L(X(i)) == i for every index i. X maps out_bits (as offset bits) to L's concatenated input bits. It
// picks the smallest input, so free input bits (further holders of one element) are zero. Returns false if L
// is not onto. Up to 31 input bits.
bool layout_invert(const Layout *layout, Layout *inverse);
// Input bits whose effect the bits before them can produce (registers, lanes, warps; lowest first), one mask per
// dimension. Holders with any of these bits set are redundant: they mask their stores and skip their atomics.
void layout_free_bits(const Layout *layout, uint32_t free_mask[DIM_COUNT]);
// The kind of conversion src -> dst between two layouts of one tile.
typedef enum Conversion {
  CONVERT_NOTHING,   // all registers stay
  CONVERT_REGISTERS, // all threads rename registers in the same way; some registers may be copied or dropped
  CONVERT_LANES,     // a warp's own lanes hold what it needs
  CONVERT_SHARED,    // elements move between warps
} Conversion;
Conversion layout_conversion(const Layout *src, const Layout *dst);
// The smallest input whose XOR with any input changes L's result by `delta`. All dimensions are concatenated,
// registers lowest; up to 32 bits. Returns false if there is none.
bool layout_delta(const Layout *layout, uint32_t delta, uint32_t *input);

// --- shapes (layout_shape.c): a tile's index is row-major over its shape, padded to powers of two. Shapes
// may be given padded or not. Up to 8 dimensions. Rank 0 is a scalar without index bits.

// The number of bits of dimension `dim` in the flattened index of a tile. *first (or NULL): the lowest bit's
// position.
uint32_t layout_dim_bits(uint32_t rank, const uint32_t *shape, uint32_t dim, uint32_t *first);
// Slice: removes dimension `dim`. Its bits are dropped from every basis, then layout_drop_registers applies.
Layout layout_slice(const Layout *layout, uint32_t rank, const uint32_t *shape, uint32_t dim);
// The same, but keeps the dimension with size 1: the same bases.
Layout layout_keep_dims(const Layout *layout, uint32_t rank, const uint32_t *shape, uint32_t dim);
// Transposes: dimension i of the result is dimension order[i] of the operand. layout and shape are the
// operand's.
Layout layout_trans(const Layout *layout, uint32_t rank, const uint32_t *shape, const uint32_t *order);
// The operand's layout from the result's (registers dropped as by layout_drop_registers), and the reverse.
// `in` and `out` are the shapes, of one rank. The result repeats elements in new high registers, last
// dimension first.
Layout layout_broadcast_operand(const Layout *out_layout, uint32_t rank, const uint32_t *in,
                                const uint32_t *out);
Layout layout_broadcast_result(const Layout *in_layout, uint32_t rank, const uint32_t *in,
                               const uint32_t *out);
// The tile with dimension `dim` enlarged by 2^bits: the new index bits are the highest inputs of `in`.
Layout layout_stretch(const Layout *layout, uint32_t rank, const uint32_t *shape, uint32_t dim, uint32_t bits,
                      LayoutDim in);
// join: a new lowest register bit for the new lowest index bit. split: the reverse. Returns false if a thread
// does not hold both halves of each pair, or not in the same registers in all threads.
Layout layout_join(const Layout *layout);
bool layout_split(const Layout *layout, Layout *half);
// Drops registers that repeat others of the same thread. The rest has no zero or dependent register basis.
// Keeps the lowest register of each group.
Layout layout_drop_registers(const Layout *layout);

// --- conversions within warps, by shuffles (layout_lanes.c)

enum { LANE_PLAN_BITS = 16 };

// A thread (number in the CTA: lane, then warp) is selected if `threads` picks an odd number of its set bits.
// In selected threads registers j and j ^ `registers` swap: one select per register.
typedef struct LaneSelect {
  uint32_t threads, registers;
} LaneSelect;

// src -> dst within warps, in 2^round_bits rounds. A round moves one register of every thread:
//   x = the source's 2^src_register_bits registers, after the `send` selects, in any order.
//   In round k a thread sends x[send_register(k)]. It receives y[k] from lane
//   lane_from(thread) ^ round_lane(k) of its warp.
//   Then the `receive` selects apply to y. The result's register r is y[result_round(r)].
// The maps are linear: the XOR of the words at the argument's set bits. Rounds with the same round_lane(k)
// may be packed: two 16-bit or four 8-bit registers per shuffle.
typedef struct LanePlan {
  uint32_t src_register_bits, round_bits, dst_register_bits, thread_bits;
  uint32_t send_count, receive_count;
  LaneSelect send[LANE_PLAN_BITS], receive[LANE_PLAN_BITS];
  uint32_t send_register[LANE_PLAN_BITS], round_lane[LANE_PLAN_BITS]; // Per round bit.
  uint32_t lane_from[LANE_PLAN_BITS];                                 // Per thread bit.
  uint32_t result_round[LANE_PLAN_BITS];                              // Per bit of the result's registers.
  // lane_from(thread) is the thread's own lane: shfl.xor by round_lane(k), no shuffle if it is 0.
  bool butterfly;
  uint32_t shuffles; // rounds that need a shuffle
} LanePlan;
// The plan with the fewest shuffles. Returns false if elements move between warps, or if a lane would have to
// send two registers at once. The latter happens only with several holders of an element. Then use shared
// memory.
bool layout_lane_plan(const Layout *src, const Layout *dst, LanePlan *plan);

// --- conversions through shared memory (layout_swizzle.c, layout_banks.c)

// The position of each thread's registers: register, lane and warp bits -> the element's offset in the
// buffer. Addresses are XORs of the bases. `shared` is onto.
Layout layout_offsets(const Layout *registers, const Layout *shared);
// The swizzle: the layout of a buffer that src is written to and dst is read from. It maps DIM_OFFSET bits
// (offset in elements) and is a bijection. It minimises wavefronts, then accesses, then prefers vectors along
// the tile's fastest dimension. Loads use ldmatrix if layout_matrix allows it. elem_bits: log2 of an
// element's bytes (0 .. 3). Redundant registers of src and dst should not be accessed. Callers:
// promote_shared (conversions), split_ops (flips, gathers), layout_dot_placed (dot operands).
Layout layout_swizzle(const Layout *src, const Layout *dst, uint32_t elem_bits);
// The same where src's first 2^bits registers are adjacent in the buffer, as an asynchronous copy writes them.
// Returns false if they cannot be.
bool layout_swizzle_along(const Layout *src, const Layout *dst, uint32_t elem_bits, uint32_t bits,
                          Layout *shared);
// log2 of the elements per access of a thread, at most 16 bytes. An access moves registers to consecutive,
// aligned offsets in all threads. Fills register_order (a permutation of the register bits, lowest first) so
// that registers 0 .. 2^v - 1 in this order form the access.
uint32_t layout_vector_bits(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                            uint32_t *register_order);
// log2 of the phases of an access of 2^vector_bits elements per lane: one per 128 bytes of consecutive lanes.
uint32_t layout_phase_bits(uint32_t elem_bits, uint32_t vector_bits);
// Wavefronts of one warp's access of 2^vector_bits elements per lane, all lanes active. Sums over phases the
// maximum of words in one of the 32 banks of 4 bytes. *ideal (or NULL): the number of phases.
uint32_t layout_wavefronts(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                           uint32_t vector_bits, const uint32_t *register_order, uint32_t *ideal);

// Tests if ldmatrix (stmatrix) can move the registers: matrices of 8 rows of 16 consecutive bytes, 32 bits
// per thread and matrix.
//
// PLAIN: lane bits 0 and 1 choose the word in a row, lane bits 2 .. 4 the row; elements up to 4 bytes.
//
// TRANSPOSED: lane bits 2 .. 4 choose the 2-byte element of a row. One register bit and lane bits 0 and 1
// choose the row.
typedef enum LayoutMatrix { MATRIX_NONE, MATRIX_PLAIN, MATRIX_TRANSPOSED } LayoutMatrix;
// register_order: as for layout_vector_bits; the bits within 32 bits come first. (TRANSPOSED: the row's bit,
// the lowest one that is as good as any.) *wavefronts: per matrix, ideally 1.
LayoutMatrix layout_matrix(const Layout *registers, const Layout *shared, uint32_t elem_bits,
                           uint32_t *register_order, uint32_t *wavefronts);
// Returns true if ldmatrix loads the registers with fewer wavefronts, or the same number and fewer accesses, than vectors do.
bool layout_prefers_matrices(const Layout *registers, const Layout *shared, uint32_t elem_bits);

// "layout<reg = [1, 2], lane = [4, 8, 16, 32, 64], warp = [128, 256]; 1024>". Dimensions without bits are
// omitted.
void layout_print(const Layout *layout, Buf *out);

#endif
