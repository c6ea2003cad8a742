// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The accumulators of asynchronous dots, before they begin and after their wait.
//
// While a dot is in flight its accumulator must not be read or written. LLVM copies a value before the
// assembly that changes it, if others still read it. So the sums pass a hold after the wait, and LLVM's
// copies are there.
//
// ptxas has its own rules. If one is broken it waits for each dot (messages C7510 to C7517).
// - While a dot is in flight, the next one's sums are not written. So all are in place before the first dot.
// - It moves copies of sums that are still read between the dots. So those copies are hidden from ptxas.
// - It gives sums and the loop's value before them one register, even where both are read. So they are copied
//   too.
// - Sums that a vector load writes have fixed places in registers. So they are copied too.
#include "base/integer.h"
#include "codegen/emit/emit_dot.h"
#include "codegen/nvvm/nvvm.h"
#include "codegen/nvvm/nvvm_dot.h"
#include "ir/build.h"
#include "ir/dot/dot.h"

// --- before the first dot

// The value that the dot accumulates into. NULL: it starts from zero.
static Value *summed_into(const Op *dot) {
  int64_t fresh;
  bool zero = dot->operand_count > 3 && value_int_constant(op_operand(dot, 3), &fresh) && fresh;
  return zero ? NULL : op_operand(dot, 2);
}

// True if the dot begins while the first one is in flight, and its accumulator exists before that.
static bool has_early_sums(const Emitter *e, const Op *first, const Op *dot) {
  const Value *sum = summed_into(dot);
  if (!is_dot_of(dot, DOT_WGMMA) || !sum || !e->registers[sum->id]) return false;
  if (sum->def && sum->def->region == first->region && is_dot_of(sum->def, DOT_WGMMA)) return false;
  return !e->prepared[op_result(dot)->id];
}

// True if other values may equal this one at the end of a loop iteration or branch. ptxas gives equal values
// one register.
static bool is_shared(const Value *sum) {
  const Op *op = sum->def ? sum->def : sum->region->parent;
  if (sum->def || !op) return op && op->kind == OP_IF;
  if (op->kind != OP_FOR || sum->index == 0) return true;
  const Value *yielded = loop_yielded(op, sum->index - 1);
  return !yielded->def || yielded->def->region_count || yielded->def->region != sum->region ||
         yielded->first_use->next;
}

// The first dot that may be in flight when this one begins, or this one.
static const Op *first_under_way(const Op *dot) {
  const Op *first = dot;
  for (const Op *op = dot->prev; op && !op->region_count; op = op->prev) {
    if (op->kind == OP_DOT_WAIT && !op_int(op, ATTR_PENDING, 0)) break;
    if (is_dot_of(op, DOT_WGMMA)) first = op;
  }
  return first;
}

// True if the sums need their own registers. A load wrote them, or something reads them after the first dot
// in flight has begun.
static bool is_kept(const Op *dot) {
  const Value *sum = summed_into(dot);
  const Op *first = first_under_way(dot);
  if (!sum || (sum->def && is_dot_of(sum->def, DOT_WGMMA)))
    return false; // it has its registers, and may be in flight
  if (is_shared(sum) || (sum->def && op_traits[sum->def->kind] & READS)) return true;
  const Region *home = sum->def ? sum->def->region : sum->region;
  for (const Region *region = dot->region; region != home; region = region->parent->region)
    if (op_is_loop(region->parent)) return true;
  for (const Use *use = sum->first_use; use; use = use->next) {
    const Op *user = op_in_region(use->user, dot->region);
    if (use->user != dot && (!user || op_precedes(first, user))) return true;
  }
  return false;
}

// Collects the accumulator's registers that are copied; fp16 in pairs. Constants are materialised where they
// are used.
static uint32_t add_copied(Emitter *e, const Op *dot, LLVMValueRef *words) {
  const Value *sum = summed_into(dot);
  uint32_t step = type_is_elem(sum->type, ELEM_FP16) ? 2 : 1, n = 0;
  for (uint32_t r = 0; r < emit_count(sum->type); r += step) {
    LLVMValueRef x = emit_register(e, sum, r);
    if (!dot_sums_in(dot, r) || LLVMIsConstant(x)) continue;
    words[n++] = step == 1 ? x : emit_pair(e, x, emit_register(e, sum, r + 1));
  }
  return n;
}

