// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async, bulk copies and TMA copies, and reductions: PTX ISA 9.7.9.25 to 9.7.9.27.
#include "sim/decode/decode.h"
#include "sim/exec/exec.h"
#include "sim/machine/async.h"

// The next state space in text order. SPACE_GENERIC: none.
static PtxSpace next_space(Decoder *d) {
  for (uint32_t i = 0; i < d->mod_count; i++) {
    bool global = str_is(d->mods[i], "global");
    bool shared = str_is(d->mods[i], "shared") || str_is(d->mods[i], "shared::cta") ||
                  str_is(d->mods[i], "shared::cluster");
    if (d->taken[i] || (!global && !shared)) continue;
    d->taken[i] = true;
    d->cluster |= str_is(d->mods[i], "shared::cluster");
    return global ? SPACE_GLOBAL : SPACE_SHARED;
  }
  return SPACE_GENERIC;
}

static CopyOperands *copy_new(Decoder *d) {
  CopyOperands *copy = ARENA_NEW(d->arena, CopyOperands);
  copy->size = copy->ignore = copy->multicast = UINT32_MAX;
  d->insn.u.copy = copy;
  return copy;
}

static void take_policy(Decoder *d) {
  if (mod_take(d, "L2::cache_hint")) operand_source(d, PTX_B64);
}

static void async_count(Decoder *d, AsyncGroup group, bool all) {
  d->insn.extra = (uint8_t)group;
  if (mod_take(d, "read")) d->insn.flags |= FLAG_NOT;
  if (all)
    d->insn.flags |= FLAG_WIDE;
  else
    d->insn.count = (uint32_t)operand_constant(d, UINT32_MAX);
  decode_emit_exec(d, exec_async_wait, KIND_CHECKED);
}

static void async_commits(Decoder *d, AsyncGroup group) {
  d->insn.extra = (uint8_t)group;
  decode_emit_exec(d, exec_async_commit, KIND_CHECKED);
}

// ---- cp.async ----

static void decode_arrive(Decoder *d) {
  if (!mod_take(d, "arrive")) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  if (mod_take(d, "noinc")) d->insn.flags |= FLAG_NOT;
  PtxSpace space = next_space(d);
  if (mod_need_type(d) != PTX_B64 || space == SPACE_GLOBAL) decode_error(d, "an mbarrier is .shared.b64");
  AddressOperand *address = ARENA_NEW(d->arena, AddressOperand);
  operand_address(d, space, address);
  d->insn.u.address = address;
  decode_emit_exec(d, exec_copy_arrive, KIND_CHECKED);
}

static bool is_predicate(Decoder *d, const PtxOperand *operand) {
  uint32_t bytes = 1;
  if (operand->kind == OPERAND_NOT) return true;
  if (operand->kind == OPERAND_NAME) register_of(d, operand, &bytes);
  return bytes == 0;
}

static void decode_lanes(Decoder *d) {
  CopyOperands *copy = copy_new(d);
  bool all_caches = mod_take(d, "ca");
  if (!all_caches && !mod_take(d, "cg")) decode_error(d, "cp.async needs .ca or .cg");
  PtxSpace to = next_space(d), from = next_space(d);
  if (to != SPACE_SHARED || from != SPACE_GLOBAL) decode_error(d, "cp.async copies .shared.global");
  static const char *const hints[] = {"L2::64B", "L2::128B", "L2::256B"};
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) mod_take(d, hints[i]);
  operand_address(d, to, &copy->to);
  operand_address(d, from, &copy->from);
  copy->bytes = (uint32_t)operand_constant(d, 16);
  if (copy->bytes != 16 && (!all_caches || (copy->bytes != 4 && copy->bytes != 8)))
    decode_error(d, "cp.async copies 4, 8 (.ca only) or 16 bytes");
  bool hint = mod_take(d, "L2::cache_hint");
  const PtxOperand *more = d->operand;
  if (more && (more->next || !hint)) {
    if (is_predicate(d, more)) {
      bool negated;
      copy->ignore = operand_predicate(d, &negated);
      copy->ignore_flip = negated ? ALL_LANES : 0;
    } else {
      copy->size = operand_source(d, PTX_U32);
    }
  }
  if (hint) operand_source(d, PTX_B64);
  decode_emit_exec(d, exec_copy, KIND_CHECKED);
}

