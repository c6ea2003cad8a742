// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, logic, comparison and selection. Modifiers and operands follow PTX ISA 9.7.1 to 9.7.7.
#include "sim/decode/decode.h"
#include "sim/exec/exec.h"

// NULL for `exec`: the instruction does not exist.
static void emit_known(Decoder *d, ExecFn *exec, PtxType type) {
  if (!exec) decode_error(d, "%.*s is not known for .%s", STR_ARG(d->stmt->name), ptx_type_name(type));
  d->insn.exec = exec;
  decode_emit(d);
}

static void flag_if(Decoder *d, const char *modifier, uint8_t flag) {
  if (mod_take(d, modifier)) d->insn.flags |= flag;
}

static uint32_t arity(Operation op) {
  if (op == OP_MAD || op == OP_FMA || op == OP_SAD || op == OP_MADC) return 3;
  return op == OP_ABS || op == OP_NEG || op == OP_NOT || op == OP_CNOT ? 1 : 2;
}

// The half of a multiplication's result. MOD_NONE if none is named.
static Modifier take_half(Decoder *d) {
  static const Modifier halves[] = {MOD_LO, MOD_HI};
  return mod_one_of(d, halves, 2);
}

static void sources(Decoder *d, PtxType type, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) d->insn.src[i] = operand_source(d, type);
}

// add.cc, addc and similar: the carry is one more register of the thread.
static void carry_arith(Decoder *d, PtxType type, bool out) {
  bool mad = d->op == OP_MAD || d->op == OP_MADC;
  if (!d->carry) d->carry = slot_new(d, 0) + 1;
  if (d->op == OP_ADDC || d->op == OP_SUBC || d->op == OP_MADC) d->insn.flags |= FLAG_SAT;
  if (out) d->insn.flags |= FLAG_WIDE;
  d->insn.dst2 = d->carry - 1;
  d->insn.from = (uint16_t)type;
  d->insn.extra = d->op == OP_SUB || d->op == OP_SUBC ? CARRY_DIFFERENCE : CARRY_SUM;
  if (mad) {
    Modifier half = take_half(d);
    if (!half) decode_error(d, "%.*s needs .lo or .hi", STR_ARG(d->base));
    d->insn.extra = half == MOD_HI ? CARRY_PRODUCT_HIGH : CARRY_PRODUCT_LOW;
  }
  d->insn.dst = operand_dest(d, type);
  sources(d, type, mad ? 3 : 2);
  bool fits = type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64;
  emit_known(d, fits ? exec_carry : NULL, type);
}

static void int_arith(Decoder *d, PtxType type) {
  bool carry_in = d->op == OP_ADDC || d->op == OP_SUBC || d->op == OP_MADC, carry_out = mod_take(d, "cc");
  if (carry_in || (carry_out && (d->op == OP_ADD || d->op == OP_SUB || d->op == OP_MAD))) {
    carry_arith(d, type, carry_out);
    return;
  }
  if (carry_out) decode_error(d, "%.*s has no .cc", STR_ARG(d->base));
  Modifier form = MOD_NONE;
  if (d->op == OP_MUL || d->op == OP_MAD) {
    form = take_half(d);
    if (!form && mod_take(d, "wide")) form = MOD_WIDE;
    if (!form) decode_error(d, "%.*s of integers needs .lo, .hi or .wide", STR_ARG(d->base));
  }
  if ((d->op == OP_ADD || d->op == OP_SUB) && mod_take(d, "sat")) form = MOD_SAT;
  if (d->op == OP_MAD && form == MOD_HI && mod_take(d, "sat")) form = MOD_HI_SAT;
  if ((d->op == OP_MIN || d->op == OP_MAX) && mod_take(d, "relu")) form = MOD_RELU;
  PtxType wide = type;
  if (form == MOD_WIDE)
    wide = type == PTX_U16 ? PTX_U32 : type == PTX_S16 ? PTX_S32 : type == PTX_U32 ? PTX_U64 : PTX_S64;
  d->insn.dst = operand_dest(d, wide);
  sources(d, type, arity(d->op) == 1 ? 1 : 2);
  if (arity(d->op) == 3) d->insn.src[2] = operand_source(d, wide);
  ExecFn *exec = ptx_type_class(type) == CLASS_BITS ? NULL : exec_int_find(d->op, type, form);
  emit_known(d, exec, type);
}

