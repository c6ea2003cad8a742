// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of dot. First its types. Then, for a dot with an instruction:
// * the instruction accepts the dot;
// * each operand has a valid source;
// * registers and buffers have the layouts that the instruction reads and accumulates in.
#include "ir/verify/verify_parts.h"

#include "base/integer.h"
#include "ir/dot/dot_fits.h"

static const char *const operand_names[2] = {"a", "b"};
static const AttrKey anchor_keys[2] = {ATTR_ANCHOR_A, ATTR_ANCHOR_B};
static const AttrKey shared_keys[2] = {ATTR_SHARED_A, ATTR_SHARED_B};

// --- types

// For a tile, or a buffer in shared or tensor memory.
static bool has_elem(const Type *type, Elem elem) {
  return type->kind == TYPE_SHARED || type->kind == TYPE_TMEM ? type->elem == elem : type_is_elem(type, elem);
}

static bool is_small_float(const Type *type) {
  return has_elem(type, ELEM_FP16) || has_elem(type, ELEM_BF16) || has_elem(type, ELEM_FP8E4NV) ||
         has_elem(type, ELEM_FP8E5);
}

static bool is_fp8(const Type *type) { return has_elem(type, ELEM_FP8E4NV) || has_elem(type, ELEM_FP8E5); }

static bool is_byte(const Type *type) { return has_elem(type, ELEM_I8) || has_elem(type, ELEM_U8); }

// a and b must have one element type. Exceptions: the fp8 formats may mix, and so may bytes of both signs.
static bool can_multiply(const Type *a, const Type *b, const Type *acc) {
  bool mixed = (is_fp8(a) && is_fp8(b)) || (is_byte(a) && is_byte(b));
  if (type_element(a)->elem != type_element(b)->elem && !mixed) return false;
  if (is_byte(a)) return has_elem(acc, ELEM_I32);
  if (has_elem(a, ELEM_FP64)) return has_elem(acc, ELEM_FP64);
  if (has_elem(a, ELEM_FP32)) return has_elem(acc, ELEM_FP32);
  if (!is_small_float(a)) return false;
  return has_elem(acc, ELEM_FP32) || (has_elem(acc, ELEM_FP16) && !has_elem(a, ELEM_BF16));
}

// The operand's own extent along k; the dot may use a part of it.
static uint32_t own_k(const Op *op, DotOperand operand) {
  const Type *type = operand_type(op, operand);
  return type->shape[type->rank - (operand == DOT_A ? 1 : 2)];
}

// An operand has exactly the dot's part of k, or contains it.
static bool has_part(const Op *op, DotOperand operand) {
  DotPart part = dot_part(op);
  uint32_t k = own_k(op, operand);
  return k == part.count || (op_attr(op, ATTR_PART) && is_power_of_two(k) && part.first + part.count <= k);
}

static bool dot_shapes_agree(const Op *op) {
  const Type *a = operand_type(op, 0), *b = operand_type(op, 1), *acc = operand_type(op, 2);
  uint32_t rank = a->rank;
  bool a_fits =
           type_is_tile(a) || a->kind == TYPE_SHARED || (a->kind == TYPE_TMEM && is_dot_of(op, DOT_TCGEN05)),
       b_fits = type_is_tile(b) || b->kind == TYPE_SHARED;
  if (!a_fits || !b_fits || !(type_is_tile(acc) || acc->kind == TYPE_TMEM)) return false;
  if ((rank != 2 && rank != 3) || b->rank != rank || acc->rank != rank) return false;
  bool batch = rank == 2 || (a->shape[0] == b->shape[0] && a->shape[0] == acc->shape[0]);
  return batch && has_part(op, DOT_A) && has_part(op, DOT_B) && a->shape[rank - 2] == acc->shape[rank - 2] &&
         b->shape[rank - 1] == acc->shape[rank - 1];
}

// A part of k is a power of two and starts at a multiple of its size.
static bool check_part(Verifier *v, const Op *op) {
  const Attr *part = op_attr(op, ATTR_PART);
  if (!part) return true;
  int64_t first = part->ints.n == 2 ? part->ints.at[0] : -1, count = part->ints.n == 2 ? part->ints.at[1] : 0;
  bool right = count >= 1 && count <= INT32_MAX && !(count & (count - 1)) && first >= 0 &&
               first <= INT32_MAX - count && first % count == 0;
  if (!right)
    verify_fail(v, op, "'part' is where a part of k begins, and its size, a power of two that divides that");
  return right;
}

