// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit counting, bit fields, byte permutation, three-input logic, funnel shifts.
#include "sim/exec.h"

static inline uint32_t popcount64(uint64_t a) {
  uint32_t n = 0;
  for (; a; a &= a - 1) n++;
  return n;
}

static inline uint32_t highest64(uint64_t a) { // position of the highest one; UINT32_MAX for 0
  uint32_t at = UINT32_MAX;
  for (; a; a >>= 1) at++;
  return at;
}

static inline uint64_t reverse(uint64_t a, int bits) {
  uint64_t r = 0;
  for (int i = 0; i < bits; i++) r |= (a >> i & 1) << (bits - 1 - i);
  return r;
}

// Results are 32 bits whatever the source.
#define DEFINE_COUNT(function, T, expression)                                                                \
  static void function(Warp *warp, const Insn *insn, uint32_t mask) {                                        \
    const T *as = lanes_at(warp, insn->src[0]);                                                              \
    uint32_t out[LANES];                                                                                     \
    for (int l = 0; l < LANES; l++) {                                                                        \
      T a = as[l];                                                                                           \
      out[l] = (uint32_t)(expression);                                                                       \
    }                                                                                                        \
    lanes_write32(warp, insn->dst, out, mask);                                                               \
  }

DEFINE_COUNT(popc32, uint32_t, popcount64(a))
DEFINE_COUNT(popc64, uint64_t, popcount64(a))
DEFINE_COUNT(clz32, uint32_t, 31 - highest64(a))
DEFINE_COUNT(clz64, uint64_t, 63 - highest64(a))

// .shiftamt (FLAG_WIDE) counts from the top.
static inline uint32_t find_high(uint64_t a, uint32_t top, const Insn *insn) {
  uint32_t at = highest64(a);
  return at != UINT32_MAX && (insn->flags & FLAG_WIDE) ? top - at : at;
}

DEFINE_COUNT(bfind_u32, uint32_t, find_high(a, 31, insn))
DEFINE_COUNT(bfind_u64, uint64_t, find_high(a, 63, insn))
DEFINE_COUNT(bfind_s32, int32_t, find_high((uint32_t)(a < 0 ? ~a : a), 31, insn))
DEFINE_COUNT(bfind_s64, int64_t, find_high((uint64_t)(a < 0 ? ~a : a), 63, insn))
DEFINE_LANES(brev32, uint32_t, 32, reverse(a, 32))
DEFINE_LANES(brev64, uint64_t, 64, reverse(a, 64))

// PTX ISA 9.7.1 bfe: positions and lengths are taken modulo 256; bits beyond the top repeat the sign.
static inline uint64_t field_extract(uint64_t a, uint32_t pos, uint32_t len, uint32_t bits, bool is_signed) {
  pos &= 255, len &= 255;
  uint32_t top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
  bool sign = is_signed && len && (a >> top & 1);
  uint64_t value = pos < bits ? a >> pos : 0;
  uint32_t have = pos < bits ? bits - pos : 0;
  uint32_t keep = len < have ? len : have;
  uint64_t kept = keep >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << keep) - 1;
  return sign ? value | ~kept : value & kept;
}

static inline uint64_t field_insert(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t bits) {
  pos &= 255, len &= 255;
  if (pos >= bits) return b;
  if (len > bits - pos) len = bits - pos;
  uint64_t field = len >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << len) - 1;
  return (b & ~(field << pos)) | (a & field) << pos;
}

#define DEFINE_FIELD(bits)                                                                                   \
  static void bfe##bits(Warp *warp, const Insn *insn, uint32_t mask) {                                       \
    const uint##bits##_t *a = lanes_at(warp, insn->src[0]);                                                  \
    const uint32_t *pos = lanes_at(warp, insn->src[1]), *len = lanes_at(warp, insn->src[2]);                 \
    uint##bits##_t out[LANES];                                                                               \
    bool is_signed = ptx_type_class((PtxType)insn->from) == CLASS_SIGNED;                                    \
    for (int l = 0; l < LANES; l++)                                                                          \
      out[l] = (uint##bits##_t)field_extract(a[l], pos[l], len[l], bits, is_signed);                         \
    lanes_write##bits(warp, insn->dst, out, mask);                                                           \
  }                                                                                                          \
  static void bfi##bits(Warp *warp, const Insn *insn, uint32_t mask) {                                       \
    const uint##bits##_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]);               \
    const uint32_t *pos = lanes_at(warp, insn->src[2]), *len = lanes_at(warp, insn->src[3]);                 \
    uint##bits##_t out[LANES];                                                                               \
    for (int l = 0; l < LANES; l++) out[l] = (uint##bits##_t)field_insert(a[l], b[l], pos[l], len[l], bits); \
    lanes_write##bits(warp, insn->dst, out, mask);                                                           \
  }

DEFINE_FIELD(32)
DEFINE_FIELD(64)

// Byte `selector & 7` of {b, a}; bit 3 of the selector repeats the byte's sign instead.
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors) {
  uint64_t bytes = (uint64_t)b << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t selector = selectors >> (4 * i) & 15;
    uint32_t byte = (uint32_t)(bytes >> (8 * (selector & 7))) & 255;
    if (selector & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

DEFINE_LANES(prmt, uint32_t, 32, permute(a, b, c))

static inline uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t r = 0;
  for (int i = 0; i < 8; i++)
    if (table >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return r;
}

DEFINE_LANES(lop3, uint32_t, 32, logic3(a, b, c, insn->extra))

// extra: 'l' or 'r'; FLAG_SAT: .clamp, else .wrap.
static inline uint32_t funnel(uint32_t low, uint32_t high, uint32_t n, const Insn *insn) {
  n = insn->flags & FLAG_SAT ? (n > 32 ? 32 : n) : n & 31;
  uint64_t both = (uint64_t)high << 32 | low;
  if (insn->extra == 'r') return n == 32 ? high : (uint32_t)(both >> n);
  return n == 32 ? low : (uint32_t)(both << n >> 32);
}

DEFINE_LANES(shf, uint32_t, 32, funnel(a, b, c, insn))

ExecFn *exec_bits_find(Operation op, PtxType type) {
  bool wide = ptx_type_bytes(type) == 8, is_signed = ptx_type_class(type) == CLASS_SIGNED;
  if (op == OP_POPC) return wide ? popc64 : popc32;
  if (op == OP_CLZ) return wide ? clz64 : clz32;
  if (op == OP_BREV) return wide ? brev64 : brev32;
  if (op == OP_BFIND && is_signed) return wide ? bfind_s64 : bfind_s32;
  if (op == OP_BFIND) return wide ? bfind_u64 : bfind_u32;
  if (op == OP_BFE) return wide ? bfe64 : bfe32;
  if (op == OP_BFI) return wide ? bfi64 : bfi32;
  if (wide) return NULL;
  return op == OP_PRMT ? prmt : op == OP_LOP3 ? lop3 : op == OP_SHF ? shf : NULL;
}
