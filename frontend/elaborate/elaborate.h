// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elaboration's own header: the abstract interpreter that runs a kernel's syntax tree and writes tile IR.
//
// An expression evaluates to an Obj: what is known now (a constexpr, a tuple, a function ...) or an IR value.
// Statements bind Objs to names in the Frame of the function that runs; a call inlines, in a Frame of its own.
//
//   elaborate.c       a kernel: parameters, body, grid     elab_stmt.c    blocks, assignments, returns
//   elab_branch.c     run-time branches, guards            elab_loop.c    run-time loops (elab_flow.h)
//   elab_join.c       where ways meet                      elab_range.c   for, unrolled or not
//   elab_names.c      names that a block assigns           elab_expr.c    attributes, literals
//   elab_vars.c       what names stand for now             elab_tuple.c   sizes of tuples
//   elab_subscript.c  subscripts, comprehensions           elab_ops.c     operators
//   elab_types.c      promotion, casts                     elab_shape.c   shapes, broadcasting
//   elab_number.c     numbers with a type of their own     elab_annotation.c  annotations, const pointers
//   elab_call.c       argument binding, inlining           constexpr.c    Python's arithmetic
//   builtins*.c,.def  the language's functions             entries.c      signatures
//   elab_params.c     parameters: tuples, descriptors      elab_grid.c    the launch grid
//   elab_named.c      named tuples                         elab_scope.c   what names stand for
//   decorators.c      autotune, heuristics                 elab_hints.c   what to write instead
//   autotune.c        all configurations, pruned           elab_list.c    lists and dictionaries of the host
//   elab_module.c     which definitions of a file hold     elab_truth.c   conditions of the module level
//   elab_definition.c what a definition gives              elab_plain.c   functions that the module level calls
//   elab_python.c     what Python's own modules give       elab_host.c    what host libraries answer
//   elab_text.c       methods of strings
#ifndef FRONTEND_ELABORATE_ELABORATE_H
#define FRONTEND_ELABORATE_ELABORATE_H

#include "frontend/frontend.h"
#include "ir/build.h"

enum {
  ELAB_MAX_DEPTH = 1100,     // expressions, blocks and calls within one another
  ELAB_MAX_CALLS = 64,       // calls within one another
  ELAB_MAX_RECURSION = 32,   // of one function
  ELAB_MAX_STEPS = 400000,   // expressions and statements run, unrolling and inlining counted
  ELAB_MAX_UNROLL = 4096,    // iterations of one static_range
  ELAB_MAX_PRINTS = 256,     // remarks of static_print
  ELAB_MAX_TUPLE = 32768,    // elements of a tuple, those of tuples within it counted
  ELAB_MAX_STRING = 1 << 16, // bytes of a string that is made of others
};

// What is as much work as an expression.
enum { ITEMS_A_STEP = 16, BYTES_A_STEP = 256, VARS_A_STEP = 64, LEAVES_A_STEP = 4 };

typedef struct Elab Elab;
typedef struct Builtin Builtin;
typedef struct Obj Obj;
#define MODULE_SPEC "spec " // before the module, in the path of what importlib.util.find_spec gives; it is true
typedef struct PlainFunction PlainFunction; // elab_module.h
typedef struct ModuleLoop ModuleLoop;       // elab_module.h
typedef struct Patch Patch;                 // elab_module.h

typedef enum Truth { TRUTH_NO, TRUTH_YES, TRUTH_MAYBE } Truth; // of a condition of the module level

typedef struct GuardTruth {
  const Guard *guard;
  Truth truth; // TRUTH_MAYBE while it is being found out
} GuardTruth;

typedef enum ObjKind {
  OBJ_ERROR,     // of an erroneous expression; an error was given, its users are silent
  OBJ_ABSENT,    // an optional argument that was not given
  OBJ_CONST,     // constant: number, bool, string, None, dtype (never a tuple; `x.type` may be a tile type)
  OBJ_VALUE,     // value: known at run time
  OBJ_TUPLE,     // items
  OBJ_FUNCTION,  // function: of the file, or a lambda
  OBJ_BUILTIN,   // builtin; self where it is a bound method
  OBJ_TYPE,      // self: the type of a constexpr or tuple
  OBJ_NAMED,     // named: a class of named tuples
  OBJ_NAMESPACE, // path: "triton.language"
} ObjKind;

