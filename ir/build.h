// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds and changes tile IR.
#ifndef IR_BUILD_H
#define IR_BUILD_H

#include "ir/queries.h"

// The insertion point of new ops, and their source location.
typedef struct Builder {
  Func *func;
  Region *region;
  Op *before; // NULL: at the region's end
  Loc loc;
} Builder;

Builder builder_at_end(Func *func, Region *region);
Builder builder_inside(Region *region, Loc loc); // at its end, with the location
Builder builder_before(Op *op);                  // with the op's location
Builder builder_after(Op *op);

// The general form: an op with operands and result types (result_types may be NULL if result_count is 0).
Op *build_op(Builder *b, OpKind kind, uint32_t operand_count, Value *const *operands, uint32_t result_count,
             const Type *const *result_types);
// An op like another one, with its attributes and its location, which the builder keeps. type: the result's; NULL: none.
Op *build_like(Builder *b, const Op *op, Value *const *operands, const Type *type);
// One result of type `type`; operands x, y, z up to the first NULL.
Value *build(Builder *b, OpKind kind, const Type *type, Value *x, Value *y, Value *z);

// Constants of scalar or tile type. The value is wrapped (integers) or rounded (floats) to the type.
Value *build_int(Builder *b, const Type *type, int64_t value);
Value *build_float(Builder *b, const Type *type, double value);
Value *build_program_id(Builder *b, OpKind kind, uint32_t axis); // OP_PROGRAM_ID, OP_NUM_PROGRAMS
Value *build_arange(Builder *b, int64_t start, int64_t end);
Value *build_splat(Builder *b, Value *scalar, const Type *tile); // tile: any tile type of that shape
// The result has x's type; for comparisons, i1 of x's shape.
Value *build_binary(Builder *b, OpKind kind, Value *x, Value *y);
Value *build_with_int(Builder *b, OpKind kind, Value *x, int64_t y); // the same with a constant of x's type
Value *build_cast(Builder *b, Value *x, const Type *element);        // x itself if it has that element type
Value *build_load(Builder *b, Value *pointer, Value *mask, Value *other);
Op *build_store(Builder *b, Value *pointer, Value *value, Value *mask);

// The tile ops below return types without a layout, for IR before propagate_layouts. They check nothing; the
// verifier does.
// A function of math.def; y and z may be NULL.
Value *build_math(Builder *b, const char *function, Value *x, Value *y, Value *z);
Value *build_expand_dims(Builder *b, Value *x, uint32_t axis);
Value *build_broadcast(Builder *b, Value *x, const uint32_t *shape); // x's rank
Value *build_reshape(Builder *b, Value *x, uint32_t rank, const uint32_t *shape);
// Puts a one-dimensional tile along dimension `dim` of a tile of `shape`. It is the same for all other indices.
Value *tile_along(Builder *b, Value *x, uint32_t dim, uint32_t rank, const uint32_t *shape);
Value *build_trans(Builder *b, Value *x, const uint32_t *order); // one entry per dimension
Value *build_join(Builder *b, Value *x, Value *y);
Op *build_split(Builder *b, Value *x); // two results; scalars if x has one dimension
Value *build_cat(Builder *b, Value *x, Value *y, uint32_t axis);
Value *build_slice(Builder *b, Value *x, const uint32_t *starts, const uint32_t *shape); // x's rank
Value *build_gather(Builder *b, Value *x, Value *index, uint32_t axis);
Value *build_flip(Builder *b, Value *x, uint32_t axis);
Value *build_sort(Builder *b, Value *x, uint32_t axis, bool descending);
Value *build_histogram(Builder *b, Value *x, Value *mask, uint32_t bins); // mask may be NULL
// acc determines the result's type. precision may be NULL (not fp32). imprecise 0: not given.
Value *build_dot(Builder *b, Value *x, Value *y, Value *acc, const char *precision, uint32_t imprecise);
Value *build_bits(Builder *b, Value *x, Elem elem); // bitcast; x itself if it has that element type
// build_scaled.c: the e2m1 numbers in bytes, neighbours along `axis`, as bf16 or fp16.
Value *build_unpacked(Builder *b, Value *x, uint32_t axis, Elem elem);
// x, of bf16 or fp16, times its scales [outer, k / group] of e8m0 bytes or e4m3. k_axis: of x.
Value *build_times_scales(Builder *b, Value *x, Value *scale, uint32_t k_axis, bool fast_math);
// Replaces a dot with scales by one of bf16 operands that are multiplied by them.
Op *build_dot_without_scales(Op *dot);

// sem, scope: NULL means the default. mask may be NULL.
Value *build_atomic_rmw(Builder *b, const char *rmw, Value *pointer, Value *value, Value *mask,
                        const char *sem, const char *scope);
