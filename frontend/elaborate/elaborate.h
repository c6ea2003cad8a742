// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elaboration's internal header: the abstract interpreter that runs a kernel's syntax tree and writes tile
// IR.
//
// An expression evaluates to an Obj. It is a compile-time object (a constexpr, a tuple, a function ...) or an
// IR value. Statements bind Objs to names in the Frame of the running function. A call is inlined, in its own
// Frame.
//
//   elaborate.c:        A kernel: parameters, body, grid.
//   elab_stmt.c:        Blocks, assignments, returns.
//   elab_branch.c:      Run-time branches, guards.
//   elab_loop.c:        Run-time loops (elab_flow.h).
//   elab_join.c:        Joins of control flow.
//   elab_range.c:       For, unrolled or not.
//   elab_names.c:       Names that a block assigns.
//   elab_expr.c:        Attributes, literals.
//   elab_vars.c:        Current objects of names.
//   elab_watch.c:       Types of expressions and names, for editors.
//   elab_tuple.c:       Sizes of tuples.
//   elab_subscript.c:   Subscripts, comprehensions.
//   elab_ops.c:         Operators.
//   elab_types.c:       Promotion, casts.
//   elab_shape.c:       Shapes, broadcasting.
//   elab_number.c:      Numbers that have a type.
//   elab_annotation.c:  Annotations, const pointers.
//   elab_call.c:        Argument binding, inlining.
//   constexpr.c:        Python's arithmetic.
//   builtins*.c,.def:   The language's functions.
//   entries.c:          Signatures.
//   elab_params.c:      Parameters: tuples, descriptors.
//   elab_grid.c:        The launch grid.
//   elab_named.c:       Named tuples.
//   elab_scope.c:       Name lookup.
//   decorators.c:       Autotune, heuristics.
//   elab_hints.c:       Hints in errors.
//   autotune.c:         All configurations, pruned.
//   elab_list.c:        Python's lists and dictionaries.
//   elab_module.c:      Selects the definition of a name.
//   elab_truth.c:       Conditions of the module level.
//   elab_definition.c:  The object of a definition.
//   elab_plain.c:       Functions that the module level calls.
//   elab_python.c:      Python's own modules.
//   elab_host.c:        Answers of host libraries.
//   elab_text.c:        Methods of strings.
#ifndef FRONTEND_ELABORATE_ELABORATE_H
#define FRONTEND_ELABORATE_ELABORATE_H

#include "frontend/frontend.h"
#include "ir/build.h"

enum {
  ELAB_MAX_DEPTH = 1100,     // nested expressions, blocks and calls.
  ELAB_MAX_CALLS = 64,       // Nested calls.
  ELAB_MAX_RECURSION = 32,   // Calls of one function by itself.
  ELAB_MAX_STEPS = 400000,   // Expressions and statements run, with unrolling and inlining.
  ELAB_MAX_UNROLL = 4096,    // Iterations of one static_range.
  ELAB_MAX_PRINTS = 256,     // Remarks of static_print.
  ELAB_MAX_TUPLE = 32768,    // Elements of a tuple, with those of nested tuples.
  ELAB_MAX_STRING = 1 << 16, // Bytes of a computed string.
};

// Amounts of work that count as one expression.
enum { ITEMS_A_STEP = 16, BYTES_A_STEP = 256, VARS_A_STEP = 64, LEAVES_A_STEP = 4 };

typedef struct Elab Elab;
typedef struct Builtin Builtin;
typedef struct Obj Obj;
#define MODULE_SPEC "spec " // prefix of the path that importlib.util.find_spec returns; such a spec is true
typedef struct PlainFunction PlainFunction; // elab_module.h
typedef struct ModuleLoop ModuleLoop;       // elab_module.h
typedef struct Patch Patch;                 // elab_module.h

typedef enum Truth { TRUTH_NO, TRUTH_YES, TRUTH_MAYBE } Truth; // of a condition at the module level

typedef struct GuardTruth {
  const Guard *guard;
  Truth truth; // TRUTH_MAYBE during its evaluation
} GuardTruth;

