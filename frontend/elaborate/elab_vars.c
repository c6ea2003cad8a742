// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the running function and their current objects. Saved before branches, and restored.
#include "base/hash.h"
#include "frontend/elaborate/elaborate.h"

// --- Finding ---

// The place where a name was last bound. Other names may have taken that place since. Then it only shows that
// the name existed.
typedef struct VarPlace {
  const char *name;
  uint32_t at;
} VarPlace;

enum { SEARCHED = 32 }; // up to this many bindings are searched linearly

static bool is_place_of(const void *entry, const void *name) {
  return ((const VarPlace *)entry)->name == name;
}

static void note_place(Elab *e, const char *name, uint32_t at) {
  VarPlace **place =
      (VarPlace **)table_place(&e->frame->places, e->arena, hash_pointer(name), name, is_place_of);
  if (!*place) *place = ARENA_NEW(e->arena, VarPlace);
  **place = (VarPlace){name, at};
}

const Binding *elab_find_var(Vars vars, const char *name) {
  for (uint32_t i = vars.n; i-- > 0;)
    if (vars.at[i].name == name) return &vars.at[i];
  return NULL;
}

Binding *elab_find(const Frame *frame, const char *name) {
  if (frame->vars.n > SEARCHED) {
    VarPlace *place = table_find(&frame->places, hash_pointer(name), name, is_place_of);
    if (!place) return NULL;
    if (place->at < frame->vars.n && frame->vars.at[place->at].name == name)
      return &frame->vars.at[place->at];
  }
  return (Binding *)(uintptr_t)elab_find_var((Vars){frame->vars.at, frame->vars.n}, name);
}

void elab_set_binding(Elab *e, const Binding *binding) {
  Frame *frame = e->frame;
  Binding *old = elab_find(frame, binding->name);
  if (old) {
    *old = *binding;
    return;
  }
  vec_push(e->arena, &frame->vars, *binding);
  if (frame->vars.n == SEARCHED + 1)
    for (uint32_t i = 0; i < SEARCHED; i++) note_place(e, frame->vars.at[i].name, i);
  if (frame->vars.n > SEARCHED) note_place(e, binding->name, frame->vars.n - 1);
}

// --- Saving ---

Vars elab_save_vars(Elab *e) {
  Vars saved = {ARENA_ARRAY(e->arena, Binding, e->frame->vars.n), e->frame->vars.n};
  if (saved.n) memcpy(saved.at, e->frame->vars.at, saved.n * sizeof(Binding));
  elab_work(e, saved.n / VARS_A_STEP);
  return saved;
}

void elab_restore_vars(Elab *e, Vars saved) {
  e->frame->vars.n = 0;
  for (uint32_t i = 0; i < saved.n; i++) vec_push(e->arena, &e->frame->vars, saved.at[i]);
}

void elab_maybe_bound(Elab *e, const Binding *binding) {
  Binding maybe = *binding;
  maybe.maybe = true;
  elab_set_binding(e, &maybe);
}
