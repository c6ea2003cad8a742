// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.ld, st, commit and the fences. Register r of thread t has this word of tensor memory (the lane is
// relative to the warp's 32, the column to the address; n is the repetition):
//
// ```
//   32x32b    r = n               lane t                  column n
//   16x64b    r = n               lane t/4 + 8 (t%2)      column 2n + t/2%2
//   16x128b   r = 2n + h          lane t/4 + 8h           column 4n + t%4
//   16x256b   r = 4n + 2h + j     lane t/4 + 8h           column 8n + 2 (t%4) + j
//   16x32bx2  r = n, t < 16       lane t                  column n
//             r = n, t >= 16      lane t - 16             column split + n
// ```
//
// Packed, a column above is two, and a register has the lower halves of both.
#include "sim/exec/tcgen05.h"

#include <stdlib.h>
#include "sim/exec/bulk.h"
#include "sim/exec/exec.h"
#include "sim/machine/lanes.h"
#include "sim/machine/resolve.h"

enum { PART = 32, PARTS = CHIP_TMEM_LANES / PART };

uint32_t tmem_address_at(const Warp *warp, const TmemAddress *address, uint32_t lane) {
  return ((const uint32_t *)lanes_at(warp, address->slot))[lane] + address->offset;
}

bool cta_group_fits(Warp *warp, const Insn *insn, uint32_t mask) {
  sim_hook_cta_group(warp, insn, mask);
  if (warp->block->worker->fault.set) return false;
  uint32_t size = cluster_size(warp->block);
  if (insn->count != 2 || (warp->block->rank | 1) < size) return true;
  return warp_fault(warp, insn, mask, TILEC_SIM_TMEM, 0,
                    "tcgen05 with .cta_group::2 needs a pair of CTAs, and the cluster has %u", size);
}

void tmem_touch(AsyncOp *op, uint32_t index, HookTmem access) {
  TmemRange *range = &op->u.tensor->ranges[index];
  uint32_t end = access.column + access.columns;
  if (range->count && range->first + range->count > end) end = range->first + range->count;
  if (!range->count || access.column < range->first) range->first = access.column;
  range->count = end - range->first;
  access.op = op;
  sim_hook_tmem(&access);
}

// ---- ld and st ----

// The lane and column of register r of thread t.
static void place_of(const TmemMove *move, uint32_t r, uint32_t t, uint32_t *lane, uint32_t *column) {
  *lane = *column = 0;
  switch (move->shape) {
  case TMEM_32X32B:
    *lane = t;
    *column = r;
    return;
  case TMEM_16X64B:
    *lane = t / 4 + 8 * (t % 2);
    *column = 2 * r + t / 2 % 2;
    return;
  case TMEM_16X128B:
    *lane = t / 4 + 8 * (r % 2);
    *column = 4 * (r / 2) + t % 4;
    return;
  case TMEM_16X256B:
    *lane = t / 4 + 8 * (r / 2 % 2);
    *column = 8 * (r / 4) + 2 * (t % 4) + r % 2;
    return;
  case TMEM_16X32BX2:
    *lane = t % 16;
    *column = r;
    return;
  }
}

// Columns of one access: all of them, or of each half of 16x32bx2.
static uint32_t columns_of(const TmemMove *move) {
  static const uint32_t columns[] = {1, 2, 4, 8, 1};
  return columns[move->shape] * move->repeat * (move->packed ? 2 : 1);
}

static uint32_t first_lane_of(const Warp *warp, uint32_t address) {
  return warp->index % PARTS * PART + tmem_lane(address) % PART;
}

static bool is_store(const Insn *insn) { return insn->exec == exec_tmem_store; }

static uint32_t load_word(const Tmem *tmem, const TmemMove *move, uint32_t lane, uint32_t column) {
  if (!move->packed) return tmem->words[column][lane];
  return (tmem->words[column][lane] & 0xffff) | tmem->words[column + 1][lane] << 16;
}

static void store_word(Tmem *tmem, const TmemMove *move, uint32_t lane, uint32_t column, uint32_t value) {
  tmem->words[column][lane] = move->packed ? value & 0xffff : value;
  if (move->packed) tmem->words[column + 1][lane] = value >> 16;
}

void tmem_move_run(AsyncOp *op) {
  const TmemMove *move = op->insn->u.tmem;
  Tmem *tmem = op->warp->block->tmem;
  const TensorOp *tensor = op->u.tensor;
  uint32_t first = first_lane_of(op->warp, tensor->to), base = tmem_column(tensor->to);
  for (uint32_t r = 0; r < move->count; r++) {
    uint32_t *registers = lanes_at(op->warp, move->slots[r]);
    for (uint32_t t = 0; t < LANES; t++) {
      uint32_t lane, column;
      place_of(move, r, t, &lane, &column);
      column = base + column * (move->packed ? 2 : 1);
      if (move->shape == TMEM_16X32BX2 && t >= 16) column += move->split;
      if (is_store(op->insn))
        store_word(tmem, move, first + lane, column, tensor->values[r * LANES + t]);
      else
        registers[t] = load_word(tmem, move, first + lane, column);
    }
  }
}

