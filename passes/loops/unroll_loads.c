// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// unroll_loads: unrolls loops that wait for memory, so that loads of several iterations are in flight.
//
// ```
// before  for %i = 0 to %n step 1024 (%acc = ...) {
//           %x = load %p + %i                           (16 bytes a thread)
//           %next = add %acc, %x
//         }
// after   if the number of iterations is 2 or 3 more than a multiple of 4 { two }
//         if it is odd { one }
//         for %i = %start to %n step 4096 (%acc = ...) {
//           %x0 = load %p + %i
//           %x1 = load %p + %i + 1024                   (and so on: four)
//           %acc1 = add %acc, %x0
//           %acc2 = add %acc1, %x1                      (and so on)
//         }
// ```
//
// A loop over a small block, up to the end of what is divided into blocks, has all of its iterations or none:
//
// before  for %i = %s to min(%s + 2, %n) { load %p + %i; ... }        (%s and %n are multiples of 2)
// after   if %s < %n { load %p + %s; ...; load %p + %s + 1; ... }
//
// needs   tiles without layouts; simplified IR
// keeps   every value, and the order in which values are combined
// breaks  nothing
//
// pays    an SM needs about 32 KB in flight to keep memory busy (docs/measurements.md)
//
// Cost model: a kernel can count on 512 threads per SM. It has fewer if it uses many registers or a small grid. So a
// thread should have 32 KB / 512 = TUNE_UNROLL_BYTES in flight. A loop that stores carries little, so that 1024 threads
// fit: with half of the bytes it is left. The factor is the smallest power of two that gives them, within these limits:
// * the factor is at most TUNE_UNROLL_FACTOR;
// * it is at most TUNE_UNROLL_UNKNOWN if the trip count is not known. The iterations that are left take as much code again,
//   and short loops run only these;
// * it is at most TUNE_UNROLL_STORES if the loop stores. More copies take registers, so that fewer threads fit. Loads of
//   one element a thread take few;
// * an unrolled iteration has at most TUNE_UNROLL_OPS ops;
// * it computes at most TUNE_UNROLL_WORK elements per thread. With more work, the wait for memory is relatively short.
//
// A loop that runs once at most becomes a branch: ptxas would unroll it.
//
// A factor in the source (loop_unroll_factor) overrides this choice. Loops with dots are left to pipeline. In loops
// that write what they may read, loads may not move past the writes. So these are unrolled only over a block: there
// ptxas sees that the addresses of other iterations differ. Under --restrict a store through one argument does not
// write what is read through another.
#include "base/integer.h"
#include "ir/clone.h"
#include "ir/memory/buffer_name.h"
#include "target/tuning.h"
#include "passes/loops/run_once.h"

enum { MAX_BLOCK = 4 };

typedef struct Unroller {
  PassContext *context;
  Func *func;
  bool changed;
} Unroller;

// --- the choice

typedef struct BodyCounts {
  uint32_t ops, loads, bytes, work;  // bytes, work: per thread; work counts computed elements
  uint32_t loaded;                   // the most elements of a thread that a load reads
  bool nested, dots, stores, writes; // writes: what it may read
} BodyCounts;

static bool may_write(const Op *store, const Op *load) {
  int32_t to = pointer_param(op_operand(store, 0)), from = pointer_param(op_operand(load, 0));
  return to < 0 || from < 0 || to == from;
}

// True if the body writes what it may read, or must not change the order of its accesses.
static bool writes_what_it_reads(const Region *region, bool restrict_pointers) {
  for (OpWalk w = ops_in(region); ops_next(&w);) {
    if (!op_has(w.op, WRITES)) continue;
    if (!restrict_pointers || w.op->kind != OP_STORE) return true;
    for (OpWalk reads = ops_in(region); ops_next(&reads);)
      if (op_has(reads.op, READS) && (reads.op->kind != OP_LOAD || may_write(w.op, reads.op))) return true;
  }
  return false;
}

