// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory that ops need, and how reductions and scans are spread over registers, lanes and warps: what
// the passes that allocate it and codegen, which uses it, must agree on.
#ifndef IR_MEMORY_SCRATCH_H
#define IR_MEMORY_SCRATCH_H

#include "ir/ir.h"

enum { SHARED_ALIGN = 16 }; // bytes: what every buffer is aligned to

// How many registers of 32 bits a thread's part of a tile with a layout takes.
uint32_t tile_words(const Type *tile);
// Bytes of a shared buffer, of a type that the verifier takes.
uint32_t shared_bytes(const Type *buffer);
// Bytes of all the function's buffers; they have offsets.
uint32_t func_shared_bytes(const Func *func);
// Whether the buffers along the first dimension follow one another, each in the same layout: that dimension
// is the offset's highest bits.
bool shared_is_stacked(const Type *buffers);

// Bytes of the scratch buffer that an op with layouts needs, 0: none. For convert_layout those of the tile.
uint32_t scratch_bytes(const Op *op);
// Whether a conversion is done by shuffles: within warps, by few of them.
bool convert_by_lanes(const Op *convert, LanePlan *plan);
// The same of elements of so many bytes in two layouts.
bool layouts_by_lanes(const Layout *from, const Layout *to, uint32_t bytes, LanePlan *plan);
// Where in a reduction's or scan's scratch the partial results of operand `index` begin.
uint32_t scratch_part(const Op *op, uint32_t index, uint32_t slots);

// Whether the region over (a..., b...) gives the same for (b..., a...), as far as its ops show.
typedef enum Commutes {
  COMMUTES_NOT,
  // But for rounding, NaN, and points where it is not continuous: elements may be combined
  // in any order, but of two holders that combine with one another both must take the same first.
  COMMUTES_IN_EFFECT,
  COMMUTES_EXACTLY,
} Commutes;
Commutes region_commutes(const Region *region);

// A reduction along an axis as a sequence of steps, each over the pairs of holders that differ by a fixed XOR
// of register, lane and warp: after it every holder has what both had. The steps are done in order up to
// `local`; what is left of the axis, in which warps take part, are parts, which go through shared memory.
typedef struct ReduceStep {
  uint32_t reg, lane; // XOR
  uint32_t delta;     // of the flattened index: bits of the axis
} ReduceStep;

typedef struct ReducePlan {
  uint32_t axis_bits, axis_first; // the axis' bits in the flattened index
  ReduceStep steps[32];
  uint32_t local;     // steps
  uint32_t dead;      // registers with one of these bits are merged into others by the steps
  uint32_t part_bits; // log2 of the parts; 0: nothing goes through shared memory
  uint32_t result_bits;
  Layout parts; // register, lane, warp -> part << result_bits | index of the result
  Layout place; // index of a result (DIM_OFFSET) -> its place in a part's row of the buffer
} ReducePlan;

ReducePlan reduce_plan(const Op *reduce); // of reduce_parts too
// The part that an element of the axis belongs to.
uint32_t reduce_part(const ReducePlan *plan, uint32_t axis_index);

// A scan along an axis whose bits each belong to one bit of register, lane or warp. The lowest `low` bits are
// scanned within a warp; then each run of 2^low elements is a chunk, whose totals go through shared memory
// where there are bits left.
typedef struct ScanPlan {
  uint32_t axis_bits, axis_first, low;
  struct {
    LayoutDim dim;
    uint32_t bit;
  } holder[32]; // of axis bit i
  uint32_t line_bits;
  Layout totals; // register, lane, warp -> chunk << line_bits | index of the line
  Layout place;  // index of a line (DIM_OFFSET) -> its place in a chunk's row of the buffer
} ScanPlan;

// False where a layout is not of that kind.
bool scan_plan(const Op *scan, ScanPlan *plan);

// The XOR of register, lane and warp (concatenated) between an element of the tile
// and its mirror image along `axis`.
uint32_t mirror_delta(const Type *tile, uint32_t axis);

#endif
