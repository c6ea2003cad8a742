// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modifiers, symbols, slots and operands of the current instruction.
#include <stdarg.h>
#include <stdio.h>
#include "base/hash.h"
#include "base/text.h"
#include "sim/decode/decode.h"

bool decode_failed(const Decoder *d) { return d->error->pos.line != 0; }

void decode_error(Decoder *d, const char *format, ...) {
  char text[200];
  va_list args;
  va_start(args, format);
  text_fit(text, sizeof text, format, args);
  va_end(args);
  ptx_error(d->error, d->stmt->pos, "%s", text);
}

// ---- modifiers ----

bool mod_take(Decoder *d, const char *name) {
  for (uint32_t i = 0; i < d->mod_count; i++)
    if (!d->taken[i] && str_is(d->mods[i], name)) return d->taken[i] = true;
  return false;
}

MemoryScope mod_scope(Decoder *d) {
  MemoryScope scope = mod_take(d, "cta") ? SCOPE_CTA : mod_take(d, "sys") ? SCOPE_SYSTEM : SCOPE_DEVICE;
  mod_take(d, "cluster");
  mod_take(d, "gpu");
  return scope;
}

Modifier mod_one_of(Decoder *d, const Modifier *any_of, size_t n) {
  static const char *const texts[] = {
      NULL,
#define MODIFIER(name, text) text,
#include "sim/ptx/modifier.def"
#undef MODIFIER
  };
  for (size_t i = 0; i < n; i++)
    if (mod_take(d, texts[any_of[i]])) return any_of[i];
  return MOD_NONE;
}

Operation mod_operation(Decoder *d, const Operation *any_of, size_t n) {
  static const char *const mnemonics[] = {
      NULL,
#define INSN(mnemonic, family, operation, meaning) #mnemonic,
#include "sim/ptx/insn.def"
#undef INSN
  };
  for (size_t i = 0; i < n; i++)
    if (mod_take(d, mnemonics[any_of[i]])) return any_of[i];
  return OP_NONE;
}

PtxType mod_type(Decoder *d) {
  for (uint32_t i = 0; i < d->mod_count; i++) {
    PtxType type = d->taken[i] ? PTX_NONE : ptx_type(d->mods[i]);
    if (!type) continue;
    d->taken[i] = true;
    return type;
  }
  return PTX_NONE;
}

PtxType mod_need_type(Decoder *d) {
  PtxType type = mod_type(d);
  if (!type) decode_error(d, "%.*s needs a type that is known here", STR_ARG(d->stmt->name));
  return type ? type : PTX_B32;
}

Round mod_round(Decoder *d) {
  if (mod_take(d, "rn")) return ROUND_RN;
  if (mod_take(d, "rz")) return ROUND_RZ;
  if (mod_take(d, "rm")) return ROUND_RM;
  return mod_take(d, "rp") ? ROUND_RP : ROUND_NONE;
}

PtxSpace mod_space(Decoder *d) {
  if (mod_take(d, "global")) return SPACE_GLOBAL;
  if (mod_take(d, "shared") || mod_take(d, "shared::cta")) return SPACE_SHARED;
  if (mod_take(d, "shared::cluster")) {
    d->cluster = true;
    return SPACE_SHARED;
  }
  if (mod_take(d, "local")) return SPACE_LOCAL;
  if (mod_take(d, "const")) return SPACE_CONST;
  if (mod_take(d, "param") || mod_take(d, "param::entry") || mod_take(d, "param::func")) return SPACE_PARAM;
  return SPACE_GENERIC;
}

Str mod_any(Decoder *d) {
  for (uint32_t i = 0; i < d->mod_count; i++)
    if (!d->taken[i]) {
      d->taken[i] = true;
      return d->mods[i];
    }
  return (Str){"", 0};
}

// ---- symbols ----

