// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// retile: runs two neighbouring programs as one, and halves BLOCK_K where steps are long.
//
// needs   plan_kernel; IR without layouts, with block pointers or descriptors
// breaks  nothing
#include "ir/build.h"
#include "ir/dot/dot_fits.h"
#include "target/tuning.h"
#include "passes/tma/tma_range.h"
#include "passes/tma/tensor_copies.h"
#include "passes/analysis/hopper_limits.h"
#include "passes/passes.h"

// --- what changes its shape together

// Two-dimensional tiles and block pointers, each with the dimension whose extent changes.
typedef struct Retile {
  Arena *arena;
  Func *func;
  uint8_t *marks;      // by value id: 1 + the dimension; 0: the value stays as it is
  VEC(Value *) values; // the marked ones
} Retile;

// The index of the operand of make_block_ptr or advance that is the block's offset along the dimension.
static uint32_t retile_offset_index(const Op *op, uint32_t dim) {
  return op->kind == OP_ADVANCE ? 1 + dim : 1 + 2u * op_result(op)->type->rank + dim;
}

enum { RANK = 2 };

// Numbers the function's values. Values that are made later cannot be marked.
static Retile retile_new(Arena *arena, Func *func) {
  func_number(func);
  return (Retile){.arena = arena, .func = func, .marks = ARENA_ARRAY(arena, uint8_t, func->value_count)};
}

// Returns false if the value is already marked with its other dimension, or does not have two dimensions.
static bool retile_mark(Retile *r, Value *value, uint32_t dim) {
  const Type *type = value->type;
  if (!type_is_tile(type) && !type_is_block_ptr(type)) return false;
  if (type->rank != RANK || type->layout || value->id >= r->func->value_count) return false;
  uint8_t *mark = &r->marks[value->id];
  if (*mark) return *mark == dim + 1;
  *mark = (uint8_t)(dim + 1);
  vec_push(r->arena, &r->values, value);
  return true;
}

static bool retile_is_marked(const Retile *r, const Value *value, uint32_t dim) {
  return value->id < r->func->value_count && r->marks[value->id] == dim + 1;
}

// If one is marked, marks both.
static bool keep_alike(Retile *r, Value *x, Value *y) {
  uint8_t mark = r->marks[x->id] ? r->marks[x->id] : r->marks[y->id];
  return !mark || (retile_mark(r, x, mark - 1u) && retile_mark(r, y, mark - 1u));
}

static bool spread_elementwise(Retile *r, Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (type_is_tile(op_operand(op, i)->type) && !keep_alike(r, op_result(op), op_operand(op, i)))
      return false;
  return true;
}

static bool spread_transposed(Retile *r, const Op *op) {
  Value *x = op_operand(op, 0), *y = op_result(op);
  uint8_t own = r->marks[x->id], turned = r->marks[y->id];
  if (x->type->rank != RANK || op_attr(op, ATTR_ORDER)->ints.at[0] != 1) return false;
  return own ? retile_mark(r, y, RANK - own) : !turned || retile_mark(r, x, RANK - turned);
}

// Rows of the first operand and columns of the second are those of the result. Both operands have k.
static bool spread_dot(Retile *r, const Op *op) {
  Value *x = op_operand(op, 0), *y = op_operand(op, 1), *result = op_result(op);
  if (!keep_alike(r, op_operand(op, 2), result)) return false;
  if (retile_is_marked(r, x, 0) && !(retile_mark(r, result, 0) && retile_mark(r, op_operand(op, 2), 0)))
    return false;
  if (retile_is_marked(r, y, 1) && !(retile_mark(r, result, 1) && retile_mark(r, op_operand(op, 2), 1)))
    return false;
  if (retile_is_marked(r, result, 0) && !retile_mark(r, x, 0)) return false;
  if (retile_is_marked(r, result, 1) && !retile_mark(r, y, 1)) return false;
  if (retile_is_marked(r, x, 1) && !retile_mark(r, y, 0)) return false;
  return !retile_is_marked(r, y, 0) || retile_mark(r, x, 1);
}

