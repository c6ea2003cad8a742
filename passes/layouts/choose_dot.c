// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_dot: gives each dot its instruction, and the layouts that this instruction needs.
//
// before  %d = dot %a, %b, %c : tile<128x128xfp32>
// after   %d = dot %a, %b, %c {instruction = "wgmma", anchor = layout<...>, shared_a, shared_b} : ...
//
// needs   tiles without layouts
// keeps   every value, up to the order of the summation
// breaks  nothing
// pays    tensor cores replace multiply-adds that take 32 threads 16 times as long
//
// The instructions are:
// * tcgen05.mma on sm_100a, if the loop only adds to the sums. They are in tensor memory (promote_shared).
// * wgmma on sm_90a.
// * mma.sync from sm_75 (fp16) and sm_80.
// * Fused multiply-adds, if neither has the types, the precision or the shape. Before sm_89, fp8 is multiplied as
//   fp16.
//
// A dot may be chained: its result reaches another dot's first operand through elementwise ops and branches
// (attention). It then gives every warp whole rows, so that the row reductions between the dots stay in the warp. Its
// first operand stays in registers. If the operand comes from before the loop, and the accumulators need its registers,
// it is read from shared memory.
//
// A dot's b may be unpacked from words of packed weights. wgmma takes only its first operand from registers. So the
// transposed dot takes b there, and no exchange is between the unpacking and the instruction (anchor_b, swapped).
//
// wgmma reads 32-bit words in shared memory only along k. But it takes its first operand from registers. So an operand
// with words along m or n goes to registers. b then becomes the first operand of the transposed dot (anchor_b,
// shared_b).
#include <string.h>

#include "base/integer.h"
#include "ir/build.h"
#include "target/tuning.h"
#include "passes/layouts/choose_dot.h"
#include "passes/analysis/pressure.h"

// --- warps

// The first warp's number of instructions of 16 rows and 8 columns, with 2^m warps along m and 2^n along n. It has the
// most.
static uint32_t warp_work(const Product *p, uint32_t m, uint32_t n) {
  uint32_t rows = min_u32(p->extents.m, 1u << (p->shape.m - m)),
           columns = min_u32(p->extents.n, 1u << (p->shape.n - n));
  return (rows + 15) / 16 * ((columns + 7) / 8);
}

// With padded tiles, the warps are placed differently if the first one then multiplies less.
static DotWarps less_padding(const Product *p, DotWarps warps) {
  uint32_t bits = warps.m + warps.n, room_m = p->shape.m - 4, room_n = p->shape.n - 3;
  if (warps.m > room_m || !op_attr(p->op, ATTR_EXTENTS)) return warps;
  uint32_t least = warp_work(p, warps.m, warps.n);
  for (uint32_t n = 0; n <= bits && n <= room_n; n++) {
    if (bits - n > room_m || warp_work(p, bits - n, n) >= least) continue;
    least = warp_work(p, bits - n, n);
    warps.m = bits - n, warps.n = n;
  }
  return warps;
}

// The warp's tile is as square as possible, in units of m16n8 pairs. Chained dots get whole rows as long as there are
// rows. To repeat work costs more than to move elements between warps.
static DotWarps mma_warps(const Product *p) {
  DotWarps warps = {0};
  uint32_t room_m = p->shape.m - 4, room_n = p->shape.n - 3;
  for (uint32_t left = region_warp_bits(p->op); left > 0; left--) {
    bool m_has = warps.m < room_m, n_has = warps.n < room_n && !(p->chained && m_has);
    if (warps.batch < p->shape.batch)
      warps.batch++;
    else if (m_has && (!n_has || p->shape.m - warps.m >= p->shape.n - warps.n))
      warps.m++;
    else if (n_has)
      warps.n++;
    else
      warps.m++; // No room left: warps repeat the work of others.
  }
  return p->chained ? warps : less_padding(p, warps);
}

enum { INSTRUCTION_ROWS = 64 };

// Returns true if instructions, of at least 64 rows and 8 columns, compute less than the tile sizes say.
static bool pads_wgmma(const Product *p) {
  return p->extents.m + INSTRUCTION_ROWS <= 1u << p->shape.m || p->extents.n + 8 <= 1u << p->shape.n;
}

