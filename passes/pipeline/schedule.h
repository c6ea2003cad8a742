// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules: which iteration each op of a loop works for, and in which order, as data. A pass assigns one, schedule_check says whether
// it holds, one expander makes the loop of it.
//
// A schedule is a list of steps, in the order in which the new loop's body has them. A step is an op of the old body and its stage: in
// one round of the new loop a step of stage 0 works for the newest iteration there, one of stage s for that s iterations before.
//
//   the list            rounds       0        1        2              N
//   A at stage 0        A            A(0)  |  A(1)     A(2)  ... |
//   B at stage 1        B                  |  B(0)     B(1)  ... |  B(N - 1)
//   C at stage 0        C            C(0)  |  C(1)     C(2)  ... |
//                                   before    loop               behind
//
// An op may be a step twice, of different stages: what is cheap is made anew rather than carried. An asynchronous op begins at its
// step; where it is waited for is a step too, and how many others may be under way then follows from the list: those that began in
// between. What a wait of one stage is to come behind, because it runs under the op that is waited for, is said by the wait's step.
//
// A value passes from one stage to the next in a register, which the new loop carries (`crossing`), or in a slot of a ring. A ring is one
// value, filled and waited for in the steps' order; it belongs to the stage that waits. What fills it, for iterations to come, is left
// out behind the loop. Carried values of the old loop belong to one stage each (`stage_of`).
//
// Steps that are no op of the body (a pass's own copies, waits, slots) are emitted by that pass (`emit`). Copies may be any number of
// iterations ahead of the body's first stage: the pass begins the first ones before the loop, under a condition each, so that nothing is
// left to be done behind it.
#ifndef PASSES_PIPELINE_SCHEDULE_H
#define PASSES_PIPELINE_SCHEDULE_H

#include "ir/clone.h"
#include "passes/passes.h"

enum {
  SCHEDULE_STAGES = 2, // of the old body's ops
  SCHEDULE_RINGS = 8,  // of steps of a pass's own
};

typedef enum StepKind {
  STEP_OP,   // a copy of the op
  STEP_FILL, // the same: begins copies of an iteration to come
  STEP_MEET, // the same, for all stages at once: waits for copies, of the stages there are, then fences and barriers
  STEP_OWN, // the pass's own, see `emit`
} StepKind;

typedef enum ScheduleSlots { SLOTS_KEPT, SLOTS_FILLED, SLOTS_READ, SLOTS_FREED } ScheduleSlots;

// A ring that a pass's own steps fill, read and free slots of. 0 slots: others fill it.
typedef struct ScheduleRing {
  uint32_t slots;
  uint32_t filled, read; // as a round begins: slots with what was not read yet; slots that are read still
} ScheduleRing;

typedef struct ScheduleStep {
  StepKind kind;
  const Op *op;
  uint8_t stage;
  const char *own;     // STEP_OWN: its name
  uint8_t what, group; // the same: what the pass knows it by
  uint8_t ahead;       // the same: iterations that it is ahead of the body
  ScheduleSlots slots; // the same: what it does with a slot of the ring `group`
  uint8_t pending;     // of a dot_wait: products of iterations before that may be under way behind it
  Value *const *under; // of a dot_wait: values of stage 0 computed before it; the first one passes through
  uint32_t under_count;
} ScheduleStep;

typedef struct Schedule {
  PassContext *context;
  Func *func;
  Op *loop; // its step is a constant that is not 0
  int64_t step;
  uint32_t stages; // 1: ops of the body are all of one iteration; 2
  VEC(ScheduleStep) steps;
  uint8_t *stage_of;     // by carried value of the loop
  VEC(Value *) crossing; // values of stage 0 that stage 1 takes from registers
  bool entered;          // only for an iteration: nothing is under way where there is none

  // The pass's own: values that the loop carries beside, each as it is where code is being made (`beside_after`: as behind the loop in the
  // end); what comes before the loop, where there is an iteration; and steps. `map`: of the old body's values. `data` is the pass's.
  ScheduleRing rings[SCHEDULE_RINGS];
  VEC(Value **) beside;
  bool beside_after;
  void (*enter)(void *data, Builder *b);
  void (*emit)(void *data, Builder *b, const ScheduleStep *step, CloneMap *map, Value *index);
  void *data;
} Schedule;

// The op of the loop's body that the value is a result of; NULL: it is none, or the value comes from elsewhere.
static inline Op *body_def(const Op *loop, const Value *value) {
  return value->def && value->def->region == loop->regions[0] ? value->def : NULL;
}
// Whether the value is one of the body's arguments.
static inline bool is_body_arg(const Op *loop, const Value *value) {
  return !value->def && value->region == loop->regions[0];
}

void schedule_push(Schedule *s, ScheduleStep step);

// Products under way where a schedule's steps are gone through.
typedef struct ScheduleFlight {
  const Schedule *s;
  uint32_t begun, *at; // by a product's op id: how many had begun with it
} ScheduleFlight;

ScheduleFlight flight_begin(const Schedule *s, Arena *arena); // after func_number
// The next step. Of one that waits for a product: how many others may be under way; -1: as the op says, or it is no wait.
int64_t flight_pass(ScheduleFlight *flight, const ScheduleStep *step);

// NULL: the schedule holds. Else why not:
// - what a step takes is defined at its stage before it, or crosses to it; what is carried is of its stage;
// - what crosses is of the first stage, and no slot, ring, token or product under way;
// - a product is taken by its wait before all else;
// - a ring has a slot for what is filled, what is read has been filled, and a round frees as many slots as it fills.
// After func_number.
const char *schedule_check(const Schedule *s);

// Whether the loop itself takes a product before its wait: no schedule of such a one holds.
bool takes_product_early(const Op *loop);

// NULL, or what keeps products from being under way though the schedule holds: registers that a product takes its first operand from are
// written while one is under way, round the loop too. ptxas then has each one wait.
const char *schedule_stalls(const Schedule *s);

// The schedule as a remark of the pass: "0: ring_wait, 3 ops, dot; 1: 2 ops, dot; 0: dot_wait (1 under way), ...".
void schedule_remark(const Schedule *s, const char *pass);

// Whether index + ahead * step is an iteration, `index` being one.
Value *build_reaches(Builder *b, Value *index, Value *upper, int64_t step, uint32_t ahead);
// Whether there is an iteration.
Value *schedule_any(const Schedule *s, Builder *b);

// Makes the loop anew by its schedule, and erases the old one. `any`: whether there is an iteration.
void schedule_expand(Schedule *s, Builder *b, Value *any);

#endif
