// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the loads of a loop that can be prefetched.
#include "passes/pipeline/pipeline_loads.h"

#include "base/integer.h"
#include "ir/memory/atomic.h"
#include "ir/dot/dot.h"
#include "ir/layout/layout.h"
#include "ir/dot/layout_dot.h"
#include "passes/pipeline/pipeline_computed.h"
#include "passes/analysis/dot_loops.h"
#include "ir/memory/buffer_name.h"
#include "ir/memory/scratch.h"
#include "passes/analysis/pressure.h"
#include "passes/pipeline/schedule.h"

enum { ADDRESS_REGISTERS = 2 };

typedef struct LoadFinder {
  PassContext *context;
  Func *func;
  StagedLoop *found;
  bool writes;           // The body may write any global memory, or needs all threads.
  VEC(Op *) stores;      // In addition: stores and reductions, each through pointers of one known argument.
  const AxisTable *axes; // NULL: not computed yet.
} LoadFinder;

static void decline_loop(LoadFinder *f, const Op *op, const char *why) {
  diag_remark(f->context->diags, op->loc, "pipeline", "not pipelined: %s", why);
}

// True for accesses of tensor memory, and for the barrier between them and a dot.
static bool is_of_tmem(const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (op_operand(op, i)->type->kind == TYPE_TMEM) return true;
  return op->kind == OP_BARRIER && op->next && is_dot_of(op->next, DOT_TCGEN05);
}

static bool writes_global(const Op *op) {
  if (is_of_tmem(op)) return false;
  if (op->kind == OP_INLINE_ASM) return !op_attr(op, ATTR_PURE);
  return op_has(op, WRITES) && !op_has(op, SHARED) && op->kind != OP_DOT_WAIT && op->kind != OP_FENCE_ASYNC;
}

// If no two arguments alias, a plain store or a reduction through one argument does not affect loads through others.
static void note_writes(LoadFinder *f, Op *op) {
  if (!writes_global(op)) return;
  bool plain = op->kind == OP_STORE || atomic_only_reduces(op);
  if (plain && f->func->module->target.restrict_pointers && pointer_param(op_operand(op, 0)) >= 0)
    vec_push(f->context->scratch, &f->stores, op);
  else
    f->writes = true;
}

static bool may_be_written(const LoadFinder *f, const Op *load) {
  int32_t origin = pointer_param(op_operand(load, 0));
  for (uint32_t i = 0; i < f->stores.n; i++)
    if (origin < 0 || pointer_param(op_operand(f->stores.at[i], 0)) == origin) return true;
  return false;
}

// The same for all loads inside an op that is cloned as a whole.
static bool reads_what_is_written(const LoadFinder *f, const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    if (w.op->kind == OP_LOAD && may_be_written(f, w.op)) return true;
  return false;
}

static Op *only_user(const Value *value) {
  const Use *use = value_single_use(value);
  return use ? use->user : NULL;
}

// The layout of the loaded tile, as the buffer's store sees it. Registers must be adjacent in the buffer as they are in
// global memory.
static bool can_copy(const StagedLoad *staged) {
  uint32_t vector = (uint32_t)op_int(staged->load, ATTR_VECTOR, 1);
  if (!load_is_copyable(staged->load)) return false;
  const Type *stored = op_operand(staged->store, 0)->type;
  Layout inverse, offsets;
  if (!layout_invert(staged->slot->layout, &inverse)) return false;
  offsets = layout_compose(stored->layout, &inverse);
  uint32_t run = 0;
  while (run < offsets.bits[DIM_REGISTER] && offsets.basis[run] == 1u << run) run++;
  // If the buffer's runs are shorter than one load, elements are reordered on the way.
  return run >= 31 || 1u << run >= vector;
}

const Type *staged_load_target(IrContext *ir, const StagedLoad *load) {
  const Type *slot = load->slot;
  uint32_t inverse[TILE_MAX_RANK], shape[TILE_MAX_RANK];
  if (!load->trans) return slot;
  const Attr *order = op_attr(load->trans, ATTR_ORDER);
  for (uint32_t i = 0; i < order->ints.n; i++) inverse[order->ints.at[i]] = i;
  for (uint32_t i = 0; i < order->ints.n; i++) shape[i] = slot->shape[inverse[i]];
  Layout layout = layout_trans(slot->layout, slot->rank, slot->shape, inverse);
  return type_shared(ir, slot->elem, slot->rank, shape, layout_intern(ir, &layout));
}

