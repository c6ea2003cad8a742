// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The most registers that a thread's live tiles fill. These rules apply:
// * Pointers, and integers made from the thread id and constants, do not count. They are computed where they are
//   used.
// * Copies of one value do not count.
// * Each vector of an access has one address and one mask.
// * A thread reads parts of other warps for a scan or reduction. Some of them fit in the reserved registers, and they
//   are short-lived.
// * A scan needs a second copy of its operand.
// * Tiles from tensor memory that are loaded in parts do not count.
#include "passes/analysis/pressure.h"

#include "base/integer.h"
#include "ir/memory/exchange.h"
#include "ir/dot/layout_dot.h"
#include "target/tuning.h"

static bool is_copy(const Value *value) {
  while (value->def && value->def->kind == OP_SLICE) value = op_operand(value->def, 0);
  return value_uniform(value) || (value->def && value->def->kind == OP_BROADCAST);
}

typedef struct Counter {
  bool *holds_data;    // By value id: a tile with more than the thread id and constants.
  uint32_t *share;     // By value id: one of this many registers' elements is used; 0: none.
  uint32_t *registers; // By value id: the registers that it fills.
  uint32_t *change;    // By op id: how the number of registers in use changes.
  uint32_t *across;    // The same for values made before the op and used after it.
} Counter;

// --- what holds data

static bool keeps_index(const Op *op) {
  return op_has_any(op, LEAF | VIEW) || op_has(op, PURE | ELEMENTWISE);
}

static bool holds_data(const Counter *p, const Value *value) {
  return type_is_tile(value->type) && p->holds_data[value->id];
}

// True if that is new.
static bool mark_value(Counter *p, const Value *value, bool data) {
  bool more = data && !p->holds_data[value->id];
  p->holds_data[value->id] |= data;
  return more;
}

static bool mark_op(Counter *p, const Op *op) {
  bool data = !keeps_index(op), more = false;
  for (uint32_t i = 0; i < op->operand_count; i++) data |= holds_data(p, op_operand(op, i));
  for (uint32_t i = 0; i < op->result_count && !op_has(op, FLOW); i++)
    more |= mark_value(p, &op->results[i], data);
  for (uint32_t i = 0; op_hands_on(op) && i < op->operand_count; i++) {
    const Value *to;
    for (uint32_t n = 0; holds_data(p, op_operand(op, i)) && (to = flow_target(&op->operands[i], n)); n++)
      more |= mark_value(p, to, true);
  }
  return more;
}

// True if something new was marked. The data of a loop-carried value may come from the loop's end.
static bool mark_region(Counter *p, const Region *region) {
  bool more = false;
  for (OpWalk w = ops_outward(region); ops_next(&w);) more |= mark_op(p, w.op);
  return more;
}

// --- which part is used

// The op reads one of this many consecutive registers of the operand. An access reads the address and mask of each
// vector's first element.
static uint32_t share_read(const uint32_t *share, const Op *op, uint32_t operand) {
  if (op->kind == OP_LOAD && operand < 2) return (uint32_t)op_int(op, ATTR_VECTOR, 1);
  bool copies = op->kind == OP_STORE || op->kind == OP_COPY_ASYNC; // operand 1: value or target
  if (copies && operand != 1) return (uint32_t)op_int(op, ATTR_VECTOR, 1);
  return op_has(op, PURE | ELEMENTWISE) ? share[op_result(op)->id] : 1;
}

// Visits uses before definitions. A value that goes to the next iteration, or out of a region, is used as a whole.
static void find_shares(uint32_t *share, const Region *region) {
  for (const Op *op = region->last; op; op = op->prev) {
    for (uint32_t r = 0; r < op->region_count; r++) find_shares(share, op->regions[r]);
    for (uint32_t i = 0; i < op->operand_count; i++) {
      const Value *value = op_operand(op, i);
      uint32_t read = type_is_tile(value->type) ? share_read(share, op, i) : 1, known = share[value->id];
      if (read && (!known || read < known)) share[value->id] = read;
    }
  }
}

// --- counting

static bool is_parts_reduce(const Op *op) {
  const Op *def = op->kind == OP_REDUCE ? op_operand(op, 0)->def : NULL;
  return def && def->kind == OP_SHARED_LOAD && op_int(op, ATTR_AXIS, 0) == 0;
}

// Parts that move through shared memory. They are counted with the op that takes them.
static bool is_exchanged(const Value *value) {
  const Op *def = value->def, *user = value->first_use ? value->first_use->user : NULL;
  if (!def || !user) return false;
  if (def->kind == OP_REDUCE_PARTS || (def->kind == OP_SCAN_CHUNKS && value->index >= combined_count(def)))
    return true;
  return def->kind == OP_SHARED_LOAD && (user->kind == OP_SCAN_CARRY || is_parts_reduce(user));
}

