// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarriers, tensor maps, clusters, fences, hints: PTX ISA 9.7.9.17 to 9.7.9.28 and 9.7.13.
#include "sim/machine/chip.h"
#include "sim/decode/decode.h"
#include "sim/machine/hooks.h"
#include "sim/exec/exec.h"
#include "sim/machine/state.h"

static void take_all(Decoder *d, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) mod_take(d, names[i]);
}

static void take_scope(Decoder *d) {
  static const char *const known[] = {"relaxed", "acquire", "release", "acq_rel", "sc",
                                      "cta",     "cluster", "gpu",     "sys"};
  take_all(d, known, sizeof known / sizeof *known);
}

static PtxSpace shared_space(Decoder *d) {
  PtxSpace space = mod_space(d);
  if (space != SPACE_SHARED && space != SPACE_GENERIC) decode_error(d, "an mbarrier lies in shared memory");
  return space;
}

// ---- mbarrier ----

static void decode_wait(Decoder *d, bool try) {
  if (mod_take(d, "parity")) d->insn.flags |= FLAG_WIDE;
  take_scope(d);
  PtxSpace space = shared_space(d);
  if (mod_need_type(d) != PTX_B64) decode_error(d, "an mbarrier is .b64");
  d->insn.dst = operand_dest(d, PTX_PRED);
  AddressOperand *address = ARENA_NEW(d->arena, AddressOperand);
  operand_address(d, space, address);
  d->insn.u.address = address;
  d->insn.src[1] = operand_source(d, d->insn.flags & FLAG_WIDE ? PTX_U32 : PTX_B64);
  // The time limit is ignored: lanes wait until nothing else can run.
  if (try && operand_more(d)) operand_source(d, PTX_U32);
  decode_emit_exec(d, exec_mbarrier_test, try ? KIND_WAIT : KIND_CHECKED);
}

static void state_dest(Decoder *d, bool needed) {
  const PtxOperand *first = d->operand;
  d->insn.dst = UINT32_MAX;
  if (!needed || !first || first->kind == OPERAND_ADDRESS) return;
  uint32_t bytes;
  d->insn.dst = register_of(d, operand_next(d), &bytes);
  if (d->insn.dst != UINT32_MAX && bytes != 8) decode_error(d, "an mbarrier's state has 64 bits");
}

static MbarrierChange mbarrier_change(Decoder *d) {
  if (mod_take(d, "init")) return MBARRIER_INIT;
  if (mod_take(d, "inval")) return MBARRIER_INVAL;
  bool drop = mod_take(d, "arrive_drop");
  if (drop) d->insn.flags |= FLAG_SAT;
  if (drop || mod_take(d, "arrive")) {
    mod_take(d, "noComplete");
    return mod_take(d, "expect_tx") ? MBARRIER_ARRIVE_EXPECT_TX : MBARRIER_ARRIVE;
  }
  if (mod_take(d, "expect_tx")) return MBARRIER_EXPECT_TX;
  if (mod_take(d, "complete_tx")) return MBARRIER_COMPLETE_TX;
  decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  return MBARRIER_INIT;
}

static void decode_pending(Decoder *d) {
  if (mod_need_type(d) != PTX_B64) decode_error(d, "an mbarrier's state is .b64");
  d->insn.dst = operand_dest(d, PTX_U32);
  d->insn.src[0] = operand_source(d, PTX_B64);
  decode_emit_exec(d, exec_mbarrier_pending, KIND_LANES);
}

void decode_mbarrier(Decoder *d) {
  bool try = mod_take(d, "try_wait");
  if (try || mod_take(d, "test_wait")) {
    decode_wait(d, try);
    return;
  }
  if (mod_take(d, "pending_count")) {
    decode_pending(d);
    return;
  }
  MbarrierChange change = mbarrier_change(d);
  d->insn.extra = (uint8_t)change;
  take_scope(d);
  PtxSpace space = shared_space(d);
  if (mod_need_type(d) != PTX_B64) decode_error(d, "an mbarrier is .b64");
  state_dest(d, change == MBARRIER_ARRIVE || change == MBARRIER_ARRIVE_EXPECT_TX);
  AddressOperand *address = ARENA_NEW(d->arena, AddressOperand);
  operand_address(d, space, address);
  address->cluster = d->cluster || (space == SPACE_GENERIC && change > MBARRIER_INVAL);
  d->insn.u.address = address;
  if (change == MBARRIER_INVAL || (change == MBARRIER_ARRIVE && !operand_more(d)))
    d->insn.src[1] = slot_constant(d, 1, 4);
  else
    d->insn.src[1] = operand_source(d, PTX_U32);
  decode_emit_exec(d, exec_mbarrier, KIND_CHECKED);
}

// ---- tensor maps ----

