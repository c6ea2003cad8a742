// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma.mma_async: each warp of a warpgroup computes its 16 of the 64 rows, from registers or shared memory.
#include <stdlib.h>
#include "sim/exec/exec.h"
#include "sim/exec/shared_matrix.h"
#include "sim/machine/lanes.h"

static bool load_operands(const AsyncOp *op, float *a, float *b, int32_t *int_a, int32_t *int_b) {
  const Matrix *matrix = op->insn->u.matrix;
  SharedMatrix of_a = {.op = op,
                       .block = op->warp->block,
                       .name = "wgmma",
                       .descriptor = descriptor_of_wgmma(op->descriptors[0]),
                       .type = matrix->a,
                       .transposed = matrix->transpose_a,
                       .first = op->warp->index % 4 * 16,
                       .rows = 16,
                       .depth = matrix->k,
                       .by_row = matrix->k,
                       .by_k = 1,
                       .floats = a,
                       .ints = int_a};
  SharedMatrix of_b = {.op = op,
                       .block = op->warp->block,
                       .name = "wgmma",
                       .descriptor = descriptor_of_wgmma(op->descriptors[1]),
                       .type = matrix->b,
                       .transposed = matrix->transpose_b,
                       .rows = matrix->n,
                       .depth = matrix->k,
                       .by_row = 1,
                       .by_k = matrix->n,
                       .floats = b,
                       .ints = int_b};
  if (matrix->a_count)
    matrix_load_a(op->warp, matrix, a, int_a);
  else if (!shared_matrix_load(&of_a))
    return false;
  return shared_matrix_load(&of_b);
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
  matrix_negate(numbers->a, (size_t)matrix->m * matrix->k, matrix->negate_a);
  matrix_negate(numbers->b, (size_t)matrix->n * matrix->k, matrix->negate_b);
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
    if ((mask >> l & 1) && lanes[l] != *bits)
      return warp_fault(warp, insn, 1u << l, TILEC_SIM_ASYNC, 0, "wgmma's descriptor differs between lanes");
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
