// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifier's state. Only for ir/verify/*.c.
#ifndef IR_VERIFY_VERIFY_PARTS_H
#define IR_VERIFY_VERIFY_PARTS_H

#include "ir/queries.h"

typedef struct Verifier {
  Diags *diags;
  IrModule *module;
  Func *func;
  Arena scratch;
  const Value **visible;  // By id: the value if it is visible here.
  uint32_t *uses;         // By id: operands seen so far that use the value.
  bool *bad;              // By value: its type is wrong, which was reported; its users are not checked
                          // against it.
  uint32_t warps;         // The number of warps of the region being checked.
  const HostRegion *host; // The region being checked; NULL: the body.
  bool ok;
} Verifier;

static inline uint32_t element_bits(const Type *type) {
  const Type *element = type_element(type);
  return element->kind == TYPE_PTR ? 64 : elem_info(element->elem)->bits;
}
// Reports a broken rule of `op`; the message begins with the op's name. Returns false.
bool verify_fail(Verifier *v, const Op *op, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The type as text, in the scratch arena.
const char *verify_type_text(Verifier *v, const Type *type);

// The rules of one type: sizes, and the layout against the tile and the target. `what`: "result 0".
void verify_type(Verifier *v, const Op *op, const Type *type, const char *what);
// Returns true if the tile has a layout of its size that holds every element.
bool verify_holds(const Type *tile);
void verify_layout(Verifier *v, const Op *op, const Type *tile, const Layout *layout, const char *what);
// The rules of one op's types and attributes. Its operand, result and region counts must be right, and all
// types valid.
void verify_op_types(Verifier *v, const Op *op);

// Returns true if the op obeys the constraints on types that ops.def states. Otherwise reports the first broken one.
bool verify_constraints(Verifier *v, const Op *op);
// The other rules of some ops; they check nothing of other ops:
// * verify_shapes.c: ops that change shapes.
// * verify_dot.c: dot.
// * verify_memory.c: accesses, and other ops that know the machine.
// * verify_shared.c: shared memory and asynchronous ops.
// * verify_regions.c: ops with regions.
void verify_tile_op(Verifier *v, const Op *op);
void verify_dot(Verifier *v, const Op *op);
void verify_machine_op(Verifier *v, const Op *op);
void verify_shared_op(Verifier *v, const Op *op);
void verify_region_op(Verifier *v, const Op *op);
// Checks that the part of `whole` that begins at the op's starts, one a dimension, is within it.
void verify_starts(Verifier *v, const Op *op, const Type *part, const Type *whole);
// Checks that `one` is one of the buffers along the first dimension of `buffers`.
void verify_slot(Verifier *v, const Op *op, const Type *buffers, const Type *one);
void verify_scratch(Verifier *v, const Op *op); // For an op with a scratch buffer.
void verify_plan(Verifier *v, const Op *op);    // Consequences of how a reduction's region combines.
// verify_rings.c: the types of ring ops. Also, if the function obeys all other rules: each ring value is used
// once; slots are filled, waited for and released in order; only the ring's ops use its buffers.
void verify_ring_op(Verifier *v, const Op *op);
void verify_rings(Verifier *v);
// verify_tensor.c: TMA copies, mbarriers and tma_mark.
void verify_tensor_op(Verifier *v, const Op *op);
// verify_tmem.c: tensor memory.
void verify_tmem_op(Verifier *v, const Op *op);
// verify_groups.c: the counts of warp_groups. Also, for a function: the op's position, the values that its
// regions use from outside, and that the two ends of a channel are in two groups.
void verify_warp_groups(Verifier *v, const Op *op);
void verify_groups(Verifier *v);
// Checks the values of the yield that ends a region of `parent`.
void verify_yields(Verifier *v, const Op *yield, const Op *parent);
// Returns true if the op's axis is a dimension of the tile.
bool verify_axis(Verifier *v, const Op *op, const Type *tile);
// A string attribute, if present, must be one of n words.
void verify_word(Verifier *v, const Op *op, AttrKey key, const char *const *words, size_t n);

#endif