// Extents may not exceed the tiles' sizes.
static bool check_extents(Verifier *v, const Op *op) {
  const Attr *extents = op_attr(op, ATTR_EXTENTS);
  if (!extents) return true;
  const Type *result = result_type(op);
  bool right = extents->ints.n == 3 && result->rank >= 2;
  for (uint32_t i = 0; right && i < 3; i++) {
    uint32_t own[] = {own_k(op, DOT_A), own_k(op, DOT_B)};
    int64_t most = i < 2 ? result->shape[result->rank - 2 + i] : own[0] > own[1] ? own[0] : own[1];
    right = extents->ints.at[i] >= 1 && extents->ints.at[i] <= most;
  }
  if (!right) verify_fail(v, op, "'extents' are m, n and k of the dot, from 1 to the tiles' sizes");
  return right;
}

// Runs along k of an mma of 16-bit operands, which computes all of its k.
static bool check_run(Verifier *v, const Op *op) {
  enum { WORD = 2, INSTRUCTION = 16, THREADS_OF_ROW = 4 };
  if (!op_attr(op, ATTR_K_RUN)) return true;
  int64_t run = op_int(op, ATTR_K_RUN, 0), k = own_k(op, DOT_A);
  bool mma = dot_instruction(op) == DOT_MMA || dot_instruction(op) == DOT_MMA_K8;
  bool halves = elem_info(type_element(operand_type(op, 0))->elem)->bits == 16;
  bool right = mma && halves && !op_attr(op, ATTR_EXTENTS) && !op_attr(op, ATTR_PART) && run >= WORD &&
               k >= INSTRUCTION && run <= k / THREADS_OF_ROW && !(run & (run - 1));
  const Type *b = operand_type(op, 1);
  right &= !op_attr(op, ATTR_SWAPPED) || b->shape[b->rank - 1] >= INSTRUCTION;
  if (!right)
    verify_fail(v, op,
                "'k_run' is of mma with 16-bit operands and no padding: a power of two from 2 to k / 4; "
                "with 'swapped' b has 16 columns or more");
  return right;
}

// How many k one iteration of the loop covers.
static bool check_unroll(Verifier *v, const Op *op) {
  int64_t unroll = op_int(op, ATTR_UNROLL, 1), k = own_k(op, DOT_A);
  if (unroll >= 1 && unroll <= k && k % unroll == 0) return true;
  return verify_fail(v, op, "'unroll' of a dot divides its k, %lld", (long long)k);
}

// Both operands are fp8, or bytes of two numbers. The scales have one type; only the latter may have those of e4m3.
static bool can_scale(const Op *op) {
  const Type *a = operand_type(op, 0), *b = operand_type(op, 1), *scale = operand_type(op, DOT_SCALE_A);
  bool pairs = has_elem(a, ELEM_U8) && has_elem(b, ELEM_U8), fp8 = is_fp8(a) && is_fp8(b);
  bool e8m0 = has_elem(scale, ELEM_U8), e4m3 = has_elem(scale, ELEM_FP8E4NV);
  return (pairs || fp8) && (e8m0 || (e4m3 && pairs)) && has_elem(operand_type(op, DOT_SUM), ELEM_FP32);
}

// One for each row or column, and each group along k. A buffer has them as tcgen05.cp reads them.
static bool is_scale(const Op *op, uint32_t i) {
  const Type *x = operand_type(op, i), *scale = operand_type(op, DOT_SCALE_A + i);
  bool buffer = scale->kind == TYPE_SHARED;
  if (x->rank != 2 || scale->rank != 2 || buffer != (op_attr(op, ATTR_ASYNC) != NULL) ||
      !type_sizes_are_powers(scale))
    return false;
  if (scale->shape[0] != x->shape[i] || scale->shape[1] * dot_scale_group(op) != x->shape[1 - i])
    return false;
  if (!buffer && (!scale->layout || !result_type(op)->layout)) return type_is_tile(scale);
  DotShape shape = dot_op_shape(op);
  uint32_t k_bits = log2_of(scale->shape[1]);
  Layout layout = buffer ? layout_dot_scales(log2_of(scale->shape[0]), k_bits)
                         : layout_mma_scales(result_type(op)->layout, &shape, (DotOperand)i, k_bits);
  return !(buffer || is_dot_of(op, DOT_MMA)) || layout_equal(&layout, scale->layout);
}

