// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elaboration's own header: the abstract interpreter that runs a kernel's syntax tree and writes tile IR.
//
// An expression evaluates to an Obj: what is known now (a constexpr, a tuple, a function ...) or an IR value.
// Statements bind Objs to names in the Frame of the function being run; a call runs the callee's body in a
// Frame of its own, which inlines it.
//
//   elaborate.c       a kernel: parameters, body, grid          elab_stmt.c   statements, assignment, early
//   return elab_flow.c       run-time if and for, carried variables    elab_expr.c   names, attributes,
//   subscripts elab_ops.c        operators                                 elab_types.c  promotion,
//   broadcasting, casts elab_call.c       argument binding, inlining                constexpr.c   Python's
//   arithmetic builtins*.c,.def  the language's functions                  entries.c     signatures
//   decorators.c  autotune, heuristics
#ifndef FRONTEND_ELABORATE_H
#define FRONTEND_ELABORATE_H

#include "frontend/frontend.h"
#include "ir/build.h"

enum {
  ELAB_MAX_DEPTH = 1100,   // expressions, blocks and calls within one another
  ELAB_MAX_CALLS = 64,     // calls within one another
  ELAB_MAX_STEPS = 400000, // expressions and statements run, unrolling and inlining counted
  ELAB_MAX_UNROLL = 4096,  // iterations of one static_range
  ELAB_MAX_PRINTS = 256,   // remarks of static_print
};

typedef struct Elab Elab;
typedef struct Builtin Builtin;
typedef struct Obj Obj;

typedef enum ObjKind {
  OBJ_ERROR,     // of an erroneous expression; an error was given, its users are silent
  OBJ_ABSENT,    // an optional argument that was not given
  OBJ_CONST,     // constant: number, bool, string, None, dtype (never a tuple; `x.type` may be a tile type)
  OBJ_VALUE,     // value: known at run time
  OBJ_TUPLE,     // items
  OBJ_FUNCTION,  // function: of the file
  OBJ_BUILTIN,   // builtin; self where it is a bound method
  OBJ_NAMESPACE, // path: "triton.language"
} ObjKind;

struct Obj {
  ObjKind kind;
  union {
    ConstValue constant;
    Value *value;
    struct {
      Obj *at;
      uint32_t n;
    } items;
    const Function *function;
    struct {
      const Builtin *builtin;
      const Obj *self;
    };
    const char *path;
  };
};

// A name's present meaning.
typedef struct Binding {
  const char *name; // interned
  Obj obj;
  Loc loc;    // where it was assigned
  bool maybe; // assigned on some of the ways that lead here only: an error to use
} Binding;

// A function being run.
typedef struct Frame {
  const Function *function; // NULL: module constants, decorators
  struct Frame *outer;      // the caller
  uint16_t call;            // Loc.call of everything inside
  VEC(Binding) vars;
  VEC(Name) pruned;   // names that branches not taken assign
  uint32_t constants; // how many of the module's constants are visible
  uint32_t loops;     // run-time loops around
  uint32_t unrolled;  // unrolled loops around
  bool grid;          // parameters read as i64
  Obj result;         // what was returned
  Loc result_loc;
} Frame;

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
  VEC(Binding)
  known; // parameters as far as they are resolved, for heuristics: absent where known at run time only
  uint32_t depth, calls, steps, prints;
  bool stopped; // a limit was passed: unwinds without further errors
};

// A call of a builtin, its arguments by parameter.
typedef struct Call {
  Loc loc;          // the call
  const char *text; // the callee as written: "tl.load"
  Obj *args;        // OBJ_ABSENT where not given
  Loc *locs;        // of the arguments; the call's own where not given
  Obj *rest;        // what a *parameter took
  uint32_t rest_count;
} Call;

enum { SCOPE_TL = 1, SCOPE_LIB = 2, SCOPE_PY = 4, SCOPE_METHOD = 8 };

struct Builtin {
  const char *name;
  uint32_t scope; // where it can be reached from: SCOPE_*
  const char *
      params; // names, in order; "?" after optional ones, "*" before one that takes the rest; NULL: not built
  Obj (*run)(Elab *e, Call *call); // NULL: not built yet
};

typedef enum Flow { FLOW_NEXT, FLOW_RETURN } Flow;

// What is left to run after a block: the rest of the blocks around it, innermost first.
typedef struct Cont {
  const Block *block;
  uint32_t at;
  const struct Cont *next;
} Cont;

// --- elaborate.c: the context ---

Loc elab_loc(const Elab *e, Loc loc); // within the present call
Obj elab_error(Elab *e, Loc loc, const char *format, ...)
    __attribute__((format(printf, 3, 4))); // an OBJ_ERROR
bool elab_enter(Elab *e, Loc loc); // one level deeper, one step more; false with an error past a limit
void elab_leave(Elab *e);
Frame *elab_push(Elab *e, const Function *function); // a fresh innermost frame
void elab_pop(Elab *e);
const char *elab_text(Elab *e, Buf *buf); // the buffer's text in the arena; frees the buffer
const char *elab_did_you_mean(Elab *e, Str typed, const char *const *names,
                              size_t n); // "; did you mean 'x'?" or ""

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
Obj obj_value(Value *value);        // NULL gives an OBJ_ERROR
Obj obj_tuple(Elab *e, uint32_t n); // of n errors, to be filled in
static inline bool obj_is(const Obj *obj, ConstKind kind) {
  return obj->kind == OBJ_CONST && obj->constant.kind == kind;
}
static inline bool obj_given(const Obj *obj) { return obj->kind != OBJ_ABSENT && !obj_is(obj, CONST_NONE); }
bool obj_is_number(const Obj *obj);                // a constexpr int, float or bool
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

