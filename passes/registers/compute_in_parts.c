// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of fit_registers that compute tiles part by part: for stores, and dots for a reduction.
#include "base/integer.h"
#include "ir/build.h"
#include "ir/dot/dot.h"
#include "ir/memory/buffer_name.h"
#include "ir/memory/scratch.h"
#include "passes/registers/fit_registers.h"

// --- stores: tiles are loaded, computed and stored part by part
//
// ```
// before  %w = load %pw : tile<8192xbf16>     after  %h0 = slice %h {starts = [0]} : tile<4096xbf16>
//         %y = mul %h, %w                            %w0 = load %pw0 : tile<4096xbf16>
//         store %py, %y                              %y0 = mul %h0, %w0
//                                                    store %py0, %y0
//                                                    %h1 = slice %h {starts = [4096]} : tile<4096xbf16>
//                                                    ... and so on
// ```
//
//
// pays    ptxas issues all loads of a tile before the first store. For a row of 65536 elements in 1024 threads, the
//         tile that waits takes half of a thread's registers. Two more tiles, which it is multiplied by and added to,
//         take twice the registers that there are.
//
// If stores may write what is read, all parts are loaded and computed before the first store. This is done if what is
// stored takes fewer registers than what it is computed from.
//
// Parts lie in separate registers along the first dimension, so that a slice needs no instruction. Loads of later parts
// come after stores of earlier parts. So, in other cases, one of these must hold:
// * the pointers come from different arguments, under --restrict;
// * each element is stored at the same distance from its pointer at which it was loaded. Then parts only change the
//   order of different elements. A program cannot rely on that order, since different threads may hold them.
//
// A load that stays at its place must not read what a store before it has written: that store's parts come after the
// load. Offsets and masks that are computed from the thread index are computed for each part. If several stores go
// through one argument, each comes whole before the next one, whose parts wait for it.

enum {
  MAX_STEPS = 4,         // ops that compute an offset or mask again
  RESERVED_REGISTERS = 8 // per thread, besides tiles: addresses of a part's accesses
};

typedef struct StoreSplitter {
  Budget *budget;
  const Type *like;          // Shape and layout of everything that is split.
  uint32_t dim;              // The dimension along which it is split.
  const uint32_t *registers; // By value id: the registers that it takes.
  bool *inside;              // By op id: done part by part.
  bool *behind;       // By op id: a store whose parts come after all of an earlier store, or after all loads.
  VEC(Op *) ops;      // Those inside, last first.
  VEC(Op *) accesses; // The loads and stores among them.
  uint32_t part_bits; // log2 of the number of parts.
  Value **made;       // By value id: as built for the current part, or NULL.
  bool ordered;       // Some store is behind.
  bool fresh;         // Offsets are computed again, where LLVM would keep the old ones.
  bool changed;
} StoreSplitter;

static bool is_alike(const StoreSplitter *s, const Value *value) {
  const Type *type = value->type;
  return type_is_tile(type) && type->layout == s->like->layout && type_same_shape(type, s->like);
}

// --- what is made part by part

// True for ops that others do not move past: ops with regions, and all that write or synchronise, except stores.
static bool ends_run(const Op *op) {
  return op->region_count || op_has(op, TERMINATOR) || (op_has(op, WRITES) && op->kind != OP_STORE);
}

static bool is_plain_load(const Op *op) {
  return op->kind == OP_LOAD && !op_scratch(op) && !op_attr(op, ATTR_VOLATILE);
}

static bool is_splittable(const StoreSplitter *s, const Op *op) {
  if (op->kind == OP_STORE) return is_alike(s, op_operand(op, 1));
  if (op->result_count != 1 || !is_alike(s, op_result(op)) || op_has(op, LEAF)) return false;
  return is_plain_load(op) || op_has(op, PURE | ELEMENTWISE);
}

static bool used_inside(const StoreSplitter *s, const Op *op) {
  const Use *use = op->result_count ? op_result(op)->first_use : NULL;
  bool used = op->kind == OP_STORE || use;
  for (; use; use = use->next) used &= s->inside[use->user->id];
  return used;
}

