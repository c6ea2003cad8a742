// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_dot: puts on each dot the instruction that it becomes, and the layouts that this one wants.
//
// before  %d = dot %a, %b, %c : tile<128x128xfp32>
// after   %d = dot %a, %b, %c {instruction = "wgmma", anchor = layout<...>, shared_a, shared_b} : ...
// needs   tiles without layouts
// keeps   every value, up to the order in which products are summed
// breaks  nothing
// pays    tensor cores do what 32 threads' multiply-adds would take 16 times as long for: wgmma on sm_90a,
//         mma.sync from sm_75 (fp16) and sm_80 on, fused multiply-adds where neither has the types, the
//         precision or the shape; before sm_89 fp8 is multiplied as fp16
//
// A dot whose result reaches another dot's first operand (attention) gives every warp whole rows, so that the
// row reductions between the two stay in the warp, and its first operand stays in registers.
//
// wgmma reads words in shared memory along k alone, but takes its first operand from registers: an operand of
// words along m or n goes there, b as the first operand of the transposed product (anchor_b, shared_b).
#include "ir/build.h"
#include "ir/dot.h"
#include "ir/layout_dot.h"
#include "ir/tuning.h"
#include "passes/passes.h"

enum { FEED_STEPS = 4096 };

typedef struct Chooser {
  PassContext *context;
  Func *func;
  const Target *target;
  uint8_t *feeds; // by value id, see reaches_dot
  bool changed;
} Chooser;

typedef struct Product {
  Op *op;
  DotShape shape;
  Elem a, b, result;
  const char *precision; // of fp32
  bool chained;    // the result reaches another dot's first operand, or the first operand comes from another
  const char *way; // how the operands reach the instruction, where that is worth a remark
} Product;

static Elem element_of(const Value *tile) { return type_element(tile->type)->elem; }

static bool is_fp8(Elem elem) { return elem == ELEM_FP8E4NV || elem == ELEM_FP8E5; }
static bool is_8_bit_integer(Elem elem) { return elem == ELEM_I8 || elem == ELEM_U8; }
static bool is_half(Elem elem) { return elem == ELEM_FP16 || elem == ELEM_BF16; }

static bool is_tf32(const Product *p) {
  return p->a == ELEM_FP32 && p->precision && strcmp(p->precision, "ieee") != 0;
}

// log2 of the elements that 32 bits hold.
static uint32_t pack_of(const Product *p) {
  uint32_t bits = elem_info(p->a)->bits;
  return bits >= 32 ? 0 : bits == 16 ? 1 : 2;
}

// --- what the instructions take; NULL: they take it, else why not

static const char *mma_refuses(const Chooser *c, const Product *p) {
  uint8_t mma = c->target->arch->mma;
  uint32_t pack = pack_of(p);
  bool fp16 = p->a == ELEM_FP16 && p->b == ELEM_FP16;
  if (p->a == ELEM_FP32 && !is_tf32(p)) return "fp32 products in IEEE precision have no tensor core";
  if (!(mma & MMA_BF16) && !fp16) return "the architecture's tensor cores take fp16 alone";
  if (is_fp8(p->a) && (!(mma & MMA_FP8) || !is_fp8(p->b)))
    return "the architecture's tensor cores take no fp8";
  if (!is_half(p->a) && !is_fp8(p->a) && !is_8_bit_integer(p->a) && p->a != ELEM_FP32)
    return "no mma.sync has these types";
  if (!is_fp8(p->a) && !is_8_bit_integer(p->a) && p->a != p->b) return "the operands' types differ";
  if (p->result == ELEM_FP16 && p->a != ELEM_FP16) return "no mma.sync sums these types in fp16";
  if (p->result != ELEM_FP32 && p->result != ELEM_FP16 && p->result != ELEM_I32)
    return "no mma.sync sums in this type";
  if (p->shape.m < 4 || p->shape.n < 3) return "the tile is smaller than 16 x 8";
  if (p->shape.k < pack + 3) return "k is smaller than one instruction's";
  return NULL;
}