// The rounding modifier, or its default. `needed`: PTX requires it.
static void float_round_modifier(Decoder *d, PtxType type, bool needed) {
  Round round = mod_round(d);
  if (round == ROUND_NONE && needed)
    decode_error(d, "%.*s.%s needs a rounding", STR_ARG(d->base), ptx_type_name(type));
  if (round == ROUND_NONE || round == ROUND_RN) return;
  if (ptx_type_bytes(type) < 4 || type == PTX_F16X2 || type == PTX_BF16X2)
    decode_error(d, "%.*s.%s rounds to nearest only", STR_ARG(d->base), ptx_type_name(type));
  d->insn.kind = KIND_ROUNDED;
  d->insn.round = (uint8_t)round;
}

static bool is_half(PtxType type) {
  return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
}

static void float_modifiers(Decoder *d, PtxType type) {
  bool rounds = d->op == OP_ADD || d->op == OP_SUB || d->op == OP_MUL || d->op == OP_FMA || d->op == OP_MAD;
  if (rounds) {
    float_round_modifier(d, type, d->op == OP_FMA || d->op == OP_MAD);
    if (type != PTX_F64 && type != PTX_BF16 && type != PTX_BF16X2) flag_if(d, "sat", FLAG_SAT);
    if (d->op == OP_FMA && is_half(type)) flag_if(d, "relu", FLAG_RELU);
  }
  if (d->op == OP_DIV && !(type == PTX_F32 && (mod_take(d, "approx") || mod_take(d, "full"))))
    float_round_modifier(d, type, true);
  if ((d->op == OP_MIN || d->op == OP_MAX) && type != PTX_F64) {
    flag_if(d, "NaN", FLAG_NAN);
    if (mod_take(d, "xorsign")) {
      d->insn.flags |= FLAG_XORSIGN;
      if (!mod_take(d, "abs")) decode_error(d, ".xorsign needs .abs");
    }
  }
  if (type == PTX_F32 || type == PTX_F16 || type == PTX_F16X2) flag_if(d, "ftz", FLAG_FTZ);
}

static ExecFn *float_find(Operation op, PtxType type) {
  if (is_half(type)) return exec_half_find(op, type);
  return type == PTX_F32 ? exec_f32_find(op) : exec_f64_find(op);
}

// add.f32.f16 and similar (PTX ISA 9.7.5): only the last operand is f32.
static void mixed_arith(Decoder *d, PtxType narrow) {
  uint32_t n = arity(d->op);
  float_modifiers(d, PTX_F32);
  d->insn.extra = (uint8_t)d->op;
  d->insn.from = (uint16_t)narrow;
  d->insn.dst = operand_dest(d, PTX_F32);
  sources(d, narrow, n - 1);
  d->insn.src[n - 1] = operand_source(d, PTX_F32);
  emit_known(d, narrow == PTX_F16 || narrow == PTX_BF16 ? exec_f32_mixed : NULL, narrow);
}

// add, sub, mul and fma of pairs of f32 in 64 bits (PTX ISA 9.7.3).
static void pair_arith(Decoder *d) {
  bool known = d->op == OP_ADD || d->op == OP_SUB || d->op == OP_MUL || d->op == OP_FMA;
  float_round_modifier(d, PTX_F32, d->op == OP_FMA);
  flag_if(d, "ftz", FLAG_FTZ);
  d->insn.extra = (uint8_t)d->op;
  d->insn.dst = operand_dest(d, PTX_B64);
  sources(d, PTX_B64, arity(d->op));
  if (!known) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.exec = exec_f32_pair;
  decode_emit(d);
}

void decode_arith(Decoder *d) {
  if (mod_take(d, "f32x2")) {
    pair_arith(d);
    return;
  }
  PtxType type = mod_need_type(d), narrow = PTX_NONE;
  if (type == PTX_F32 && (d->op == OP_ADD || d->op == OP_SUB || d->op == OP_FMA)) narrow = mod_type(d);
  if (narrow != PTX_NONE) {
    mixed_arith(d, narrow);
    return;
  }
  if (type == PTX_PRED) {
    decode_error(d, "%.*s has no .pred form", STR_ARG(d->base));
    return;
  }
  if (ptx_type_class(type) != CLASS_FLOAT && d->op != OP_FMA && d->op != OP_COPYSIGN) {
    int_arith(d, type);
    return;
  }
  if (ptx_type_class(type) == CLASS_FLOAT) float_modifiers(d, type);
  d->insn.dst = operand_dest(d, type);
  sources(d, type, arity(d->op));
  bool picks = d->op == OP_MIN || d->op == OP_MAX;
  if (picks && type == PTX_F32 && operand_more(d)) { // of three: PTX ISA 9.7.3.12 and 13
    d->insn.src[2] = operand_source(d, type);
    d->insn.extra = mod_take(d, "abs");
    if (d->insn.flags & FLAG_XORSIGN) decode_error(d, "%.*s of three has no .xorsign", STR_ARG(d->base));
    emit_known(d, d->op == OP_MIN ? exec_f32_min3 : exec_f32_max3, type);
    return;
  }
  emit_known(d, ptx_type_class(type) == CLASS_FLOAT ? float_find(d->op, type) : NULL, type);
}