typedef enum ObjKind {
  OBJ_ERROR,     // of an erroneous expression; an error was reported, so its uses give none.
  OBJ_ABSENT,    // An optional argument that was not given.
  OBJ_CONST,     // constant: number, bool, string, None, dtype (never a tuple; `x.type` may be a tile type).
  OBJ_VALUE,     // value: a run-time value.
  OBJ_TUPLE,     // The elements are in `items`.
  OBJ_FUNCTION,  // `function`: of the file, or a lambda.
  OBJ_BUILTIN,   // `builtin`; `self` is set for a bound method.
  OBJ_TYPE,      // `self`: the type of a constexpr or tuple.
  OBJ_NAMED,     // `named`: a class of named tuples.
  OBJ_NAMESPACE, // `path`: "triton.language".
} ObjKind;

struct Obj {
  ObjKind kind;
  // For a number: it has type `elem`, like a run-time scalar of that value. It was assigned or returned, or
  // Triton makes a tensor of it there. Otherwise it is a literal, which takes its partner's type.
  bool typed;
  Elem elem;
  union {
    ConstValue constant;
    Value *value;
    struct {
      Obj *at;
      uint32_t n, total;        // total: with elements of nested tuples; 0: not counted yet.
      bool typed;               // Every number has its type: obj_typed changes nothing.
      const char *const *names; // names of a named tuple's elements, interned; NULL: no names.
      bool dict;                // a Python dictionary: `names` are its keys (elab_key_name).
    } items;
    struct {
      const Function *function;
      const struct Frame *closure; // the frame that defined it, whose names it sees; NULL: the module.
      const Obj *receiver;         // the tuple whose method it is, its first argument; NULL: not a method.
    };
    struct {
      const Builtin *builtin;
      const Obj *self;
    };
    const struct NamedTuple *named;
    struct {
      const char *path;
      const Module *file; // NULL: a module of Triton, or an unknown one.
    };
  };
};

// A class of named tuples.
typedef struct NamedTuple {
  const void *origin; // the statement or call that creates it.
  const char *name;
  uint32_t n;
  const char **fields; // Interned.
  Obj *defaults;       // OBJ_ABSENT: no default.
} NamedTuple;

// One argument of a call. *tuples are already expanded.
typedef struct Given {
  Obj obj;
  Loc loc;
  const char *name; // NULL: positional
  Loc name_loc;     // of a keyword
} Given;
typedef VEC(Given) GivenArgs;

// The current object of a name.
typedef struct Binding {
  const char *name; // interned
  Obj obj;
  Loc loc;    // where it was assigned
  bool maybe; // assigned only on some paths to this point: an error to use
} Binding;

// A running function.
typedef struct Frame {
  const Function *function;    // NULL: module constants, decorators.
  struct Frame *outer;         // The caller.
  const struct Frame *closure; // For a nested function: the frame that defined it.
  uint16_t call;               // Loc.call of everything inside.
  const Module *module;        // The module whose names it sees.
  VEC(Binding) vars;           // Each name once.
  Table places;                // The place in vars where a name was last (elab_vars.c).
  VEC(Name) pruned;            // Names that skipped branches assign.
  uint32_t visible;            // The number of the module's definitions that are visible.
  uint32_t regions;            // Enclosing run-time arms and loop bodies in this function.
  bool grid;                   // Parameters are read as i64.
  bool python;                 // Within a constexpr_function: numbers stay Python's.
  // The result so far; OBJ_ABSENT if nothing was returned yet. Within regions, only some paths may have
  // returned. `returned` is then a run-time i1, and the result is valid where it is true.
  Obj result, returned;
  Loc result_loc;
} Frame;

// A name that is being looked up through `import *`.
typedef struct Star {
  const ImportName *item;
  const char *name; // interned
} Star;

// A warning that was given for a .py file.
typedef struct Warned {
  uint16_t file;
  const char *what; // the message's format
} Warned;

