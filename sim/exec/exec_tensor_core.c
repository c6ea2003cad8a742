// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor core's operations of one thread: tcgen05.mma, cp and shift. Their issue, and cp and shift
// themselves (PTX ISA 9.7.16.9).
#include "sim/exec/exec.h"
#include "sim/exec/shared_matrix.h"
#include "sim/exec/tcgen05.h"
#include "sim/machine/lanes.h"

enum { PART = 32, MATRIX_COLUMNS_32B = 8, RANGE_D = 0, RANGE_A, RANGE_SCALE_A, RANGE_SCALE_B };

void tensor_core_run(AsyncOp *op) {
  if (op->insn->exec == exec_tcgen05_mma)
    mma_run(op);
  else if (op->insn->exec == exec_tcgen05_cp)
    tmem_copy_run(op);
  else
    tmem_shift_run(op);
}

// Issues one operation for each thread.
static void each_thread(Warp *warp, const Insn *insn, uint32_t mask,
                        bool (*prepare)(AsyncOp *op, uint32_t lane)) {
  if (!cta_group_fits(warp, insn, mask)) return;
  for (uint32_t l = 0; l < LANES && !warp->block->worker->fault.set; l++) {
    if (!(mask >> l & 1)) continue;
    AsyncOp *op = async_new(warp, insn, 1u << l, ASYNC_TENSOR_CORE, ASYNC_GROUP_TENSOR_CORE);
    if (!op) return;
    if (prepare(op, l))
      async_issue(op);
    else
      async_drop(op);
  }
}

static void touch(AsyncOp *op, uint32_t range, HookAccess access, uint32_t address, uint32_t lanes,
                  uint32_t columns) {
  for (uint32_t i = 0; i < group_size(op); i++)
    tmem_touch(op, range,
               (HookTmem){.access = access,
                          .lane = tmem_lane(address) % CHIP_TMEM_LANES,
                          .lanes = lanes,
                          .column = tmem_column(address),
                          .columns = columns,
                          .block = group_block(op, i)});
}

// ---- mma ----

// Accesses to the rows of D or A.
static void touch_rows_of(AsyncOp *op, Block *block, uint32_t range, HookAccess access, uint32_t address,
                          uint32_t columns) {
  const MmaForm *form = &op->u.tensor->form;
  uint32_t rows = form->m == 64 ? 16 : CHIP_TMEM_LANES, all = form->m == 64 ? 64 : CHIP_TMEM_LANES;
  for (uint32_t m = 0; m < all; m += rows)
    tmem_touch(op, range,
               (HookTmem){.block = block,
                          .access = access,
                          .lane = tmem_lane(address) + mma_lane(form, m),
                          .lanes = rows,
                          .column = tmem_column(address),
                          .columns = columns,
                          .accumulator = range == RANGE_D,
                          .m = form->m,
                          .n = form->n});
}

static void touch_rows(AsyncOp *op, uint32_t range, HookAccess access, uint32_t address, uint32_t columns) {
  for (uint32_t i = 0; i < group_size(op); i++)
    touch_rows_of(op, group_block(op, i), range, access, address, columns);
}

static bool row_address_fits(AsyncOp *op, uint32_t address, const char *matrix) {
  uint32_t lane = tmem_lane(address);
  if (lane == 0 || (lane == 16 && op->u.tensor->form.m == 64)) return true;
  return warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_TMEM, address,
                    "tcgen05.mma: %s with %u rows is at lane %u of tensor memory", matrix,
                    op->u.tensor->form.m, lane);
}

static bool reach(AsyncOp *op, uint32_t address, uint32_t columns, const char *what) {
  for (uint32_t i = 0; i < group_size(op); i++)
    if (!tmem_reach(op->warp, op->insn, op->mask, group_block(op, i),
                    (TmemRange){tmem_column(address), columns}, what))
      return false;
  return true;
}

static bool prepare_a(AsyncOp *op, uint32_t lane) {
  const TensorMma *mma = op->insn->u.mma;
  TensorOp *tensor = op->u.tensor;
  if (!mma->a_in_tmem) {
    op->descriptors[0] = ((const uint64_t *)lanes_at(op->warp, mma->a_descriptor))[lane];
    return true;
  }
  tensor->a = tmem_address_at(op->warp, &mma->a, lane);
  if (!row_address_fits(op, tensor->a, "A") || !reach(op, tensor->a, MATRIX_COLUMNS_32B, "tcgen05.mma reads"))
    return false;
  if (tmem_lane(tensor->a) != tmem_lane(tensor->to))
    return warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_TMEM, tensor->a,
                      "tcgen05.mma: A is at lane %u of tensor memory, and D at lane %u", tmem_lane(tensor->a),
                      tmem_lane(tensor->to));
  touch_rows(op, RANGE_A, HOOK_READ, tensor->a, MATRIX_COLUMNS_32B);
  return true;
}