static bool check_scales(Verifier *v, const Op *op) {
  bool right =
      op->operand_count > DOT_SCALE_B && !op_attr(op, ATTR_EXTENTS) && !op_attr(op, ATTR_PART) &&
      type_element(operand_type(op, DOT_SCALE_A))->elem == type_element(operand_type(op, DOT_SCALE_B))->elem;
  if (!right || !is_scale(op, DOT_A) || !is_scale(op, DOT_B))
    verify_fail(v, op,
                "its scales are two matrices of one type, rows or columns by groups along k; if it is "
                "asynchronous, in buffers as tcgen05.cp reads them");
  return right;
}

// Returns true if the types are those of a valid dot, as further checks require.
static bool check_types(Verifier *v, const Op *op) {
  const Type *a = operand_type(op, 0), *b = operand_type(op, 1), *acc = operand_type(op, 2);
  bool shapes = dot_shapes_agree(op),
       types = shapes && (dot_is_scaled(op) ? can_scale(op) : can_multiply(a, b, acc));
  if (!shapes)
    verify_fail(v, op, "the shapes of %s, %s and %s do not agree", verify_type_text(v, a),
                verify_type_text(v, b), verify_type_text(v, acc));
  else if (!types)
    verify_fail(v, op, "there is no dot of %s and %s into %s", elem_info(type_element(a)->elem)->name,
                elem_info(type_element(b)->elem)->name, elem_info(type_element(acc)->elem)->name);
  if (result_type(op) != acc)
    verify_fail(v, op, "the result has the type of acc, not %s", verify_type_text(v, result_type(op)));
  if (op->operand_count > 3 &&
      (operand_type(op, 3)->kind != TYPE_SCALAR || operand_type(op, 3)->elem != ELEM_I1))
    verify_fail(v, op, "'fresh' is i1, not %s", verify_type_text(v, operand_type(op, 3)));
  verify_word(v, op, ATTR_PRECISION, fp32_dot_names, FP32_DOT_COUNT);
  if (op_attr(op, ATTR_PRECISION) && !has_elem(a, ELEM_FP32))
    verify_fail(v, op, "'precision' is of dots of fp32");
  if (op_int(op, ATTR_IMPRECISE, 0) < 0) verify_fail(v, op, "'imprecise' is 0 or more");
  if (types && dot_is_scaled(op) && !check_scales(v, op)) return false;
  return types && result_type(op) == acc;
}

// --- operand sources

static bool is_buffer(const Op *op, DotOperand operand) {
  return operand_type(op, operand)->kind == TYPE_SHARED;
}

static bool has_anchor(const Op *op, DotOperand operand) { return op_attr(op, anchor_keys[operand]) != NULL; }

// The flag: the instruction reads the operand from shared memory, or loads it from there into registers.
static bool has_shared(const Op *op, DotOperand operand) { return op_attr(op, shared_keys[operand]) != NULL; }

// Returns true if the instruction takes the operand from registers.
static bool from_registers(const Op *op, DotOperand operand) {
  return has_anchor(op, operand) || !(is_buffer(op, operand) || has_shared(op, operand));
}

// Only an asynchronous instruction may leave its result in flight; its buffers are read until then.
static void check_async(Verifier *v, const Op *op) {
  const DotInstructionInfo *info = dot_instruction_info(dot_instruction(op));
  bool is_async = op_attr(op, ATTR_ASYNC) != NULL;
  bool reads_memory = is_buffer(op, DOT_A) || is_buffer(op, DOT_B);
  if (is_async && !info->is_async) verify_fail(v, op, "%s is never asynchronous", info->name);
  if (op_attr(op, ATTR_PART) && (!is_async || operand_type(op, 2)->rank != 2))
    verify_fail(v, op, "'part' is of asynchronous dots without batches");
  else if (op_attr(op, ATTR_PART) &&
           dot_part(op).count * elem_bytes(type_element(operand_type(op, 0))->elem) < info->k)
    verify_fail(v, op, "a 'part' has %u bytes of k or more: one %s", info->k, info->name);
  if (info->is_async && reads_memory && !is_async)
    verify_fail(v, op, "%s of buffers is asynchronous: it has 'async', and a dot_wait after it", info->name);
}