static void count_ops(const Region *region, BodyCounts *body) {
  for (OpWalk w = ops_in(region); ops_next(&w);) {
    const Op *op = w.op;
    body->ops++;
    body->nested |= op_has(op, FLOW);
    body->dots |= op->kind == OP_DOT;
    body->stores |= op_has(op, WRITES);
    if (op_has(op, ELEMENTWISE) && op->result_count && type_is_tile(op_result(op)->type))
      body->work += (uint32_t)((type_elements(op_result(op)->type) - 1) / region_threads(op) + 1);
    if (op->kind == OP_LOAD && type_is_tile(op_result(op)->type)) {
      const Type *tile = op_result(op)->type;
      body->loads++;
      body->loaded = max_u32(body->loaded, (uint32_t)((type_elements(tile) - 1) / region_threads(op) + 1));
      body->bytes += (uint32_t)(type_elements(tile) * type_element_bytes(tile) / region_threads(op));
    }
  }
}

typedef struct LoopRange {
  int64_t lower, step, trips; // trips: -1 if unknown
} LoopRange;

// If lower is not negative, upper - lower does not wrap.
static bool range_of(const Op *loop, LoopRange *range) {
  int64_t upper;
  const Type *type = loop_lower(loop)->type;
  if (type->kind != TYPE_SCALAR || !elem_is_signed(type->elem)) return false;
  if (!value_int_constant(loop_lower(loop), &range->lower) || range->lower < 0) return false;
  if (!value_int_constant(loop_step(loop), &range->step) || range->step <= 0) return false;
  if (range->step > INT32_MAX / (2 * TUNE_UNROLL_FACTOR)) return false;
  range->trips = -1;
  if (!value_int_constant(loop_upper(loop), &upper)) return true;
  range->trips = upper <= range->lower ? 0 : (upper - range->lower - 1) / range->step + 1;
  return upper <= INT32_MAX - range->step; // the new loop may end less than a step beyond
}

static const char *why_not_unrolled(const BodyCounts *body, bool restricted) {
  if (body->writes && restricted)
    return "the loop writes what it may read, so loads may not be moved past its stores";
  if (body->writes)
    return "the loop writes memory, so loads may not be moved past its stores (--restrict, in Python "
           "restrict_pointers=True: past stores through other pointers they may)";
  if (body->nested) return "control flow within the loop";
  return NULL;
}

static uint32_t factor_of(Unroller *u, const Op *loop, const LoopRange *range) {
  BodyCounts body = {0};
  count_ops(loop->regions[0], &body);
  bool restricted = u->func->module->target.restrict_pointers;
  body.writes = writes_what_it_reads(loop->regions[0], restricted);
  uint32_t threads = body.stores ? 2 : 1; // times 512
  if (!body.loads || body.dots || body.bytes == 0 || threads * body.bytes >= TUNE_UNROLL_BYTES) return 1;
  int64_t given = op_int(loop, ATTR_UNROLL, 0);
  if (given == 1) return 1;
  const char *why = why_not_unrolled(&body, restricted);
  if (why) {
    diag_remark(u->context->diags, loop->loc, "unroll_loads",
                "not unrolled, with %u bytes per thread in flight: %s", body.bytes, why);
    return 1;
  }
  uint32_t most = range->trips >= 0 || given > 1 ? TUNE_UNROLL_FACTOR : TUNE_UNROLL_UNKNOWN;
  if (body.stores && body.loaded > 1 && given <= 1) most = TUNE_UNROLL_STORES;
  if (given > 1 && given < most) most = (uint32_t)given;
  uint32_t factor = given > 1 ? most : 1;
  while (factor < most && factor * body.bytes < TUNE_UNROLL_BYTES) factor *= 2;
  while (factor > 1 && (factor * body.ops > TUNE_UNROLL_OPS || factor * body.work > TUNE_UNROLL_WORK))
    factor /= 2;
  while (range->trips >= 0 && factor > range->trips) factor /= 2;
  if (factor > 1)
    diag_remark(u->context->diags, loop->loc, "unroll_loads", "unrolled by %u: %u bytes per thread in flight",
                factor, factor * body.bytes);
  return factor ? factor : 1;
}