static bool spread_loop(Retile *r, const Op *loop) {
  for (uint32_t i = 0; i < loop->result_count; i++) {
    Value *arg = loop_carried(loop, i);
    if (!keep_alike(r, arg, loop_init(loop, i)) || !keep_alike(r, arg, loop_yielded(loop, i)) ||
        !keep_alike(r, arg, &loop->results[i]) || !keep_alike(r, arg, loop_init(loop, i)))
      return false;
  }
  return true;
}

static bool spread_op(Retile *r, Op *op) {
  if (op->result_count && value_uniform(op_result(op))) return true;
  switch ((int)op->kind) {
  case OP_MAKE_BLOCK_PTR: return true;
  case OP_ADVANCE:
  case OP_BLOCK_LOAD: return keep_alike(r, op_result(op), op_operand(op, 0));
  case OP_BLOCK_STORE: return keep_alike(r, op_operand(op, 0), op_operand(op, 1));
  case OP_TRANS: return spread_transposed(r, op);
  case OP_DOT: return spread_dot(r, op);
  case OP_FOR: return spread_loop(r, op);
  case OP_YIELD:
    return op->region->parent && op->region->parent->kind == OP_FOR && spread_loop(r, op->region->parent);
  default: {
    uint32_t traits = op_traits[op->kind];
    return (traits & PURE) && (traits & ELEMENTWISE) && op->result_count == 1 && spread_elementwise(r, op);
  }
  }
}

// Marks everything that must change together with the marked values:
// * operands and results of elementwise ops;
// * loop-carried values;
// * a dot's operands and result;
// * block pointers and accesses through them.
//
// Returns false if an op does not allow the change.
static bool retile_spread(Retile *r) {
  for (uint32_t i = 0; i < r->values.n; i++) {
    Value *value = r->values.at[i];
    Op *from = value->def ? value->def : value->region->parent;
    if (!from || !spread_op(r, from)) return false;
    for (const Use *use = value->first_use; use; use = use->next)
      if (!spread_op(r, use->user)) return false;
  }
  return true;
}

// Multiplies the extent of the marked values by `times`, and divides it by `by`.
static void retile_apply(const Retile *r, uint32_t times, uint32_t by) {
  IrContext *ir = r->func->module->ir;
  for (uint32_t i = 0; i < r->values.n; i++) {
    Value *value = r->values.at[i];
    const Type *type = value->type;
    uint32_t dim = r->marks[value->id] - 1u, shape[RANK] = {type->shape[0], type->shape[1]};
    shape[dim] = shape[dim] * times / by;
    value->type = type_is_tile(type) ? type_tile(ir, type_element(type), RANK, shape, NULL)
                                     : type_block_ptr(ir, type->inner, RANK, shape);
  }
}

// --- programs: two neighbouring ones as one, because their dots read one tile from shared memory twice
//
// ```
// before  %p = program_id {axis = 1}                after  guard { the launch has enough programs for pairs }
//         %o = mul %p, 128                                 %q = program_id {axis = 1}
//         %y = make_block_ptr ..., %zero, %o               %n = num_programs {axis = 1}
//                        : block_ptr<128x128xfp16>         if %q < %n - %n / 2 {
//         for ... { dot %x, %y, ... : tile<128x128xfp32> }   %p = mul %q, 2
//         block_store %z, ... : tile<128x128xfp16>           the same with tiles of 128x256; stores end where the
//                                                            programs end
//                                                          }
// ```
//
// needs   plan_kernel, which decides this; IR without layouts, with block pointers or descriptors. Program ids along
//         the axis only give offsets of blocks, one block's extent apart. Bounds along the axis are checked.
// keeps   Every value: a pair writes what its two programs wrote.
// breaks  Nothing. Half of the programs do nothing.
//
// pays    Two fp16 dots of 128x128 read 64 KB per 64 of k. One of 128x256 reads 48 KB, and wgmma reads its first
//         operand half as often. By default this applies to kernels that plan_pipeline makes persistent. There, programs that
//         do nothing cost nothing.
//
// The guard counts waves over all SMs. A pair takes nearly twice as long as a program, and the last wave may be nearly
// empty. If the guard does not hold, the launch takes the kernel with persistent = "off".

enum { AXIS = 1, MAX_FACTOR = 1 << 15, PAIR = 2 };

