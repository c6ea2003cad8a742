// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory of ops, and the distribution of reductions and scans over registers, lanes and warps. The
// allocating passes and codegen must agree on them.
#ifndef IR_MEMORY_SCRATCH_H
#define IR_MEMORY_SCRATCH_H

#include "ir/ir.h"

enum { SHARED_ALIGN = 16 }; // bytes: every buffer's alignment

// The number of 32-bit registers for a thread's part of a tile with a layout.
uint32_t tile_words(const Type *tile);
// The type of a shared buffer whose elements lie one after another, in row-major order.
const Type *shared_in_order(IrContext *ir, Elem elem, uint32_t rank, const uint32_t *shape);
// Bytes of a shared buffer, of a type that the verifier accepts.
uint32_t shared_bytes(const Type *buffer);
// Bytes of the CTA's shared memory that the buffers of shared_alloc take.
uint32_t alloc_bytes(const Op *alloc);
// Bytes of all the function's buffers, which must have offsets.
uint32_t func_shared_bytes(const Func *func);
// Returns true if the buffers along the first dimension are consecutive, each in the same layout: that
// dimension is the offset's highest bits.
bool shared_is_stacked(const Type *buffers);

// Bytes of the scratch buffer that an op with layouts needs, 0: none. For convert_layout the bytes of the
// tile.
uint32_t scratch_bytes(const Op *op);
// Returns true if a conversion is done by shuffles: within warps, and few of them.
bool convert_by_lanes(const Op *convert, LanePlan *plan);
// The same for elements of `bytes` bytes in two layouts.
bool layouts_by_lanes(const Layout *from, const Layout *to, uint32_t bytes, LanePlan *plan);

// If the region over (a..., b...) gives the same for (b..., a...), as far as its ops show.
typedef enum Commutes {
  COMMUTES_NOT,
  // Except for rounding, NaN, and discontinuities. Elements may be combined in any order. But if two holders
  // combine with each other, both must take the same one first.
  COMMUTES_IN_EFFECT,
  COMMUTES_EXACTLY,
} Commutes;
Commutes region_commutes(const Region *region);

// A reduction along an axis as a sequence of steps. A step combines pairs of holders whose register, lane and
// warp differ by a fixed XOR. After it both holders have the combined value. Steps run in order up to
// `local`. The rest of the axis, in which warps take part, forms parts, which go through shared memory.
typedef struct ReduceStep {
  uint32_t reg, lane; // XOR
  uint32_t delta;     // change of the flattened index: bits of the axis
} ReduceStep;

typedef struct ReducePlan {
  uint32_t axis_bits, axis_first; // the axis's bits in the flattened index
  ReduceStep steps[32];
  uint32_t local;     // number of steps
  uint32_t dead;      // the steps merge registers with one of these bits into others
  uint32_t part_bits; // log2 of the parts; 0: nothing goes through shared memory
  uint32_t result_bits;
  Layout parts; // register, lane, warp -> part << result_bits | index of the result
  Layout place; // index of a result (DIM_OFFSET) -> its position in a part's row of the buffer
} ReducePlan;

ReducePlan reduce_plan(const Op *reduce); // also for reduce_parts
// The part of an element of the axis.
uint32_t reduce_part(const ReducePlan *plan, uint32_t axis_index);
// The index without the bits of the axis: the place in the result.
uint32_t reduce_without_axis(const ReducePlan *plan, uint32_t index);

// A scan along an axis, each of whose bits is one bit of register, lane or warp. The lowest `low` bits are
// scanned within a warp. Each run of 2^low elements is then a chunk. If bits remain, chunk totals go through
// shared memory.
typedef struct ScanPlan {
  uint32_t axis_bits, axis_first, low;
  struct {
    LayoutDim dim;
    uint32_t bit;
  } holder[32]; // for axis bit i
  uint32_t line_bits;
  Layout totals; // register, lane, warp -> chunk << line_bits | index of the line
  Layout place;  // index of a line (DIM_OFFSET) -> its position in a chunk's row of the buffer
} ScanPlan;

// Returns false if the layout is not of that kind.
bool scan_plan(const Op *scan, ScanPlan *plan);

// The XOR of register, lane and warp (concatenated) between an element of the tile and its mirror image along
// `axis`.
uint32_t mirror_delta(const Type *tile, uint32_t axis);

#endif
