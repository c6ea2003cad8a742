// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// add, sub and mad with the carry of the condition code register, as input and output. PTX ISA 9.7.2.
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"
#include "sim/exec/wide.h"

typedef struct CarrySum {
  uint64_t value;
  bool carry;
} CarrySum;

// a + b + carry, or a - b - carry, in `bits` bits.
static inline CarrySum sum_of(uint64_t a, uint64_t b, bool carry, bool subtract, uint32_t bits) {
  uint64_t all = bits == 64 ? UINT64_MAX : UINT32_MAX, with = (b + carry) & all;
  CarrySum sum;
  if (subtract) {
    sum.value = (a - with) & all;
    sum.carry = a < with || (carry && with == 0);
  } else {
    sum.value = (a + with) & all;
    sum.carry = sum.value < a || (carry && with == 0);
  }
  return sum;
}

static uint64_t product_half(const Insn *insn, uint64_t a, uint64_t b, uint32_t bits) {
  bool high = insn->extra == CARRY_PRODUCT_HIGH,
       is_signed = ptx_type_class((PtxType)insn->from) == CLASS_SIGNED;
  if (bits == 64) return !high ? a * b : is_signed ? mulhi64_signed((int64_t)a, (int64_t)b) : mulhi64(a, b);
  uint64_t wide = is_signed ? (uint64_t)((int64_t)(int32_t)(uint32_t)a * (int32_t)(uint32_t)b) : a * b;
  return (high ? wide >> 32 : wide) & UINT32_MAX;
}

// extra: the CarryForm. dst2: the carry's predicate slot. FLAG_SAT: carry in. FLAG_WIDE: carry out.
void exec_carry(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t bits = 8 * ptx_type_bytes((PtxType)insn->from), out32[LANES], carries = 0;
  uint64_t out64[LANES];
  uint32_t in = insn->flags & FLAG_SAT ? predicate_at(warp, insn->dst2) : 0;
  for (int l = 0; l < LANES; l++) {
    uint64_t v[3];
    for (int i = 0; i < 3; i++)
      v[i] = bits == 64 ? ((const uint64_t *)lanes_at(warp, insn->src[i]))[l]
                        : ((const uint32_t *)lanes_at(warp, insn->src[i]))[l];
    bool mad = insn->extra == CARRY_PRODUCT_LOW || insn->extra == CARRY_PRODUCT_HIGH;
    CarrySum sum = mad ? sum_of(product_half(insn, v[0], v[1], bits), v[2], in >> l & 1, false, bits)
                       : sum_of(v[0], v[1], in >> l & 1, insn->extra == CARRY_DIFFERENCE, bits);
    out64[l] = sum.value;
    out32[l] = (uint32_t)sum.value;
    carries |= (uint32_t)sum.carry << l;
  }
  if (bits == 64)
    lanes_write64(warp, insn->dst, out64, mask);
  else
    lanes_write32(warp, insn->dst, out32, mask);
  if (insn->flags & FLAG_WIDE) predicate_write(warp, insn->dst2, carries, mask);
}
