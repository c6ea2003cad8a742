// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves a kernel's tensor maps from its launch into its prologue.
//
// pays    Launchers other than libtilec's pass no tensor maps. Without this their kernels copy by cp.async.
#include "passes/passes.h"

#include "base/integer.h"
#include "ir/clone.h"
#include "ir/layout/layout.h"
#include "ir/memory/groups.h"
#include "ir/memory/scratch.h"
#include "ir/memory/tensor_map.h"

enum { MAP_BYTES = 128, SLOT_BYTES = 8, MIN_STEPS = 1 }; // MIN_STEPS: of the loop that the maps are for

typedef struct Prologue {
  PassContext *context;
  Func *func;
  Builder b;     // before the kernel's first op
  CloneMap host; // the values of host regions, in the body
  Value *wanted;
} Prologue;

static void require(Prologue *p, Value *condition) {
  p->wanted = p->wanted ? build_binary(&p->b, OP_AND, p->wanted, condition) : condition;
}

// The value that the region yields, computed in the body.
static Value *yielded(Prologue *p, const HostRegion *host, uint32_t i) {
  return clone_get(&p->host, op_operand(host->region->last, i));
}

static void compute_here(Prologue *p, const HostRegion *host) {
  for (uint32_t i = 0; i < host->region->arg_count; i++)
    clone_set(&p->host, host->region->args[i], p->func->body->args[i]);
  region_clone_ops(&p->b, host->region, &p->host);
}

// --- conditions

static void require_range(Prologue *p, Value *value, int64_t least, int64_t most) {
  require(p, build_binary(&p->b, OP_GE, value, build_int(&p->b, value->type, least)));
  require(p, build_binary(&p->b, OP_LE, value, build_int(&p->b, value->type, most)));
}

static void require_multiple(Prologue *p, Value *value, int64_t of) {
  if (of < 2) return;
  Value *rest = build_binary(&p->b, OP_AND, value, build_int(&p->b, value->type, of - 1));
  require(p, build_binary(&p->b, OP_EQ, rest, build_int(&p->b, value->type, 0)));
}

// As tensor_map_fault decides.
static void require_map(Prologue *p, const HostRegion *host, const Type *type) {
  int64_t bytes = elem_bytes(type->elem), end = ((int64_t)1 << 40) / bytes;
  Value *base = build(&p->b, OP_BITCAST, builder_scalar(&p->b, ELEM_I64), yielded(p, host, 0), NULL, NULL);
  require_multiple(p, base, TENSOR_MAP_ALIGN);
  for (uint32_t d = 0; d < type->rank; d++) require_range(p, yielded(p, host, 1 + d), 1, TENSOR_MAP_MAX_SIZE);
  for (uint32_t d = 0; d + 1 < type->rank; d++) {
    require_range(p, yielded(p, host, 1 + type->rank + d), 0, end - 1);
    require_multiple(p, yielded(p, host, 1 + type->rank + d), TENSOR_MAP_ALIGN / bytes);
  }
}

static const Op *copying_loop(const Func *func) {
  const Op *copy = ops_find(func->body, OP_TMA_COPY);
  for (const Op *loop = copy ? op_enclosing_loop(copy) : NULL; loop; loop = op_enclosing_loop(loop))
    if (loop->kind == OP_FOR) return loop;
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_FOR && ops_find(w.op->regions[0], OP_TMA_COPY)) return w.op;
  return NULL;
}

// A value of the body that is known on the host, computed by ops before the body. `map`: those that are computed already.
static Value *early(Prologue *p, CloneMap *map, Value *value) {
  Value *known = clone_get(map, value);
  if (known != value || !value->def) return known;
  for (uint32_t i = 0; i < value->def->operand_count; i++) early(p, map, op_operand(value->def, i));
  return op_result(op_clone(&p->b, value->def, map));
}

// Loops whose trip count depends on the program count as long ones.
static void require_steps(Prologue *p) {
  const Op *loop = copying_loop(p->func);
  if (MIN_STEPS < 2 || !loop) return;
  for (uint32_t i = 0; i < 3; i++)
    if (!known_on_host(op_operand(loop, i))) return;
  CloneMap map = clone_map_new(p->context->scratch, p->func);
  Value *bounds[3];
  for (uint32_t i = 0; i < 3; i++)
    bounds[i] = build_cast(&p->b, early(p, &map, op_operand(loop, i)), builder_scalar(&p->b, ELEM_I64));
  Value *least = build_binary(&p->b, OP_MUL, bounds[2], build_int(&p->b, bounds[2]->type, MIN_STEPS - 1));
  require(p, build_binary(&p->b, OP_GT, build_binary(&p->b, OP_SUB, bounds[1], bounds[0]), least));
}

static void require_all(Prologue *p) {
  const HostRegion *guard = func_host(p->func, HOST_GUARD, NULL);
  if (guard) {
    compute_here(p, guard);
    require(p, yielded(p, guard, 0));
  }
  for (uint32_t i = func_visible_params(p->func); i < p->func->param_count; i++) {
    const HostRegion *host = func_host(p->func, HOST_MAP, p->func->params[i].name);
    compute_here(p, host);
    require_map(p, host, p->func->params[i].type);
  }
  require_steps(p);
}

// --- the two bodies

