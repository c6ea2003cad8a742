// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, calls, barriers, and instructions across lanes.
#include "sim/decode/decode.h"
#include "sim/exec/exec.h"
#include "sim/machine/state.h"

static void add_fixup(Decoder *d, Str label, uint32_t entry) {
  Fixup fixup = {label, d->stmt->pos, d->program->code.n - 1, entry};
  vec_push(d->arena, &d->fixups, fixup);
}

static void branch_to(Decoder *d, Str label) {
  d->insn.kind = KIND_BRANCH;
  decode_emit(d);
  if (!decode_failed(d)) add_fixup(d, label, UINT32_MAX);
}

static void decode_indexed(Decoder *d) {
  if (!mod_take(d, "idx")) decode_error(d, "only brx.idx is known");
  d->insn.src[0] = operand_source(d, PTX_U32);
  const PtxOperand *operand = operand_next(d);
  const Symbol *symbol = operand->kind == OPERAND_NAME ? symbol_find(d, operand->name) : NULL;
  if (!symbol || symbol->kind != SYMBOL_TABLE) {
    decode_error(d, "brx.idx needs a .branchtargets table");
    return;
  }
  const PtxStmt *table = symbol->table;
  d->insn.kind = KIND_INDEXED;
  d->insn.count = table->count;
  d->insn.u.targets = ARENA_ARRAY(d->arena, uint32_t, table->count);
  decode_emit(d);
  uint32_t entry = 0;
  for (const PtxOperand *label = table->operands; label && !decode_failed(d); label = label->next)
    add_fixup(d, label->name, entry++);
}

// ---- calls: the function's statements, decoded at the call ----

const PtxFunc *function_named(const Decoder *d, const PtxOperand *operand) {
  for (const PtxFunc *func = d->in->module->funcs; func; func = func->next)
    if (operand->kind == OPERAND_NAME && str_eq(func->name, operand->name) && func->has_body &&
        !func->is_entry)
      return func;
  return NULL;
}

// The formal names become names for the memory of the actual .param variables.
static void bind_params(Decoder *d, const PtxVar *formal, const PtxOperand *actual) {
  for (; formal && actual; formal = formal->next, actual = actual->next) {
    const Symbol *found = actual->kind == OPERAND_NAME ? symbol_find(d, actual->name) : NULL;
    if (!found || found->kind != SYMBOL_ADDRESS || found->space != SPACE_LOCAL ||
        formal->space != SPACE_PARAM) {
      decode_error(d, "a call's arguments are .param variables");
      return;
    }
    uint64_t address = found->address;
    Symbol *symbol = symbol_add(d, SYMBOL_ADDRESS, formal->name);
    symbol->space = SPACE_LOCAL;
    symbol->address = address;
  }
  if (formal || actual) decode_error(d, "the call has another number of arguments than the function");
}

static void inline_body(Decoder *d, const PtxFunc *func, const PtxOperand *results, const PtxOperand *args) {
  static const Str return_label = {"<return>", 8}, over_label = {"<over>", 6};
  bool guarded = d->stmt->guard.n != 0;
  const PtxStmt *stmt = d->stmt;
  PtxStmt plain = *stmt;
  scope_open(d);
  if (guarded) { // lanes with a false guard skip the whole body
    PtxStmt inverse = *stmt;
    inverse.guard_not = !stmt->guard_not;
    d->stmt = &inverse;
    branch_to(d, over_label);
  }
  plain.guard = (Str){"", 0};
  d->stmt = &plain;
  Str outer = d->return_label;
  d->return_label = return_label;
  bind_params(d, func->results, results ? results->items : NULL);
  bind_params(d, func->params, args ? args->items : NULL);
  scope_open(d);
  bool recursive = false;
  for (uint32_t i = 0; i < d->calls; i++) recursive |= d->calling[i] == func;
  if (recursive)
    decode_error(d, "'%.*s' calls itself: recursion is not supported", STR_ARG(func->name));
  else if (d->calls == MAX_CALLS)
    decode_error(d, "calls are nested too deeply");
  else {
    d->calling[d->calls++] = func;
    decode_body(d, func);
    d->calls--;
  }
  d->return_label = outer;
  if (!decode_failed(d)) {
    scope_close(d);
    symbol_add(d, SYMBOL_LABEL, return_label)->address = d->program->code.n;
    symbol_add(d, SYMBOL_LABEL, over_label)->address = d->program->code.n;
    scope_close(d);
  }
  d->stmt = stmt;
}

