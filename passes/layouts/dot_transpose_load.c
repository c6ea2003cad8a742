// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts of the loads of a dot's operands.
//
// wgmma and tcgen05.mma read 32-bit words only along k, fused multiply-adds only along m and n. If a load's words run along the other
// dimension, it is transposed. The lanes of its anchor are such that the stores into the buffer have no bank conflicts.
//
// cp.async cannot copy elements under 32 bits that are not known to be neighbours (gathered, unaligned, masked one by
// one). Lanes follow them through memory. Across, each thread has enough for one store into the buffer. So 16-bit
// operands, which the buffer holds in either order, still reach it 16 bytes at a time.
#include "base/integer.h"
#include "target/tuning.h"
#include "passes/layouts/choose_dot.h"

// log2 of the parts of one access of a transposed load: `inner` and `outer` neighbours per thread, `lanes` lanes along
// the inner dimension.
typedef struct LoadTurn {
  uint32_t inner, outer, lanes;
} LoadTurn;

static uint32_t add_bits(Layout *layout, uint32_t at, uint32_t shift, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++) layout->basis[at++] = 1u << (shift + i);
  return at;
}

// `warps` is a logarithm. Warps take the outer dimension's next bits, then the inner one's highest.
static Layout turned_layout(uint32_t inner_bits, uint32_t outer_bits, bool outer_is_last, LoadTurn turn,
                            uint32_t warps) {
  Layout layout = {.out_bits = (uint8_t)(inner_bits + outer_bits)};
  uint32_t inner = outer_is_last ? outer_bits : 0, outer = outer_is_last ? 0 : inner_bits;
  uint32_t lanes_inner = turn.inner + turn.lanes, lanes_outer = turn.outer + LANE_BITS - turn.lanes;
  uint32_t along_outer = min_u32(warps, outer_bits - lanes_outer);
  uint32_t along_inner = min_u32(warps - along_outer, inner_bits - lanes_inner);
  uint32_t n = add_bits(&layout, 0, inner, 0, turn.inner);
  n = add_bits(&layout, n, outer, 0, turn.outer);
  n = add_bits(&layout, n, inner, lanes_inner, inner_bits - along_inner);
  n = add_bits(&layout, n, outer, lanes_outer + along_outer, outer_bits);
  layout.bits[DIM_REGISTER] = (uint8_t)n;
  n = add_bits(&layout, n, inner, turn.inner, lanes_inner);
  n = add_bits(&layout, n, outer, turn.outer, lanes_outer);
  layout.bits[DIM_LANE] = LANE_BITS;
  n = add_bits(&layout, n, outer, lanes_outer, lanes_outer + along_outer);
  n = add_bits(&layout, n, inner, inner_bits - along_inner, inner_bits);
  for (uint32_t i = along_outer + along_inner; i < warps; i++) layout.basis[n++] = 0;
  layout.bits[DIM_WARP] = (uint8_t)warps;
  return layout;
}

static bool turn_fits(LoadTurn turn, uint32_t inner_bits, uint32_t outer_bits) {
  return turn.inner + turn.lanes <= inner_bits && turn.outer + LANE_BITS - turn.lanes <= outer_bits;
}

// For wgmma, lanes are on 8 neighbours, a sector, in 4 rows. cp.async takes a word at a time. Blocks of 4 x 4 words
// through registers, 16 bytes per access on both sides, are slower (docs/measurements.md).
static const LoadTurn wgmma_turn = {.lanes = TUNE_TURN_WGMMA_LANES};