// ---- bulk ----

static void take_completion(Decoder *d, CopyOperands *copy, bool to_shared) {
  copy->has_mbarrier = mod_take(d, "mbarrier::complete_tx::bytes");
  bool group = mod_take(d, "bulk_group");
  if (copy->has_mbarrier == group || copy->has_mbarrier != to_shared)
    decode_error(d, "a copy to shared memory completes at an mbarrier, one to global in a .bulk_group");
}

static Operation take_reduction(Decoder *d) {
  static const struct {
    const char *name;
    Operation op;
  } rows[] = {{"add", OP_ADD}, {"min", OP_MIN}, {"max", OP_MAX},  {"and", OP_AND},
              {"or", OP_OR},   {"xor", OP_XOR}, {"inc", OP_POPC}, {"dec", OP_CLZ}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (mod_take(d, rows[i].name)) return rows[i].op;
  decode_error(d, "%.*s needs an operation", STR_ARG(d->base));
  return OP_ADD;
}

static bool reduction_fits(Operation op, PtxType type) {
  bool half = type == PTX_F16 || type == PTX_BF16,
       integer = type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64;
  if (op == OP_ADD) return half || type == PTX_F32 || type == PTX_F64 || (integer && type != PTX_S64);
  if (op == OP_MIN || op == OP_MAX) return half || integer;
  if (op == OP_POPC || op == OP_CLZ) return type == PTX_U32;
  return type == PTX_B32 || type == PTX_B64;
}

static void decode_bulk_prefetch(Decoder *d, CopyOperands *copy) {
  mod_take(d, "L2");
  if (next_space(d) != SPACE_GLOBAL) decode_error(d, "a bulk prefetch must be of .global");
  operand_address(d, SPACE_GLOBAL, &copy->from);
  copy->size = operand_source(d, PTX_U32);
  copy->prefetch = true;
  take_policy(d);
  decode_emit_exec(d, exec_bulk, KIND_CHECKED);
}

static void decode_bulk(Decoder *d, CopyOperands *copy, bool reduces) {
  PtxSpace to = next_space(d), from = next_space(d);
  if (to == SPACE_GENERIC || from == SPACE_GENERIC || (to == SPACE_GLOBAL && from == SPACE_GLOBAL))
    decode_error(d, "a bulk copy needs the state spaces of both sides");
  take_completion(d, copy, to == SPACE_SHARED);
  if (reduces) {
    copy->reduce = take_reduction(d);
    copy->type = mod_need_type(d);
    mod_take(d, "noftz");
    if (from != SPACE_SHARED || !reduction_fits(copy->reduce, copy->type))
      decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  }
  bool multicast = mod_take(d, "multicast::cluster");
  operand_address(d, to, &copy->to);
  operand_address(d, from, &copy->from);
  copy->size = operand_source(d, PTX_U32);
  if (copy->has_mbarrier) operand_address(d, SPACE_SHARED, &copy->mbarrier);
  copy->to.cluster = copy->mbarrier.cluster = d->cluster;
  if (multicast) copy->multicast = operand_source(d, PTX_B16);
  take_policy(d);
  decode_emit_exec(d, exec_bulk, KIND_CHECKED);
}

// ---- tensor ----

// [map, {coordinates}]
static void tensor_operand(Decoder *d, CopyOperands *copy, AddressOperand *address) {
  const PtxOperand *operand = operand_next(d);
  const PtxOperand *vector = operand->kind == OPERAND_ADDRESS ? operand->items->next : NULL;
  if (!vector || vector->next || vector->kind != OPERAND_VECTOR) {
    decode_error(d, "[map, {coordinates}] is needed");
    return;
  }
  address_of_operand(d, operand->items, SPACE_GENERIC, address);
  uint32_t n = 0;
  for (const PtxOperand *item = vector->items; item; item = item->next)
    if (n++ < copy->rank) copy->coordinates[n - 1] = source_of(d, item, PTX_S32);
  if (n != copy->rank) decode_error(d, "%u coordinates are needed", copy->rank);
}

static void decode_tensor(Decoder *d, CopyOperands *copy, bool reduces) {
  static const char *const dims[] = {"1d", "2d", "3d", "4d", "5d"};
  copy->tensor = true;
  for (uint32_t i = 0; i < 5; i++)
    if (mod_take(d, dims[i])) copy->rank = i + 1;
  mod_take(d, "tile");
  if (!copy->rank) decode_error(d, "a TMA copy needs .1d to .5d");
  if (copy->prefetch) {
    mod_take(d, "L2");
    if (next_space(d) != SPACE_GLOBAL) decode_error(d, "a TMA prefetch must be of .global");
    tensor_operand(d, copy, &copy->from);
    take_policy(d);
    decode_emit_exec(d, exec_tensor, KIND_CHECKED);
    return;
  }
  PtxSpace to = next_space(d), from = next_space(d);
  if (to == from || to == SPACE_GENERIC || from == SPACE_GENERIC)
    decode_error(d, "a TMA copy must be between .global and .shared");
  take_completion(d, copy, to == SPACE_SHARED);
  if (reduces) copy->reduce = take_reduction(d);
  if (reduces && to != SPACE_GLOBAL) decode_error(d, "a TMA reduction must be to .global");
  bool multicast = mod_take(d, "multicast::cluster");
  if (mod_take(d, "cta_group::2"))
    copy->pair = true;
  else
    mod_take(d, "cta_group::1");
  if (to == SPACE_SHARED) {
    operand_address(d, to, &copy->to);
    tensor_operand(d, copy, &copy->from);
    operand_address(d, SPACE_SHARED, &copy->mbarrier);
    copy->to.cluster = d->cluster;
    copy->mbarrier.cluster = d->cluster || copy->pair;
  } else {
    tensor_operand(d, copy, &copy->to);
    operand_address(d, from, &copy->from);
  }
  if (multicast) copy->multicast = operand_source(d, PTX_B16);
  take_policy(d);
  decode_emit_exec(d, exec_tensor, KIND_CHECKED);
}

// ---- st.async, red.async ----

void decode_store_async(Decoder *d) {
  CopyOperands *copy = copy_new(d);
  copy->has_mbarrier = true;
  mod_take(d, "weak");
  mod_take(d, "relaxed");
  mod_take(d, "cluster");
  if (next_space(d) != SPACE_SHARED || !d->cluster || !mod_take(d, "mbarrier::complete_tx::bytes"))
    decode_error(d, "%.*s is .shared::cluster.mbarrier::complete_tx::bytes", STR_ARG(d->base));
  if (d->op == OP_RED) copy->reduce = take_reduction(d);
  copy->values = mod_take(d, "v2") ? 2 : mod_take(d, "v4") ? 4 : 1;
  copy->type = mod_need_type(d);
  copy->bytes = ptx_type_bytes(copy->type);
  bool known = copy->bytes == 4 || copy->bytes == 8;
  if (!known || (copy->reduce && (!reduction_fits(copy->reduce, copy->type) || copy->values > 1)))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  operand_address(d, SPACE_SHARED, &copy->to);
  if (copy->values > 1) {
    if (operand_registers(d, copy->slots, 4, copy->bytes, false) != copy->values)
      decode_error(d, "%u registers are needed", copy->values);
  } else
    copy->slots[0] = operand_source(d, copy->type);
  operand_address(d, SPACE_SHARED, &copy->mbarrier);
  copy->to.cluster = copy->mbarrier.cluster = true;
  decode_emit_exec(d, exec_store_async, KIND_CHECKED);
}

// ---- cluster launch control ----

static void decode_cancel_query(Decoder *d) {
  static const struct {
    const char *name;
    CancelQuery query;
  } rows[] = {{"is_canceled", CANCEL_IS_CANCELED},
              {"get_first_ctaid::x", CANCEL_X},
              {"get_first_ctaid::y", CANCEL_Y},
              {"get_first_ctaid::z", CANCEL_Z},
              {"get_first_ctaid", CANCEL_ALL}};
  size_t i = 0, n = sizeof rows / sizeof *rows;
  while (i < n && !mod_take(d, rows[i].name)) i++;
  CancelQuery query = i < n ? rows[i].query : CANCEL_ALL;
  bool known = i < n && mod_take(d, query == CANCEL_IS_CANCELED ? "pred" : "b32") && mod_take(d, "b128") &&
               (query != CANCEL_ALL || mod_take(d, "v4"));
  if (!known) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.extra = (uint8_t)query;
  if (query == CANCEL_ALL) {
    uint32_t *slots = ARENA_ARRAY(d->arena, uint32_t, 4);
    const PtxOperand *item = operand_next(d)->items;
    for (uint32_t k = 0, bytes; k < 4; k++, item = item ? item->next : NULL) {
      if (!item) decode_error(d, "4 registers are needed");
      slots[k] = item ? register_of(d, item, &bytes) : UINT32_MAX;
      if (slots[k] != UINT32_MAX && bytes != 4) decode_error(d, "a register has another width than .b32");
    }
    d->insn.u.slots = slots;
  } else
    d->insn.dst = operand_dest(d, query == CANCEL_IS_CANCELED ? PTX_PRED : PTX_B32);
  d->insn.src[0] = operand_source(d, PTX_B128);
  decode_emit_exec(d, exec_cancel_query, KIND_CHECKED);
}

void decode_launch_control(Decoder *d) {
  if (mod_take(d, "query_cancel")) {
    decode_cancel_query(d);
    return;
  }
  CopyOperands *copy = copy_new(d);
  copy->has_mbarrier = true;
  bool known = mod_take(d, "try_cancel") && mod_take(d, "async");
  PtxSpace space = next_space(d);
  known &= mod_take(d, "mbarrier::complete_tx::bytes") && mod_take(d, "b128");
  copy->everywhere = mod_take(d, "multicast::cluster::all");
  if (!known || space == SPACE_GLOBAL) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  operand_address(d, space, &copy->to);
  operand_address(d, space, &copy->mbarrier);
  decode_emit_exec(d, exec_cancel, KIND_CHECKED);
}

static void decode_any_bulk(Decoder *d, bool reduces) {
  if (mod_take(d, "commit_group")) {
    async_commits(d, ASYNC_GROUP_BULK);
    return;
  }
  if (mod_take(d, "wait_group")) {
    async_count(d, ASYNC_GROUP_BULK, false);
    return;
  }
  CopyOperands *copy = copy_new(d);
  copy->prefetch = mod_take(d, "prefetch");
  if (mod_take(d, "tensor"))
    decode_tensor(d, copy, reduces);
  else if (copy->prefetch)
    decode_bulk_prefetch(d, copy);
  else
    decode_bulk(d, copy, reduces);
}

void decode_copy(Decoder *d) {
  bool reduces = mod_take(d, "reduce");
  if (!mod_take(d, "async")) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  if (mod_take(d, "bulk"))
    decode_any_bulk(d, reduces);
  else if (mod_take(d, "commit_group"))
    async_commits(d, ASYNC_GROUP_COPY);
  else if (mod_take(d, "wait_group"))
    async_count(d, ASYNC_GROUP_COPY, false);
  else if (mod_take(d, "wait_all"))
    async_count(d, ASYNC_GROUP_COPY, true);
  else if (mod_take(d, "mbarrier"))
    decode_arrive(d);
  else
    decode_lanes(d);
}