struct Obj {
  ObjKind kind;
  // Of a number: it has type `elem`, as a run-time scalar of that value has, because it was assigned or
  // returned, or stands where Triton makes a tensor of it. Else a literal, which takes its partner's type.
  bool typed;
  Elem elem;
  union {
    ConstValue constant;
    Value *value;
    struct {
      Obj *at;
      uint32_t n, total; // those of tuples within counted; 0: not counted yet
      bool typed;        // every number has its type: obj_typed changes nothing
      const char *const *names; // of the elements, interned: a named tuple's; NULL: they have none
      bool dict;                // a dictionary of the host's: `names` are its keys (elab_key_name)
    } items;
    struct {
      const Function *function;
      const struct Frame *closure; // the frame that defined it, whose names it sees; NULL: of the module
      const Obj *receiver;         // of a method that a tuple has: the tuple, its first argument; NULL: it is none
    };
    struct {
      const Builtin *builtin;
      const Obj *self;
    };
    const struct NamedTuple *named;
    struct {
      const char *path;
      const Module *file; // NULL: a module of Triton, or one that is not known
    };
  };
};

// A class of named tuples.
typedef struct NamedTuple {
  const void *origin; // the statement or call that makes it
  const char *name;
  uint32_t n;
  const char **fields; // interned
  Obj *defaults;       // OBJ_ABSENT: it has none
} NamedTuple;

// One of a call's arguments, *tuples spread out.
typedef struct Given {
  Obj obj;
  Loc loc;
  const char *name; // NULL: positional
} Given;
typedef VEC(Given) GivenArgs;

// A name's present meaning.
typedef struct Binding {
  const char *name; // interned
  Obj obj;
  Loc loc;    // where it was assigned
  bool maybe; // assigned on some of the ways that lead here only: an error to use
} Binding;

// A function being run.
typedef struct Frame {
  const Function *function;    // NULL: module constants, decorators
  struct Frame *outer;         // the caller
  const struct Frame *closure; // of a function within a function: where it was defined
  uint16_t call;               // Loc.call of everything inside
  const Module *module;        // whose names it sees
  VEC(Binding) vars;           // each name once
  Table places;                // where in them a name was last (elab_vars.c)
  VEC(Name) pruned;   // names that branches not taken assign
  uint32_t visible;   // how many of the module's definitions can be seen
  uint32_t regions;   // run-time arms and loop bodies of this function around
  bool grid;          // parameters read as i64
  bool python;        // within a constexpr_function: numbers stay Python's
  // The result so far: OBJ_ABSENT where nothing was returned yet. Within regions a return may have happened
  // on some ways only: `returned` is then a run-time i1, and the result counts where it is true.
  Obj result, returned;
  Loc result_loc;
} Frame;

// A name that is looked for in what `import *` gives.
typedef struct Star {
  const ImportName *item;
  const char *name; // interned
} Star;

// What a .py file was warned of.
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
  const Spec *spec; // NULL while signatures are read
  Func *func;
  Builder b; // its loc is set by whoever evaluates a node
  Frame *frame;
  VEC(Binding) known; // parameters as far as they are resolved, for heuristics: absent where known at run time only
  uint32_t depth, calls, steps, prints;
  bool endless;       // a function that calls itself has not ended
  const Stmt *loop;             // the innermost that is elaborated; NULL: none
  VEC(Value *) nan_descriptors; // whose loads pad with NaN
  const Function *heuristic;    // within a heuristic of this kernel: facts of parameters decide; else NULL
  bool heuristic_reads;         // the heuristic has read a parameter whose value is not known
  bool heuristic_failed;        // the heuristic has read one that failed
  bool only_written;            // names of the module level are what the file says, not what -D does
  bool stopped;                 // a limit was passed: unwinds without further errors
  const Function *kernel;       // whose parameters -D gives values first; NULL: none yet
  const Frame *kernel_closure;  // whose names a kernel that was made by a function sees; NULL: none
  VEC(GuardTruth) truths;       // of the guards met so far
  const Guard *assumed;         // around the kernel, where it was asked for though they do not hold; NULL: they may
  uint32_t python_minor, python_micro; // the Python that a condition is evaluated for; 0: none
  bool python_read;                    // the condition has asked for it
  VEC(Warned) warned;                  // in .py files
  VEC(PlainFunction) plains;           // so far
  bool raises;                         // what runs is known to have raised an exception
  VEC(Star) stars;                     // within which a name is looked for now
  VEC(ModuleLoop *) loops;      // of the module level, met so far
  VEC(Patch) patches;           // members that modules were given, in order
  VEC(const Module *) patched;         // whose statements that give them were run
};

