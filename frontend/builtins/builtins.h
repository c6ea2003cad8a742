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

// --- Handlers: each row of builtins.def declares its own ---

#define ARGS(...)
#define NOT_BUILT(...)
#define BUILTIN(name, scope, params, handler)            Obj handler(Elab *e, Call *call);
#define BUILTIN_OF(name, scope, params, handler, detail) Obj handler(Elab *e, Call *call);
#include "frontend/builtins/builtins.def"
#undef ARGS
#undef NOT_BUILT
#undef BUILTIN
#undef BUILTIN_OF

// A float operand at e->b. A constexpr number becomes fp32. NULL after an error.
Value *builtin_float_value(Elab *e, const Call *call, uint32_t at);
// The accumulator of a dot of that type: the argument at `at`, or zeros if not given. False after an error.
bool builtin_accumulator(Elab *e, const Call *call, uint32_t at, const Type *type, Value **acc);

#endif
