// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cubin/sass.h"

// Bits of an instruction. The first word has its kind, how its operands are given, and the predicate that
// guards it. The second word has a branch's own predicate.
enum {
  KIND_BITS = 9,
  GUARD_AT = 12,
  PREDICATE_AT = 23,
  PREDICATE_MASK = 15,
  ALWAYS = 7,
  OFFSET_LOW_AT = 16,
  OFFSET_LOW_BITS = 8,
  OFFSET_AT = 34,
  OFFSET_BITS = 48,
  OFFSETS_AN_INSN = 4, // an offset counts 4 bytes
  MODE_AT = 32,        // for a branch
  MODE_DIVERGED = 2,   // taken by warps whose lanes have diverged: ours never do
  COLUMNS_AT = 53,     // for wgmma
  HFMA2_OR_IADD = 0x35,
  COLUMNS_COUNTED = 64 // Nsight Compute counts a wgmma once per 64 columns
};

typedef enum Special { NONE, ANCHOR, MEMORY, COPY, PRODUCT, PRODUCT8, BRANCH, END } Special;

typedef struct SassKind {
  Special special;
  SassPipe pipe;
  bool known;
} SassKind;

static const SassKind kinds[1 << KIND_BITS] = {
#define X(number, name, pipe, special) [number] = {special, PIPE_##pipe, true},
#include "cubin/sass.def"
#undef X
};

// sm_90 and later have eight more bits, the lowest ones.
static uint32_t branch_target(const MachineCode *code, uint32_t index) {
  enum { HIGH_BITS = 64 - OFFSET_AT, SIGN_SHIFT = 64 - OFFSET_BITS };
  const uint64_t *word = code->words + 2 * (size_t)index;
  uint64_t bits = word[0] >> OFFSET_AT | word[1] << HIGH_BITS;
  int64_t offset = (int64_t)(bits << SIGN_SHIFT) >> SIGN_SHIFT;
  if (code->sm >= 90)
    offset = (int64_t)((uint64_t)offset << OFFSET_LOW_BITS |
                       (word[0] >> OFFSET_LOW_AT & ((1 << OFFSET_LOW_BITS) - 1)));
  int64_t target = (int64_t)index + 1 + offset / OFFSETS_AN_INSN;
  return offset % OFFSETS_AN_INSN || target < 0 || target >= code->count ? UINT32_MAX : (uint32_t)target;
}

// Floating-point wgmma: all multiples of 8 up to 256. Integer wgmma: 8, 16, 24 and multiples of 16, in steps
// of 3.
static uint32_t columns_of(uint64_t word, Special special) {
  uint32_t field = (uint32_t)(word >> COLUMNS_AT);
  if (special == PRODUCT) return 8 * ((field & 31) + 1);
  uint32_t index = (field & 63) / 3;
  return index < 3 ? 8 * (index + 1) : 16 * (index - 1);
}

SassInsn sass_decode(const MachineCode *code, uint32_t index) {
  const uint64_t *word = code->words + 2 * (size_t)index;
  uint32_t number = word[0] & ((1 << KIND_BITS) - 1);
  const SassKind *kind = &kinds[number == HFMA2_OR_IADD && code->sm >= 120 ? 0 : number];
  SassInsn insn = {.pipe = kind->known ? kind->pipe : PIPE_ALU, .counted = 1, .target = UINT32_MAX};
  insn.conditional = (word[0] >> GUARD_AT & PREDICATE_MASK) != ALWAYS;
  switch (kind->special) {
  case NONE: break;
  case COPY: insn.one = true;      // fall through
  case MEMORY: insn.memory = true; // fall through
  case ANCHOR: insn.anchor = true; break;
  case PRODUCT:
  case PRODUCT8:
    insn.anchor = true;
    insn.counted = columns_of(word[0], kind->special) / COLUMNS_COUNTED;
    if (!insn.counted) insn.counted = 1;
    break;
  case BRANCH:
    if ((word[0] >> MODE_AT & 3) == MODE_DIVERGED) break;
    insn.flow = SASS_BRANCH;
    insn.conditional |= (word[1] >> PREDICATE_AT & PREDICATE_MASK) != ALWAYS;
    insn.target = branch_target(code, index);
    break;
  case END: insn.flow = SASS_END; break;
  }
  return insn;
}