// A call of a builtin, its arguments by parameter.
typedef struct Call {
  Loc loc; // the call
  const Builtin *builtin;
  const char *text; // the callee as written: "tl.load"
  Obj *args;        // OBJ_ABSENT where not given
  Loc *locs;        // of the arguments; the call's own where not given
  Obj *rest;        // what a *parameter took
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
  SCOPE_PROFILER = 128, SCOPE_TARGET = 256 // of triton.language.target_info
};

struct Builtin {
  const char *name;
  uint32_t scope; // where it can be reached from: SCOPE_*
  // Names, in order; "?" after optional ones, "*" before one that takes the rest; NULL: not built.
  const char *params;
  Obj (*run)(Elab *e, Call *call); // NULL: not built yet
  const char *detail;              // for a handler that serves several: which one this is; else NULL
};

// How a statement or block ends.
typedef enum Flow {
  FLOW_NEXT,   // what follows is still to be run
  FLOW_MAYBE,  // what follows, to the end of the region, has been run too; Frame.returned may be true
  FLOW_RETURN, // it has returned, on every way
  FLOW_BREAK, FLOW_CONTINUE, // of the innermost loop, where Python computes
} Flow;

// What is left to run after a block, to the end of the function or of the innermost run-time region.
typedef struct Cont Cont;
struct Cont {
  Flow (*run)(Elab *e, const Cont *self); // this part alone, not `next`
  const Cont *next;
};

// --- elaborate.c: the context ---

Loc elab_loc(const Elab *e, Loc loc); // within the present call; elab_error gives an OBJ_ERROR
Obj elab_error(Elab *e, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void elab_scratch(Elab *e, const FuncParam *params, uint32_t count); // ops go to a function of no module
// The code being run is a .py file's, and so Triton's too.
bool elab_in_py(const Elab *e);
// In such code: that Triton would give another value. `what`, a literal, is said once a file.
void elab_warn_py(Elab *e, Loc loc, const char *what);
// What Triton compiles though it is undefined at run time: a warning in .py files. False: an error elsewhere.
bool elab_bear_py(Elab *e, Loc loc, const char *what);
void elab_work(Elab *e, uint32_t steps); // that many steps more, so that the limit holds for them
bool elab_enter(Elab *e, Loc loc); // one level deeper, one step more; false with an error past a limit
void elab_leave(Elab *e);
Frame *elab_push(Elab *e, const Function *function); // a fresh innermost frame
void elab_pop(Elab *e);
const char *elab_text(Elab *e, Buf *buf); // the buffer's text in the arena; frees the buffer
// "; did you mean 'x'?" or "".
const char *elab_did_you_mean(Elab *e, Str typed, const char *const *names, size_t n);

// --- Objects (constexpr.c) ---

Obj obj_const(ConstValue constant); // a CONST_TUPLE becomes an OBJ_TUPLE: obj_from_const
Obj obj_from_const(Elab *e, const ConstValue *constant);
bool obj_to_const(Elab *e, const Obj *obj, ConstValue *constant); // false: not known now
Obj obj_int(int64_t i);
Obj obj_bool(bool b);
Obj obj_float(double f);
Obj obj_string(Elab *e, Str text);
Obj obj_type(const Type *type);
Obj obj_none(void);
Obj obj_type_of(Elab *e, const Obj *obj);                              // an OBJ_TYPE
static inline Obj obj_error(void) { return (Obj){.kind = OBJ_ERROR}; } // of what an error was given
Obj obj_value(Value *value);                                           // NULL gives an OBJ_ERROR
Obj obj_tuple(Elab *e, uint32_t n);                                    // of n errors, to be filled in
Obj obj_tuple_like(Elab *e, const Obj *tuple); // of as many elements, with its names
Obj obj_sized(Elab *e, Loc loc, Obj tuple); // counted; an error beyond ELAB_MAX_TUPLE elements
bool elab_field(Elab *e, const Obj *tuple, const char *name, Obj *obj); // of that name, or its method; false: none
static inline bool obj_is(const Obj *obj, ConstKind kind) {
  return obj->kind == OBJ_CONST && obj->constant.kind == kind;
}
bool obj_is_int(const Obj *obj);                   // or a bool, as Python's are integers
static inline bool obj_given(const Obj *obj) { return obj->kind != OBJ_ABSENT && !obj_is(obj, CONST_NONE); }
bool obj_is_number(const Obj *obj);                // a constexpr int, float or bool
bool obj_is_unread(const Obj *obj);                // of a library that is not read: nothing is known of it
bool obj_is_static(const Obj *obj);                // known now, to the last part of a tuple
bool obj_equal(const Obj *a, const Obj *b);        // the same constant or the same value
const char *obj_text(Elab *e, const Obj *obj);     // as Python prints it; run-time values by their type
const char *obj_describe(Elab *e, const Obj *obj); // for messages: "the string 'a'", "a tile of fp32[64]"
const char *type_text(Elab *e, const Type *type);
bool const_truth(Elab *e, const Obj *obj, bool *truth); // false: not known now
double const_number(const ConstValue *number);
bool const_fits(const ConstValue *number, Elem elem); // an int or bool, in an integer type
Elem const_elem(const ConstValue *number);            // the type of a number alone
// Python's operators on constexprs. Errors at `loc`.
Obj const_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a);
Obj const_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b);
Obj const_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b);