// Instructions with .approx, and rcp and sqrt with a rounding.
void decode_special(Decoder *d) {
  PtxType type = mod_need_type(d);
  bool approx = mod_take(d, "approx"), exact = d->op == OP_RCP || d->op == OP_SQRT;
  if (!approx && exact && (type == PTX_F32 || type == PTX_F64))
    float_round_modifier(d, type, true);
  else if (!approx)
    decode_error(d, "%.*s needs .approx", STR_ARG(d->base));
  flag_if(d, "ftz", FLAG_FTZ);
  bool gross = type == PTX_F64 && approx && (d->insn.flags & FLAG_FTZ);
  if (type == PTX_F64 && approx && !gross && d->op != OP_RSQRT)
    decode_error(d, "%.*s.approx.f64 needs .ftz", STR_ARG(d->base));
  d->insn.dst = operand_dest(d, type);
  d->insn.src[0] = operand_source(d, type);
  d->insn.extra = d->op == OP_RSQRT;
  if (gross) {
    emit_known(d, d->op == OP_RCP || d->op == OP_RSQRT ? exec_f64_gross : NULL, type);
    return;
  }
  bool is_float = ptx_type_class(type) == CLASS_FLOAT;
  emit_known(d, is_float ? float_find(d->op, type) : NULL, type);
}

void decode_logic(Decoder *d) {
  PtxType type = mod_need_type(d);
  bool shift = d->op == OP_SHL || d->op == OP_SHR;
  d->insn.dst = operand_dest(d, type);
  d->insn.src[0] = operand_source(d, type);
  if (arity(d->op) == 2) d->insn.src[1] = operand_source(d, shift ? PTX_U32 : type);
  if (type == PTX_PRED) {
    d->insn.extra = (uint8_t)d->op;
    emit_known(d, shift || d->op == OP_CNOT ? NULL : exec_predicate_logic, type);
    return;
  }
  bool allowed = ptx_type_class(type) == CLASS_BITS || d->op == OP_SHR;
  emit_known(d, allowed && ptx_type_is_int(type) ? exec_int_find(d->op, type, MOD_NONE) : NULL, type);
}

// A constant operand that decoding needs.
static uint32_t immediate(Decoder *d) {
  const PtxOperand *operand = operand_next(d);
  if (operand->kind != OPERAND_INT || operand->value > 255)
    decode_error(d, "the last operand is a constant up to 255");
  return (uint32_t)operand->value & 255;
}

void decode_product(Decoder *d) {
  bool dot = d->op == OP_DP4A || d->op == OP_DP2A;
  if (d->op != OP_DP4A) d->insn.extra = (uint8_t)take_half(d);
  if (d->op != OP_DP4A && !d->insn.extra) decode_error(d, "%.*s needs .lo or .hi", STR_ARG(d->base));
  PtxType type = mod_need_type(d), other = dot ? mod_need_type(d) : type;
  bool fits = (type == PTX_U32 || type == PTX_S32) && (other == PTX_U32 || other == PTX_S32);
  d->insn.from = (uint16_t)type;
  d->insn.to = (uint16_t)other;
  if (d->op == OP_MAD24 && d->insn.extra == MOD_HI && type == PTX_S32) flag_if(d, "sat", FLAG_SAT);
  d->insn.dst = operand_dest(d, PTX_B32);
  sources(d, PTX_B32, d->op == OP_MUL24 ? 2 : 3);
  emit_known(d, fits ? exec_product_find(d->op) : NULL, fits ? other : PTX_B32);
}

