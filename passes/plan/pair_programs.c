// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds neighbouring programs that can compute their dots as a pair. A pair is two CTAs of a cluster. Their tensor cores
// share one second operand. Program 2i along axis 0 and the next one must
// * load the same tiles of that operand, each iteration;
// * run the same iterations.
//
// A scalar is the same for both, or is even for the first and one more for the second, or anything. So
// (2i + 1) / n is 2i / n for an even n. The guard requires that such divisors are even, as far as the host knows them,
// and the number of programs too.
#include "ir/build.h"
#include "ir/dot/layout_dot.h"
#include "passes/analysis/plan.h"
#include "passes/warp_specialization/roles.h"

typedef enum PairScalar { PAIR_VARIES, PAIR_SAME, PAIR_COUNTS } PairScalar;

typedef struct PairSearch {
  Arena *arena;
  const Op *loop;
  const Value *assumed; // a carried value that counts as the same while its next value is looked at
  VEC(Value *) even;    // scalars that the guard requires to be even
  uint32_t steps;
} PairSearch;

enum { MOST_STEPS = 2000 };

// An addition, subtraction, minimum or maximum. Products have been looked at.
static bool is_sum(const Op *op) { return op && (op_has(op, ARITHMETIC) || op_has(op, COMMUTES | CHOOSES)); }

// True if that follows from constants.
static bool is_known_even(const Value *value) {
  int64_t known;
  const Op *op = value->def;
  if (value_int_constant(value, &known)) return known % 2 == 0;
  if (op && op->kind == OP_CAST) return is_known_even(op_operand(op, 0));
  if (op && op->kind == OP_MUL) return is_known_even(op_operand(op, 0)) || is_known_even(op_operand(op, 1));
  return is_sum(op) && is_known_even(op_operand(op, 0)) && is_known_even(op_operand(op, 1));
}

// The same, as far as the guard can require it.
static bool is_even(PairSearch *p, Value *value) {
  const Op *op = value->def;
  if (is_known_even(value)) return true;
  if (known_on_host(value)) {
    vec_push(p->arena, &p->even, value);
    return true;
  }
  if (op && op->kind == OP_CAST) return is_even(p, op_operand(op, 0));
  if (op && op->kind == OP_MUL) return is_even(p, op_operand(op, 0)) || is_even(p, op_operand(op, 1));
  return is_sum(op) && is_even(p, op_operand(op, 0)) && is_even(p, op_operand(op, 1));
}

static PairScalar kind_of(PairSearch *p, Value *value);

static bool are_same(PairSearch *p, const Op *op, uint32_t first) {
  for (uint32_t i = first; i < op->operand_count; i++)
    if (kind_of(p, op_operand(op, i)) != PAIR_SAME) return false;
  return true;
}

static PairScalar carried_kind(PairSearch *p, const Value *arg) {
  const Op *loop = arg->region->parent;
  if (!loop) return PAIR_SAME; // a parameter
  if (loop != p->loop) return PAIR_VARIES;
  if (arg->index == 0 || arg == p->assumed) return PAIR_SAME; // its bounds are looked at too
  if (p->assumed || kind_of(p, loop_init(loop, arg->index - 1)) != PAIR_SAME) return PAIR_VARIES;
  p->assumed = arg;
  PairScalar next = kind_of(p, loop_yielded(loop, arg->index - 1));
  p->assumed = NULL;
  return next == PAIR_SAME ? PAIR_SAME : PAIR_VARIES;
}

// Program ids and their quotients are not negative.
static PairScalar divided_kind(PairSearch *p, const Op *op) {
  PairScalar kind = kind_of(p, op_operand(op, 0));
  if (kind == PAIR_VARIES || kind_of(p, op_operand(op, 1)) != PAIR_SAME) return PAIR_VARIES;
  if (kind == PAIR_SAME) return PAIR_SAME;
  if (!is_even(p, op_operand(op, 1))) return PAIR_VARIES;
  return op->kind == OP_DIV ? PAIR_SAME : PAIR_COUNTS;
}

static PairScalar kind_of(PairSearch *p, Value *value) {
  const Op *op = value->def;
  if (++p->steps > MOST_STEPS) return PAIR_VARIES;
  if (!op) return carried_kind(p, value);
  switch ((int)op->kind) {
  case OP_PROGRAM_ID: return op_int(op, ATTR_AXIS, 0) == 0 ? PAIR_COUNTS : PAIR_SAME;
  case OP_CAST: return type_is_int(value->type) ? kind_of(p, op_operand(op, 0)) : PAIR_VARIES;
  case OP_DIV:
  case OP_REM: return type_is_int(value->type) ? divided_kind(p, op) : PAIR_VARIES;
  default: return op_has(op, PURE) && !op->region_count && are_same(p, op, 0) ? PAIR_SAME : PAIR_VARIES;
  }
}