// --- whole blocks

typedef struct Block {
  Value *end; // The loop ends at min(lower + size, end).
  int64_t size, step;
} Block;

static bool is_multiple(const Value *value, int64_t of) {
  int64_t constant;
  if (value_int_constant(value, &constant)) return constant % of == 0;
  const Op *def = value->def;
  return def && def->kind == OP_MUL &&
         (is_multiple(op_operand(def, 0), of) || is_multiple(op_operand(def, 1), of));
}

// The size is a power of two, so what wraps is a multiple too. Below `end` the sum does not wrap.
static bool is_block(const Op *loop, const Op *sum, Block *block) {
  if (!sum || sum->kind != OP_ADD || !value_int_constant(loop_step(loop), &block->step)) return false;
  uint32_t which = op_operand(sum, 0) == loop_lower(loop);
  if (op_operand(sum, 1 - which) != loop_lower(loop)) return false;
  if (!value_int_constant(op_operand(sum, which), &block->size) || block->size <= 0 || block->step <= 0)
    return false;
  return (block->size & (block->size - 1)) == 0 && block->size % block->step == 0 &&
         block->size / block->step <= MAX_BLOCK && is_multiple(loop_lower(loop), block->size) &&
         is_multiple(block->end, block->size);
}

static bool find_block(const Op *loop, Block *block) {
  const Op *least = loop_upper(loop)->def;
  if (!least || least->kind != OP_MIN || !elem_is_signed(loop_index(loop)->type->elem)) return false;
  BodyCounts body = {0};
  count_ops(loop->regions[0], &body);
  if (!body.loads || body.dots || op_int(loop, ATTR_UNROLL, 0) == 1) return false;
  for (uint32_t i = 0; i < 2; i++) {
    block->end = op_operand(least, 1 - i);
    if (is_block(loop, op_operand(least, i)->def, block))
      return block->size / block->step * body.ops <= TUNE_UNROLL_OPS;
  }
  return false;
}

// --- loads first

typedef struct LoadOrder {
  Op *first;     // the first op that uses a loaded value
  bool *waiting; // by op id: depends on a loaded value
} LoadOrder;

static bool hangs_on_load(const LoadOrder *o, const Op *op) {
  const Region *body = o->first->region;
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++) {
      const Op *def = op_operand(w.op, i)->def;
      if (def && def->region == body && (def->kind == OP_LOAD || o->waiting[def->id])) return true;
    }
  return false;
}

static bool uses_load(const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Op *def = op_operand(op, i)->def;
    if (def && def->kind == OP_LOAD && def->region == op->region) return true;
  }
  return false;
}

// Moves every load whose address depends on no other load before the first use of a loaded value.
static void loads_first(Unroller *u, Region *body) {
  func_number(u->func);
  LoadOrder o = {.first = body->first};
  o.waiting = ARENA_ARRAY(u->context->scratch, bool, u->func->op_count);
  while (o.first->next && !uses_load(o.first)) o.first = o.first->next;
  for (Op *op = o.first; op; op = op->next) o.waiting[op->id] = hangs_on_load(&o, op);
  for (Op *op = o.first, *next; op; op = next) {
    next = op->next;
    bool waits = o.waiting[op->id] || op_attr(op, ATTR_VOLATILE);
    if (op->kind == OP_LOAD && !waits && op_can_precede(op, o.first)) op_bring_before(op, o.first);
  }
}

// --- the copies

static Value *next_index(Builder *b, Value *index, uint32_t k, int64_t step) {
  return k ? build_with_int(b, OP_ADD, index, (int64_t)k * step) : index;
}

