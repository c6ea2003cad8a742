// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module level during elaboration: selects definitions of names and decides conditions.
#ifndef FRONTEND_MODULE_ELAB_MODULE_H
#define FRONTEND_MODULE_ELAB_MODULE_H

#include "frontend/elaborate/elaborate.h"

// --- A file's definitions (elab_module.c) ---

// The file's definition of `name`, as visible to the innermost frame. False: none. If several remain
// possible, the error names them and their conditions.
bool elab_own_name(Elab *e, Loc loc, const char *name, Obj *obj);
// The object of definition `at` of the file for `name`. Errors are at `loc` (elab_definition.c).
Obj elab_definition_value(Elab *e, Loc loc, const Module *module, uint32_t at, const char *name);
// The object that another file binds the name to. False: none.
bool elab_file_member(Elab *e, Loc loc, const Module *file, const char *name, Obj *obj);
// The object that `from m import *` binds the name to; `item` is the star. m is a file, or a module of Triton
// or Python. False: it binds nothing.
bool elab_star_member(Elab *e, Loc loc, const Import *import, const ImportName *item, const char *name,
                      Obj *obj);
// A module that an import makes a member of another module: `import a.b` makes a.b. False: there is none.
bool elab_module_below(Elab *e, const Obj *object, const char *name, Obj *obj);
// The expression last assigned to the name, unevaluated. NULL if that is not decided.
const Expr *elab_assigned_expr(Elab *e, const char *name);
// A function of the file by its name, or by a qualified name ("Model.forward.kernel"). NULL with an error if
// several remain possible, NULL without an error if there is none.
const Function *elab_function(Elab *e, const Module *module, const char *name);
// True if an entry with that name is this function, as far as conditions are decided.
bool elab_is_current(Elab *e, const Module *module, const Function *function);
// PARAM_LOADED and similar flags: one word for each parameter (param_use.c). depth: 0.
uint32_t *elab_param_uses(Elab *e, const Function *function, int depth);
void elab_grid_use(Elab *e, const Function *function, uint32_t *uses, GridUse *grid);
// "Model.forward.kernel".
const char *elab_qualified_name(Elab *e, const Function *function);
// True if -D may set the name: the module level of a file that is read has it.
bool elab_is_module_name(Elab *e, const char *name);

// --- Named tuples (elab_named.c) ---

bool elab_is_field(const Stmt *stmt); // of a class
// The class in an STMT_OUTSIDE. False if it is not a class of named tuples.
bool elab_named_class(Elab *e, const Stmt *stmt, Obj *obj);
// The same for a class that @dataclass makes, on the host. Its objects are named tuples.
bool elab_data_class(Elab *e, const Module *module, const Stmt *outside, Obj *obj);
// The same for a class that @triton.aggregate makes: with methods (elab_aggregate.c).
bool elab_aggregate_class(Elab *e, const Module *module, const Stmt *outside, Obj *obj);
// aggregate_replace: the first argument is the object, the others are fields by name. `text`: of the call.
Obj elab_replace_fields(Elab *e, Loc loc, const char *text, const GivenArgs *given);
Obj elab_named_call(Elab *e, const Expr *call); // a call of collections.namedtuple or typing.NamedTuple
Obj elab_make_named(Elab *e, Loc loc, const NamedTuple *class, const GivenArgs *given);

// --- Configurations (autotune.c, decorators.c) ---

// All of @autotune (autotune.c). False, with a remark: there is none, or it cannot be evaluated. prunes:
// apply prune_configs_by, which sees Elab.known.
bool elab_tunables(Elab *e, const Function *function, bool prunes, Autotune *autotune);
// The argument with that name, or at that position; NULL: none.
const Expr *elab_argument(const Expr *call, const char *name, uint32_t position);
Obj elab_apply_given(Elab *e, Loc loc, const Obj *function, const GivenArgs *given); // an OBJ_FUNCTION

// Values from @autotune's first configuration and @heuristics, for constexprs that `spec` and defaults leave
// open.
typedef struct Config {
  VEC(Constexpr) constexprs;
  uint32_t num_warps, num_stages, maxnreg; // 0: not given
} Config;