// The columns times 64-row blocks that the first warpgroup multiplies, with 2^m warpgroups along m and 2^n along n. It
// has the most.
static uint32_t warpgroup_work(const Product *p, uint32_t m, uint32_t n) {
  uint32_t rows = min_u32(p->extents.m, 1u << (p->shape.m - m)),
           columns = min_u32(p->extents.n, 1u << (p->shape.n - n));
  return (rows + INSTRUCTION_ROWS - 1) / INSTRUCTION_ROWS * columns;
}

// With padded tiles, the first warpgroup gets the least work. If two placements are equal, it is the one along m.
static DotWarps padded_warps(const Product *p) {
  enum { ROW_BITS = 6 };
  uint32_t bits = region_warp_bits(p->op) - 2, best_n = 0, least = UINT32_MAX;
  for (uint32_t n = 0; n <= bits && (n == 0 || (n + ROW_BITS <= p->shape.n && !p->chained)); n++) {
    uint32_t work = warpgroup_work(p, min_u32(bits - n, p->shape.m - ROW_BITS), n);
    if (work < least) least = work, best_n = n;
  }
  return (DotWarps){.m = 2 + bits - best_n, .n = best_n};
}

// The first four warps are a warpgroup, along m. More warpgroups go along m while each has 64 rows. Then they go along
// n while each has 16 columns: it multiplies less, and converts and stores less, than if it repeated another's work.
// Among chained dots, only the last one uses n. Otherwise the results of the others would pass between warpgroups.
// Instead each warpgroup computes them in full.
static DotWarps wgmma_warps(const Product *p) {
  enum { ROW_BITS = 4, COLUMN_BITS = 4 }; // of a warp at least
  DotWarps warps = {.m = 2};
  if (pads_wgmma(p)) return padded_warps(p);
  for (uint32_t left = region_warp_bits(p->op) - 2; left > 0; left--) {
    bool n_has = warps.n + COLUMN_BITS < p->shape.n && (!p->chained || p->ends_chain);
    if (warps.m + ROW_BITS < p->shape.m || !n_has)
      warps.m++;
    else
      warps.n++;
  }
  return warps;
}

// --- choosing

void dot_set_layout(Op *op, AttrKey key, const Layout *layout) {
  IrContext *ir = op->region->func->module->ir;
  op_set_attr(op, (Attr){.key = key, .layout = layout_intern(ir, layout)});
}

static Product transposed(const Product *p) {
  Product as = *p;
  as.shape.m = p->shape.n, as.shape.n = p->shape.m;
  as.extents.m = p->extents.n, as.extents.n = p->extents.m;
  return as;
}

// One operand goes through shared memory into registers. The other one is read from shared memory.
static Layout choose_read_across(DotChooser *c, Product *p, DotOperand operand) {
  Layout in_registers;
  dot_transpose_load(c, p, operand == DOT_A ? DOT_B : DOT_A, true);
  Product as = operand == DOT_B ? transposed(p) : *p;
  DotWarps warps = wgmma_warps(&as);
  Layout result = layout_wgmma_result(&p->shape, &warps, operand, 0, &in_registers);
  dot_set_layout(p->op, operand == DOT_A ? ATTR_ANCHOR_A : ATTR_ANCHOR_B, &in_registers);
  op_set_flag(p->op, ATTR_SHARED_A, true);
  op_set_flag(p->op, ATTR_SHARED_B, true);
  p->way = operand == DOT_A
               ? "a is read into registers: wgmma reads 32-bit elements in shared memory only along k"
               : "b is read into registers, for the transposed dot: wgmma reads 32-bit elements in "
                 "shared memory only along k";
  return result;
}

static uint64_t registers_of(const Op *dot, const Value *tile) {
  return type_elements(tile->type) * type_element_bytes(tile->type) / 4 / region_threads(dot);
}

// Returns true if the first operand comes from before the loop and would take registers that the loop needs. It needs
// them for accumulators, or for two more operands. There ptxas (13.0) overwrites the one from before the loop. On an
// H200 only the first iteration was right.
static bool crowds_out_sums(const DotChooser *c, const Op *dot, const Value *a) {
  const Op *loop = dot->region->parent;
  if (!loop || !op_is_loop(loop) || value_is_within(a, loop)) return false;
  uint64_t registers = registers_of(dot, a) + TUNE_PIPELINE_RESERVED_REGISTERS;
  uint32_t others = 0;
  for (OpWalk w = ops_in(dot->region); ops_next(&w);) {
    if (w.op->kind != OP_DOT) continue;
    registers += registers_of(w.op, op_result(w.op));
    others += w.op != dot && dot_operand_is_computed(op_operand(w.op, DOT_A));
  }
  return others > 1 || registers > func_thread_registers(c->func);
}

