// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module level within elaboration: which definition of a name holds, what conditions are decided by.
#ifndef FRONTEND_MODULE_ELAB_MODULE_H
#define FRONTEND_MODULE_ELAB_MODULE_H

#include "frontend/elaborate/elaborate.h"

// --- A file's definitions (elab_module.c) ---

// What the file defines as `name`, as far as the innermost frame sees it. False: nothing. Where several definitions
// remain possible the error names them, and the conditions.
bool elab_own_name(Elab *e, Loc loc, const char *name, Obj *obj);
// What definition `at` of the file gives for `name`, errors at `loc` (elab_definition.c).
Obj elab_definition_value(Elab *e, Loc loc, const Module *module, uint32_t at, const char *name);
// What another file binds the name to. False: nothing.
bool elab_file_member(Elab *e, Loc loc, const Module *file, const char *name, Obj *obj);
// Gives what `from m import *` binds the name to; `item` is the star. m is a file, or a module of Triton or Python.
// False: it binds nothing.
bool elab_star_member(Elab *e, Loc loc, const Import *import, const ImportName *item, const char *name, Obj *obj);
// A module that an import makes a member of another module: `import a.b` has a.b. False: there is none.
bool elab_module_below(Elab *e, const Obj *object, const char *name, Obj *obj);
// The expression that the name was last assigned, unevaluated; NULL where that is not decided.
const Expr *elab_assigned_expr(Elab *e, const char *name);
// A function of the file by its name, or with the functions and classes around it ("Model.forward.kernel"): NULL
// with an error where several remain possible, NULL alone where there is none.
const Function *elab_function(Elab *e, const Module *module, const char *name);
// Whether an entry of that name is this function, as far as conditions are decided.
bool elab_is_current(Elab *e, const Module *module, const Function *function);
// PARAM_LOADED, PARAM_STORED, one word a parameter (param_use.c). depth: 0.
uint32_t *elab_param_uses(Elab *e, const Function *function, int depth);
// "Model.forward.kernel".
const char *elab_qualified_name(Elab *e, const Function *function);
// Whether -D may give the name's value: the module level of a file that is read has it.
bool elab_is_module_name(Elab *e, const char *name);

// --- Named tuples (elab_named.c) ---

// The class of the file that STMT_OUTSIDE is; false where it is none of named tuples.
bool elab_named_class(Elab *e, const Stmt *stmt, Obj *obj);
// The same of a class that @dataclass makes, on the host: its objects are named tuples.
bool elab_data_class(Elab *e, const Module *module, const Stmt *outside, Obj *obj);
Obj elab_named_call(Elab *e, const Expr *call); // of collections.namedtuple or typing.NamedTuple
Obj elab_make_named(Elab *e, Loc loc, const NamedTuple *class, const GivenArgs *given);

// --- Configurations (autotune.c, decorators.c) ---

// All of @autotune's (autotune.c). False, with a remark: there is none, or it cannot be evaluated. prunes: prune_configs_by is
// applied, which sees Elab.known.
bool elab_tunables(Elab *e, const Function *function, bool prunes, Autotune *autotune);
// The argument of that name, or at that position; NULL: none.
const Expr *elab_argument(const Expr *call, const char *name, uint32_t position);
Obj elab_apply_given(Elab *e, Loc loc, const Obj *function, const GivenArgs *given); // an OBJ_FUNCTION

// Values for constexprs from @autotune's first configuration
// and @heuristics, which `spec` and defaults leave open.
typedef struct Config {
  VEC(Constexpr) constexprs;
  uint32_t num_warps, num_stages, maxnreg; // 0: not given
} Config;

