// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses how many parts split_stores makes of a run. It counts the registers of what is loaded, computed and waits for
// stores.
#include "base/integer.h"
#include "ir/memory/scratch.h"
#include "passes/registers/split_stores.h"

// True if at most *left ops compute the value from the thread index and scalars.
bool store_part_is_made_anew(const Value *value, uint32_t *left) {
  const Op *op = value->def;
  if (!type_is_tile(value->type)) return true;
  if (!op || *left == 0) return false;
  --*left;
  if (op_has(op, LEAF)) return true;
  if (!op_has(op, PURE | ELEMENTWISE) || op_has(op, SLOW)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!store_part_is_made_anew(op_operand(op, i), left)) return false;
  return true;
}

// True if the value is a tile of data: no pointers or masks, and no offsets that are computed where they are used.
static bool is_data(const Value *value) {
  uint32_t left = MAX_STEPS;
  return type_is_tile(value->type) && type_element(value->type)->kind == TYPE_SCALAR &&
         !type_is_elem(value->type, ELEM_I1) && !store_part_is_made_anew(value, &left);
}

static bool is_inside(const StoreSplitter *s, const Value *value) {
  return value->def && s->inside[value->def->id];
}

// Registers of data that the op takes from outside. Each value counts once; `seen` (by id) remembers it. *copies: how
// many of these are copies of others, as broadcasts make them.
static uint32_t words_outside(const StoreSplitter *s, const Op *op, bool *seen, uint32_t *copies) {
  uint32_t words = 0;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Value *value = op_operand(op, i);
    if (seen[value->id] || is_inside(s, value)) continue;
    seen[value->id] = true;
    if (!is_data(value)) continue;
    words += tile_words(value->type);
    if (value->def && value->def->kind == OP_BROADCAST)
      *copies += tile_words(value->type) - tile_words(op_operand(value->def, 0)->type);
  }
  return words;
}

// Registers needed in addition to the loaded tiles. If several accesses share offsets, each vector's offset is live
// from the first access to the last. Elements of 16 bits that are loaded one by one also take the other half of a
// register.
static uint32_t words_beside(const StoreSplitter *s, const Op *op) {
  const Value *value = op->result_count ? op_result(op) : NULL;
  uint32_t addresses = 0;
  if (!value || !is_data(value)) return 0;
  if (is_unpacked_16bit(value)) return layout_registers(value->type->layout) - tile_words(value->type);
  for (const Use *use = value->first_use; use; use = use->next) addresses += use->user->kind == OP_ADDPTR;
  return addresses > 1 ? tile_words(value->type) / (uint32_t)op_int(s->accesses.at[0], ATTR_VECTOR, 1) : 0;
}

// True if operand k is computed inside, this op uses it last, and no operand before it is the same.
static bool ends_at(const StoreSplitter *s, const Op *op, uint32_t k) {
  const Value *value = op_operand(op, k);
  for (uint32_t i = 0; i < k; i++)
    if (op_operand(op, i) == value) return false;
  return is_inside(s, value) && value_use_end(value, op->region) <= op->id;
}

// Registers of loaded and computed data that are live at the same time in the present order.
static uint32_t alive_in_order(const StoreSplitter *s) {
  uint32_t alive = 0, most = 0;
  for (uint32_t i = s->ops.n; i-- > 0;) {
    const Op *op = s->ops.at[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      const Value *value = op_operand(op, k);
      if (is_data(value) && ends_at(s, op, k)) alive -= tile_words(value->type);
    }
    if (op->result_count && is_data(op_result(op))) alive += tile_words(op_result(op)->type);
    most = max_u32(most, alive);
  }
  return most;
}

// How many of the index's highest bits, all of dimension `dim`, each belong to only one register bit.
uint32_t store_part_bits(const Type *type, uint32_t dim) {
  const Layout *layout = type->layout;
  uint32_t bits = 0, registers = layout->bits[DIM_REGISTER];
  for (; bits < log2_of(type->shape[dim]); bits++) {
    uint32_t bit = 1u << (layout->out_bits - 1 - bits), alone = 0, all = 0;
    for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
      all += (layout->basis[i] & bit) != 0;
      alone += i < registers && layout->basis[i] == bit;
    }
    if (alone != 1 || all != 1) break;
  }
  return bits;
}

// The most bits that leave every access its vector.
static uint32_t most_bits(const StoreSplitter *s) {
  uint32_t bits = store_part_bits(s->like, s->dim), registers = layout_registers(s->like->layout);
  for (uint32_t i = 0; i < s->ops.n; i++)
    while (bits && registers >> bits < (uint32_t)op_int(s->ops.at[i], ATTR_VECTOR, 1)) bits--;
  return bits;
}

// Where so many ops follow the loads, arithmetic limits the kernel, and few warps do not hide its latency. If live tiles
// leave a multiprocessor fewer than about 20 warps, parts leave it more.
enum { BUSY_OPS = 48, BUSY_REGISTERS = 96, PART_REGISTERS = 56 };

