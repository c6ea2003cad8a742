// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the syntax tree and a specialisation to tile IR: evaluates constexprs, prunes branches on them,
// inlines called functions.
#ifndef FRONTEND_FRONTEND_H
#define FRONTEND_FRONTEND_H

#include "frontend/syntax/syntax.h"
#include "ir/ir.h"

// A parameter in a kernel's signature before specialisation. The command line and the runtime match arguments
// with it.
typedef struct KernelParam {
  const char *name;      // interned
  const Type *type;      // annotated type; NULL: none
  const ParamSpec *wide; // annotated as a tuple or tensor descriptor (`type` is NULL); else NULL
  bool is_constexpr;
  bool has_default;
  ConstValue default_value; // If has_default and the default could be evaluated.
  bool in_heuristic;        // A run-time parameter whose value @heuristics may read
  bool in_key;              // @autotune's key names it, and it is not a constexpr.
  bool any_value;           // `jit`'s do_not_specialize names it: launches derive no facts from its value
  bool any_alignment;       // do_not_specialize_on_alignment names it: not whether 16 divides the value.
  Loc loc;
} KernelParam;

typedef struct KernelInfo {
  const char *name; // interned
  const char *path; // its name for --kernel, with enclosing functions if several kernels have the name
  Loc loc;
  KernelParam *params;
  uint32_t param_count;
  bool has_grid;
} KernelInfo;

// The entries of a module (language.md, Files). These are the @kernel functions. If there is none, they are
// the @jit functions that no other function of the file calls. Errors, such as a bad annotation, go to
// ir->diags. `spec`, which may be NULL, has values for names of the module level.
uint32_t frontend_entries(IrContext *ir, const Module *module, const Spec *spec, KernelInfo **kernels);
// Any function by name. NULL if there is none, or with an error if several remain possible.
const KernelInfo *frontend_kernel(IrContext *ir, const Module *module, const Spec *spec, const char *name);
// The kernel that `spec` names, or the file's only one. NULL if there is none, with or without an error.
const KernelInfo *frontend_chosen(IrContext *ir, const Module *module, const Spec *spec);
// How the kernel's text uses each parameter, as far as names show: bits, one word for each parameter.
enum {
  PARAM_LOADED = 1,
  PARAM_STORED = 2,
  PARAM_DECIDED = 4,         // @autotune or @heuristics may give its value.
  PARAM_DESCRIBES = 8,       // It has a tensor descriptor's methods.
  PARAM_INTEGER = 16,        // In an address, a bound, or with an index: an integer.
  PARAM_POINTS_INTEGER = 32, // Such an integer is loaded from it.
  PARAM_POINTS_HALF = 64,    // A pointer in a kernel with dots and casts to fp16.
  PARAM_RANK_SHIFT = 8,      // The number of a descriptor's dimensions, from this bit on.
};
const uint32_t *frontend_param_uses(IrContext *ir, const Module *module, const KernelInfo *kernel);

// The elements that the programs of a grid take, as far as the kernel's text shows.
enum { GRID_PARTS = 4 };
typedef struct GridPart { // cdiv(bound, block) programs
  const char *bound;      // an expression of parameters, "M" or "M * N"; NULL: none is compared
  const char *block;      // an expression of constexprs; NULL: one program for each
} GridPart;
typedef struct GridAxis { // the product of the parts
  bool used;              // program_id of it
  uint32_t count;
  GridPart parts[GRID_PARTS];
} GridAxis;
typedef struct GridUse {
  GridAxis axes[3];
} GridUse;
GridUse frontend_grid_use(IrContext *ir, const Module *module, const KernelInfo *kernel);
// True if the module level of one of the files has the name, so that -D may set it.
bool frontend_has_name(IrContext *ir, const Module *module, const char *name);

// Gives an error: the file has no kernel (name NULL), or none with that name. Suggests a similar function.
void frontend_no_kernel(IrContext *ir, const Module *module, const char *name);

// Evaluates the constexprs that `spec` leaves open and @heuristics set, for the run-time values in `spec`.
// Returns false after errors, the same that frontend_elaborate would give.
bool frontend_heuristics(IrContext *ir, const Module *module, const Spec *spec, Constexpr **values,
                         uint32_t *count);

// A configuration of @autotune.
typedef struct AutotuneConfig {
  Constexpr *constexprs;
  uint32_t constexpr_count;
  uint32_t num_warps, num_stages, maxnreg; // 0: not given
} AutotuneConfig;

typedef struct Autotune {
  Loc loc; // the decorator
  AutotuneConfig *configs;
  uint32_t count, listed;        // listed: the number before prune_configs_by
  bool pruned;                   // prune_configs_by's function was called
  const char **key;              // parameters that a choice depends on
  const char **reset, **restore; // parameters that are zeroed, or restored, before each launch
  uint32_t key_count, reset_count, restore_count;
} Autotune;

// All configurations of the kernel's @autotune that prune_configs_by leaves. False: there is none, or with a
// remark, none that can be evaluated.
bool frontend_autotune(IrContext *ir, const Module *module, const Spec *spec, Autotune *autotune);

// For editors: the value of an expression, or of a name that takes one.
typedef struct FoundValue {
  Loc loc;          // without its call
  const char *name; // of a name that takes a value here; NULL: an expression
  bool varies;      // Another call or iteration gave another type or constant. This is the first one.
  bool is_constexpr;
  ConstValue constant; // if is_constexpr
  const Type *type;    // of a run-time value; else NULL
  const char *text;    // type or value, short: "fp32[64, 32]", "128", "(i32, i32[64])"
  const char *builtin; // a function of the language, as the reference names it: "tl.load"; else NULL
} FoundValue;

// Filled by frontend_elaborate, if Spec.watch points to it. Ready when zeroed. Several kernels may fill one.
typedef struct FrontendWatch {
  VEC(FoundValue *) list;
  Table known; // the list by location and kind
} FrontendWatch;

// "fp32[64, 32]", "*fp32[64]", "i32".
void frontend_print_type(const Type *type, Buf *out);
// The language's functions in a scope.
typedef enum LanguageScope { LANGUAGE_TL, LANGUAGE_LIBDEVICE, LANGUAGE_METHOD } LanguageScope;
// The first function of that scope from row *n of builtins.def on. Moves *n past it. False: there is none.
// `params`: as in builtins.def.
bool frontend_next_builtin(LanguageScope scope, uint32_t *n, const char **name, const char **params);

// Elaborates one kernel into `out`. Returns NULL with located errors in ir->diags. These include an unknown
// kernel, a constexpr without a value, and a parameter without a type. They also include a name of the
// specialisation that is not a parameter, and any error of the body.
Func *frontend_elaborate(IrModule *out, const Module *module, const Spec *spec);

#endif