// `factor` iterations in a row, from `index` on. `values` are the loop-carried values before and after them.
static void copy_iterations(Unroller *u, Builder *b, const Op *loop, Value *index, Value **values,
                            uint32_t factor, int64_t step) {
  const Region *body = loop->regions[0];
  uint32_t carried = loop->result_count;
  CloneMap map = clone_map_new(u->context->scratch, u->func); // each copy sets all values of the body again
  for (uint32_t k = 0; k < factor; k++) {
    clone_set(&map, body->args[0], next_index(b, index, k, step));
    for (uint32_t i = 0; i < carried; i++) clone_set(&map, body->args[i + 1], values[i]);
    region_clone_ops(b, body, &map);
    for (uint32_t i = 0; i < carried; i++) values[i] = clone_get(&map, op_operand(body->last, i));
  }
  b->loc = body->last->loc;
  build_yield(b, carried, values);
}

// The bounds of the unrolled loop, and the loop-carried values before it.
typedef struct Turns {
  Value *lower, *upper, **values;
} Turns;

static Op *build_unrolled(Unroller *u, Op *loop, const Turns *turns, uint32_t factor, int64_t step) {
  Builder b = builder_before(loop);
  uint32_t carried = loop->result_count;
  Value *stride = build_int(&b, turns->lower->type, step * factor),
        **values = ARENA_ARRAY(u->context->scratch, Value *, carried);
  Op *made = build_for(&b, turns->lower, turns->upper, stride, carried, turns->values);
  op_copy_attrs(made, loop);
  op_remove_attr(made, ATTR_UNROLL);
  Region *to = made->regions[0];
  for (uint32_t i = 0; i < carried; i++) values[i] = to->args[i + 1];
  for (uint32_t i = 0; i <= carried; i++) to->args[i]->name = loop->regions[0]->args[i]->name;
  Builder inner = builder_inside(to, loop->loc);
  copy_iterations(u, &inner, loop, to->args[0], values, factor, step);
  loads_first(u, to);
  return made;
}

static void replace_loop(Op *loop, const Op *made) {
  for (uint32_t i = 0; i < loop->result_count; i++) value_replace_uses(&loop->results[i], &made->results[i]);
  op_erase(loop);
}

// The last unrolled iteration may pass `upper` by less than one step: 0 to 125 step 32 has four iterations.
static void unroll_known(Unroller *u, Op *loop, uint32_t factor, const LoopRange *range) {
  Builder b = builder_before(loop);
  Value *middle =
      build_int(&b, loop_lower(loop)->type, range->lower + range->trips / factor * factor * range->step);
  Turns turns = {loop_lower(loop), middle, loop_inits(u->context->scratch, loop, 0)};
  Op *made = build_unrolled(u, loop, &turns, factor, range->step);
  if (range->trips % factor == 0) {
    replace_loop(loop, made);
    return;
  }
  op_set_operand(loop, 0, middle);
  for (uint32_t i = 0; i < loop->result_count; i++) op_set_operand(loop, i + 3, &made->results[i]);
}

// if %some { `size` iterations from the start of `turns` on }. The values of `turns` become those after it.
static Op *build_some(Unroller *u, Op *loop, Turns *turns, Value *some, uint32_t size, int64_t step) {
  Builder b = builder_before(loop);
  uint32_t carried = loop->result_count;
  const Type **types = ARENA_ARRAY(u->context->scratch, const Type *, carried);
  for (uint32_t i = 0; i < carried; i++) types[i] = loop->results[i].type;
  Op *branch = build_if(&b, some, carried, types);
  Builder all = builder_inside(branch->regions[0], loop->loc),
          none = builder_inside(branch->regions[1], loop->loc);
  build_yield(&none, carried, turns->values);
  copy_iterations(u, &all, loop, turns->lower, turns->values, size, step);
  for (uint32_t i = 0; i < carried; i++) turns->values[i] = &branch->results[i];
  return branch;
}

// if %count >= size { `size` iterations }. Moves the start of `turns` past them. Returns the count that is left.
static Value *build_part(Unroller *u, Op *loop, Turns *turns, Value *count, uint32_t size, int64_t step) {
  Builder b = builder_before(loop);
  const Type *type = count->type;
  Value *some = build_binary(&b, OP_GE, count, build_int(&b, type, size)), *nothing = build_int(&b, type, 0);
  loads_first(u, build_some(u, loop, turns, some, size, step)->regions[0]);
  Value *done = build(&b, OP_SELECT, type, some, build_int(&b, type, size * step), nothing);
  turns->lower = build_binary(&b, OP_ADD, turns->lower, done);
  return build_binary(&b, OP_SUB, count,
                      build(&b, OP_SELECT, type, some, build_int(&b, type, size), nothing));
}

