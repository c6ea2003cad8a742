// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requirements of the matmul instructions.
#include "ir/dot/dot_fits.h"

#include <stddef.h>
#include "base/integer.h"
#include "ir/memory/groups.h"

static bool is_8_bit_integer(Elem elem) { return elem == ELEM_I8 || elem == ELEM_U8; }
// fp32 that is rounded or split for tensor cores.
static bool is_narrowed(const DotProduct *p) { return p->a == ELEM_FP32 && p->precision != FP32_DOT_IEEE; }

uint32_t dot_pack(const DotProduct *p) {
  uint32_t bits = elem_info(p->a)->bits;
  return bits >= 32 ? 0 : bits == 16 ? 1 : 2;
}

uint32_t dot_run_bits(const Op *dot) {
  DotProduct product = dot_product(dot);
  int64_t run = op_int(dot, ATTR_K_RUN, 0);
  return run ? log2_floor((uint64_t)run) : dot_pack(&product);
}

static const char *mma_refuses(const DotProduct *p) {
  uint8_t mma = p->arch->mma;
  uint32_t pack = dot_pack(p);
  bool fp16 = p->a == ELEM_FP16 && p->b == ELEM_FP16;
  if (p->a == ELEM_FP32 && !is_narrowed(p)) return "fp32 dots in IEEE precision have no tensor core";
  if (!(mma & MMA_BF16) && !fp16) return "the architecture's tensor cores take only fp16";
  if (elem_is_fp8(p->a) && (!(mma & MMA_FP8) || !elem_is_fp8(p->b)))
    return "the architecture's tensor cores do not take fp8";
  if (!elem_is_half(p->a) && !elem_is_fp8(p->a) && !is_8_bit_integer(p->a) && p->a != ELEM_FP32)
    return "no mma.sync has these types";
  if (!elem_is_fp8(p->a) && !is_8_bit_integer(p->a) && p->a != p->b) return "the operands' types differ";
  if (p->result == ELEM_FP16 && p->a != ELEM_FP16) return "no mma.sync sums these types in fp16";
  if (p->result != ELEM_FP32 && p->result != ELEM_FP16 && p->result != ELEM_I32)
    return "no mma.sync sums in this type";
  if ((p->swapped ? p->shape.n : p->shape.m) < 4 || (p->swapped ? p->shape.m : p->shape.n) < 3)
    return p->swapped ? "the tile is smaller than 8 x 16" : "the tile is smaller than 16 x 8";
  if (p->shape.k < pack + 3) return "k is smaller than one instruction's";
  return NULL;
}

// A word has four scales of a row.
static const char *scales_refuse(const DotProduct *p) {
  if (p->result != ELEM_FP32) return "dots with scales sum in fp32";
  if (1u << p->shape.k < DOT_SCALES_A_WORD * p->scale_group)
    return "dots with scales have 4 of them along k, or more";
  return NULL;
}

// Scales are copied to tensor memory in blocks of 128 rows by 4 (layout_dot_scales).
static const char *tmem_scales_refuse(const DotProduct *p, uint32_t block_bits) {
  enum { ROW_BITS = 7 };
  uint32_t columns = 1u << (p->shape.n + block_bits);
  const char *refused = scales_refuse(p);
  if (refused) return refused;
  if (p->shape.m < ROW_BITS || p->shape.n < ROW_BITS)
    return "dots with scales have 128 rows and columns or more";
  columns += dot_scale_columns(&p->shape, p->scale_group);
  return columns > 1u << TMEM_COLUMN_BITS ? "the sums and scales are larger than tensor memory" : NULL;
}

// True if shared memory has no room for both operands at once.
static bool exceeds_shared(const DotProduct *p) {
  uint64_t elements = ((UINT64_C(1) << p->shape.m) + (UINT64_C(1) << p->shape.n)) << p->shape.k;
  return elements * elem_bytes(p->a) > p->arch->shared_limit;
}

// The columns of tensor memory are 32 bits wide. Each block of 128 rows takes all columns of the result.
static const char *tcgen05_refuses(const DotProduct *p) {
  uint32_t block_bits = p->shape.m > TMEM_LANE_BITS ? p->shape.m - TMEM_LANE_BITS : 0;
  if (!target_has(p->arch, FEATURE_TCGEN05)) return "the architecture has no tcgen05";
  if (p->warps < 4) return "it needs 4 warps or more";
  if (p->batched) return "tcgen05 has no batches";
  if (p->swapped) return "tcgen05 does not transpose a dot";
  if (fp32_dot_splits(p->precision)) return "dots split into parts take their operands from registers";
  if (is_8_bit_integer(p->a) && !p->scale_group && !target_has(p->arch, FEATURE_TCGEN05_I8))
    return "the architecture's tcgen05 does not take 8-bit integers";
  if (p->shape.m < 6) return "the tile has fewer than 64 rows";
  if (p->shape.n < 4) return "the tile has fewer than 16 columns";
  if (p->shape.k < dot_pack(p) + 3) return "k is smaller than one instruction's";
  if (p->warps > 4u << (block_bits + p->shape.n - 3)) return "the tile is too small for that many warps";
  if (p->shape.n + block_bits > TMEM_COLUMN_BITS) return "the sums are larger than tensor memory";
  if (exceeds_shared(p)) return "the operands are larger than shared memory";
  const char *scales = p->scale_group ? tmem_scales_refuse(p, block_bits) : NULL;
  if (scales) return scales;
  DotProduct types = *p; // Sums of fp8 in fp16 have no mma.sync.
  if (elem_is_fp8(p->a) && p->result == ELEM_FP16) types.result = ELEM_FP32;
  if (p->scale_group) types.a = types.b = ELEM_FP8E4NV;
  const char *refused = mma_refuses(&types);
  return refused ? refused : p->held;
}

