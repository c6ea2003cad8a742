// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule of fit_registers for offsets and masks: loops compute those that they use.
//
// ```
// before  %k = mul %i, %s                   after  for ... do (...) {
//         for ... do (...) {                         %i1 = arange {..., fresh}
//           %p = addptr %b, %k                       %s1 = splat %n {fresh}
//         }                                          %k = mul %i1, %s1
//                                                    %p = addptr %b, %k
//                                                  }
// ```
//
// pays    128 offsets of 64 bits that a loop's loads take from before it fill all of a thread's registers. Each is
//         written to local memory before the loop, and read in each iteration. A few instructions can compute it from
//         the thread index and a stride.
//
// The same is done in straight-line code. If accesses on both sides of a dot, a branch or a loop use an offset, it is
// computed again after it. If that leaves too many offsets, as in an unrolled loop, they are computed again for each
// access.
//
// Pointers and offsets carried by inner loops are live together with what the outer loop takes, and leave less room for
// it.
//
// Nothing changes if tiles of data, and what loops take of such values, fit in the registers. `fresh` keeps LLVM from
// hoisting the ops again. Quotients are expensive, and stay. So does what depends on loaded numbers.
//
// ```
// before  %w = cast %loaded : i64           after  for ... do (...) {
//         %k = mul %w, %s                            %w = cast %loaded {fresh} : i64
//         for ... do (...) {                         %k = mul %w, %s
//           %p = addptr %b, %k                       %p = addptr %b, %k
//         }                                        }
// ```
//
// The exception is 64-bit offsets and pointers that are computed from loaded 32-bit numbers. The 32-bit numbers wait
// instead, if that takes fewer registers. It is only done if the tiles, including these, do not fit in the registers.
#include "passes/registers/fit_registers.h"

#include <string.h>

#include "base/integer.h"
#include "ir/build.h"
#include "target/tuning.h"
#include "passes/analysis/axis_info.h"

enum { MAX_OPS = 64, PREDICATE_SHARE = 8, MIN_OFFSETS = 16 };

typedef struct Rematerialiser {
  Budget *budget;
  Func *func;
  Arena *scratch;
  uint32_t room;         // Registers that tiles of data leave free.
  bool loaded;           // Handle only values computed from loaded 32-bit numbers.
  const uint32_t *share; // From func_shares.
  const AxisTable *axes; // Among the current loop's values.
  bool *inside;          // By value id: defined in the current loop.
  bool *counted;         // By value id: the current loop takes it from outside.
  bool current;          // `share` and `axes` are of the function as it is.
  bool changed;
} Rematerialiser;

// True for tiles of integers, pointers and i1.
static bool holds_index(const Type *type) {
  const Type *element = type_element(type);
  return type_is_tile(type) && (element->kind == TYPE_PTR || !elem_is_float(element->elem));
}

static bool is_integer(const Type *type, uint32_t bits) {
  const Type *element = type_element(type);
  return element->kind == TYPE_SCALAR && !elem_is_float(element->elem) &&
         elem_info(element->elem)->bits == bits;
}

static bool widens(const Op *op) {
  return op->kind == OP_CAST && is_integer(op_operand(op, 0)->type, 32) &&
         is_integer(op_result(op)->type, 64);
}

// True if cheap ops compute the value only from the thread index and scalars. With `loaded`, also from any tile that is
// widened. *left bounds the number of visited ops.
static bool can_make(const Value *value, bool loaded, uint32_t *left) {
  const Op *op = value->def;
  if (!op || !holds_index(value->type) || *left == 0) return false;
  --*left;
  if (op_has(op, LEAF)) return true;
  if (!is_cheap(op)) return false;
  if (loaded && widens(op)) return true;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!can_make(op_operand(op, i), loaded, left)) return false;
  return true;
}

// Registers that the value takes across iterations.
static uint32_t registers_of(const Rematerialiser *m, const Value *value) {
  const Type *element = type_element(value->type);
  uint32_t share = m->share[value->id] ? m->share[value->id] : 1, bytes = type_element_bytes(value->type);
  uint32_t registers = layout_registers(value->type->layout) / share;
  bool predicate = element->kind == TYPE_SCALAR && element->elem == ELEM_I1;
  return predicate ? registers / PREDICATE_SHARE : registers * ((bytes + 3) / 4);
}