void elab_autotune(Elab *e, const Function *function, Config *config);
bool elab_has_heuristic(Elab *e, const Function *function, const char *name);
// Evaluates, in order, every heuristic whose constexpr is not yet in Elab.known, and adds it there.
void elab_heuristics(Elab *e, const Function *function);
// The result that facts of a run-time operand give within a heuristic: n % 16 is 0.
bool elab_fact(const Elab *e, BinaryOp op, const Obj *a, const Obj *b, Obj *result);
// args["NAME"] within a heuristic.
Obj elab_heuristic_arg(Elab *e, Loc loc, const char *name);
extern const char elab_args_path[]; // the namespace that is a heuristic's parameter
bool elab_is_decorator(const Expr *decorator, const char *name); // by the last part of its name
// Finds a decorator by the last part of its name; NULL: none.
const Expr *elab_decorator(const Function *function, const char *name);

// --- Conditions of the module level (elab_truth.c) ---

Truth elab_guard_truth(Elab *e, const Module *module, const Guard *guard);
// The innermost undecided clause.
const Guard *elab_undecided(Elab *e, const Module *module, const Guard *guard);
// A name whose -D value would decide the clause; NULL: none. *import: the name is imported by a `try`, and
// its value decides if the import works.
const char *elab_deciding_name(Elab *e, const Module *module, const Guard *guard, bool *import);
// The -D value of a name of the module level; NULL: none.
const ConstValue *elab_given_value(const Elab *e, const char *name);
// Evaluates without errors and ops, with the first `visible` definitions of the file. False: not possible.
bool elab_quietly(Elab *e, const Module *module, uint32_t visible, const Expr *expr, Obj *obj);

// Decides if importing one name fails, from the contents of Triton 3.6 and of every Python.
Truth elab_import_fails(Elab *e, const Import *import, const ImportName *item);

// Marks the messages so far. If there were errors since, take_back drops all messages since then and returns
// true.
typedef struct Said {
  uint32_t errors, raised, warnings, n;
} Said;
Said elab_said(const Elab *e);
bool elab_take_back(Elab *e, const Said *before);

// --- Python's modules at the module level (elab_python.c) ---

#define TRITON_VERSION_TEXT "3.6.0" // the version that defines the language
#define CUDA_VERSION_TEXT   "12.8"  // the version of the CUDA tools in that Triton
// Modules of that Triton and their members, whether or not tilec has them.
bool triton_has_module(const char *path);
bool triton_has_member(const char *path, const char *name);
bool triton_lists_members(const char *path); // triton_has_member knows them all
bool python_has_module(const char *path);    // in every Python that Triton 3.6 supports
// A member of sys, os, typing, packaging.version. False: not a known one.
bool python_member(Elab *e, Loc loc, const char *path, const char *name, Obj *obj);
// A call of one of their functions. False: not a known one.
bool python_call(Elab *e, const Expr *call, const char *path, Obj *obj);

// --- Answers of host libraries (elab_host.c) ---

// True outside kernels: at the module level, in decorators, in constexpr functions.
bool elab_on_host(const Elab *e);
// Like the two functions for Python's modules, but only on the host.
bool host_member(Elab *e, const char *path, const char *name, Obj *obj);
bool host_call(Elab *e, const Expr *call, const char *path, Obj *obj);
// A Python function that a kernel cannot call (elab_pyfunc.c).
bool host_has_function(const char *name);
Obj host_function(Elab *e, const Expr *call, const char *name);
// In a kernel: a function of Python's math on known numbers. False: another call.
bool host_constant(Elab *e, const Expr *call, Obj *obj);
// Calls that make lists, dictionaries and triton.Config (elab_list.c), only on the host. False: another call.
bool host_makes_list(Elab *e, const Expr *call, Obj *obj);
#define ITERTOOLS_PRODUCT "itertools.product"
bool host_product(Elab *e, const Expr *call, const char *path, Obj *obj);
Obj elab_dict(Elab *e, const Expr *expr); // a named tuple with Obj.items.dict
// A dictionary of (key, value) pairs. The last value of a key wins.
Obj elab_dict_of(Elab *e, Loc loc, const Obj *pairs);
// The name of a known key in a dictionary: a string, an integer, None, a tuple of these. NULL: another key.
const char *elab_key_name(Elab *e, const Obj *key);
Obj elab_dict_keys(Elab *e, const Obj *dict);
// A call of functools.reduce or of a function of operator (elab_functional.c). False: another call.
bool functional_call(Elab *e, const Expr *call, const char *path, Obj *obj);
bool functional_has(const char *path);
// max() and min() of a list or of values, with key=. False: without a key.
bool host_extreme(Elab *e, const Expr *call, Obj *obj);
// d["key"] = x and l[0] = x for a name that the function has bound. False: another target.
bool host_set_item(Elab *e, const Expr *target, const Obj *value);
// A method of a known number, or of the classes float and int (elab_pynumber.c); in kernels too. False:
// another call.
bool elab_number_call(Elab *e, const Expr *call, const Obj *number, Obj *obj);
bool elab_number_member(const Obj *number, const char *name, Obj *obj); // x.real and similar
// A method of a string.
Obj elab_text_call(Elab *e, const Expr *call, const char *text);

