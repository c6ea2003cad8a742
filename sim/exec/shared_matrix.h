// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices in shared memory that wgmma and tcgen05 read by a descriptor of 64 bits (PTX ISA 9.7.15.5.1 and
// 9.7.16.4.1). Bits of both:
//
//   * 0..13 are start / 16.
//   * 16..29 are the leading byte offset / 16 (LBO).
//   * 32..45 are the stride byte offset / 16 (SBO).
//   * 49..51 are the base offset.
//   * 62..63 are wgmma's swizzle. 0: none. 1, 2, 3: rows of S = 128, 64, 32 bytes.
//   * 61..63 are tcgen05's swizzle. 0: none. 2, 4, 6: S = 128, 64, 32. 1: S = 128 in atoms of 32 bytes.
//   * 46..48 are 1, and 52 is 0, for tcgen05.
//
// The addresses of an operand's 16-byte chunks, before the swizzle:
//
//   Along K, for row r and chunk c:
//     Swizzled:     start + r/8 SBO + r%8 S + 16 c.
//     Not swizzled: start + r/8 SBO + c LBO + r%8 16
//
//   Along M or N, for chunk c and k row x:
//     Swizzled:     start + 16c/S LBO + x/8 SBO + x%8 S + 16c%S. Atoms of 32 bytes: x/4, x%4 for x/8, x%8.
//     Not swizzled: start + c SBO + x/8 LBO + x%8 16
//
// The swizzle exclusive-ors address bits 4.. with bits 7.. (minus the base offset). Atoms of 32 bytes: bits 5
// and 6 with bits 7 and 8.
#ifndef SIM_EXEC_SHARED_MATRIX_H
#define SIM_EXEC_SHARED_MATRIX_H

#include "sim/exec/matrix.h"
#include "sim/machine/hooks.h"

typedef struct Descriptor {
  uint32_t start, lbo, sbo, base, row; // row: S; 0: not swizzled
  bool wide_atoms;                     // of 32 bytes
} Descriptor;

Descriptor descriptor_of_wgmma(uint64_t bits);
// False: a field has a value that is not known. `what` says which.
bool descriptor_of_tcgen05(uint64_t bits, Descriptor *descriptor, const char **what);
// The address of a chunk, without its bounds checked.
uint32_t descriptor_chunk(const Descriptor *descriptor, uint32_t row, uint32_t chunk);

// An operand in shared memory. Its elements are stored to floats or ints at [row * by_row + k * by_k].
typedef struct SharedMatrix {
  const AsyncOp *op;
  Block *block;     // that has it
  const char *name; // of the instruction
  Descriptor descriptor;
  MatrixType type;
  bool transposed; // stored along M or N
  uint32_t first, rows, depth;
  uint32_t by_row, by_k;
  float *floats;
  int32_t *ints;
} SharedMatrix;

// Reads through the asynchronous proxy, and reports each chunk to the hooks. False: the fault is set.
bool shared_matrix_load(const SharedMatrix *matrix);
// 16 bytes of a CTA's shared memory, reported likewise. NULL: the fault is set.
const unsigned char *shared_chunk(const AsyncOp *op, Block *block, const char *name, uint32_t address);

#endif
