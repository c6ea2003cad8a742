// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules as data: the order of a loop's ops, and the iteration that each op works for. A pass assigns a schedule.
// schedule_check verifies it. One expander builds the loop from it.
//
// A schedule is a list of steps in the order of the new loop's body. A step is an op of the old body and its stage. In
// one round of the new loop, a step of stage 0 works for the newest iteration. A step of stage s works for the
// iteration s rounds before.
//
// ```
//   the list            rounds       0        1        2              N
//   A at stage 0        A            A(0)  |  A(1)     A(2)  ... |
//   B at stage 1        B                  |  B(0)     B(1)  ... |  B(N - 1)
//   C at stage 0        C            C(0)  |  C(1)     C(2)  ... |
//                                   before    loop               after
// ```
//
// An op may be a step twice, in different stages. This computes a cheap op again instead of carrying its value. An
// asynchronous op starts at its step. Its wait is a step too. The list then determines how many other ops may be in
// flight: those that started in between. A wait may have to come after values of another stage, because they are
// computed under its op. The wait's step lists them.
//
// A value passes from one stage to the next in a loop-carried register (`crossing`), or in a slot of a ring. A ring is
// one value, filled and waited for in step order. It belongs to the stage that waits. Fills for later iterations are
// left out after the loop. Each loop-carried value of the old loop belongs to one stage (`stage_of`).
//
// A step may be no op of the body: the pass's own copies, waits and slots. Then the pass emits it (`emit`). Copies may
// be any number of iterations ahead of the body's first stage. The pass starts the first ones before the loop, each
// under a condition. So nothing remains to be done after the loop.
#ifndef PASSES_PIPELINE_SCHEDULE_H
#define PASSES_PIPELINE_SCHEDULE_H

#include "ir/clone.h"
#include "passes/passes.h"

enum {
  SCHEDULE_STAGES = 2, // For the old body's ops.
  SCHEDULE_RINGS = 8,  // For a pass's own steps.
};

typedef enum StepKind {
  STEP_OP,   // A copy of the op.
  STEP_FILL, // The same: starts copies for a later iteration.
  STEP_MEET, // The same, for all stages at once: copy waits of the existing stages, then fences and barriers.
  STEP_OWN,  // A step that the pass emits, see `emit`.
} StepKind;

typedef enum ScheduleSlots { SLOTS_KEPT, SLOTS_FILLED, SLOTS_READ, SLOTS_FREED } ScheduleSlots;

// A ring whose slots a pass's own steps fill, read and free. 0 slots: others fill it.
typedef struct ScheduleRing {
  uint32_t slots;
  uint32_t filled, read; // At the start of a round: filled slots not yet read; slots still being read.
} ScheduleRing;

typedef struct ScheduleStep {
  StepKind kind;
  const Op *op;
  uint8_t stage;
  const char *own;     // STEP_OWN: its name.
  uint8_t what, group; // STEP_OWN: the pass's id of it.
  uint8_t ahead;       // STEP_OWN: iterations ahead of the body.
  ScheduleSlots slots; // STEP_OWN: its effect on a slot of ring `group`.
  uint8_t pending;     // OP_DOT_WAIT: dots of earlier iterations that may still be in flight after it.
  Value *const *under; // OP_DOT_WAIT: stage 0 values computed before it. The first one passes through.
  uint32_t under_count;
} ScheduleStep;

typedef struct Schedule {
  PassContext *context;
  Func *func;
  Op *loop; // Its step is a constant and not 0.
  int64_t step;
  uint32_t stages; // 1: all ops of the body are of one iteration; 2: two stages.
  VEC(ScheduleStep) steps;
  uint8_t *stage_of;     // By loop-carried value.
  VEC(Value *) crossing; // Values of stage 0 that stage 1 takes from registers.
  bool entered;          // Entered only if there is an iteration: otherwise nothing is in flight.

  // The pass's own data: its `rings`, and additional loop-carried values (`beside`). Each value is up to date at the
  // point of the code being built. With `beside_after` the additional ones hold the values after the loop in the end.
  // `enter` emits code before the loop, if there is an iteration. `emit` emits steps; `map` has the old body's values.
  // `data` belongs to the pass.
  ScheduleRing rings[SCHEDULE_RINGS];
  VEC(Value **) beside;
  bool beside_after;
  void (*enter)(void *data, Builder *b);
  void (*emit)(void *data, Builder *b, const ScheduleStep *step, CloneMap *map, Value *index);
  void *data;
} Schedule;

// The op of the loop's body that defines the value; NULL: there is none, or the value comes from elsewhere.
static inline Op *body_def(const Op *loop, const Value *value) {
  return value->def && value->def->region == loop->regions[0] ? value->def : NULL;
}
// Returns true if the value is one of the body's arguments.
static inline bool is_body_arg(const Op *loop, const Value *value) {
  return !value->def && value->region == loop->regions[0];
}

void schedule_push(Schedule *s, ScheduleStep step);

// Tracks the dots in flight along a schedule's steps.
typedef struct ScheduleFlight {
  const Schedule *s;
  uint32_t begun, *at; // By op id of a dot: how many dots had started with it.
} ScheduleFlight;

ScheduleFlight flight_begin(const Schedule *s, Arena *arena); // Call it after func_number.
// Takes the next step. For a wait: the number of other dots that may be in flight. -1: the op says it, or it is no
// wait.
int64_t flight_pass(ScheduleFlight *flight, const ScheduleStep *step);

// NULL: the schedule is valid. Otherwise the reason why it is not. The rules are:
// * A step's operands are defined before it in its stage, or cross to it. A loop-carried value is available in its
//   stage.
// * Crossing values come from the first stage. None is a slot, ring, token or dot in flight.
// * A dot's wait comes before any other use of it.
// * A ring has a slot for each fill, and only filled slots are read. A round frees the same number of slots as it
//   fills.
//
// Call it after func_number.
const char *schedule_check(const Schedule *s);

// Returns true if the loop itself uses a dot before its wait: then no schedule is valid.
bool takes_product_early(const Op *loop);

// NULL, or the reason why dots cannot be in flight although the schedule is valid. It is a write to registers of a
// dot's first operand while a dot is in flight. The write may also be in the next round. ptxas then makes each dot
// wait.
const char *schedule_stalls(const Schedule *s);

// Reports the schedule as a remark: "0: ring_wait, 3 ops, dot; 1: 2 ops, dot; 0: dot_wait (1 in flight), ...".
void schedule_remark(const Schedule *s, const char *pass);

// Builds a test for index + ahead * step being an iteration, given that `index` is one.
Value *build_reaches(Builder *b, Value *index, Value *upper, int64_t step, uint32_t ahead);
// Builds a test for the loop having an iteration.
Value *schedule_any(const Schedule *s, Builder *b);

// Builds the new loop from its schedule, and erases the old one. `any`: true if there is an iteration.
void schedule_expand(Schedule *s, Builder *b, Value *any);

#endif