struct Elab {
  IrContext *ir;
  Arena *arena;
  Diags *diags;
  const Module *module;
  IrModule *out;
  const Spec *spec;     // NULL during the reading of signatures.
  FrontendWatch *watch; // NULL: not wanted
  Func *func;
  Builder b; // The evaluator of a node sets its loc.
  Frame *frame;
  const Module *prelude; // builtins_prelude.c; NULL: not parsed yet
  Loc site;              // The call of a function of the prelude, while it runs; else line is 0.
  VEC(Binding) known;    // Parameters resolved so far, for heuristics; absent if known only at run time.
  uint32_t depth, calls, steps, prints;
  bool endless;                  // A recursive function has not ended.
  const Stmt *loop;              // The innermost loop that is being elaborated; NULL: none.
  VEC(Value *) nan_descriptors;  // Descriptors whose loads pad with NaN.
  VEC(Value *) tf32_descriptors; // Descriptors whose loads are rounded to tf32.
  const Function *heuristic;   // Set within a heuristic of this kernel, where parameters' facts decide; else
                               // NULL.
  bool heuristic_reads;        // The heuristic has read a parameter with an unknown value.
  bool heuristic_failed;       // The heuristic has read one that failed.
  bool only_written;           // Names of the module level have the file's values, not those of -D.
  bool stopped;                // A limit was exceeded: unwinds without further errors.
  const Function *kernel;      // The kernel whose parameters take values from -D first; NULL: none yet.
  const Frame *kernel_closure; // The frame whose names a kernel made by a function sees; NULL: none.
  VEC(GuardTruth) truths;      // For the guards met so far.
  const Guard *assumed;        // Guards around the kernel that are false, though the kernel was requested;
                               // NULL: they may be true.
  uint32_t python_minor, python_micro; // The Python version that a condition is evaluated for; 0: none.
  bool python_read;                    // The condition has asked for it.
  VEC(Warned) warned;                  // In .py files.
  VEC(PlainFunction) plains;           // Known so far.
  VEC(const NamedTuple *) aggregates;  // Classes of @triton.aggregate, known so far.
  const Expr *call;                    // The one whose callee is evaluated, or was last.
  const Expr *attribute;               // The outermost one whose object is evaluated; NULL: none.
  bool raises;                         // The running code is known to have raised an exception.
  VEC(Star) stars;                     // Names that are being looked up through stars.
  VEC(ModuleLoop *) loops;             // Loops of the module level, met so far.
  VEC(Patch) patches;                  // Members that were assigned to modules, in order.
  VEC(const Module *) patched;         // Modules whose statements that assign members have run.
};

// The target. For queries about a file without a kernel, the default.
static inline const TargetInfo *elab_target(const Elab *e) {
  return e->out ? e->out->target.arch : e->spec ? e->spec->target.arch : target_default().arch;
}

// A call of a builtin, with its arguments by parameter.
typedef struct Call {
  Loc loc; // The call.
  const Builtin *builtin;
  const char *text; // The callee as written: "tl.load".
  Obj *args;        // OBJ_ABSENT if not given.
  Loc *locs;        // Locations of the arguments; the call's own if not given.
  Obj *rest;        // The arguments that a *parameter took.
  uint32_t rest_count;
} Call;

enum {
  SCOPE_TL = 1,
  SCOPE_LIB = 2,
  SCOPE_PY = 4,
  SCOPE_METHOD = 8,
  SCOPE_HELPER = 16,
  SCOPE_DESCRIPTOR = 32,
  SCOPE_TYPE = 64,
  SCOPE_PROFILER = 128,
  SCOPE_TARGET = 256 // of triton.language.target_info
};

struct Builtin {
  const char *name;
  uint32_t scope; // scopes that it is visible in: SCOPE_*
  // Names in order. "?" follows optional ones, "*" precedes one that takes the rest. NULL: not built.
  const char *params;
  Obj (*run)(Elab *e, Call *call); // NULL: not built yet
  const char *detail;              // for a handler shared by several builtins: selects one; else NULL
};

// How a statement or block ends.
typedef enum Flow {
  FLOW_NEXT,     // the rest must still run.
  FLOW_MAYBE,    // The rest, to the end of the region, has run too; Frame.returned may be true.
  FLOW_RETURN,   // It has returned on every path.
  FLOW_BREAK,    // Leaves the innermost loop, in Python code.
  FLOW_CONTINUE, // Goes on with the innermost loop's next iteration, in Python code.
} Flow;

// The code to run after a block, to the end of the function or of the innermost run-time region.
typedef struct Cont Cont;
struct Cont {
  Flow (*run)(Elab *e, const Cont *self); // runs only this part, not `next`
  const Cont *next;
};

// --- elaborate.c: the context ---

