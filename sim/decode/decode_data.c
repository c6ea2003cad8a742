// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mov, cvt, cvta, and memory instructions. PTX ISA 9.7.9.
#include "sim/decode/decode.h"
#include "sim/exec/exec.h"

// ---- mov ----

// mov.b128 of two 64-bit registers, in either direction, or between 128-bit registers.
static void move_wide(Decoder *d, const PtxOperand *to, const PtxOperand *from) {
  bool packs = from->kind == OPERAND_VECTOR, unpacks = to->kind == OPERAND_VECTOR;
  const PtxOperand *items = packs ? from->items : unpacks ? to->items : NULL;
  uint32_t *slots = ARENA_ARRAY(d->arena, uint32_t, 2), bytes = 8;
  for (uint32_t i = 0; i < 2 && items; i++, items = items->next) {
    slots[i] = register_of(d, items, &bytes);
    if ((bytes != 8 && slots[i] != UINT32_MAX) || (slots[i] == UINT32_MAX && packs) ||
        (i == 0) != !!items->next)
      decode_error(d, "mov.b128 needs two 64-bit registers");
  }
  d->insn.u.slots = slots;
  if (!unpacks) d->insn.dst = register_of(d, to, &bytes);
  if (!unpacks && (d->insn.dst == UINT32_MAX || bytes != 16)) decode_error(d, "a 128-bit register is needed");
  if (!packs) d->insn.src[0] = source_of(d, from, PTX_B128);
  decode_emit_exec(d, packs ? exec_pack_wide : unpacks ? exec_unpack_wide : exec_mov_wide, KIND_LANES);
}

static void move_vector(Decoder *d, PtxType type, const PtxOperand *vector, bool pack) {
  uint32_t slots[8], n = 0, bytes = 0, items = 0;
  for (const PtxOperand *item = vector->items; item; item = item->next) items++;
  for (const PtxOperand *item = vector->items; item && n < 8; item = item->next) {
    uint32_t width = ptx_type_bytes(type) / items;
    if (width == 1) width = 2; // a register of 8 bits
    if (pack && item->kind == OPERAND_INT)
      slots[n] = slot_constant(d, item->value, width);
    else
      slots[n] = register_of(d, item, &width);
    if (slots[n] == UINT32_MAX && pack) decode_error(d, "'_' cannot be read");
    if (slots[n] != UINT32_MAX && bytes && width != bytes)
      decode_error(d, "the vector's registers differ in width");
    if (slots[n] != UINT32_MAX) bytes = width;
    n++;
  }
  uint32_t total = ptx_type_bytes(type);
  if (n == 0 || total % n || (total / n != bytes && !(total / n == 1 && bytes == 2))) {
    decode_error(d, "the vector does not make up .%s", ptx_type_name(type));
    return;
  }
  uint32_t *copy = ARENA_ARRAY(d->arena, uint32_t, n);
  memcpy(copy, slots, n * sizeof *copy);
  d->insn.u.slots = copy;
  d->insn.count = n;
  d->insn.extra = (uint8_t)(total / n);
  decode_emit_exec(d, pack ? exec_pack : exec_unpack, KIND_LANES);
}

static bool move_address(Decoder *d, const PtxOperand *operand, PtxType type) {
  const Symbol *symbol = operand->kind == OPERAND_NAME ? symbol_find(d, operand->name) : NULL;
  if (!symbol || symbol->kind != SYMBOL_ADDRESS) return false;
  if (ptx_type_bytes(type) < 4) decode_error(d, "an address has 32 or 64 bits");
  d->insn.src[0] = slot_address(d, symbol, operand->offset, ptx_type_bytes(type));
  decode_emit_exec(d, exec_mov_find(ptx_type_bytes(type)), KIND_LANES);
  return true;
}

