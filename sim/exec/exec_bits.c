// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit counting, bit fields, byte permutation, three-input logic, funnel shifts.
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

static inline uint32_t popcount64(uint64_t a) {
  uint32_t n = 0;
  for (; a; a &= a - 1) n++;
  return n;
}

static inline uint32_t highest64(uint64_t a) { // position of the highest one bit; UINT32_MAX for 0
  uint32_t at = UINT32_MAX;
  for (; a; a >>= 1) at++;
  return at;
}

static inline uint64_t reverse(uint64_t a, int bits) {
  uint64_t r = 0;
  for (int i = 0; i < bits; i++) r |= (a >> i & 1) << (bits - 1 - i);
  return r;
}

// Results have 32 bits for every source type.
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

// PTX ISA 9.7.1 bfe: positions and lengths are modulo 256. Bits beyond the top repeat the sign.
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

// Byte `selector & 7` of {b, a}. If bit 3 of the selector is set, the byte's sign is repeated instead.
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

// extra: MOD_LEFT or MOD_RIGHT. FLAG_SAT: .clamp, else .wrap.
static inline uint32_t funnel(uint32_t low, uint32_t high, uint32_t n, const Insn *insn) {
  n = insn->flags & FLAG_SAT ? (n > 32 ? 32 : n) : n & 31;
  uint64_t both = (uint64_t)high << 32 | low;
  if (insn->extra == MOD_RIGHT) return n == 32 ? high : (uint32_t)(both >> n);
  return n == 32 ? low : (uint32_t)(both << n >> 32);
}

DEFINE_LANES(shf, uint32_t, 32, funnel(a, b, c, insn))

// PTX ISA 9.7.1 fns: the base bit itself may be the first one found. With offset 0 only that bit is tested.
static inline uint32_t find_nth(uint32_t a, uint32_t base, int32_t offset) {
  base &= 31;
  if (offset == 0) return a >> base & 1 ? base : UINT32_MAX;
  int step = offset > 0 ? 1 : -1;
  int64_t left = offset > 0 ? offset : -(int64_t)offset;
  for (int at = (int)base; at >= 0 && at < 32; at += step)
    if (a >> at & 1 && --left == 0) return (uint32_t)at;
  return UINT32_MAX;
}

// FLAG_SAT: .clamp, else .wrap.
static inline uint32_t extend(uint32_t a, uint32_t n, const Insn *insn) {
  n = insn->flags & FLAG_SAT ? (n > 32 ? 32 : n) : n & 31;
  if (n == 0) return 0;
  if (n == 32) return a;
  uint32_t kept = a & ((1u << n) - 1);
  return insn->from == PTX_S32 && kept >> (n - 1) ? kept | UINT32_MAX << n : kept;
}

static inline uint32_t bit_mask(uint32_t from, uint32_t n, const Insn *insn) {
  bool clamp = insn->flags & FLAG_SAT;
  from = clamp ? (from > 32 ? 32 : from) : from & 31;
  n = clamp ? (n > 32 ? 32 : n) : n & 31;
  uint64_t ones = ((uint64_t)1 << n) - 1;
  return (uint32_t)(ones << from);
}

DEFINE_LANES(fns, uint32_t, 32, find_nth(a, b, (int32_t)c))
DEFINE_LANES(szext, uint32_t, 32, extend(a, b, insn))
DEFINE_LANES(bmsk, uint32_t, 32, bit_mask(a, b, insn))

ExecFn *exec_field_find(Operation op) { return op == OP_FNS ? fns : op == OP_SZEXT ? szext : bmsk; }

// prmt's named modes. extra is the mode. Only the low two bits of c are used.
static inline uint32_t permute_mode(uint32_t a, uint32_t b, uint32_t c, uint8_t mode) {
  static const uint16_t forward[] = {0x3210, 0x4321, 0x5432, 0x6543},
                        backward[] = {0x5670, 0x6701, 0x7012, 0x0123},
                        edge_left[] = {0x3210, 0x3211, 0x3222, 0x3333},
                        edge_right[] = {0x0000, 0x1110, 0x2210, 0x3210};
  uint32_t i = c & 3;
  switch (mode) {
  case MOD_F4E: return permute(a, b, forward[i]);
  case MOD_B4E: return permute(a, b, backward[i]);
  case MOD_RC8: return permute(a, b, 0x1111u * i);
  case MOD_ECL: return permute(a, b, edge_left[i]);
  case MOD_ECR: return permute(a, b, edge_right[i]);
  default: return permute(a, b, i & 1 ? 0x3232 : 0x1010); // MOD_RC16
  }
}

DEFINE_LANES(prmt_mode, uint32_t, 32, permute_mode(a, b, c, insn->extra))

// lop3 with a predicate. `dst2` is true if the result is not 0, combined with src[3] by `from` (OP_OR or
// OP_AND). `dst` UINT32_MAX: none. FLAG_NOT negates the predicate source.
void exec_lop3_predicate(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]),
                 *c = lanes_at(warp, insn->src[2]);
  uint32_t out[LANES], result = 0, other = predicate_at(warp, insn->src[3]);
  if (insn->flags & FLAG_NOT) other = ~other;
  for (int l = 0; l < LANES; l++) {
    out[l] = logic3(a[l], b[l], c[l], insn->extra);
    result |= (uint32_t)(out[l] != 0) << l;
  }
  if (insn->dst != UINT32_MAX) lanes_write32(warp, insn->dst, out, mask);
  predicate_write(warp, insn->dst2, insn->from == OP_OR ? result | other : result & other, mask);
}

ExecFn *exec_bits_find(Operation op, PtxType type, bool named_mode) {
  bool wide = ptx_type_bytes(type) == 8, is_signed = ptx_type_class(type) == CLASS_SIGNED;
  if (op == OP_POPC) return wide ? popc64 : popc32;
  if (op == OP_CLZ) return wide ? clz64 : clz32;
  if (op == OP_BREV) return wide ? brev64 : brev32;
  if (op == OP_BFIND && is_signed) return wide ? bfind_s64 : bfind_s32;
  if (op == OP_BFIND) return wide ? bfind_u64 : bfind_u32;
  if (op == OP_BFE) return wide ? bfe64 : bfe32;
  if (op == OP_BFI) return wide ? bfi64 : bfi32;
  if (wide) return NULL;
  return op == OP_PRMT ? (named_mode ? prmt_mode : prmt) : op == OP_LOP3 ? lop3 : op == OP_SHF ? shf : NULL;
}