Symbol *symbol_add(Decoder *d, SymbolKind kind, Str name) {
  uint64_t hash = hash_bytes(name.at, name.n);
  uint32_t bucket = (uint32_t)(hash % SYMBOL_BUCKETS);
  Symbol symbol = {
      .kind = kind, .name = name, .hash = hash, .scope = d->scope, .shadows = d->buckets[bucket]};
  vec_push(d->arena, &d->symbols, symbol);
  d->buckets[bucket] = d->symbols.n;
  return &vec_last(&d->symbols);
}

static Symbol *symbol_exact(Decoder *d, Str name, bool ranges) {
  uint64_t hash = hash_bytes(name.at, name.n);
  for (uint32_t i = d->buckets[hash % SYMBOL_BUCKETS]; i; i = d->symbols.at[i - 1].shadows) {
    Symbol *symbol = &d->symbols.at[i - 1];
    if (symbol->hash == hash && (symbol->kind == SYMBOL_REGS) == ranges && str_eq(symbol->name, name))
      return symbol;
  }
  return NULL;
}

Symbol *symbol_find(Decoder *d, Str name) { return symbol_exact(d, name, false); }

// %r12 of .reg .b32 %r<20>: its range and number.
static Symbol *symbol_in_range(Decoder *d, Str name, uint32_t *number) {
  size_t n = name.n;
  while (n > 0 && name.at[n - 1] >= '0' && name.at[n - 1] <= '9' && name.n - n < 9) n--;
  for (; n < name.n; n++) {
    if (name.at[n] == '0' && n + 1 < name.n) continue; // %r01 does not belong to a range
    Symbol *symbol = symbol_exact(d, (Str){name.at, n}, true);
    if (!symbol) continue;
    *number = 0;
    for (size_t i = n; i < name.n; i++) *number = *number * 10 + (uint32_t)(name.at[i] - '0');
    if (*number < symbol->count) return symbol;
  }
  return NULL;
}

// ---- slots ----

uint32_t slot_bytes_of(PtxType type) {
  uint32_t bytes = ptx_type_bytes(type);
  return bytes == 1 ? 2 : bytes;
}

uint32_t slot_new(Decoder *d, uint32_t bytes) {
  uint32_t size = bytes ? bytes * LANES : 64, slot = d->program->register_bytes;
  if (slot > MAX_SLOT_BYTES) {
    decode_error(d, "too many registers");
    return 0;
  }
  d->program->register_bytes += size;
  return slot;
}

static uint32_t constant(Decoder *d, uint64_t bits, uint32_t bytes, bool is_shared) {
  if (bytes && bytes < 8) bits &= ((uint64_t)1 << (8 * bytes)) - 1;
  for (uint32_t i = d->program->constants.n; i-- > 0 && d->program->constants.n - i < 64;) {
    const Constant *old = &d->program->constants.at[i];
    if (old->bits == bits && old->bytes == bytes && old->is_shared == is_shared) return old->slot;
  }
  Constant made = {slot_new(d, bytes), bytes, bits, is_shared};
  vec_push(d->arena, &d->program->constants, made);
  return made.slot;
}

uint32_t slot_constant(Decoder *d, uint64_t bits, uint32_t bytes) { return constant(d, bits, bytes, false); }

static uint64_t symbol_address(Decoder *d, const Symbol *symbol) {
  bool dynamic = symbol->space == SPACE_SHARED && symbol->address == UINT64_MAX;
  d->program->uses_dynamic |= dynamic;
  return dynamic ? d->program->dynamic_shared : symbol->address;
}

uint32_t slot_address(Decoder *d, const Symbol *symbol, int64_t offset, uint32_t bytes) {
  return constant(d, symbol_address(d, symbol) + (uint64_t)offset, bytes, symbol->space == SPACE_SHARED);
}