void decode_move(Decoder *d) {
  PtxType type = mod_need_type(d);
  const PtxOperand *to = operand_next(d), *from = operand_next(d);
  if (decode_failed(d)) return;
  if (type == PTX_B128) {
    move_wide(d, to, from);
    return;
  }
  if (to->kind == OPERAND_VECTOR) {
    d->insn.src[0] = source_of(d, from, type);
    move_vector(d, type, to, false);
    return;
  }
  uint32_t bytes;
  d->insn.dst = register_of(d, to, &bytes);
  if (d->insn.dst == UINT32_MAX || bytes != slot_bytes_of(type) || ptx_type_bytes(type) == 1) {
    decode_error(d, "mov.%s to a register of another width", ptx_type_name(type));
    return;
  }
  if (from->kind == OPERAND_VECTOR) {
    move_vector(d, type, from, true);
    return;
  }
  if (move_address(d, from, type)) return;
  Special special = from->kind == OPERAND_NAME ? special_find(from->name) : SPECIAL_NONE;
  if (special >= SPECIAL_CLOCK) {
    if (bytes != (special == SPECIAL_CLOCK ? 4u : 8u)) decode_error(d, "a clock of another width");
    d->insn.count = bytes;
    decode_emit_exec(d, exec_clock, KIND_LANES);
    return;
  }
  d->insn.src[0] = source_of(d, from, type);
  decode_emit_exec(d, type == PTX_PRED ? exec_mov_predicate : exec_mov_find(bytes), KIND_LANES);
}

// ---- cvt ----

// A register at least as wide as the type: its slot. *bytes is its width.
static uint32_t wide_register(Decoder *d, PtxType type, bool dest, uint32_t *bytes) {
  const PtxOperand *operand = operand_next(d);
  bool literal = operand->kind != OPERAND_NAME || special_find(operand->name);
  if (!dest && literal) {
    *bytes = slot_bytes_of(type);
    return source_of(d, operand, type);
  }
  uint32_t slot = register_of(d, operand, bytes);
  bool exact = ptx_type_class(type) == CLASS_FLOAT;
  if (!decode_failed(d) &&
      (slot == UINT32_MAX || *bytes < slot_bytes_of(type) || (exact && *bytes != slot_bytes_of(type))))
    decode_error(d, "'%.*s' has another width than .%s", STR_ARG(operand->name), ptx_type_name(type));
  return decode_failed(d) ? 0 : slot;
}

static Round integral_round(Decoder *d) {
  if (mod_take(d, "rni")) return ROUND_RN;
  if (mod_take(d, "rzi")) return ROUND_RZ;
  if (mod_take(d, "rmi")) return ROUND_RM;
  return mod_take(d, "rpi") ? ROUND_RP : ROUND_NONE;
}

// Checks the rounding: required, allowed or wrong (PTX ISA 9.7.9.21).
static void convert_round(Decoder *d, PtxType to, PtxType from) {
  bool to_float = ptx_type_class(to) == CLASS_FLOAT, from_float = ptx_type_class(from) == CLASS_FLOAT;
  Round integral = integral_round(d), round = mod_round(d);
  bool narrows = from_float && to_float && ptx_type_bytes(to) < ptx_type_bytes(from);
  bool swaps = from_float && to_float && to != from && ptx_type_bytes(to) == ptx_type_bytes(from);
  // Between fp16 and bf16 ptxas also accepts no rounding, as .rn. Triton writes it this way.
  bool needs_integral = from_float && !to_float, needs_round = (to_float && !from_float) || narrows;
  if (needs_integral && integral == ROUND_NONE)
    decode_error(d, "cvt from float to integer needs .rni, .rzi, .rmi or .rpi");
  if (needs_round && round == ROUND_NONE)
    decode_error(d, "cvt.%s.%s needs a rounding", ptx_type_name(to), ptx_type_name(from));
  if (integral != ROUND_NONE && !needs_integral && !(from_float && to == from))
    decode_error(d, "integer rounding does not fit here");
  if (round != ROUND_NONE && !needs_round && !swaps) decode_error(d, "a rounding does not fit here");
  if (integral != ROUND_NONE && to_float) d->insn.flags |= FLAG_WIDE;
  d->insn.round = (uint8_t)(integral != ROUND_NONE ? integral : round != ROUND_NONE ? round : ROUND_RN);
}

// Further modifiers of cvt from .f32 to 16-bit floats.
static void convert_limits(Decoder *d) {
  if (mod_take(d, "relu")) d->insn.flags |= FLAG_RELU;
  if (mod_take(d, "satfinite")) d->insn.flags |= FLAG_FINITE;
}