static bool is_written_by(const Value *buffer, const Op *store) {
  for (const Use *use = buffer->first_use; use; use = use->next)
    if (use->user->kind == OP_SHARED_STORE && use->user != store) return false;
  return true;
}

// Matches the chain that ends in the store, if its value comes from a load of the loop's body. No other store may write
// the buffer.
static bool match_chain(const Op *loop, Op *store, StagedLoad *staged) {
  const Region *body = loop->regions[0];
  Value *value = op_operand(store, 0), *buffer = op_operand(store, 1);
  *staged = (StagedLoad){.store = store, .alloc = buffer->def};
  if (op_attr(store, ATTR_STARTS) || !buffer->def || buffer->def->kind != OP_SHARED_ALLOC) return false;
  if (!is_written_by(buffer, store)) return false;
  staged->slot = buffer->type;
  if (value->def && value->def->kind == OP_TRANS && only_user(value) == store) {
    staged->trans = value->def;
    value = op_operand(value->def, 0);
  }
  if (value->def && op_marks_place(value->def)) {
    staged->tma_mark = value->def;
    value = op_operand(value->def, 0);
  }
  staged->load = value->def;
  return staged->load && staged->load->kind == OP_LOAD && staged->load->region == body &&
         staged->alloc->region == body && store->region == body && !op_scratch(staged->load);
}

// The same if the value has no other use.
static bool match_store(const Op *loop, Op *store, StagedLoad *staged) {
  if (!match_chain(loop, store, staged)) return false;
  const Op *next = staged->trans ? staged->trans : store;
  if (staged->tma_mark && only_user(op_result(staged->tma_mark)) != next) return false;
  return only_user(op_result(staged->load)) == (staged->tma_mark ? staged->tma_mark : next);
}

// Finds a store of the value, perhaps transposed, to a buffer that a dot reads. The value may have other uses.
static bool match_shared(const Op *loop, const Op *load, StagedLoad *staged) {
  const Op *tma_mark = only_user(op_result(load));
  const Value *tile = op_result(tma_mark && op_marks_place(tma_mark) ? tma_mark : load);
  for (const Use *use = tile->first_use; use; use = use->next) {
    Op *user = use->user;
    Op *store = user->kind == OP_TRANS ? only_user(op_result(user)) : user;
    if (!store || store->kind != OP_SHARED_STORE || !match_chain(loop, store, staged)) continue;
    if (staged->load != load || !can_copy(staged)) continue;
    staged->reads = staged->async = true;
    return true;
  }
  return false;
}

// --- values needed ahead

static bool mark_ahead(LoadFinder *f, const Value *value);

// Marks all values that an op with regions uses from outside.
static bool mark_operands(LoadFinder *f, const Op *op) {
  for (OpWalk w = ops_of(op); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++)
      if (!mark_ahead(f, op_operand(w.op, i))) return false;
  return true;
}

static bool is_staged(const StagedLoop *found, const Op *op) {
  for (uint32_t i = 0; i < found->loads.n; i++)
    if (found->loads.at[i].load == op) return true;
  for (uint32_t i = 0; i < found->values.n; i++)
    if (found->values.at[i].load == op) return true;
  return false;
}

// False if the value depends on something that cannot be computed ahead.
static bool mark_ahead(LoadFinder *f, const Value *value) {
  const Region *body = f->found->loop->regions[0];
  if (f->found->ahead[value->id]) return true;
  if (!value->def) {
    if (value->region != body) return true; // From outside, or of an inner region.
    f->found->ahead[value->id] = 1;
    return value->index == 0 || mark_ahead(f, op_operand(body->last, value->index - 1));
  }
  const Op *op = value->def;
  const Region *region = op->region;
  while (region && region != body && region->parent) region = region->parent->region;
  if (region != body || op->region != body)
    return true; // Defined outside, or inside an op that is cloned as a whole.
  bool pure = op_has(op, PURE) || (op->kind == OP_LOAD && !op_attr(op, ATTR_VOLATILE)) || op_is_dead(op);
  if (!pure || reads_what_is_written(f, op) || op_scratch(op) || op->kind == OP_SHARED_LOAD ||
      op->kind == OP_DOT || is_staged(f->found, op))
    return false;
  f->found->ahead[value->id] = 1;
  return mark_operands(f, op);
}

static void clear_ahead(LoadFinder *f) { memset(f->found->ahead, 0, f->func->value_count); }

