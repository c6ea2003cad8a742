// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges of reductions and scans through shared memory: the types that split_exchanges, verifier and
// codegen agree on. The ops are reduce and reduce_parts, or scan, scan_chunks and scan_carry, with layouts;
// `index` is an operand's number among those that are combined.
#ifndef IR_MEMORY_EXCHANGE_H
#define IR_MEMORY_EXCHANGE_H

#include "ir/ir.h"
#include "ir/memory/scratch.h"

// Operands that an op's region combines: a scan_carry has the totals beside them.
uint32_t combined_count(const Op *op);

// What reduce_parts gives: [parts, result...], in the holders that the plan says.
const Type *reduce_parts_type(IrContext *ir, const Op *op, const ReducePlan *plan, uint32_t index);
// The same tile as it is read: each thread has all parts of its results, the parts in the lowest registers.
// Of one result, where elements may be combined in any order and that is fewer instructions, each lane has one.
const Type *reduce_read_type(IrContext *ir, const Op *op, const ReducePlan *plan, uint32_t index);
// What scan_chunks gives beside the scanned operand: [chunks, line...].
const Type *scan_totals_type(IrContext *ir, const Op *op, const ScanPlan *plan, uint32_t index);
// log2 of the elements in a row that each thread has, where the lanes of a chunk hold such runs one after another;
// 0: they do not, and the op has no form `runs`.
uint32_t scan_run_bits(const ScanPlan *plan);
// What comes before each run: the operand with an element a run, in the threads that have the run.
const Type *scan_starts_type(IrContext *ir, const Op *op, const ScanPlan *plan, uint32_t index);
// Whether a warp's lanes share the chunks' totals among them, each some neighbouring ones, and scan them by
// shuffles; else each thread adds up all of its lines'.
bool scan_by_lanes(const Op *op, const ScanPlan *plan);
// As it is read: each thread has all chunks' totals of its lines, the chunks in the lowest registers; by lanes
// its share of them, of which the chunks' upper bits are the lane's.
const Type *scan_read_type(IrContext *ir, const Op *op, const ScanPlan *plan, uint32_t index);
// A buffer for such a tile: rows one after another, the elements of each as `place` says.
const Type *exchange_buffer(IrContext *ir, const Type *tile, const Layout *place);
// How a tile's element lies in memory: pointers are i64, i1 is i8.
Elem buffer_elem(const Type *tile);

// The name of the redux.sync that combines as the op's region does; NULL: none does.
const char *redux_name(const Op *op);
// Whether all lanes combine, by steps of the plan that one redux.sync can do; *first: the first of them.
bool redux_fits(const Op *op, const ReducePlan *plan, uint32_t *first);

#endif