static void convert_pair(Decoder *d, PtxType pair) {
  PtxType from = mod_need_type(d);
  if (from != PTX_F32) decode_error(d, "cvt.%s converts .f32", ptx_type_name(pair));
  d->insn.to = pair == PTX_F16X2 ? PTX_F16 : PTX_BF16;
  d->insn.from = PTX_F32;
  Round round = mod_round(d);
  if (round != ROUND_RN && round != ROUND_RZ) decode_error(d, "cvt.%s needs .rn or .rz", ptx_type_name(pair));
  d->insn.round = (uint8_t)round;
  convert_limits(d);
  d->insn.dst = operand_dest(d, pair);
  d->insn.src[0] = operand_source(d, PTX_F32);
  d->insn.src[1] = operand_source(d, PTX_F32);
  decode_emit_exec(d, exec_convert_pair, KIND_LANES);
}

void decode_convert(Decoder *d) {
  if (decode_convert_narrow(d)) return;
  PtxType to = mod_need_type(d);
  if (to == PTX_F16X2 || to == PTX_BF16X2) {
    convert_pair(d, to);
    return;
  }
  PtxType from = mod_need_type(d);
  if (to == PTX_PRED || from == PTX_PRED || from == PTX_F16X2 || from == PTX_BF16X2 ||
      ptx_type_class(to) == CLASS_INT_PAIR || ptx_type_class(from) == CLASS_INT_PAIR ||
      ptx_type_class(to) == CLASS_BITS || ptx_type_class(from) == CLASS_BITS) {
    decode_error(d, "cvt.%s.%s is not known", ptx_type_name(to), ptx_type_name(from));
    return;
  }
  convert_round(d, to, from);
  if (mod_take(d, "ftz")) d->insn.flags |= FLAG_FTZ;
  if (mod_take(d, "sat")) d->insn.flags |= FLAG_SAT;
  if ((to == PTX_F16 || to == PTX_BF16) && from == PTX_F32) convert_limits(d);
  d->insn.to = (uint16_t)to;
  d->insn.from = (uint16_t)from;
  uint32_t bytes;
  d->insn.dst = wide_register(d, to, true, &d->insn.count);
  d->insn.src[0] = wide_register(d, from, false, &bytes);
  d->insn.extra = (uint8_t)bytes;
  decode_emit_exec(d, exec_convert_find(&d->insn), KIND_LANES);
}

// ---- addresses ----

void decode_address(Decoder *d) {
  bool to = d->op == OP_CVTA && mod_take(d, "to");
  PtxSpace space = mod_space(d);
  if (space == SPACE_GENERIC) decode_error(d, "%.*s needs a state space", STR_ARG(d->base));
  d->insn.extra = (uint8_t)space;
  if (to) d->insn.flags |= FLAG_NOT;
  if (d->op == OP_ISSPACEP) {
    d->insn.dst = operand_dest(d, PTX_PRED);
    d->insn.src[0] = operand_source(d, PTX_U64);
    decode_emit_exec(d, exec_isspacep, KIND_LANES);
    return;
  }
  if (mod_need_type(d) != PTX_U64) decode_error(d, "cvta works on .u64");
  d->insn.dst = operand_dest(d, PTX_U64);
  const PtxOperand *operand = operand_next(d);
  const Symbol *symbol = operand->kind == OPERAND_NAME ? symbol_find(d, operand->name) : NULL;
  bool address = symbol && symbol->kind == SYMBOL_ADDRESS;
  d->insn.src[0] = address ? slot_address(d, symbol, operand->offset, 8) : source_of(d, operand, PTX_U64);
  decode_emit_exec(d, exec_window, KIND_LANES);
}

// [register + offset], [variable + offset], [constant]. If the instruction names .param, the variable's space
// is used.
static void address_operand(Decoder *d, MemoryAccess *access) {
  const PtxOperand *operand = operand_next(d), *base = operand->items;
  if (operand->kind != OPERAND_ADDRESS || !base || base->next) {
    decode_error(d, "an address in brackets is needed");
    return;
  }
  const Symbol *symbol = base->kind == OPERAND_NAME ? symbol_find(d, base->name) : NULL;
  AddressOperand address;
  if (symbol && symbol->kind == SYMBOL_ADDRESS) {
    if (access->space == SPACE_PARAM) access->space = symbol->space;
    if (access->space == SPACE_GENERIC) decode_error(d, "'%.*s' has no generic address", STR_ARG(base->name));
  }
  address_of_operand(d, base, access->space, &address);
  d->insn.src[0] = address.slot;
  access->offset = address.offset;
  access->address64 = address.wide;
}