static uint32_t set_copied(Emitter *e, const Op *dot, const LLVMValueRef *words) {
  const Value *sum = summed_into(dot);
  uint32_t step = type_is_elem(sum->type, ELEM_FP16) ? 2 : 1, registers = emit_count(sum->type), n = 0;
  LLVMValueRef *out = ARENA_ARRAY(e->arena, LLVMValueRef, registers);
  for (uint32_t r = 0; r < registers; r += step) {
    for (uint32_t i = 0; i < step; i++) out[r + i] = emit_register(e, sum, r + i);
    if (!dot_sums_in(dot, r) || LLVMIsConstant(out[r])) continue;
    LLVMValueRef word = words[n++];
    if (step == 1)
      out[r] = word;
    else
      emit_unpair(e, word, &out[r], &out[r + 1]);
  }
  e->prepared[op_result(dot)->id] = out;
  return n;
}

// The next dot that begins while this one may be in flight.
static const Op *next_under_way(const Op *op) {
  bool done = false;
  while ((op = op->next) && !op->region_count && op->kind != OP_DOT && !done)
    done = op->kind == OP_DOT_WAIT && !op_int(op, ATTR_PENDING, 0);
  return op && !done && is_dot_of(op, DOT_WGMMA) ? op : NULL;
}

static void prepare(Emitter *e, const Op *const *dots, uint32_t n, bool kept) {
  uint32_t most = 0, count = 0, at = 0;
  for (uint32_t i = 0; i < n; i++) most += emit_count(op_result(dots[i])->type);
  LLVMValueRef *words = ARENA_ARRAY(e->arena, LLVMValueRef, most);
  for (uint32_t i = 0; i < n; i++) count += add_copied(e, dots[i], words + count);
  if (!count) return;
  if (kept)
    nvvm_copy(e, words, count);
  else
    nvvm_hold(e, words, count);
  for (uint32_t i = 0; i < n; i++) at += set_copied(e, dots[i], words + at);
}

void emit_prepare_sums(Emitter *e, const Op *first) {
  VEC(const Op *) kept = {0}, own = {0};
  if (!e->prepared[op_result(first)->id] && is_kept(first)) vec_push(e->arena, &kept, first);
  for (const Op *dot = next_under_way(first); dot; dot = next_under_way(dot))
    if (has_early_sums(e, first, dot)) {
      if (is_kept(dot))
        vec_push(e->arena, &kept, dot);
      else if (summed_into(dot)->def)
        vec_push(e->arena, &own, dot);
    }
  prepare(e, kept.at, kept.n, true);
  prepare(e, own.at, own.n, false);
}

// --- after the wait

// Passes sums through the wait, so that none of their uses moves before it. fp16 are in pairs. Padding
// registers, which no instruction accumulates into, are left out.
static uint32_t add_waited(Emitter *e, const Value *value, LLVMValueRef *words) {
  uint32_t count = emit_count(value->type), step = type_is_elem(value->type, ELEM_FP16) ? 2 : 1, n = 0;
  const Op *dot = dot_padding(value);
  for (uint32_t r = 0; r < count; r += step) {
    if (dot && !dot_sums_in(dot, r)) continue;
    LLVMValueRef x = emit_register(e, value, r);
    words[n++] = step == 1 ? x : emit_pair(e, x, emit_register(e, value, r + 1));
  }
  return n;
}

static uint32_t set_waited(Emitter *e, const Value *result, const LLVMValueRef *words) {
  LLVMValueRef *out = emit_new(e, result);
  uint32_t count = emit_count(result->type), step = type_is_elem(result->type, ELEM_FP16) ? 2 : 1, n = 0;
  const Op *dot = dot_padding(result);
  for (uint32_t r = 0; r < count; r += step) {
    if (dot && !dot_sums_in(dot, r))
      for (uint32_t i = 0; i < step; i++) out[r + i] = LLVMConstNull(emit_type(e, result->type));
    else if (step == 1)
      out[r] = words[n++];
    else
      emit_unpair(e, words[n++], &out[r], &out[r + 1]);
  }
  return n;
}

// Values that must only be computed before the wait, as words that inline assembly takes.
static uint32_t add_before(Emitter *e, const Value *value, LLVMValueRef *words) {
  uint32_t count = emit_count(value->type);
  for (uint32_t r = 0; r < count; r++) {
    LLVMTypeRef type = LLVMTypeOf(words[r] = emit_register(e, value, r));
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind)
      words[r] = LLVMBuildBitCast(e->builder, words[r], e->i16, "");
    else if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 16)
      words[r] = LLVMBuildZExt(e->builder, words[r], e->i16, "");
  }
  return count;
}