bool dot_reads_turned(const Op *dot, DotOperand operand) {
  enum { ROW_BYTES = 32 };
  const Type *type = op_operand(dot, operand)->type;
  uint32_t bytes = type_element_bytes(type), outer = type->shape[type->rank - (operand == DOT_A ? 2 : 1)];
  return bytes == 2 ||
         (bytes == 1 && is_dot_of(dot, DOT_TCGEN05) && !dot_has_pairs(dot) && outer * bytes >= ROW_BYTES);
}

static const char *wgmma_refuses(Arena *arena, const DotProduct *p) {
  uint32_t pack = dot_pack(p), rows = p->swapped ? p->shape.n : p->shape.m,
           columns = p->swapped ? p->shape.m : p->shape.n;
  if (!p->arch->has_wgmma)
    return arena_printf(arena, "it needs %s", target_since(offsetof(TargetInfo, has_wgmma)));
  if (p->warps < 4) return "it needs 4 warps or more";
  if (fp32_dot_splits(p->precision)) return "dots split into parts take their operands from registers";
  if (p->batched) return "wgmma has no batches";
  if (rows < 6) return p->swapped ? "the tile has fewer than 64 columns" : "the tile has fewer than 64 rows";
  if (p->swapped && pack == 0) return "dots of 32-bit elements are not transposed";
  if (p->shape.k < pack + 3) return "k is smaller than one instruction's";
  if (columns + 2 - pack < 5) return "rows of the second operand are narrower than 32 bytes";
  if (is_8_bit_integer(p->a) && p->a != p->b) return "the operands' signs differ";
  return mma_refuses(p);
}

// A separate thread issues a dot for the warps that will read the sums.
static uint32_t warps_of(const Op *dot) {
  return group_runs_by_thread(dot) ? dot->region->func->module->target.num_warps : region_warps(dot);
}

DotProduct dot_product(const Op *dot) {
  return (DotProduct){.arch = dot->region->func->module->target.arch,
                      .warps = warps_of(dot),
                      .shape = dot_op_shape(dot),
                      .batched = op_result(dot)->type->rank == 3,
                      .scale_group = dot_scale_group(dot),
                      .swapped = op_attr(dot, ATTR_SWAPPED) != NULL,
                      .a = type_element(op_operand(dot, 0)->type)->elem,
                      .b = type_element(op_operand(dot, 1)->type)->elem,
                      .result = type_element(op_result(dot)->type)->elem,
                      .precision = dot_precision(dot)};
}

DotInstruction dot_mma(const TargetInfo *arch) { return arch->mma & MMA_FP16_K16 ? DOT_MMA : DOT_MMA_K8; }

static const char *mma_with_scales_refuses(const DotProduct *p) {
  DotProduct types = *p;
  const char *refused = scales_refuse(p);
  types.a = types.b = ELEM_FP8E4NV;
  if (!target_has(p->arch, FEATURE_MMA_SCALED)) return "the architecture's mma.sync takes no scales";
  return refused ? refused : mma_refuses(&types);
}

const char *dot_refuses_scales(Arena *arena, const DotProduct *p) {
  const char *refused = dot_refuses(arena, p, DOT_TCGEN05);
  return refused && dot_refuses(arena, p, DOT_MMA) ? refused : NULL;
}

const char *dot_refuses(Arena *arena, const DotProduct *p, DotInstruction instruction) {
  if (p->scale_group && instruction != DOT_TCGEN05 && instruction != DOT_MMA) return "it takes no scales";
  switch (instruction) {
  case DOT_TCGEN05: return tcgen05_refuses(p);
  case DOT_WGMMA: return wgmma_refuses(arena, p);
  case DOT_MMA:
    if (p->scale_group) return mma_with_scales_refuses(p);
    return instruction == dot_mma(p->arch) ? mma_refuses(p) : "the architecture has another mma.sync";
  case DOT_MMA_K8:
    return instruction == dot_mma(p->arch) ? mma_refuses(p) : "the architecture has another mma.sync";
  case DOT_FMA:
  case DOT_INSTRUCTION_COUNT: break;
  }
  return NULL;
}

bool dot_has_few_rows(const DotProduct *p) {
  enum { K_BITS = 4 };
  DotProduct transposed = *p;
  transposed.swapped = true;
  return p->shape.m == 3 && p->shape.k >= K_BITS && elem_is_half(p->a) && elem_is_half(p->b) &&
         !p->scale_group && !mma_refuses(&transposed);
}

static bool fits(const Op *dot, DotInstruction instruction) {
  DotProduct p = dot_product(dot);
  return !dot_refuses(dot->region->func->module->ir->arena, &p, instruction);
}

bool can_wgmma(const Op *dot) { return fits(dot, DOT_WGMMA); }

bool can_read_matrices(const Op *dot) { return can_wgmma(dot) || fits(dot, DOT_TCGEN05); }
