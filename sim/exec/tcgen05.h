// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the files that execute tcgen05 (PTX ISA 9.7.16).
#ifndef SIM_EXEC_TCGEN05_H
#define SIM_EXEC_TCGEN05_H

#include "sim/machine/hooks.h"
#include "sim/machine/tmem.h"

uint32_t tmem_address_at(const Warp *warp, const TmemAddress *address, uint32_t lane);
// False: the fault is set. A .cta_group::2 needs a pair of CTAs: those whose ranks differ in the last bit.
bool cta_group_fits(Warp *warp, const Insn *insn, uint32_t mask);
// Reports the access to the hooks, and keeps its columns as range `index` of the operation.
void tmem_touch(AsyncOp *op, uint32_t index, HookTmem access);

// tcgen05.mma's matrices. False: the fault is set.
bool mma_form(Warp *warp, const Insn *insn, uint32_t lane, uint32_t bits, MmaForm *form);
// CTAs that an operation of the tensor core works on, and one of them, the even one first.
static inline uint32_t group_size(const AsyncOp *op) { return op->insn->count; }
static inline Block *group_block(const AsyncOp *op, uint32_t i) {
  return op->insn->count == 2 ? cluster_block(op->warp->block, (op->warp->block->rank & ~1u) + i)
                              : op->warp->block;
}

// Rows of A and D in each CTA.
static inline uint32_t mma_rows(const MmaForm *form) { return form->pair ? form->m / 2 : form->m; }
// True if D has its columns from N / 2 on in the upper 64 lanes, and A in tensor memory is there again.
static inline bool mma_halves(const MmaForm *form) { return form->pair && form->m == 128; }
// Columns of D in tensor memory.
static inline uint32_t mma_columns(const MmaForm *form) { return mma_halves(form) ? form->n / 2 : form->n; }
// The lane of tensor memory of a CTA's row m of A and D, without the address's own lane (PTX ISA 9.7.16.10.5).
static inline uint32_t mma_lane(const MmaForm *form, uint32_t m) {
  return form->m == 64 ? m / 16 * 32 + m % 16 : m;
}
void mma_run(AsyncOp *op);
void tmem_copy_run(AsyncOp *op);
void tmem_shift_run(AsyncOp *op);

#endif