static bool is_made_of_number(const Value *value) {
  uint32_t left = MAX_OPS;
  return can_make(value, false, &left);
}

// True if the value is computed only from constants and places in tiles.
static bool is_made_of_places(const Value *value, uint32_t *left) {
  const Op *op = value->def;
  int64_t constant;
  if (!op || *left == 0) return false;
  --*left;
  if (op->kind == OP_ARANGE || value_int_constant(value, &constant)) return true;
  if (!is_cheap(op) || op->operand_count == 0) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_made_of_places(op_operand(op, i), left)) return false;
  return true;
}

// True if elements that are this far apart are equal: the value repeats along dimensions.
static bool repeats_after(const Rematerialiser *m, const Value *value, uint32_t basis) {
  const Type *type = value->type;
  for (uint32_t d = type->rank, shift = 0; d-- > 0; shift += log2_ceil(type->shape[d]))
    if ((basis >> shift & (type->shape[d] - 1)) % axis_period(m->axes, value, d)) return false;
  return true;
}

static bool counts_shifts(const Value *value) {
  for (const Use *use = value->first_use; use; use = use->next)
    if (use->user->kind == OP_SHR && use == &use->user->operands[1]) return true;
  return false;
}

// True if a thread's registers are constants, which LLVM writes into instructions. The counts of shifts that unpack
// weights are so. They may also be copies of two, which differ between threads.
static bool takes_few_registers(const Rematerialiser *m, const Value *value) {
  enum { FEW_BITS = 1 };
  const Layout *layout = value->type->layout;
  uint32_t left = MAX_OPS, registers = layout->bits[DIM_REGISTER], own = 0, others = 0;
  if (!m->axes || type_element(value->type)->kind == TYPE_PTR || !is_made_of_places(value, &left))
    return false;
  for (uint32_t i = 0; i < registers + layout->bits[DIM_LANE] + layout->bits[DIM_WARP]; i++)
    *(i < registers ? &own : &others) += !repeats_after(m, value, layout->basis[i]);
  return others == 0 || (own <= FEW_BITS && counts_shifts(value));
}

// True if the loop takes the value from outside, and can compute it. Leaves are copies of a register and take none of
// their own.
static bool is_taken(const Rematerialiser *m, const Value *value) {
  uint32_t left = MAX_OPS;
  if (!holds_index(value->type) || m->inside[value->id] || !value->def || op_has(value->def, LEAF))
    return false;
  if (!m->loaded) return is_made_of_number(value) && !takes_few_registers(m, value);
  return type_element_bytes(value->type) == 8 && can_make(value, true, &left) && !is_made_of_number(value);
}

// --- how many

// Registers of the narrow tiles that taken values are computed from, and that wait instead of these.
static uint32_t count_narrow(Rematerialiser *m, const Value *value) {
  const Op *op = value->def;
  uint32_t count = 0;
  if (op_has(op, LEAF)) return 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *operand = op_operand(op, i);
    if (!widens(op) || is_made_of_number(operand)) {
      count += type_is_tile(operand->type) ? count_narrow(m, operand) : 0;
    } else if (!m->counted[operand->id]) {
      m->counted[operand->id] = true;
      count += registers_of(m, operand);
    }
  }
  return count;
}

// *waiting: of what these are computed from.
static uint32_t count_taken(Rematerialiser *m, const Op *loop, uint32_t *waiting) {
  uint32_t count = 0;
  for (OpWalk w = ops_inside(loop); ops_next(&w);)
    for (uint32_t i = 0; i < w.op->operand_count; i++) {
      const Value *value = op_operand(w.op, i);
      if (!is_taken(m, value) || m->counted[value->id]) continue;
      m->counted[value->id] = true;
      count += registers_of(m, value);
      *waiting += count_narrow(m, value);
    }
  return count;
}

// Registers of offsets and pointers that loops within the region carry, where they take most.
static uint32_t count_carried(const Rematerialiser *m, const Region *region) {
  uint32_t most = 0;
  for (const Op *op = region->first; op; op = op->next) {
    uint32_t own = 0, within = 0;
    for (uint32_t i = 0; op_is_loop(op) && i < op->regions[0]->arg_count; i++) {
      const Value *carried = op->regions[0]->args[i];
      if (holds_index(carried->type)) own += registers_of(m, carried);
    }
    for (uint32_t r = 0; r < op->region_count; r++)
      within = max_u32(within, count_carried(m, op->regions[r]));
    most = max_u32(most, own + within);
  }
  return most;
}

