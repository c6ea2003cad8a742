// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests if an instruction accepts a dot, before one is chosen.
#ifndef IR_DOT_DOT_FITS_H
#define IR_DOT_DOT_FITS_H

#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"

// The properties that decide the instruction.
typedef struct DotProduct {
  const TargetInfo *arch;
  uint32_t warps; // that execute the dot
  DotShape shape;
  bool batched;         // including a batch of one
  uint32_t scale_group; // dot_scale_group
  bool swapped;         // b is the instruction's first operand, and both are in shared memory
  Elem a, b, result;
  Fp32Dot precision;
  const char *held; // Why the sums must be in registers; NULL: they may be in tensor memory.
} DotProduct;

DotProduct dot_product(const Op *dot); // for tiles
// log2 of the elements of a in 32 bits.
uint32_t dot_pack(const DotProduct *p);
// log2 of the neighbours along k that a thread of an mma holds in a row: those of 32 bits, or k_run.
uint32_t dot_run_bits(const Op *dot);
// NULL: the instruction accepts it. Otherwise the reason, in words (`arena` holds generated text).
const char *dot_refuses(Arena *arena, const DotProduct *p, DotInstruction instruction);
// The same for a dot with scales: why no instruction takes them.
const char *dot_refuses_scales(Arena *arena, const DotProduct *p);
// True if mma.sync takes the dot only transposed: it has 8 rows, and 16 columns or more.
bool dot_has_few_rows(const DotProduct *p);
// The architecture's row of mma.sync.
DotInstruction dot_mma(const TargetInfo *arch);
bool can_wgmma(const Op *dot);
// Returns true if wgmma or tcgen05.mma accepts the dot: they read matrices as TMA writes them.
bool can_read_matrices(const Op *dot);
// Returns true if the instruction reads the operand from shared memory along m or n too, not only along k. Its elements
// have 16 bits, or 8 for tcgen05.mma.
bool dot_reads_turned(const Op *dot, DotOperand operand);

#endif