Loc elab_loc(const Elab *e, Loc loc); // within the current call; elab_error returns an OBJ_ERROR
// In a .py file that imports the language by another name, "tl.load" is written with that name.
Obj elab_error(Elab *e, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The same; returns false.
bool elab_fail(Elab *e, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// How the current file writes a function of the language: with "tl.", "triton.language.", or "" if it imports the
// function. "tl." if it does not import the language (elab_scope.c).
const char *elab_language_prefix(Elab *e, Str name);
// "tl.", for messages; "" in a .tile file.
const char *elab_tl(const Elab *e);
void elab_scratch(Elab *e, const FuncParam *params, uint32_t count); // ops go to a function without a module
// True if the running code is from a .py file, and so also valid for Triton.
bool elab_in_py(const Elab *e);
// Warns in such code that Triton would give another value. `what`, a literal, is reported once a file.
void elab_warn_py(Elab *e, Loc loc, const char *what);
// For code that Triton compiles although it is undefined at run time. A warning in .py files. Returns false
// with an error elsewhere.
bool elab_bear_py(Elab *e, Loc loc, const char *what);
void elab_work(Elab *e, uint32_t steps); // counts that many steps, so that the limit applies to them
bool elab_enter(Elab *e, Loc loc); // enters one level and counts one step; false with an error past a limit
void elab_leave(Elab *e);
Frame *elab_push(Elab *e, const Function *function); // a new innermost frame
void elab_pop(Elab *e);
const char *elab_text(Elab *e, Buf *buf); // the buffer's text in the arena; frees the buffer
// "; did you mean 'x'?" or "".
const char *elab_did_you_mean(Elab *e, Str typed, const char *const *names, size_t n);

// --- What editors show (elab_watch.c) ---

void elab_watch_expr(Elab *e, Loc loc, const Obj *obj);
void elab_watch_name(Elab *e, Loc loc, const char *name, const Obj *obj);

// --- Objects (constexpr.c) ---

Obj obj_const(ConstValue constant); // a CONST_TUPLE becomes an OBJ_TUPLE: obj_from_const
Obj obj_from_const(Elab *e, const ConstValue *constant);
bool obj_to_const(Elab *e, const Obj *obj, ConstValue *constant); // false: not known at compile time
Obj obj_int(int64_t i);
Obj obj_bool(bool b);
Obj obj_float(double f);
Obj obj_string(Elab *e, Str text);
Obj obj_namespace(Elab *e, const char *path);
Obj obj_type(const Type *type);
Obj obj_none(void);
Obj obj_type_of(Elab *e, const Obj *obj);                              // an OBJ_TYPE.
static inline Obj obj_error(void) { return (Obj){.kind = OBJ_ERROR}; } // After an error was reported.
Obj obj_value(Value *value);                                           // NULL gives an OBJ_ERROR.
Obj obj_tuple(Elab *e, uint32_t n);                                    // An OBJ_TUPLE of n errors, to be
                                                                       // filled in.
Obj obj_tuple_like(Elab *e, const Obj *tuple); // The same number of elements, with its names.
Obj obj_sized(Elab *e, Loc loc, Obj tuple);    // Counts the elements; an error beyond ELAB_MAX_TUPLE.
bool elab_field(Elab *e, const Obj *tuple, const char *name, Obj *obj); // The element with that name, or its
                                                                        // method; false: none.
static inline bool obj_is(const Obj *obj, ConstKind kind) {
  return obj->kind == OBJ_CONST && obj->constant.kind == kind;
}
bool obj_is_int(const Obj *obj); // Also a bool, which is an integer in Python.
static inline bool obj_given(const Obj *obj) { return obj->kind != OBJ_ABSENT && !obj_is(obj, CONST_NONE); }
bool obj_is_number(const Obj *obj);            // A constexpr int, float or bool.
bool obj_is_unread(const Obj *obj);            // From a library that is not read: nothing is known about
                                               // it.
bool obj_is_static(const Obj *obj);            // Known at compile time, including all parts of a tuple.
bool obj_equal(const Obj *a, const Obj *b);    // The same constant or the same value.
const char *obj_text(Elab *e, const Obj *obj); // As Python prints it; run-time values by their type.
// "np.float32" of the string that the Python package gives for an object of NumPy, "<np.float32 0>"; else NULL.
const char *obj_numpy_name(Elab *e, const Obj *obj);
const char *obj_describe(Elab *e, const Obj *obj); // For messages: "the string 'a'", "a tile of fp32[64]".
const char *type_text(Elab *e, const Type *type);
bool const_truth(Elab *e, const Obj *obj, bool *truth); // false: not known at compile time
double const_number(const ConstValue *number);
bool const_fits(const ConstValue *number, Elem elem); // an int or bool, in an integer type
Elem const_elem(const ConstValue *number);            // a number's default type
// Python's operators on constexprs. Errors are at `loc`.
Obj const_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a);
Obj const_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b);
Obj const_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b);

