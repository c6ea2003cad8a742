// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges of reductions and scans through shared memory: types that split_ops, verifier and codegen
// agree on. The ops have layouts: reduce and reduce_parts, or scan, scan_chunks and scan_carry. `index` is an
// operand's number among the combined ones.
#ifndef IR_MEMORY_EXCHANGE_H
#define IR_MEMORY_EXCHANGE_H

#include "ir/ir.h"
#include "ir/memory/scratch.h"

// The number of operands that an op's region combines. A scan_carry has the totals in addition.
uint32_t combined_count(const Op *op);

// The result of reduce_parts: [parts, result...], in the holders of the plan.
const Type *reduce_parts_type(IrContext *ir, const Op *op, const ReducePlan *plan, uint32_t index);
// The same tile as read back: each thread has all parts of its results, the parts in the lowest registers.
// For a single result, each lane may hold one part, if order does not matter and this takes fewer
// instructions.
const Type *reduce_read_type(IrContext *ir, const Op *op, const ReducePlan *plan, uint32_t index);
// The additional result of scan_chunks: [chunks, line...].
const Type *scan_totals_type(IrContext *ir, const Op *op, const ScanPlan *plan, uint32_t index);
// log2 of the consecutive elements per thread, if the lanes of a chunk hold such runs in order. 0: they do
// not, and the op has no form `runs`.
uint32_t scan_run_bits(const ScanPlan *plan);
// The values before each run: the operand with one element per run, in the threads that hold the run.
const Type *scan_starts_type(IrContext *ir, const Op *op, const ScanPlan *plan, uint32_t index);
// Returns true if a warp's lanes share the chunks' totals, some neighbouring ones each, and scan them by
// shuffles. Otherwise each thread adds all totals of its lines.
bool scan_by_lanes(const Op *op, const ScanPlan *plan);
// The totals as read back: each thread has those of all chunks of its lines, chunks in the lowest registers.
// By lanes, each has its share: the lane selects the chunks' upper bits.
const Type *scan_read_type(IrContext *ir, const Op *op, const ScanPlan *plan, uint32_t index);
// A buffer for such a tile: rows in order, the elements of each placed by `place`.
const Type *exchange_buffer(IrContext *ir, const Type *tile, const Layout *place);
// The element type in memory: pointers are i64, i1 is i8.
Elem buffer_elem(const Type *tile);

// The name of the redux.sync for the op's region; NULL: none.
const char *redux_name(const Op *op);
// Returns true if all lanes combine, by steps of the plan that one redux.sync can do. *first: the first of
// them.
bool redux_fits(const Op *op, const ReducePlan *plan, uint32_t *first);

#endif