// The address must be the same in all threads, and its lane a multiple of the shape's.
static bool move_address(Warp *warp, const Insn *insn, uint32_t mask, uint32_t *address) {
  const TmemMove *move = insn->u.tmem;
  uint32_t lanes = move->shape == TMEM_32X32B ? PART : PART / 2;
  *address = tmem_address_at(warp, &move->address, lowest_lane(mask));
  for (uint32_t l = 0; l < LANES; l++)
    if ((mask >> l & 1) && tmem_address_at(warp, &move->address, l) != *address)
      return warp_fault(warp, insn, 1u << l, TILEC_SIM_TMEM, 0,
                        "the address of tensor memory differs between lanes");
  if (mask != ALL_LANES)
    warp_fault(warp, insn, ~mask, TILEC_SIM_TMEM, 0, "tcgen05.%s without all threads of the warp",
               is_store(insn) ? "st" : "ld");
  else if (tmem_lane(*address) % lanes)
    warp_fault(warp, insn, mask, TILEC_SIM_TMEM, *address, "lane %u of tensor memory is not a multiple of %u",
               tmem_lane(*address), lanes);
  return !warp->block->worker->fault.set;
}

static bool move_prepare(AsyncOp *op) {
  const TmemMove *move = op->insn->u.tmem;
  TensorOp *tensor = op->u.tensor;
  const char *what = is_store(op->insn) ? "tcgen05.st writes" : "tcgen05.ld reads";
  if (!move_address(op->warp, op->insn, op->mask, &tensor->to)) return false;
  bool halves = move->shape == TMEM_16X32BX2;
  HookTmem access = {.access = is_store(op->insn) ? HOOK_WRITE : HOOK_READ,
                     .lane = first_lane_of(op->warp, tensor->to),
                     .lanes = move->shape == TMEM_32X32B ? PART : PART / 2,
                     .columns = columns_of(move)};
  for (uint32_t half = 0; half < (halves ? 2 : 1); half++) {
    access.column = tmem_column(tensor->to) + half * move->split;
    if (!tmem_reach(op->warp, op->insn, op->mask, op->warp->block, (TmemRange){access.column, access.columns},
                    what))
      return false;
    tmem_touch(op, half, access);
  }
  return true;
}

static bool keep_values(AsyncOp *op) {
  const TmemMove *move = op->insn->u.tmem;
  op->u.tensor->values = malloc((size_t)move->count * LANES * sizeof *op->u.tensor->values);
  if (!op->u.tensor->values)
    return warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_ASYNC, 0, "no memory for a tcgen05.st");
  for (uint32_t r = 0; r < move->count; r++)
    memcpy(op->u.tensor->values + (size_t)r * LANES, lanes_at(op->warp, move->slots[r]), LANES * 4);
  return true;
}

void exec_tmem_store(Warp *warp, const Insn *insn, uint32_t mask) {
  AsyncOp *op = async_new(warp, insn, mask, ASYNC_TMEM_MOVE, ASYNC_GROUP_TMEM_STORE);
  if (!op) return;
  if (move_prepare(op) && keep_values(op))
    async_issue(op);
  else
    async_drop(op);
}

// A register that is read before the wait has the loaded value (PTX ISA 9.7.16.6.4.5). So only loads whose
// registers are not named before it can take effect at the wait.
void exec_tmem_load(Warp *warp, const Insn *insn, uint32_t mask) {
  AsyncOp *op = async_new(warp, insn, mask, ASYNC_TMEM_MOVE, ASYNC_GROUP_TMEM_LOAD);
  if (!op) return;
  if (!move_prepare(op))
    async_drop(op);
  else if (insn->u.tmem->may_wait)
    async_issue(op);
  else
    async_issue_now(op);
}

// ---- commit and fences ----

// One operation for each mbarrier.
static void commit_to(Warp *warp, const Insn *insn, uint32_t lane, Block *at, uint64_t mbarrier) {
  AsyncOp *op = async_new(warp, insn, 1u << lane, ASYNC_COMMIT, ASYNC_GROUP_NONE);
  if (!op) return;
  op->at = at;
  op->mbarrier = mbarrier;
  op->group[lane] = warp->committed[ASYNC_GROUP_TENSOR_CORE][lane] - 1;
  async_issue(op);
}

// u.address: the mbarrier. src[1]: the mask of CTAs, or UINT32_MAX.
void exec_tcgen05_commit(Warp *warp, const Insn *insn, uint32_t mask) {
  if (!cta_group_fits(warp, insn, mask)) return;
  for (uint32_t l = 0; l < LANES && !warp->block->worker->fault.set; l++) {
    Place place;
    if (!(mask >> l & 1)) continue;
    uint32_t ctas = multicast_ctas(warp, insn, insn->src[1], l);
    if (warp->block->worker->fault.set ||
        !resolve_operand(warp, insn, l, insn->u.address, 8, 8, true, &place))
      return;
    sim_hook_commit(warp, insn, 1u << l, ASYNC_GROUP_TENSOR_CORE);
    async_commit(warp, 1u << l, ASYNC_GROUP_TENSOR_CORE);
    if (!ctas) commit_to(warp, insn, l, place.block, place.address);
    for (uint32_t rank = 0; ctas >> rank && !warp->block->worker->fault.set; rank++)
      if (ctas >> rank & 1) commit_to(warp, insn, l, cluster_block(warp->block, rank), place.address);
  }
}