// --- Numbers that have a type (elab_number.c) ---

Elem obj_elem(const Obj *obj);                // element type of a number or a run-time value.
Obj obj_typed(Elab *e, Obj obj);              // Gives numbers, also those of a tuple, their default types.
Obj obj_number_as(const Obj *obj, Elem elem); // Converts a number like a cast, and gives it that type.
// Operators on two known operands, at least one with a type. They compute in that type, as at run time.
Obj typed_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a);
Obj typed_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b);
Obj typed_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b);

// --- Types (elab_types.c, elab_annotation.c) ---

typedef struct Pair {
  Value *a, *b; // of one type; both NULL after an error
} Pair;

typedef enum Promote {
  PROMOTE_PLAIN,
  PROMOTE_MOVE,     // for ops that only move elements, also of fp8
  PROMOTE_DIVIDE,   // / // %
  PROMOTE_INTEGERS, // & | ^ << >>
} Promote;

// The type in which `what` computes with the two operands. Returns false with an error if there is none.
bool elab_common(Elab *e, Loc loc, const char *what, Promote how, const Obj *a, const Obj *b, Elem *elem);
Promote elab_promotion(BinaryOp op);
// The ops of operators on integers. OP_COUNT: none.
OpKind binary_op_kind(BinaryOp op);
OpKind compare_op_kind(CompareOp op);

// Converts the operands of `what` ("+", "where") to one element type and shape.
Pair elab_promote(Elab *e, Loc loc, const char *what, Promote how, const Obj *a, const Obj *b);
// The common type of two integer types. The larger width wins; for equal widths, unsigned wins.
Elem elab_wider_int(Elem a, Elem b);
// Makes a run-time value. NULL with an error if that is not possible. element NULL: the object's own type.
// Otherwise it is converted like a cast, a number from its default type. `what` describes the place.
Value *elab_value(Elab *e, Loc loc, const char *what, const Obj *obj, const Type *element);
Value *elab_quotient(Elab *e, Value *a, Value *b); // of numbers; approximate with --fast-math
// Converts a literal directly to the element's type; an integer must fit in it. Others as elab_value.
Value *elab_literal(Elab *e, Loc loc, const char *what, const Obj *obj, const Type *element);
// Casts between numbers, and between pointers and 64-bit integers. NULL: error.
Value *elab_cast(Elab *e, Loc loc, Value *value, const Type *element);
Value *elab_bitcast(Elab *e, Loc loc, Value *value, const Type *element);
Value *elab_splat_like(Elab *e, Value *scalar, const Type *like); // unchanged if `like` is not a tile
// Broadcasts `scalar`, just made from `obj`, to the shape of `like`. A literal becomes one constant.
Value *elab_spread(Elab *e, const Obj *obj, Value *scalar, const Type *like);
Value *elab_truth(Elab *e, Loc loc, const char *what, const Obj *obj); // i1 of its shape: true where not
                                                                       // 0
Value *elab_condition(Elab *e, Loc loc, const char *what,
                      const Obj *obj); // a scalar i1; for a tile, its only element
const Type *elab_scalar(Elab *e, Elem elem);
// Reads a run-time parameter's annotation into *param: its type, a tuple or a tensor descriptor. If it means
// nothing, that is PARAM_PLAIN without a type. Otherwise as elab_annotation.
bool elab_param_annotation(Elab *e, const Expr *annotation, ParamSpec *param, bool *is_constexpr);
// Reads an annotation's type, and if it is a constexpr. Returns false with an error for a name that is not a
// type. *type NULL: the annotation means nothing.
bool elab_annotation(Elab *e, const Expr *annotation, const Type **type, bool *is_constexpr);
// True for `x: tl.const`: a pointer of the signature's type, through which nothing is stored.
bool elab_annotates_const(const Expr *annotation);
const Type *elab_without_const(Elab *e, const Type *type); // NULL gives NULL
void elab_drop_const(Elab *e, Func *func);                 // makes const pointers plain ones, after the check