// --- Queries about the machine through unread libraries (elab_machine.c) ---

// A call without arguments that asks about the machine: evaluated, or answered by its name. False: another
// call.
bool machine_answers(Elab *e, const Expr *call, Obj (*evaluate)(Elab *e, const Expr *call), Obj *obj);
bool machine_spec_member(Elab *e, const char *path, const char *name, Obj *obj);
Obj machine_module_from_spec(Elab *e, const Expr *call, const Obj *spec);
Obj machine_import(Elab *e, const Expr *call, const char *module);    // importlib.import_module(module)
Obj machine_find_spec(Elab *e, const Expr *call, const char *module); // importlib.util.find_spec(module)
// True if the assigned value depends on Triton being found.
bool machine_asks_for_triton(const Definition *definition);

// --- Loops of the module level (elab_module_loop.c) ---

// The outermost loop around the clause `guard`, if it can be run. NULL: there is none, or it cannot.
const Guard *elab_loop_around(Elab *e, const Module *module, const Guard *guard);
// The value that the loop around a definition leaves for its name. False: not known.
bool elab_loop_value(Elab *e, const Module *module, const Definition *definition, Obj *obj);
struct ModuleLoop {
  const Guard *guard;
  bool runs;         // false also while it runs
  VEC(Binding) vars; // its assigned names, after it
};

// --- Members that the module level sets (elab_patch.c) ---

struct Patch {
  const Module *file; // NULL: a library
  const char *path, *name;
  Obj value; // OBJ_ERROR: not known
};

// False: the object is not a module.
bool elab_set_member(Elab *e, const Obj *object, const char *name, Obj value);
// Runs the module level's statements that set members. Looks for `name` of the module among them.
bool elab_set_already(Elab *e, Loc loc, const Obj *object, const char *name, Obj *obj);

// --- Python's own functions of a file (elab_plain.c) ---

bool elab_given_args(Elab *e, const Expr *call, GivenArgs *given); // evaluates a call's arguments; false
                                                                   // after errors
// A function that was called or made.
struct PlainFunction {
  const void *origin;       // the source that it was parsed from, or the function that it copies
  const Function *function; // NULL: it cannot be called
};

// On the host: the function of the statement. False: it cannot be called.
bool elab_plain_function(Elab *e, const Module *module, const Stmt *outside, Obj *obj);
// On the host: the fields of a class, such as an enumeration, that are known. False: none.
bool elab_plain_class(Elab *e, const Module *module, const Stmt *outside, Obj *obj);
// The result of triton.jit(f): a version of f that kernels can call.
const Function *elab_unplain(Elab *e, const Function *plain);
Obj elab_refuse_plain(Elab *e, Loc loc, const char *name, Loc defined);
// `import`, `try` and `while` inside such functions.
void elab_local_import(Elab *e, const Import *import);
Flow elab_attempt(Elab *e, const Stmt *stmt, const Cont *rest);
Flow elab_host_while(Elab *e, const Stmt *stmt, const Cont *rest);

#endif
