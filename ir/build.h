// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making and changing tile IR.
#ifndef IR_BUILD_H
#define IR_BUILD_H

#include "ir/ir.h"

// Where new ops go, and the source location they get.
typedef struct Builder {
  Func *func;
  Region *region;
  Op *before; // NULL: at the region's end
  Loc loc;
} Builder;

Builder builder_at_end(Func *func, Region *region);
Builder builder_before(Op *op); // with the op's location
Builder builder_after(Op *op);

// The general form: an op with operands and result types (result_types may be NULL where result_count is 0).
Op *build_op(Builder *b, OpKind kind, uint32_t operand_count, Value *const *operands, uint32_t result_count,
             const Type *const *result_types);
// One result of type `type`, operands a, b, c as far as they are not NULL.
Value *build(Builder *b, OpKind kind, const Type *type, Value *x, Value *y, Value *z);

// Constants of scalar or tile type. The value is wrapped (integers) or rounded (floats) to the type.
Value *build_int(Builder *b, const Type *type, int64_t value);
Value *build_float(Builder *b, const Type *type, double value);
Value *build_program_id(Builder *b, OpKind kind, uint32_t axis); // OP_PROGRAM_ID, OP_NUM_PROGRAMS
Value *build_arange(Builder *b, int64_t start, int64_t end);
Value *build_splat(Builder *b, Value *scalar, const Type *tile); // tile: any tile type of that shape
Value *build_binary(Builder *b, OpKind kind, Value *x,
                    Value *y);                                // type of x; i1 of x's shape for comparisons
Value *build_cast(Builder *b, Value *x, const Type *element); // x itself where it has that element type
Value *build_load(Builder *b, Value *pointer, Value *mask, Value *other);
Op *build_store(Builder *b, Value *pointer, Value *value, Value *mask);

// Control flow: makes the op with its empty regions; a for's region gets its arguments (i, then one an init).
Op *build_for(Builder *b, Value *lower, Value *upper, Value *step, uint32_t init_count, Value *const *init);
Op *build_if(Builder *b, Value *condition, uint32_t result_count, const Type *const *result_types);

// An empty region: the last of parent's, or, where parent is NULL, one for func->body or func->grid.
Region *region_new(Func *func, Op *parent);
Value *region_add_arg(Region *region, const Type *type, const char *name);

void op_set_operand(Op *op, uint32_t index, Value *value);
void op_add_operand(Op *op, Value *value);
void value_replace_uses(Value *from, Value *to); // every use of `from` becomes one of `to`
bool value_unused(const Value *value);
void op_insert(Op *op, Region *region, Op *before); // before NULL: at the end
void op_move(Op *op, Region *region, Op *before);
// Unlinks the op and drops its uses of others; its results must be unused. Regions go with it. An erased op's
// (and its inner ops') region is NULL.
void op_erase(Op *op);

// Calls visit for every op of the region and those within, in program order; the op visited may be erased, or
// ops be put before it.
void region_walk(Region *region, void (*visit)(Op *op, void *data), void *data);

#endif