// --- Parameters of kernels (elab_params.c) ---

// Resolves the parameter `path` ("t", "t[0]") from its declaration and the given spec (NULL: none) into *out.
// Returns false with an error at `loc`.
bool elab_resolve_param(Elab *e, Loc loc, const char *path, const ParamSpec *declared, const ParamSpec *given,
                        ParamSpec *out);
uint32_t elab_param_leaves(const ParamSpec *param); // the number of kernel parameters that it becomes
// Adds those to params; *n is their number. `taken`: the names of all parameters of the source.
void elab_declare_param(Elab *e, const char *name, Loc loc, const ParamSpec *param, FuncParam *params,
                        uint32_t *n, const Function *taken);
// The parameter's object, from the arguments from args[*n] on. `known`: for heuristics, with values known at
// launch.
Obj elab_param_value(Elab *e, const ParamSpec *param, Value *const *args, uint32_t *n, bool known);

// --- Grids (elab_grid.c) ---

// The expressions of the kernel's grid, and their location. False if there is none, or after an error.
bool elab_grid_sizes(Elab *e, const Function *function, ExprList *sizes, Loc *loc);
// Ends the region, in which the parameters are bound, with the values of the sizes.
void elab_grid_yield(Elab *e, HostRegion *grid, const ExprList *sizes, Loc loc);

// --- Shapes (elab_shape.c) ---

bool elab_check_tile(Elab *e, Loc loc, uint32_t rank, const uint64_t *shape);
// Reads a shape of constexpr ints and checks it.
bool elab_shape(Elab *e, Loc loc, const Obj *obj, uint32_t *rank, uint32_t shape[TILE_MAX_RANK]);
const char *elab_shape_text(Elab *e, uint32_t rank, const uint32_t *shape); // "[16, 64]"
// Adds a dimension of size 1 at `axis` (0 .. rank). A scalar becomes a tile of one element. NULL: error.
Value *elab_expand_dims(Elab *e, Loc loc, Value *value, uint32_t axis);
// Broadcasts `n` values to one shape as NumPy does, in place, also scalars. Returns false with an error at
// `loc` that names both shapes. No error if a value is NULL.
bool elab_broadcast(Elab *e, Loc loc, const char *what, uint32_t n, Value **values);
bool elab_broadcast2(Elab *e, Loc loc, const char *what, Value **a, Value **b);
// Broadcasts to a given shape. Rank 0 leaves a scalar unchanged. NULL: error.
Value *elab_broadcast_to(Elab *e, Loc loc, const char *what, Value *value, uint32_t rank,
                         const uint32_t *shape);

// --- Advice for errors (elab_hints.c, hints.def) ---

// Hints for names that do not exist in kernels: a path such as "torch.exp", a name of triton.language, an
// attribute of a value, a name of Python. NULL: nothing is known.
const char *elab_host_hint(Elab *e, const char *path);
const char *elab_tl_hint(Elab *e, const char *name);
const char *elab_method_hint(const char *name);
const char *elab_python_hint(const char *name);
const char *elab_cast_hint(Elab *e, const char *path); // "x.to(tl.float32)" for "np.float32"; NULL: no type
// Adds a note to an error that needs a constexpr: the kernel's parameter that `obj` depends on. Returns an
// OBJ_ERROR.
Obj elab_explain_runtime(Elab *e, Diag *diag, const Obj *obj);
const char *elab_value_name(const Elab *e,
                            const Value *value); // its name in the kernel; NULL: none

// --- Expressions (elab_expr.c, elab_ops.c, elab_call.c) ---

Obj elab_expr(Elab *e, const Expr *expr);
Obj elab_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a);
Obj elab_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b);
Obj elab_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b);
Obj elab_logical(Elab *e, const Expr *expr);
Obj elab_compare_chain(Elab *e, const Expr *expr);
Obj elab_call(Elab *e, const Expr *call);
// Calls a function of the file, a lambda or a builtin with positional arguments. For example a combining
// function.
Obj elab_apply(Elab *e, Loc loc, const Obj *callee, uint32_t n, const Obj *args);
Obj elab_object_of(Elab *e, const Expr *expr);                // the object of an attribute
Obj elab_attribute_of(Elab *e, const Expr *expr, Obj object); // for an object that is already evaluated.
const char *elab_triton_name(Elem elem);                      // For example "int32", "uint8", "fp16".
Obj elab_type_shape(Elab *e, const Type *type);               // The empty tuple if it is not a tile.
Obj elab_subscript(Elab *e, const Expr *expr);                // In elab_subscript.c.
bool elab_items(Elab *e, const Expr *expr, Obj *tuple);       // A tuple or a range of constexprs, to iterate
                                                              // over.