uint32_t slot_param(Decoder *d, uint32_t offset, PtxType type, uint32_t slot_bytes) {
  for (uint32_t i = 0; i < d->program->param_slots.n; i++) {
    const ParamSlot *old = &d->program->param_slots.at[i];
    if (old->offset == offset && old->type == type && old->slot_bytes == slot_bytes) return old->slot;
  }
  ParamSlot param = {slot_new(d, slot_bytes), slot_bytes, offset, type};
  vec_push(d->arena, &d->program->param_slots, param);
  return param.slot;
}

// The declared register `symbol` (number `index` of a range). Allocates its slot.
static uint32_t symbol_slot(Decoder *d, Symbol *symbol, uint32_t index) {
  if (!symbol->slots[index]) {
    uint32_t slot = slot_new(d, slot_bytes_of(symbol->type));
    symbol->slots[index] = slot + 1;
    if (!d->made.bytes) d->made = (WrittenSlot){slot, d->program->register_bytes - slot};
  }
  return symbol->slots[index] - 1;
}

// ---- operands ----

static const PtxOperand missing = {.kind = OPERAND_INT};

bool operand_more(const Decoder *d) { return d->operand != NULL; }

const PtxOperand *operand_next(Decoder *d) {
  const PtxOperand *operand = d->operand;
  if (!operand) {
    decode_error(d, "%.*s needs more operands", STR_ARG(d->stmt->name));
    return &missing;
  }
  d->operand = operand->next;
  return operand;
}

uint32_t register_of(Decoder *d, const PtxOperand *operand, uint32_t *bytes) {
  *bytes = 0;
  if (operand->kind == OPERAND_NAME && str_is(operand->name, "_")) return UINT32_MAX;
  uint32_t number = 0;
  Symbol *symbol = operand->kind == OPERAND_NAME && !operand->offset ? symbol_find(d, operand->name) : NULL;
  if (!symbol && operand->kind == OPERAND_NAME) symbol = symbol_in_range(d, operand->name, &number);
  if (!symbol || (symbol->kind != SYMBOL_REG && symbol->kind != SYMBOL_REGS)) {
    bool grid = operand->kind == OPERAND_NAME && str_starts(operand->name, "%envreg");
    if (grid)
      ptx_error(
          d->error, operand->pos,
          "'%.*s' is not known here: a barrier of the whole grid (grid.sync() of cooperative groups) is not "
          "simulated",
          STR_ARG(operand->name));
    else if (operand->kind == OPERAND_NAME)
      ptx_error(d->error, operand->pos, "'%.*s' is not a register", STR_ARG(operand->name));
    else
      ptx_error(d->error, d->stmt->pos, "a register is needed");
    return 0;
  }
  *bytes = slot_bytes_of(symbol->type);
  return symbol_slot(d, symbol, number);
}

static uint32_t special_slot(Decoder *d, Special special) {
  for (uint32_t i = 0; i < d->program->specials.n; i++)
    if (d->program->specials.at[i].special == special) return d->program->specials.at[i].slot;
  SpecialSlot slot = {special, slot_new(d, 4)};
  vec_push(d->arena, &d->program->specials, slot);
  return slot.slot;
}

