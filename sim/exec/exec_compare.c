// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons and selections.
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"
#include "sim/exec/float_bits.h"

// insn->extra: the combination of a comparison with predicate src[2] (FLAG_NOT: negated). OP_NONE, AND, OR,
// XOR.
static uint32_t combine_predicate(Warp *warp, const Insn *insn, uint32_t result) {
  uint32_t other = predicate_at(warp, insn->src[2]);
  if (insn->flags & FLAG_NOT) other = ~other;
  switch (insn->extra) {
  case OP_AND: return result & other;
  case OP_OR: return result | other;
  case OP_XOR: return result ^ other;
  default: return result;
  }
}

// set: the value for true: 1.0 or all ones in the type `to`.
static uint32_t set_value(uint32_t to) {
  switch (to) {
  case PTX_F32: return 0x3f800000u;
  case PTX_F16: return 0x3c00u;
  case PTX_BF16: return 0x3f80u;
  default: return UINT32_MAX;
  }
}

static void set_result(Warp *warp, const Insn *insn, uint32_t holds, uint32_t mask) {
  uint32_t wide[LANES], yes = set_value(insn->to);
  uint16_t narrow[LANES];
  for (int l = 0; l < LANES; l++) {
    wide[l] = holds >> l & 1 ? yes : 0;
    narrow[l] = (uint16_t)wide[l];
  }
  if (ptx_type_bytes((PtxType)insn->to) == 2)
    lanes_write16(warp, insn->dst, narrow, mask);
  else
    lanes_write32(warp, insn->dst, wide, mask);
}

static void compare_result(Warp *warp, const Insn *insn, const uint8_t *holds, uint32_t mask) {
  uint32_t result = predicate_pack(holds);
  if (insn->from) {
    set_result(warp, insn, combine_predicate(warp, insn, result), mask);
    return;
  }
  uint32_t second = combine_predicate(warp, insn, ~result), first = combine_predicate(warp, insn, result);
  if (insn->dst2 != UINT32_MAX) predicate_write(warp, insn->dst2, second, mask);
  predicate_write(warp, insn->dst, first, mask);
}

// .ftz of binary16: subnormals are zeros.
static inline uint16_t half_flush(uint16_t bits, bool flush) {
  return flush && (bits & 0x7c00u) == 0 ? bits & 0x8000u : bits;
}

#define DEFINE_COMPARE(function, T, LOAD, expression)                                                        \
  SIM_LANES static void function(Warp *warp, const Insn *insn, uint32_t mask) {                              \
    const T *as = lanes_at(warp, insn->src[0]), *bs = lanes_at(warp, insn->src[1]);                          \
    uint8_t holds[LANES];                                                                                    \
    bool flush = insn->flags & FLAG_FTZ;                                                                     \
    (void)flush;                                                                                             \
    for (int l = 0; l < LANES; l++) holds[l] = expression(LOAD(as[l]), LOAD(bs[l]));                         \
    compare_result(warp, insn, holds, mask);                                                                 \
  }

#define SAME(x)       (x)
#define F32(x)        (flush ? float_flush(x) : (x))
#define HALF(x)       float_of_half(half_flush(x, flush))
#define BF16(x)       float_of_bf16(x)
#define EQ(a, b)      ((a) == (b))
#define NE(a, b)      ((a) != (b))
#define LT(a, b)      ((a) < (b))
#define LE(a, b)      ((a) <= (b))
#define GT(a, b)      ((a) > (b))
#define GE(a, b)      ((a) >= (b))
#define NUMBERS(a, b) ((a) == (a) && (b) == (b))
#define FNE(a, b)     ((a) < (b) || (a) > (b))
#define NAN_(a, b)    (!NUMBERS(a, b))
#define EQU(a, b)     (!FNE(a, b))
#define LTU(a, b)     (!GE(a, b))
#define LEU(a, b)     (!GT(a, b))
#define GTU(a, b)     (!LE(a, b))
#define GEU(a, b)     (!LT(a, b))