// --- Numbers with a type of their own (elab_number.c) ---

Elem obj_elem(const Obj *obj);                // of a number or a run-time value: its element type
Obj obj_typed(Elab *e, Obj obj);              // numbers, also those of a tuple, with the type they have alone
Obj obj_number_as(const Obj *obj, Elem elem); // a number converted as a cast does, and of that type
// Operators where both operands are known now and one has a type: computed in it, as at run time.
Obj typed_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a);
Obj typed_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b);
Obj typed_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b);

// --- Types (elab_types.c, elab_annotation.c) ---

typedef struct Pair {
  Value *a, *b; // of one type; both NULL after an error
} Pair;

typedef enum Promote {
  PROMOTE_PLAIN,
  PROMOTE_MOVE,     // elements are moved and not computed with: of fp8 too
  PROMOTE_DIVIDE,   // / // %
  PROMOTE_INTEGERS, // & | ^ << >>
} Promote;

// The type in which `what` computes with the two operands. False with an error where there is none.
bool elab_common(Elab *e, Loc loc, const char *what, Promote how, const Obj *a, const Obj *b, Elem *elem);
Promote elab_promotion(BinaryOp op);

// The operands of `what` ("+", "where") as values of one element type and shape.
Pair elab_promote(Elab *e, Loc loc, const char *what, Promote how, const Obj *a, const Obj *b);
// In which two integer types meet: the larger width wins; of one width, unsigned.
Elem elab_wider_int(Elem a, Elem b);
// As a run-time value. NULL with an error for what cannot be one. element NULL: the object's own type; else
// it is converted as a cast does: a number from the type that it has alone. `what` names the place.
Value *elab_value(Elab *e, Loc loc, const char *what, const Obj *obj, const Type *element);
Value *elab_quotient(Elab *e, Value *a, Value *b); // of numbers; with --fast-math the approximate one
// A literal straight in the element's type, which an integer must fit in; the rest as elab_value.
Value *elab_literal(Elab *e, Loc loc, const char *what, const Obj *obj, const Type *element);
// Between numbers; pointers to and from 64-bit integers. NULL: error.
Value *elab_cast(Elab *e, Loc loc, Value *value, const Type *element);
Value *elab_bitcast(Elab *e, Loc loc, Value *value, const Type *element);
Value *elab_splat_like(Elab *e, Value *scalar, const Type *like); // itself where `like` is no tile
// `scalar`, just made of `obj`, in the shape of `like`: a literal becomes one constant.
Value *elab_spread(Elab *e, const Obj *obj, Value *scalar, const Type *like);
Value *elab_truth(Elab *e, Loc loc, const char *what, const Obj *obj);     // i1, of its shape: whether not 0
Value *elab_condition(Elab *e, Loc loc, const char *what,
                      const Obj *obj); // a scalar i1; of a tile its only element