// If no instruction is chosen yet, attributes that depend on it must be absent.
static void check_unchosen(Verifier *v, const Op *op) {
  static const AttrKey decided[] = {ATTR_ANCHOR,   ATTR_ANCHOR_A,    ATTR_ANCHOR_B,   ATTR_SHARED_A,
                                    ATTR_SHARED_B, ATTR_PLACEMENT_A, ATTR_PLACEMENT_B};
  for (size_t i = 0; i < sizeof decided / sizeof *decided; i++)
    if (op_attr(op, decided[i])) {
      verify_fail(v, op, "'%s' is of dots with an 'instruction', which this one does not have",
                  attr_info(decided[i])->name);
      return;
    }
  for (int i = DOT_A; i <= DOT_B; i++)
    if (is_buffer(op, (DotOperand)i))
      verify_fail(v, op, "a dot that reads %s has an 'instruction'",
                  verify_type_text(v, operand_type(op, i)));
}

// Checks the operand's source, as its anchor and flag declare it, against its actual place.
static bool check_place(Verifier *v, const Op *op, DotOperand operand) {
  const DotInstructionInfo *info = dot_instruction_info(dot_instruction(op));
  const Type *type = operand_type(op, operand);
  const char *anchor = attr_info(anchor_keys[operand])->name, *shared = attr_info(shared_keys[operand])->name;
  bool buffer = is_buffer(op, operand), anchored = has_anchor(op, operand), flag = has_shared(op, operand);
  bool takes_memory = (info->places[0] | info->places[1]) & DOT_MEMORY, before = v->ok;
  v->ok = true;
  if (buffer && !takes_memory)
    verify_fail(v, op, "%s takes operands from registers, not from %s", info->name,
                verify_type_text(v, type));
  else if (flag && !takes_memory)
    verify_fail(v, op, "%s takes operands from registers: it has '%s', and no '%s'", info->name, anchor,
                shared);
  else if (buffer && !type->layout)
    verify_fail(v, op, "operand %s is a shared buffer with its layout, not %s", operand_names[operand],
                verify_type_text(v, type));
  else if (buffer && anchored && !flag)
    verify_fail(v, op, "'%s' is of an operand in registers; one that goes there from %s has '%s' too", anchor,
                verify_type_text(v, type), shared);
  else if (anchored && flag && (!info->is_async || op_attr(op, ATTR_PART)))
    verify_fail(v, op, "'%s' and '%s' together are of a wgmma without 'part', which reads it into registers",
                anchor, shared);
  else if (flag && !buffer && op_attr(op, ATTR_ASYNC))
    verify_fail(v, op, "an asynchronous dot has its operand of '%s' in a shared buffer, not in %s", shared,
                verify_type_text(v, type));
  else if (!buffer && !flag && !anchored && !type->layout && type->kind != TYPE_TMEM)
    verify_fail(v, op, "operand %s needs '%s', the layout in which %s takes it%s%s%s", operand_names[operand],
                anchor, info->name, takes_memory ? ", or '" : "", takes_memory ? shared : "",
                takes_memory ? "'" : "");
  bool good = v->ok;
  v->ok = before && good;
  return good;
}

// wgmma takes one operand from registers. For 32-bit elements it may be b; its columns are then the
// instruction's rows.
static bool check_wgmma_places(Verifier *v, const Op *op) {
  const Type *b = operand_type(op, DOT_B);
  bool b_in_registers = from_registers(op, DOT_B);
  if (op_attr(op, ATTR_SWAPPED) && from_registers(op, DOT_A))
    verify_fail(v, op, "'swapped' is of a dot whose operand a is in shared memory");
  else if (b_in_registers && from_registers(op, DOT_A))
    verify_fail(v, op, "wgmma takes one operand at most from registers: it has 'shared_a' or 'shared_b'");
  else if (b_in_registers && elem_bytes(type_element(b)->elem) != 4 && !op_attr(op, ATTR_SWAPPED))
    verify_fail(v, op,
                "wgmma takes b from registers where its elements have 32 bits, or with 'swapped', not in %s",
                verify_type_text(v, b));
  else if (b_in_registers && b->shape[1] < 64)
    verify_fail(v, op, "wgmma takes b from registers where it has 64 columns or more, not in %s",
                verify_type_text(v, b));
  else
    return true;
  return false;
}