// The two upper bits of a scale's address are not part of it: CUTLASS keeps the scale's id there.
static bool prepare_scales(AsyncOp *op, uint32_t lane) {
  const TensorMma *mma = op->insn->u.mma;
  TensorOp *tensor = op->u.tensor;
  if (mma->kind < MMA_KIND_MXF8F6F4) return true;
  uint32_t a_columns = mma_rows(&tensor->form) / PART,
           b_columns = (mma_columns(&tensor->form) + PART - 1) / PART;
  tensor->scale_a = tmem_address_at(op->warp, &mma->scale_a, lane) & 0x3fffffff;
  tensor->scale_b = tmem_address_at(op->warp, &mma->scale_b, lane) & 0x3fffffff;
  if (tmem_lane(tensor->scale_a) || tmem_lane(tensor->scale_b))
    return warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_TMEM, 0, "tcgen05.mma: scales begin at lane 0");
  if (!reach(op, tensor->scale_a, a_columns, "tcgen05.mma reads scales in") ||
      !reach(op, tensor->scale_b, b_columns, "tcgen05.mma reads scales in"))
    return false;
  touch(op, RANGE_SCALE_A, HOOK_READ, tensor->scale_a, CHIP_TMEM_LANES, a_columns);
  touch(op, RANGE_SCALE_B, HOOK_READ, tensor->scale_b, CHIP_TMEM_LANES, b_columns);
  return true;
}

static bool mma_prepare(AsyncOp *op, uint32_t lane) {
  const TensorMma *mma = op->insn->u.mma;
  TensorOp *tensor = op->u.tensor;
  Warp *warp = op->warp;
  uint32_t bits = ((const uint32_t *)lanes_at(warp, mma->descriptor))[lane];
  if (!mma_form(warp, op->insn, lane, bits, &tensor->form)) return false;
  tensor->to = tmem_address_at(warp, &mma->d, lane);
  op->descriptors[1] = ((const uint64_t *)lanes_at(warp, mma->b_descriptor))[lane];
  op->accumulate = (predicate_at(warp, mma->accumulate) ^ mma->accumulate_flip) >> lane & 1;
  for (uint32_t i = 0; i < mma->masks && i < 8; i++)
    tensor->lanes_off[i] = ((const uint32_t *)lanes_at(warp, mma->lanes_off[i]))[lane];
  if (!row_address_fits(op, tensor->to, "D") ||
      !reach(op, tensor->to, mma_columns(&tensor->form), "tcgen05.mma writes") || !prepare_a(op, lane) ||
      !prepare_scales(op, lane))
    return false;
  if (op->accumulate) touch_rows(op, RANGE_D, HOOK_READ, tensor->to, mma_columns(&tensor->form));
  touch_rows(op, RANGE_D, HOOK_WRITE, tensor->to, mma_columns(&tensor->form));
  return true;
}

void exec_tcgen05_mma(Warp *warp, const Insn *insn, uint32_t mask) {
  each_thread(warp, insn, mask, mma_prepare);
}

// ---- cp ----

// Rows and 16-byte chunks in shared memory, and the 32-lane parts that get copies. part_rows: rows of a part.
static const struct {
  uint32_t rows, chunks;
} copies[] = {
    [TMEM_COPY_128X256B] = {128, 2},     [TMEM_COPY_4X256B] = {4, 2},         [TMEM_COPY_128X128B] = {128, 1},
    [TMEM_COPY_64X128B_02_13] = {64, 1}, [TMEM_COPY_64X128B_01_23] = {64, 1}, [TMEM_COPY_32X128B] = {32, 1}};

static bool copy_prepare(AsyncOp *op, uint32_t lane) {
  const TmemCopy *copy = op->insn->u.tmem_copy;
  TensorOp *tensor = op->u.tensor;
  uint32_t columns = 4 * copies[copy->shape].chunks;
  tensor->to = tmem_address_at(op->warp, &copy->to, lane);
  op->descriptors[1] = ((const uint64_t *)lanes_at(op->warp, copy->descriptor))[lane];
  bool few = copy->shape == TMEM_COPY_4X256B;
  if (tmem_lane(tensor->to) >= (few ? PART : 1u))
    return warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_TMEM, tensor->to,
                      "tcgen05.cp to lane %u of tensor memory", tmem_lane(tensor->to));
  if (!reach(op, tensor->to, columns, "tcgen05.cp writes")) return false;
  for (uint32_t part = 0; few && part < CHIP_TMEM_LANES; part += PART)
    touch(op, RANGE_D, HOOK_WRITE, tensor->to + (part << 16), 1, columns);
  if (!few) touch(op, RANGE_D, HOOK_WRITE, tensor->to, CHIP_TMEM_LANES, columns);
  return true;
}