typedef struct Pairing {
  PassContext *context;
  Func *func;
  Retile tiles;
  uint8_t *places;   // by value id: multiples of the program id that give offsets of blocks
  VEC(Op *) numbers; // program_id of the axis
  VEC(Op *) stores;
  const AxisTable *axes;
  const Op *dot;
  uint32_t dots;
  bool declined;
} Pairing;

// --- what depends on the program id

static bool place_scalar(Pairing *p, Value *scalar, int64_t factor);

static bool place_block(Pairing *p, const Use *use, int64_t factor) {
  Op *op = use->user;
  uint32_t index = (uint32_t)(use - op->operands);
  for (uint32_t d = 0; d < op_result(op)->type->rank; d++)
    if (index == retile_offset_index(op, d))
      return (int64_t)op_result(op)->type->shape[d] == factor && retile_mark(&p->tiles, op_result(op), d);
  return false;
}

static bool place_use(Pairing *p, const Use *use, int64_t factor) {
  int64_t by;
  Op *op = use->user;
  switch ((int)op->kind) {
  case OP_CAST: {
    const Type *type = op_result(op)->type;
    bool whole = type_is_elem(type, ELEM_I32) || type_is_elem(type, ELEM_I64);
    return whole && place_scalar(p, op_result(op), factor);
  }
  case OP_MUL: {
    bool constant = value_int_constant(op_operand(op, 1), &by) || value_int_constant(op_operand(op, 0), &by);
    return constant && by > 0 && by <= MAX_FACTOR / factor && place_scalar(p, op_result(op), factor * by);
  }
  case OP_MAKE_BLOCK_PTR:
  case OP_ADVANCE: return place_block(p, use, factor);
  default: return false;
  }
}

// Marks the scalar, which is `factor` times the program id. Returns true if all its uses are offsets of blocks, and the
// blocks are neighbours.
static bool place_scalar(Pairing *p, Value *scalar, int64_t factor) {
  p->places[scalar->id] = 1;
  for (const Use *use = scalar->first_use; use; use = use->next)
    if (!place_use(p, use, factor)) return false;
  return true;
}

// Follows the block to its make_block_ptr. *once: the program id was added exactly once. Returns false, and leaves
// *once, if the pointer cannot be followed.
static bool is_placed(const Pairing *p, const Value *block, uint32_t dim, bool *once) {
  for (uint32_t added = 0;;) {
    int64_t by;
    const Op *op = block->def;
    if (!op) op = block->region->parent;
    if (op->kind == OP_FOR) {
      block = loop_init(op, block->def ? block->index : block->index - 1);
      continue;
    }
    if (op->kind != OP_ADVANCE && op->kind != OP_MAKE_BLOCK_PTR) return false;
    const Value *offset = op_operand(op, retile_offset_index(op, dim));
    bool own = p->places[offset->id];
    if (!own && !(value_int_constant(offset, &by) && by == 0)) return false;
    added += own;
    if (op->kind == OP_MAKE_BLOCK_PTR) return *once = added == 1, true;
    block = op_operand(op, 0);
  }
}

// True if the advance does not move blocks along the axis. It may also place a block directly after make_block_ptr.
static bool moves_not(const Pairing *p, const Op *advance, uint32_t dim) {
  int64_t by;
  const Value *offset = op_operand(advance, 1 + dim);
  if (value_int_constant(offset, &by)) return by == 0;
  const Value *from = op_operand(advance, 0);
  return p->places[offset->id] && from->def && from->def->kind == OP_MAKE_BLOCK_PTR;
}

static bool is_checked(const Op *access, uint32_t dim) {
  const Attr *boundary = op_attr(access, ATTR_BOUNDARY);
  for (uint32_t i = 0; boundary && i < boundary->ints.n; i++)
    if (boundary->ints.at[i] == dim) return true;
  return false;
}

static bool are_accesses_placed(const Pairing *p) {
  for (uint32_t i = 0; i < p->tiles.values.n; i++) {
    const Value *value = p->tiles.values.at[i];
    uint32_t dim = p->tiles.marks[value->id] - 1u;
    bool once = false;
    if (!type_is_block_ptr(value->type)) continue;
    if (value->def && value->def->kind == OP_ADVANCE && !moves_not(p, value->def, dim)) return false;
    for (const Use *use = value->first_use; use; use = use->next) {
      const Op *op = use->user;
      if (op->kind != OP_BLOCK_LOAD && op->kind != OP_BLOCK_STORE) continue;
      if (!is_checked(op, dim) || !is_placed(p, value, dim, &once) || !once) return false;
    }
  }
  return true;
}