// tcgen05 takes operands from shared memory, a of 16 bits also from tensor memory, and sums in tensor memory.
static bool check_tcgen05_places(Verifier *v, const Op *op) {
  const Type *a = operand_type(op, DOT_A);
  bool tmem = a->kind == TYPE_TMEM,
       registers = (!tmem && from_registers(op, DOT_A)) || from_registers(op, DOT_B);
  if (registers)
    verify_fail(v, op, "tcgen05 takes both operands from shared memory: it has 'shared_a' and 'shared_b'");
  else if (tmem && (!elem_is_half(a->elem) || a->shape[0] < 1u << TMEM_LANE_BITS || op_attr(op, ATTR_PART)))
    verify_fail(v, op, "tcgen05 takes 16-bit operands of 128 rows or more from tensor memory as a whole");
  return !registers;
}

static bool sums_apart(const Op *op) { return operand_type(op, 2)->kind == TYPE_TMEM; }

// --- layouts

// The accumulator of a dot: its layout, and the operands' layouts that fit it.
typedef struct DotSums {
  const Layout *layout; // NULL: not declared yet
  Layout operands[2];   // as registers hold them
} DotSums;

static const char *layout_text(Verifier *v, const Layout *layout) {
  Buf text = {0};
  layout_print(layout, &text);
  const char *copy = arena_copy(&v->scratch, buf_view(&text));
  buf_free(&text);
  return copy;
}

// Compares layouts, with registers in any order: readers find registers by their elements.
static bool same_threads(const Layout *a, const Layout *b) {
  uint32_t registers = a->bits[DIM_REGISTER], n = layout_in_bits(a);
  if (a->out_bits != b->out_bits || memcmp(a->bits, b->bits, sizeof a->bits) != 0) return false;
  if (memcmp(a->basis + registers, b->basis + registers, (n - registers) * sizeof *a->basis) != 0)
    return false;
  for (uint32_t i = 0; i < registers; i++) {
    uint32_t j = 0;
    while (j < registers && a->basis[j] != b->basis[i]) j++;
    if (j == registers) return false;
  }
  return true;
}

// The dot's shape with the operand's own k.
static DotShape shape_with(const Op *op, DotOperand operand) {
  DotShape shape = dot_op_shape(op);
  shape.k = log2_of(own_k(op, operand));
  return shape;
}

static uint32_t pack_of(const Op *op) {
  DotProduct product = dot_product(op);
  return dot_pack(&product);
}

static void find_operands(const Op *op, DotSums *sums) {
  for (int i = DOT_A; i <= DOT_B; i++) {
    DotOperand operand = (DotOperand)i;
    DotShape shape = shape_with(op, operand);
    sums->operands[i] = op_attr(op, ATTR_SWAPPED)
                            ? layout_mma_swapped_operand(sums->layout, &shape, operand, dot_run_bits(op))
                        : dot_instruction(op) == DOT_FMA
                            ? layout_fma_operand(sums->layout, &shape, operand)
                            : layout_mma_operand(sums->layout, &shape, operand, dot_run_bits(op));
  }
}

// Returns true if these are the sums of a tensor core instruction with its warps arranged like this. Sets the
// operands' layouts.
static bool are_sums(const Op *op, const DotWarps *warps, DotSums *sums) {
  bool warpgroup = dot_instruction(op) == DOT_WGMMA, b_first = dot_takes_b_first(op);
  DotShape shape = dot_op_shape(op);
  Layout layout;
  if (op_attr(op, ATTR_SWAPPED) && !warpgroup) {
    bool equal = false;
    for (uint32_t run = 0; run <= DOT_COLUMN_RUN && (run == 0 || warps->m + run + 3 <= shape.n) && !equal;
         run++) {
      layout = layout_mma_swapped(&shape, warps, run);
      equal = layout_equal(&layout, sums->layout);
    }
    if (equal) find_operands(op, sums);
    return equal;
  }
  if (op_attr(op, ATTR_SWAPPED) && !from_registers(op, DOT_B)) { // no operand in registers has to fit
    layout = layout_wgmma_swapped(&shape, warps);
    return layout_equal(&layout, sums->layout);
  }
  if (dot_instruction(op) == DOT_TCGEN05) {
    layout = layout_tcgen05_result(&shape, warps);
    if (layout_equal(&layout, sums->layout)) return true;
    if (shape.m >= TMEM_LANE_BITS) layout = layout_tcgen05_rows(&shape, warps);
    return layout_equal(&layout, sums->layout);
  }
  layout = layout_mma_result(&shape, warps, warpgroup);
  if (!b_first && layout_equal(&layout, sums->layout)) {
    find_operands(op, sums);
    return true;
  }
  DotOperand first = b_first ? DOT_B : DOT_A;
  if (!warpgroup || !from_registers(op, first) || (!b_first && pack_of(op) != 0)) return false;
  shape = shape_with(op, first);
  layout = layout_wgmma_result(&shape, warps, first, pack_of(op), &sums->operands[first]);
  return layout_equal(&layout, sums->layout);
}