// --- where they are used

static Value *copy_op(Builder *b, const Op *op, Value **operands, bool fresh) {
  Op *copy = build_like(b, op, operands, op_result(op)->type);
  if (fresh) op_set_flag(copy, ATTR_FRESH, true);
  return op_result(copy);
}

// With `loaded`, everything depends on fresh casts. A stride that is widened as well is multiplied as the 32 bits that
// it has.
static Value *make_again(const Rematerialiser *m, Builder *b, const Value *value) {
  const Op *op = value->def;
  Value *operands[3] = {NULL};
  bool splat = op->kind == OP_SPLAT,
       narrow = m->loaded && widens(op) && !is_made_of_number(op_operand(op, 0));
  for (uint32_t i = 0; i < op->operand_count; i++) {
    Value *from = op_operand(op, i);
    operands[i] = splat || narrow ? from : make_again(m, b, from);
    if (m->loaded && splat && from->def && widens(from->def))
      operands[i] = copy_op(b, from->def, (Value *[]){op_operand(from->def, 0)}, true);
  }
  return copy_op(b, op, operands, narrow || op->kind == OP_ARANGE || (splat && !m->loaded));
}

// Erases unused ops, so that loops around do not compute them. An erased op is in no region.
static void drop_unused(Op *op) {
  if (!op || !op->region || !op_has(op, PURE) || op->result_count != 1 || op->operand_count > 3) return;
  if (!value_unused(op_result(op))) return;
  Op *made[3] = {NULL};
  for (uint32_t i = 0; i < op->operand_count; i++) made[i] = op_operand(op, i)->def;
  op_erase(op);
  for (uint32_t i = 0; i < 3; i++) drop_unused(made[i]);
}

static void make_inside(Rematerialiser *m, const Op *loop) {
  for (OpWalk w = ops_inside(loop); ops_next(&w);) // new ops come before it
    for (uint32_t i = 0; i < w.op->operand_count; i++) {
      const Value *value = op_operand(w.op, i);
      if (!is_taken(m, value)) continue;
      Builder b = builder_before(w.op);
      op_set_operand(w.op, i, make_again(m, &b, value));
      if (m->loaded) drop_unused(value->def);
      m->current = false;
      m->changed = true;
    }
}

// Most loops change nothing, so that one analysis does for many.
static void number_loop(Rematerialiser *m, Op *loop) {
  if (!m->current) {
    m->axes = axis_analyse(m->scratch, m->func);
    m->share = func_shares(m->scratch, m->func);
    m->inside = ARENA_ARRAY(m->scratch, bool, m->func->value_count);
    m->counted = ARENA_ARRAY(m->scratch, bool, m->func->value_count);
    m->current = true;
  }
  memset(m->inside, 0, m->func->value_count * sizeof *m->inside);
  memset(m->counted, 0, m->func->value_count * sizeof *m->counted);
  op_mark_inside(loop, m->inside, true);
}

static void visit_loop(Rematerialiser *m, Op *loop) {
  uint32_t carried = 0, waiting = 0;
  number_loop(m, loop);
  uint32_t taken = count_taken(m, loop, &waiting);
  for (uint32_t r = 0; r < loop->region_count; r++)
    carried = max_u32(carried, count_carried(m, loop->regions[r]));
  uint32_t left = m->room > carried ? m->room - carried : 0;
  if (m->loaded ? taken < waiting + MIN_OFFSETS : taken <= left) return;
  if (m->loaded)
    RELIEVED(m->budget, loop, RECOMPUTED, taken - waiting,
             "%u registers of offsets are recomputed in each iteration from %u that are loaded", taken,
             waiting);
  else
    RELIEVED(m->budget, loop, RECOMPUTED, taken,
             "%u registers of offsets and masks are recomputed in each iteration: %s leave %u", taken,
             carried ? "tiles and loops within" : "tiles", left);
  make_inside(m, loop);
}

// --- in straight lines

// A region is split into parts, numbered from 1. A dot, branch or loop ends a part, and optionally an access.
typedef struct Parts {
  uint32_t count;   // So far.
  uint32_t *last;   // By value id: the last part whose access took the value. 0: none did.
  Value **again;    // By value id: the value as computed in that part. NULL: the original.
  uint32_t *change; // By part: change of the registers that are live from it to the next.
} Parts;