void decode_field(Decoder *d) {
  if (d->op != OP_FNS) {
    flag_if(d, "clamp", FLAG_SAT);
    if (!(d->insn.flags & FLAG_SAT) && !mod_take(d, "wrap"))
      decode_error(d, "%.*s needs .clamp or .wrap", STR_ARG(d->base));
  }
  PtxType type = mod_need_type(d);
  bool fits = d->op == OP_SZEXT ? type == PTX_U32 || type == PTX_S32 : type == PTX_B32;
  d->insn.from = (uint16_t)type;
  d->insn.dst = operand_dest(d, type);
  sources(d, type, d->op == OP_FNS ? 3 : 2);
  emit_known(d, fits ? exec_field_find(d->op) : NULL, type);
}

// lop3.and.b32 d|p, a, b, c, table, q: `_` as d is allowed.
static void lop3_predicate(Decoder *d, Operation combine) {
  const PtxOperand *operand = operand_next(d);
  uint32_t bytes = 4;
  if (operand->kind != OPERAND_PAIR) {
    decode_error(d, "lop3.and and lop3.or give a value and a predicate");
    return;
  }
  d->insn.dst = register_of(d, operand->items, &bytes);
  if (d->insn.dst != UINT32_MAX && bytes != 4) decode_error(d, "lop3 gives 32 bits");
  d->insn.dst2 = register_of(d, operand->items->next, &bytes);
  if (d->insn.dst2 == UINT32_MAX || bytes) decode_error(d, "a predicate is needed");
  sources(d, PTX_B32, 3);
  d->insn.extra = (uint8_t)immediate(d);
  bool negated;
  d->insn.src[3] = operand_predicate(d, &negated);
  if (negated) d->insn.flags |= FLAG_NOT;
  d->insn.from = (uint16_t)combine;
  emit_known(d, exec_lop3_predicate, PTX_B32);
}

void decode_bits(Decoder *d) {
  PtxType type = mod_need_type(d), result = type;
  if (!ptx_type_is_int(type) || ptx_type_bytes(type) < 4 || ptx_type_bytes(type) > 8) {
    decode_error(d, "%.*s is not known for .%s", STR_ARG(d->base), ptx_type_name(type));
    return;
  }
  d->insn.from = (uint16_t)type;
  if (d->op == OP_BFIND) flag_if(d, "shiftamt", FLAG_WIDE);
  static const Modifier modes[] = {MOD_F4E, MOD_B4E, MOD_RC8, MOD_ECL, MOD_ECR, MOD_RC16};
  if (d->op == OP_PRMT) d->insn.extra = (uint8_t)mod_one_of(d, modes, sizeof modes / sizeof *modes);
  static const Operation combinations[] = {OP_AND, OP_OR};
  Operation combine = d->op == OP_LOP3 ? mod_operation(d, combinations, 2) : OP_NONE;
  if (combine) {
    if (type != PTX_B32) decode_error(d, "lop3 works on .b32");
    lop3_predicate(d, combine);
    return;
  }
  if (d->op == OP_POPC || d->op == OP_CLZ || d->op == OP_BFIND) result = PTX_U32;
  if (d->op == OP_SHF) {
    static const Modifier directions[] = {MOD_RIGHT, MOD_LEFT};
    d->insn.extra = (uint8_t)mod_one_of(d, directions, 2);
    flag_if(d, "clamp", FLAG_SAT);
    if (!d->insn.extra || !(d->insn.flags & FLAG_SAT || mod_take(d, "wrap")))
      decode_error(d, "shf needs .l or .r, .clamp or .wrap");
  }
  d->insn.dst = operand_dest(d, result);
  d->insn.src[0] = operand_source(d, type);
  if (d->op == OP_BFE || d->op == OP_BFI || d->op == OP_PRMT || d->op == OP_LOP3 || d->op == OP_SHF) {
    d->insn.src[1] = operand_source(d, d->op == OP_BFE ? PTX_U32 : type);
    d->insn.src[2] = operand_source(d, PTX_U32);
  }
  if (d->op == OP_BFI) d->insn.src[3] = operand_source(d, PTX_U32);
  bool named_mode = d->op == OP_PRMT && d->insn.extra;
  if (d->op == OP_LOP3) d->insn.extra = (uint8_t)immediate(d);
  emit_known(d, exec_bits_find(d->op, type, named_mode), type);
}

static void compare_dest(Decoder *d) {
  const PtxOperand *operand = operand_next(d);
  bool pair = operand->kind == OPERAND_PAIR;
  uint32_t bytes, slot = register_of(d, pair ? operand->items : operand, &bytes);
  d->insn.dst = slot == UINT32_MAX ? slot_new(d, 0) : slot;
  if (bytes) decode_error(d, "setp writes predicates");
  if (!pair) return;
  d->insn.dst2 = register_of(d, operand->items->next, &bytes);
  if (bytes) decode_error(d, "setp writes predicates");
}

