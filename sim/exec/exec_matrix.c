// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ldmatrix, stmatrix, movmatrix: 8x8 matrices of 16-bit elements. Lane l has elements 2 (l % 4) and the next
// of row l / 4. If transposed, of column l / 4. ldmatrix also loads 8-bit elements.
#include "sim/machine/hooks.h"
#include "sim/machine/resolve.h"
#include "sim/exec/exec.h"
#include "sim/exec/matrix.h"
#include "sim/machine/lanes.h"

enum { SIDE = 8, ROW_BYTES = 16 };

typedef uint16_t Tile[SIDE][SIDE];

static uint32_t pair_of(Tile tile, uint32_t lane, bool transposed) {
  uint32_t line = lane / 4, at = 2 * (lane % 4);
  if (transposed) return tile[at][line] | (uint32_t)tile[at + 1][line] << 16;
  return tile[line][at] | (uint32_t)tile[line][at + 1] << 16;
}

static void put_pair(Tile tile, uint32_t lane, bool transposed, uint32_t pair) {
  uint32_t line = lane / 4, at = 2 * (lane % 4);
  *(transposed ? &tile[at][line] : &tile[line][at]) = (uint16_t)pair;
  *(transposed ? &tile[at + 1][line] : &tile[line][at + 1]) = (uint16_t)(pair >> 16);
}

// Row r of matrix i is at the address of lane 8 i + r.
static bool find_rows(Warp *warp, const Insn *insn, uint32_t matrices, bool writes, Place *rows) {
  const MatrixMove *move = insn->u.move;
  uint64_t addresses[LANES] = {0};
  uint32_t lanes = matrices * SIDE, mask = lanes == LANES ? ALL_LANES : (1u << lanes) - 1;
  for (uint32_t l = 0; l < lanes; l++) {
    if (!resolve_operand(warp, insn, l, &move->address, ROW_BYTES, ROW_BYTES, writes, &rows[l])) return false;
    addresses[l] = rows[l].address;
    if (rows[l].space == SPACE_SHARED) continue;
    return warp_fault(warp, insn, 1u << l, TILEC_SIM_OUT_OF_BOUNDS, addresses[l],
                      "a matrix's row is not in shared memory");
  }
  counters_shared(&warp->block->worker->by_site[insn->site], addresses, mask, ROW_BYTES, false);
  sim_hook_access(warp, insn, mask, SPACE_SHARED, writes ? HOOK_WRITE : HOOK_READ, addresses, ROW_BYTES);
  return true;
}

// 8-bit elements: register i of lane l has elements 4 (l % 4) to 4 (l % 4) + 3 of row 8 i + l / 4. Transposed, it
// has those of column l / 4 + 8 (i % 2), from the 16 rows of matrix i / 2.
static void load_bytes(Warp *warp, const MatrixMove *move, const Place *rows, uint32_t mask) {
  unsigned char data[LANES][ROW_BYTES];
  for (uint32_t r = 0; r < move->count * SIDE; r++)
    if (matrix_unpacks(move->bytes))
      matrix_unpack(move->bytes, rows[r].host, data[r]);
    else
      memcpy(data[r], rows[r].host, ROW_BYTES);
  for (uint32_t i = 0; i < move->count; i++) {
    uint32_t out[LANES] = {0};
    for (uint32_t l = 0; l < LANES; l++)
      for (uint32_t j = 0; j < 4; j++) {
        uint32_t at = 4 * (l % 4) + j;
        uint32_t byte =
            move->transposed ? data[i / 2 * 16 + at][l / 4 + i % 2 * 8] : data[SIDE * i + l / 4][at];
        out[l] |= byte << 8 * j;
      }
    lanes_write32(warp, move->slots[i], out, mask);
  }
}

void exec_ldmatrix(Warp *warp, const Insn *insn, uint32_t mask) {
  const MatrixMove *move = insn->u.move;
  Place rows[LANES];
  if (!find_rows(warp, insn, move->count, false, rows)) return;
  if (move->bytes) {
    load_bytes(warp, move, rows, mask);
    return;
  }
  for (uint32_t i = 0; i < move->count; i++) {
    Tile tile;
    uint32_t out[LANES];
    for (uint32_t r = 0; r < SIDE; r++) memcpy(tile[r], rows[SIDE * i + r].host, ROW_BYTES);
    for (uint32_t l = 0; l < LANES; l++) out[l] = pair_of(tile, l, move->transposed);
    lanes_write32(warp, move->slots[i], out, mask);
  }
}

void exec_stmatrix(Warp *warp, const Insn *insn, uint32_t mask) {
  const MatrixMove *move = insn->u.move;
  Place rows[LANES];
  (void)mask;
  if (!find_rows(warp, insn, move->count, true, rows)) return;
  for (uint32_t i = 0; i < move->count; i++) {
    Tile tile;
    const uint32_t *in = lanes_at(warp, move->slots[i]);
    for (uint32_t l = 0; l < LANES; l++) put_pair(tile, l, move->transposed, in[l]);
    for (uint32_t r = 0; r < SIDE; r++) memcpy(rows[SIDE * i + r].host, tile[r], ROW_BYTES);
  }
}

void exec_movmatrix(Warp *warp, const Insn *insn, uint32_t mask) {
  Tile tile;
  uint32_t out[LANES];
  const uint32_t *in = lanes_at(warp, insn->src[0]);
  for (uint32_t l = 0; l < LANES; l++) put_pair(tile, l, false, in[l]);
  for (uint32_t l = 0; l < LANES; l++) out[l] = pair_of(tile, l, true);
  lanes_write32(warp, insn->dst, out, mask);
}