// True for a dot that the wait leaves in flight. Its sums must not be moved. Their users, other dots or
// waits, keep their order anyway.
static bool stays_under_way(const Op *wait, uint32_t i) {
  const Op *dot = op_operand(wait, i)->def;
  int64_t later = 0;
  if (!dot || !is_dot_of(dot, DOT_WGMMA) || dot->region != wait->region) return false;
  for (const Op *op = dot->next; op != wait; op = op->next) {
    if (op->region_count) return false; // it may contain dots
    later += is_dot_of(op, DOT_WGMMA);
  }
  return later < op_int(wait, ATTR_PENDING, 0);
}

// The first dot of the chain that accumulates to the value without a wait in between.
static const Op *first_of_chain(const Value *sum) {
  const Op *first = NULL;
  while (sum && sum->def && is_dot_of(sum->def, DOT_WGMMA)) {
    first = sum->def;
    sum = summed_into(first);
  }
  return first;
}

// True if the dots that compute the yielded value begin while the loop-carried value in its place is still
// read. ptxas would give both one register.
static bool is_carried_over(const Op *first, const Use *yield) {
  const Op *loop = yield->user->region->parent;
  if (yield->user->kind != OP_YIELD || !loop || loop->kind != OP_FOR || first->region != yield->user->region)
    return false;
  const Value *carried = first->region->args[yield - yield->user->operands + 1];
  const Op *begin = summed_into(first) == carried ? first_under_way(first) : first;
  for (const Use *use = carried->first_use; use; use = use->next) {
    const Op *user = op_in_region(use->user, first->region);
    if (use->user != first && user && op_precedes(begin, user)) return true;
  }
  return false;
}

static bool has_dots(const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    if (is_dot_of(w.op, DOT_WGMMA)) return true;
  return false;
}

// True if a branch passes the value to a loop that has other dots. ptxas does not see there that it was
// waited for.
static bool is_conditional(const Use *yield) {
  const Op *branch = yield->user->region->parent;
  if (yield->user->kind != OP_YIELD || !branch || branch->kind != OP_IF) return false;
  while (branch->region->parent && branch->region->parent->kind == OP_IF) branch = branch->region->parent;
  const Region *body = branch->region;
  if (!body->parent || !op_is_loop(body->parent)) return false;
  for (const Op *op = body->first; op; op = op->next)
    if (op != branch && has_dots(op)) return true;
  return false;
}

// True if the use takes one half of a pair of fp16. ptxas would extract it before the wait.
static bool takes_halves(const Use *use) {
  return type_is_elem(use->value->type, ELEM_FP16) && use->user->kind != OP_YIELD &&
         !is_dot_of(use->user, DOT_WGMMA);
}

// True if the sums need new registers after the wait. ptxas does not know that a dot wrote the new ones.
static bool needs_copy(const Op *wait, uint32_t i) {
  const Op *first = first_of_chain(op_operand(wait, i));
  for (const Use *use = wait->results[i].first_use; first && use; use = use->next)
    if (takes_halves(use) || is_carried_over(first, use) || is_conditional(use)) return true;
  return false;
}

// Passes all sums through the wait that need a copy, or all that need none.
static void pass_through(Emitter *e, const Op *wait, LLVMValueRef *words, bool copied) {
  uint32_t count = 0, at = 0;
  for (uint32_t i = 0; i < wait->result_count; i++)
    if (!stays_under_way(wait, i) && needs_copy(wait, i) == copied)
      count += add_waited(e, op_operand(wait, i), words + count);
  if (!count) return;
  if (copied)
    nvvm_copy(e, words, count);
  else
    nvvm_hold(e, words, count);
  for (uint32_t i = 0; i < wait->result_count; i++)
    if (!stays_under_way(wait, i) && needs_copy(wait, i) == copied)
      at += set_waited(e, &wait->results[i], words + at);
}

void emit_dot_wait(Emitter *e, Op *op) {
  if (op->result_count && op->results[0].type->kind == TYPE_TMEM) {
    emit_tcgen05_wait(e, op);
    return;
  }
  uint32_t most = 0, before = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) most += emit_count(op_operand(op, i)->type);
  LLVMValueRef *words = ARENA_ARRAY(e->arena, LLVMValueRef, most);
  for (uint32_t i = op->result_count; i < op->operand_count; i++)
    before += add_before(e, op_operand(op, i), words + before);
  nvvm_wgmma_wait(e, (uint32_t)op_int(op, ATTR_PENDING, 0), words, before, op_attr(op, ATTR_PINNED));
  pass_through(e, op, words, true);
  pass_through(e, op, words, false);
  for (uint32_t i = 0; i < op->result_count; i++)
    if (stays_under_way(op, i)) emit_bind(e, &op->results[i], emit_get(e, op_operand(op, i)));
}