// For a TMA copy, the coordinates must be known.
static bool known_ahead(LoadFinder *f, const StagedLoad *staged) {
  bool known = true;
  if (staged->by_tensor) {
    for (uint32_t i = 0; known && i < mark_places(staged->tma_mark); i++)
      known = mark_ahead(f, mark_place(staged->tma_mark, i));
    return known;
  }
  for (uint32_t i = 0; known && i < staged->load->operand_count; i++)
    known = mark_ahead(f, op_operand(staged->load, i));
  return known;
}

static const char written[] = "the loop writes global memory, which the loads may read";

// A load is not prefetched if its address cannot be computed ahead, or if the loop may write its memory. Then the
// values needed ahead are marked again for the other loads.
static void keep_known(LoadFinder *f) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < f->found->loads.n; i++) {
    StagedLoad staged = f->found->loads.at[i];
    clear_ahead(f);
    if (may_be_written(f, staged.load))
      decline_loop(f, staged.load, written);
    else if (known_ahead(f, &staged))
      f->found->loads.at[kept++] = staged;
    else
      decline_loop(f, staged.load, "its address depends on what the iteration computes");
  }
  f->found->loads.n = kept;
  clear_ahead(f);
  for (uint32_t i = 0; i < kept; i++) known_ahead(f, &f->found->loads.at[i]);
}

// --- loads through registers

// Returns true if the load reads less than 32 bits at a time. Then each element has its own register and address.
static bool wastes_registers(const StagedLoad *staged) {
  uint32_t bytes = type_element_bytes(op_result(staged->load)->type);
  return !staged->async && bytes * (uint32_t)op_int(staged->load, ATTR_VECTOR, 1) < MIN_COPY_BYTES;
}

// Returns true if the loop keeps the load's addresses in registers. Either they are loop-carried, or they are a tile
// from before the loop plus a number (carry_steps).
static bool holds_addresses(const Op *load) {
  const Op *sum = op_operand(load, 0)->def;
  if (!sum || sum->kind != OP_ADDPTR) return !sum;
  const Op *base = op_operand(sum, 0)->def, *step = op_operand(sum, 1)->def;
  return base && base->region != sum->region && base->kind != OP_SPLAT && step && step->kind == OP_SPLAT;
}

// Counts their addresses too if the loop keeps them. Those of the next iteration are computed while this one's are
// alive.
static uint32_t wasteful_registers(const StagedLoop *found) {
  uint32_t registers = 0;
  for (uint32_t i = 0; i < found->loads.n; i++) {
    const StagedLoad *staged = &found->loads.at[i];
    if (!wastes_registers(staged)) continue;
    uint32_t elements = layout_registers(op_result(staged->load)->type->layout);
    registers += holds_addresses(staged->load) ? elements + elements * ADDRESS_REGISTERS : elements;
  }
  return registers;
}

// If the registers have no room for these loads in addition to all tiles, they would spill to local memory. Then they
// are not prefetched.
static void drop_without_room(LoadFinder *f) {
  StagedLoop *found = f->found;
  uint32_t ahead = wasteful_registers(found), kept = 0;
  if (!ahead || ahead <= register_slack(f->context->scratch, f->func)) return;
  for (uint32_t i = 0; i < found->loads.n; i++) {
    if (wastes_registers(&found->loads.at[i]))
      decline_loop(f, found->loads.at[i].load,
                   "there are not enough registers to prefetch elements one by one");
    else
      found->loads.at[kept++] = found->loads.at[i];
  }
  found->loads.n = kept;
  clear_ahead(f);
  for (uint32_t i = 0; i < kept; i++) known_ahead(f, &found->loads.at[i]);
}

// --- TMA copies

static bool writes_memory(const Op *op) {
  return op->kind == OP_INLINE_ASM ? !op_attr(op, ATTR_PURE) : op_writes_global(op);
}

// Returns true if the op may read memory through the argument.
static bool reads_argument(const Op *op, int32_t param) {
  if (!op_has(op, GLOBAL) || !op_has(op, READS)) return false;
  int32_t origin = pointer_param(op_operand(op, 0));
  return origin < 0 || origin == param;
}

// Returns true for a plain store through an argument that the kernel never reads, if no two arguments alias. So a source's
// own loop over tiles may copy the next tile before this one is stored. On Hopper it is not measured.
static bool writes_apart(const LoadFinder *f, const Op *op) {
  const Target *target = &f->func->module->target;
  if (op->kind != OP_STORE || !target->restrict_pointers || !target_has(target->arch, FEATURE_TCGEN05))
    return false;
  int32_t param = pointer_param(op_operand(op, 0));
  bool read = param < 0;
  for (OpWalk w = ops_in(f->func->body); ops_next(&w) && !read;) read = reads_argument(w.op, param);
  return !read;
}

