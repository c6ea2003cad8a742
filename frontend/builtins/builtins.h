// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handlers of builtins.def, and what they share. A handler gets the arguments by parameter and returns
// the call's result.
#ifndef FRONTEND_BUILTINS_BUILTINS_H
#define FRONTEND_BUILTINS_BUILTINS_H

#include "frontend/elaborate/elaborate.h"

enum { NO_ARG = 0xffff };

// LOAD_MASK, DOT_ACC, ...: the argument indices that builtins.def names.
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
// `at` is a parameter's index. A wrong argument gives an error and sets *good to false.

// True if the optional argument was given and is not None. Gives an error and sets *good to false if it is
// not a constexpr of `kind`.
bool builtin_option(Elab *e, const Call *call, uint32_t at, ConstKind kind, const char *name, bool *good);
bool builtin_flag(Elab *e, const Call *call, uint32_t at, const char *name, bool otherwise, bool *good);
// A string among `allowed` (NULL-terminated), interned. NULL if it is "", not given or wrong.
const char *builtin_choice(Elab *e, const Call *call, uint32_t at, const char *name,
                           const char *const *allowed, bool *good);
// Reads an axis of `rank` dimensions. Negative ones count from the end. False after an error.
bool builtin_axis(Elab *e, const Call *call, uint32_t at, uint32_t rank, uint32_t *axis);
bool builtin_axis_of(Elab *e, Loc loc, const Call *call, const Obj *obj, uint32_t rank, uint32_t *axis);
const Type *builtin_dtype(Elab *e, const Call *call, uint32_t at); // scalar or pointer; NULL: error
// The values that the *parameter at `at` took: the keyword argument, or the rest as a tuple.
Obj builtin_items(const Call *call, uint32_t at);
// The argument as a run-time value. NULL after an error. `what` describes it.
Value *builtin_value(Elab *e, const Call *call, uint32_t at, const char *what);
Value *builtin_tile(Elab *e, const Call *call, uint32_t at);        // a tile
Value *builtin_number_tile(Elab *e, const Call *call, uint32_t at); // but not a tile of pointers
bool builtin_is_fp8(const Type *type);
bool builtin_refuse_fp8(Elab *e, Loc loc, const Call *call, const Type *type); // true after an error
// Converts two operands to one type and shape, at e->b with the call's location. False after an error.
bool builtin_pair(Elab *e, const Call *call, const Obj *x, const Obj *y, Pair *pair);

// --- Values made at e->b ---

Value *builtin_as(Elab *e, Value *value, Elem elem); // converted
// The same elements in another shape. A scalar is broadcast to it.
Value *builtin_reshape(Elab *e, Value *value, uint32_t rank, const uint32_t *shape);
Value *builtin_choose(Elab *e, Value *condition, Value *x, Value *y); // select
// A float function of math.def. fp16 and bf16 are computed in fp32. b may be NULL.
Value *builtin_math_value(Elab *e, const char *name, Value *a, Value *b);
bool builtin_is_fast(const Elab *e); // --fast-math
// The same function made of approximate instructions. NULL: it has no such form. b may be NULL.
Value *builtin_fast_value(Elab *e, const char *name, Value *a, Value *b);
// Reads the operands of a function of two floats.
bool builtin_float_pair(Elab *e, const Call *call, Pair *pair);
// Converts three operands to one float type and shape: those of `order`'s second and third operands, then
// combined with its first. Literals have their own default types.
bool builtin_float_triple(Elab *e, const Call *call, Obj args[3], const uint32_t order[3], Value *v[3]);
Obj builtin_promote_bf16(Elab *e, Loc loc, Obj obj); // bf16 becomes fp32; others are unchanged
bool builtin_propagates_nan(Elab *e, const Call *call, uint32_t at, bool *good);
// `result`, or x or y where that is NaN.
Value *builtin_propagate_nan(Elab *e, Value *result, Value *x, Value *y);
// OP_MAX or OP_MIN of x and y, promoted like operators' operands.
Obj builtin_extremum(Elab *e, Call *call, OpKind kind, const Obj *x, const Obj *y, bool nan);
// Widens narrow numbers to fp32 and i32, the types in which maxima and minima are reduced.
Value *builtin_widen_extreme(Elab *e, Value *x);
// Reduces a tile along `axis` with a binary op.
Value *builtin_reduce_by(Elab *e, Value *x, uint32_t axis, OpKind op, bool keep_dims);
Value *builtin_only_element(Elab *e, Value *x); // the element of a tile of one element, as a scalar.
// The GPU's timer, ns as i64. It must be in a kernel.
Value *builtin_clock(Elab *e);
// Gives errors for ops in the region of reduce, scan or map that are not pure, or not on scalars.
bool builtin_check_region(Elab *e, Region *region);