static bool is_pair(PtxType type) { return type == PTX_F16X2 || type == PTX_BF16X2; }

// True if set can give `result` from a comparison of `type`. 16-bit integers and pairs come only from halves.
static bool set_gives(PtxType result, PtxType type) {
  if (is_pair(type)) return result == type || result == PTX_U32 || result == PTX_S32;
  if (result == PTX_U16 || result == PTX_S16) return is_half(type);
  return result == PTX_U32 || result == PTX_S32 || result == PTX_F32 || result == PTX_F16 ||
         result == PTX_BF16;
}

static PtxType set_types(Decoder *d, PtxType result) {
  PtxType type = mod_need_type(d);
  if (!set_gives(result, type))
    decode_error(d, "set.%s.%s is not known", ptx_type_name(result), ptx_type_name(type));
  d->insn.to = (uint16_t)result;
  d->insn.from = (uint16_t)(is_pair(type) ? result : type);
  d->insn.dst = operand_dest(d, result);
  return type;
}

void decode_compare(Decoder *d) {
  Str compare = mod_any(d);
  static const Operation combinations[] = {OP_AND, OP_OR, OP_XOR};
  d->insn.extra = (uint8_t)mod_operation(d, combinations, 3);
  flag_if(d, "ftz", FLAG_FTZ);
  PtxType type = mod_need_type(d);
  if (d->op == OP_SET)
    type = set_types(d, type);
  else
    compare_dest(d);
  d->insn.src[0] = operand_source(d, type);
  d->insn.src[1] = operand_source(d, type);
  if (d->insn.extra) {
    bool negated;
    d->insn.src[2] = operand_predicate(d, &negated);
    if (negated) d->insn.flags |= FLAG_NOT;
  }
  if ((d->insn.flags & FLAG_FTZ) && type != PTX_F32 && type != PTX_F16 && type != PTX_F16X2)
    decode_error(d, ".ftz does not fit .%s", ptx_type_name(type));
  if (!is_pair(type)) {
    emit_known(d, exec_compare_find(compare, type), type);
    return;
  }
  d->insn.to = (uint16_t)type;
  ExecFn *pair = exec_compare_pair_find(compare, &d->insn.round);
  emit_known(d, pair && d->op == OP_SET ? exec_set_pair : pair, type);
}

static void decode_testp(Decoder *d) {
  static const Modifier questions[] = {MOD_FINITE,     MOD_INFINITE, MOD_NUMBER,
                                       MOD_NOTANUMBER, MOD_NORMAL,   MOD_SUBNORMAL};
  d->insn.extra = (uint8_t)mod_one_of(d, questions, sizeof questions / sizeof *questions);
  PtxType type = mod_need_type(d);
  d->insn.from = (uint16_t)type;
  d->insn.dst = operand_dest(d, PTX_PRED);
  d->insn.src[0] = operand_source(d, type);
  emit_known(d, d->insn.extra && (type == PTX_F32 || type == PTX_F64) ? exec_testp : NULL, type);
}

void decode_select(Decoder *d) {
  if (d->op == OP_TESTP) {
    decode_testp(d);
    return;
  }
  if (d->op == OP_SLCT) flag_if(d, "ftz", FLAG_FTZ);
  PtxType type = mod_need_type(d);
  d->insn.dst = operand_dest(d, type);
  sources(d, type, 2);
  bool fits = ptx_type_bytes(type) >= 2 && ptx_type_bytes(type) <= 8 &&
              ptx_type_class(type) != CLASS_INT_PAIR && type != PTX_F16X2 && type != PTX_BF16X2;
  if (d->op == OP_SELP) {
    bool negated;
    d->insn.src[2] = operand_predicate(d, &negated);
    if (negated) d->insn.flags |= FLAG_NOT;
    emit_known(d, fits ? exec_select_find(ptx_type_bytes(type)) : NULL, type);
    return;
  }
  PtxType sign = mod_need_type(d);
  d->insn.from = (uint16_t)type;
  d->insn.to = (uint16_t)sign;
  d->insn.src[2] = operand_source(d, sign);
  emit_known(d, fits && (sign == PTX_S32 || sign == PTX_F32) ? exec_slct : NULL, type);
}