// Returns true if the kernel may have written global memory when the loop runs. TMA copies see such writes only after a
// fence. Programs do not read what other programs of the launch write.
static bool is_after_writes(const LoadFinder *f) {
  uint32_t end = f->found->loop->id; // Only ops before this one count.
  for (const Op *around = f->found->loop; around; around = around->region->parent)
    if (op_is_loop(around) && around != f->found->loop && !op_attr(around, ATTR_PROGRAMS))
      end = around->next ? around->next->id : UINT32_MAX;
  for (OpWalk w = ops_in(f->func->body); ops_next(&w);)
    if (w.op->id < end && writes_memory(w.op) && !writes_apart(f, w.op)) return true;
  return false;
}

// The part of a buffer's two dimensions that its dots multiply; false: something else reads it.
static bool find_multiplied(const Value *buffer, uint32_t multiplied[2]) {
  for (const Use *use = buffer->first_use; use; use = use->next) {
    const Op *user = use->user;
    uint32_t part[2] = {0};
    if (user->kind == OP_SHARED_STORE && use == &user->operands[1]) continue;
    if (user->kind == OP_SHARED_TRANS) {
      if (!find_multiplied(op_result(user), part)) return false;
      multiplied[0] = max_u32(multiplied[0], part[1]), multiplied[1] = max_u32(multiplied[1], part[0]);
      continue;
    }
    if (!dot_reads_matrices(user) || use - user->operands >= DOT_SUM ||
        !dot_reads_part(user, use == &user->operands[1] ? DOT_B : DOT_A, part))
      return false;
    multiplied[0] = max_u32(multiplied[0], part[0]), multiplied[1] = max_u32(multiplied[1], part[1]);
  }
  return true;
}

// For a padded tile, only the part that dots multiply is copied.
static void trim_tensor(StagedLoad *staged) {
  TensorLoad *tensor = &staged->tensor;
  uint32_t size[2] = {0};
  if (!find_multiplied(op_result(staged->alloc), size)) return;
  bool turns = (staged->trans != NULL) != (tensor->inner == 0);
  uint32_t rows = size[turns], columns = size[!turns], width = tensor->box.shape[1];
  tensor_box_trim(&tensor->box, rows, (columns + width - 1) / width);
}

static const char *find_tensor(LoadFinder *f, StagedLoad *staged) {
  if (!f->axes) f->axes = axis_analyse(f->context->scratch, f->func);
  const char *why = tensor_load_find(f->func, f->axes, staged->tma_mark,
                                     staged_load_target(f->func->module->ir, staged), &staged->tensor);
  if (!why && staged->alloc) trim_tensor(staged);
  return why;
}

// Bulk copies count at the mbarriers of TMA copies. So a loop with none of these has none of those.
static void find_blocks(LoadFinder *f) {
  bool tensors = false;
  for (uint32_t i = 0; i < f->found->loads.n; i++) tensors |= f->found->loads.at[i].by_tensor;
  for (uint32_t i = 0; tensors && i < f->found->loads.n; i++) {
    StagedLoad *staged = &f->found->loads.at[i];
    if (!staged->tma_mark || staged->tma_mark->kind != OP_BULK_MARK) continue;
    staged->by_tensor = true;
    staged->tensor = (TensorLoad){.tma_mark = staged->tma_mark, .slot = staged->slot, .by_blocks = true};
    staged->tensor.box = (TensorBox){.count = 1, .bytes = shared_bytes(staged->slot)};
  }
}

// wgmma reads the tiles in the layout in which TMA writes them.
static void find_tensors(LoadFinder *f) {
  const IrModule *module = f->func->module;
  if (!module_takes_maps(module) || !module->target.arch->tensor_rank) return;
  for (uint32_t i = 0; i < f->found->loads.n; i++) {
    StagedLoad *staged = &f->found->loads.at[i];
    if (!staged->tma_mark || staged->tma_mark->kind == OP_BULK_MARK) continue;
    const char *why = find_tensor(f, staged);
    staged->by_tensor = !why;
    f->found->after_writes |= !why && is_after_writes(f);
    if (why) diag_remark(f->context->diags, staged->load->loc, "pipeline", "not by TMA copies: %s", why);
  }
  find_blocks(f);
}

