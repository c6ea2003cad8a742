// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by bulk copies (exec_bulk.c) and TMA copies (exec_tensor.c).
#ifndef SIM_EXEC_BULK_H
#define SIM_EXEC_BULK_H

#include "sim/machine/hooks.h"

// to[i] = op(to[i], from[i]) for each element, as one atomic operation.
void bulk_reduce(Operation op, PtxType type, unsigned char *to, const unsigned char *from, uint64_t bytes);
// The mask of CTAs in these registers, or UINT32_MAX. 0: no multicast, or the fault is set.
uint32_t multicast_ctas(Warp *warp, const Insn *insn, uint32_t slot, uint32_t lane);
bool bulk_mbarrier(AsyncOp *op, uint32_t lane); // finds the mbarrier of the completion; false: the fault is
                                                // set
// Makes and prepares a lane's copy to the CTAs *ctas. NULL: the fault is set.
AsyncOp *bulk_begin(Warp *warp, const Insn *insn, uint32_t lane, AsyncKind kind,
                    bool (*prepare_copy)(AsyncOp *op, uint32_t lane), uint32_t *ctas);
// Issues the operation, or one for each CTA of the mask. Their destinations and mbarriers are at the same
// addresses in their CTAs.
void bulk_issue(AsyncOp *op, uint32_t ctas);
// Counts an access to a range of global memory.
void bulk_count(const AsyncOp *op, uint64_t address, uint64_t bytes, bool new_request);
void bulk_range_hook(const AsyncOp *op, PtxSpace space, HookAccess access, uint64_t address, uint64_t bytes);
void bulk_row_hook(const AsyncOp *op, PtxSpace space, HookAccess access, uint64_t address, uint64_t bytes,
                   uint64_t beyond);

// Copies between `staged` (packed, not swizzled) and the tensor in global memory or the tile in shared
// memory.
void tensor_read(AsyncOp *op);
void tensor_write(AsyncOp *op);

#endif