// True if a clause's conditions hold. *good becomes false after an error.
bool elab_accepted(Elab *e, const CompClause *clause, bool *good);
Obj elab_comprehension(Elab *e, const Expr *expr); // elab_subscript.c: a tuple
// A dotted name as written; "the expression" for other expressions.
const char *elab_expr_text(Elab *e, const Expr *expr);
// Binds a call's arguments to a builtin's parameters. False after errors.
bool elab_bind_builtin(Elab *e, const Expr *expr, const Obj *callee, Call *call);

// --- Names (elab_scope.c) ---

Obj elab_name(Elab *e, Loc loc, const char *name);
// The name's object at the file's module level, ignoring the specialisation.
Obj elab_global_name(Elab *e, const char *name);
// Triton's modules by their dotted path, and the builtins (SCOPE_*) that they contain.
bool elab_is_triton(const char *path);
uint32_t elab_namespace_scope(const char *path);
// A number of Python's module math. False: no such name.
bool elab_math_number(const char *name, Obj *obj);
// path.name. False: no such name.
bool elab_namespace_member(Elab *e, const char *path, const char *name, Obj *obj);
// The object that one name of an import binds. Errors are at `loc`, where it is used.
Obj elab_imported(Elab *e, Loc loc, const Import *import, const ImportName *item);

// --- Builtins (builtins.c) ---

extern const Builtin builtin_table[];
extern const uint32_t builtin_count;
const Builtin *builtin_find(const char *name, uint32_t scope); // any of the scope's bits; NULL: none.
// Reads an attribute of a block pointer or tensor descriptor (builtins_block.c). False if it has no such
// attribute.
bool elab_block_attribute(Elab *e, const char *name, Value *block, Obj *obj);
const char *const *builtin_names(Elab *e, uint32_t scope, uint32_t *n);

// --- Statements (elab_stmt.c) ---

Flow elab_block(Elab *e, const Block *block, const Cont *rest);
Flow elab_rest(Elab *e, const Cont *rest); // runs the rest
Flow elab_if(Elab *e, const Stmt *stmt, uint32_t arm, const Cont *rest);
void elab_assign(Elab *e, const Expr *target, Obj obj);
void elab_bind(Elab *e, const char *name, Loc loc, Obj obj);
void elab_bind_quietly(Elab *e, const char *name, Loc loc, Obj obj); // does not name the value
// A run-time check that aborts the launch: `assert`, device_assert. `message` may be NULL or an OBJ_ABSENT.
void elab_assert(Elab *e, Loc loc, Loc condition_loc, const Obj *condition, const Obj *message);

// --- Current objects of names (elab_vars.c) ---

typedef struct Vars {
  Binding *at;
  uint32_t n;
} Vars;

Binding *elab_find(const Frame *frame, const char *name); // NULL: not a name of the function
const Binding *elab_find_var(Vars vars, const char *name);
void elab_set_binding(Elab *e, const Binding *binding); // in the innermost frame
void elab_maybe_bound(Elab *e, const Binding *binding); // the name has a value on some paths only
Vars elab_save_vars(Elab *e);
void elab_restore_vars(Elab *e, Vars saved); // they were saved from this frame

// --- Names that a block assigns (elab_names.c) ---

typedef VEC(Name) AssignedNames;
void elab_assigned(Elab *e, const Block *block, AssignedNames *names); // each once, in order
void elab_assigned_by(Elab *e, const Stmt *stmt, AssignedNames *names);
// The names that a loop's body assigns. Skips branches that loop-invariant constexprs rule out.
void elab_assigned_in_loop(Elab *e, const Block *body, AssignedNames *names);
void elab_prune(Elab *e, const Block *block);                // remembers its names for messages
void elab_bind_unknown(Elab *e, const AssignedNames *names); // binds them to errors, so that their uses give
                                                             // none

#endif
