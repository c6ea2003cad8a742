// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes and the pass manager, which runs them. A pass changes one function in place; it takes what it needs from the IR
// alone, so each runs on .tir text by itself.
#ifndef PASSES_PASSES_H
#define PASSES_PASSES_H

#include "ir/ir.h"

typedef struct PassContext {
  Arena *scratch; // for the pass's own tables; freed after the pass
  Diags *diags;   // remarks: what was done and what declined
} PassContext;

// Each returns whether it changed anything. passes.def lists them.
#define X(name, ...) bool pass_##name(PassContext *context, Func *func);
#include "passes/passes.def"
#undef X

enum { OPTIONAL = 1, REASSOCIATES = 2, TAKES_GROUPS = 4, IN_GROUPS = 8 };

// States that a pass needs: NEEDS in passes.def.
enum {
  POINTERS = 1,      // no block pointers
  POWERS_OF_TWO = 2, // the sizes of all tiles are
  LAYOUTS = 4,       // every tile has one
  OFFSETS = 8,       // every buffer in shared memory has its place
};

typedef struct PassInfo {
  const char *name, *meaning;
  const char *entry; // whose step it is; NULL: it is an entry by itself
  uint32_t flags, needs;
  bool (*run)(PassContext *context, Func *func);
} PassInfo;

// An entry of several passes, which are its steps.
typedef struct PassEntry {
  const char *name, *meaning;
} PassEntry;

// The pass that runs at a place of the order, in which one may come several times; NULL: past the last.
const PassInfo *pass_at(uint32_t place);
// By its name or an earlier one; NULL: there is none.
const PassInfo *pass_find(Str name);
const PassEntry *pass_entry(Str name); // NULL: there is none

typedef struct PassRunOptions {
  const char *const *disabled; // names of passes or entries
  uint32_t disabled_count;
  const char *const *only; // --run-pass: these, in this order, instead of all
  uint32_t only_count;
  const char *stop_after; // NULL: run all; "elaborate": none
  uint32_t most;          // ends after so many passes that ran; 0: no limit
  bool verify_each;
  // Called after every pass that ran (pass NULL: before the first), for --print-after; may be NULL. Passes whose condition holds
  // of no function do not run.
  void (*after)(const char *pass, IrModule *module, bool changed, double seconds, void *data);
  void *data;
  Arena *scratch; // for the passes' tables, emptied after each; NULL: the module's arena, where they stay
} PassRunOptions;

// Runs the passes on every function. False, with errors in diags, where
// an option names no pass or disables one that the result needs (nothing ran),
// where a pass needs a state that is not there, or where a pass broke a rule (verify_each; the errors name the pass).
bool passes_run(IrModule *module, Diags *diags, const PassRunOptions *options);

#endif