// --- loads with ops before the dot

static uint8_t *copy_ahead(const LoadFinder *f) {
  uint8_t *copy = ARENA_ARRAY(f->context->scratch, uint8_t, f->func->value_count);
  return memcpy(copy, f->found->ahead, f->func->value_count);
}

// Its own slot, or the slot of a dot that reads the loaded tile directly.
static bool find_slot(LoadFinder *f, Op *load, StagedLoad *staged) {
  if (match_shared(f->found->loop, load, staged)) return true;
  *staged = (StagedLoad){.load = load, .reads = true, .async = true};
  staged->slot = computed_slot(f->func->module->ir, load);
  return staged->slot;
}

// True if a thread copies many single words. A warp's copies of 4 bytes each took 60 cycles and more where its lanes
// read the same words (zero points, each of which belongs to some columns). Loads into registers do not.
static bool copies_words(const Op *load) {
  enum { MANY_COPIES = 4, WORD_BYTES = 4 };
  const Type *tile = op_result(load)->type;
  uint32_t vector = (uint32_t)op_int(load, ATTR_VECTOR, 1);
  return type_is_tile(tile) && vector * type_element_bytes(tile) <= WORD_BYTES &&
         type_elements(tile) / region_threads(load) / vector > MANY_COPIES;
}

// Copied like the others if its address is known ahead. Addresses of other loads that depend on it take precedence.
static void add_computed(LoadFinder *f, Op *load) {
  StagedLoop *found = f->found;
  StagedLoad staged;
  if (copies_words(load)) return;
  if (found->ahead[op_result(load)->id] || is_staged(found, load) || op_scratch(load) ||
      !load_is_copyable(load) || !find_slot(f, load, &staged) || may_be_written(f, load))
    return;
  uint8_t *before = copy_ahead(f);
  vec_push(f->context->scratch, &found->loads, staged);
  found->computed++;
  if (known_ahead(f, &staged)) return;
  found->loads.n--;
  found->computed--;
  found->ahead = before;
}

// A scalar takes a register. Addresses that depend on it take precedence.
static void add_value(LoadFinder *f, Op *load) {
  StagedLoop *found = f->found;
  StagedLoad staged = {.load = load};
  if (type_is_tile(op_result(load)->type) || type_is_ptr(op_result(load)->type) ||
      found->ahead[op_result(load)->id] || op_attr(load, ATTR_VOLATILE) || op_scratch(load) ||
      may_be_written(f, load))
    return;
  uint8_t *before = copy_ahead(f);
  vec_push(f->context->scratch, &found->values, staged);
  if (known_ahead(f, &staged)) return;
  found->values.n--;
  found->ahead = before;
}

static void find_computed(LoadFinder *f) {
  const Op *loop = f->found->loop;
  const uint8_t *feeding = find_feeding(f->context->scratch, f->func, loop);
  for (Op *op = loop->regions[0]->first; op; op = op->next)
    if (op->kind == OP_LOAD && feeding[op_result(op)->id]) add_value(f, op);
  f->found->ahead_of_others = copy_ahead(f);
  for (Op *op = loop->regions[0]->first; op; op = op->next)
    if (op->kind == OP_LOAD && feeding[op_result(op)->id]) add_computed(f, op);
}

// --- the dot that may stay in flight

// Returns true if the dot may read the operand while the next iteration starts. The buffer then has several slots, or
// the loop does not write it.
static bool lasts_an_iteration(const StagedLoop *found, const Value *operand) {
  operand = value_before(operand, OP_SHARED_TRANS);
  if (operand->type->kind != TYPE_SHARED || !operand->def) return false;
  for (uint32_t i = 0; i < found->loads.n; i++)
    if (found->loads.at[i].alloc && found->loads.at[i].alloc == operand->def) return true;
  const Region *region = operand->def->region;
  while (region && region != found->loop->regions[0]) region = region->parent ? region->parent->region : NULL;
  return !region;
}

// Returns true if only the dot uses the buffer, besides the store.
static bool is_read_by(const Value *buffer, const Op *dot, const Op *store) {
  uint32_t stores = 0, reads = 0;
  for (const Use *use = buffer->first_use; use; use = use->next) {
    bool view = use->user->kind == OP_SHARED_TRANS && only_user(op_result(use->user)) == dot;
    if (use->user == store)
      stores++;
    else if (use->user == dot || view)
      reads++;
    else
      return false;
  }
  return stores == 1 && reads == 1;
}

