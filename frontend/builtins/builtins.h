// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handlers of builtins.def: each takes its arguments
// by parameter and gives the call's result. And what they share.
#ifndef FRONTEND_BUILTINS_BUILTINS_H
#define FRONTEND_BUILTINS_BUILTINS_H

#include "frontend/elaborate/elaborate.h"

enum { NO_ARG = 0xffff };

// LOAD_MASK, DOT_ACC, ...: where the arguments are that builtins.def names.
#define ARGS(...) enum { __VA_ARGS__ };
#define BUILTIN(...)
#define BUILTIN_OF(...)
#define NOT_BUILT(...)
#include "frontend/builtins/builtins.def"
#undef ARGS
#undef BUILTIN
#undef BUILTIN_OF
#undef NOT_BUILT

// --- Arguments (builtins_args.c) ---
// `at` is a parameter's index. Where an argument is wrong, an error is given and *good becomes false.

// True where the optional argument was given as something other than None; an error (and false in *good)
// where it is no constexpr of `kind`.
bool builtin_option(Elab *e, const Call *call, uint32_t at, ConstKind kind, const char *name, bool *good);
bool builtin_flag(Elab *e, const Call *call, uint32_t at, const char *name, bool otherwise, bool *good);
// A string among `allowed` (NULL-terminated), interned; NULL where it is "", not given or wrong.
const char *builtin_choice(Elab *e, const Call *call, uint32_t at, const char *name,
                           const char *const *allowed, bool *good);
// An axis of `rank` dimensions, negative ones from the end. False after an error.
bool builtin_axis(Elab *e, const Call *call, uint32_t at, uint32_t rank, uint32_t *axis);
bool builtin_axis_of(Elab *e, Loc loc, const Call *call, const Obj *obj, uint32_t rank, uint32_t *axis);
const Type *builtin_dtype(Elab *e, const Call *call, uint32_t at); // scalar or pointer; NULL: error
// What a *parameter at `at` took: given by keyword, or the rest as a tuple.
Obj builtin_items(const Call *call, uint32_t at);
// As a run-time value; NULL after an error. `what` names the place.
Value *builtin_value(Elab *e, const Call *call, uint32_t at, const char *what);
Value *builtin_tile(Elab *e, const Call *call, uint32_t at);        // a tile
Value *builtin_number_tile(Elab *e, const Call *call, uint32_t at); // no tile of pointers
bool builtin_is_fp8(const Type *type);
bool builtin_refuse_fp8(Elab *e, Loc loc, const Call *call, const Type *type); // true with an error
// Two operands of one type and shape, at e->b with the call's location. False after an error.
bool builtin_pair(Elab *e, const Call *call, const Obj *x, const Obj *y, Pair *pair);

// --- Values made at e->b ---

Value *builtin_as(Elab *e, Value *value, Elem elem); // converted
// The same elements in another shape; a scalar is spread over it.
Value *builtin_reshape(Elab *e, Value *value, uint32_t rank, const uint32_t *shape);
Value *builtin_choose(Elab *e, Value *condition, Value *x, Value *y); // select
// A function of math.def of floats; fp16 and bf16 by way of fp32. b may be NULL.
Value *builtin_math_value(Elab *e, const char *name, Value *a, Value *b);
bool builtin_is_fast(const Elab *e); // --fast-math
// The function of math.def made of approximate instructions; NULL: it has no such form. b may be NULL.
Value *builtin_fast_value(Elab *e, const char *name, Value *a, Value *b);
// The operands of a function of two floats.
bool builtin_float_pair(Elab *e, const Call *call, Pair *pair);
// Three operands in one float type and shape: that of the second and third of `order`, then of its first with it.
// Literals have the types that they have alone.
bool builtin_float_triple(Elab *e, const Call *call, Obj args[3], const uint32_t order[3], Value *v[3]);
Obj builtin_promote_bf16(Elab *e, Loc loc, Obj obj); // bf16 as fp32, others as they are
bool builtin_propagates_nan(Elab *e, const Call *call, uint32_t at, bool *good);
// `result`, but x or y where that is NaN.
Value *builtin_propagate_nan(Elab *e, Value *result, Value *x, Value *y);
// OP_MAX or OP_MIN of x and y, promoted as operators' operands are.
Obj builtin_extremum(Elab *e, Call *call, OpKind kind, const Obj *x, const Obj *y, bool nan);
// Narrow numbers as fp32 and i32, in which maxima and minima are reduced.
Value *builtin_widen_extreme(Elab *e, Value *x);
// The reduction of a tile along `axis` by a binary op.
Value *builtin_reduce_by(Elab *e, Value *x, uint32_t axis, OpKind op, bool keep_dims);
Value *builtin_only_element(Elab *e, Value *x); // of a tile of one element: a scalar
// Errors for ops in the region of reduce, scan or map that are not pure or not of scalars.
bool builtin_check_region(Elab *e, Region *region);

// --- Memory (builtins_memory.c, builtins_block.c) ---