static const char few_rows[] = "the transposed dot: the tile has fewer rows than the instruction";

// For dots that swap_dots has marked: both operands are read from shared memory, b first.
static Layout choose_swapped(Product *p) {
  dot_pack_load(p, DOT_A);
  dot_pack_load(p, DOT_B);
  Product as = transposed(p);
  DotWarps warps = wgmma_warps(&as);
  op_set_flag(p->op, ATTR_SHARED_A, true);
  op_set_flag(p->op, ATTR_SHARED_B, true);
  p->way = few_rows;
  return layout_wgmma_swapped(&p->shape, &warps);
}

// --- an operand that is unpacked from words

static bool is_only_dot(const Op *dot) {
  for (const Op *op = dot->region->first; op; op = op->next)
    if (op->kind == OP_DOT && op != dot) return false;
  return true;
}

// A wide instruction is faster: rows are the transposed one's width, columns the other's, which needs 64 rows.
// A thread needs room for sums, words, and the parts of b that are in flight (split_ops). Each warpgroup has its columns.
bool dot_unpacks(PassContext *context, const Op *dot) {
  enum { WARPGROUP_COLUMN_BITS = 4, MIN_ROW_BITS = 5, WGMMA_ROW_BITS = 6, RESERVED_REGISTERS = 24, HALF = 2 };
  DotProduct p = dot_product(dot);
  const Value *b = op_operand(dot, DOT_B);
  p.swapped = true;
  if (p.batched || op_attr(dot, ATTR_EXTENTS) || type_element_bytes(b->type) != HALF) return false;
  if (!dot_unpacked_along(b, 0) && !dot_unpacked_along(b, 1)) return false;
  if (!is_only_dot(dot) || dot_operand_is_computed(op_operand(dot, DOT_A))) return false;
  if (p.shape.m < MIN_ROW_BITS || p.shape.n < WARPGROUP_COLUMN_BITS + region_warp_bits(dot)) return false;
  if (p.shape.m >= WGMMA_ROW_BITS && p.shape.m < p.shape.n) return false;
  if (dot_refuses(context->scratch, &p, DOT_WGMMA)) return false;
  uint64_t sums = registers_of(dot, op_result(dot)), operand = registers_of(dot, b),
           parts = 1u << (p.shape.k - WARPGROUP_COLUMN_BITS);
  uint64_t in_flight = parts > DOT_PARTS_IN_FLIGHT ? operand * DOT_PARTS_IN_FLIGHT / parts : operand;
  return sums + operand + in_flight + RESERVED_REGISTERS <= func_thread_registers(dot->region->func);
}

static Layout choose_unpacked(Product *p) {
  Layout in_registers;
  Product as = transposed(p);
  DotWarps warps = wgmma_warps(&as);
  Layout result = layout_wgmma_result(&p->shape, &warps, DOT_B, dot_pack(&p->is), &in_registers);
  dot_pack_load(p, DOT_A);
  dot_set_layout(p->op, ATTR_ANCHOR_B, &in_registers);
  op_set_flag(p->op, ATTR_SHARED_A, true);
  p->way = "the transposed dot: b is unpacked in registers, which wgmma takes as its first operand alone";
  return result;
}

static Layout choose_wgmma(DotChooser *c, Product *p) {
  DotOperand across;
  if (p->unpacks) return choose_unpacked(p);
  if (p->is.swapped) return choose_swapped(p);
  if (dot_reads_across(p, &across)) return choose_read_across(c, p, across);
  for (int operand = DOT_A; operand <= DOT_B; operand++) {
    dot_transpose_load(c, p, (DotOperand)operand, true);
    dot_pack_load(p, (DotOperand)operand);
  }
  DotWarps warps = wgmma_warps(p);
  Layout result = layout_mma_result(&p->shape, &warps, true);
  const Value *a_tile = op_operand(p->op, 0);
  if (dot_operand_is_computed(a_tile) && !crowds_out_sums(c, p->op, a_tile)) {
    Layout a = layout_mma_operand(&result, &p->shape, DOT_A, dot_pack(&p->is));
    dot_set_layout(p->op, ATTR_ANCHOR_A, &a);
  } else {
    op_set_flag(p->op, ATTR_SHARED_A, true);
  }
  op_set_flag(p->op, ATTR_SHARED_B, true);
  return result;
}

