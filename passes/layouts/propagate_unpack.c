// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components that unpack words: they compute with a tile in which each word of a smaller tile is repeated, once for each
// weight in it. Repeating is free within a thread. So a thread has whole words, in its lowest registers, and lanes have
// neighbouring words:
//
// ```
// words, 8 x 128        layout<reg = [128, 256, 512], lane = [1, 2, 4, 8, 16], warp = [32, 64]; 1024>
// weights, 64 x 128     layout<reg = [128, 256, 512, 1024, 2048, 4096], lane = [1, 2, 4, 8, 16], warp = [32, 64]; 8192>
// ```
//
// Eight 16-bit weights of a word are then one store to the dot's buffer.
#include "base/integer.h"
#include "passes/layouts/propagate.h"

enum { MAX_STORE_BYTES = 16 };

// A tile of repeated words: a reshape of a broadcast.
static bool repeats_words(const Propagator *p, const Value *value) {
  bool reshapes = false, repeats = false;
  uint64_t elements = type_elements(value->type);
  for (; p->view[value->id]; value = op_operand(value->def, 0)) {
    reshapes |= value->def->kind == OP_RESHAPE;
    repeats |= reshapes && value->def->kind == OP_BROADCAST;
  }
  return repeats && type_elements(value->type) < elements;
}

const GraphEdge *propagate_unpacks(Propagator *p, uint32_t root) {
  for (const GraphTouch *touch = p->touches[root]; touch; touch = touch->next) {
    const GraphEdge *edge = touch->edge;
    if (!edge || edge->result != NO_RESULT || propagate_root(p, edge->node) != root) continue;
    if (!op_has(edge->op, ELEMENTWISE) || propagate_root(p, edge->source->id) == root) continue;
    if (repeats_words(p, op_operand(edge->op, edge->operand))) return edge;
  }
  return NULL;
}

const Layout *propagate_words_first(Propagator *p, const GraphEdge *edge) {
  const Type *words = edge->source->type;
  const Layout *own = flow_default(edge->op->region, words);
  const Layout *forward = propagate_forward(p, op_operand(edge->op, edge->operand), own);
  if (!forward || forward->bits[DIM_REGISTER] < own->bits[DIM_REGISTER]) return NULL;
  uint32_t low = own->bits[DIM_REGISTER], all = forward->bits[DIM_REGISTER];
  Layout layout = *forward;
  for (uint32_t i = 0; i < all; i++)
    layout.basis[i] = forward->basis[i < all - low ? low + i : i - (all - low)];
  return layout_intern(p->func->module->ir, &layout);
}

bool propagate_loads_words(const Op *load) {
  const Value *value = op_result(load);
  bool broadcasts = false;
  for (const Use *use; (use = value->first_use) && !use->next && op_has(use->user, VIEW);) {
    if (broadcasts && use->user->kind == OP_RESHAPE) return true;
    broadcasts |= use->user->kind == OP_BROADCAST;
    value = op_result(use->user);
  }
  return false;
}

uint64_t loaded_conversion_cost(const GraphAccess *access, const Type *tile, const Layout *from,
                                const Layout *to) {
  uint64_t cost = conversion_cost(tile, from, to), words = divide_up(type_element_bytes(tile), 4);
  if (!access || !access->copied) return cost;
  return min_u64(cost, layout_registers(to) * (TUNE_COST_ISSUE + TUNE_COST_WORD * words));
}

static bool has_register(const Layout *layout, uint32_t basis) {
  for (uint32_t i = 0; i < layout->bits[DIM_REGISTER]; i++)
    if (layout->basis[i] == basis) return true;
  return false;
}

// The dimension of the lowest register is contiguous in the buffer (dot_placement.c).
uint64_t unpacked_store_cost(const Type *tile, const Layout *layout) {
  uint32_t columns = log2_ceil(tile->shape[tile->rank - 1]), run = 0;
  uint32_t most = log2_floor(MAX_STORE_BYTES / type_element_bytes(tile));
  bool along = layout->bits[DIM_REGISTER] && layout->basis[0] & ((UINT32_C(1) << columns) - 1);
  while (run < most && has_register(layout, UINT32_C(1) << (along ? run : columns + run))) run++;
  uint64_t words = divide_up((uint64_t)type_element_bytes(tile) << run, 4);
  return (layout_registers(layout) >> run) * (TUNE_COST_ISSUE + TUNE_COST_WORD * words);
}