// Marks the run from `first` to before `end`. Users are visited before what they use. Returns false if a store has
// another shape.
static bool mark_run(StoreSplitter *s, const Op *first, const Op *end) {
  s->ops.n = s->accesses.n = 0;
  for (Op *op = end->prev; op != first->prev; op = op->prev) {
    bool inside = is_splittable(s, op) && used_inside(s, op);
    if (op->kind == OP_STORE && !inside) return false;
    s->inside[op->id] = inside;
    if (!inside) continue;
    vec_push(s->budget->context->scratch, &s->ops, op);
    if (!op_has(op, PURE)) vec_push(s->budget->context->scratch, &s->accesses, op);
  }
  return true;
}

// --- if it is allowed and worth it

// True if both add the same offsets to one pointer each.
static bool are_equally_far(const Value *a, const Value *b) {
  while (a->def && b->def && a->def->kind == OP_ADDPTR && b->def->kind == OP_ADDPTR) {
    if (op_operand(a->def, 1) != op_operand(b->def, 1)) return false;
    a = op_operand(a->def, 0), b = op_operand(b->def, 0);
  }
  return a->def && b->def && a->def->kind == OP_SPLAT && b->def->kind == OP_SPLAT;
}

// True if accesses by pointers from these parameters may reach the same memory.
static bool may_meet(const StoreSplitter *s, int32_t a, int32_t b) {
  return a == b || !s->budget->func->module->target.restrict_pointers;
}

// True if no store writes a load's memory, except for values that are loaded and then stored element by element. Later
// stores to the same memory are marked `behind`.
static bool are_apart(StoreSplitter *s) {
  s->ordered = false;
  for (uint32_t i = 0; i < s->accesses.n; i++) {
    const Op *op = s->accesses.at[i];
    const Value *pointer = op_operand(op, 0);
    int32_t origin = pointer_param(pointer);
    if (origin < 0) return false;
    s->behind[op->id] = false;
    for (uint32_t k = 0; k < i; k++) {
      const Op *later = s->accesses.at[k];
      if (op->kind == OP_LOAD && later->kind == OP_LOAD) continue;
      if (!may_meet(s, pointer_param(op_operand(later, 0)), origin)) continue;
      if (op->kind == OP_LOAD && are_equally_far(pointer, op_operand(later, 0))) continue;
      if (op->kind != later->kind) return false;
      s->behind[later->id] = s->ordered = true;
    }
  }
  return true;
}

// True if all reads come before the first store. Then no store can change what a part reads, if all come after all
// parts.
static bool reads_first(StoreSplitter *s, const Op *first, const Op *end) {
  bool stored = false;
  for (const Op *op = first; op != end; op = op->next) {
    if (stored && op_has(op, READS)) return false;
    stored |= op->kind == OP_STORE;
    s->behind[op->id] = op->kind == OP_STORE;
  }
  return s->ordered = true;
}

// True if a load that stays may read what a store before it has written.
static bool is_read_again(const StoreSplitter *s, const Op *end) {
  for (uint32_t i = 0; i < s->accesses.n; i++) {
    const Op *store = s->accesses.at[i];
    int32_t written = store->kind == OP_STORE ? pointer_param(op_operand(store, 0)) : -1;
    for (const Op *op = store->next; written >= 0 && op != end; op = op->next) {
      if (op->kind != OP_LOAD || s->inside[op->id]) continue;
      int32_t read = pointer_param(op_operand(op, 0));
      if (read < 0 || may_meet(s, read, written)) return true;
    }
  }
  return false;
}

// --- how many parts

// True if at most *left ops compute the value from the thread index and scalars.
static bool is_made_anew(const Value *value, uint32_t *left) {
  const Op *op = value->def;
  if (!type_is_tile(value->type)) return true;
  if (!op || *left == 0) return false;
  --*left;
  if (!is_cheap(op) || op_has(op, VIEW)) return false;
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_made_anew(op_operand(op, i), left)) return false;
  return true;
}