static void unroll_block(Unroller *u, Op *loop, const Block *block) {
  Builder b = builder_before(loop);
  bool writes = writes_what_it_reads(loop->regions[0], u->func->module->target.restrict_pointers);
  Turns turns = {loop_lower(loop), block->end, loop_inits(u->context->scratch, loop, 0)};
  Value *some = build_binary(&b, OP_LT, turns.lower, turns.upper);
  diag_remark(u->context->diags, loop->loc, "unroll_loads", "unrolled: the loop runs over a block of %d",
              (int)block->size);
  Op *branch = build_some(u, loop, &turns, some, (uint32_t)(block->size / block->step), block->step);
  if (!writes) loads_first(u, branch->regions[0]);
  replace_loop(loop, branch);
  u->changed = true;
}

// The iterations that are no multiple of the factor come first, by halves, in branches. A loop that runs a few times at
// most would be unrolled by ptxas, which does not know that.
static void unroll_unknown(Unroller *u, Op *loop, uint32_t factor, int64_t step) {
  Builder b = builder_before(loop);
  const Type *type = loop_lower(loop)->type;
  Value *upper = build_binary(&b, OP_MAX, loop_upper(loop), loop_lower(loop));
  Value *length = build_binary(&b, OP_SUB, upper, loop_lower(loop)), *each = build_int(&b, type, step);
  Value *whole = build_binary(&b, OP_DIV, length, each);
  Value *left = build_binary(&b, OP_SUB, length, build_binary(&b, OP_MUL, whole, each));
  Value *zero = build_int(&b, type, 0), *one = build_int(&b, type, 1);
  Value *last = build(&b, OP_SELECT, type, build_binary(&b, OP_GT, left, zero), one, zero);
  Value *trips = build_binary(&b, OP_ADD, whole, last);
  Value *count = build_binary(&b, OP_REM, trips, build_int(&b, type, factor));
  Turns turns = {loop_lower(loop), loop_upper(loop), loop_inits(u->context->scratch, loop, 0)};
  for (uint32_t size = 1u << log2_floor(factor - 1); size > 0; size /= 2)
    count = build_part(u, loop, &turns, count, size, step);
  replace_loop(loop, build_unrolled(u, loop, &turns, factor, step));
}

static void unroll_loop(Unroller *u, Op *loop, uint32_t factor, const LoopRange *range) {
  if (range->trips >= 0)
    unroll_known(u, loop, factor, range);
  else
    unroll_unknown(u, loop, factor, range->step);
  u->changed = true;
}

// The last iteration that split_masks has peeled. Loops with dots are left to pipeline.
static bool is_last(const Op *loop) {
  BodyCounts body = {0};
  if (!loop_runs_once(loop)) return false;
  count_ops(loop->regions[0], &body);
  return body.loads && !body.dots;
}

static void unroll_region(Unroller *u, Region *region) {
  for (Op *op = region->first, *next; op; op = next) {
    next = op->next;
    for (uint32_t r = 0; op_has(op, FLOW) && r < op->region_count; r++) unroll_region(u, op->regions[r]);
    LoopRange range;
    if (op->kind == OP_FOR && is_last(op)) {
      loop_to_branch(u->context->scratch, op);
      u->changed = true;
      continue;
    }
    Block block;
    if (op->kind != OP_FOR) continue;
    func_number(u->func);
    if (find_block(op, &block)) {
      unroll_block(u, op, &block);
      continue;
    }
    if (!range_of(op, &range)) continue;
    uint32_t factor = factor_of(u, op, &range);
    if (factor > 1) unroll_loop(u, op, factor, &range);
  }
}

bool pass_unroll_loads(PassContext *context, Func *func) {
  Unroller u = {context, func, false};
  unroll_region(&u, func->body);
  return u.changed;
}
