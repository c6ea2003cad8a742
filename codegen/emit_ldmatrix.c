// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shared_load by ldmatrix: where a warp's registers are 8x8 matrices of 16 bits (or, not transposed, of
// 32-bit words of narrower or wider elements) whose rows lie in 16 bytes each. PTX ISA, "Warp-level matrix
// load instruction: ldmatrix".
#include "base/math.h"
#include "codegen/emit_dot.h"
#include "codegen/nvvm.h"

enum { ROW_BYTES_BITS = 4, MAX_MATRICES_BITS = 2 };

// How a load divides into instructions. `offsets` are the tile's layout, from registers, lanes and warps to
// the buffer's offsets in elements.
typedef struct Plan {
  Layout offsets;
  bool transposed;
  uint32_t word_bits;                    // log2 of the elements of a 32-bit word of the result
  uint32_t matrices_bits;                // log2 of the matrices an instruction loads
  uint32_t matrix_at[MAX_MATRICES_BITS]; // the register bits that choose among them
  uint32_t rest_at[32], rest_bits;       // register bits that choose among instructions
  Layout rows; // from (instruction, lane, warp) to the offset of the row that the lane points at
} Plan;

static uint32_t basis_of(const Layout *layout, LayoutDim dim, uint32_t bit) {
  return bit < layout->bits[dim] ? layout_basis(layout, dim, bit) : 0;
}

// Lanes 0 and 1 and the word's registers run along the row; lanes 2 to 4 and all else choose rows.
static bool fits_plain(const Plan *plan, uint32_t row_bits) {
  const Layout *at = &plan->offsets;
  if (plan->word_bits + 2 != row_bits || at->bits[DIM_REGISTER] < plan->word_bits) return false;
  for (uint32_t i = 0; i < plan->word_bits; i++)
    if (layout_basis(at, DIM_REGISTER, i) != 1u << i) return false;
  return basis_of(at, DIM_LANE, 0) == 1u << plan->word_bits &&
         basis_of(at, DIM_LANE, 1) == 2u << plan->word_bits;
}

// Lanes 2 to 4 run along the row; lanes 0 and 1 and the word's register choose among its 8 rows.
static bool fits_transposed(const Plan *plan, uint32_t row_bits) {
  const Layout *at = &plan->offsets;
  if (plan->word_bits != 1 || row_bits != 3 || at->bits[DIM_REGISTER] < 1) return false;
  for (uint32_t i = 0; i < 3; i++)
    if (basis_of(at, DIM_LANE, 2 + i) != 1u << i) return false;
  return true;
}

// Whether every bit that chooses rows leaves the offset within the row alone.
static bool rows_are_whole(const Plan *plan, uint32_t row_bits) {
  uint32_t within = (1u << row_bits) - 1;
  const Layout *at = &plan->offsets;
  for (uint32_t i = plan->transposed ? 0 : plan->word_bits; i < at->bits[DIM_REGISTER]; i++)
    if (layout_basis(at, DIM_REGISTER, i) & within) return false;
  for (uint32_t i = 0; i < LANE_BITS; i++) {
    bool in_row = plan->transposed ? i >= 2 : i < 2;
    if (!in_row && layout_basis(at, DIM_LANE, i) & within) return false;
  }
  for (uint32_t i = 0; i < at->bits[DIM_WARP]; i++)
    if (layout_basis(at, DIM_WARP, i) & within) return false;
  return true;
}

// Lanes 0 to 7 point at the rows of the first matrix, 8 to 15 at those of the second, and so on.
static void choose_rows(Plan *plan) {
  const Layout *at = &plan->offsets;
  Layout rows = {.out_bits = at->out_bits};
  uint32_t n = 0;
  for (uint32_t i = plan->word_bits; i < at->bits[DIM_REGISTER]; i++) {
    if (plan->matrices_bits < MAX_MATRICES_BITS)
      plan->matrix_at[plan->matrices_bits++] = i;
    else
      plan->rest_at[plan->rest_bits++] = i;
  }
  for (uint32_t i = 0; i < plan->rest_bits; i++)
    rows.basis[n++] = layout_basis(at, DIM_REGISTER, plan->rest_at[i]);
  rows.bits[DIM_REGISTER] = (uint8_t)plan->rest_bits;
  if (plan->transposed) {
    rows.basis[n++] = layout_basis(at, DIM_REGISTER, 0);
    rows.basis[n++] = layout_basis(at, DIM_LANE, 0);
    rows.basis[n++] = layout_basis(at, DIM_LANE, 1);
  } else {
    for (uint32_t i = 2; i < LANE_BITS; i++) rows.basis[n++] = layout_basis(at, DIM_LANE, i);
  }
  for (uint32_t i = 0; i < MAX_MATRICES_BITS; i++)
    rows.basis[n++] = i < plan->matrices_bits ? layout_basis(at, DIM_REGISTER, plan->matrix_at[i]) : 0;
  rows.bits[DIM_LANE] = LANE_BITS;
  for (uint32_t i = 0; i < at->bits[DIM_WARP]; i++) rows.basis[n++] = layout_basis(at, DIM_WARP, i);
  rows.bits[DIM_WARP] = at->bits[DIM_WARP];
  plan->rows = rows;
}

