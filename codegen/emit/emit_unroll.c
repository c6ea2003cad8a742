// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stops ptxas from unrolling certain loops.
//
// ptxas moves a computation on a dot's sums to where its result is first needed. In an unrolled loop, it
// moves it past the dot of a later iteration, which has overwritten the sums. This happens if an iteration
// only passes the value on: the next iteration is the first to need it.
#include <llvm-c/DebugInfo.h>
#include "codegen/emit/emit_dot.h"
#include "ir/dot/dot.h"

typedef struct Passing {
  const Region *body;
  uint32_t first; // the first loop-carried argument of the body
  bool *seen;     // by Value.id
} Passing;

// True if the op only computes in registers. ptxas moves such ops.
static bool is_movable(const Op *op) {
  return op_has(op, PURE) || op->kind == OP_MAP || op->kind == OP_INLINE_ASM;
}

// True if the value is computed in registers only, from a dot's sums of this iteration or an earlier one.
static bool is_of_sums(Passing *p, const Value *value) {
  if (p->seen[value->id]) return false;
  p->seen[value->id] = true;
  const Op *op = value->def;
  if (!op) {
    bool carried = value->region == p->body && value->index >= p->first;
    return carried && is_of_sums(p, op_operand(p->body->last, value->index - p->first));
  }
  if (op->region != p->body) return false;
  if (op->kind == OP_DOT_WAIT || op->kind == OP_IF) return true;
  if (!is_movable(op)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (is_of_sums(p, op_operand(op, i))) return true;
  return false;
}

// True if the iteration uses the value only to compute what the next one gets. Sets *others if that is passed
// on in another place too.
static bool is_only_passed_on(Passing *p, const Value *value, uint32_t place, bool *others) {
  if (p->seen[value->id]) return true;
  p->seen[value->id] = true;
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *user = use->user;
    const Value *chosen = flow_target(use, 0);
    if (user->kind == OP_YIELD && user->region == p->body) {
      *others |= use != &user->operands[place];
    } else if (chosen && chosen->def) { // by a branch
      if (!is_only_passed_on(p, chosen, place, others)) return false;
    } else if (user->region == p->body && is_movable(user)) {
      for (uint32_t i = 0; i < user->result_count; i++)
        if (!is_only_passed_on(p, &user->results[i], place, others)) return false;
    } else {
      return false;
    }
  }
  return true;
}

static bool has_waits(const Region *body) {
  for (const Op *op = body->first; op; op = op->next)
    if (op->kind == OP_DOT_WAIT) return true;
  return false;
}

static bool passes_sums_on(Emitter *e, const Region *body, uint32_t first) {
  // A while loop's test may pass on other values than it gets. These are not followed.
  if (!has_waits(body) || body->arg_count != body->last->operand_count + first) return false;
  uint32_t values = body->func->value_count;
  for (uint32_t i = 0; i < body->last->operand_count; i++) {
    Passing p = {body, first, ARENA_ARRAY(e->arena, bool, values)};
    if (!is_of_sums(&p, op_operand(body->last, i))) continue;
    bool others = false;
    p.seen = ARENA_ARRAY(e->arena, bool, values);
    if (is_only_passed_on(&p, body->args[first + i], i, &others) && others) return true;
  }
  return false;
}

void emit_limit_unrolling(Emitter *e, const Region *body, uint32_t first, LLVMValueRef latch) {
  static const char what[] = "llvm.loop.unroll.disable", kind[] = "llvm.loop";
  if (!passes_sums_on(e, body, first)) return;
  // The loop's id: a node whose first operand is itself.
  LLVMMetadataRef name = LLVMTemporaryMDNode(e->context, NULL, 0);
  LLVMMetadataRef text = LLVMMDStringInContext2(e->context, what, sizeof what - 1);
  LLVMMetadataRef parts[] = {name, LLVMMDNodeInContext2(e->context, &text, 1)};
  LLVMMetadataRef loop = LLVMMDNodeInContext2(e->context, parts, 2);
  LLVMMetadataReplaceAllUsesWith(name, loop);
  LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(e->context, kind, sizeof kind - 1),
                  LLVMMetadataAsValue(e->context, loop));
}