// Warps divide m in any way. Along n a part must keep an instruction's columns: for wgmma 16, which are 32 bytes of a
// swizzled row.
static bool find_sums(const Op *op, DotSums *sums) {
  bool warpgroup = dot_instruction_info(dot_instruction(op))->warps == 4, b_first = dot_takes_b_first(op);
  DotShape shape = dot_op_shape(op);
  uint32_t bits = region_warp_bits(op), columns = dot_instruction(op) == DOT_WGMMA ? 4 : 3;
  uint32_t n_bits = b_first || op_attr(op, ATTR_SWAPPED) ? shape.m : shape.n;
  for (uint32_t batch = 0; batch <= bits && batch <= shape.batch; batch++)
    for (uint32_t n = 0; n + batch + 2 * warpgroup <= bits && (n == 0 || n + columns <= n_bits); n++)
      if (are_sums(op, &(DotWarps){.batch = batch, .m = bits - batch - n, .n = n}, sums)) return true;
  return false;
}

// One of the valid layouts of the sums: all warps along m.
static Layout expected_sums(const Op *op) {
  bool warpgroup = dot_instruction(op) == DOT_WGMMA;
  DotShape shape = dot_op_shape(op);
  DotWarps warps = {.m = region_warp_bits(op)};
  Layout in_registers;
  if (op_attr(op, ATTR_SWAPPED))
    return warpgroup ? layout_wgmma_swapped(&shape, &warps) : layout_mma_swapped(&shape, &warps, 0);
  if (dot_takes_b_first(op)) return layout_wgmma_result(&shape, &warps, DOT_B, pack_of(op), &in_registers);
  if (dot_instruction(op) == DOT_TCGEN05) return layout_tcgen05_result(&shape, &warps);
  return layout_mma_result(&shape, &warps, warpgroup);
}

// Checks the layout of the result, or of the anchor before it has one: it must be the instruction's. Returns
// false if operands cannot be checked.
static bool check_sums(Verifier *v, const Op *op, DotSums *sums) {
  const char *name = dot_instruction_info(dot_instruction(op))->name;
  const Type *type = result_type(op);
  const Attr *anchor = op_attr(op, ATTR_ANCHOR);
  bool before = v->ok, good;
  v->ok = true;
  sums->layout = type->layout ? type->layout : anchor ? anchor->layout : NULL;
  if (anchor) verify_layout(v, op, type, anchor->layout, "the anchor");
  if (v->ok && anchor && sums->layout != anchor->layout)
    verify_fail(v, op, "the result, %s, does not have the layout of 'anchor', %s", verify_type_text(v, type),
                layout_text(v, anchor->layout));
  if (v->ok && !sums->layout && dot_instruction(op) != DOT_FMA)
    verify_fail(v, op, "it needs 'anchor', the layout of %s's sums", name);
  good = v->ok && sums->layout;
  if (good && dot_instruction(op) == DOT_FMA) {
    find_operands(op, sums);
  } else if (good && !find_sums(op, sums)) {
    Layout expected = expected_sums(op);
    verify_fail(v, op, "%s does not sum in %s, but in one like %s", name, layout_text(v, sums->layout),
                layout_text(v, &expected));
    good = false;
  }
  v->ok = v->ok && before;
  return good;
}