// A thread has whole rows of chained dots, which a softmax reduces. A warp reaches the tensor memory of 32 rows. More than four warps divide blocks of 128 rows, then columns.
static Layout choose_tcgen05(const DotChooser *c, Product *p) {
  DotWarps warps = {.m = 2};
  for (uint32_t left = region_warp_bits(p->op) - 2; left > 0; left--)
    if (warps.m - 2 + TMEM_LANE_BITS < p->shape.m)
      warps.m++;
    else
      warps.n++;
  for (int operand = DOT_A; operand <= DOT_B; operand++) {
    dot_transpose_load(c, p, (DotOperand)operand, true);
    dot_pack_load(p, (DotOperand)operand);
  }
  op_set_flag(p->op, ATTR_SHARED_A, true);
  op_set_flag(p->op, ATTR_SHARED_B, true);
  return p->chained ? layout_tcgen05_rows(&p->shape, &warps) : layout_tcgen05_result(&p->shape, &warps);
}

// Element i and i + half a run become neighbouring registers. Their fields are 16 bits apart in the word, as the halves of
// a register are: no permutation joins them. It pays if the other operand, which takes permutations instead, is smaller.
static void pair_halves(Layout *layout, uint32_t run) {
  uint32_t half = layout->basis[run - 1];
  memmove(layout->basis + 1, layout->basis, (run - 1) * sizeof *layout->basis);
  layout->basis[0] = half;
}

static Product product_of(DotChooser *c, Op *op) {
  DotProduct is = dot_product(op);
  bool feeds = dot_feeds(c, op), fed = dot_is_fed(c, op);
  return (Product){.op = op,
                   .is = is,
                   .shape = is.shape,
                   .extents = dot_extents(op),
                   .chained = feeds || fed,
                   .ends_chain = fed && !feeds};
}

// For an operand that is unpacked from words along k. A thread reads 16 bytes of the other operand's row at once. Those
// are neighbouring registers of the instruction's second operand, but not of the first. So the dot is transposed if b is
// unpacked, and each warp has 16 columns of it. It is also transposed if it has 8 rows. `dot` gets the layouts that `p`
// needs, perhaps another dot.
static Layout choose_runs(Op *dot, const Product *p, uint32_t run) {
  uint32_t bits = region_warp_bits(p->op);
  uint32_t batch = min_u32(bits, p->shape.batch);
  bool swapped = p->is.swapped || (dot_words_run(p, DOT_B) && p->shape.n >= bits - batch + 4);
  DotWarps warps = swapped ? (DotWarps){.batch = batch, .m = bits - batch} : mma_warps(p);
  const Op *words = swapped && p->shape.n >= warps.m + 4 ? dot_words_load(p, run) : NULL;
  uint32_t columns = words ? min_u32(dot_words_columns(words), p->shape.n - warps.m - 3) : 0;
  bool halves = words && p->shape.n - warps.m > p->shape.m;
  Layout result =
      swapped ? layout_mma_swapped(&p->shape, &warps, columns) : layout_mma_result(&p->shape, &warps, false);
  for (int operand = DOT_A; operand <= DOT_B; operand++) {
    Layout layout = swapped ? layout_mma_swapped_operand(&result, &p->shape, (DotOperand)operand, run)
                            : layout_mma_operand(&result, &p->shape, (DotOperand)operand, run);
    if (halves && operand == DOT_B) pair_halves(&layout, run);
    dot_set_layout(dot, operand == DOT_A ? ATTR_ANCHOR_A : ATTR_ANCHOR_B, &layout);
  }
  op_set_int(dot, ATTR_K_RUN, INT64_C(1) << run);
  if (swapped) op_set_flag(dot, ATTR_SWAPPED, true);
  return result;
}

// A dot of equal numbers sums the rows of a. Operand a and the result get the layouts of another dot of a, such as with
// packed weights. So no conversion is between the two.
static bool sums_rows_of(const Product *p, const Op *other) {
  const Value *b = op_operand(p->op, DOT_B);
  bool equal = b->def && (b->def->kind == OP_CONSTANT || b->def->kind == OP_SPLAT);
  return equal && other != p->op && other->kind == OP_DOT && other->region == p->op->region &&
         op_operand(other, DOT_A) == op_operand(p->op, DOT_A) && op_operand(other, DOT_B)->type == b->type &&
         op_result(other)->type == op_result(p->op)->type;
}