typedef struct MemoryArgs {
  Value *pointer, *value, *mask; // of one shape; value and mask may be NULL
  bool widens;                   // the pointer is broadcast too
} MemoryArgs;

typedef struct Hints {
  const char *cache, *evict; // NULL: none
} Hints;

// A pointer or tile of pointers to scalars. NULL after an error.
Value *builtin_pointer(Elab *e, const Call *call, uint32_t at);
Value *builtin_written_pointer(Elab *e, const Call *call, uint32_t at); // of which a const one is an error
// Reads the value (converted to the pointee) and the mask, NO_ARG where there is none, and brings all to one
// shape. False after an error.
bool builtin_access(Elab *e, const Call *call, MemoryArgs *access, const char *what, uint32_t value_at,
                    uint32_t mask_at);
void builtin_set_hints(Op *op, const Hints *hints);
bool builtin_is_block(const Obj *obj);      // a block pointer or tensor descriptor
bool builtin_is_descriptor(const Obj *obj); // builtins_class.c; one that a loop carries, too
Obj builtin_block_load(Elab *e, const Call *call, const Hints *hints);
Obj builtin_block_store(Elab *e, const Call *call, const Hints *hints);
// `rank` integers as i64; a number alone stands for a tuple of one. False after an error.
bool builtin_extents(Elab *e, const Call *call, uint32_t at, const char *name, uint32_t rank, Value **values);
// The value in the block's type and shape. NULL after an error.
Value *builtin_stored_value(Elab *e, const Call *call, uint32_t at, const Type *block);
// What a descriptor's loads give outside of the tensor, "zero" or "nan"; NULL after an error.
const char *builtin_descriptor_padding(Elab *e, const Call *call, const Value *block);

// --- Handlers ---

// builtins_memory.c
Obj builtin_load(Elab *e, Call *call);
Obj builtin_store(Elab *e, Call *call);

// builtins_block.c: block pointers, tensor descriptors
Obj builtin_make_block_ptr(Elab *e, Call *call);
Obj builtin_advance(Elab *e, Call *call);
Obj builtin_make_descriptor(Elab *e, Call *call);
Obj builtin_descriptor_load(Elab *e, Call *call);
Obj builtin_descriptor_store(Elab *e, Call *call);
Obj builtin_descriptor_store_value(Elab *e, Call *call);

// builtins_descriptor.c
Obj builtin_descriptor_atomic(Elab *e, Call *call);
Obj builtin_descriptor_gather(Elab *e, Call *call);
Obj builtin_descriptor_scatter(Elab *e, Call *call);

// builtins_atomic.c
Obj builtin_atomic(Elab *e, Call *call);
Obj builtin_atomic_cas(Elab *e, Call *call);

// builtins_tile.c: making tiles, casts, choices
Obj builtin_program_id(Elab *e, Call *call);
Obj builtin_num_programs(Elab *e, Call *call);
Obj builtin_arange(Elab *e, Call *call);
Obj builtin_full(Elab *e, Call *call);
Obj builtin_zeros(Elab *e, Call *call);
Obj builtin_zeros_like(Elab *e, Call *call);
Obj builtin_cast(Elab *e, Call *call);
Obj builtin_where(Elab *e, Call *call);
Obj builtin_maximum(Elab *e, Call *call);
Obj builtin_minimum(Elab *e, Call *call);
Obj builtin_cdiv(Elab *e, Call *call);
Obj builtin_swizzle2d(Elab *e, Call *call);

// builtins_math.c: functions of numbers
Obj builtin_math(Elab *e, Call *call);
Obj builtin_fast(Elab *e, Call *call);
Obj builtin_math_to_int(Elab *e, Call *call);
Obj builtin_convert(Elab *e, Call *call);
Obj builtin_bits_as(Elab *e, Call *call);
Obj builtin_operator(Elab *e, Call *call);
Obj builtin_logical(Elab *e, Call *call);
Obj builtin_divide(Elab *e, Call *call);
Obj builtin_reciprocal(Elab *e, Call *call);
Obj builtin_fma(Elab *e, Call *call);
Obj builtin_rounded(Elab *e, Call *call);
Obj builtin_join_double(Elab *e, Call *call);
Obj builtin_half_double(Elab *e, Call *call);
Obj builtin_directed(Elab *e, Call *call);
Obj builtin_convert_directed(Elab *e, Call *call);
Obj builtin_mulhi(Elab *e, Call *call);
Obj builtin_clamp(Elab *e, Call *call);
Obj builtin_saturate(Elab *e, Call *call);
Obj builtin_fdim(Elab *e, Call *call);
Obj builtin_abs(Elab *e, Call *call);
Obj builtin_bits(Elab *e, Call *call); // builtins_bits.c
Obj builtin_norm(Elab *e, Call *call);
Obj builtin_special(Elab *e, Call *call); // builtins_special.c
// A float operand at e->b; a constexpr number is one of fp32. NULL after an error.
Value *builtin_float_value(Elab *e, const Call *call, uint32_t at);
Obj builtin_sigmoid(Elab *e, Call *call);
Obj builtin_softmax(Elab *e, Call *call);