void exec_tcgen05_cp(Warp *warp, const Insn *insn, uint32_t mask) {
  each_thread(warp, insn, mask, copy_prepare);
}

// True if row r of the matrix goes to the lane of tensor memory.
static bool row_goes_to(TmemCopyShape shape, uint32_t r, uint32_t lane, uint32_t first) {
  switch (shape) {
  case TMEM_COPY_128X256B:
  case TMEM_COPY_128X128B: return r == lane;
  case TMEM_COPY_4X256B: return lane == r * PART + first;
  case TMEM_COPY_64X128B_02_13: return lane % 64 == r;
  case TMEM_COPY_64X128B_01_23: return lane / 64 == r / PART && lane % PART == r % PART;
  case TMEM_COPY_32X128B: return lane % PART == r;
  }
  return false;
}

static void put_chunk(AsyncOp *op, Tmem *tmem, uint32_t r, uint32_t chunk, const unsigned char *bytes) {
  const TmemCopy *copy = op->insn->u.tmem_copy;
  uint32_t column = tmem_column(op->u.tensor->to) + 4 * chunk, words[4];
  unsigned char containers[16];
  if (copy->unpacks) {
    matrix_unpack(copy->unpacks, bytes, containers);
    bytes = containers;
  }
  memcpy(words, bytes, sizeof words);
  for (uint32_t lane = 0; lane < CHIP_TMEM_LANES; lane++)
    if (row_goes_to(copy->shape, r, lane, tmem_lane(op->u.tensor->to)))
      for (uint32_t i = 0; i < 4; i++) tmem->words[column + i][lane] = words[i];
}

// From the CTA's shared memory to its tensor memory. False: the fault is set.
static bool copy_in(AsyncOp *op, Block *block, const Descriptor *descriptor) {
  TmemCopyShape shape = op->insn->u.tmem_copy->shape;
  for (uint32_t r = 0; r < copies[shape].rows; r++)
    for (uint32_t c = 0; c < copies[shape].chunks; c++) {
      const unsigned char *bytes = shared_chunk(op, block, "tcgen05.cp", descriptor_chunk(descriptor, r, c));
      if (!bytes) return false;
      put_chunk(op, block->tmem, r, c, bytes);
    }
  return true;
}

void tmem_copy_run(AsyncOp *op) {
  Descriptor descriptor;
  const char *what;
  if (!descriptor_of_tcgen05(op->descriptors[1], &descriptor, &what)) {
    warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_ASYNC, 0, "tcgen05.cp's matrix descriptor: %s", what);
    return;
  }
  for (uint32_t i = 0; i < group_size(op); i++)
    if (!copy_in(op, group_block(op, i), &descriptor)) return;
}

// ---- shift ----

// 32 bytes of each of 32 lanes: a lane gets what the next one has. The last one keeps its own.
static bool shift_prepare(AsyncOp *op, uint32_t lane) {
  TensorOp *tensor = op->u.tensor;
  tensor->to = tmem_address_at(op->warp, &op->insn->u.tmem_copy->to, lane);
  if (tmem_lane(tensor->to) % PART || tmem_lane(tensor->to) >= CHIP_TMEM_LANES)
    return warp_fault(op->warp, op->insn, op->mask, TILEC_SIM_TMEM, tensor->to,
                      "tcgen05.shift at lane %u of tensor memory, which is not a multiple of 32",
                      tmem_lane(tensor->to));
  if (!reach(op, tensor->to, MATRIX_COLUMNS_32B, "tcgen05.shift moves")) return false;
  touch(op, RANGE_D, HOOK_READ, tensor->to, PART, MATRIX_COLUMNS_32B);
  touch(op, RANGE_D, HOOK_WRITE, tensor->to, PART, MATRIX_COLUMNS_32B);
  return true;
}

void exec_tcgen05_shift(Warp *warp, const Insn *insn, uint32_t mask) {
  each_thread(warp, insn, mask, shift_prepare);
}

void tmem_shift_run(AsyncOp *op) {
  uint32_t lane = tmem_lane(op->u.tensor->to), column = tmem_column(op->u.tensor->to);
  for (uint32_t i = 0; i < group_size(op); i++) {
    Tmem *tmem = group_block(op, i)->tmem;
    for (uint32_t c = column; c < column + MATRIX_COLUMNS_32B; c++)
      memmove(&tmem->words[c][lane], &tmem->words[c][lane + 1], (PART - 1) * sizeof(uint32_t));
  }
}