// Ordering and scope. Only the checkers need them, because accesses take effect in order.
static void take_order(Decoder *d, MemoryAccess *access) {
  static const struct {
    const char *name;
    MemoryOrder order;
  } rows[] = {{"weak", ORDER_WEAK},       {"volatile", ORDER_RELAXED}, {"relaxed", ORDER_RELAXED},
              {"acquire", ORDER_ACQUIRE}, {"release", ORDER_RELEASE},  {"acq_rel", ORDER_ACQ_REL}};
  access->order = access->atomic ? ORDER_RELAXED : ORDER_WEAK;
  bool is_volatile = false;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (mod_take(d, rows[i].name)) access->order = rows[i].order, is_volatile |= i == 1;
  access->scope = mod_scope(d);
  if (is_volatile) access->scope = SCOPE_SYSTEM; // as .relaxed.sys
}

// Cache hints, which change no value.
static void take_hints(Decoder *d) {
  static const char *const hints[] = {"ca",
                                      "cg",
                                      "cs",
                                      "lu",
                                      "cv",
                                      "wb",
                                      "wt",
                                      "nc",
                                      "L1::evict_normal",
                                      "L1::evict_unchanged",
                                      "L1::evict_first",
                                      "L1::evict_last",
                                      "L1::no_allocate",
                                      "L2::64B",
                                      "L2::128B",
                                      "L2::256B",
                                      "noftz",
                                      "mmio"};
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) mod_take(d, hints[i]);
}

static void value_registers(Decoder *d, MemoryAccess *access, bool load, const PtxOperand *operand) {
  bool vector = operand->kind == OPERAND_VECTOR;
  uint32_t n = 0;
  const PtxOperand *item = vector ? operand->items : operand;
  for (; item && n < access->count; item = vector ? item->next : NULL) {
    uint32_t bytes = slot_bytes_of(access->type);
    if (!load && item->kind != OPERAND_NAME)
      access->slots[n] = source_of(d, item, access->type);
    else
      access->slots[n] = register_of(d, item, &bytes);
    bool ignored = access->slots[n] == UINT32_MAX;
    if (ignored && !load) decode_error(d, "'_' cannot be stored");
    if (!ignored && !decode_failed(d) && (bytes < access->bytes || (bytes == 16 && access->bytes < 16)))
      decode_error(d, "a register does not fit .%s", ptx_type_name(access->type));
    access->slot_bytes[n++] = (uint8_t)(ignored ? 0 : bytes);
  }
  if (n != access->count || item || (access->count > 1 && !vector)) // one register may be in braces too
    decode_error(d, "%u registers are needed", access->count);
}

// ld.param of one value at a constant address. Parameters do not change, so this is a mov from a slot that is
// filled when a warp starts. False: another access.
static bool load_param(Decoder *d, const MemoryAccess *access) {
  if (access->space != SPACE_PARAM || access->count != 1 || !access->slot_bytes[0] || access->bytes > 8)
    return false;
  for (uint32_t i = d->program->constants.n; i-- > 0;) {
    const Constant *constant = &d->program->constants.at[i];
    if (constant->slot != d->insn.src[0]) continue;
    uint64_t offset = constant->bits + (uint64_t)access->offset, size = d->program->param_bytes;
    if (offset > size || access->bytes > size - offset || offset % access->bytes) return false;
    d->insn.src[0] = slot_param(d, (uint32_t)offset, access->type, access->slot_bytes[0]);
    d->insn.dst = access->slots[0];
    decode_emit_exec(d, exec_mov_find(access->slot_bytes[0]), KIND_LANES);
    return true;
  }
  return false;
}

// .v4.f32
static void take_elements(Decoder *d, MemoryAccess *access) {
  access->count = mod_take(d, "v2") ? 2 : mod_take(d, "v4") ? 4 : mod_take(d, "v8") ? 8 : 1;
  access->type = mod_need_type(d);
  access->bytes = ptx_type_bytes(access->type);
}