static const char *wgmma_refuses(const Chooser *c, const Product *p) {
  uint32_t pack = pack_of(p);
  if (!c->target->arch->has_wgmma)
    return arena_printf(c->context->scratch, "it needs %s", target_since(offsetof(TargetInfo, has_wgmma)));
  if (region_warps(p->op) < 4) return "it needs 4 warps or more";
  if (p->precision && strcmp(p->precision, "tf32x3") == 0)
    return "three products of tf32 take their operands from registers";
  if (p->shape.batch) return "it has no batches";
  if (p->shape.m < 6) return "the tile has fewer than 64 rows";
  if (p->shape.k < pack + 3) return "k is smaller than one instruction's";
  if (p->shape.n + 2 - pack < 5) return "rows of the second operand are narrower than 32 bytes";
  if (is_8_bit_integer(p->a) && p->a != p->b) return "the operands' signs differ";
  return mma_refuses(c, p);
}

// --- does the result reach another dot's first operand?

typedef struct Feed {
  const Chooser *c;
  uint32_t steps;
} Feed;

static bool reaches_dot(Feed *feed, const Value *value);

static bool passes_through(const Op *op) {
  return op_has(op, PURE | ELEMENTWISE) || op->kind == OP_CONVERT_LAYOUT || op->kind == OP_MAP ||
         op->kind == OP_SPLAT;
}

static bool reaches_through(Feed *feed, const Use *use) {
  const Op *user = use->user;
  uint32_t index = (uint32_t)(use - user->operands);
  if (user->kind == OP_DOT) return index == 0;
  if (!passes_through(user)) return false;
  for (uint32_t i = 0; i < user->result_count; i++)
    if (reaches_dot(feed, &user->results[i])) return true;
  return false;
}

static bool reaches_dot(Feed *feed, const Value *value) {
  if (feed->c->feeds[value->id] || feed->steps == 0) return false; // seen before, and it did not
  feed->steps--;
  feed->c->feeds[value->id] = 1;
  for (const Use *use = value->first_use; use; use = use->next)
    if (reaches_through(feed, use)) return true;
  return false;
}

static bool feeds_dot(Chooser *c, const Op *dot) {
  Feed feed = {c, FEED_STEPS};
  memset(c->feeds, 0, c->func->value_count);
  return reaches_dot(&feed, op_result(dot));
}

// Whether a dot's result reaches the value through elementwise ops.
static bool comes_from_dot(const Value *value, uint32_t depth) {
  const Op *op = value->def;
  if (!op || depth == 0 || !type_is_tile(value->type)) return false;
  if (op->kind == OP_DOT) return true;
  bool found = false;
  for (uint32_t i = 0; passes_through(op) && i < op->operand_count && !found; i++)
    found = comes_from_dot(op_operand(op, i), i == 0 ? depth - 1 : depth / 2);
  return found;
}

// Whether the operand is computed rather than loaded: then its registers go to the product as they are.
static bool is_computed(const Value *value) {
  for (uint32_t steps = 0; value->def && steps < 16; steps++) {
    const Op *op = value->def;
    if (op->kind == OP_LOAD || op->kind == OP_BLOCK_LOAD) return false;
    if (op->kind == OP_TRANS) return false;
    if (op_has(op, CONTROL) || op->kind == OP_DOT) return true;
    if (op->operand_count == 0 || op->operand_count > 1) return true;
    value = op_operand(op, 0);
  }
  return true;
}

// --- warps

static uint32_t warp_bits_of(const Chooser *c) { return (uint32_t)__builtin_ctz(func_warps(c->func)); }