static void call_error(Decoder *d, const PtxOperand *callee) {
  if (callee->name.n && callee->name.at[0] == '%')
    decode_error(d, "indirect calls are not supported");
  else
    decode_error(d, "'%.*s' has no body in this module: calls of other modules are not supported",
                 STR_ARG(callee->name));
}

static void decode_call(Decoder *d) {
  mod_take(d, "uni");
  const PtxOperand *first = operand_next(d), *results = NULL, *args = NULL;
  if (first->kind == OPERAND_LIST) {
    results = first;
    first = operand_next(d);
  }
  if (operand_more(d)) args = operand_next(d);
  const PtxFunc *func = function_named(d, first);
  if (first->kind != OPERAND_NAME || (args && args->kind != OPERAND_LIST)) {
    decode_error(d, "malformed call");
    return;
  }
  if (!func && !operand_more(d) && decode_system_call(d, first->name, results, args)) return;
  if (!func || operand_more(d)) {
    call_error(d, first);
    return;
  }
  for (uint32_t i = 0; i < d->mod_count; i++)
    if (!d->taken[i]) decode_error(d, "call: modifier '.%.*s' is not known", STR_ARG(d->mods[i]));
  inline_body(d, func, results, args);
  d->operand = NULL;
  d->mod_count = 0;
}

void decode_control(Decoder *d) {
  if (d->op == OP_CALL) {
    decode_call(d);
    return;
  }
  if (d->op == OP_BRX) {
    mod_take(d, "uni");
    decode_indexed(d);
    return;
  }
  if (d->op == OP_BRA) {
    mod_take(d, "uni");
    const PtxOperand *label = operand_next(d);
    if (label->kind != OPERAND_NAME) decode_error(d, "bra needs a label");
    branch_to(d, label->name);
    return;
  }
  if (d->op == OP_RET) mod_take(d, "uni");
  if (d->op == OP_RET && d->return_label.n) {
    branch_to(d, d->return_label);
    return;
  }
  d->insn.kind = d->op == OP_TRAP ? KIND_TRAP : KIND_EXIT;
  decode_emit(d);
}

// ---- barriers ----

static void warp_barrier(Decoder *d) {
  if (!mod_take(d, "sync")) decode_error(d, "bar.warp needs .sync");
  d->insn.kind = KIND_WARP_BARRIER;
  d->insn.exec = exec_nothing;
  d->insn.src[3] = operand_source(d, PTX_B32);
  decode_emit(d);
}

// barrier.cluster.arrive and .wait: all threads of the only CTA.
static void cluster_barrier(Decoder *d) {
  bool arrive = mod_take(d, "arrive");
  if (!arrive && !mod_take(d, "wait")) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  if (!(arrive && (mod_take(d, "release") || mod_take(d, "relaxed")))) mod_take(d, "acquire");
  mod_take(d, "aligned");
  d->insn.kind = arrive ? KIND_BARRIER : KIND_CLUSTER_WAIT;
  d->insn.flags |= FLAG_ARRIVE;
  d->insn.extra = BARRIER_CLUSTER;
  d->insn.src[0] = slot_constant(d, CLUSTER_BARRIER, 4);
  d->insn.src[1] = slot_constant(d, 0, 4);
  decode_emit(d);
}

void decode_barrier(Decoder *d) {
  if (d->op == OP_BARRIER && mod_take(d, "cluster")) {
    cluster_barrier(d);
    return;
  }
  if (d->op == OP_BAR && mod_take(d, "warp")) {
    warp_barrier(d);
    return;
  }
  mod_take(d, "cta");
  if (d->op == OP_BAR || mod_take(d, "aligned")) d->insn.extra = BARRIER_ALIGNED;
  bool arrive = mod_take(d, "arrive");
  if (!arrive && !mod_take(d, "sync")) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.kind = KIND_BARRIER;
  if (arrive) d->insn.flags |= FLAG_ARRIVE;
  d->insn.src[0] = operand_source(d, PTX_U32);
  if (arrive || operand_more(d))
    d->insn.src[1] = operand_source(d, PTX_U32);
  else
    d->insn.src[1] = slot_constant(d, 0, 4);
  decode_emit(d);
}

// ---- across lanes ----

static void need_sync(Decoder *d) {
  if (!mod_take(d, "sync")) decode_error(d, "%.*s needs .sync", STR_ARG(d->base));
  d->insn.kind = KIND_SYNC;
}