// --- the kernel

static void look_at(Pairing *p, Op *op) {
  switch ((int)op->kind) {
  case OP_PROGRAM_ID:
    if (op_int(op, ATTR_AXIS, 0) == AXIS) vec_push(p->context->scratch, &p->numbers, op);
    break;
  case OP_BLOCK_STORE: vec_push(p->context->scratch, &p->stores, op); break;
  case OP_DOT: p->dot = op, p->dots++; break;
  case OP_MAKE_BLOCK_PTR: p->declined |= !tensor_parts_fit(p->func, p->axes, op, 0); break;
  case OP_WHILE: p->declined = true; break;
  default: p->declined |= op_has(op, WRITES) || !op_has_any(op, PURE | FLOW | TERMINATOR | GLOBAL);
  }
  p->declined |= op_attr(op, ATTR_VOLATILE) != NULL;
}

static const char *find_pairs(Pairing *p) {
  for (uint32_t i = 0; i < p->numbers.n; i++)
    if (!place_scalar(p, op_result(p->numbers.at[i]), 1))
      return "its program id is used for more than offsets of blocks";
  if (!retile_spread(&p->tiles)) return "not everything that depends on its blocks can be wider";
  if (!retile_is_marked(&p->tiles, op_result(p->dot), 1)) return "the dot's columns are not the axis'";
  for (uint32_t i = 0; i < p->stores.n; i++)
    if (!p->tiles.marks[op_operand(p->stores.at[i], 1)->id])
      return "all programs of the axis store the same elements";
  return are_accesses_placed(p) ? NULL : "its blocks are not known to be neighbours within checked bounds";
}

// --- the pairs

static Value *guard_programs(Guard *g, uint32_t axis) {
  Value *count = build_program_id(&g->b, OP_NUM_PROGRAMS, axis);
  return build_cast(&g->b, count, type_scalar(g->func->module->ir, ELEM_I64));
}

// The number of waves: how often all SMs run one program each.
static Value *guard_rounds(Guard *g, Value *programs, int64_t multiprocessors) {
  Value *last = guard_binary(g, OP_ADD, programs, guard_int(g, multiprocessors - 1));
  return guard_binary(g, OP_DIV, last, guard_int(g, multiprocessors));
}

static void guard_rounds_pay(Pairing *p) {
  Guard g = guard_new(p->context, p->func);
  int64_t multiprocessors = p->func->module->target.arch->multiprocessors;
  Value *n = guard_programs(&g, AXIS);
  Value *layers = guard_programs(&g, 2), *others = guard_binary(&g, OP_MUL, guard_programs(&g, 0), layers);
  Value *pairs = guard_binary(&g, OP_SUB, n, guard_binary(&g, OP_DIV, n, guard_int(&g, PAIR)));
  Value *before = guard_rounds(&g, guard_binary(&g, OP_MUL, others, n), multiprocessors);
  Value *after = guard_rounds(&g, guard_binary(&g, OP_MUL, others, pairs), multiprocessors);
  before = guard_binary(&g, OP_MUL, before, guard_int(&g, 100));
  guard_require(&g, OP_LE, guard_binary(&g, OP_MUL, after, guard_int(&g, TUNE_PAIR_TIME)), before);
  guard_end(&g);
}

// Ends the stored tensor where the launch's programs end.
static void bound_store(const Pairing *p, const Op *store, Value *programs) {
  Value *block = op_operand(store, 0);
  uint32_t dim = p->tiles.marks[block->id] - 1u;
  const Op *op = block->def;
  while (!op || op->kind != OP_MAKE_BLOCK_PTR) {
    if (!op) op = block->region->parent;
    block =
        op->kind == OP_FOR ? loop_init(op, block->def ? block->index : block->index - 1) : op_operand(op, 0);
    op = block->def;
  }
  Op *make = block->def;
  Builder b = builder_before(make);
  Value *size = op_operand(make, 1 + dim);
  Value *share = build_int(&b, size->type, block->type->shape[dim] / PAIR);
  Value *end = build_binary(&b, OP_MUL, build_cast(&b, programs, size->type), share);
  op_set_operand(make, 1 + dim, build_binary(&b, OP_MIN, size, end));
}