static void decode_map_copy(Decoder *d) {
  static const char *const known[] = {"global", "shared::cta", "tensormap::generic", "sync", "aligned"};
  CopyOperands *copy = ARENA_NEW(d->arena, CopyOperands);
  take_all(d, known, sizeof known / sizeof *known);
  take_scope(d);
  operand_address(d, SPACE_GLOBAL, &copy->to);
  operand_address(d, SPACE_SHARED, &copy->from);
  if (operand_constant(d, 128) != 128) decode_error(d, "a tensor map has 128 bytes");
  d->insn.u.copy = copy;
  d->insn.src[3] = slot_all_lanes(d);
  decode_emit_exec(d, exec_map_copy, KIND_SYNC);
}

typedef struct FieldRow {
  const char *name;
  MapField field;
  bool ordinal, wide; // ordinal: the field of one dimension; wide: a 64-bit value
} FieldRow;

void decode_tensormap(Decoder *d) {
  static const FieldRow rows[] = {
      {"global_address", MAP_ADDRESS, false, true},
      {"rank", MAP_RANK, false, false},
      {"box_dim", MAP_BOX_DIM, true, false},
      {"global_dim", MAP_GLOBAL_DIM, true, false},
      {"global_stride", MAP_GLOBAL_STRIDE, true, true},
      {"element_stride", MAP_ELEMENT_STRIDE, true, false},
      {"elemtype", MAP_ELEMENT_TYPE, false, false},
      {"interleave_layout", MAP_INTERLEAVE, false, false},
      {"swizzle_mode", MAP_SWIZZLE, false, false},
      {"fill_mode", MAP_FILL, false, false},
  };
  if (mod_take(d, "cp_fenceproxy")) {
    decode_map_copy(d);
    return;
  }
  const FieldRow *row = NULL;
  bool replace = mod_take(d, "replace") && mod_take(d, "tile");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (mod_take(d, rows[i].name)) row = &rows[i];
  if (!replace || !row) {
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
    return;
  }
  PtxSpace space = mod_space(d);
  if (!mod_take(d, "b1024") || mod_need_type(d) != (row->wide ? PTX_B64 : PTX_B32))
    decode_error(d, "tensormap.replace.%s is .b1024.%s", row->name, row->wide ? "b64" : "b32");
  AddressOperand *address = ARENA_NEW(d->arena, AddressOperand);
  operand_address(d, space, address);
  d->insn.u.address = address;
  d->insn.extra = (uint8_t)row->field;
  if (row->ordinal) d->insn.count = (uint32_t)operand_constant(d, 4);
  if (row->wide) d->insn.flags |= FLAG_WIDE;
  d->insn.src[1] = operand_source(d, row->wide ? PTX_B64 : PTX_B32);
  decode_emit_exec(d, exec_map_replace, KIND_CHECKED);
}

// ---- clusters ----

void decode_cluster(Decoder *d) {
  bool space = mod_take(d, "shared::cluster") || mod_take(d, "shared");
  PtxType type = mod_need_type(d);
  if (type != PTX_U32 && type != PTX_U64) decode_error(d, "%.*s works on .u32 or .u64", STR_ARG(d->base));
  if (d->op == OP_GETCTARANK) {
    AddressOperand *of = ARENA_NEW(d->arena, AddressOperand);
    d->insn.dst = operand_dest(d, PTX_U32);
    address_of_operand(d, operand_next(d), space ? SPACE_SHARED : SPACE_GENERIC, of);
    d->insn.u.address = of;
    decode_emit_exec(d, exec_cta_rank, KIND_LANES);
    return;
  }
  d->insn.dst = operand_dest(d, type);
  PtxOperand *inside = (PtxOperand *)operand_next(d);
  AddressOperand *address = ARENA_NEW(d->arena, AddressOperand);
  address_of_operand(d, inside, space ? SPACE_SHARED : SPACE_GENERIC, address);
  d->insn.u.address = address;
  d->insn.count = ptx_type_bytes(type);
  if (!space && address->space == SPACE_SHARED) d->insn.flags |= FLAG_WIDE; // a variable: its generic address
  d->insn.src[1] = operand_source(d, PTX_U32);
  decode_emit_exec(d, exec_mapa, KIND_CHECKED);
}

// ---- fences and hints ----

static HookFence proxy_fence(Decoder *d) {
  mod_take(d, "alias");
  if (mod_take(d, "tensormap::generic")) return HOOK_FENCE_TENSORMAP;
  if (!mod_take(d, "async") && !mod_take(d, "async::generic")) return HOOK_FENCE_ALIAS;
  mod_take(d, "sync_restrict::shared::cta");
  mod_take(d, "sync_restrict::shared::cluster");
  if (mod_take(d, "global")) return HOOK_FENCE_ASYNC_GLOBAL;
  return mod_take(d, "shared::cta") || mod_take(d, "shared::cluster") ? HOOK_FENCE_ASYNC_SHARED
                                                                      : HOOK_FENCE_ASYNC;
}