static void check_in_registers(Verifier *v, const Op *op, DotOperand operand, const Layout *expected) {
  const char *name = dot_instruction_info(dot_instruction(op))->name;
  const Type *type = operand_type(op, operand);
  const Attr *anchor = op_attr(op, anchor_keys[operand]);
  bool placed = type_is_tile(type) && type->layout && !has_shared(op, operand);
  if (anchor && !same_threads(anchor->layout, expected))
    verify_fail(v, op, "'%s' is %s, but %s takes operand %s of such sums in %s",
                attr_info(anchor_keys[operand])->name, layout_text(v, anchor->layout), name,
                operand_names[operand], layout_text(v, expected));
  else if (anchor && placed && type->layout != anchor->layout)
    verify_fail(v, op, "operand %s is in %s, and not as '%s' has it, in %s", operand_names[operand],
                layout_text(v, type->layout), attr_info(anchor_keys[operand])->name,
                layout_text(v, anchor->layout));
  else if (placed && !same_threads(type->layout, expected))
    verify_fail(v, op, "operand %s is in %s, but %s takes it for such sums in %s", operand_names[operand],
                layout_text(v, type->layout), name, layout_text(v, expected));
}

// wgmma and tcgen05 read rows with their swizzle: along k, and for some elements also along m or n.
static void check_matrix(Verifier *v, const Op *op, DotOperand operand) {
  const Type *type = operand_type(op, operand);
  uint32_t rows = log2_of(type->shape[0]), columns = log2_of(type->shape[1]), row_bytes;
  uint32_t elem_bits = log2_of(elem_bytes(type->elem)), along_k = operand == DOT_A;
  Layout layouts[2] = {0};
  bool found = false;
  for (uint32_t i = 0; i < 2 && !found; i++) {
    if (i && !dot_reads_turned(op, operand)) break;
    found = layout_wgmma_shared(rows, columns, elem_bits, along_k ^ i, &layouts[i], &row_bytes) &&
            layout_equal(&layouts[i], type->layout);
  }
  if (!found)
    verify_fail(v, op, "%s does not read operand %s in %s, but in %s",
                dot_instruction_info(dot_instruction(op))->name, operand_names[operand],
                verify_type_text(v, type), layout_text(v, &layouts[0]));
}

static void check_layouts(Verifier *v, const Op *op) {
  DotSums sums = {0};
  bool known = !sums_apart(op) && check_sums(v, op, &sums);
  for (int i = DOT_A; i <= DOT_B; i++) {
    DotOperand operand = (DotOperand)i;
    if (known && from_registers(op, operand))
      check_in_registers(v, op, operand, &sums.operands[i]);
    else if (!known && !sums.layout && has_anchor(op, operand))
      verify_fail(v, op, "'%s' needs 'anchor', the layout of the sums that it is for",
                  attr_info(anchor_keys[i])->name);
    if (!from_registers(op, operand) && is_buffer(op, operand) && dot_reads_matrices(op))
      check_matrix(v, op, operand);
  }
}

// --- dot

static void check_instruction(Verifier *v, const Op *op) {
  DotInstruction instruction = dot_instruction(op);
  DotProduct product = dot_product(op);
  const char *refused = dot_refuses(&v->scratch, &product, instruction);
  bool a = check_place(v, op, DOT_A), b = check_place(v, op, DOT_B);
  if (instruction != DOT_WGMMA && op_attr(op, ATTR_SWAPPED) && !op_attr(op, ATTR_K_RUN))
    verify_fail(v, op, "'swapped' is of wgmma, and of mma with 'k_run', not of %s",
                dot_instruction_info(instruction)->name);
  else if (refused)
    verify_fail(v, op, "%s does not take it: %s", dot_instruction_info(instruction)->name, refused);
  else if (sums_apart(op) && instruction != DOT_TCGEN05)
    verify_fail(v, op, "%s does not sum in tensor memory", dot_instruction_info(instruction)->name);
  else if (a && b && (instruction != DOT_WGMMA || check_wgmma_places(v, op)) &&
           (instruction != DOT_TCGEN05 || check_tcgen05_places(v, op)))
    check_layouts(v, op);
}

void verify_dot(Verifier *v, const Op *op) {
  if (!check_part(v, op)) return;
  bool good = check_types(v, op);
  check_async(v, op);
  if (!good || !check_extents(v, op) || !check_run(v, op) || !check_unroll(v, op)) return;
  if (op_attr(op, ATTR_INSTRUCTION))
    check_instruction(v, op);
  else
    check_unchosen(v, op);
}