static void make_pairs(Pairing *p) {
  Region *body = p->func->body;
  Op *first = body->first, *end = body->last;
  Builder b = builder_before(first);
  b.loc = p->dot->loc;
  Value *own = build_program_id(&b, OP_PROGRAM_ID, AXIS),
        *programs = build_program_id(&b, OP_NUM_PROGRAMS, AXIS);
  Value *two = build_int(&b, own->type, PAIR);
  Value *pairs = build_binary(&b, OP_SUB, programs, build_binary(&b, OP_DIV, programs, two));
  Op *branch = build_if(&b, build_binary(&b, OP_LT, own, pairs), 0, NULL);
  for (Op *op = first, *next; op != end; op = next) {
    next = op->next;
    op_move(op, branch->regions[0], NULL);
  }
  for (uint32_t r = 0; r < 2; r++) {
    Builder last = builder_inside(branch->regions[r], end->loc);
    build_yield(&last, 0, NULL);
  }
  Builder inner = builder_before(branch->regions[0]->first);
  Value *number = build_binary(&inner, OP_MUL, own, two);
  for (uint32_t i = 0; i < p->numbers.n; i++) {
    value_replace_uses(op_result(p->numbers.at[i]), number);
    op_erase(p->numbers.at[i]);
  }
  retile_apply(&p->tiles, PAIR, 1);
  for (uint32_t i = 0; i < p->stores.n; i++) bound_store(p, p->stores.at[i], programs);
}

static bool fuse_programs(PassContext *context, Func *func) {
  if (!func_plans(func, PLAN_FUSE_PROGRAMS) || func_host(func, HOST_GUARD, NULL)) return false;
  Pairing p = {.context = context, .func = func, .tiles = retile_new(context->scratch, func)};
  p.axes = axis_analyse(context->scratch, func);
  p.places = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) look_at(&p, w.op);
  if (p.declined || !p.numbers.n || !p.stores.n || p.dots != 1) return false;
  const char *why = find_pairs(&p);
  if (why) {
    diag_remark(context->diags, p.dot->loc, "retile", "programs are not fused: %s", why);
    return false;
  }
  guard_rounds_pay(&p);
  make_pairs(&p);
  diag_remark(context->diags, p.dot->loc, "retile", "two programs run as one along axis %d: dots of %ux%u",
              AXIS, op_result(p.dot)->type->shape[0], op_result(p.dot)->type->shape[1]);
  return true;
}

// --- steps: BLOCK_K is halved and the trip count doubled if too few pipeline stages fit in shared memory
//
// ```
// before  for %lower, %upper, 128 (%sum, %a, %b) {         after  for %lower, %end, 64 (%sum, %a, %b) {
//           %x = block_load %a : tile<128x128xfp16>                 %x = block_load %a : tile<128x64xfp16>
//           %y = block_load %b : tile<128x256xfp16>                 %y = block_load %b : tile<64x256xfp16>
//           %d = dot %x, %y, %sum                                   %d = dot %x, %y, %sum
//           yield %d, (advance %a, 0, 128), %b1                     yield %d, (advance %a, 0, 64), %b1
// ```
//
// needs   IR without layouts, with block pointers or descriptors. The loop only accumulates a dot of two blocks. It
//         advances them along k by a block's extent, or their offsets along k are its index. It ends one step before
//         its index wraps.
//
// keeps   which elements are multiplied, in order of k, in whole steps: %end is %lower plus a number of old steps.
// breaks  nothing
//
// pays    With two slots of 96 KB, no dot is in flight while the next operands are copied. With four slots of 48 KB,
//         one is.

enum { HALF = 2, K_OF_FIRST = 1 };

typedef struct Halving {
  Func *func;
  Op *loop;
  const Op *dot;
  Retile tiles;
  int64_t step;
  bool counts; // offsets along k are the loop's index
} Halving;

// --- the size of a step

static uint32_t tile_bytes(const Value *tile) {
  return tile->type->shape[0] * tile->type->shape[1] * type_element_bytes(tile->type);
}