// --- Types (elab_types.c) ---

typedef struct Pair {
  Value *a, *b; // of one type; both NULL after an error
} Pair;

typedef enum Promote {
  PROMOTE_PLAIN,
  PROMOTE_DIVIDE,
  PROMOTE_INTEGERS
} Promote; // DIVIDE: / and %; INTEGERS: & | ^ << >>

// The operands of `what` ("+", "where") as values of one element type and shape.
Pair elab_promote(Elab *e, Loc loc, const char *what, Promote how, const Obj *a, const Obj *b);
// As a run-time value. NULL with an error for what cannot be one. element NULL: the object's own type. `what`
// names the place.
Value *elab_value(Elab *e, Loc loc, const char *what, const Obj *obj, const Type *element);
Value *elab_cast(Elab *e, Loc loc, Value *value,
                 const Type *element); // numeric; pointers to and from 64-bit integers. NULL: error
Value *elab_bitcast(Elab *e, Loc loc, Value *value, const Type *element);
bool elab_broadcast(Elab *e, Loc loc, const char *what, uint32_t n, Value **values); // to one shape, in place
Value *elab_splat_like(Elab *e, Value *scalar, const Type *like); // itself where `like` is no tile
// `scalar`, just made of `obj`, in the shape of `like`: a literal becomes one constant.
Value *elab_spread(Elab *e, const Obj *obj, Value *scalar, const Type *like);
Value *elab_condition(Elab *e, Loc loc, const char *what, const Obj *obj); // a scalar i1
const Type *elab_scalar(Elab *e, Elem elem);
bool elab_shape(Elab *e, Loc loc, const Obj *obj, uint32_t *rank,
                uint32_t shape[TILE_MAX_RANK]); // constexpr ints, checked
bool elab_check_tile(Elab *e, Loc loc, uint32_t rank, const uint64_t *shape);
// An annotation's type; is_constexpr where it says so. False with an error for a name that is no type. *type
// NULL: says nothing.
bool elab_annotation(Elab *e, const Expr *annotation, const Type **type, bool *is_constexpr);

// --- Expressions (elab_expr.c, elab_ops.c, elab_call.c) ---

Obj elab_expr(Elab *e, const Expr *expr);
Obj elab_unary(Elab *e, Loc loc, UnaryOp op, const Obj *a);
Obj elab_binary(Elab *e, Loc loc, BinaryOp op, const Obj *a, const Obj *b);
Obj elab_compare(Elab *e, Loc loc, CompareOp op, const Obj *a, const Obj *b);
Obj elab_logical(Elab *e, const Expr *expr);
Obj elab_compare_chain(Elab *e, const Expr *expr);
Obj elab_call(Elab *e, const Expr *call);
Obj elab_attribute(Elab *e, const Expr *expr);
Obj elab_name(Elab *e, Loc loc, const char *name);
const char *elab_expr_text(Elab *e,
                           const Expr *expr); // a dotted name as written; "the expression" for others
const Function *elab_find_function(const Module *module, const char *name);
// Binds a call's arguments to a builtin's parameters. False after errors.
bool elab_bind_builtin(Elab *e, const Expr *expr, const Obj *callee, Call *call);

// --- Builtins (builtins.c) ---

extern const Builtin builtin_table[];
extern const uint32_t builtin_count;
const Builtin *builtin_find(const char *name, uint32_t scope); // NULL: none. Any of the scope's bits
const char *const *builtin_names(Elab *e, uint32_t scope, uint32_t *n);

// --- Statements (elab_stmt.c) ---

Flow elab_block(Elab *e, const Block *block, const Cont *rest);
Flow elab_rest(Elab *e, const Cont *rest); // runs what is left
Flow elab_if(Elab *e, const Stmt *stmt, uint32_t arm, const Cont *rest);
void elab_for(Elab *e, const Stmt *stmt, Flow *flow);
void elab_assign(Elab *e, const Expr *target, Obj obj);
void elab_bind(Elab *e, const char *name, Loc loc, Obj obj);
void elab_bind_quietly(Elab *e, const char *name, Loc loc, Obj obj); // gives the value no name
Binding *elab_find(const Frame *frame, const char *name);
typedef VEC(Name) AssignedNames;
void elab_assigned(Elab *e, const Block *block, AssignedNames *names); // each once, in order
bool elab_has_return(const Block *block);

// --- Run-time control flow (elab_flow.c) ---

Flow elab_run_if(Elab *e, const Stmt *stmt, uint32_t arm, Value *condition, const Cont *rest);
Obj elab_run_conditional(Elab *e, const Expr *expr, Value *condition);
void elab_run_for(Elab *e, const Stmt *stmt, Value *lower, Value *upper, Value *step);

// --- Decorators (decorators.c) ---

// Values for constexprs from @autotune's first configuration and @heuristics, which `spec` and defaults leave
// open.
typedef struct Config {
  VEC(Constexpr) constexprs;
  uint32_t num_warps, num_stages, maxnreg; // 0: not given
} Config;

void elab_autotune(Elab *e, const Function *function, Config *config);
// The heuristic of constexpr `name`; *found where there is one, false with an error where it cannot be
// evaluated.
bool elab_heuristic(Elab *e, const Function *function, const char *name, ConstValue *value, bool *found);
// args["NAME"] within a heuristic.
Obj elab_heuristic_arg(Elab *e, Loc loc, const char *name);
extern const char elab_args_path[]; // the namespace that a heuristic's parameter stands for
const Expr *elab_decorator(const Function *function,
                           const char *name); // the last part of its name; NULL: none

#endif
