// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/exec/shared_matrix.h"

enum { CHUNK = 16, ADDRESS_MASK = 0x3ffff };

// ---- descriptors ----

static Descriptor fields_of(uint64_t bits) {
  return (Descriptor){.start = (uint32_t)(bits & 0x3fff) << 4,
                      .lbo = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                      .sbo = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                      .base = (uint32_t)(bits >> 49 & 7)};
}

Descriptor descriptor_of_wgmma(uint64_t bits) {
  static const uint32_t rows[] = {0, 128, 64, 32};
  Descriptor d = fields_of(bits);
  d.row = rows[bits >> 62];
  return d;
}

bool descriptor_of_tcgen05(uint64_t bits, Descriptor *descriptor, const char **what) {
  static const uint32_t rows[] = {0, 128, 128, 1, 64, 1, 32, 1};
  *descriptor = fields_of(bits);
  descriptor->row = rows[bits >> 61];
  descriptor->wide_atoms = bits >> 61 == 1;
  *what = NULL;
  if ((bits >> 46 & 7) != 1)
    *what = "bits 46 to 48 are not 0b001";
  else if (bits >> 52 & 1)
    *what = "the absolute address of bit 52, which only K = 96 has";
  else if (bits >> 53 & 0xff)
    *what = "bits 53 to 60 are not 0";
  else if (descriptor->row == 1)
    *what = "bits 61 to 63 are not a swizzle";
  return !*what;
}

static uint32_t swizzled(const Descriptor *d, uint32_t address) {
  address &= ADDRESS_MASK;
  if (!d->row) return address;
  if (d->wide_atoms) return address ^ (((address >> 7) - d->base) & 3) << 5;
  uint32_t phase = ((address >> 7) - d->base) & (d->row / CHUNK - 1);
  return address ^ phase << 4;
}

uint32_t descriptor_chunk(const Descriptor *d, uint32_t row, uint32_t chunk) {
  if (d->row) return swizzled(d, d->start + row / 8 * d->sbo + row % 8 * d->row + chunk * CHUNK);
  return swizzled(d, d->start + row / 8 * d->sbo + chunk * d->lbo + row % 8 * CHUNK);
}

static uint32_t chunk_along_rows(const Descriptor *d, uint32_t chunk, uint32_t k) {
  uint32_t rows = d->wide_atoms ? 4 : 8, byte = chunk * CHUNK;
  if (!d->row) return swizzled(d, d->start + chunk * d->sbo + k / 8 * d->lbo + k % 8 * CHUNK);
  return swizzled(d,
                  d->start + byte / d->row * d->lbo + k / rows * d->sbo + k % rows * d->row + byte % d->row);
}

// ---- loads ----

const unsigned char *shared_chunk(const AsyncOp *op, Block *block, const char *name, uint32_t address) {
  if (address + CHUNK > block->shared_bytes) {
    warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_OUT_OF_BOUNDS, address,
               "%s reads 16 bytes at shared address %u, of %u bytes", name, address, block->shared_bytes);
    return NULL;
  }
  if (!hooks_of(op->warp)) return block->shared + address;
  HookRange range = {.warp = op->warp, .insn = op->insn, .lanes = op->mask, .op = op, .space = SPACE_SHARED};
  range.proxy = HOOK_ASYNC;
  range.address = address;
  range.bytes = CHUNK;
  range.block = block;
  sim_hook_range(&range);
  return block->shared + address;
}

static bool load_chunk(const SharedMatrix *matrix, uint32_t address, size_t at, uint32_t step) {
  const unsigned char *from = shared_chunk(matrix->op, matrix->block, matrix->name, address);
  unsigned char containers[CHUNK];
  if (!from) return false;
  if (matrix_unpacks(matrix->type)) {
    matrix_unpack(matrix->type, from, containers);
    from = containers;
  }
  if (matrix->floats)
    matrix_floats(matrix->type, from, matrix_chunk(matrix->type), matrix->floats + at, step);
  else
    matrix_ints(matrix->type, from, matrix_chunk(matrix->type), matrix->ints + at, step);
  return true;
}

bool shared_matrix_load(const SharedMatrix *matrix) {
  const Descriptor *d = &matrix->descriptor;
  uint32_t per = matrix_chunk(matrix->type);
  if (matrix->transposed) {
    for (uint32_t c = 0; c < matrix->rows / per; c++)
      for (uint32_t k = 0; k < matrix->depth; k++) {
        size_t at = (size_t)c * per * matrix->by_row + (size_t)k * matrix->by_k;
        if (!load_chunk(matrix, chunk_along_rows(d, matrix->first / per + c, k), at, matrix->by_row))
          return false;
      }
    return true;
  }
  for (uint32_t r = 0; r < matrix->rows; r++)
    for (uint32_t c = 0; c < matrix->depth / per; c++) {
      size_t at = (size_t)r * matrix->by_row + (size_t)c * per * matrix->by_k;
      if (!load_chunk(matrix, descriptor_chunk(d, matrix->first + r, c), at, matrix->by_k)) return false;
    }
  return true;
}