// --- Memory (builtins_memory.c, builtins_block.c) ---

typedef struct MemoryArgs {
  Value *pointer, *value, *mask; // one shape for all; value and mask may be NULL
  bool widens;                   // the pointer is broadcast too
} MemoryArgs;

typedef struct Hints {
  const char *cache, *evict; // NULL: none
} Hints;

// A pointer, or a tile of pointers, to scalars. NULL after an error.
Value *builtin_pointer(Elab *e, const Call *call, uint32_t at);
Value *builtin_written_pointer(Elab *e, const Call *call, uint32_t at); // a const pointer is an error
// Reads the value, converted to the pointee, and the mask; NO_ARG if there is none. Broadcasts all to one
// shape. False after an error.
bool builtin_access(Elab *e, const Call *call, MemoryArgs *access, const char *what, uint32_t value_at,
                    uint32_t mask_at);
void builtin_set_hints(Op *op, const Hints *hints);
bool builtin_is_block(const Obj *obj);      // a block pointer or tensor descriptor
bool builtin_is_descriptor(const Obj *obj); // builtins_class.c; also true if it is loop-carried
Obj builtin_block_load(Elab *e, const Call *call, const Hints *hints);
Obj builtin_block_store(Elab *e, const Call *call, const Hints *hints);
// Reads `rank` integers as i64. A single number counts as a tuple of one. False after an error.
bool builtin_extents(Elab *e, const Call *call, uint32_t at, const char *name, uint32_t rank, Value **values);
// The value, converted to the block's type and shape. NULL after an error.
Value *builtin_stored_value(Elab *e, const Call *call, uint32_t at, const Type *block);
// The padding of a descriptor's loads outside the tensor, "zero" or "nan"; NULL after an error.
// What a descriptor's load gives of the elements in memory; NULL after an error.
Value *builtin_descriptor_loaded(Elab *e, const Call *call, const Value *block, Value *tile);
const char *builtin_descriptor_padding(Elab *e, const Call *call, const Value *block);

// --- Functions of prelude.tile (builtins_prelude.c) ---

// Calls the function with that name. Its ops and messages have the location `loc`.
Obj builtin_prelude(Elab *e, Loc loc, const char *name, uint32_t n, const Obj *args);
Obj builtin_prelude_value(Elab *e, Loc loc, const char *name, Value *x);
Obj builtin_prelude_call(Elab *e, Call *call); // the function with the builtin's name, with all arguments

// --- Handlers ---

// builtins_memory.c
Obj builtin_load(Elab *e, Call *call);
Obj builtin_store(Elab *e, Call *call);

// builtins_block.c: block pointers, tensor descriptors
Obj builtin_make_block_ptr(Elab *e, Call *call);
Obj builtin_advance(Elab *e, Call *call);
Obj builtin_make_descriptor(Elab *e, Call *call);
Obj builtin_rounding_descriptor(Elab *e, Call *call);
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
Obj builtin_atomic_load(Elab *e, Call *call);
Obj builtin_atomic_store(Elab *e, Call *call);
Obj builtin_atomic_poll(Elab *e, Call *call);

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
// A float operand at e->b. A constexpr number becomes fp32. NULL after an error.
Value *builtin_float_value(Elab *e, const Call *call, uint32_t at);
Obj builtin_sigmoid(Elab *e, Call *call);
Obj builtin_softmax(Elab *e, Call *call);

// builtins_reduce.c: reductions, scans
Obj builtin_sum(Elab *e, Call *call);
Obj builtin_reduce_bits(Elab *e, Call *call);
// TorchInductor's helpers. Both propagate NaN. detail: "max", "min"; for reductions also "prod".
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
Obj builtin_squeeze(Elab *e, Call *call);
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
// The accumulator of a dot of that type: the argument at `at`, or zeros if not given. False after an error.
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
Obj builtin_expect_zero(Elab *e, Call *call);
Obj builtin_machine(Elab *e, Call *call);
Obj builtin_profiler_mark(Elab *e, Call *call);
Obj builtin_warps(Elab *e, Call *call);

// builtins_static.c: Python's own functions, and those computed at compile time
Obj builtin_python_max(Elab *e, Call *call);
Obj builtin_python_min(Elab *e, Call *call);
Obj builtin_float(Elab *e, Call *call);
Obj builtin_int(Elab *e, Call *call);
Obj builtin_bool(Elab *e, Call *call);
Obj builtin_len(Elab *e, Call *call);
Obj builtin_range(Elab *e, Call *call);
Obj builtin_condition(Elab *e, Call *call);
Obj builtin_replace_fields(Elab *e, Call *call); // its calls are elab_replace_fields's, as they name fields
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
