// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in tensor memory: what is computed from them is loaded and stored in parts of their columns.
//
// ```
// before  %x = tmem_load %t : tile<128x256xfp32>        after  %x = tmem_load %t : tile<128x256xfp32>
//         %y = add %x, %b                                      %x0 = slice %x {starts = [0, 0]} : tile<128x64xfp32>
//         store %p, %y                                         %y0 = add %x0, %b0
//                                                              store %p0, %y0
//                                                              ... and so on
// ```
//
// promote_shared does this where the tile passes between threads before its store, and fit_registers for all others.
//
// pays    codegen loads what each slice needs, where it is. The whole tile takes 256 registers of a thread. A part that
//         passes between threads has a buffer of its size, and all parts share the bytes: slots of the loop have the rest.
#include "passes/shared/promote_dot.h"

#include <string.h>
#include "ir/build.h"
#include "ir/memory/scratch.h"

enum { PART_WORDS = 64, LEAST_COLUMNS = 32 };

typedef struct SumChain {
  VEC(Op *) ops;  // The load, what is computed from it, and the store.
  uint32_t bits;  // log2 of the parts
  Value **made;   // By value id: the current part's.
  bool converts;  // It may have conversions, which get their scratch buffers later.
  bool exchanged; // One of these goes through shared memory.
} SumChain;

static bool takes_any(const SumChain *c, const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    for (uint32_t k = 0; k < c->ops.n; k++)
      if (c->ops.at[k]->result_count && op_operand(op, i) == op_result(c->ops.at[k])) return true;
  return false;
}

static bool ends_chain(const Op *op) { return op->kind == OP_STORE || op->kind == OP_SHARED_STORE; }

// True if the op gives the columns of its result for those of its operands.
static bool keeps_columns(const SumChain *c, const Op *op, const Type *sums) {
  bool kind = op->kind == OP_CONVERT_LAYOUT ? c->converts && !op_scratch(op) : op_has(op, PURE | ELEMENTWISE);
  return kind && op->result_count == 1 && type_same_shape(op_result(op)->type, sums);
}

// Finds what is computed from the loaded sums, up to the one store of it. False: something else takes them.
static bool find_chain(PassContext *context, Op *load, SumChain *c) {
  const Type *sums = op_result(load)->type;
  vec_push(context->scratch, &c->ops, load);
  for (Op *op = load->next; op; op = op->next) {
    bool taken = takes_any(c, op);
    if (taken && ends_chain(op)) {
      vec_push(context->scratch, &c->ops, op);
      break;
    }
    bool passes = op->kind == OP_BARRIER || !(op_has_any(op, WRITES | TERMINATOR) || op->region_count);
    if (!taken && passes) continue;
    if (!taken || !keeps_columns(c, op, sums)) return false;
    c->exchanged |= op->kind == OP_CONVERT_LAYOUT && scratch_bytes(op) > 0;
    vec_push(context->scratch, &c->ops, op);
  }
  const Op *last = c->ops.at[c->ops.n - 1];
  for (uint32_t i = 0; i + 1 < c->ops.n; i++)
    for (const Use *use = op_result(c->ops.at[i])->first_use; use; use = use->next)
      if (use->user != last && (use->user->region != load->region || op_precedes(last, use->user)))
        return false;
  return ends_chain(last) && !op_attr(last, ATTR_STARTS) &&
         type_same_shape(operand_type(last, last->kind == OP_STORE), sums);
}

// The type of some of the tile's columns. NULL: its highest column bits are not of registers alone.
static const Type *columns_type(const Func *func, const Type *tile, uint32_t bits) {
  const Layout *whole = tile->layout;
  uint32_t columns = tile->shape[1], high = (columns - 1) & ~(columns / (1u << bits) - 1), n = 0, dropped = 0;
  uint32_t shape[2] = {tile->shape[0], columns >> bits};
  Layout layout = {.out_bits = (uint8_t)(whole->out_bits - bits)};
  memcpy(layout.bits, whole->bits, sizeof layout.bits);
  for (uint32_t i = 0; i < layout_in_bits(whole); i++) {
    uint32_t basis = whole->basis[i];
    if (basis & high) {
      if (i >= whole->bits[DIM_REGISTER] || basis & ~high) return NULL;
      dropped++;
    } else {
      layout.basis[n++] = basis / columns * shape[1] + basis % columns;
    }
  }
  layout.bits[DIM_REGISTER] = (uint8_t)(layout.bits[DIM_REGISTER] - bits);
  return dropped == bits ? type_tile(func->module->ir, type_element(tile), 2, shape,
                                     layout_intern(func->module->ir, &layout))
                         : NULL;
}

