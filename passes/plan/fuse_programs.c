// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuse_programs: runs two neighbouring programs as one, because their dots read one tile from shared memory twice.
//
// before  %p = program_id {axis = 1}                after  guard { the launch has enough programs for pairs }
//         %o = mul %p, 128                                 %q = program_id {axis = 1}
//         %y = make_block_ptr ..., %zero, %o               %n = num_programs {axis = 1}
//                        : block_ptr<128x128xfp16>         if %q < %n - %n / 2 {
//         for ... { dot %x, %y, ... : tile<128x128xfp32> }   %p = mul %q, 2
//         block_store %z, ... : tile<128x128xfp16>           the same with tiles of 128x256; stores end where the
//                                                            programs end
//                                                          }
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
#include "ir/build.h"
#include "ir/dot/dot_fits.h"
#include "target/tuning.h"
#include "passes/tma/tma_range.h"
#include "passes/plan/retile.h"
#include "passes/tma/tensor_copies.h"

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
  Value *others = guard_binary(&g, OP_MUL, guard_programs(&g, 0), guard_programs(&g, 2));
  Value *pairs = guard_binary(&g, OP_SUB, n, guard_binary(&g, OP_DIV, n, guard_int(&g, PAIR)));
  Value *before = guard_rounds(&g, guard_binary(&g, OP_MUL, others, n), multiprocessors);
  Value *after = guard_rounds(&g, guard_binary(&g, OP_MUL, others, pairs), multiprocessors);
  guard_require(&g, OP_LE, guard_binary(&g, OP_MUL, after, guard_int(&g, TUNE_PAIR_TIME)),
                guard_binary(&g, OP_MUL, before, guard_int(&g, 100)));
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
  Value *end = build_binary(&b, OP_MUL, build_cast(&b, programs, size->type),
                            build_int(&b, size->type, block->type->shape[dim] / PAIR));
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
    Builder last = builder_at_end(p->func, branch->regions[r]);
    last.loc = end->loc;
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

bool pass_fuse_programs(PassContext *context, Func *func) {
  if (!func_plans(func, PLAN_FUSE_PROGRAMS) || func_host(func, HOST_GUARD, NULL)) return false;
  Pairing p = {.context = context, .func = func, .tiles = retile_new(context->scratch, func)};
  p.axes = axis_analyse(context->scratch, func);
  p.places = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  for (OpWalk w = ops_in(func->body); ops_next(&w);) look_at(&p, w.op);
  if (p.declined || !p.numbers.n || !p.stores.n || p.dots != 1) return false;
  const char *why = find_pairs(&p);
  if (why) {
    diag_remark(context->diags, p.dot->loc, "fuse_programs", "programs are not fused: %s", why);
    return false;
  }
  guard_rounds_pay(&p);
  make_pairs(&p);
  diag_remark(context->diags, p.dot->loc, "fuse_programs",
              "two programs run as one along axis %d: dots of %ux%u", AXIS, op_result(p.dot)->type->shape[0],
              op_result(p.dot)->type->shape[1]);
  return true;
}