#define DEFINE_INT_COMPARES(name, T)                                                                         \
  DEFINE_COMPARE(name##_eq, T, SAME, EQ)                                                                     \
  DEFINE_COMPARE(name##_ne, T, SAME, NE)                                                                     \
  DEFINE_COMPARE(name##_lt, T, SAME, LT)                                                                     \
  DEFINE_COMPARE(name##_le, T, SAME, LE)                                                                     \
  DEFINE_COMPARE(name##_gt, T, SAME, GT)                                                                     \
  DEFINE_COMPARE(name##_ge, T, SAME, GE)

DEFINE_INT_COMPARES(u16, uint16_t)
DEFINE_INT_COMPARES(u32, uint32_t)
DEFINE_INT_COMPARES(u64, uint64_t)
DEFINE_INT_COMPARES(s16, int16_t)
DEFINE_INT_COMPARES(s32, int32_t)
DEFINE_INT_COMPARES(s64, int64_t)

#define DEFINE_FLOAT_COMPARES(name, T, LOAD)                                                                 \
  DEFINE_COMPARE(name##_eq, T, LOAD, EQ)                                                                     \
  DEFINE_COMPARE(name##_ne, T, LOAD, FNE)                                                                    \
  DEFINE_COMPARE(name##_lt, T, LOAD, LT)                                                                     \
  DEFINE_COMPARE(name##_le, T, LOAD, LE)                                                                     \
  DEFINE_COMPARE(name##_gt, T, LOAD, GT)                                                                     \
  DEFINE_COMPARE(name##_ge, T, LOAD, GE)                                                                     \
  DEFINE_COMPARE(name##_equ, T, LOAD, EQU)                                                                   \
  DEFINE_COMPARE(name##_neu, T, LOAD, NE)                                                                    \
  DEFINE_COMPARE(name##_ltu, T, LOAD, LTU)                                                                   \
  DEFINE_COMPARE(name##_leu, T, LOAD, LEU)                                                                   \
  DEFINE_COMPARE(name##_gtu, T, LOAD, GTU)                                                                   \
  DEFINE_COMPARE(name##_geu, T, LOAD, GEU)                                                                   \
  DEFINE_COMPARE(name##_num, T, LOAD, NUMBERS)                                                               \
  DEFINE_COMPARE(name##_nan, T, LOAD, NAN_)

DEFINE_FLOAT_COMPARES(f32, float, F32)
DEFINE_FLOAT_COMPARES(f64, double, SAME)
DEFINE_FLOAT_COMPARES(f16, uint16_t, HALF)
DEFINE_FLOAT_COMPARES(bf16, uint16_t, BF16)

typedef struct CompareRow {
  const char *name;
  ExecFn *u16, *u32, *u64, *s16, *s32, *s64, *f16, *bf16, *f32, *f64;
} CompareRow;

#define INTS(op)      u16_##op, u32_##op, u64_##op, s16_##op, s32_##op, s64_##op
#define NO_SIGNED(op) u16_##op, u32_##op, u64_##op, NULL, NULL, NULL
#define NO_INTS       NULL, NULL, NULL, NULL, NULL, NULL
#define FLOATS(op)    f16_##op, bf16_##op, f32_##op, f64_##op
#define NO_FLOATS     NULL, NULL, NULL, NULL

static const CompareRow rows[] = {
    {"eq", INTS(eq), FLOATS(eq)},     {"ne", INTS(ne), FLOATS(ne)},     {"lt", INTS(lt), FLOATS(lt)},
    {"le", INTS(le), FLOATS(le)},     {"gt", INTS(gt), FLOATS(gt)},     {"ge", INTS(ge), FLOATS(ge)},
    {"lo", NO_SIGNED(lt), NO_FLOATS}, {"ls", NO_SIGNED(le), NO_FLOATS}, {"hi", NO_SIGNED(gt), NO_FLOATS},
    {"hs", NO_SIGNED(ge), NO_FLOATS}, {"equ", NO_INTS, FLOATS(equ)},    {"neu", NO_INTS, FLOATS(neu)},
    {"ltu", NO_INTS, FLOATS(ltu)},    {"leu", NO_INTS, FLOATS(leu)},    {"gtu", NO_INTS, FLOATS(gtu)},
    {"geu", NO_INTS, FLOATS(geu)},    {"num", NO_INTS, FLOATS(num)},    {"nan", NO_INTS, FLOATS(nan)},
};

static ExecFn *float_compare(const CompareRow *row, PtxType type) {
  if (type == PTX_F16) return row->f16;
  if (type == PTX_BF16) return row->bf16;
  return type == PTX_F32 ? row->f32 : type == PTX_F64 ? row->f64 : NULL;
}

// The relations of two halves for which a comparison is true: a bit set in insn->round.
enum { WHERE_LESS = 1, WHERE_EQUAL = 2, WHERE_GREATER = 4, WHERE_UNORDERED = 8 };

static bool half_pair_holds(uint32_t where, float a, float b) {
  if (!NUMBERS(a, b)) return where & WHERE_UNORDERED;
  return where & (a < b ? WHERE_LESS : a == b ? WHERE_EQUAL : WHERE_GREATER);
}

static void pair_holds(Warp *warp, const Insn *insn, uint32_t holds[2]) {
  const uint32_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]);
  bool flush = insn->flags & FLAG_FTZ, bf16 = insn->to == PTX_BF16X2;
  holds[0] = holds[1] = 0;
  for (int l = 0; l < LANES; l++)
    for (int i = 0; i < 2; i++) {
      uint16_t x = (uint16_t)(a[l] >> (16 * i)), y = (uint16_t)(b[l] >> (16 * i));
      float fx = bf16 ? float_of_bf16(x) : HALF(x), fy = bf16 ? float_of_bf16(y) : HALF(y);
      holds[i] |= (uint32_t)half_pair_holds(insn->round, fx, fy) << l;
    }
}

// setp of f16x2 and bf16x2: dst is the low half's result, dst2 the high half's.
static void compare_pair(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t holds[2];
  pair_holds(warp, insn, holds);
  uint32_t low = combine_predicate(warp, insn, holds[0]), high = combine_predicate(warp, insn, holds[1]);
  predicate_write(warp, insn->dst, low, mask);
  if (insn->dst2 != UINT32_MAX) predicate_write(warp, insn->dst2, high, mask);
}

// set of pairs: 1.0 in each half, or all ones if `from` is an integer type.
void exec_set_pair(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t holds[2], out[LANES];
  pair_holds(warp, insn, holds);
  uint32_t low = combine_predicate(warp, insn, holds[0]), high = combine_predicate(warp, insn, holds[1]);
  uint32_t yes = insn->from == PTX_F16X2 ? 0x3c00u : insn->from == PTX_BF16X2 ? 0x3f80u : 0xffffu;
  for (int l = 0; l < LANES; l++) out[l] = (low >> l & 1 ? yes : 0) | (high >> l & 1 ? yes << 16 : 0);
  lanes_write32(warp, insn->dst, out, mask);
}

ExecFn *exec_compare_pair_find(Str compare, uint8_t *where) {
  // Indexed by bit set, from 1: WHERE_LESS, WHERE_EQUAL, both, ...
  static const char *const names[] = {"lt",  "eq",  "le",  "gt",  "ne",  "ge",  "num",
                                      "nan", "ltu", "equ", "leu", "gtu", "neu", "geu"};
  for (uint8_t i = 0; i < 14; i++)
    if (str_is(compare, names[i])) {
      *where = (uint8_t)(i + 1);
      return compare_pair;
    }
  return NULL;
}

ExecFn *exec_compare_find(Str compare, PtxType type) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const CompareRow *row = &rows[i];
    if (!str_is(compare, row->name)) continue;
    PtxClass class_ = ptx_type_class(type);
    if (class_ == CLASS_INT_PAIR || class_ == CLASS_PRED) return NULL;
    if (class_ == CLASS_FLOAT) return float_compare(row, type);
    if (class_ == CLASS_BITS && !str_is(compare, "eq") && !str_is(compare, "ne")) return NULL;
    uint32_t bytes = ptx_type_bytes(type);
    if (class_ == CLASS_SIGNED)
      return bytes == 2 ? row->s16 : bytes == 4 ? row->s32 : bytes == 8 ? row->s64 : NULL;
    return bytes == 2 ? row->u16 : bytes == 4 ? row->u32 : bytes == 8 ? row->u64 : NULL;
  }
  return NULL;
}

// selp: src[2] is a predicate.
#define DEFINE_SELECT(bits)                                                                                  \
  SIM_LANES static void select##bits(Warp *warp, const Insn *insn, uint32_t mask) {                          \
    const uint##bits##_t *a = lanes_at(warp, insn->src[0]), *b = lanes_at(warp, insn->src[1]);               \
    uint32_t which = predicate_at(warp, insn->src[2]) ^ (insn->flags & FLAG_NOT ? ALL_LANES : 0);            \
    uint##bits##_t out[LANES];                                                                               \
    for (int l = 0; l < LANES; l++) out[l] = which >> l & 1 ? a[l] : b[l];                                   \
    lanes_write##bits(warp, insn->dst, out, mask);                                                           \
  }

DEFINE_SELECT(16)
DEFINE_SELECT(32)
DEFINE_SELECT(64)

ExecFn *exec_select_find(uint32_t bytes) { return bytes == 2 ? select16 : bytes == 4 ? select32 : select64; }

// to: .s32 or .f32, the type of src[2].
void exec_slct(Warp *warp, const Insn *insn, uint32_t mask) {
  const uint32_t *c = lanes_at(warp, insn->src[2]);
  uint32_t first = 0;
  for (int l = 0; l < LANES; l++) {
    float value = float_of(c[l]);
    bool not_negative =
        insn->to == PTX_F32 ? (insn->flags & FLAG_FTZ ? float_flush(value) : value) >= 0 : (c[l] >> 31) == 0;
    first |= (uint32_t)not_negative << l;
  }
  for (int l = 0; l < LANES; l++) {
    if (!(mask >> l & 1)) continue;
    uint32_t bytes = ptx_type_bytes((PtxType)insn->from);
    unsigned char *to = lanes_at(warp, insn->dst);
    const unsigned char *from = lanes_at(warp, insn->src[first >> l & 1 ? 0 : 1]);
    memmove(to + (size_t)l * bytes, from + (size_t)l * bytes, bytes);
  }
}

static bool float_is(double value, uint8_t question, bool normal) {
  switch (question) {
  case MOD_FINITE: return isfinite(value);
  case MOD_INFINITE: return isinf(value);
  case MOD_NUMBER: return !isnan(value);
  case MOD_NOTANUMBER: return isnan(value);
  case MOD_NORMAL: return isfinite(value) && normal;
  default: return isfinite(value) && !normal && value != 0; // MOD_SUBNORMAL
  }
}

// extra: the test.
void exec_testp(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t result = 0;
  for (int l = 0; l < LANES; l++) {
    float f = ((float *)lanes_at(warp, insn->src[0]))[l];
    bool is;
    if (insn->from == PTX_F32)
      is = float_is((double)f, insn->extra, isnormal(f));
    else {
      double d = ((double *)lanes_at(warp, insn->src[0]))[l];
      is = float_is(d, insn->extra, isnormal(d));
    }
    result |= (uint32_t)is << l;
  }
  predicate_write(warp, insn->dst, result, mask);
}

// and, or, xor, not of predicates. extra is the Operation.
void exec_predicate_logic(Warp *warp, const Insn *insn, uint32_t mask) {
  uint32_t a = predicate_at(warp, insn->src[0]), b = predicate_at(warp, insn->src[1]);
  uint32_t result = insn->extra == OP_AND   ? a & b
                    : insn->extra == OP_OR  ? a | b
                    : insn->extra == OP_XOR ? a ^ b
                                            : ~a;
  predicate_write(warp, insn->dst, result, mask);
}