const Type *elab_scalar(Elab *e, Elem elem);
// A run-time parameter's annotation: its type, a tuple or a tensor descriptor in *param (PARAM_PLAIN without a
// type where it says nothing). Otherwise as elab_annotation.
bool elab_param_annotation(Elab *e, const Expr *annotation, ParamSpec *param, bool *is_constexpr);
// An annotation's type; is_constexpr where it says so.
// False with an error for a name that is no type. *type NULL: says nothing.
bool elab_annotation(Elab *e, const Expr *annotation, const Type **type, bool *is_constexpr);
// `x: tl.const`: a pointer, of whatever type the signature says, through which nothing is stored.
bool elab_annotates_const(const Expr *annotation);
const Type *elab_without_const(Elab *e, const Type *type); // NULL gives NULL
void elab_drop_const(Elab *e, Func *func);                 // const pointers become plain ones: it is checked

// --- Parameters of kernels (elab_params.c) ---

// What the parameter `path` ("t", "t[0]") is by its declaration and by what it is given (NULL: nothing is said of it),
// in *out. False with an error at `loc`.
bool elab_resolve_param(Elab *e, Loc loc, const char *path, const ParamSpec *declared, const ParamSpec *given,
                        ParamSpec *out);
uint32_t elab_param_leaves(const ParamSpec *param); // kernel parameters that it is
// Adds those; *n: how many there are. `taken`: the names of all parameters of the source.
void elab_declare_param(Elab *e, const char *name, Loc loc, const ParamSpec *param, FuncParam *params, uint32_t *n,
                        const Function *taken);
// What the parameter stands for, of the arguments from args[*n] on. `known`: for heuristics, with what is known at the
// launch.
Obj elab_param_value(Elab *e, const ParamSpec *param, Value *const *args, uint32_t *n, bool known);

// --- Grids (elab_grid.c) ---

// The expressions of the kernel's grid, and where it is said; false where there is none, or after an error.
bool elab_grid_sizes(Elab *e, const Function *function, ExprList *sizes, Loc *loc);
// Ends the region, in which the parameters are bound, with what they are.
void elab_grid_yield(Elab *e, HostRegion *grid, const ExprList *sizes, Loc loc);

// --- Shapes (elab_shape.c) ---

bool elab_check_tile(Elab *e, Loc loc, uint32_t rank, const uint64_t *shape);
// A shape of constexpr ints, checked.
bool elab_shape(Elab *e, Loc loc, const Obj *obj, uint32_t *rank, uint32_t shape[TILE_MAX_RANK]);
const char *elab_shape_text(Elab *e, uint32_t rank, const uint32_t *shape); // "[16, 64]"
// A new dimension of size 1 at `axis` (0 .. rank). Of a scalar: a tile of one element. NULL: error.
Value *elab_expand_dims(Elab *e, Loc loc, Value *value, uint32_t axis);
// NumPy's broadcasting of `n` values to one shape, in place; scalars take part. False with an error at `loc`
// that names both shapes, or silently where a value is NULL.
bool elab_broadcast(Elab *e, Loc loc, const char *what, uint32_t n, Value **values);
bool elab_broadcast2(Elab *e, Loc loc, const char *what, Value **a, Value **b);
bool elab_broadcast3(Elab *e, Loc loc, const char *what, Value **a, Value **b, Value **c);
// To a given shape; rank 0 leaves a scalar as it is. NULL: error.
Value *elab_broadcast_to(Elab *e, Loc loc, const char *what, Value *value, uint32_t rank,
                         const uint32_t *shape);

// --- Advice for errors (elab_hints.c, hints.def) ---

// What to write instead of "torch.exp", by its path; of triton.language's, a value's or Python's name that does not
// exist in kernels. NULL: nothing is known.
const char *elab_host_hint(Elab *e, const char *path);
const char *elab_tl_hint(const char *name);
const char *elab_method_hint(const char *name);
const char *elab_python_hint(const char *name);
// A note on an error that asks for a constexpr: which parameter of the kernel `obj` hangs on. Gives an OBJ_ERROR.
Obj elab_explain_runtime(Elab *e, Diag *diag, const Obj *obj);
const char *elab_value_name(const Elab *e, const Value *value); // as the kernel calls it; NULL: it has no name

// --- Expressions (elab_expr.c, elab_ops.c, elab_call.c) ---