// As square a tile a warp as can be, in units of m16n8 pairs; of products that feed one another whole rows,
// as long as there are rows: repeating work costs more than passing elements between warps.
static DotWarps mma_warps(const Chooser *c, const Product *p) {
  DotWarps warps = {0};
  uint32_t room_m = p->shape.m - 4, room_n = p->shape.n - 3;
  for (uint32_t left = warp_bits_of(c); left > 0; left--) {
    bool m_has = warps.m < room_m, n_has = warps.n < room_n && !(p->chained && m_has);
    if (warps.batch < p->shape.batch)
      warps.batch++;
    else if (m_has && (!n_has || p->shape.m - warps.m >= p->shape.n - warps.n))
      warps.m++;
    else if (n_has)
      warps.n++;
    else
      warps.m++; // no room left: warps repeat one another's work
  }
  return warps;
}

// The first four warps are a warpgroup, along m; more warpgroups take m while each has 64 rows, then n while
// each has 64 columns: a whole swizzled row.
static DotWarps wgmma_warps(const Chooser *c, const Product *p) {
  DotWarps warps = {.m = 2};
  for (uint32_t left = warp_bits_of(c) - 2; left > 0; left--) {
    if (warps.m < p->shape.m - 4 || p->chained || warps.n + 6 >= p->shape.n)
      warps.m++;
    else
      warps.n++;
  }
  return warps;
}

// --- choosing

static void set_layout(Chooser *c, Op *op, AttrKey key, const Layout *layout) {
  op_set_attr(op, (Attr){.key = key, .layout = layout_intern(c->func->module->ir, layout)});
}

// wgmma reads words along k alone, fused multiply-adds along m and n. A load of words that count along the
// other dimension is turned: its anchor's lanes are such that the stores into the buffer have no conflicts.
//
// log2 of what one access takes of a turned load: `inner` and `outer` neighbours a thread, `lanes` lanes
// along the inner dimension.
typedef struct Turn {
  uint32_t inner, outer, lanes;
} Turn;

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t add_bits(Layout *layout, uint32_t at, uint32_t shift, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++) layout->basis[at++] = 1u << (shift + i);
  return at;
}