// builtins_reduce.c: reductions, scans
Obj builtin_sum(Elab *e, Call *call);
Obj builtin_reduce_bits(Elab *e, Call *call);
// TorchInductor's: in both a NaN is the result. detail: "max", "min", of reductions "prod" too.
Obj builtin_helper_reduce(Elab *e, Call *call);
Obj builtin_helper_extreme(Elab *e, Call *call);
Obj builtin_extreme(Elab *e, Call *call);
Obj builtin_extreme_index(Elab *e, Call *call);
Obj builtin_reduce(Elab *e, Call *call);
Obj builtin_scan(Elab *e, Call *call);
Obj builtin_cumulate(Elab *e, Call *call);

// builtins_map.c: functions and PTX applied to elements
Obj builtin_map(Elab *e, Call *call);
Obj builtin_inline_asm(Elab *e, Call *call);

// builtins_shape.c: shapes
Obj builtin_reshape_call(Elab *e, Call *call);
Obj builtin_ravel(Elab *e, Call *call);
Obj builtin_item(Elab *e, Call *call);
Obj builtin_expand_dims(Elab *e, Call *call);
Obj builtin_broadcast_to(Elab *e, Call *call);
Obj builtin_broadcast(Elab *e, Call *call);
Obj builtin_trans(Elab *e, Call *call);
Obj builtin_flip(Elab *e, Call *call);
Obj builtin_sort(Elab *e, Call *call);
Obj builtin_topk(Elab *e, Call *call);
Obj builtin_histogram(Elab *e, Call *call);
Obj builtin_join(Elab *e, Call *call);
Obj builtin_interleave(Elab *e, Call *call);
Obj builtin_split(Elab *e, Call *call);
Obj builtin_cat(Elab *e, Call *call);
Obj builtin_gather(Elab *e, Call *call);

// builtins_dot.c
Obj builtin_dot(Elab *e, Call *call);
// What a product of that type is added to: the argument at `at`, zeros where none is given. False after an error.
bool builtin_accumulator(Elab *e, const Call *call, uint32_t at, const Type *type, Value **acc);

// builtins_dot_scaled.c
Obj builtin_dot_scaled(Elab *e, Call *call);

// builtins_random.c: Philox
Obj builtin_philox(Elab *e, Call *call);
Obj builtin_randint4x(Elab *e, Call *call);
Obj builtin_randint(Elab *e, Call *call);
Obj builtin_uniform(Elab *e, Call *call);
Obj builtin_normal(Elab *e, Call *call);
Obj builtin_rand(Elab *e, Call *call);
Obj builtin_rand4x(Elab *e, Call *call);
Obj builtin_randn(Elab *e, Call *call);
Obj builtin_randn4x(Elab *e, Call *call);

// builtins_bits.c: counting bits
Obj builtin_count_bits(Elab *e, Call *call);

// builtins_class.c: classes, attributes by name, methods of types
Obj builtin_isinstance(Elab *e, Call *call);
Obj builtin_getattr(Elab *e, Call *call);
Obj builtin_hasattr(Elab *e, Call *call);
Obj builtin_no_class(Elab *e, Call *call);
Obj builtin_tuple(Elab *e, Call *call);
Obj builtin_dtype_named(Elab *e, Call *call);
Obj builtin_constexpr_type(Elab *e, Call *call);
Obj builtin_type_is(Elab *e, Call *call);
Obj builtin_type_limit(Elab *e, Call *call);
Obj builtin_type_shape(Elab *e, Call *call);
Obj builtin_capability(Elab *e, Call *call);
Obj builtin_target_is(Elab *e, Call *call);

// builtins_debug.c: printing, assertions, the machine
Obj builtin_device_print(Elab *e, Call *call);
Obj builtin_device_assert(Elab *e, Call *call);
Obj builtin_machine(Elab *e, Call *call);
Obj builtin_profiler_mark(Elab *e, Call *call);
Obj builtin_warps(Elab *e, Call *call);

// builtins_static.c: Python's own, and what is decided at compile time
Obj builtin_python_max(Elab *e, Call *call);
Obj builtin_python_min(Elab *e, Call *call);
Obj builtin_float(Elab *e, Call *call);
Obj builtin_int(Elab *e, Call *call);
Obj builtin_bool(Elab *e, Call *call);
Obj builtin_len(Elab *e, Call *call);
Obj builtin_range(Elab *e, Call *call);
Obj builtin_static_assert(Elab *e, Call *call);
Obj builtin_static_print(Elab *e, Call *call);
Obj builtin_hint(Elab *e, Call *call);
Obj builtin_assume(Elab *e, Call *call);
Obj builtin_next_power_of_2(Elab *e, Call *call);
Obj builtin_constexpr(Elab *e, Call *call);
Obj builtin_pointer_type(Elab *e, Call *call);
Obj builtin_int_type(Elab *e, Call *call);
Obj builtin_to_tensor(Elab *e, Call *call);
Obj builtin_unwrap(Elab *e, Call *call);
Obj builtin_static_log2(Elab *e, Call *call);
#endif