// True if few slots fit, and half a step still fills whole rows of the shared-memory swizzle.
static bool is_long(const Op *dot) {
  enum { SWIZZLED = 128 };
  const Target *target = &dot->region->func->module->target;
  const Value *x = op_operand(dot, 0), *y = op_operand(dot, 1);
  uint32_t k = x->type->shape[K_OF_FIRST], slot = tile_bytes(x) + tile_bytes(y);
  uint32_t stored = op_result(dot)->type->shape[0] * op_result(dot)->type->shape[1] * 2; // as 16-bit elements
  if (k * type_element_bytes(x->type) < HALF * SWIZZLED || stored >= target->arch->shared_limit) return false;
  return slots_that_fit(target->arch, stored, slot) < TUNE_HALVED_SLOTS;
}

static int64_t stages_of(const Op *loop) {
  return op_int(loop, ATTR_NUM_STAGES, loop->region->func->module->target.num_stages);
}

// --- the loop

// True if loop-carried value i is the sum: the dot accumulates onto it, or is added to it.
static bool is_sum(const Halving *h, uint32_t i) {
  const Value *arg = loop_carried(h->loop, i), *next = loop_yielded(h->loop, i), *product = op_result(h->dot);
  const Op *yield = h->loop->regions[0]->last;
  if (next == product)
    return op_operand(h->dot, 2) == arg && value_used_only_by(arg, h->dot) &&
           value_used_only_by(product, yield);
  const Op *add = next->def;
  if (!add || add->kind != OP_ADD || add->region != h->loop->regions[0] || !value_used_only_by(next, yield))
    return false;
  bool of_both = (op_operand(add, 0) == arg && op_operand(add, 1) == product) ||
                 (op_operand(add, 1) == arg && op_operand(add, 0) == product);
  return of_both && value_used_only_by(arg, add) && value_used_only_by(product, add);
}

static bool is_index(const Halving *h, const Value *value) {
  return value_before(value, OP_CAST) == loop_index(h->loop);
}

static bool is_in_loop(const Halving *h, const Op *op) { return op->region == h->loop->regions[0]; }

// True if loop-carried value i is a block pointer that advances by its extent, after its loads.
static bool is_carried_block(const Halving *h, uint32_t i) {
  const Value *arg = loop_carried(h->loop, i);
  const Op *advance = loop_yielded(h->loop, i)->def;
  int64_t by;
  if (!type_is_block_ptr(arg->type) || !h->tiles.marks[arg->id]) return false;
  uint32_t dim = h->tiles.marks[arg->id] - 1u;
  if (!advance || advance->kind != OP_ADVANCE || op_operand(advance, 0) != arg) return false;
  if (!value_used_only_by(op_result(advance), h->loop->regions[0]->last)) return false;
  for (uint32_t d = 0; d < arg->type->rank; d++)
    if (!value_int_constant(op_operand(advance, 1 + d), &by) ||
        by != (d == dim ? (int64_t)arg->type->shape[d] : 0))
      return false;
  return true;
}

// True if the block's offset along k is the loop's index.
static bool is_counted_block(Halving *h, const Op *advance) {
  const Value *block = op_result(advance), *tensor = op_operand(advance, 0);
  uint32_t dim = h->tiles.marks[block->id] - 1u;
  if (!tensor->def || is_in_loop(h, tensor->def) || h->step != (int64_t)block->type->shape[dim]) return false;
  if (!is_index(h, op_operand(advance, 1 + dim)) || is_index(h, op_operand(advance, 2 - dim))) return false;
  return h->counts = true;
}

static bool is_yielded(const Halving *h, const Value *value) {
  return value_used_only_by(value, h->loop->regions[0]->last);
}

// True if the op is part of an iteration that only loads the dot's blocks and computes the dot.
static bool is_plain_op(Halving *h, const Op *op) {
  const Value *result = op->result_count ? op_result(op) : NULL;
  switch ((int)op->kind) {
  case OP_CONSTANT:
  case OP_YIELD: return true;
  case OP_BLOCK_LOAD:
  case OP_TRANS: return h->tiles.marks[result->id] != 0 && !op_attr(op, ATTR_VOLATILE);
  case OP_ADVANCE: return h->tiles.marks[result->id] && (is_yielded(h, result) || is_counted_block(h, op));
  case OP_CAST: return type_is_int(result->type);
  case OP_DOT: return op == h->dot;
  case OP_ADD: return op_operand(op, 0) == op_result(h->dot) || op_operand(op, 1) == op_result(h->dot);
  default: return false;
  }
}

