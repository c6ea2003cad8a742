// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of place_barriers; place_barriers.c has the pass.
//
// A state says what is under way at a point of the program: accesses since the last barrier, copies and
// dots that nobody has waited for, and of each ring which fills everyone has met and which releases. States
// are joined where control flow does, and only grow towards what is worse, so loops come to a fixed point.
#ifndef PASSES_SHARED_BARRIERS_H
#define PASSES_SHARED_BARRIERS_H

#include "passes/passes.h"
#include "passes/analysis/rings.h"
#include "passes/analysis/shared_buffers.h"

// Sets of places in shared memory, then sets of kinds of access to global memory.
enum {
  READS_SHARED,
  WRITES_SHARED,
  COPIES,
  STORING, // tensor stores under way read it
  UNFENCED,
  READS_GLOBAL,
  WRITES_GLOBAL,
  UNFENCED_GLOBAL,
  SET_COUNT
};

enum { DOT_AGES = 8 }; // dots under way that are told apart: the latest, the one before, ..., all older ones

// How far what fills a slot has come, for those who wait for the slot.
typedef enum FillStage {
  FILL_COPYING, // a thread has not waited for its own copies
  FILL_WRITTEN,
  FILL_FENCED, // and asynchronous reads after it see it
} FillStage;

// A slot that is being filled.
typedef struct SlotFill {
  const Op *by;     // its ring_fill; NULL: one of several
  uint32_t commits; // groups that were closed since its copies
  FillStage stage;  // of each thread
  bool met;         // everyone has met since
  FillStage at_met; // as it was then
} SlotFill;

// A readable slot.
typedef struct SlotRead {
  const Op *by;     // its ring_wait; NULL: one of several
  uint32_t reading; // asynchronous dots begun since one that reads it, that included; 0: none is under way
} SlotRead;

typedef struct RingStatus {
  bool alive; // more ops on it may come
  uint32_t filling, readable;
  uint32_t unmet;  // releases since the last barrier
  SlotFill *fills; // the oldest first
  SlotRead *reads;
} RingStatus;

typedef struct State {
  uint64_t *set[SET_COUNT];
  uint64_t *dots[DOT_AGES]; // what asynchronous dots read, the latest first
  RingStatus *rings;        // by the ring's number
} State;

// What an access touches: its own places, and those with which it must be ordered, since they share bytes.
// The accesses to a ring's slots are ordered by the ring.
typedef struct TouchedPlaces {
  uint64_t *own, *others; // NULL: nothing
} TouchedPlaces;

typedef struct TouchedMemory {
  TouchedPlaces reads, writes;
  TouchedPlaces copies;  // written asynchronously
  TouchedPlaces tensors; // the same, by way of the other proxy
  TouchedPlaces dots;   // read asynchronously, by way of the other proxy
  TouchedPlaces stores; // the same, by tensor stores
  uint32_t global;      // kind
  bool reads_global, writes_global;
  bool through_ring; // what is read goes to a ring's slot, whose fill says until when
} TouchedMemory;

// A part of a buffer that some access names by its constant start.
typedef struct BufferPart {
  uint32_t alloc;
  const Attr *starts; // NULL: all of it
  const Type *shape;
} BufferPart;

// What a loop made of a state, where nothing was put.
typedef struct LoopVisit {
  State before, after;
  bool known, wanted; // a barrier
} LoopVisit;

enum { KEPT_VISITS = 4 };

typedef struct LoopVisits {
  LoopVisit at[KEPT_VISITS];
  uint32_t next; // the one to be replaced
  uint32_t put;  // how many ops had been put: after more the visits no longer hold
} LoopVisits;

typedef struct Placer {
  PassContext *context;
  Func *func;
  SharedBuffers buffers;
  Rings rings;
  VEC(BufferPart) parts;   // the places: buffers as a whole, by their numbers, then parts of them
  uint64_t **overlaps;     // by place: those with bytes of it
  VEC(const Type *) kinds; // of global accesses: pointer types, by shape and layout; kinds.at[0]: scalars
  uint64_t **clashes;      // by kind: those whose threads hold elements otherwise
  uint64_t **overwrites;   // the same, of two writes
  uint64_t **ring_kinds;   // by ring: the kinds of what its copies read
  uint64_t **ring_places;  // by ring: its buffers
  TouchedMemory *touches;  // by op id
  uint32_t words;          // of a set
  bool insert;             // else hazards are only found
  bool wanted;             // a barrier was, since this was cleared
  uint32_t barriers;
  uint32_t put;         // barriers and fences
  LoopVisits **visited; // by op id; NULL: none was kept
} Placer;

// barrier_places.c: which accesses touch the same bytes,
// or the same elements of global memory by other threads.
void barrier_places_find(Placer *p);
// NULL: the op touches no memory.
const TouchedMemory *barrier_touch(const Placer *p, const Op *op);

// barrier_states.c
State state_new(const Placer *p);
void state_copy(const Placer *p, State *to, const State *from);
bool state_join(const Placer *p, State *to, const State *from); // whether `to` grew
bool state_same(const Placer *p, const State *a, const State *b);
void state_empty(const Placer *p, uint64_t *set);
void state_meet(const Placer *p, State *s);  // a barrier
void state_fence(const Placer *p, State *s, bool global); // fence_async
void state_begin_dot(const Placer *p, State *s, const uint64_t *reads);
void state_wait_dots(const Placer *p, State *s, uint32_t pending);

// barrier_rings.c
// What an op on a ring lacks before it, beside a fence.
bool rings_lack_barrier(const Placer *p, const State *s, const Op *op);
bool rings_lack_fence(const Placer *p, const State *s, const Op *op);
// Whether a write to global memory may overtake what copies into slots read;
// `clashes`: the kinds that the write's clashes with.
bool rings_read_global(const Placer *p, const State *s, const uint64_t *clashes);
// The op is done; errors are reported where p->insert.
void rings_step(Placer *p, State *s, const Op *op);
void rings_meet(const Placer *p, State *s);
void rings_fence(const Placer *p, State *s);
void rings_wait_dots(const Placer *p, State *s, uint32_t pending);
void ring_copy(RingStatus *to, const RingStatus *from);
bool ring_join(RingStatus *to, const RingStatus *from);
bool ring_same(const RingStatus *a, const RingStatus *b);

#endif