// The dot whose words decide the layouts.
static Product words_of(DotChooser *c, const Product *p) {
  for (Op *op = p->op->region->first; op; op = op->next) {
    if (!sums_rows_of(p, op)) continue;
    Product words = product_of(c, op);
    words.is.swapped = p->is.swapped;
    if (dot_words_run(&words, DOT_B)) return words;
  }
  return *p;
}

static Layout choose_mma(DotChooser *c, Product *p) {
  Product words = words_of(c, p);
  uint32_t pack = dot_pack(&p->is), run = max_u32(dot_words_run(&words, DOT_A), dot_words_run(&words, DOT_B));
  if (run > pack) {
    p->way = "threads hold whole words of packed weights, and unpack them in place";
    return choose_runs(p->op, &words, run);
  }
  if (p->is.swapped) p->way = few_rows;
  dot_pack_load(p, DOT_A);
  dot_pack_load(p, DOT_B);
  if (p->is.swapped) return choose_runs(p->op, p, pack);
  DotWarps warps = mma_warps(p);
  Layout result = layout_mma_result(&p->shape, &warps, false);
  Layout a = layout_mma_operand(&result, &p->shape, DOT_A, pack);
  Layout b = layout_mma_operand(&result, &p->shape, DOT_B, pack);
  dot_set_layout(p->op, ATTR_ANCHOR_A, &a);
  dot_set_layout(p->op, ATTR_ANCHOR_B, &b);
  return result;
}

// Returns true if the prefetched operands, both transposed, need at least the registers of the accumulators. Then
// cp.async copies a instead. Multiply-adds of words along k have more register bank conflicts (docs/measurements.md),
// but it is still better.
static bool crowds_registers(const DotChooser *c, const Product *p) {
  uint64_t loaded = ((UINT64_C(1) << p->shape.m) + (UINT64_C(1) << p->shape.n)) << p->shape.k;
  bool copies = c->target->arch->has_cp_async && c->target->num_stages > 1;
  return copies && loaded >= UINT64_C(1) << (p->shape.m + p->shape.n);
}

static Layout choose_fma(DotChooser *c, Product *p) {
  Op *a, *b;
  Layout a_layout, b_layout;
  bool turns_a = dot_find_turn(c, p, DOT_A, false, &a, &a_layout),
       turns_b = dot_find_turn(c, p, DOT_B, false, &b, &b_layout);
  if (turns_b) dot_set_layout(b, ATTR_ANCHOR, &b_layout);
  if (turns_a && turns_b && crowds_registers(c, p))
    p->way =
        "a is read along k: transposed in registers too, the operands would need as much room as the sums";
  else if (turns_a)
    dot_set_layout(a, ATTR_ANCHOR, &a_layout);
  op_set_flag(p->op, ATTR_SHARED_A, true);
  op_set_flag(p->op, ATTR_SHARED_B, true);
  return layout_fma_result(&p->shape, region_warp_bits(p->op));
}

// No choice is made for tiles that already have layouts.
static bool is_open(const Op *op) {
  return op->kind == OP_DOT && !op_attr(op, ATTR_INSTRUCTION) && !op_result(op)->type->layout;
}

// Tensor cores without fp8 multiply it as fp16, which represents it exactly.
static void widen_fp8(DotChooser *c, Op *op) {
  if (!is_open(op)) return;
  for (uint32_t i = 0; i < 2; i++) {
    Value *tile = op_operand(op, i);
    Elem elem = type_element(tile->type)->elem;
    if (elem != ELEM_FP8E4NV && elem != ELEM_FP8E5) return;
    Builder b = builder_before(op);
    b.loc = op->loc;
    c->changed = true;
    op_set_operand(op, i, build_cast(&b, tile, type_scalar(c->func->module->ir, ELEM_FP16)));
  }
}

