// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes, and the pass manager that runs them. A pass changes one function in place. All its input is in the IR, so
// each pass also runs by itself on .tir text.
#ifndef PASSES_PASSES_H
#define PASSES_PASSES_H

#include "ir/queries.h"

// What passes do with tiles that do not fit in the registers. choose_occupancy's remark has the sums.
typedef enum Relief {
  RELIEF_RECOMPUTED,
  RELIEF_STORED_EARLY,
  RELIEF_COPIED,
  RELIEF_READ_LATE,
  RELIEF_CAST_EARLY,
  RELIEF_LOADED_LATE,
  RELIEF_IN_PARTS,
  RELIEF_COUNT
} Relief;

typedef struct PassContext {
  Arena *scratch;   // For the pass's own tables; freed after the pass.
  Diags *diags;     // Remarks: changes and refusals.
  uint32_t *relief; // By Relief: a thread's registers so far. NULL: they are not counted.
} PassContext;

static inline void relieve(const PassContext *context, Relief relief, uint32_t registers) {
  if (context->relief) context->relief[relief] += registers;
}

// Each returns whether it changed anything. passes.def lists them.
#define X(name, ...) bool pass_##name(PassContext *context, Func *func);
#include "passes/passes.def"
#undef X

enum { OPTIONAL = 1, REASSOCIATES = 2, TAKES_GROUPS = 4, IN_GROUPS = 8 };

// States that a pass needs: NEEDS in passes.def.
enum {
  POINTERS = 1,      // no block pointers
  POWERS_OF_TWO = 2, // All tile sizes are powers of two.
  LAYOUTS = 4,       // Every tile has a layout.
  OFFSETS = 8,       // Every buffer in shared memory has its offset.
};

typedef struct PassInfo {
  const char *name, *meaning;
  const char *entry; // The entry that this pass is a step of; NULL: it is an entry itself.
  uint32_t flags, needs;
  bool (*run)(PassContext *context, Func *func);
} PassInfo;

// An entry that consists of several passes, its steps.
typedef struct PassEntry {
  const char *name, *meaning;
} PassEntry;

// The pass at a place in the order; NULL: past the last. A pass may come several times.
const PassInfo *pass_at(uint32_t place);
// Finds a pass by its name or a former name; NULL: there is none.
const PassInfo *pass_find(Str name);
const char *pass_nearest(Str name);    // for "did you mean"; NULL: none
const PassEntry *pass_entry(Str name); // NULL: there is none

typedef struct PassRunOptions {
  const char *const *disabled; // names of passes or entries
  uint32_t disabled_count;
  const char *const *only; // --run-pass: these, in this order, instead of all
  uint32_t only_count;
  const char *stop_after; // NULL: run all; "elaborate": none
  uint32_t stop_run; // Which run of that pass, from 1; 0: the first. If it runs less often: its last place.
  uint32_t most;     // Stop after this many passes have run; 0: no limit.
  bool verify_each;
  // Called after every pass that ran, for --print-after; may be NULL. The first call, before any pass, has pass NULL. A
  // pass whose condition holds for no function does not run.
  void (*after)(const char *pass, IrModule *module, bool changed, double seconds, void *data);
  void *data;
  Arena *scratch; // For the passes' tables, emptied after each pass; NULL: tables stay in the module's arena.
} PassRunOptions;

// Runs the passes on every function. Returns false, with errors in diags, in these cases:
// * An option names no pass, or disables one that the result needs. Nothing ran.
// * A pass needs a state that does not hold.
// * A pass broke a rule (verify_each). The errors name the pass.
bool passes_run(IrModule *module, Diags *diags, const PassRunOptions *options);

#endif