static uint32_t room_of(const StoreSplitter *s, uint32_t alive) {
  bool busy = s->ops.n >= BUSY_OPS && alive > BUSY_REGISTERS && !s->ops.at[0]->region->parent;
  return busy ? PART_REGISTERS : s->budget->registers - RESERVED_REGISTERS;
}

// log2 of the fewest parts such that one fits next to what waits. 0 if:
// * the whole fits, possibly in the present order;
// * nothing is loaded;
// * stores must stay.
uint32_t store_parts(const StoreSplitter *s) {
  bool *seen = ARENA_ARRAY(s->budget->context->scratch, bool, s->budget->func->value_count);
  uint32_t waiting = 0, loaded = 0, copies = 0, beside = 0, most = most_bits(s), bits = 0;
  for (uint32_t i = 0; i < s->ops.n; i++) waiting += words_outside(s, s->ops.at[i], seen, &copies);
  uint32_t alive = waiting + alive_in_order(s), room = room_of(s, alive);
  if (alive <= room) return 0;
  for (uint32_t i = 0; i < s->accesses.n; i++) {
    const Op *op = s->accesses.at[i];
    if (op->kind == OP_LOAD) loaded += tile_words(op_result(op)->type);
    if (s->behind[op->id]) waiting += tile_words(op_operand(op, 1)->type);
  }
  if (!loaded) return 0;
  for (uint32_t i = 0; i < s->ops.n; i++) beside += words_beside(s, s->ops.at[i]);
  if (waiting > room) { // otherwise even the smallest parts do not fit, and wait for each other
    waiting -= copies;
    loaded += beside;
  }
  while (bits < most && waiting + (loaded >> bits) > room) bits++;
  if (!bits) return 0;
  RELIEVED(s->budget, s->accesses.at[0], IN_PARTS, loaded,
           "in %u parts: %u registers are loaded next to %u live ones, and there are %u%s", 1u << bits,
           loaded, waiting, room, room == PART_REGISTERS ? " if enough warps are to fit" : "");
  return bits;
}

// --- stores that may write what is read

// Registers of what is loaded and computed, at the access where most of it waits. Between accesses a result replaces
// what it is computed from, register by register.
static uint32_t alive_at_accesses(const StoreSplitter *s) {
  uint32_t alive = 0, most = 0;
  for (uint32_t i = s->ops.n; i-- > 0;) {
    const Op *op = s->ops.at[i];
    if (op->kind == OP_STORE) most = max_u32(most, alive);
    for (uint32_t k = 0; k < op->operand_count; k++)
      if (ends_at(s, op, k)) alive -= s->registers[op_operand(op, k)->id];
    if (op->result_count) alive += s->registers[op_result(op)->id];
    if (op->kind == OP_LOAD) most = max_u32(most, alive);
  }
  return most;
}

// Registers of what is stored. Elements of less than 32 bits that are stored one by one take one each.
static uint32_t words_stored(const StoreSplitter *s, const Op *store) {
  const Value *value = op_operand(store, 1);
  bool halves = type_element_bytes(value->type) < 4 && op_int(store, ATTR_VECTOR, 1) == 1;
  return halves ? layout_registers(value->type->layout) : s->registers[value->id];
}

// Registers that the ops take from outside and, if `stored`, of what they compute for stores. Each value counts once.
static uint32_t words_waiting(const StoreSplitter *s, bool stored) {
  bool *seen = ARENA_ARRAY(s->budget->context->scratch, bool, s->budget->func->value_count);
  uint32_t words = 0;
  for (uint32_t i = 0; i < s->ops.n; i++)
    for (uint32_t k = 0; k < s->ops.at[i]->operand_count; k++) {
      const Value *value = op_operand(s->ops.at[i], k);
      bool is_stored = s->ops.at[i]->kind == OP_STORE && k == 1;
      if (seen[value->id] || (is_inside(s, value) && !(stored && is_stored))) continue;
      seen[value->id] = true;
      words += is_stored ? words_stored(s, s->ops.at[i]) : s->registers[value->id];
    }
  return words;
}

// Like store_parts, but every store comes after all parts. ptxas loads parts early, so one part has half of the room
// that is left. If what waits for the stores leaves no room, some of it is spilled in any case. Then parts of half that
// size are small enough.
uint32_t store_parts_behind(const StoreSplitter *s) {
  uint32_t room = s->budget->registers - RESERVED_REGISTERS, most = most_bits(s), bits = 0;
  uint32_t alive = alive_at_accesses(s), waiting = words_waiting(s, true);
  uint32_t whole = words_waiting(s, false) + alive,
           part = max_u32(room - min_u32(room, waiting), waiting) / 2;
  if (whole - whole / 5 <= room) return 0; // if only a little too much, ptxas finds an order by itself
  while (bits < most && alive >> bits > part) bits++;
  if (!bits || waiting + (alive >> bits) > whole / 4 * 3) return 0;
  RELIEVED(
      s->budget, s->accesses.at[0], IN_PARTS, alive,
      "in %u parts before all stores: %u registers are live next to these, %u would be, and there are %u",
      1u << bits, waiting, whole, room);
  return bits;
}
