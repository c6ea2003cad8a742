// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ping-pong turns of warpgroups in the evaluator, which runs all of a group's warps as one. It checks that
// each turn is waited for once and passed on once. Turns must begin before the first use and end after the
// last.
#include "eval/eval_machine.h"

enum { TURN_NONE, TURN_GIVEN, TURN_TAKEN };

bool eval_turn(Machine *m, Op *op) {
  static const char *const states[] = {"nobody's", "given", "taken"};
  bool waits = op->kind == OP_PINGPONG_WAIT, edge = op_attr(op, waits ? ATTR_FIRST : ATTR_LAST) != NULL;
  uint8_t *turn = &m->turns[op_int(op, ATTR_ID, 0)];
  uint8_t wanted = waits ? TURN_GIVEN : edge ? TURN_NONE : TURN_TAKEN;
  if (*turn != wanted)
    return eval_error(m, op, NO_ELEMENT, "[T0000] the turn is %s, where it should be %s", states[*turn],
                      states[wanted]);
  *turn = waits ? (edge ? TURN_NONE : TURN_TAKEN) : TURN_GIVEN;
  return true;
}

bool eval_turns_end(Machine *m, const Op *end) {
  for (uint32_t id = 0; id < sizeof m->turns; id++)
    if (m->turns[id] != TURN_NONE)
      return eval_error(m, end, NO_ELEMENT,
                        "[T0000] the warpgroups' turns at barrier %u have not ended when the program ends",
                        id);
  return true;
}