// The operand as a buffer that the body fills with computed values for the dot alone.
static bool find_computed_operand(const StagedLoop *found, const Op *dot, const Value *operand,
                                  StagedLoad *computed) {
  const Region *body = found->loop->regions[0];
  operand = value_before(operand, OP_SHARED_TRANS);
  Op *alloc = operand->def;
  if (!alloc || alloc->kind != OP_SHARED_ALLOC || alloc->region != body) return false;
  for (const Use *use = operand->first_use; use; use = use->next) {
    Op *store = use->user;
    if (store->kind != OP_SHARED_STORE || store->region != body || op_attr(store, ATTR_STARTS)) continue;
    *computed = (StagedLoad){.alloc = alloc, .store = store, .slot = operand->type};
    return is_read_by(operand, dot, store);
  }
  return false;
}

// The dot's operands last an iteration, or one of them would with two slots.
static bool operands_last(StagedLoop *found, Op *dot) {
  bool a = lasts_an_iteration(found, op_operand(dot, 0)), b = lasts_an_iteration(found, op_operand(dot, 1));
  for (uint32_t i = DOT_SCALE_A; i < dot->operand_count; i++)
    if (!lasts_an_iteration(found, op_operand(dot, i))) return false;
  if (a && dot_takes_b_computed(dot)) return dot_parts(dot) > 1; // In parts (split_ops).
  if (a && b) return true;
  if ((a || b) && find_computed_operand(found, dot, op_operand(dot, a), &found->computed_operand))
    found->computed_dot = dot;
  return found->computed_dot == dot;
}

static void find_dot(LoadFinder *f) {
  StagedLoop *found = f->found;
  Region *body = found->loop->regions[0];
  uint32_t dots = 0;
  for (Op *op = body->first; op; op = op->next) {
    if (!dot_reads_matrices(op)) continue;
    dots++;
    found->feeds_matrices = true;
    const Value *sum = op_operand(op, 2);
    bool carried = !sum->def && sum->region == body && sum->index > 0 && only_user(sum) == op;
    Op *wait = only_user(op_result(op));
    bool yielded = wait && wait == dot_wait_of(op) && only_user(op_result(wait)) == body->last;
    bool holds = carried && yielded && op_operand(body->last, sum->index - 1) == op_result(wait) &&
                 !dot_promotes(op) && !type_is_elem(op_result(op)->type, ELEM_FP16);
    if (holds && operands_last(found, op)) {
      found->dot = op;
      found->dot_wait = wait;
      found->sum = sum->index - 1;
    }
  }
  if (dots != 1) found->dot = found->computed_dot = NULL;
  if (found->computed_dot) found->dot = NULL;
}

bool staged_loop_find(PassContext *context, Func *func, Op *loop, StagedLoop *found) {
  LoadFinder f = {.context = context, .func = func, .found = found};
  *found = (StagedLoop){.loop = loop};
  int64_t stages = op_int(loop, ATTR_NUM_STAGES, func->module->target.num_stages);
  found->stages = stages < 1 ? 1 : stages > NUM_STAGES_MAX ? NUM_STAGES_MAX : (uint32_t)stages;
  found->ahead = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  for (Op *op = loop->regions[0]->first; op; op = op->next) {
    StagedLoad staged;
    if (op->kind == OP_SHARED_STORE && match_store(loop, op, &staged))
      vec_push(context->scratch, &found->loads, staged);
  }
  bool copies = func->module->target.arch->has_cp_async;
  if (found->loads.n == 0 && (!copies || found->stages < 2 || !region_find(loop->regions[0], OP_DOT)))
    return false;
  if (found->stages < 2) {
    decline_loop(&f, loop, "num_stages is 1");
    return false;
  }
  if (takes_product_early(loop)) return false; // Its result is not known.
  for (OpWalk w = ops_in(loop->regions[0]); ops_next(&w);) note_writes(&f, w.op);
  if (f.writes) {
    if (found->loads.n) decline_loop(&f, loop, written);
    return false;
  }
  find_tensors(&f);
  keep_known(&f);
  for (uint32_t i = 0; i < found->loads.n; i++)
    found->loads.at[i].async = found->loads.at[i].by_tensor || (copies && can_copy(&found->loads.at[i]));
  drop_without_room(&f);
  if (copies) find_computed(&f);
  find_dot(&f);
  return found->loads.n > 0;
}