void decode_fence(Decoder *d) {
  HookFence fence = HOOK_FENCE_THREAD;
  if (mod_take(d, "proxy"))
    fence = proxy_fence(d);
  else if (mod_take(d, "mbarrier_init"))
    fence = HOOK_FENCE_MBARRIER_INIT;
  mod_take(d, "gl"); // of membar: .gpu
  d->insn.count = mod_scope(d);
  take_scope(d);
  if (fence == HOOK_FENCE_TENSORMAP && operand_more(d)) {
    AddressOperand map;
    operand_address(d, SPACE_GENERIC, &map);
    if (operand_constant(d, 128) != 128) decode_error(d, "a tensor map has 128 bytes");
  }
  d->insn.extra = (uint8_t)fence;
  decode_emit_exec(d, exec_fence, KIND_LANES);
}

static void decode_maxnreg(Decoder *d) {
  d->insn.extra = mod_take(d, "inc");
  if (!(d->insn.extra || mod_take(d, "dec")) || !mod_take(d, "sync") || !mod_take(d, "aligned") ||
      mod_need_type(d) != PTX_U32)
    decode_error(d, "%.*s is not known", STR_ARG(d->stmt->name));
  uint64_t count = operand_constant(d, CHIP_REGISTERS_MOST);
  if (count < CHIP_REGISTERS_LEAST || count % CHIP_REGISTERS_STEP)
    decode_error(d, "setmaxnreg takes a multiple of %d from %d to %d", CHIP_REGISTERS_STEP,
                 CHIP_REGISTERS_LEAST, CHIP_REGISTERS_MOST);
  d->insn.count = (uint32_t)count;
  decode_emit_exec(d, exec_nothing, KIND_REGISTERS);
}

// The registers that ptxas gives to each thread of a kernel with setmaxnreg. It is the least of these:
//
// * the share of the multiprocessor's registers, by .maxntid or .reqntid and .minnctapersm;
// * .maxnreg;
// * the largest count of a setmaxnreg.
//
// If the kernel has neither of the first two, ptxas ignores every setmaxnreg (C7508).
void decode_entry_registers(Decoder *d, const PtxFunc *kernel) {
  const uint32_t *extent = kernel->reqntid[0] ? kernel->reqntid : kernel->maxntid;
  uint64_t blocks = (uint64_t)extent[0] * extent[1] * extent[2] * kernel->minnctapersm;
  uint32_t most = 0, step = CHIP_REGISTERS_STEP;
  for (uint32_t i = 0; i < d->program->code.n; i++) {
    const Insn *insn = &d->program->code.at[i];
    if (insn->kind == KIND_REGISTERS && insn->count > most) most = insn->count;
  }
  uint64_t share = blocks ? CHIP_SM_REGISTERS / blocks / step * step : most;
  if (share < most) most = (uint32_t)share;
  if (kernel->maxnreg && kernel->maxnreg < most) most = (kernel->maxnreg + step - 1) / step * step;
  if (blocks || kernel->maxnreg) d->program->registers = most;
}

void decode_ordering(Decoder *d) {
  static const char *const known[] = {"global",
                                      "local",
                                      "const",
                                      "param",
                                      "L1",
                                      "L2",
                                      "u32",
                                      "wait",
                                      "launch_dependents",
                                      "L2::evict_last",
                                      "L2::evict_normal",
                                      "tensormap"};
  if (d->op == OP_SETMAXNREG) {
    decode_maxnreg(d);
    return;
  }
  take_all(d, known, sizeof known / sizeof *known);
  if (d->op == OP_NANOSLEEP) operand_source(d, PTX_U32);
  if (d->op == OP_PREFETCH || d->op == OP_PREFETCHU || d->op == OP_APPLYPRIORITY || d->op == OP_DISCARD)
    if (operand_next(d)->kind != OPERAND_ADDRESS) decode_error(d, "an address in brackets is needed");
  if (d->op == OP_APPLYPRIORITY || d->op == OP_DISCARD) operand_constant(d, 128);
  decode_emit_exec(d, exec_nothing, KIND_LANES);
}

// createpolicy: controls caches. The policy is a number that nothing reads.
void decode_policy(Decoder *d) {
  static const char *const known[] = {"fractional",
                                      "range",
                                      "cvt",
                                      "L2",
                                      "global",
                                      "L2::evict_last",
                                      "L2::evict_normal",
                                      "L2::evict_first",
                                      "L2::evict_unchanged"};
  take_all(d, known, sizeof known / sizeof *known);
  mod_take(d, "L2::evict_unchanged");
  if (mod_need_type(d) != PTX_B64) decode_error(d, "createpolicy gives .b64");
  d->insn.dst = operand_dest(d, PTX_B64);
  while (operand_more(d)) operand_next(d);
  d->insn.src[0] = slot_constant(d, 0, 8);
  d->insn.count = 8;
  decode_emit_exec(d, exec_mov_find(8), KIND_LANES);
}
