// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of warps in the evaluator. Each group runs its region until it waits for a slot of a channel. Then
// the next group continues. If all groups wait, it is a deadlock.
//
// A group's position is a stack of regions, so that it can stop inside loops. Code without control flow runs
// as everywhere else. Each value has one tile, because each value belongs to one group. Each group has its
// own asynchronous dots and groups of asynchronous copies. Accesses of two groups count as ordered, so a race
// between them may be missed.
#include <stdio.h>

#include "eval/eval_machine.h"
#include "ir/memory/ring.h"

typedef struct Frame {
  const Op *parent; // its region runs: for, if, while; NULL: the group's own region
  Op *at;           // the next op
  ForRounds rounds; // of a for loop
} Frame;

typedef struct Group {
  uint32_t index;
  VEC(Frame) frames; // empty: it has ended
  DotsUnderWay *dots;
  const Op *waits; // the op that must wait; NULL: none
} Group;

typedef enum GroupStep { STEP_FAILED, STEP_WAITS, STEP_DONE } GroupStep;

static Frame *top(Group *group) { return &group->frames.at[group->frames.n - 1]; }

static void enter(Machine *m, Group *group, const Op *parent, const Region *region) {
  vec_push(m->arena, &group->frames, ((Frame){.parent = parent, .at = region->first}));
}

// Leaves the region at the top after its parent op has run.
static void leave(Group *group) {
  group->frames.n--;
  if (group->frames.n) top(group)->at = top(group)->at->next;
}

static bool begin_for(Machine *m, Group *group, const Op *op) {
  ForRounds rounds;
  bool more = false;
  if (!eval_for_begin(m, op, &rounds, &more)) return false;
  if (!more) {
    top(group)->at = op->next;
    return true;
  }
  eval_for_round(m, op, &rounds);
  enter(m, group, op, op->regions[0]);
  top(group)->rounds = rounds;
  return true;
}

static bool begin_if(Machine *m, Group *group, const Op *op) {
  uint64_t condition = 0;
  if (!eval_flow_operand(m, op, 0, "the condition", &condition)) return false;
  enter(m, group, op, op->regions[condition ? 0 : 1]);
  return true;
}

static bool begin(Machine *m, Group *group, Op *op) {
  if (!eval_dots_allow(m, op)) return false;
  if (op->kind == OP_FOR) return begin_for(m, group, op);
  if (op->kind == OP_IF) return begin_if(m, group, op);
  eval_take_args(m, op->regions[0], op, 0);
  enter(m, group, op, op->regions[0]);
  return true;
}

// Ends one of the two regions of a while loop.
static bool end_while(Machine *m, Group *group, const Op *loop, const Op *yield) {
  uint64_t condition = 1;
  bool test = yield->region == loop->regions[0];
  if (test && !eval_flow_operand(m, yield, 0, "the condition", &condition)) return false;
  if (!condition) {
    for (uint32_t i = 0; i < loop->result_count; i++)
      eval_copy(m, eval_tile(m, &loop->results[i]), eval_operand(m, yield, i + 1));
    leave(group);
    return true;
  }
  const Region *next = loop->regions[test];
  eval_take_args(m, next, yield, test);
  top(group)->at = next->first;
  return true;
}

// Ends the region at the top, with this yield.
static bool end_region(Machine *m, Group *group, const Op *yield) {
  Frame *frame = top(group);
  const Op *parent = frame->parent;
  if (!parent) {
    leave(group);
    return true;
  }
  if (parent->kind == OP_WHILE) return end_while(m, group, parent, yield);
  eval_take_yielded(m, parent, yield);
  if (parent->kind == OP_IF || !eval_for_advance(&frame->rounds)) {
    leave(group);
    return true;
  }
  eval_for_round(m, parent, &frame->rounds);
  frame->at = parent->regions[0]->first;
  return true;
}

static bool run_op(Machine *m, Group *group, Op *op) {
  if (!eval_step(m, op)) return false;
  if (op->kind == OP_YIELD) return end_region(m, group, op);
  if (op_has(op, FLOW)) return begin(m, group, op);
  if (eval_op(m, op) == REGION_FAILED) return false;
  top(group)->at = op->next;
  return true;
}

enum { WAIT_TEXT = 240 };

// Describes in `text` what the op waits for. Returns false if it can run.
static bool waits(const Machine *m, const Op *op, char *text) {
  char lacks[WAIT_TEXT / 2];
  const char *slot = op->kind == OP_MBARRIER_WAIT ? NULL : eval_channel_wait(m, op);
  if (slot) eval_channel_counts(m, op, lacks, sizeof lacks);
  if (slot) snprintf(text, WAIT_TEXT, "%s; %s", slot, lacks);
  if (op->kind != OP_MBARRIER_WAIT) return slot != NULL;
  bool phase = eval_mbarrier_waits(m, op, lacks, sizeof lacks);
  if (phase) snprintf(text, WAIT_TEXT, "a phase of an mbarrier, %s", lacks);
  return phase;
}

// Runs the group until it waits or ends. *ran: it made progress.
static GroupStep run_group(Machine *m, Group *group, bool *ran) {
  DotsUnderWay *before = m->dots;
  GroupStep step = STEP_DONE;
  char text[WAIT_TEXT];
  m->dots = group->dots;
  eval_shared_group(m, group->index);
  eval_race_barrier(m);
  group->waits = NULL;
  while (group->frames.n && step == STEP_DONE) {
    Op *op = top(group)->at;
    if (waits(m, op, text)) {
      group->waits = op;
      step = STEP_WAITS;
    } else if (run_op(m, group, op)) {
      *ran = true;
    } else {
      step = STEP_FAILED;
    }
  }
  group->dots = m->dots;
  m->dots = before;
  eval_shared_group(m, 0);
  return step;
}

// All groups that have not ended wait. The first one is the error, the others are notes.
static bool report_deadlock(Machine *m, const Group *groups, uint32_t n) {
  Diag *diag = NULL;
  for (uint32_t i = 0; i < n; i++) {
    char text[WAIT_TEXT];
    const Op *op = groups[i].waits;
    if (!op || !waits(m, op, text)) continue;
    if (!diag)
      diag = eval_diag(m, op, NO_ELEMENT, "[T1404] deadlock: no group can continue; group %u waits for %s",
                       groups[i].index, text);
    else
      diag_note(m->diags, diag, op->loc, "group %u waits for %s", groups[i].index, text);
  }
  return false;
}

bool eval_groups(Machine *m, const Op *op) {
  uint32_t n = op->region_count;
  Group *groups = ARENA_ARRAY(m->arena, Group, n);
  for (uint32_t i = 0; i < n; i++) {
    groups[i].index = i;
    enter(m, &groups[i], NULL, op->regions[i]);
  }
  for (bool left = true; left;) {
    bool ran = false;
    left = false;
    for (uint32_t i = 0; i < n; i++) {
      if (!groups[i].frames.n) continue;
      GroupStep step = run_group(m, &groups[i], &ran);
      if (step == STEP_FAILED) return false;
      left |= step == STEP_WAITS;
    }
    if (left && !ran) return report_deadlock(m, groups, n);
  }
  eval_race_barrier(m);
  return true;
}