static Value *columns_of(SumChain *c, Builder *b, Value *value, uint32_t part) {
  if (!type_is_tile(value->type)) return value;
  if (c->made[value->id]) return c->made[value->id];
  const Type *type = columns_type(b->func, value->type, c->bits);
  Value *slice = build(b, OP_SLICE, type, value, NULL, NULL);
  op_set_ints(slice->def, ATTR_STARTS, 2, (uint32_t[]){0, part * type->shape[1]});
  return c->made[value->id] = slice;
}

static void make_columns(SumChain *c, Op *op, Builder *b, uint32_t part) {
  Value *operands[4];
  const Type *type = op->result_count ? columns_type(b->func, op_result(op)->type, c->bits) : NULL;
  for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = columns_of(c, b, op_operand(op, i), part);
  Op *made = build_like(b, op, operands, type);
  op_remove_attr(made, ATTR_ANCHOR);
  if (op->result_count) c->made[op_result(op)->id] = op_result(made);
  if (op->kind == OP_SHARED_STORE) {
    const Type *stored = operands[0]->type;
    op_set_ints(made, ATTR_STARTS, 2, (uint32_t[]){0, part * stored->shape[1]});
  }
}

// False if some operand or result has no such parts.
static bool has_columns(const Func *func, const SumChain *c) {
  for (uint32_t i = 1; i < c->ops.n; i++) {
    const Op *op = c->ops.at[i];
    if (op->operand_count > 4) return false;
    if (op->result_count && !columns_type(func, op_result(op)->type, c->bits)) return false;
    for (uint32_t k = 0; k < op->operand_count; k++)
      if (type_is_tile(operand_type(op, k)) && !columns_type(func, operand_type(op, k), c->bits))
        return false;
  }
  return true;
}

static bool split_load(PassContext *context, Func *func, Op *load, bool exchanged) {
  SumChain c = {.converts = exchanged};
  const Type *sums = op_result(load)->type;
  while (tile_words(sums) >> c.bits > PART_WORDS && sums->shape[1] >> (c.bits + 1) >= LEAST_COLUMNS) c.bits++;
  if (!c.bits || !find_chain(context, load, &c) || c.ops.n < 3 || exchanged != c.exchanged) return false;
  while (c.bits && !has_columns(func, &c)) c.bits--;
  if (!c.bits) return false;
  Op *last = c.ops.at[c.ops.n - 1];
  Builder b = builder_before(last);
  for (uint32_t part = 0; part < 1u << c.bits; part++) {
    c.made = ARENA_ARRAY(context->scratch, Value *, func->value_count);
    for (uint32_t i = 1; i < c.ops.n; i++) make_columns(&c, c.ops.at[i], &b, part);
  }
  while (c.ops.n > 1) op_erase(vec_pop(&c.ops));
  diag_remark(context->diags, load->loc, exchanged ? "promote_shared" : "fit_registers",
              "sums are loaded from tensor memory in %u parts", 1u << c.bits);
  if (!exchanged) relieve(context, RELIEF_IN_PARTS, tile_words(sums));
  return true;
}

bool split_sums(PassContext *context, Func *func, bool exchanged) {
  VEC(Op *) loads = {0};
  func_number(func);
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_TMEM_LOAD) vec_push(context->scratch, &loads, w.op);
  bool changed = false;
  for (uint32_t i = 0; i < loads.n; i++) changed |= split_load(context, func, loads.at[i], exchanged);
  return changed;
}