// For multiply-adds with words along k. If a thread has blocks of 4 x 4 and lanes fill lines of 128 bytes, they go
// through registers, 16 bytes per access on both sides. Otherwise cp.async takes a word at a time, 16 of a line,
// because each line of an instruction costs (docs/measurements.md).
static LoadTurn fma_turn(uint32_t inner_bits, uint32_t outer_bits, uint32_t warps) {
  enum { VECTOR = 2, LINE_VECTORS = TUNE_TURN_LINE_VECTORS, WORD_LANES = TUNE_TURN_WORD_LANES };
  uint32_t bits = inner_bits + outer_bits, threads = LANE_BITS + warps;
  if (inner_bits >= VECTOR + LINE_VECTORS && bits >= threads + 2 * VECTOR)
    return (LoadTurn){.inner = VECTOR, .outer = VECTOR, .lanes = LINE_VECTORS};
  return (LoadTurn){.lanes = min_u32(WORD_LANES, inner_bits)};
}

// The buffer has rows of 128 bytes for at least 8 values of k. Single words need cp.async.
static bool fma_turn_pays(const DotChooser *c, LoadTurn turn, uint32_t inner_bits, uint32_t outer_bits) {
  bool copies = c->target->arch->has_cp_async && c->target->num_stages > 1;
  return inner_bits >= 3 && outer_bits >= 5 && (turn.inner > 0 || copies);
}

// The load of the operand, which may be transposed (*turned). NULL: it is none.
static Op *load_of(const Product *p, DotOperand operand, bool *turned) {
  Op *op = op_operand(p->op, operand)->def;
  *turned = op && op->kind == OP_TRANS;
  if (*turned) op = op_operand(op, 0)->def;
  if (op && op->kind == OP_TMA_MARK) op = op_operand(op, 0)->def;
  return op && op->kind == OP_LOAD ? op : NULL;
}

bool dot_find_turn(const DotChooser *c, const Product *p, DotOperand operand, bool wants_k, Op **load,
                   Layout *layout) {
  bool turned;
  Op *op = load_of(p, operand, &turned);
  const Attr *anchor = op ? op_attr(op, ATTR_ANCHOR) : NULL;
  if (!anchor || p->is.a != ELEM_FP32 || p->shape.batch || anchor->layout->bits[DIM_REGISTER] == 0)
    return false;
  bool k_is_last = (operand == DOT_A) != turned;
  uint32_t others = operand == DOT_A ? p->shape.m : p->shape.n, k = p->shape.k;
  bool along_k = layout_basis(anchor->layout, DIM_REGISTER, 0) != 1u << (k_is_last ? k : 0);
  uint32_t inner_bits = along_k ? k : others, outer_bits = along_k ? others : k, warps = region_warp_bits(op);
  LoadTurn turn = wants_k ? wgmma_turn : fma_turn(inner_bits, outer_bits, warps);
  if (along_k == wants_k || !turn_fits(turn, inner_bits, outer_bits)) return false;
  if (!wants_k && !fma_turn_pays(c, turn, inner_bits, outer_bits)) return false;
  *load = op;
  *layout = turned_layout(inner_bits, outer_bits, along_k != k_is_last, turn, warps);
  return true;
}

void dot_transpose_load(const DotChooser *c, const Product *p, DotOperand operand, bool wants_k) {
  Op *load;
  Layout layout;
  if (dot_find_turn(c, p, operand, wants_k, &load, &layout)) dot_set_layout(load, ATTR_ANCHOR, &layout);
}

// Lanes, then warps take the inner dimension. A thread has 2^vector neighbours along the outer one.
static Layout packed_layout(uint32_t inner_bits, uint32_t outer_bits, bool outer_is_last, uint32_t vector,
                            uint32_t warps) {
  Layout layout = {.out_bits = (uint8_t)(inner_bits + outer_bits)};
  uint32_t inner = outer_is_last ? outer_bits : 0, outer = outer_is_last ? 0 : inner_bits;
  uint32_t lanes_inner = min_u32(LANE_BITS, inner_bits), lanes_outer = vector + LANE_BITS - lanes_inner;
  uint32_t warps_inner = min_u32(lanes_inner + warps, inner_bits);
  uint32_t warps_outer = min_u32(lanes_outer + warps - (warps_inner - lanes_inner), outer_bits);
  uint32_t n = add_bits(&layout, 0, outer, 0, vector);
  n = add_bits(&layout, n, outer, warps_outer, outer_bits);
  n = add_bits(&layout, n, inner, warps_inner, inner_bits);
  layout.bits[DIM_REGISTER] = (uint8_t)n;
  n = add_bits(&layout, n, inner, 0, lanes_inner);
  n = add_bits(&layout, n, outer, vector, lanes_outer);
  layout.bits[DIM_LANE] = LANE_BITS;
  n = add_bits(&layout, n, inner, lanes_inner, warps_inner);
  add_bits(&layout, n, outer, lanes_outer, warps_outer);
  layout.bits[DIM_WARP] = (uint8_t)warps;
  return layout;
}