// Made register by register for a reduction, which takes each at once. The tile may be reshaped in between.
static bool is_reduced(const Value *value) {
  const Use *use = value->first_use;
  const Op *op = value->def;
  if (!use || use->next || !op || (!op_has(op, PURE | ELEMENTWISE) && op->kind != OP_RESHAPE)) return false;
  if (use->user->kind == OP_RESHAPE) return is_reduced(op_result(use->user));
  return use->user->kind == OP_REDUCE || use->user->kind == OP_REDUCE_PARTS;
}

// Loaded from tensor memory as it is taken.
static bool is_loaded_late(const Value *value) {
  return value->def && value->def->kind == OP_TMEM_LOAD && tmem_loads_in_parts(value->def);
}

// The sum or difference that takes a product of numbers from tensor memory, in one multiply-add. NULL: none does.
static const Op *fused_with(const Op *op) {
  const Use *use = op->kind == OP_MUL ? value_single_use(op_result(op)) : NULL;
  bool sums = use && (use->user->kind == OP_ADD || use->user->kind == OP_SUB);
  for (uint32_t i = 0; sums && i < 2; i++) {
    const Op *def = op_operand(op, i)->def;
    if (def && def->kind == OP_TMEM_LOAD && is_copy(op_operand(op, 1 - i))) return use->user;
  }
  return NULL;
}

bool is_unpacked_16bit(const Value *value) {
  return value->def && value->def->kind == OP_LOAD && op_int(value->def, ATTR_VECTOR, 0) == 1 &&
         type_is_tile(value->type) && type_element_bytes(value->type) == 2;
}

// Registers of a dot's result that hold only padding do not count.
static uint32_t tile_registers(const Value *value) {
  const Op *dot = dot_padding(value);
  uint64_t elements = type_elements(value->type), registers = layout_registers(value->type->layout);
  return (uint32_t)(dot ? registers * dot_sums(dot) / elements : registers);
}

// Two fp16 or bf16 share a register. fp8 and small integers take one register each.
static uint32_t registers_for(const Counter *p, const Value *value) {
  const Type *type = value->type;
  if (!type_is_tile(type) || is_copy(value) || is_exchanged(value) || is_reduced(value)) return 0;
  if (is_loaded_late(value) || (value->def && fused_with(value->def))) return 0;
  bool is_float = type->inner->kind != TYPE_PTR && elem_is_float(type->inner->elem);
  uint32_t bytes = type_element_bytes(type);
  if (is_float && bytes == 2 && !is_unpacked_16bit(value)) return tile_words(type);
  uint32_t share = p->share[value->id] > 1 ? p->share[value->id] : 1;
  return is_float || holds_data(p, value) ? tile_registers(value) / share * ((bytes + 3) / 4) : 0;
}

// The last id of all uses, also of the multiply-adds that take its multiplications.
static uint32_t use_end(const Value *value, const Region *home) {
  uint32_t end = value_use_end(value, home);
  for (const Use *use = value->first_use; use; use = use->next) {
    const Op *sum = fused_with(use->user);
    if (sum) end = max_u32(end, op_use_end(sum, home));
  }
  return end;
}

static void count_value(Counter *p, const Value *value, const Region *home, uint32_t begin) {
  uint32_t n = registers_for(p, value), end = n ? max_u32(begin, use_end(value, home)) : begin;
  p->registers[value->id] = n;
  p->change[begin] += n;
  p->change[end] -= n; // Unsigned sums wrap, and wrap back.
  if (end > begin) p->across[begin + 1] += n, p->across[end] -= n;
}

// The registers that an op needs in addition to its operands or results. Reserved registers are subtracted, because
// nothing else needs them then. Other chunks' totals are read in vectors and added one by one, so only a part is
// present at once.
static uint32_t registers_within(const Counter *p, const Op *op) {
  enum { TOTALS_AT_ONCE = 4 }; // One of this many.
  bool carries = op->kind == OP_SCAN_CARRY, parts = is_parts_reduce(op);
  uint32_t n = 0;
  for (uint32_t i = 0; i < op->operand_count && (carries || parts); i++) {
    const Type *type = op_operand(op, i)->type;
    uint32_t bytes = type_element_bytes(type), words = layout_registers(type->layout) * ((bytes + 3) / 4);
    bool totals = carries && i >= op->result_count && i < 2 * op->result_count;
    if (parts || totals) n += carries ? words / TOTALS_AT_ONCE : words;
  }
  for (uint32_t i = 0; i < op->result_count && (carries || op->kind == OP_SCAN); i++)
    n += registers_for(p, &op->results[i]);
  return n > TUNE_COMBINE_FREE_REGISTERS ? n - TUNE_COMBINE_FREE_REGISTERS : 0;
}