// Warps take the outer dimension's next bits, then the inner one's highest.
static Layout turned_layout(const Chooser *c, uint32_t inner_bits, uint32_t outer_bits, bool outer_is_last,
                            Turn turn) {
  Layout layout = {.out_bits = (uint8_t)(inner_bits + outer_bits)};
  uint32_t inner = outer_is_last ? outer_bits : 0, outer = outer_is_last ? 0 : inner_bits;
  uint32_t lanes_inner = turn.inner + turn.lanes, lanes_outer = turn.outer + LANE_BITS - turn.lanes;
  uint32_t warps = warp_bits_of(c), along_outer = smaller(warps, outer_bits - lanes_outer);
  uint32_t along_inner = smaller(warps - along_outer, inner_bits - lanes_inner);
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

static bool turn_fits(Turn turn, uint32_t inner_bits, uint32_t outer_bits) {
  return turn.inner + turn.lanes <= inner_bits && turn.outer + LANE_BITS - turn.lanes <= outer_bits;
}

// For wgmma lanes are on 8 neighbours, a sector, in 4 rows, and cp.async takes a word at a time. Blocks of 4
// x 4 words through registers, 16 bytes an access on both sides, were slower on an H200: 1896 us against 1488
// for 8192 x 4096 x 6144.
static const Turn wgmma_turn = {.lanes = TUNE_TURN_WGMMA_LANES};

// Words along k for multiply-adds: where a thread has blocks of 4 x 4 and lanes fill lines of 128 bytes, they
// go through registers, 16 bytes an access on both sides. Else cp.async takes a word at a time, 16 of a line,
// since each line of an instruction costs: 8 a line were 8 % slower for tiles of 256 x 128 on an H200, and
// blocks of half a line 15 %.
static Turn fma_turn(const Chooser *c, uint32_t inner_bits, uint32_t outer_bits) {
  enum { VECTOR = 2, LINE_VECTORS = TUNE_TURN_LINE_VECTORS, WORD_LANES = TUNE_TURN_WORD_LANES };
  uint32_t bits = inner_bits + outer_bits, threads = LANE_BITS + warp_bits_of(c);
  if (inner_bits >= VECTOR + LINE_VECTORS && bits >= threads + 2 * VECTOR)
    return (Turn){.inner = VECTOR, .outer = VECTOR, .lanes = LINE_VECTORS};
  return (Turn){.lanes = smaller(WORD_LANES, inner_bits)};
}

// The buffer has rows of 128 bytes for at least 8 of k; words one at a time need cp.async.
static bool fma_turn_pays(const Chooser *c, Turn turn, uint32_t inner_bits, uint32_t outer_bits) {
  bool copies = c->target->arch->has_cp_async && c->target->num_stages > 1;
  return inner_bits >= 3 && outer_bits >= 5 && (turn.inner > 0 || copies);
}

// Whether the operand's load is to be turned, as its threads' words count along k and the product's should
// not, or the other way round; how.
static bool find_turn(const Chooser *c, const Product *p, DotOperand operand, bool wants_k, Op **load,
                      Layout *layout) {
  Op *op = op_operand(p->op, operand)->def;
  bool turned = op && op->kind == OP_TRANS;
  if (turned) op = op_operand(op, 0)->def;
  const Attr *anchor = op && op->kind == OP_LOAD ? op_attr(op, ATTR_ANCHOR) : NULL;
  if (!anchor || p->a != ELEM_FP32 || p->shape.batch || anchor->layout->bits[DIM_REGISTER] == 0) return false;
  bool k_is_last = (operand == DOT_A) != turned;
  uint32_t others = operand == DOT_A ? p->shape.m : p->shape.n, k = p->shape.k;
  bool along_k = layout_basis(anchor->layout, DIM_REGISTER, 0) != 1u << (k_is_last ? k : 0);
  uint32_t inner_bits = along_k ? k : others, outer_bits = along_k ? others : k;
  Turn turn = wants_k ? wgmma_turn : fma_turn(c, inner_bits, outer_bits);
  if (along_k == wants_k || !turn_fits(turn, inner_bits, outer_bits)) return false;
  if (!wants_k && !fma_turn_pays(c, turn, inner_bits, outer_bits)) return false;
  *load = op;
  *layout = turned_layout(c, inner_bits, outer_bits, along_k != k_is_last, turn);
  return true;
}

static void turn_load(Chooser *c, const Product *p, DotOperand operand, bool wants_k) {
  Op *load;
  Layout layout;
  if (find_turn(c, p, operand, wants_k, &load, &layout)) set_layout(c, load, ATTR_ANCHOR, &layout);
}

// The operand that is not the same everywhere, if there is but one.
static const Value *varying_operand(const Op *op) {
  const Value *found = NULL;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Op *def = op_operand(op, i)->def;
    if (def && (def->kind == OP_CONSTANT || def->kind == OP_SPLAT)) continue;
    if (found) return NULL;
    found = op_operand(op, i);
  }
  return found;
}

// Whether the operand comes from a load of words that count along its other dimension than k, through
// transpositions and operations on each element.
static bool lies_across(const Product *p, DotOperand operand) {
  bool k_is_last = operand == DOT_A;
  const Value *value = op_operand(p->op, operand);
  const Op *op = value->def;
  for (uint32_t steps = 0; op && op->kind != OP_LOAD && steps < 16; steps++) {
    bool turns = op->kind == OP_TRANS;
    value = turns || op_has(op, PURE | ELEMENTWISE) ? varying_operand(op) : NULL;
    if (!value) return false;
    k_is_last ^= turns;
    op = value->def;
  }
  const Attr *anchor = op && op->kind == OP_LOAD ? op_attr(op, ATTR_ANCHOR) : NULL;
  if (!anchor || p->a != ELEM_FP32 || anchor->layout->bits[DIM_REGISTER] == 0) return false;
  return layout_basis(anchor->layout, DIM_REGISTER, 0) == 1u << (k_is_last ? p->shape.k : 0);
}