// d, or d|p. Either may be `_`.
static void pair_dest(Decoder *d, uint32_t bytes) {
  const PtxOperand *operand = operand_next(d);
  bool pair = operand->kind == OPERAND_PAIR;
  uint32_t width;
  d->insn.dst = register_of(d, pair ? operand->items : operand, &width);
  if (d->insn.dst != UINT32_MAX && width != bytes) decode_error(d, "the result has another width");
  if (!pair) return;
  d->insn.dst2 = register_of(d, operand->items->next, &width);
  if (d->insn.dst2 != UINT32_MAX && width) decode_error(d, "a predicate is needed");
}

static void decode_shfl(Decoder *d) {
  static const Modifier modes[] = {MOD_IDX, MOD_UP, MOD_DOWN, MOD_BFLY};
  need_sync(d);
  d->insn.extra = (uint8_t)mod_one_of(d, modes, 4);
  if (!d->insn.extra || mod_need_type(d) != PTX_B32)
    decode_error(d, "shfl needs .idx, .up, .down or .bfly, and .b32");
  pair_dest(d, 4);
  for (int i = 0; i < 4; i++) d->insn.src[i] = operand_source(d, PTX_B32);
  d->insn.exec = exec_shfl;
  decode_emit(d);
}

static void decode_vote(Decoder *d) {
  static const Modifier modes[] = {MOD_ALL, MOD_ANY, MOD_UNI, MOD_BALLOT};
  need_sync(d);
  d->insn.extra = (uint8_t)mod_one_of(d, modes, 4);
  PtxType type = mod_need_type(d);
  if (!d->insn.extra || type != (d->insn.extra == MOD_BALLOT ? PTX_B32 : PTX_PRED))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.dst = operand_dest(d, type);
  bool negated;
  d->insn.src[0] = operand_predicate(d, &negated);
  if (negated) d->insn.flags |= FLAG_NOT;
  d->insn.src[3] = operand_source(d, PTX_B32);
  d->insn.exec = exec_vote;
  decode_emit(d);
}

static void decode_redux(Decoder *d) {
  static const Operation reductions[] = {OP_ADD, OP_MIN, OP_MAX, OP_AND, OP_OR, OP_XOR};
  need_sync(d);
  Operation op = mod_operation(d, reductions, sizeof reductions / sizeof *reductions);
  PtxType type = mod_need_type(d);
  bool bits = op == OP_AND || op == OP_OR || op == OP_XOR, picks = op == OP_MIN || op == OP_MAX;
  if (picks && type == PTX_F32) {
    if (mod_take(d, "NaN")) d->insn.flags |= FLAG_NAN;
    if (mod_take(d, "abs")) d->insn.flags |= FLAG_XORSIGN;
  } else if (op == OP_NONE || (bits ? type != PTX_B32 : type != PTX_U32 && type != PTX_S32))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  d->insn.extra = (uint8_t)op;
  d->insn.from = (uint16_t)type;
  d->insn.dst = operand_dest(d, type);
  d->insn.src[0] = operand_source(d, type);
  d->insn.src[3] = operand_source(d, PTX_B32);
  d->insn.exec = exec_redux;
  decode_emit(d);
}

static void decode_match(Decoder *d) {
  static const Modifier modes[] = {MOD_ALL, MOD_ANY};
  d->insn.extra = (uint8_t)mod_one_of(d, modes, 2);
  need_sync(d);
  PtxType type = mod_need_type(d);
  if (!d->insn.extra || (type != PTX_B32 && type != PTX_B64))
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  pair_dest(d, 4);
  if (d->insn.dst2 != UINT32_MAX && d->insn.extra == MOD_ANY) decode_error(d, "match.any gives no predicate");
  d->insn.count = ptx_type_bytes(type);
  d->insn.src[0] = operand_source(d, type);
  d->insn.src[3] = operand_source(d, PTX_B32);
  d->insn.exec = exec_match;
  decode_emit(d);
}

void decode_warp(Decoder *d) {
  if (d->op == OP_SHFL)
    decode_shfl(d);
  else if (d->op == OP_VOTE)
    decode_vote(d);
  else if (d->op == OP_REDUX)
    decode_redux(d);
  else if (d->op == OP_MATCH)
    decode_match(d);
  else if (d->op == OP_ELECT) {
    need_sync(d);
    pair_dest(d, 4);
    d->insn.src[3] = operand_source(d, PTX_B32);
    d->insn.exec = exec_elect;
    decode_emit(d);
  } else {
    if (mod_need_type(d) != PTX_B32) decode_error(d, "activemask gives .b32");
    d->insn.dst = operand_dest(d, PTX_B32);
    d->insn.exec = exec_activemask;
    decode_emit(d);
  }
}
