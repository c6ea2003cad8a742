// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers of wgmma (PTX ISA 9.7.15). From the issue to the wait for its group, nothing else may access an
// accumulator or write a fragment of A. After any other write, a wgmma.fence must come before the next wgmma
// that uses the register.
#include <stdlib.h>
#include "sim/check/check_parts.h"
#include "sim/check/facts.h"
#include "sim/exec/exec.h"

struct RegisterCheck {
  uint32_t group;   // Group of the last wgmma that uses it, from 1. 0: none.
  uint32_t wgmma;   // Instruction of that wgmma.
  bool accumulator; // True: its D. False: its A.
  uint32_t writer;  // The last other instruction that wrote it.
  uint64_t written; // Warp.executed at that write
};

enum { SLOT_BYTES = 4 }; // minimum distance of two registers

static RegisterCheck *register_at(const Warp *warp, uint32_t slot) {
  return &warp_check(warp)->registers[slot / SLOT_BYTES];
}

bool wgmma_open(const Launch *launch, WarpCheck *warp) {
  warp->registers = calloc(launch->program->register_bytes / SLOT_BYTES + 1, sizeof *warp->registers);
  return warp->registers;
}

void wgmma_begin(const Launch *launch, WarpCheck *warp) {
  if (!warp->registers) return;
  memset(warp->registers, 0, (launch->program->register_bytes / SLOT_BYTES + 1) * sizeof *warp->registers);
  warp->wgmma_fenced = 0;
  warp->wgmma_over = 0;
}

static void touched(Warp *warp, const Insn *insn, uint32_t mask, const RegisterCheck *reg, bool writes) {
  Report *report = report_new(warp, insn, mask, TILEC_SIM_WGMMA, 0, reg->wgmma);
  if (!report) return;
  report_message(report, "a register that a wgmma %s is %s before wgmma.wait_group",
                 reg->accumulator ? "accumulates into" : "reads as A", writes ? "written" : "read");
  report_blame(report, warp, reg->wgmma, warp->index, "the wgmma");
  report_order(report, "wgmma.wait_group between the two");
}

static void reads(Warp *warp, const Insn *insn, uint32_t mask, uint32_t slot) {
  const RegisterCheck *reg = register_at(warp, slot);
  if (reg->group > warp_check(warp)->wgmma_over && reg->accumulator) touched(warp, insn, mask, reg, false);
}

static void writes(Warp *warp, const Insn *insn, uint32_t mask, uint32_t slot) {
  if (slot == UINT32_MAX) return;
  RegisterCheck *reg = register_at(warp, slot);
  if (reg->group > warp_check(warp)->wgmma_over) touched(warp, insn, mask, reg, true);
  reg->written = warp->executed;
  reg->writer = insn_index(warp, insn);
}

static void each(Warp *warp, const Insn *insn, uint32_t mask, const uint32_t *slots, uint32_t count,
                 void (*touch)(Warp *warp, const Insn *insn, uint32_t mask, uint32_t slot)) {
  for (uint32_t i = 0; i < count; i++) touch(warp, insn, mask, slots[i]);
}

static void check_register(Warp *warp, const Insn *insn, uint32_t slot, bool accumulator) {
  WarpCheck *check = warp_check(warp);
  RegisterCheck *reg = register_at(warp, slot);
  if (reg->written > check->wgmma_fenced) {
    Report *report = report_new(warp, insn, ALL_LANES, TILEC_SIM_WGMMA, 0, reg->writer);
    if (report) {
      report_message(report, "a register of this wgmma's %s has been written since the last wgmma.fence",
                     accumulator ? "accumulator" : "A");
      report_blame(report, warp, reg->writer, warp->index, "written here");
      report_order(report, "wgmma.fence between the two");
    }
  }
  reg->group = warp->committed[ASYNC_GROUP_WGMMA][0] + 1;
  reg->wgmma = insn_index(warp, insn);
  reg->accumulator = accumulator;
}

static void issue(Warp *warp, const Insn *insn) {
  const Matrix *matrix = insn->u.matrix;
  if (!warp_check(warp)->wgmma_fenced) {
    Report *report = report_new(warp, insn, ALL_LANES, TILEC_SIM_WGMMA, 0, UINT32_MAX);
    if (report) report_message(report, "no wgmma.fence before the warp's first wgmma");
    return;
  }
  for (uint32_t i = 0; i < matrix->a_count; i++) check_register(warp, insn, matrix->a_slots[i], false);
  for (uint32_t i = 0; i < matrix->d_count; i++) check_register(warp, insn, matrix->d_slots[i], true);
}

void hook_step(void *context, Warp *warp, const Insn *insn, uint32_t mask) {
  (void)context;
  if (!mask) return;
  if (insn->exec == exec_wgmma) {
    issue(warp, insn);
    return;
  }
  each(warp, insn, mask, insn->src, 4, reads);
  tilec_sim_access kind = access_of(insn);
  if (kind == TILEC_SIM_ACCESS_LOAD || kind == TILEC_SIM_ACCESS_STORE) {
    const MemoryAccess *access = insn->u.access;
    for (uint32_t i = 0; i < access->count; i++)
      if (kind == TILEC_SIM_ACCESS_STORE)
        reads(warp, insn, mask, access->slots[i]);
      else if (access->slot_bytes[i])
        writes(warp, insn, mask, access->slots[i]);
    return;
  }
  if (insn->exec == exec_mma) {
    const Matrix *matrix = insn->u.matrix;
    each(warp, insn, mask, matrix->a_slots, matrix->a_count, reads);
    each(warp, insn, mask, matrix->b_slots, matrix->b_count, reads);
    each(warp, insn, mask, matrix->c_slots, matrix->c_count, reads);
    each(warp, insn, mask, matrix->d_slots, matrix->d_count, writes);
    return;
  }
  if (insn->exec == exec_ldmatrix) each(warp, insn, mask, insn->u.move->slots, insn->u.move->count, writes);
  if (insn->exec == exec_stmatrix) each(warp, insn, mask, insn->u.move->slots, insn->u.move->count, reads);
  if (insn->exec == exec_pack || insn->exec == exec_convert_random)
    each(warp, insn, mask, insn->u.slots, insn->count, reads);
  if (insn->exec == exec_unpack) {
    each(warp, insn, mask, insn->u.slots, insn->count, writes);
    return;
  }
  if (insn->dst) writes(warp, insn, mask, insn->dst); // slot 0 is a constant: no result
  if (insn->dst2) writes(warp, insn, mask, insn->dst2);
}
