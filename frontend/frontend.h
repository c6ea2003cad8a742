// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the syntax tree and a specialisation to tile IR:
// constexprs evaluated, branches on them pruned, called functions inlined.
#ifndef FRONTEND_FRONTEND_H
#define FRONTEND_FRONTEND_H

#include "frontend/syntax/syntax.h"
#include "ir/ir.h"

// What a kernel's signature says before it is specialised:
// for the command line and the runtime to match arguments with.
typedef struct KernelParam {
  const char *name; // interned
  const Type *type; // annotated type; NULL: none
  const ParamSpec *wide; // annotated as a tuple or tensor descriptor (`type` is NULL); else NULL
  bool is_constexpr;
  bool has_default;
  ConstValue default_value; // where has_default and the default could be evaluated
  bool in_heuristic;        // a run-time parameter whose value @heuristics may read
  bool in_key;              // @autotune's key names it, and it is no constexpr
  Loc loc;
} KernelParam;

typedef struct KernelInfo {
  const char *name; // interned
  const char *path; // what --kernel names it with: functions around it too where several have the name
  Loc loc;
  KernelParam *params;
  uint32_t param_count;
  bool has_grid;
} KernelInfo;

// The entries of a module (language.md, Files): the @kernel functions, or where there is none the @jit
// functions that no other function of the file calls. Errors (a bad annotation, say) go to ir->diags.
// `spec`, which may be NULL, has the values of names of the module level.
uint32_t frontend_entries(IrContext *ir, const Module *module, const Spec *spec, KernelInfo **kernels);
// Any function by name; NULL where there is none, or (with an error) several remain possible.
const KernelInfo *frontend_kernel(IrContext *ir, const Module *module, const Spec *spec, const char *name);
// The kernel that `spec` names, or the file's only one; NULL where there is none, with or without an error.
const KernelInfo *frontend_chosen(IrContext *ir, const Module *module, const Spec *spec);
// What the kernel's text does with each parameter, as far as names tell: bits, one word a parameter.
enum {
  PARAM_LOADED = 1,
  PARAM_STORED = 2,
  PARAM_DECIDED = 4,    // @autotune or @heuristics may give its value
  PARAM_DESCRIBES = 8,  // it has a tensor descriptor's methods
  PARAM_RANK_SHIFT = 8, // of a descriptor the dimensions, from this bit on
};
const uint32_t *frontend_param_uses(IrContext *ir, const Module *module, const KernelInfo *kernel);
// Whether the module level of one of the files has the name, so that -D may give it a value.
bool frontend_has_name(IrContext *ir, const Module *module, const char *name);

// An error: the file has no kernel (name NULL), or none of that name, with the function that may have been meant.
void frontend_no_kernel(IrContext *ir, const Module *module, const char *name);

// The values that @heuristics give to constexprs which `spec` leaves open, for the run-time values that it
// has. False after errors, the same that frontend_elaborate would give.
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
  uint32_t count, listed;   // listed: before prune_configs_by
  bool pruned;              // prune_configs_by's function was applied
  const char **key;         // parameters whose values a choice holds for
  const char **reset, **restore; // parameters that are set to zero, or to what they were, before each launch
  uint32_t key_count, reset_count, restore_count;
} Autotune;

// All configurations of the kernel's @autotune, which prune_configs_by has left. False: it has none, or (with a
// remark) none that can be evaluated.
bool frontend_autotune(IrContext *ir, const Module *module, const Spec *spec, Autotune *autotune);

// Elaborates one kernel into `out`. NULL with located errors in ir->diags:
// an unknown kernel, a constexpr without a value, a parameter without a type,
// a name of the specialisation that is no parameter, and every error of the body.
Func *frontend_elaborate(IrModule *out, const Module *module, const Spec *spec);

#endif