// wgmma takes its first operand from registers too, into which words go that count along another dimension
// than k. For b that is, by the transposed product. Of two such operands the larger one goes there, as the
// other has to be turned. Products that feed one another keep their own order. Whether there is one.
static bool find_read_across(const Product *p, DotOperand *operand) {
  bool a = lies_across(p, DOT_A), b = lies_across(p, DOT_B) && p->shape.n >= 6;
  *operand = b && (!a || p->shape.n > p->shape.m) ? DOT_B : DOT_A;
  return (a || b) && !p->chained;
}

// An operand goes through shared memory into registers, the other one is read from shared memory.
static Layout choose_read_across(Chooser *c, Product *p, DotOperand operand) {
  Layout in_registers;
  turn_load(c, p, operand == DOT_A ? DOT_B : DOT_A, true);
  Product as = *p;
  if (operand == DOT_B) as.shape.m = p->shape.n, as.shape.n = p->shape.m;
  DotWarps warps = wgmma_warps(c, &as);
  Layout result = layout_wgmma_result(&p->shape, &warps, operand, &in_registers);
  set_layout(c, p->op, operand == DOT_A ? ATTR_ANCHOR_A : ATTR_ANCHOR_B, &in_registers);
  op_set_flag(p->op, ATTR_SHARED_A, true);
  op_set_flag(p->op, ATTR_SHARED_B, true);
  p->way = operand == DOT_A ? "a is read into registers: wgmma reads words in shared memory along k alone"
                            : "b is read into registers, for the transposed product: wgmma reads words in "
                              "shared memory along k alone";
  return result;
}

static Layout choose_wgmma(Chooser *c, Product *p) {
  DotOperand across;
  if (find_read_across(p, &across)) return choose_read_across(c, p, across);
  turn_load(c, p, DOT_A, true);
  turn_load(c, p, DOT_B, true);
  DotWarps warps = wgmma_warps(c, p);
  Layout result = layout_mma_result(&p->shape, &warps, true);
  bool in_registers = is_computed(op_operand(p->op, 0));
  if (in_registers) {
    Layout a = layout_mma_operand(&result, &p->shape, DOT_A, pack_of(p));
    set_layout(c, p->op, ATTR_ANCHOR_A, &a);
  } else {
    op_set_flag(p->op, ATTR_SHARED_A, true);
  }
  op_set_flag(p->op, ATTR_SHARED_B, true);
  return result;
}

static Layout choose_mma(Chooser *c, Product *p) {
  DotWarps warps = mma_warps(c, p);
  Layout result = layout_mma_result(&p->shape, &warps, false);
  Layout a = layout_mma_operand(&result, &p->shape, DOT_A, pack_of(p));
  Layout b = layout_mma_operand(&result, &p->shape, DOT_B, pack_of(p));
  set_layout(c, p->op, ATTR_ANCHOR_A, &a);
  set_layout(c, p->op, ATTR_ANCHOR_B, &b);
  return result;
}

// Whether what is loaded ahead, were both operands turned, takes as many registers as the sums. Then a is
// better copied by cp.async, though multiply-adds of words along k conflict more in the register file's
// banks. H200, 4096^3, tiles of 64 x 64 x 64: 3125 us instead of 3220; of 256 x 128 x 32, with a third as
// many: 3246 instead of 2830.
static bool crowds_registers(const Chooser *c, const Product *p) {
  uint64_t loaded = ((UINT64_C(1) << p->shape.m) + (UINT64_C(1) << p->shape.n)) << p->shape.k;
  bool copies = c->target->arch->has_cp_async && c->target->num_stages > 1;
  return copies && loaded >= UINT64_C(1) << (p->shape.m + p->shape.n);
}