Obj elab_expr(Elab *e, const Expr *expr);
Obj elab_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a);
Obj elab_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b);
Obj elab_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b);
Obj elab_logical(Elab *e, const Expr *expr);
Obj elab_compare_chain(Elab *e, const Expr *expr);
Obj elab_call(Elab *e, const Expr *call);
// Calls a function of the file, a lambda or a builtin with positional arguments: a combining function, say.
Obj elab_apply(Elab *e, Loc loc, const Obj *callee, uint32_t n, const Obj *args);
Obj elab_attribute(Elab *e, const Expr *expr);
Obj elab_attribute_of(Elab *e, const Expr *expr, Obj object); // where the object is known already
const char *elab_triton_name(Elem elem);        // "int32", "uint8", "fp16"
Obj elab_type_shape(Elab *e, const Type *type); // () of what is no tile
Obj elab_subscript(Elab *e, const Expr *expr);          // elab_subscript.c
bool elab_items(Elab *e, const Expr *expr, Obj *tuple); // a tuple or a range of constexprs, to run over
// Whether a clause's conditions hold; *good becomes false after an error.
bool elab_accepted(Elab *e, const CompClause *clause, bool *good);
Obj elab_comprehension(Elab *e, const Expr *expr); // elab_subscript.c: a tuple
// A dotted name as written, "the expression" for others.
const char *elab_expr_text(Elab *e, const Expr *expr);
// Binds a call's arguments to a builtin's parameters. False after errors.
bool elab_bind_builtin(Elab *e, const Expr *expr, const Obj *callee, Call *call);

// --- Names (elab_scope.c) ---

Obj elab_name(Elab *e, Loc loc, const char *name);
// What the file's module level says that the name is, whatever the specialisation says of it.
Obj elab_global_name(Elab *e, const char *name);
// A module of Triton by its dotted path, and the builtins (SCOPE_*) that can be reached from it.
bool elab_is_triton(const char *path);
uint32_t elab_namespace_scope(const char *path);
// path.name. False: nothing.
bool elab_namespace_member(Elab *e, const char *path, const char *name, Obj *obj);
// What one name of an import binds; errors at `loc`, where it is used.
Obj elab_imported(Elab *e, Loc loc, const Import *import, const ImportName *item);

// --- Builtins (builtins.c) ---

extern const Builtin builtin_table[];
extern const uint32_t builtin_count;
const Builtin *builtin_find(const char *name, uint32_t scope); // NULL: none. Any of the scope's bits
// An attribute of a block pointer or tensor descriptor (builtins_block.c); false where it has none of its own.
bool elab_block_attribute(Elab *e, const char *name, Value *block, Obj *obj);
const char *const *builtin_names(Elab *e, uint32_t scope, uint32_t *n);

// --- Statements (elab_stmt.c) ---

Flow elab_block(Elab *e, const Block *block, const Cont *rest);
Flow elab_rest(Elab *e, const Cont *rest); // runs what is left
Flow elab_if(Elab *e, const Stmt *stmt, uint32_t arm, const Cont *rest);
void elab_assign(Elab *e, const Expr *target, Obj obj);
void elab_bind(Elab *e, const char *name, Loc loc, Obj obj);
void elab_bind_quietly(Elab *e, const char *name, Loc loc, Obj obj); // gives the value no name
// A run-time check that ends the launch: `assert`, device_assert. `message` may be NULL or an OBJ_ABSENT.
void elab_assert(Elab *e, Loc loc, Loc condition_loc, const Obj *condition, const Obj *message);

// --- What names stand for now (elab_vars.c) ---

typedef struct Vars {
  Binding *at;
  uint32_t n;
} Vars;

Binding *elab_find(const Frame *frame, const char *name); // NULL: it is none of the function's
const Binding *elab_find_var(Vars vars, const char *name);
void elab_set_binding(Elab *e, const Binding *binding); // in the innermost frame
void elab_maybe_bound(Elab *e, const Binding *binding); // the name has a value on some ways only
Vars elab_save_vars(Elab *e);
void elab_restore_vars(Elab *e, Vars saved); // which were this frame's

// --- Names that a block assigns (elab_names.c) ---

typedef VEC(Name) AssignedNames;
void elab_assigned(Elab *e, const Block *block, AssignedNames *names); // each once, in order
void elab_assigned_by(Elab *e, const Stmt *stmt, AssignedNames *names);
// Of a loop's body: without branches that constexprs which the loop leaves alone rule out.
void elab_assigned_in_loop(Elab *e, const Block *body, AssignedNames *names);
void elab_prune(Elab *e, const Block *block);                // remembers its names for messages
void elab_bind_unknown(Elab *e, const AssignedNames *names); // to errors, so that their uses are silent

#endif