// True if the index is only used as an offset along k.
static bool are_index_uses_places(const Halving *h, const Value *index) {
  for (const Use *use = index->first_use; use; use = use->next) {
    const Op *op = use->user;
    if (op->kind == OP_CAST ? !are_index_uses_places(h, op_result(op)) : op->kind != OP_ADVANCE || !h->counts)
      return false;
  }
  return true;
}

static bool can_halve(Halving *h) {
  for (const Op *op = h->loop->regions[0]->first; op; op = op->next)
    if (!is_plain_op(h, op)) return false;
  for (uint32_t i = 0; i < h->loop->result_count; i++)
    if (!is_carried_block(h, i) && !is_sum(h, i)) return false;
  for (uint32_t i = 0; i < h->tiles.values.n; i++) {
    const Value *value = h->tiles.values.at[i];
    const Op *from = value->def;
    if (from && !is_in_loop(h, from) && from != h->loop && from->kind != OP_MAKE_BLOCK_PTR) return false;
  }
  return are_index_uses_places(h, loop_index(h->loop));
}

// --- the steps

static void halve_advances(const Halving *h) {
  for (uint32_t i = 0; i < h->loop->result_count; i++) {
    const Value *arg = loop_carried(h->loop, i);
    if (!type_is_block_ptr(arg->type)) continue;
    Op *advance = loop_yielded(h->loop, i)->def;
    uint32_t at = retile_offset_index(advance, h->tiles.marks[arg->id] - 1u);
    Builder b = builder_before(advance);
    const Type *type = op_operand(advance, at)->type;
    op_set_operand(advance, at, build_int(&b, type, arg->type->shape[at - 1]));
  }
}

static void halve_loop(const Halving *h) {
  Builder b = builder_before(h->loop);
  Value *lower = loop_lower(h->loop), *upper = loop_upper(h->loop), *step = loop_step(h->loop);
  Value *more = build_int(&b, step->type, h->step - 1);
  Value *span = build_binary(&b, OP_ADD, build_binary(&b, OP_SUB, upper, lower), more);
  Value *whole = build_binary(&b, OP_MUL, build_binary(&b, OP_DIV, span, step), step);
  op_set_operand(h->loop, 1, build_binary(&b, OP_ADD, lower, whole));
  op_set_operand(h->loop, 2, build_int(&b, step->type, h->step / HALF));
  op_set_int(h->loop, ATTR_NUM_STAGES, HALF * stages_of(h->loop));
}

static bool halve_block_k(PassContext *context, Func *func) {
  Op *dot = NULL;
  uint32_t dots = 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_DOT) dot = w.op, dots++;
  if (dots != 1 || !func_plans(func, PLAN_TMA_LOADS)) return false;
  Op *loop = dot->region->parent;
  if (!loop || loop->kind != OP_FOR || op_result(dot)->type->rank != 2 || op_result(dot)->type->layout)
    return false;
  if (!can_wgmma(dot) || op_attr(dot, ATTR_IMPRECISE) || !is_long(dot)) return false;
  Halving h = {.func = func, .loop = loop, .dot = dot, .tiles = retile_new(context->scratch, func)};
  if (!value_int_constant(loop_step(loop), &h.step) || h.step <= 0 || h.step % HALF || stages_of(loop) < HALF)
    return false;
  if (!retile_mark(&h.tiles, op_operand(dot, 0), K_OF_FIRST) || !retile_spread(&h.tiles) || !can_halve(&h))
    return false;
  diag_remark(context->diags, dot->loc, "retile", "BLOCK_K of %u is halved, and the trip count doubled",
              op_operand(dot, 0)->type->shape[K_OF_FIRST]);
  retile_apply(&h.tiles, 1, HALF);
  halve_advances(&h);
  halve_loop(&h);
  return true;
}

bool pass_retile(PassContext *context, Func *func) {
  bool changed = fuse_programs(context, func);
  return halve_block_k(context, func) || changed;
}
