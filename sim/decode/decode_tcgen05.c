// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05: PTX ISA 9.7.16. Sparse A (.sp), .ws, .ashift and tcgen05.ld.red are refused.
#include "sim/decode/decode.h"
#include "sim/exec/exec.h"
#include "sim/machine/hooks.h"

static void not_built(Decoder *d, const char *what) {
  decode_error(d, "%.*s: %s is not built", STR_ARG(d->stmt->name), what);
}

static void need(Decoder *d, bool known) {
  if (!known) decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
}

// .cta_group::1 or ::2, in Insn.count.
static void take_group(Decoder *d) {
  if (mod_take(d, "cta_group::1"))
    d->insn.count = 1;
  else if (mod_take(d, "cta_group::2"))
    d->insn.count = 2;
  else
    decode_error(d, "%.*s needs .cta_group::1 or .cta_group::2", STR_ARG(d->stmt->name));
}

static void take_aligned(Decoder *d) {
  need(d, mod_take(d, "sync") && mod_take(d, "aligned"));
  d->insn.src[3] = slot_all_lanes(d);
}

// [register + offset], or [constant].
static TmemAddress tmem_address(Decoder *d) {
  const PtxOperand *operand = operand_next(d);
  TmemAddress address = {0};
  if (operand->kind != OPERAND_ADDRESS || operand->items->next) {
    decode_error(d, "an address in brackets is needed");
    return address;
  }
  PtxOperand base = *operand->items;
  address.offset = base.kind == OPERAND_NAME ? (uint32_t)base.offset : 0;
  base.offset = 0;
  address.slot = source_of(d, &base, PTX_B32);
  return address;
}

static bool is_vector(const Decoder *d) { return d->operand && d->operand->kind == OPERAND_VECTOR; }
static bool is_address(const Decoder *d) { return d->operand && d->operand->kind == OPERAND_ADDRESS; }

// ---- allocation ----

static void decode_change(Decoder *d, TmemChange change) {
  take_group(d);
  take_aligned(d);
  d->insn.extra = (uint8_t)change;
  if (change == TMEM_ALLOC) {
    PtxSpace space = mod_take(d, "shared::cta") ? SPACE_SHARED : SPACE_GENERIC;
    AddressOperand *address = ARENA_NEW(d->arena, AddressOperand);
    operand_address(d, space, address);
    d->insn.u.address = address;
  } else if (change == TMEM_DEALLOC)
    d->insn.src[1] = operand_source(d, PTX_B32);
  if (change != TMEM_RELINQUISH) {
    need(d, mod_take(d, "b32"));
    d->insn.src[0] = operand_source(d, PTX_B32);
  }
  decode_emit_exec(d, exec_nothing, KIND_TMEM);
}

// ---- ld and st ----