void elab_autotune(Elab *e, const Function *function, Config *config);
bool elab_has_heuristic(Elab *e, const Function *function, const char *name);
// Evaluates every heuristic whose constexpr Elab.known has not yet, in order, and puts it there.
void elab_heuristics(Elab *e, const Function *function);
// What the facts say of a run-time operand within a heuristic: n % 16 is 0.
bool elab_fact(const Elab *e, BinaryOp op, const Obj *a, const Obj *b, Obj *result);
// args["NAME"] within a heuristic.
Obj elab_heuristic_arg(Elab *e, Loc loc, const char *name);
extern const char elab_args_path[]; // the namespace that a heuristic's parameter stands for
bool elab_is_decorator(const Expr *decorator, const char *name); // by the last part of its name
// By the last part of its name; NULL: none.
const Expr *elab_decorator(const Function *function, const char *name);

// --- Conditions of the module level (elab_truth.c) ---

Truth elab_guard_truth(Elab *e, const Module *module, const Guard *guard);
// The innermost clause that is not decided.
const Guard *elab_undecided(Elab *e, const Module *module, const Guard *guard);
// A name whose value, given by -D, would decide the clause; NULL: none. *import: what a `try` imports, where the
// value says whether that works.
const char *elab_deciding_name(Elab *e, const Module *module, const Guard *guard, bool *import);
// What -D gives a name of the module level; NULL: nothing.
const ConstValue *elab_given_value(const Elab *e, const char *name);
// Evaluates without errors and without ops, with the first `visible` definitions of the file. False: it cannot be.
bool elab_quietly(Elab *e, const Module *module, uint32_t visible, const Expr *expr, Obj *obj);

// Whether an import of one name fails, by what Triton 3.6 and every Python have.
Truth elab_import_fails(Elab *e, const Import *import, const ImportName *item);

// What was said so far; take_back drops what was said since, where there were errors, and says so.
typedef struct Said {
  uint32_t errors, raised, warnings, n;
} Said;
Said elab_said(const Elab *e);
bool elab_take_back(Elab *e, const Said *before);

// --- What Python's modules give at the module level (elab_python.c) ---

#define TRITON_VERSION_TEXT "3.6.0" // whose language this is
#define CUDA_VERSION_TEXT "12.8"    // whose tools that Triton brings
// Modules of that Triton, and their members, whether tilec gives them or not.
bool triton_has_module(const char *path);
bool triton_has_member(const char *path, const char *name);
bool triton_lists_members(const char *path); // triton_has_member knows them all
bool python_has_module(const char *path);    // in every Python that Triton 3.6 runs with
// A member of sys, os, typing, packaging.version; false: not one that is known.
bool python_member(Elab *e, Loc loc, const char *path, const char *name, Obj *obj);
// A call of one of their functions; false: not one that is known.
bool python_call(Elab *e, const Expr *call, const char *path, Obj *obj);

// --- What host libraries answer (elab_host.c) ---

// Outside of kernels: at the module level, in decorators, in constexpr functions.
bool elab_on_host(const Elab *e);
// As the two of Python's modules, on the host alone.
bool host_member(Elab *e, const char *path, const char *name, Obj *obj);
bool host_call(Elab *e, const Expr *call, const char *path, Obj *obj);
// A function of Python's own that a kernel cannot call (elab_pyfunc.c).
bool host_has_function(const char *name);
Obj host_function(Elab *e, const Expr *call, const char *name);
// In a kernel: a function of Python's math, of numbers that are known now. False: another call.
bool host_constant(Elab *e, const Expr *call, Obj *obj);
// What makes lists, dictionaries and triton.Config (elab_list.c), on the host alone. False: another call.
bool host_makes_list(Elab *e, const Expr *call, Obj *obj);
#define ITERTOOLS_PRODUCT "itertools.product"
bool host_product(Elab *e, const Expr *call, const char *path, Obj *obj);
Obj elab_dict(Elab *e, const Expr *expr); // a named tuple with Obj.items.dict
// A dictionary of the pairs (key, value); the last of a key wins.
Obj elab_dict_of(Elab *e, Loc loc, const Obj *pairs);
// What a dictionary calls a key that is known: a text, a number that is an integer, None, a tuple of these. NULL: another.
const char *elab_key_name(Elab *e, const Obj *key);
Obj elab_dict_keys(Elab *e, const Obj *dict);
// A call of functools.reduce or of a function of operator (elab_functional.c). False: of another.
bool functional_call(Elab *e, const Expr *call, const char *path, Obj *obj);
bool functional_has(const char *path);
// max() and min() of a list or of values, by key=. False: without a key.
bool host_extreme(Elab *e, const Expr *call, Obj *obj);
// d["key"] = x, l[0] = x of a name that the function has bound. False: of something else.
bool host_set_item(Elab *e, const Expr *target, const Obj *value);
// A method of a number that is known now, or of the classes float and int (elab_pynumber.c); in kernels too. False: another call.
bool elab_number_call(Elab *e, const Expr *call, const Obj *number, Obj *obj);
bool elab_number_member(const Obj *number, const char *name, Obj *obj); // x.real and its kind
// A method of a string.
Obj elab_text_call(Elab *e, const Expr *call, const char *text);