static bool make_plan(const Op *op, Plan *plan) {
  const Type *tile = op_result(op)->type, *buffer = op_operand(op, 0)->type;
  uint32_t bytes = type_element_bytes(tile), bytes_bits = log2_of(bytes),
           row_bits = ROW_BYTES_BITS - bytes_bits;
  Layout inverse;
  if (bytes > 4 || type_is_elem(tile, ELEM_I1) || op_attr(op, ATTR_STARTS)) return false;
  if (!layout_invert(buffer->layout, &inverse)) return false;
  plan->offsets = layout_compose(tile->layout, &inverse);
  plan->word_bits = 2 - bytes_bits;
  if (fits_transposed(plan, row_bits))
    plan->transposed = true;
  else if (!fits_plain(plan, row_bits))
    return false;
  if (!rows_are_whole(plan, row_bits)) return false;
  choose_rows(plan);
  return true;
}

// The tile's register of element i of the word of matrix m of instruction r.
static uint32_t register_of(const Plan *plan, uint32_t r, uint32_t m, uint32_t i) {
  uint32_t result = i;
  for (uint32_t b = 0; b < plan->matrices_bits; b++) result |= (m >> b & 1) << plan->matrix_at[b];
  for (uint32_t b = 0; b < plan->rest_bits; b++) result |= (r >> b & 1) << plan->rest_at[b];
  return result;
}

static void scatter_word(Emitter *e, const Plan *plan, LLVMTypeRef element, LLVMValueRef word, uint32_t r,
                         uint32_t m, LLVMValueRef *out) {
  uint32_t count = 1u << plan->word_bits;
  LLVMValueRef vector =
      LLVMBuildBitCast(e->builder, word, count == 1 ? element : LLVMVectorType(element, count), "");
  for (uint32_t i = 0; i < count; i++)
    out[register_of(plan, r, m, i)] =
        count == 1 ? vector : LLVMBuildExtractElement(e->builder, vector, emit_i32(e, i), "");
}

bool emit_ldmatrix(Emitter *e, Op *op) {
  Plan plan = {0};
  if (!make_plan(op, &plan)) return false;
  static const char *const names[2][3] = {{"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16",
                                           "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16",
                                           "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"},
                                          {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.trans.b16",
                                           "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16",
                                           "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16"}};
  const Value *buffer = op_operand(op, 0), *result = op_result(op);
  emit_needs_ptx(e, 65);
  LLVMTypeRef element = emit_memory_type(e, result->type);
  LLVMValueRef base = emit_shared_address(e, buffer), *out = emit_new(e, result);
  const Layout *rows = layout_intern(e->module->ir, &plan.rows);
  uint32_t matrices = 1u << plan.matrices_bits;
  for (uint32_t r = 0; r < 1u << plan.rest_bits; r++) {
    LLVMValueRef index = emit_index(e, rows, r);
    LLVMValueRef pointer = LLVMBuildGEP2(e->builder, element, base, &index, 1, "");
    LLVMTypeRef type = LLVMTypeOf(pointer);
    LLVMValueRef words = nvvm_intrinsic(e, names[plan.transposed][plan.matrices_bits], &type, 1, &pointer, 1);
    for (uint32_t m = 0; m < matrices; m++) {
      LLVMValueRef word = matrices == 1 ? words : LLVMBuildExtractValue(e->builder, words, m, "");
      scatter_word(e, &plan, element, word, r, m, out);
    }
  }
  return true;
}