Value *build_atomic_cas(Builder *b, Value *pointer, Value *compare, Value *value, const char *sem,
                        const char *scope);
// extents, strides, offsets: i64, one per dimension. block: the shape. order: NULL, or one per dimension.
typedef struct BlockPtrParts {
  Value *base; // a scalar pointer
  uint32_t rank;
  Value *const *extents, *const *strides, *const *offsets;
  const uint32_t *block, *order;
  bool descriptor;
} BlockPtrParts;
Value *build_make_block_ptr(Builder *b, const BlockPtrParts *parts);
Value *build_advance(Builder *b, Value *block, Value *const *offsets); // i64, one per dimension
// boundary: a list of dimensions, may be empty. padding: "zero", "nan", or NULL.
Value *build_block_load(Builder *b, Value *block, uint32_t boundary_count, const uint32_t *boundary,
                        const char *padding);
Op *build_block_store(Builder *b, Value *block, Value *value, uint32_t boundary_count,
                      const uint32_t *boundary);

// Sets an attribute: a string, integers, or a flag. NULL text or false removes it.
void op_set_str(Op *op, AttrKey key, const char *text);
void op_copy_attr(Op *op, const Op *from, AttrKey key); // does nothing if `from` lacks it
void op_copy_attrs(Op *op, const Op *from);             // all of them
void op_set_ints(Op *op, AttrKey key, uint32_t n, const uint32_t *numbers);
void op_set_flag(Op *op, AttrKey key, bool on);

// The builders create the regions' arguments. reduce and scan: one element of each operand twice, a... then
// b... . map: one element of each operand. The caller fills the region and ends it with `yield`.
Op *build_reduce(Builder *b, uint32_t count, Value *const *operands, uint32_t axis);
Op *build_scan(Builder *b, uint32_t count, Value *const *operands, uint32_t axis, bool reverse);
// The sum of the tile's elements along the axis.
Value *build_sum_along(Builder *b, Value *x, uint32_t axis);
// result_elements: element types.
Op *build_map(Builder *b, uint32_t count, Value *const *operands, uint32_t result_count,
              const Type *const *result_elements);
// Two regions (the test, the body), each with one argument per init.
Op *build_while(Builder *b, uint32_t init_count, Value *const *init);
Op *build_yield(Builder *b, uint32_t count, Value *const *values);

// Control flow: creates the op with empty regions. A for's region gets its arguments (i, then one per init).
Op *build_for(Builder *b, Value *lower, Value *upper, Value *step, uint32_t init_count, Value *const *init);
Op *build_if(Builder *b, Value *condition, uint32_t result_count, const Type *const *result_types);

// True if each iteration of a for loop adds only steps to carried tile i that are the same for all elements.
bool loop_adds_steps(const Op *loop, uint32_t i);
// Then the loop carries the sum of these steps, a scalar from 0. Returns the tile in the loop: the initial one plus that
// sum. NULL: it has no use.
Value *loop_carry_sum(Op *loop, uint32_t i);

// An empty region: the last one of `parent`. If parent is NULL, one for func->body or a host region.
Region *region_new(Func *func, Op *parent);
Value *region_add_arg(Region *region, const Type *type, const char *name);

void op_set_operand(Op *op, uint32_t index, Value *value);
void op_add_operand(Op *op, Value *value);
void value_replace_uses(Value *from, Value *to); // redirects every use of `from` to `to`
bool value_unused(const Value *value);
void op_insert(Op *op, Region *region, Op *before); // before NULL: at the end
void op_move(Op *op, Region *region, Op *before);
// Returns true if all that the op needs is before `place`, or can move there: ops of its region without effects. Ids are
// those of func_number.
bool op_can_precede(const Op *op, const Op *place);
// Moves the op before `place`, after the later ops that it needs. Moved ops have the id 0, until func_number.
void op_bring_before(Op *op, Op *place);
// Unlinks the op and its regions, and drops its uses of other values. Its results must be unused. Then region
// is NULL for the op and its inner ops.
void op_erase(Op *op);

// The op of `region` that is `op` or contains it; NULL: it is outside.
Op *op_in_region(const Op *op, const Region *region);

static inline const Type *builder_scalar(const Builder *b, Elem elem) {
  return type_scalar(b->func->module->ir, elem);
}

// `to` takes the name and the uses of `from`.
static inline void value_take_over(Value *from, Value *to) {
  to->name = from->name;
  value_replace_uses(from, to);
}
// The results of `with` take the names and the uses of the op's results.
void op_replace_results(Op *op, const Op *with);

#endif