void decode_memory(Decoder *d) {
  bool load = d->op != OP_ST;
  if (!load && mod_take(d, "async")) {
    decode_store_async(d);
    return;
  }
  MemoryAccess *access = ARENA_NEW(d->arena, MemoryAccess);
  access->space = mod_space(d);
  access->cluster = d->cluster;
  take_order(d, access);
  take_hints(d);
  take_elements(d, access);
  access->is_signed = ptx_type_class(access->type) == CLASS_SIGNED;
  if (access->bytes == 0 || access->bytes * access->count > 32)
    decode_error(d, "%.*s moves at most 32 bytes", STR_ARG(d->base));
  d->insn.u.access = access;
  const PtxOperand *value = load ? operand_next(d) : NULL;
  address_operand(d, access);
  if (!value) value = operand_next(d);
  if (decode_failed(d)) return;
  value_registers(d, access, load, value);
  if (mod_take(d, "L2::cache_hint")) operand_source(d, PTX_B64);
  if (!load && (access->space == SPACE_PARAM || access->space == SPACE_CONST))
    decode_error(d, "stores to this state space are not allowed");
  if (load && load_param(d, access)) return;
  decode_emit_exec(d, load ? exec_load : exec_store, KIND_CHECKED);
}

static Operation atomic_operation(Decoder *d) {
  static const struct {
    const char *name;
    Operation op;
  } rows[] = {{"add", OP_ADD}, {"min", OP_MIN},  {"max", OP_MAX},  {"and", OP_AND},  {"or", OP_OR},
              {"xor", OP_XOR}, {"exch", OP_MOV}, {"cas", OP_SETP}, {"inc", OP_ADDC}, {"dec", OP_SUBC}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (mod_take(d, rows[i].name)) return rows[i].op;
  decode_error(d, "%.*s needs an operation that is known here", STR_ARG(d->base));
  return OP_ADD;
}

static bool atomic_fits(const MemoryAccess *access) {
  Operation op = access->atomic;
  PtxType type = access->type;
  bool narrow = type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
  if (access->count > 1) {
    bool sum = op == OP_ADD && (type == PTX_F32 || narrow), pick = (op == OP_MIN || op == OP_MAX) && narrow;
    return (sum || pick) && access->bytes * access->count <= 16 && access->space != SPACE_SHARED;
  }
  if (op == OP_ADD)
    return narrow || type == PTX_F32 || type == PTX_F64 || type == PTX_U32 || type == PTX_S32 ||
           type == PTX_U64;
  if (op == OP_MIN || op == OP_MAX)
    return type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64;
  if (op == OP_ADDC || op == OP_SUBC) return type == PTX_U32;
  if (op == OP_SETP && type == PTX_B16) return true;
  if ((op == OP_SETP || op == OP_MOV) && type == PTX_B128) return true;
  return type == PTX_B32 || type == PTX_B64;
}

// The registers of a value or of a vector in braces. Each has the element's width.
static void atomic_registers(Decoder *d, const MemoryAccess *access, uint32_t *slots, bool results) {
  const PtxOperand *operand = operand_next(d), *item = operand;
  if (access->count > 1 && operand->kind == OPERAND_VECTOR) item = operand->items;
  uint32_t n = 0;
  for (; item && n < access->count; item = operand->kind == OPERAND_VECTOR ? item->next : NULL) {
    uint32_t bytes = slot_bytes_of(access->type);
    slots[n++] = results ? register_of(d, item, &bytes) : source_of(d, item, access->type);
    if (results && slots[n - 1] != UINT32_MAX && bytes != slot_bytes_of(access->type))
      decode_error(d, "a register has another width than .%s", ptx_type_name(access->type));
  }
  if (n != access->count || (access->count > 1 && operand->kind == OPERAND_VECTOR && item))
    decode_error(d, "%u registers are needed", access->count);
}

void decode_atomic(Decoder *d) {
  if (d->op == OP_RED && mod_take(d, "async")) {
    decode_store_async(d);
    return;
  }
  MemoryAccess *access = ARENA_NEW(d->arena, MemoryAccess);
  access->space = mod_space(d);
  access->cluster = d->cluster;
  access->atomic = atomic_operation(d);
  take_order(d, access);
  take_hints(d);
  take_elements(d, access);
  if (!atomic_fits(access) || (d->op == OP_RED && (access->atomic == OP_MOV || access->atomic == OP_SETP)))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.u.access = access;
  for (uint32_t i = 0; i < 8; i++) access->results[i] = UINT32_MAX;
  if (d->op == OP_ATOM) atomic_registers(d, access, access->results, true);
  address_operand(d, access);
  atomic_registers(d, access, access->slots, false);
  if (access->atomic == OP_SETP) d->insn.src[2] = operand_source(d, access->type);
  if (mod_take(d, "L2::cache_hint")) operand_source(d, PTX_B64);
  if (access->space != SPACE_GENERIC && access->space != SPACE_GLOBAL && access->space != SPACE_SHARED)
    decode_error(d, "atomics work on global and shared memory");
  decode_emit_exec(d, exec_atomic, KIND_CHECKED);
}

// ---- multimem ----

// What ptxas accepts: floats make up 32, 64 or 128 bits, integers are single.
static bool multimem_fits(const MemoryAccess *access, bool loads) {
  Operation op = access->atomic;
  PtxType type = access->type;
  bool pair = type == PTX_F16X2 || type == PTX_BF16X2;
  bool narrow = pair || type == PTX_F16 || type == PTX_BF16;
  uint32_t bytes = access->bytes * access->count;
  if (op == OP_MOV || op == OP_SETP || op == OP_ADDC || op == OP_SUBC) return false;
  if (access->wide_sum && !(loads && narrow && op == OP_ADD)) return false;
  if (ptx_type_class(type) != CLASS_FLOAT)
    return access->count == 1 && access->bytes >= 4 && type != PTX_B128 &&
           ptx_type_class(type) != CLASS_INT_PAIR && (!op || atomic_fits(access));
  if (type == PTX_F64 ? bytes != 8 : bytes != 4 && bytes != 8 && bytes != 16) return false;
  return !op || op == OP_ADD || ((op == OP_MIN || op == OP_MAX) && narrow && (loads || access->count > 1));
}

static void multimem_order(Decoder *d, MemoryAccess *access, bool loads) {
  static const struct {
    const char *name;
    MemoryScope scope;
  } scopes[] = {{"cta", SCOPE_CTA}, {"cluster", SCOPE_DEVICE}, {"gpu", SCOPE_DEVICE}, {"sys", SCOPE_SYSTEM}};
  bool updates = access->atomic && !loads, scoped = false;
  bool weak = !updates && mod_take(d, "weak"), relaxed = mod_take(d, "relaxed");
  bool synchronises = mod_take(d, loads ? "acquire" : "release");
  access->scope = SCOPE_SYSTEM;
  for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
    if (mod_take(d, scopes[i].name)) access->scope = scopes[i].scope, scoped = true;
  if (weak + relaxed + synchronises > 1 || (relaxed || synchronises) != scoped)
    decode_error(d, "%.*s needs one order, and a scope with it, as .relaxed.sys", STR_ARG(d->base));
  access->order = synchronises         ? loads ? ORDER_ACQUIRE : ORDER_RELEASE
                  : relaxed || updates ? ORDER_RELAXED
                                       : ORDER_WEAK;
}

void decode_multimem(Decoder *d) {
  MemoryAccess *access = ARENA_NEW(d->arena, MemoryAccess);
  bool loads = mod_take(d, "ld_reduce"), stores = !loads && mod_take(d, "st");
  if (!loads && !stores && !mod_take(d, "red")) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  access->multimem = true;
  access->space = mod_space(d);
  if (!stores) access->atomic = atomic_operation(d);
  multimem_order(d, access, loads);
  access->wide_sum = mod_take(d, "acc::f32");
  take_elements(d, access);
  if (!multimem_fits(access, loads) || (access->space != SPACE_GENERIC && access->space != SPACE_GLOBAL))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.u.access = access;
  for (uint32_t i = 0; i < 8; i++) access->results[i] = UINT32_MAX;
  const PtxOperand *value = loads ? operand_next(d) : NULL;
  address_operand(d, access);
  if (decode_failed(d)) return;
  if (loads || stores)
    value_registers(d, access, loads, loads ? value : operand_next(d));
  else
    atomic_registers(d, access, access->slots, false);
  decode_emit_exec(d,
                   loads    ? exec_multimem_load
                   : stores ? exec_multimem_store
                            : exec_multimem_red,
                   KIND_CHECKED);
}