// True if the value is a tile of data: no pointers or masks, and no offsets that are computed where they are used.
static bool is_data(const Value *value) {
  uint32_t left = MAX_STEPS;
  return type_is_tile(value->type) && type_element(value->type)->kind == TYPE_SCALAR &&
         !type_is_elem(value->type, ELEM_I1) && !is_made_anew(value, &left);
}

static bool is_inside(const StoreSplitter *s, const Value *value) {
  return value->def && s->inside[value->def->id];
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

// The kinds of values whose registers count. Where stores stay, these are tiles of data, since offsets and masks are computed
// again for each part; or these without copies, as broadcasts make them. If all stores come last, it is all that the
// driver counts.
typedef enum Ruler { DATA, DATA_ONCE, ALL } Ruler;

static uint32_t words_of(const StoreSplitter *s, const Value *value, Ruler ruler) {
  if (ruler == ALL) return s->registers[value->id];
  bool once = ruler == DATA_ONCE && value->def && value->def->kind == OP_BROADCAST;
  return is_data(value) ? tile_words(once ? op_operand(value->def, 0)->type : value->type) : 0;
}

// Registers of what is loaded and computed, at the access where most of it waits. Between accesses a result replaces
// what it is computed from, register by register.
static uint32_t alive_at_accesses(const StoreSplitter *s, Ruler ruler) {
  uint32_t alive = 0, most = 0;
  for (uint32_t i = s->ops.n; i-- > 0;) {
    const Op *op = s->ops.at[i];
    if (op->kind == OP_STORE) most = max_u32(most, alive);
    for (uint32_t k = 0; k < op->operand_count; k++)
      if (ends_at(s, op, k)) alive -= words_of(s, op_operand(op, k), ruler);
    if (op->result_count) alive += words_of(s, op_result(op), ruler);
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
static uint32_t words_waiting(const StoreSplitter *s, Ruler ruler, bool stored) {
  bool *seen = ARENA_ARRAY(s->budget->context->scratch, bool, s->budget->func->value_count);
  uint32_t words = 0;
  for (uint32_t i = 0; i < s->ops.n; i++)
    for (uint32_t k = 0; k < s->ops.at[i]->operand_count; k++) {
      const Value *value = op_operand(s->ops.at[i], k);
      bool is_stored = ruler == ALL && s->ops.at[i]->kind == OP_STORE && k == 1;
      if (seen[value->id] || (is_inside(s, value) && !(stored && is_stored))) continue;
      seen[value->id] = true;
      words += is_stored ? words_stored(s, s->ops.at[i]) : words_of(s, value, ruler);
    }
  return words;
}

// How many of the index's highest bits, all of dimension `dim`, each belong to only one register bit.
static uint32_t free_bits(const Type *type, uint32_t dim) {
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
  uint32_t bits = free_bits(s->like, s->dim), registers = layout_registers(s->like->layout);
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
static uint32_t parts_between(const StoreSplitter *s) {
  uint32_t waiting = words_waiting(s, DATA, false), loaded = 0, beside = 0, most = most_bits(s), bits = 0;
  uint32_t alive = waiting + alive_at_accesses(s, DATA), room = room_of(s, alive);
  if (alive <= room) return 0;
  for (uint32_t i = 0; i < s->accesses.n; i++) {
    const Op *op = s->accesses.at[i];
    if (op->kind == OP_LOAD) loaded += tile_words(op_result(op)->type);
    if (s->behind[op->id]) waiting += tile_words(op_operand(op, 1)->type);
  }
  if (!loaded) return 0;
  for (uint32_t i = 0; i < s->ops.n; i++) beside += words_beside(s, s->ops.at[i]);
  if (waiting > room) { // otherwise even the smallest parts do not fit, and wait for each other
    waiting -= words_waiting(s, DATA, false) - words_waiting(s, DATA_ONCE, false);
    loaded += beside;
  }
  while (bits < most && waiting + (loaded >> bits) > room) bits++;
  if (!bits) return 0;
  RELIEVED(s->budget, s->accesses.at[0], IN_PARTS, loaded,
           "in %u parts: %u registers are loaded next to %u live ones, and there are %u%s", 1u << bits,
           loaded, waiting, room, room == PART_REGISTERS ? " if enough warps are to fit" : "");
  return bits;
}

// Like parts_between, but every store comes after all parts. ptxas loads parts early, so one part has half of the room
// that is left. If what waits for the stores leaves no room, some of it is spilled in any case. Then parts of half that
// size are small enough.
static uint32_t parts_behind(const StoreSplitter *s) {
  uint32_t room = s->budget->registers - RESERVED_REGISTERS, most = most_bits(s), bits = 0;
  uint32_t alive = alive_at_accesses(s, ALL), waiting = words_waiting(s, ALL, true);
  uint32_t whole = words_waiting(s, ALL, false) + alive,
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

// --- parts

static const Type *part_type(const StoreSplitter *s, const Type *tile) {
  IrContext *ir = s->budget->func->module->ir;
  const Layout *whole = tile->layout;
  Layout layout = {.out_bits = (uint8_t)(whole->out_bits - s->part_bits)};
  uint32_t shape[TILE_MAX_RANK], n = 0, registers = whole->bits[DIM_REGISTER];
  memcpy(layout.bits, whole->bits, sizeof layout.bits);
  layout.bits[DIM_REGISTER] = (uint8_t)(registers - s->part_bits);
  for (uint32_t i = 0; i < layout_in_bits(whole); i++)
    if (!(whole->basis[i] >> layout.out_bits)) layout.basis[n++] = whole->basis[i];
  memcpy(shape, tile->shape, sizeof shape);
  shape[s->dim] >>= s->part_bits;
  return type_tile(ir, type_element(tile), tile->rank, shape, layout_intern(ir, &layout));
}

static Value *part_of(StoreSplitter *s, Builder *b, Value *value, uint32_t part);

// Equal or consecutive neighbours are at most a part.
static void limit_runs(Op *op) {
  static const AttrKey keys[] = {ATTR_CONSTANT, ATTR_CONTIGUOUS};
  for (uint32_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const Attr *attr = op_attr(op, keys[k]);
    if (!attr) continue;
    uint32_t runs[TILE_MAX_RANK], rank = attr->ints.n;
    for (uint32_t d = 0; d < rank; d++)
      runs[d] = min_u32((uint32_t)attr->ints.at[d], op_result(op)->type->shape[d]);
    op_set_ints(op, keys[k], rank, runs);
  }
}

// Builds one part of the op.
static Op *make_part(StoreSplitter *s, Builder *b, const Op *op, uint32_t part) {
  Value **operands = ARENA_ARRAY(s->budget->context->scratch, Value *, op->operand_count);
  const Type *type = op->result_count ? part_type(s, op_result(op)->type) : NULL;
  for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = part_of(s, b, op_operand(op, i), part);
  Op *made = build_like(b, op, operands, type);
  op_remove_attr(made, ATTR_ANCHOR); // it belongs to the whole tile
  if (op->result_count) limit_runs(made);
  if (op->kind != OP_ARANGE) return made;
  int64_t start = op_int(op, ATTR_START, 0) + part * (int64_t)type->shape[0];
  op_set_int(made, ATTR_START, start);
  op_set_int(made, ATTR_END, start + type->shape[0]);
  if (s->fresh) op_set_flag(made, ATTR_FRESH, true);
  return made;
}

static Value *slice_of(const StoreSplitter *s, Builder *b, Value *value, uint32_t part) {
  const Type *type = part_type(s, value->type);
  uint32_t starts[TILE_MAX_RANK] = {0};
  starts[s->dim] = part * type->shape[s->dim];
  Value *slice = build(b, OP_SLICE, type, value, NULL, NULL);
  op_set_ints(slice->def, ATTR_STARTS, type->rank, starts);
  return slice;
}

// True for offsets, masks and pointers whose parts are computed from the parts of their operands. Then what a store
// shares with a later one does not wait for all parts. Nor does what a loop computes again in each iteration.
static bool is_made_in_parts(const StoreSplitter *s, const Value *value) {
  const Op *op = value->def;
  const Type *type = value->type, *element = type_element(type);
  bool index = element->kind == TYPE_PTR || !elem_is_float(element->elem);
  bool wanted = s->ordered || (op && op->region->parent && op->region == s->ops.at[0]->region);
  if (!wanted || !op || !index || type->rank <= s->dim || free_bits(type, s->dim) < s->part_bits)
    return false;
  if (op->kind == OP_EXPAND_DIMS) return op_int(op, ATTR_AXIS, 0) > s->dim;
  if (op->kind == OP_DIV || op->kind == OP_REM) return false;
  if (op->kind != OP_BROADCAST) return op_has(op, PURE | ELEMENTWISE);
  const Type *narrow = op_operand(op, 0)->type;
  return narrow->shape[s->dim] == 1 || free_bits(narrow, s->dim) >= s->part_bits;
}

static Value *part_of(StoreSplitter *s, Builder *b, Value *value, uint32_t part) {
  uint32_t left = MAX_STEPS;
  if (!type_is_tile(value->type) || value->type->shape[s->dim] == 1) return value; // the same for all parts
  Value **made = &s->made[value->id];
  if (*made) return *made;
  bool anew = is_made_anew(value, &left) || is_made_in_parts(s, value);
  return *made = anew ? op_result(make_part(s, b, value->def, part)) : slice_of(s, b, value, part);
}

// Builds the part's ops, except stores that are `behind`. made[i] is the op for s->ops.at[i].
static void make_first(StoreSplitter *s, Op *end, uint32_t part, Op **made) {
  memset(s->made, 0, s->budget->func->value_count * sizeof *s->made);
  for (uint32_t i = s->ops.n; i-- > 0;) {
    const Op *op = s->ops.at[i];
    if (s->behind[op->id]) continue;
    Builder b = builder_before(end);
    made[i] = make_part(s, &b, op, part);
    if (op->result_count) s->made[op_result(op)->id] = op_result(made[i]);
  }
}

// Builds the part of a store that comes after others. Data was computed before. Addresses and masks are computed again,
// since 64 bits per element are twice what waits.
static void make_behind(StoreSplitter *s, Op *end, const Op *store, uint32_t part, Op **made) {
  memset(s->made, 0, s->budget->func->value_count * sizeof *s->made);
  for (uint32_t i = s->ops.n; i-- > 0;) {
    const Value *value = s->ops.at[i]->result_count ? op_result(s->ops.at[i]) : NULL;
    bool kept = value && (value == op_operand(store, 1) || !is_made_in_parts(s, value));
    if (kept) s->made[value->id] = op_result(made[i]);
  }
  Builder b = builder_before(end);
  make_part(s, &b, store, part);
}

static void erase_unused(const StoreSplitter *s, Op **made) {
  for (uint32_t i = 0; i < s->ops.n; i++)
    if (made[i] && made[i]->result_count && value_unused(op_result(made[i]))) op_erase(made[i]);
}

// Stores through the argument of an earlier store come after all parts of that store, in their order.
static void split_run(StoreSplitter *s, Op *end) {
  uint32_t parts = 1u << s->part_bits, n = s->ops.n;
  Op **made = ARENA_ARRAY(s->budget->context->scratch, Op *, (uint64_t)parts * n);
  for (uint32_t part = 0; part < parts; part++) make_first(s, end, part, made + (uint64_t)part * n);
  s->fresh = true;
  for (uint32_t i = n; i-- > 0;)
    for (uint32_t part = 0; part < parts && s->behind[s->ops.at[i]->id]; part++)
      make_behind(s, end, s->ops.at[i], part, made + (uint64_t)part * n);
  s->fresh = false;
  for (uint32_t part = 0; part < parts; part++) erase_unused(s, made + (uint64_t)part * n);
  for (uint32_t i = 0; i < n; i++) op_erase(s->ops.at[i]);
  s->changed = true;
}

// --- runs

static void visit_run(StoreSplitter *s, const Op *first, Op *end) {
  const Op *store = end->prev;
  while (store != first->prev && store->kind != OP_STORE) store = store->prev;
  if (store == first->prev || !type_is_tile(op_operand(store, 1)->type)) return;
  s->like = op_operand(store, 1)->type;
  for (s->dim = 0; s->dim + 1 < s->like->rank && s->like->shape[s->dim] == 1;) s->dim++;
  if (!mark_run(s, first, end)) return;
  bool apart = are_apart(s);
  if (apart ? is_read_again(s, end) : !reads_first(s, first, end)) return;
  s->part_bits = apart ? parts_between(s) : parts_behind(s);
  if (s->part_bits) split_run(s, end);
}

static void visit_region(StoreSplitter *s, Region *region) {
  Op *first = region->first;
  for (Op *op = first; op; op = op->next) {
    if (!ends_run(op)) continue;
    if (op != first) visit_run(s, first, op);
    first = op->next;
    if (op_has(op, FLOW) || op->kind == OP_WARP_GROUPS)
      for (uint32_t r = 0; r < op->region_count; r++) visit_region(s, op->regions[r]);
  }
}

bool split_stores(Budget *b) {
  Arena *scratch = b->context->scratch;
  StoreSplitter s = {.budget = b, .registers = b->pressure.registers};
  s.inside = ARENA_ARRAY(scratch, bool, b->func->op_count);
  s.behind = ARENA_ARRAY(scratch, bool, b->func->op_count);
  s.made = ARENA_ARRAY(scratch, Value *, b->func->value_count);
  visit_region(&s, b->func->body);
  return s.changed;
}

// --- reductions: a dot that only a reduction takes is computed for one result after another
//
// before  %p = dot %a, %b, %zero
//         %s = select %m, %p, %low
//         %m = reduce %s {axis = 0}
//
// after   The same, and the reduction is marked `streamed`. codegen orders the dot's instructions, and what uses them,
//         by the result that needs them.
//
// pays    Only the sums that one result needs are in registers. They become one register when the result is done.
//
// Only for mma.sync: wgmma gives all its sums at the same time.

enum { MAX_VISITS = 64 }; // ops from dot to reduction

static bool is_reduction(const Op *op) { return op->kind == OP_REDUCE || op->kind == OP_REDUCE_PARTS; }

// The only op, other than elementwise ones, that takes what is computed from the value. NULL: there are others, or
// none.
static Op *taker_of(const Value *value, uint32_t *left) {
  Op *taker = NULL;
  for (const Use *use = value->first_use; use; use = use->next) {
    Op *user = use->user;
    if (user->region != value->def->region || (*left)-- == 0) return NULL;
    bool through = op_has(user, PURE | ELEMENTWISE) && user->result_count == 1 && user->kind != OP_DOT;
    Op *next = through ? taker_of(op_result(user), left) : is_reduction(user) ? user : NULL;
    if (!next || (taker && next != taker)) return NULL;
    taker = next;
  }
  return taker;
}

static bool by_mma(const Op *op) {
  return op->kind == OP_DOT && (dot_instruction(op) == DOT_MMA || dot_instruction(op) == DOT_MMA_K8);
}

static bool stream(Budget *b, Op *op) {
  uint32_t left = MAX_VISITS;
  if (!by_mma(op) || b->pressure.alive[op->id] + RESERVED_REGISTERS <= b->registers) return false;
  Op *taker = taker_of(op_result(op), &left);
  if (!taker || op_attr(taker, ATTR_STREAMED)) return false;
  RELIEVED(b, op, IN_PARTS, tile_words(op_result(op)->type),
           "the dot is computed for one result of the reduction at a time");
  op_set_flag(taker, ATTR_STREAMED, true);
  return true;
}

bool stream_reductions(Budget *b) {
  bool changed = false;
  for (OpWalk w = ops_in(b->func->body); ops_next(&w);) changed |= stream(b, w.op);
  return changed;
}
