// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multiplication of 24-bit integers, and the dot products dp4a and dp2a. PTX ISA 9.7.1.
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

// A field of `bits` bits at `at`, sign-extended if signed.
static inline int64_t field(uint32_t a, uint32_t at, uint32_t bits, bool is_signed) {
  uint32_t value = a >> at & (uint32_t)(((uint64_t)1 << bits) - 1);
  bool negative = is_signed && value >> (bits - 1);
  return negative ? (int64_t)value - ((int64_t)1 << bits) : (int64_t)value;
}

// .hi gives bits 47 .. 16 of the result. extra: MOD_HI or MOD_LO.
static inline uint32_t product24(uint32_t a, uint32_t b, const Insn *insn) {
  bool is_signed = insn->from == PTX_S32;
  uint64_t product = (uint64_t)(field(a, 0, 24, is_signed) * field(b, 0, 24, is_signed));
  return (uint32_t)(insn->extra == MOD_HI ? product >> 16 : product);
}

// FLAG_SAT: .hi.sat of s32.
static inline uint32_t sum24(uint32_t product, uint32_t c, const Insn *insn) {
  int64_t sum = (int64_t)(int32_t)product + (int32_t)c;
  if (!(insn->flags & FLAG_SAT)) return product + c;
  return (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

// from, to: the types of a and b.
static inline uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, const Insn *insn) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < 32; i += 8)
    sum += field(a, i, 8, insn->from == PTX_S32) * field(b, i, 8, insn->to == PTX_S32);
  return (uint32_t)sum + c;
}

static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, const Insn *insn) {
  uint32_t half = insn->extra == MOD_HI ? 16 : 0;
  int64_t sum = 0;
  for (uint32_t i = 0; i < 2; i++)
    sum += field(a, 16 * i, 16, insn->from == PTX_S32) * field(b, half + 8 * i, 8, insn->to == PTX_S32);
  return (uint32_t)sum + c;
}

DEFINE_LANES(mul24, uint32_t, 32, product24(a, b, insn))
DEFINE_LANES(mad24, uint32_t, 32, sum24(product24(a, b, insn), c, insn))
DEFINE_LANES(dp4a, uint32_t, 32, dot4(a, b, c, insn))
DEFINE_LANES(dp2a, uint32_t, 32, dot2(a, b, c, insn))

ExecFn *exec_product_find(Operation op) {
  return op == OP_MUL24 ? mul24 : op == OP_MAD24 ? mad24 : op == OP_DP4A ? dp4a : dp2a;
}
