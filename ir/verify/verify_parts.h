// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifier's state; of use to ir/verify/*.c alone.
#ifndef IR_VERIFY_VERIFY_PARTS_H
#define IR_VERIFY_VERIFY_PARTS_H

#include "ir/ir.h"

typedef struct Verifier {
  Diags *diags;
  IrModule *module;
  Func *func;
  Arena scratch;
  const Value **visible;  // by id: the value where it may be used here
  uint32_t *uses;         // by id: operands seen that use the value
  bool *bad;              // by value: its type is wrong, which was said; what uses it is not judged by it
  uint32_t warps;         // that run the region whose types are checked
  const HostRegion *host; // that is checked; NULL: the body
  bool ok;
} Verifier;

// A broken rule of `op`; the message begins with the op's name.
void verify_fail(Verifier *v, const Op *op, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The type as text, in the scratch arena.
const char *verify_type_text(Verifier *v, const Type *type);

// The rules of one type: sizes, and the layout's against the tile and the target. `what`: "result 0".
void verify_type(Verifier *v, const Op *op, const Type *type, const char *what);
// Whether the tile has a layout of its size in which every element is held.
bool verify_holds(const Type *tile);
void verify_layout(Verifier *v, const Op *op, const Type *tile, const Layout *layout, const char *what);
// The rules of one op's types and attributes, of which operand,
// result and region counts are right and all types are good.
void verify_op_types(Verifier *v, const Op *op);

// Parts of it. verify_shapes.c: ops that change shapes. verify_dot.c: dot. verify_memory.c: accesses, and what else knows
// the machine. verify_regions.c: ops with regions.
void verify_tile_op(Verifier *v, const Op *op);
void verify_dot(Verifier *v, const Op *op);
void verify_machine_op(Verifier *v, const Op *op);
// verify_shared.c: shared memory and what is asynchronous.
void verify_shared_op(Verifier *v, const Op *op);
// Whether `one` is a buffer of those that `buffers` has along its first dimension.
void verify_slot(Verifier *v, const Op *op, const Type *buffers, const Type *one);
void verify_scratch(Verifier *v, const Op *op); // of an op that has a scratch buffer
void verify_plan(Verifier *v, const Op *op);    // what follows from how a reduction's region combines
// verify_rings.c: the types of ops on rings; then, of a function that keeps all other rules, that each ring
// value is used once, slots are filled, waited for and released in turn, and buffers of a ring by it alone.
void verify_ring_op(Verifier *v, const Op *op);
void verify_rings(Verifier *v);
// verify_tensor.c: tensor copies, mbarriers and tma_mark.
void verify_tensor_op(Verifier *v, const Op *op);
// verify_groups.c: the counts of warp_groups; then, of a function, where it stands, what its regions take from
// outside, and that the ends of a channel are two groups'.
void verify_warp_groups(Verifier *v, const Op *op);
void verify_groups(Verifier *v);
void verify_for(Verifier *v, const Op *op);
void verify_if(Verifier *v, const Op *op);
void verify_while(Verifier *v, const Op *op);
void verify_reduce(Verifier *v, const Op *op);
void verify_scan(Verifier *v, const Op *op);
void verify_exchange(Verifier *v, const Op *op); // reduce_parts, scan_chunks, scan_carry
void verify_map(Verifier *v, const Op *op);
// What the yield that ends a region of `parent` hands on.
void verify_yields(Verifier *v, const Op *yield, const Op *parent);
// Whether the op's axis is a dimension of the tile.
bool verify_axis(Verifier *v, const Op *op, const Type *tile);
// A string attribute is one of n words, where it is there.
void verify_word(Verifier *v, const Op *op, AttrKey key, const char *const *words, size_t n);

#endif