// True if rows of the load's TMA tiles are along k, so that each row of the tensor is a column of the operand.
static bool is_turned(const StagedLoop *staged, const StagedLoad *load) {
  bool turned = load->trans != NULL;
  turned ^= load->tensor.inner + 1 != load->tensor.slot->rank;
  const Value *operand = op_operand(staged->dot, DOT_B);
  for (; operand->def && operand->def != load->alloc; operand = op_operand(operand->def, 0))
    turned ^= operand->def->kind == OP_SHARED_TRANS;
  return turned;
}

// Half of the columns is half of the TMA tiles, or half of the rows of the only one. Padding has neither.
static bool has_halves(const StagedLoop *staged, const StagedLoad *load) {
  enum { LEAST_ROWS = 16 };
  uint32_t part[2];
  if (!load || !load->by_tensor || !dot_reads_part(staged->dot, DOT_B, part)) return false;
  const TensorBox *box = &load->tensor.box;
  if (is_turned(staged, load))
    return box->count == 1 && box->shape[0] >= LEAST_ROWS && box->shape[0] == part[1];
  return box->count % 2 == 0 && box->count * box->shape[1] == part[1];
}

static const char *why_not_dot(const Op *dot) {
  enum { ROWS = 128, MOST_COLUMNS = 256, INT_COLUMNS = 32 };
  const Type *sums = op_result(dot)->type;
  uint32_t part[2];
  if (dot_is_scaled(dot)) return "its dots have scales";
  if (sums->shape[0] % ROWS || sums->shape[1] > MOST_COLUMNS)
    return "its dots do not have a multiple of 128 rows, and 256 columns at most";
  if (!elem_is_int(type_element(sums)->elem)) return NULL; // they are in tensor memory
  return dot_reads_part(dot, DOT_B, part) && part[1] % INT_COLUMNS == 0
             ? NULL
             : "pairs of integers have a multiple of 32 columns";
}

static const char *find(PairSearch *p, const StagedLoop *staged) {
  const Op *loop = staged->loop;
  const StagedLoad *load = roles_second_load(staged);
  const char *why = why_not_dot(staged->dot);
  if (why) return why;
  if (loop->region->parent) return "its loop is in a branch or another loop";
  if (!has_halves(staged, load)) return "the second operand has no two halves of whole TMA tiles";
  for (uint32_t i = 0; i < LOOP_FIRST_INIT; i++)
    if (kind_of(p, op_operand(loop, i)) != PAIR_SAME)
      return "two neighbours along axis 0 may have loops of different lengths";
  if (!are_same(p, load->tma_mark, 1))
    return "two neighbours along axis 0 may load different second operands";
  return NULL;
}

// --- the guard

static Value *is_even_on_host(Builder *b, Value *x) {
  return build_with_int(b, OP_EQ, build_with_int(b, OP_REM, x, 2), 0);
}

static void require(Func *func, const PairSearch *p) {
  const HostRegion *guard = func_host(func, HOST_GUARD, NULL);
  CloneMap map = clone_map_new(p->arena, func);
  Builder b;
  Op *yield = NULL;
  if (guard)
    b = builder_before(yield = guard->region->last);
  else
    guard = func_new_host(func, HOST_GUARD, NULL), b = builder_at_end(func, guard->region);
  b.loc = p->loop->loc;
  for (uint32_t i = 0; i < guard->region->arg_count; i++)
    clone_set(&map, func->body->args[i], guard->region->args[i]);
  Value *holds = is_even_on_host(&b, build_program_id(&b, OP_NUM_PROGRAMS, 0));
  for (uint32_t i = 0; i < p->even.n; i++)
    holds = build_binary(&b, OP_AND, holds, is_even_on_host(&b, host_clone(&b, &map, p->even.at[i])));
  if (yield)
    op_set_operand(yield, 0, build_binary(&b, OP_AND, op_operand(yield, 0), holds));
  else
    build_yield(&b, 1, &holds);
}

const char *programs_refuse_pairs(PassContext *context, Func *func, StagedLoop *staged) {
  PairSearch p = {.arena = context->scratch, .loop = staged->loop};
  if (!target_has(func->module->target.arch, FEATURE_PAIR_COPIES | FEATURE_CLUSTER_CONTROL_MULTICAST))
    return "the architecture has none";
  if (func->module->target.persistent != PERSIST_AUTO) return "the kernel says whether it is persistent";
  if (!module_takes_maps(func->module)) return "the launcher must check that the number of programs is even";
  const char *why = find(&p, staged);
  if (!why) staged->halved = roles_second_load(staged);
  return why;
}

void programs_require_pairs(PassContext *context, Func *func, const StagedLoop *staged) {
  PairSearch p = {.arena = context->scratch, .loop = staged->loop};
  if (!find(&p, staged)) require(func, &p);
}