void dot_pack_load(const Product *p, DotOperand operand) {
  enum { STORE_BITS = 3 };
  bool turned;
  Op *op = load_of(p, operand, &turned);
  const Attr *anchor = op ? op_attr(op, ATTR_ANCHOR) : NULL;
  if (!anchor || p->shape.batch || type_element_bytes(op_result(op)->type) != 2) return;
  bool k_is_last = (operand == DOT_A) != turned, last = layout_basis(anchor->layout, DIM_LANE, 0) == 1;
  uint32_t others = operand == DOT_A ? p->shape.m : p->shape.n, k = p->shape.k;
  uint32_t inner_bits = last == k_is_last ? k : others, outer_bits = last == k_is_last ? others : k;
  uint32_t warps = region_warp_bits(op), threads = LANE_BITS + warps;
  if (op_int(op, ATTR_VECTOR, 1) > 1 || inner_bits + outer_bits <= threads) return;
  uint32_t vector = min_u32(STORE_BITS, min_u32(outer_bits, inner_bits + outer_bits - threads));
  Layout layout = packed_layout(inner_bits, outer_bits, !last, vector, warps);
  dot_set_layout(op, ATTR_ANCHOR, &layout);
}

// The only operand that is not uniform; NULL if there are several.
static const Value *varying_operand(const Op *op) {
  const Value *found = NULL;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (value_uniform(op_operand(op, i))) continue;
    if (found) return NULL;
    found = op_operand(op, i);
  }
  return found;
}

// Returns true if the operand comes from a load whose words run along the dimension that is not k. Transpositions and
// elementwise ops may be in between.
static bool lies_across(const Product *p, DotOperand operand) {
  bool k_is_last = operand == DOT_A;
  const Value *value = op_operand(p->op, operand);
  const Op *op = value->def;
  for (uint32_t steps = 0; op && op->kind != OP_LOAD && steps < 16; steps++) {
    bool turns = op->kind == OP_TRANS;
    value = turns || op_has(op, PURE | ELEMENTWISE) ? varying_operand(op) : NULL;
    if (op->kind == OP_TMA_MARK) value = op_operand(op, 0);
    if (!value) return false;
    k_is_last ^= turns;
    op = value->def;
  }
  const Attr *anchor = op && op->kind == OP_LOAD ? op_attr(op, ATTR_ANCHOR) : NULL;
  if (!anchor || p->is.a != ELEM_FP32 || anchor->layout->bits[DIM_REGISTER] == 0) return false;
  return layout_basis(anchor->layout, DIM_REGISTER, 0) == 1u << (k_is_last ? p->shape.k : 0);
}

// Returns true if an operand's words run along another dimension than k. wgmma also takes its first operand from
// registers, so such an operand goes there. For b this uses the transposed dot. If both operands are such, the larger
// one goes there, because the other one must be transposed. Chained dots keep their order.
bool dot_reads_across(const Product *p, DotOperand *operand) {
  bool a = lies_across(p, DOT_A), b = lies_across(p, DOT_B) && p->shape.n >= 6;
  *operand = b && (!a || p->shape.n > p->shape.m) ? DOT_B : DOT_A;
  return (a || b) && !p->chained;
}