static uint64_t literal_bits(Decoder *d, const PtxOperand *operand, PtxType type) {
  uint64_t value = operand->value;
  if (operand->kind == OPERAND_INT) {
    if (type == PTX_B128) ptx_error(d->error, operand->pos, "there are no constants of 128 bits");
    if (type == PTX_F32 || type == PTX_F64)
      ptx_error(d->error, operand->pos, "a floating-point constant is needed");
    return value;
  }
  bool wide = ptx_type_bytes(type) == 8;
  if (type == PTX_B128) ptx_error(d->error, operand->pos, "there are no constants of 128 bits");
  if ((operand->kind == OPERAND_F32 && wide) || ptx_type_bytes(type) < 4)
    ptx_error(d->error, operand->pos, "a constant of another width");
  if (operand->kind == OPERAND_F32 || wide) return value;
  double number;
  memcpy(&number, &value, sizeof number);
  float narrow = (float)number;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

static void width_error(Decoder *d, const PtxOperand *operand, PtxType type) {
  ptx_error(d->error, operand->pos, "'%.*s' has another width than .%s", STR_ARG(operand->name),
            ptx_type_name(type));
}

uint32_t source_of(Decoder *d, const PtxOperand *operand, PtxType type) {
  if (operand->kind == OPERAND_INT || operand->kind == OPERAND_F32 || operand->kind == OPERAND_F64) {
    uint64_t bits = literal_bits(d, operand, type);
    return slot_constant(d, type == PTX_PRED ? bits != 0 : bits, type == PTX_B128 ? 8 : slot_bytes_of(type));
  }
  Special special = operand->kind == OPERAND_NAME ? special_find(operand->name) : SPECIAL_NONE;
  if (special && special < SPECIAL_CLOCK) {
    if (ptx_type_bytes(type) != 4) width_error(d, operand, type);
    return special_slot(d, special);
  }
  uint32_t bytes, slot = register_of(d, operand, &bytes);
  if (slot == UINT32_MAX) {
    ptx_error(d->error, operand->pos, "'_' cannot be read");
    return 0;
  }
  if (!decode_failed(d) && (bytes != slot_bytes_of(type) || (bytes == 0 && type != PTX_PRED)))
    width_error(d, operand, type);
  return slot;
}

uint32_t operand_source(Decoder *d, PtxType type) { return source_of(d, operand_next(d), type); }

uint32_t operand_dest(Decoder *d, PtxType type) {
  const PtxOperand *operand = operand_next(d);
  uint32_t bytes, slot = register_of(d, operand, &bytes);
  if (slot == UINT32_MAX) return slot_new(d, slot_bytes_of(type)); // `_`: written, never read
  if (!decode_failed(d) && bytes != slot_bytes_of(type)) width_error(d, operand, type);
  return slot;
}

uint32_t operand_predicate(Decoder *d, bool *negated) {
  const PtxOperand *operand = operand_next(d);
  *negated = operand->kind == OPERAND_NOT;
  return source_of(d, *negated ? operand->items : operand, PTX_PRED);
}

typedef struct SpecialRow {
  const char *name;
  Special special;
} SpecialRow;

static const SpecialRow specials[] = {
    {"%tid.x", SPECIAL_TID_X},
    {"%tid.y", SPECIAL_TID_Y},
    {"%tid.z", SPECIAL_TID_Z},
    {"%ntid.x", SPECIAL_NTID_X},
    {"%ntid.y", SPECIAL_NTID_Y},
    {"%ntid.z", SPECIAL_NTID_Z},
    {"%ctaid.x", SPECIAL_CTAID_X},
    {"%ctaid.y", SPECIAL_CTAID_Y},
    {"%ctaid.z", SPECIAL_CTAID_Z},
    {"%nctaid.x", SPECIAL_NCTAID_X},
    {"%nctaid.y", SPECIAL_NCTAID_Y},
    {"%nctaid.z", SPECIAL_NCTAID_Z},
    {"%laneid", SPECIAL_LANEID},
    {"%warpid", SPECIAL_WARPID},
    {"%nwarpid", SPECIAL_NWARPID},
    {"%smid", SPECIAL_SMID},
    {"%nsmid", SPECIAL_NSMID},
    {"WARP_SZ", SPECIAL_WARPSIZE},
    {"%lanemask_eq", SPECIAL_LANEMASK_EQ},
    {"%lanemask_le", SPECIAL_LANEMASK_LE},
    {"%lanemask_lt", SPECIAL_LANEMASK_LT},
    {"%lanemask_ge", SPECIAL_LANEMASK_GE},
    {"%lanemask_gt", SPECIAL_LANEMASK_GT},
    {"%dynamic_smem_size", SPECIAL_DYNAMIC_SMEM},
    {"%total_smem_size", SPECIAL_TOTAL_SMEM},
    {"%clusterid.x", SPECIAL_CLUSTERID_X},
    {"%clusterid.y", SPECIAL_CLUSTERID_Y},
    {"%clusterid.z", SPECIAL_CLUSTERID_Z},
    {"%nclusterid.x", SPECIAL_NCLUSTERID_X},
    {"%nclusterid.y", SPECIAL_NCLUSTERID_Y},
    {"%nclusterid.z", SPECIAL_NCLUSTERID_Z},
    {"%cluster_ctaid.x", SPECIAL_CLUSTER_CTAID_X},
    {"%cluster_ctaid.y", SPECIAL_CLUSTER_CTAID_Y},
    {"%cluster_ctaid.z", SPECIAL_CLUSTER_CTAID_Z},
    {"%cluster_nctaid.x", SPECIAL_CLUSTER_NCTAID_X},
    {"%cluster_nctaid.y", SPECIAL_CLUSTER_NCTAID_Y},
    {"%cluster_nctaid.z", SPECIAL_CLUSTER_NCTAID_Z},
    {"%cluster_ctarank", SPECIAL_CLUSTER_CTARANK},
    {"%cluster_nctarank", SPECIAL_CLUSTER_NCTARANK},
    {"%gridid", SPECIAL_ONE},
    {"%clock", SPECIAL_CLOCK},
    {"%clock64", SPECIAL_CLOCK64},
    {"%globaltimer", SPECIAL_CLOCK64},
    {"%globaltimer_lo", SPECIAL_CLOCK},
};

Special special_find(Str name) {
  if (name.n == 0 || (name.at[0] != '%' && name.at[0] != 'W')) return SPECIAL_NONE;
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
    if (str_is(name, specials[i].name)) return specials[i].special;
  return SPECIAL_NONE;
}

// ---- operands of the newer instructions ----

void address_of_operand(Decoder *d, const PtxOperand *base, PtxSpace space, AddressOperand *address) {
  *address = (AddressOperand){.space = space, .wide = true};
  const Symbol *symbol = base->kind == OPERAND_NAME ? symbol_find(d, base->name) : NULL;
  if (symbol && symbol->kind == SYMBOL_ADDRESS) {
    if (space != SPACE_GENERIC && space != symbol->space)
      decode_error(d, "'%.*s' is in another state space", STR_ARG(base->name));
    address->space = symbol->space;
    address->slot = slot_address(d, symbol, base->offset, 8);
    return;
  }
  if (base->kind == OPERAND_INT) {
    address->slot = slot_constant(d, base->value, 8);
    return;
  }
  PtxOperand plain = *base;
  plain.offset = 0;
  uint32_t bytes;
  address->slot = register_of(d, &plain, &bytes);
  address->offset = base->offset;
  address->wide = bytes == 8;
  if (decode_failed(d)) return;
  if (bytes < 4 || address->slot == UINT32_MAX) decode_error(d, "an address register has 32 or 64 bits");
  if (bytes == 4 && (space == SPACE_GENERIC || space == SPACE_GLOBAL))
    decode_error(d, "a 64-bit address is needed");
}

void operand_address(Decoder *d, PtxSpace space, AddressOperand *address) {
  const PtxOperand *operand = operand_next(d);
  if (operand->kind != OPERAND_ADDRESS || operand->items->next) {
    decode_error(d, "an address in brackets is needed");
    return;
  }
  address_of_operand(d, operand->items, space, address);
}

uint64_t operand_constant(Decoder *d, uint64_t most) {
  const PtxOperand *operand = operand_next(d);
  if (operand->kind == OPERAND_INT && operand->value <= most) return operand->value;
  decode_error(d, "a constant from 0 to %llu is needed", (unsigned long long)most);
  return 0;
}

uint32_t slot_all_lanes(Decoder *d) { return slot_constant(d, ALL_LANES, 4); }