static void count_args(Counter *p, const Region *region) {
  for (uint32_t i = 0; i < region->arg_count && region->first; i++)
    count_value(p, region->args[i], region, region->first->id);
}

static void count_region(Counter *p, const Region *region) {
  count_args(p, region);
  for (OpWalk w = ops_in(region); ops_next(&w);) {
    uint32_t end = op_last_id(w.op), within = registers_within(p, w.op);
    p->change[end] += within;
    p->change[end + 1] -= within;
    for (uint32_t i = 0; i < w.op->result_count; i++) count_value(p, &w.op->results[i], w.op->region, end);
    for (uint32_t r = 0; r < w.op->region_count; r++) count_args(p, w.op->regions[r]);
  }
}

uint32_t func_thread_registers(const Func *func) {
  const Target *target = &func->module->target;
  uint64_t share = target->arch->registers / (TARGET_WARP * func_warps(func));
  return (uint32_t)min_u64(share, target->maxnreg ? target->maxnreg : target->arch->thread_registers);
}

uint32_t func_room(const Func *func) {
  uint32_t registers = func_thread_registers(func);
  return registers - min_u32(registers / 2, TUNE_BLOCKS_RESERVED_REGISTERS);
}

bool loop_fills_registers(const Func *func, const Op *loop) {
  uint32_t words = 0;
  for (uint32_t i = 0; i < loop->result_count; i++)
    if (type_is_tile(loop->results[i].type)) words += tile_words(loop->results[i].type);
  return words >= func_thread_registers(func);
}

// --- ops that cannot run register by register

// Returns true if the op takes a tile as a whole, and not register by register.
static bool takes_together(const Op *op) {
  if (keeps_index(op) || op->kind == OP_LOAD || op->kind == OP_STORE) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (type_is_tile(op_operand(op, i)->type)) return true;
  for (uint32_t i = 0; i < op->result_count; i++)
    if (type_is_tile(op->results[i].type)) return true;
  return false;
}

// The registers that the op holds in addition to values alive across it: loop-carried values, a scan's result, parts. A
// reduction of one operand drops elements as it takes them. A reduction of several operands is slower and holds about
// an eighth of them at once.
static uint32_t held_by(const Counter *p, const Op *op) {
  uint32_t n = registers_within(p, op);
  if (op->kind == OP_SCAN) return n;
  if (op->kind == OP_SCAN_CARRY) n = 0; // The totals are dropped as the result appears.
  if (op_is_loop(op)) {
    for (uint32_t i = 0; i < op->regions[0]->arg_count; i++) n += registers_for(p, op->regions[0]->args[i]);
    return n;
  }
  if ((op->kind == OP_REDUCE || op->kind == OP_REDUCE_PARTS) && combined_count(op) > 1)
    n += combined_count(op) * layout_registers(op_operand(op, 0)->type->layout) / 8;
  for (uint32_t i = 0; i < op->result_count; i++) n += registers_for(p, &op->results[i]);
  return n;
}

Pressure func_pressure(Arena *scratch, Func *func) {
  func_number(func);
  Counter p = {ARENA_ARRAY(scratch, bool, func->value_count + 1),
               ARENA_ARRAY(scratch, uint32_t, func->value_count + 1),
               ARENA_ARRAY(scratch, uint32_t, func->value_count + 1),
               ARENA_ARRAY(scratch, uint32_t, func->op_count + 2),
               ARENA_ARRAY(scratch, uint32_t, func->op_count + 2)};
  while (mark_region(&p, func->body)) {
  }
  find_shares(p.share, func->body);
  count_region(&p, func->body);
  for (uint32_t i = 1; i < func->op_count; i++)
    p.change[i] += p.change[i - 1], p.across[i] += p.across[i - 1];
  Pressure found = {.registers = p.registers, .alive = p.change};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    uint32_t id = w.op->id;
    if (p.change[id] > found.most) found.most = p.change[id], found.fullest = w.op;
    if (takes_together(w.op)) found.across = max_u32(found.across, p.across[id] + held_by(&p, w.op));
  }
  return found;
}

int64_t register_slack(Arena *scratch, Func *func) {
  return (int64_t)func_room(func) - func_pressure(scratch, func).most;
}

uint32_t *func_shares(Arena *scratch, const Func *func) {
  uint32_t *share = ARENA_ARRAY(scratch, uint32_t, func->value_count + 1);
  find_shares(share, func->body);
  return share;
}