static bool ends_part(const Op *op, bool at_accesses) {
  if (at_accesses && (op->kind == OP_LOAD || op->kind == OP_STORE)) return true;
  return op->kind == OP_DOT || op_has(op, FLOW);
}

// True if the value is an access's own offsets or pointers, from the same region. New values have no id yet.
static bool is_offset(const Rematerialiser *m, const Op *op, const Value *value) {
  uint32_t left = MAX_OPS;
  bool access = (op_has(op, ELEMENTWISE | GLOBAL) && !op_has(op, ATOMIC)) || op->kind == OP_ADDPTR ||
                op->kind == OP_BROADCAST;
  if (!access || value->id >= m->func->value_count || !holds_index(value->type)) return false;
  if (!value->def || value->def->region != op->region || op_has(value->def, LEAF)) return false;
  if (value->def->kind == OP_BROADCAST || value->def->kind == OP_EXPAND_DIMS) return false;
  return !type_is_elem(value->type, ELEM_I1) && registers_of(m, value) >= MIN_OFFSETS &&
         can_make(value, false, &left);
}

static void count_offset(const Rematerialiser *m, Parts *p, const Value *value) {
  uint32_t *last = &p->last[value->id], registers = registers_of(m, value);
  if (*last)
    p->change[*last] += registers, p->change[p->count] -= registers; // unsigned sums wrap, and wrap back
  *last = p->count;
}

static void make_offset(Rematerialiser *m, Parts *p, Op *op, uint32_t operand) {
  Value *value = op_operand(op, operand);
  uint32_t *last = &p->last[value->id];
  if (*last && *last != p->count) {
    Builder b = builder_before(op);
    p->again[value->id] = make_again(m, &b, value);
    m->changed = true;
  }
  *last = p->count;
  if (p->again[value->id]) op_set_operand(op, operand, p->again[value->id]);
}

static Parts walk_parts(Rematerialiser *m, Region *region, bool at_accesses, bool make) {
  Parts p = {1, ARENA_ARRAY(m->scratch, uint32_t, m->func->value_count),
             ARENA_ARRAY(m->scratch, Value *, m->func->value_count),
             ARENA_ARRAY(m->scratch, uint32_t, m->func->op_count + 2)};
  for (Op *op = region->first; op; op = op->next) { // new ops come before it
    for (uint32_t i = 0; i < op->operand_count; i++) {
      if (!is_offset(m, op, op_operand(op, i))) continue;
      if (make)
        make_offset(m, &p, op, i);
      else
        count_offset(m, &p, op_operand(op, i));
    }
    p.count += ends_part(op, at_accesses);
  }
  return p;
}

static void visit_parts(Rematerialiser *m, Region *region, bool at_accesses) {
  func_number(m->func);
  m->share = func_shares(m->scratch, m->func);
  Parts p = walk_parts(m, region, at_accesses, false);
  uint32_t most = 0;
  for (uint32_t i = 1, now = 0; i <= p.count; i++) {
    now += p.change[i];
    if (now > most) most = now;
  }
  if (most <= m->room) return;
  RELIEVED(m->budget, region->first, RECOMPUTED, most,
           "%u registers of offsets are recomputed %s: tiles leave %u", most,
           at_accesses ? "for each access" : "after dots", m->room);
  walk_parts(m, region, at_accesses, true);
}

static Rematerialiser rematerialiser(Budget *b) {
  uint32_t room = b->slack > TUNE_OFFSETS_KEPT ? (uint32_t)b->slack : TUNE_OFFSETS_KEPT;
  return (Rematerialiser){.budget = b, .func = b->func, .scratch = b->context->scratch, .room = room};
}

// Inner loops come first: loops around then no longer take what the inner loops compute.
bool recompute_in_loops(Budget *b) {
  Rematerialiser m = rematerialiser(b);
  for (OpWalk w = ops_outward(b->func->body); ops_next(&w);)
    for (uint32_t loaded = 0; loaded <= (b->slack < 0) && op_is_loop(w.op); loaded++) {
      m.loaded = loaded;
      visit_loop(&m, w.op);
    }
  return m.changed;
}

bool recompute_in_lines(Budget *b) {
  Rematerialiser m = rematerialiser(b);
  visit_parts(&m, b->func->body, false);
  visit_parts(&m, b->func->body, true);
  return m.changed;
}