// --- What files ask of the machine through libraries that are not read (elab_machine.c) ---

// A call without arguments that asks what machine this is: evaluated, or answered by its name. False: it is none.
bool machine_answers(Elab *e, const Expr *call, Obj (*evaluate)(Elab *e, const Expr *call), Obj *obj);
bool machine_spec_member(Elab *e, const char *path, const char *name, Obj *obj);
Obj machine_module_from_spec(Elab *e, const Expr *call, const Obj *spec);
Obj machine_import(Elab *e, const Expr *call, const char *module); // importlib.import_module(module)
Obj machine_find_spec(Elab *e, const Expr *call, const char *module); // importlib.util.find_spec(module)
// Whether what is assigned says whether Triton was found.
bool machine_asks_for_triton(const Definition *definition);

// --- Loops of the module level (elab_module_loop.c) ---

// The outermost loop around what `guard` is of, where it can be run; NULL: there is none, or it cannot be.
const Guard *elab_loop_around(Elab *e, const Module *module, const Guard *guard);
// The value that the loop around a definition leaves for its name. False: it is not known.
bool elab_loop_value(Elab *e, const Module *module, const Definition *definition, Obj *obj);
struct ModuleLoop {
  const Guard *guard;
  bool runs; // false while it is run, too
  VEC(Binding) vars; // what it assigns, after it
};

// --- Members that modules are given (elab_patch.c) ---

struct Patch {
  const Module *file; // NULL: of a library
  const char *path, *name;
  Obj value; // OBJ_ERROR: not known
};

// False: the object is no module.
bool elab_set_member(Elab *e, const Obj *object, const char *name, Obj value);
// Runs the statements of the module level that set members, and looks whether `name` of the module is one of these.
bool elab_set_already(Elab *e, Loc loc, const Obj *object, const char *name, Obj *obj);

// --- Python's own functions of a file (elab_plain.c) ---

bool elab_given_args(Elab *e, const Expr *call, GivenArgs *given); // a call's, evaluated; false after errors
// Of those that were called or made.
struct PlainFunction {
  const void *origin;       // what it was parsed from, or the function that it is a copy of
  const Function *function; // NULL: it cannot be called
};

// On the host: the function that the statement is. False: it is none that can be called.
bool elab_plain_function(Elab *e, const Module *module, const Stmt *outside, Obj *obj);
// On the host: the fields of a class that are known, an enumeration's say. False: there are none.
bool elab_plain_class(Elab *e, const Module *module, const Stmt *outside, Obj *obj);
// What triton.jit(f) is: f, which kernels call.
const Function *elab_unplain(Elab *e, const Function *plain);
Obj elab_refuse_plain(Elab *e, Loc loc, const char *name, Loc defined);
// `import`, `try` and `while` within such functions.
void elab_local_import(Elab *e, const Import *import);
Flow elab_attempt(Elab *e, const Stmt *stmt, const Cont *rest);
Flow elab_host_while(Elab *e, const Stmt *stmt, const Cont *rest);

#endif