// Reports the choice, and why nothing faster was chosen.
static void report_choice(DotChooser *c, const Product *p, DotInstruction instruction) {
  Diags *diags = c->context->diags;
  Arena *arena = c->context->scratch;
  DotInstruction mma = dot_mma(c->target->arch);
  Diag *remark = diag_remark(diags, p->op->loc, "choose_dot", "dot of %ux%ux%u by %s", p->extents.m,
                             p->extents.n, p->extents.k, dot_instruction_info(instruction)->name);
  if (p->way) diag_note(diags, remark, p->op->loc, "%s", p->way);
  if (instruction == DOT_TCGEN05) return;
  if (target_has(c->target->arch, FEATURE_TCGEN05))
    diag_note(diags, remark, p->op->loc, "not tcgen05: %s", dot_refuses(arena, &p->is, DOT_TCGEN05));
  if (instruction == DOT_WGMMA) return;
  diag_note(diags, remark, p->op->loc, "not wgmma: %s", dot_refuses(arena, &p->is, DOT_WGMMA));
  if (instruction == mma) return;
  diag_note(diags, remark, p->op->loc, "not mma.sync: %s", dot_refuses(arena, &p->is, mma));
  DotProduct split = p->is;
  split.precision = FP32_DOT_TF32X3;
  if (p->is.a == ELEM_FP32 && !dot_refuses(arena, &split, mma))
    diag_note(diags, remark, p->op->loc,
              "--fp32-dot=tf32x3 would use tensor cores: three tf32 dots, nearly as exact as fp32");
}

// The first row of the table that accepts the dot.
static DotInstruction instruction_for(const DotChooser *c, const DotProduct *p) {
  int instruction = 0;
  while (dot_refuses(c->context->scratch, p, (DotInstruction)instruction)) instruction++;
  return (DotInstruction)instruction;
}

static Layout choose_places(DotChooser *c, Product *p, DotInstruction instruction) {
  switch (instruction) {
  case DOT_TCGEN05: return choose_tcgen05(c, p);
  case DOT_WGMMA: return choose_wgmma(c, p);
  case DOT_MMA:
  case DOT_MMA_K8: return choose_mma(c, p);
  case DOT_FMA:
  case DOT_INSTRUCTION_COUNT: break;
  }
  return choose_fma(c, p);
}

static void choose_for_dot(DotChooser *c, Op *op) {
  if (!is_open(op)) return;
  Product p = product_of(c, op);
  p.unpacks = !p.chained && !p.is.swapped && dot_unpacks(c->context, op);
  bool few = !op_attr(op, ATTR_EXTENTS) && dot_has_few_rows(&p.is);
  if (p.unpacks || few) {
    op_set_flag(op, ATTR_SWAPPED, true);
    p.is.swapped = true;
  }
  SumsLife life;
  p.is.held = dot_sums_held(c, &p, &life);
  DotInstruction instruction = instruction_for(c, &p.is);
  if (instruction == DOT_TCGEN05) vec_push(c->context->scratch, &c->lives, life);
  if (instruction != DOT_WGMMA && (!few || instruction == DOT_FMA)) op_remove_attr(op, ATTR_SWAPPED);
  Layout result = choose_places(c, &p, instruction);
  dot_set_layout(op, ATTR_ANCHOR, &result);
  dot_set_instruction(op, instruction);
  report_choice(c, &p, instruction);
  c->changed = true;
}

// A dot with scales that no instruction takes multiplies its operands by them first. Accumulators are counted as the
// choice will do it.
static bool multiply_scales(DotChooser *c) {
  Op *refused = NULL;
  func_number(c->func);
  c->feeds = ARENA_ARRAY(c->context->scratch, uint8_t, c->func->value_count);
  for (OpWalk w = ops_in(c->func->body); !refused && ops_next(&w);) {
    if (!is_open(w.op)) continue;
    SumsLife life;
    Product p = product_of(c, w.op);
    p.is.held = dot_sums_held(c, &p, &life);
    const char *why = dot_refuses(c->context->scratch, &p.is, DOT_TCGEN05);
    if (!why) vec_push(c->context->scratch, &c->lives, life);
    if (!dot_is_scaled(w.op) || !dot_refuses_scales(c->context->scratch, &p.is)) continue;
    refused = w.op;
    diag_remark(c->context->diags, w.op->loc, "choose_dot", "scales are multiplied with the operands: %s",
                why);
  }
  c->lives.n = 0;
  if (!refused) return false;
  build_dot_without_scales(refused);
  return c->changed = true;
}

bool pass_choose_dot(PassContext *context, Func *func) {
  DotChooser c = {.context = context, .func = func, .target = &func->module->target};
  if (!(c.target->arch->mma & MMA_FP8))
    for (OpWalk w = ops_in(func->body); ops_next(&w);) widen_fp8(&c, w.op);
  while (multiply_scales(&c)) continue;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) choose_for_dot(&c, w.op);
  return c.changed;
}
