// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma.mma_async: each warp of a warpgroup computes its 16 of the 64 rows, from registers or shared memory.
//
// A descriptor's bits (PTX ISA 9.7.15.5.1):
//
//   * 0..13 are start / 16.
//   * 16..29 are the leading byte offset / 16 (LBO).
//   * 32..45 are the stride byte offset / 16 (SBO).
//   * 49..51 are the base offset.
//   * 62..63 are the swizzle. 0: none. 1, 2, 3: rows of S = 128, 64, 32 bytes.
//
// The addresses of an operand's 16-byte chunks, before the swizzle:
//
//   Along K, for row r and chunk c:
//     Swizzled:     start + r/8 SBO + r%8 S + 16 c.
//     Not swizzled: start + r/8 SBO + c LBO + r%8 16
//
//   Along M or N, for chunk c and k row x:
//     Swizzled:     start + 16c/S LBO + x/8 SBO + x%8 S + 16c%S.
//     Not swizzled: start + c SBO + x/8 LBO + x%8 16
//
// The swizzle exclusive-ors address bits 4.. with bits 7.. (minus the base offset).
#include <stdlib.h>
#include "sim/machine/hooks.h"
#include "sim/exec/matrix.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"

enum { CHUNK = 16, ADDRESS_MASK = 0x3ffff };

typedef struct Descriptor {
  uint32_t start, lbo, sbo, base, row; // row: S; 0: not swizzled
} Descriptor;

static Descriptor descriptor_of(uint64_t bits) {
  static const uint32_t rows[] = {0, 128, 64, 32};
  return (Descriptor){.start = (uint32_t)(bits & 0x3fff) << 4,
                      .lbo = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                      .sbo = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                      .base = (uint32_t)(bits >> 49 & 7),
                      .row = rows[bits >> 62]};
}

static uint32_t swizzled(const Descriptor *d, uint32_t address) {
  address &= ADDRESS_MASK;
  if (!d->row) return address;
  uint32_t phase = ((address >> 7) - d->base) & (d->row / CHUNK - 1);
  return address ^ phase << 4;
}

static uint32_t chunk_along_k(const Descriptor *d, uint32_t row, uint32_t chunk) {
  if (d->row) return swizzled(d, d->start + row / 8 * d->sbo + row % 8 * d->row + chunk * CHUNK);
  return swizzled(d, d->start + row / 8 * d->sbo + chunk * d->lbo + row % 8 * CHUNK);
}

static uint32_t chunk_along_rows(const Descriptor *d, uint32_t chunk, uint32_t k) {
  if (!d->row) return swizzled(d, d->start + chunk * d->sbo + k / 8 * d->lbo + k % 8 * CHUNK);
  uint32_t byte = chunk * CHUNK;
  return swizzled(d, d->start + byte / d->row * d->lbo + k / 8 * d->sbo + k % 8 * d->row + byte % d->row);
}

// An operand in shared memory. Its elements are stored to to[row * by_row + k * by_k].
typedef struct WgmmaOperand {
  const AsyncOp *op;
  Descriptor descriptor;
  MatrixType type;
  bool transposed; // stored along M or N
  uint32_t first, rows, depth;
  uint32_t by_row, by_k;
  float *floats;
  int32_t *ints;
} WgmmaOperand;

static bool load_chunk(const WgmmaOperand *operand, uint32_t address, size_t at, uint32_t step) {
  const AsyncOp *op = operand->op;
  const Block *block = op->warp->block;
  uint32_t count = CHUNK / matrix_bytes(operand->type);
  if (address + CHUNK > block->shared_bytes) {
    warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_OUT_OF_BOUNDS, address,
               "wgmma reads 16 bytes at shared address %u, of %u bytes", address, block->shared_bytes);
    return false;
  }
  if (operand->floats)
    matrix_floats(operand->type, block->shared + address, count, operand->floats + at, step);
  else
    matrix_ints(operand->type, block->shared + address, count, operand->ints + at, step);
  if (!hooks_of(op->warp)) return true;
  HookRange range = {.warp = op->warp, .insn = op->insn, .lanes = op->mask, .op = op, .space = SPACE_SHARED};
  range.proxy = HOOK_ASYNC;
  range.address = address;
  range.bytes = CHUNK;
  sim_hook_range(&range);
  return true;
}

static bool load_operand(const WgmmaOperand *operand) {
  const Descriptor *d = &operand->descriptor;
  uint32_t per = CHUNK / matrix_bytes(operand->type);
  if (operand->transposed) {
    for (uint32_t c = 0; c < operand->rows / per; c++)
      for (uint32_t k = 0; k < operand->depth; k++) {
        size_t at = (size_t)c * per * operand->by_row + (size_t)k * operand->by_k;
        if (!load_chunk(operand, chunk_along_rows(d, operand->first / per + c, k), at, operand->by_row))
          return false;
      }
    return true;
  }
  for (uint32_t r = 0; r < operand->rows; r++)
    for (uint32_t c = 0; c < operand->depth / per; c++) {
      size_t at = (size_t)r * operand->by_row + (size_t)c * per * operand->by_k;
      if (!load_chunk(operand, chunk_along_k(d, operand->first + r, c), at, operand->by_k)) return false;
    }
  return true;
}