static Layout choose_fma(Chooser *c, Product *p) {
  Op *a, *b;
  Layout a_layout, b_layout;
  bool turns_a = find_turn(c, p, DOT_A, false, &a, &a_layout),
       turns_b = find_turn(c, p, DOT_B, false, &b, &b_layout);
  if (turns_b) set_layout(c, b, ATTR_ANCHOR, &b_layout);
  if (turns_a && turns_b && crowds_registers(c, p))
    p->way = "a is read along k: turned too, the operands would take as many registers as the sums";
  else if (turns_a)
    set_layout(c, a, ATTR_ANCHOR, &a_layout);
  op_set_flag(p->op, ATTR_SHARED_A, true);
  op_set_flag(p->op, ATTR_SHARED_B, true);
  return layout_fma_result(&p->shape, warp_bits_of(c));
}

static Product product_of(Chooser *c, Op *op) {
  const Attr *precision = op_attr(op, ATTR_PRECISION);
  return (Product){.op = op,
                   .shape = dot_shape(op_operand(op, 0)->type, op_result(op)->type),
                   .a = element_of(op_operand(op, 0)),
                   .b = element_of(op_operand(op, 1)),
                   .result = element_of(op_result(op)),
                   .precision = precision ? precision->str : NULL,
                   .chained = feeds_dot(c, op) || comes_from_dot(op_operand(op, 0), 16)};
}

// Tensor cores without fp8 multiply it as fp16, which holds it exactly.
static void widen_fp8(Op *op, void *data) {
  Chooser *c = data;
  if (op->kind != OP_DOT || op_attr(op, ATTR_INSTRUCTION)) return;
  for (uint32_t i = 0; i < 2; i++) {
    Value *tile = op_operand(op, i);
    if (!is_fp8(element_of(tile))) return;
    Builder b = builder_before(op);
    b.loc = op->loc;
    c->changed = true;
    op_set_operand(op, i, build_cast(&b, tile, type_scalar(c->func->module->ir, ELEM_FP16)));
  }
}

static void choose(Op *op, void *data) {
  Chooser *c = data;
  if (op->kind != OP_DOT || op_attr(op, ATTR_INSTRUCTION)) return;
  Product p = product_of(c, op);
  const char *no_wgmma = wgmma_refuses(c, &p), *no_mma = mma_refuses(c, &p);
  DotInstruction mma = c->target->arch->mma & MMA_FP16_K16 ? DOT_MMA : DOT_MMA_K8;
  DotInstruction instruction = !no_wgmma ? DOT_WGMMA : !no_mma ? mma : DOT_FMA;
  Layout result = !no_wgmma ? choose_wgmma(c, &p) : !no_mma ? choose_mma(c, &p) : choose_fma(c, &p);
  set_layout(c, op, ATTR_ANCHOR, &result);
  dot_set_instruction(op, instruction);
  Diag *remark =
      diag_remark(c->context->diags, op->loc, "choose_dot", "product of %ux%ux%u by %s", 1u << p.shape.m,
                  1u << p.shape.n, 1u << p.shape.k, dot_instruction_info(instruction)->name);
  if (p.way) diag_note(c->context->diags, remark, op->loc, "%s", p.way);
  if (no_wgmma) diag_note(c->context->diags, remark, op->loc, "not wgmma: %s", no_wgmma);
  if (no_mma && no_wgmma) diag_note(c->context->diags, remark, op->loc, "not mma.sync: %s", no_mma);
  Product split = p;
  split.precision = "tf32x3";
  if (no_mma && p.a == ELEM_FP32 && !mma_refuses(c, &split))
    diag_note(c->context->diags, remark, op->loc,
              "--fp32-dot=tf32x3 would use tensor cores: three products of tf32, nearly as exact as fp32");
  c->changed = true;
}

bool pass_choose_dot(PassContext *context, Func *func) {
  Chooser c = {.context = context, .func = func, .target = &func->module->target};
  if (!(c.target->arch->mma & MMA_FP8)) region_walk(func->body, widen_fp8, &c);
  func_number(func);
  c.feeds = ARENA_ARRAY(context->scratch, uint8_t, func->value_count);
  region_walk(func->body, choose, &c);
  return c.changed;
}
