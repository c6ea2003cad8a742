// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of place_barriers. The pass itself is in place_barriers.c.
//
// A state describes the work in flight at a point of the program:
// * Accesses since the last barrier.
// * Copies and dots that nobody has waited for.
// * For each ring, its fills and releases, and whether a barrier has followed them.
//
// States are joined where control flow joins. They only grow towards the worse, so loops reach a fixed point.
#ifndef PASSES_SHARED_BARRIERS_H
#define PASSES_SHARED_BARRIERS_H

#include "passes/passes.h"
#include "passes/analysis/rings.h"
#include "passes/analysis/shared_buffers.h"

// Sets of places in shared memory, then sets of kinds of global access.
enum {
  READS_SHARED,
  WRITES_SHARED,
  COPIES,
  STORING, // TMA stores in flight read it.
  UNFENCED,
  READS_GLOBAL,
  WRITES_GLOBAL,
  UNFENCED_GLOBAL,
  UNRELEASED, // Global accesses by other threads than the first, which a release must cover.
  SET_COUNT
};

enum { DOT_AGES = 8 }; // Dots in flight with different ages: the latest, the one before, ..., all older ones.

// The progress of a slot's fill, for those who wait for the slot.
typedef enum FillStage {
  FILL_COPYING, // A thread has not waited for its own copies.
  FILL_WRITTEN,
  FILL_FENCED, // Later asynchronous reads also see it.
} FillStage;

// A slot that is being filled.
typedef struct SlotFill {
  const Op *by;     // Its ring_fill; NULL: one of several.
  uint32_t commits; // Groups that were closed since its copies.
  FillStage stage;  // Each thread has reached it.
  bool met;         // A barrier has followed.
  FillStage at_met; // The stage at that barrier.
} SlotFill;

// A readable slot.
typedef struct SlotRead {
  const Op *by;     // Its ring_wait; NULL: one of several.
  uint32_t reading; // Asynchronous dots from the one that reads it, inclusive; 0: none is in flight.
} SlotRead;

typedef struct RingStatus {
  bool alive; // More ops on it may follow.
  uint32_t filling, readable;
  uint32_t unmet;  // Releases since the last barrier.
  SlotFill *fills; // The oldest first.
  SlotRead *reads;
} RingStatus;

typedef struct State {
  uint64_t *set[SET_COUNT];
  uint64_t *dots[DOT_AGES]; // The places that asynchronous dots read, the latest first.
  RingStatus *rings;        // By ring index.
} State;

// The places that an access touches: its own, and those that it must be ordered with because they share bytes. A ring
// orders the accesses to its slots itself.
typedef struct TouchedPlaces {
  uint64_t *own, *others; // NULL: nothing.
} TouchedPlaces;

typedef struct TouchedMemory {
  TouchedPlaces reads, writes;
  TouchedPlaces copies;  // Written asynchronously.
  TouchedPlaces tensors; // The same, through the async proxy.
  TouchedPlaces dots;    // Read asynchronously, through the async proxy.
  TouchedPlaces stores;  // The same, by TMA stores.
  uint32_t global;       // The kind of global access.
  bool reads_global, writes_global;
  bool unreleased;   // A later release by the first thread must cover it.
  bool through_ring; // The value read goes to a ring's slot. Its fill says until when.
} TouchedMemory;

// A part of a buffer that an access names by its constant start.
typedef struct BufferPart {
  uint32_t alloc;
  const Attr *starts; // NULL: the whole buffer.
  const Type *shape;
} BufferPart;

// The effect of a loop on a state, when nothing was inserted.
typedef struct LoopVisit {
  State before, after;
  bool known, wanted; // The visit is valid; a barrier was needed.
} LoopVisit;

enum { KEPT_VISITS = 4 };

typedef struct LoopVisits {
  LoopVisit at[KEPT_VISITS];
  uint32_t next; // The next one to replace.
  uint32_t put;  // Inserted ops at that time. With more, the visits are invalid.
} LoopVisits;

// A kind of global access: to tiles of one shape and layout, under --restrict through one argument.
typedef struct AccessKind {
  const Type *type; // A pointer type; NULL: a scalar.
  bool once;        // Only each element's first holder makes the access.
  int32_t param;    // The argument; -1: any.
} AccessKind;

typedef struct Placer {
  PassContext *context;
  Func *func;
  SharedBuffers buffers;
  Rings rings;
  VEC(BufferPart) parts;  // The places: whole buffers, by their indices, then parts of them.
  uint64_t **overlaps;    // By place: the places that share bytes with it.
  VEC(AccessKind) kinds;  // Kinds of global access. Entry 0: scalars.
  VEC(int32_t) written;   // The parameters through which global memory is written.
  bool writes_anywhere;   // It is also written through pointers without a known parameter.
  uint64_t **clashes;     // By kind: kinds whose threads hold the elements differently.
  uint64_t **overwrites;  // The same, for two writes.
  uint64_t **ring_kinds;  // By ring: the kinds that its copies read.
  uint64_t **ring_places; // By ring: its buffers.
  TouchedMemory *touches; // By op id.
  uint32_t words;         // Words of a set.
  bool insert;            // If false, hazards are only found.
  bool wanted;            // A barrier was needed since this was cleared.
  uint32_t barriers;
  uint32_t put;         // Inserted barriers and fences.
  LoopVisits **visited; // By op id; NULL: none was kept.
} Placer;

static inline uint64_t *set_new(const Placer *p) {
  return ARENA_ARRAY(p->context->scratch, uint64_t, p->words);
}

// barrier_places.c: finds accesses that touch the same bytes, or the same global elements by other threads.
void barrier_places_find(Placer *p);
// NULL: the op touches no memory.
const TouchedMemory *barrier_touch(const Placer *p, const Op *op);

// barrier_states.c
State state_new(const Placer *p);
void state_copy(const Placer *p, State *to, const State *from);
bool state_join(const Placer *p, State *to, const State *from); // True if `to` grew
bool state_same(const Placer *p, const State *a, const State *b);
void state_empty(const Placer *p, uint64_t *set);
void state_meet(const Placer *p, State *s);               // a barrier
void state_fence(const Placer *p, State *s, bool global); // fence_async
void state_begin_dot(const Placer *p, State *s, const uint64_t *reads);
void state_wait_dots(const Placer *p, State *s, uint32_t pending);

// barrier_rings.c: true if a barrier, or a fence, is missing before the op on a ring.
bool rings_lack_barrier(const Placer *p, const State *s, const Op *op);
bool rings_lack_fence(const Placer *p, const State *s, const Op *op);
// Returns true if a global write may overtake the global reads of copies into slots. `clashes`: the kinds that clash
// with the write.
bool rings_read_global(const Placer *p, const State *s, const uint64_t *clashes);
// Applies the op; reports errors if p->insert is set.
void rings_step(Placer *p, State *s, const Op *op);
void rings_meet(const Placer *p, State *s);
void rings_fence(const Placer *p, State *s);
void rings_wait_dots(const Placer *p, State *s, uint32_t pending);
void ring_copy(RingStatus *to, const RingStatus *from);
bool ring_join(RingStatus *to, const RingStatus *from);
bool ring_same(const RingStatus *a, const RingStatus *b);

#endif