static Value *alloc(Prologue *p, uint32_t words, uint32_t offset) {
  IrContext *ir = p->func->module->ir;
  Layout row = {.out_bits = (uint8_t)log2_floor(words)};
  row.bits[DIM_OFFSET] = row.out_bits;
  for (uint32_t i = 0; i < row.out_bits; i++) row.basis[i] = UINT32_C(1) << i;
  const Type *type = type_shared(ir, ELEM_I64, 1, &words, layout_intern(ir, &row));
  Value *buffer = build(&p->b, OP_SHARED_ALLOC, type, NULL, NULL, NULL);
  op_set_attr(buffer->def, (Attr){.key = ATTR_OFFSET, .i = offset});
  return buffer;
}

// Makes the map of parameter i in shared memory.
static Value *make_map(Prologue *p, uint32_t i, Value *buffer) {
  const FuncParam *param = &p->func->params[i];
  const HostRegion *host = func_host(p->func, HOST_MAP, param->name);
  Value *operands[1 + HOST_VALUES] = {buffer};
  uint32_t n = host->region->last->operand_count;
  for (uint32_t k = 0; k < n; k++) operands[1 + k] = yielded(p, host, k);
  Op *make = build_op(&p->b, OP_MAKE_MAP, 1 + n, operands, 1, &param->type);
  op_result(make)->name = param->name;
  return op_result(make);
}

// The body from `first` on. The maps are in shared memory of their own, so nothing has to wait for their copies.
static void fill_mapped(Prologue *p, Op *branch, Op *first, Value *const *maps, uint32_t count) {
  Region *region = branch->regions[0];
  Builder b = builder_at_end(p->func, region);
  b.loc = p->func->loc;
  for (uint32_t i = 0; i < count; i++) {
    build_op(&b, OP_COPY_MAP, 1, &maps[i], 0, NULL);
    value_replace_uses(p->func->body->args[p->func->param_count - count + i], maps[i]);
  }
  build_op(&b, OP_BARRIER, 0, NULL, 0, NULL);
  for (uint32_t i = 0; i < count; i++) build_op(&b, OP_ACQUIRE_MAP, 1, &maps[i], 0, NULL);
  for (Op *op = first, *next; op && op->kind != OP_RETURN; op = next) {
    next = op->next;
    op_move(op, region, NULL);
  }
  build_op(&b, OP_BARRIER, 0, NULL, 0, NULL);
  build_op(&b, OP_FREE_MAPS, 0, NULL, 0, NULL);
  build_yield(&b, 0, NULL);
}

static void fill_plain(Prologue *p, Op *branch, const Func *plain) {
  CloneMap map = clone_map_new(p->context->scratch, plain);
  Builder b = builder_at_end(p->func, branch->regions[1]);
  b.loc = p->func->loc;
  for (uint32_t i = 0; i < plain->param_count; i++)
    clone_set(&map, plain->body->args[i], p->func->body->args[i]);
  region_clone_ops(&b, plain->body, &map);
  build_yield(&b, 0, NULL);
}

static void drop_maps(Func *func) {
  uint32_t visible = func_visible_params(func);
  const HostRegion *guard = func_host(func, HOST_GUARD, NULL);
  for (uint32_t i = visible; i < func->param_count; i++)
    func_drop_host(func, func_host(func, HOST_MAP, func->params[i].name));
  if (guard) func_drop_host(func, guard);
  func->param_count = func->body->arg_count = visible;
}

// Why the kernel cannot have both bodies. NULL: it can.
static const char *why_not(const Func *mapped, const Func *plain, uint32_t bytes) {
  if (func_visible_params(plain) != plain->param_count)
    return "the kernel without them has hidden parameters";
  if (func_visible_params(mapped) + func_maps(mapped) != mapped->param_count)
    return "the kernel has other hidden parameters";
  if (func_groups(mapped) || func_groups(plain)) return "its warps are specialized";
  return bytes > mapped->module->target.arch->shared_limit ? "they do not fit into shared memory" : NULL;
}

bool prologue_maps(PassContext *context, Func *mapped, const Func *plain) {
  uint32_t count = func_maps(mapped), at = (uint32_t)round_up(func_shared_bytes(mapped), MAP_BYTES);
  const char *why = why_not(mapped, plain, at + count * MAP_BYTES + SLOT_BYTES);
  diag_remark(context->diags, mapped->loc, "prologue_maps", "%s%s",
              why ? "no tensor maps in the prologue: " : "makes its tensor maps in the prologue",
              why ? why : "");
  if (why) return false;
  func_number(mapped);
  Op *first = mapped->body->first;
  Prologue p = {.context = context, .func = mapped, .b = builder_before(first)};
  p.b.loc = mapped->loc;
  p.host = clone_map_new(context->scratch, mapped);
  Value *maps[MAX_TENSOR_MAPS], *claim[2];
  require_all(&p);
  for (uint32_t i = 0; i < count; i++)
    maps[i] = make_map(&p, mapped->param_count - count + i, alloc(&p, MAP_BYTES / 8, at + i * MAP_BYTES));
  claim[0] = alloc(&p, 1, at + count * MAP_BYTES);
  claim[1] = p.wanted;
  const Type *i1 = builder_scalar(&p.b, ELEM_I1);
  Op *taken = build_op(&p.b, OP_CLAIM_MAPS, 2, claim, 1, &i1);
  Op *branch = build_if(&p.b, op_result(taken), 0, NULL);
  fill_mapped(&p, branch, first, maps, count);
  fill_plain(&p, branch, plain);
  drop_maps(mapped);
  return true;
}