static void negate(float *numbers, size_t n, bool really) {
  for (size_t i = 0; really && i < n; i++) numbers[i] = -numbers[i];
}

static bool load_operands(const AsyncOp *op, float *a, float *b, int32_t *int_a, int32_t *int_b) {
  const Matrix *matrix = op->insn->u.matrix;
  WgmmaOperand of_a = {op,
                       descriptor_of(op->descriptors[0]),
                       matrix->a,
                       matrix->transpose_a,
                       op->warp->index % 4 * 16,
                       16,
                       matrix->k,
                       matrix->k,
                       1,
                       a,
                       int_a};
  WgmmaOperand of_b = {op,        descriptor_of(op->descriptors[1]),
                       matrix->b, matrix->transpose_b,
                       0,         matrix->n,
                       matrix->k, 1,
                       matrix->n, b,
                       int_b};
  if (matrix->a_count)
    matrix_load_a(op->warp, matrix, a, int_a);
  else if (!load_operand(&of_a))
    return false;
  return load_operand(&of_b);
}

static void run_ints(AsyncOp *op, Integers *integers) {
  const Matrix *matrix = op->insn->u.matrix;
  if (!load_operands(op, NULL, NULL, integers->a, integers->b)) return;
  if (op->accumulate)
    matrix_load_c(op->warp, matrix, MATRIX_S32, matrix->d_slots, NULL, integers->c);
  else
    memset(integers->c, 0, sizeof integers->c);
  matrix_multiply_ints(matrix, integers);
  matrix_store_d(op->warp, matrix, NULL, integers->c);
}

static void run_floats(AsyncOp *op, Numbers *numbers) {
  const Matrix *matrix = op->insn->u.matrix;
  if (!load_operands(op, numbers->a, numbers->b, NULL, NULL)) return;
  negate(numbers->a, (size_t)matrix->m * matrix->k, matrix->negate_a);
  negate(numbers->b, (size_t)matrix->n * matrix->k, matrix->negate_b);
  if (op->accumulate)
    matrix_load_c(op->warp, matrix, matrix->d, matrix->d_slots, numbers->c, NULL);
  else
    memset(numbers->c, 0, (size_t)matrix->m * matrix->n * sizeof *numbers->c);
  matrix_multiply(matrix, numbers);
  matrix_store_d(op->warp, matrix, numbers->c, NULL);
}

void wgmma_run(AsyncOp *op) {
  bool ints = matrix_is_int(op->insn->u.matrix->a);
  void *memory = malloc(ints ? sizeof(Integers) : sizeof(Numbers));
  if (!memory)
    warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_ASYNC, 0, "no memory for a wgmma");
  else if (ints)
    run_ints(op, memory);
  else
    run_floats(op, memory);
  free(memory);
}

static bool uniform_descriptor(Warp *warp, const Insn *insn, uint32_t slot, uint32_t mask, uint64_t *bits) {
  const uint64_t *lanes = lanes_at(warp, slot);
  uint32_t first = lowest_lane(mask);
  *bits = lanes[first];
  for (uint32_t l = 0; l < LANES; l++)
    if ((mask >> l & 1) && lanes[l] != *bits) {
      warp_fault(warp, insn, 1u << l, TILEC_SIM_ASYNC, 0, "wgmma's descriptor differs between lanes");
      return false;
    }
  return true;
}

void exec_wgmma(Warp *warp, const Insn *insn, uint32_t mask) {
  const Matrix *matrix = insn->u.matrix;
  if (mask != ALL_LANES) {
    warp_fault(warp, insn, ~mask, TILEC_SIM_ASYNC, 0, "wgmma without all lanes of the warp");
    return;
  }
  AsyncOp *op = async_new(warp, insn, mask, ASYNC_WGMMA, ASYNC_GROUP_WGMMA);
  if (!op) return;
  if ((!matrix->a_count &&
       !uniform_descriptor(warp, insn, matrix->a_descriptor, mask, &op->descriptors[0])) ||
      !uniform_descriptor(warp, insn, matrix->b_descriptor, mask, &op->descriptors[1])) {
    async_drop(op);
    return;
  }
  op->accumulate = (predicate_at(warp, matrix->accumulate) ^ matrix->accumulate_flip) & 1;
  async_issue(op);
}

void exec_wgmma_fence(Warp *warp, const Insn *insn, uint32_t mask) {
  sim_hook_fence(warp, insn, mask, HOOK_FENCE_WGMMA);
}