static TmemShape take_shape(Decoder *d) {
  static const char *const names[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
  for (uint32_t i = 0; i < 5; i++)
    if (mod_take(d, names[i])) return (TmemShape)i;
  need(d, false);
  return TMEM_32X32B;
}

static uint32_t take_repeat(Decoder *d) {
  static const char *const names[] = {"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"};
  for (uint32_t i = 0; i < 8; i++)
    if (mod_take(d, names[i])) return 1u << i;
  need(d, false);
  return 1;
}

// True if one of the operands is the name of a register in the list.
static bool names_any(const PtxOperand *operands, const PtxOperand *registers) {
  for (const PtxOperand *o = operands; o; o = o->next) {
    if (o->items && names_any(o->items, registers)) return true;
    for (const PtxOperand *r = registers; r && o->kind == OPERAND_NAME; r = r->next)
      if (r->kind == OPERAND_NAME && str_eq(r->name, o->name)) return true;
  }
  return false;
}

// True if the statements up to the next tcgen05.wait::ld run one after another and name no register of the
// list.
static bool waits_before_use(const Decoder *d, const PtxOperand *registers) {
  static const char *const leave[] = {"bra", "brx", "ret", "exit", "call", "trap"};
  for (const PtxStmt *stmt = d->stmt->next; stmt; stmt = stmt->next) {
    if (stmt->kind == STMT_LABEL || stmt->kind == STMT_TARGETS) return false;
    if (stmt->kind != STMT_INSN) continue;
    if (str_starts(stmt->name, "tcgen05.wait::ld")) return !stmt->guard.n;
    for (size_t i = 0; i < sizeof leave / sizeof *leave; i++)
      if (str_starts(stmt->name, leave[i])) return false;
    if (names_any(stmt->operands, registers)) return false;
  }
  return false;
}

static void decode_tmem_move(Decoder *d, bool store) {
  static const uint32_t registers[] = {1, 1, 2, 4, 1}; // of one repetition
  TmemMove *move = ARENA_NEW(d->arena, TmemMove);
  if (mod_take(d, "red")) not_built(d, "a reduction");
  take_aligned(d);
  move->shape = take_shape(d);
  move->repeat = take_repeat(d);
  move->packed = mod_take(d, store ? "unpack::16b" : "pack::16b");
  need(d, mod_take(d, "b32"));
  const PtxOperand *first = d->operand;
  if (!store) move->count = operand_registers(d, move->slots, 128, 4, true);
  move->address = tmem_address(d);
  if (move->shape == TMEM_16X32BX2) move->split = (uint32_t)operand_constant(d, CHIP_TMEM_COLUMNS);
  if (store) move->count = operand_registers(d, move->slots, 128, 4, false);
  uint32_t count = registers[move->shape] * move->repeat;
  if (count != move->count) decode_error(d, "%u registers are needed", count);
  if (!store && first)
    move->may_wait = waits_before_use(d, first->kind == OPERAND_VECTOR ? first->items : first);
  d->insn.u.tmem = move;
  decode_emit_exec(d, store ? exec_tmem_store : exec_tmem_load, KIND_SYNC);
}

static void decode_wait(Decoder *d, AsyncGroup group) {
  take_aligned(d);
  d->insn.extra = (uint8_t)group;
  d->insn.flags |= FLAG_WIDE;
  decode_emit_exec(d, exec_async_wait, KIND_SYNC);
}

// ---- mma ----

static MmaKind take_kind(Decoder *d) {
  static const char *const names[] = {"kind::f16",      "kind::tf32", "kind::f8f6f4",  "kind::i8",
                                      "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"};
  for (uint32_t i = 0; i < 7; i++)
    if (mod_take(d, names[i])) return (MmaKind)i;
  need(d, false);
  return MMA_KIND_F16;
}

static Collector take_collector(Decoder *d) {
  if (mod_take(d, "collector::a::fill")) return COLLECTOR_FILL;
  if (mod_take(d, "collector::a::use")) return COLLECTOR_USE;
  if (mod_take(d, "collector::a::lastuse")) return COLLECTOR_LASTUSE;
  mod_take(d, "collector::a::discard");
  return COLLECTOR_DISCARD;
}

// Elements that have one scale.
static uint32_t take_block(Decoder *d, MmaKind kind) {
  bool one = mod_take(d, "scale_vec::1X"), two = mod_take(d, "scale_vec::2X"),
       four = mod_take(d, "scale_vec::4X");
  bool block16 = mod_take(d, "block16"), block32 = mod_take(d, "block32"), none = !(one || two || four);
  if (kind == MMA_KIND_MXF8F6F4) need(d, !two && !four && !block16);
  if (kind == MMA_KIND_MXF4) need(d, !one && !four && !block16);
  if (kind == MMA_KIND_MXF4NVF4) need(d, !one && (!none || block16 || block32));
  return four || block16 ? 16 : 32;
}

// {masks of lanes} of disable-output-lane.
static void take_lanes_off(Decoder *d, TensorMma *mma) {
  mma->masks = operand_registers(d, mma->lanes_off, 8, 4, false);
  if (mma->masks != 4 * d->insn.count)
    decode_error(d, "%u registers of disable-output-lane are needed", 4 * d->insn.count);
}

static void decode_mma_operands(Decoder *d, TensorMma *mma) {
  bool negated = false, scaled = mma->kind >= MMA_KIND_MXF8F6F4;
  mma->d = tmem_address(d);
  mma->a_in_tmem = is_address(d);
  if (mma->a_in_tmem)
    mma->a = tmem_address(d);
  else
    mma->a_descriptor = operand_source(d, PTX_B64);
  mma->b_descriptor = operand_source(d, PTX_B64);
  mma->descriptor = operand_source(d, PTX_B32);
  if (scaled) {
    mma->scale_a = tmem_address(d);
    mma->scale_b = tmem_address(d);
  } else if (is_vector(d))
    take_lanes_off(d, mma);
  mma->accumulate = operand_predicate(d, &negated);
  mma->accumulate_flip = negated ? ALL_LANES : 0;
  bool scales_d = mma->kind == MMA_KIND_F16 || mma->kind == MMA_KIND_TF32;
  if (scales_d && operand_more(d)) mma->scale_d = (uint32_t)operand_constant(d, 15);
}

static void decode_tensor_mma(Decoder *d) {
  TensorMma *mma = ARENA_NEW(d->arena, TensorMma);
  if (mod_take(d, "sp")) not_built(d, "sparse A");
  if (mod_take(d, "ws")) not_built(d, ".ws");
  if (mod_take(d, "ashift")) not_built(d, ".ashift");
  take_group(d);
  mma->kind = take_kind(d);
  mma->collector = take_collector(d);
  if (mma->kind >= MMA_KIND_MXF8F6F4) {
    need(d, mod_take(d, "block_scale"));
    mma->block = take_block(d, mma->kind);
  }
  decode_mma_operands(d, mma);
  d->insn.u.mma = mma;
  decode_emit_exec(d, exec_tcgen05_mma, KIND_CHECKED);
}

// ---- cp, shift, commit ----

static TmemCopyShape take_copy_shape(Decoder *d) {
  if (mod_take(d, "128x256b")) return TMEM_COPY_128X256B;
  if (mod_take(d, "4x256b")) return TMEM_COPY_4X256B;
  if (mod_take(d, "128x128b")) return TMEM_COPY_128X128B;
  if (mod_take(d, "32x128b")) {
    need(d, mod_take(d, "warpx4"));
    return TMEM_COPY_32X128B;
  }
  need(d, mod_take(d, "64x128b"));
  if (mod_take(d, "warpx2::02_13")) return TMEM_COPY_64X128B_02_13;
  need(d, mod_take(d, "warpx2::01_23"));
  return TMEM_COPY_64X128B_01_23;
}

static void decode_tmem_copy(Decoder *d, bool shift) {
  TmemCopy *copy = ARENA_NEW(d->arena, TmemCopy);
  take_group(d);
  if (shift)
    need(d, mod_take(d, "down"));
  else {
    copy->shape = take_copy_shape(d);
    bool unpacks = mod_take(d, "b8x16");
    if (mod_take(d, "b4x16_p64"))
      copy->unpacks = MATRIX_E2M1;
    else if (mod_take(d, "b6x16_p32"))
      copy->unpacks = MATRIX_E2M3;
    need(d, unpacks == (copy->unpacks != MATRIX_NONE));
  }
  copy->to = tmem_address(d);
  if (!shift) copy->descriptor = operand_source(d, PTX_B64);
  d->insn.u.tmem_copy = copy;
  decode_emit_exec(d, shift ? exec_tcgen05_shift : exec_tcgen05_cp, KIND_CHECKED);
}

static void decode_commit(Decoder *d) {
  take_group(d);
  need(d, mod_take(d, "mbarrier::arrive::one"));
  bool shared = mod_take(d, "shared::cluster");
  bool multicast = mod_take(d, "multicast::cluster");
  need(d, mod_take(d, "b64"));
  AddressOperand *address = ARENA_NEW(d->arena, AddressOperand);
  operand_address(d, shared ? SPACE_SHARED : SPACE_GENERIC, address);
  address->cluster = true;
  d->insn.u.address = address;
  d->insn.src[1] = multicast ? operand_source(d, PTX_B16) : UINT32_MAX;
  decode_emit_exec(d, exec_tcgen05_commit, KIND_CHECKED);
}

static void decode_tcgen05_fence(Decoder *d, HookFence fence) {
  d->insn.extra = (uint8_t)fence;
  decode_emit_exec(d, exec_fence, KIND_LANES);
}

void decode_tcgen05(Decoder *d) {
  d->program->has_tcgen05 = true;
  if (mod_take(d, "alloc"))
    decode_change(d, TMEM_ALLOC);
  else if (mod_take(d, "dealloc"))
    decode_change(d, TMEM_DEALLOC);
  else if (mod_take(d, "relinquish_alloc_permit"))
    decode_change(d, TMEM_RELINQUISH);
  else if (mod_take(d, "ld"))
    decode_tmem_move(d, false);
  else if (mod_take(d, "st"))
    decode_tmem_move(d, true);
  else if (mod_take(d, "wait::ld"))
    decode_wait(d, ASYNC_GROUP_TMEM_LOAD);
  else if (mod_take(d, "wait::st"))
    decode_wait(d, ASYNC_GROUP_TMEM_STORE);
  else if (mod_take(d, "mma"))
    decode_tensor_mma(d);
  else if (mod_take(d, "cp"))
    decode_tmem_copy(d, false);
  else if (mod_take(d, "shift"))
    decode_tmem_copy(d, true);
  else if (mod_take(d, "commit"))
    decode_commit(d);
  else if (mod_take(d, "fence::before_thread_sync"))
    decode_tcgen05_fence(d, HOOK_FENCE_TCGEN05_BEFORE);
  else if (mod_take(d, "fence::after_thread_sync"))
    decode_tcgen05_fence(d, HOOK_FENCE_TCGEN05_AFTER);
  else
    need(d, false);
}
