// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of matmul instructions.
#include "ir/dot/dot.h"

#include <string.h>
#include "base/fault.h"
#include "ir/queries.h"

static const DotInstructionInfo instructions[] = {
#define FP16 DOT_TYPES_FP16
#define BF16 DOT_TYPES_BF16
#define TF32 DOT_TYPES_TF32
#define FP8  DOT_TYPES_FP8
#define INT8 DOT_TYPES_INT8
#define ANY  DOT_TYPES_ANY
#define X(name, spelling, warps, rows, columns, k, types, first, second, is_async, meaning)                  \
  {spelling, warps, rows, columns, k, types, {DOT_##first, DOT_##second}, is_async, meaning},
#include "ir/dot/dot_instructions.def"
#undef X
#undef FP16
#undef BF16
#undef TF32
#undef FP8
#undef INT8
#undef ANY
};

const DotInstructionInfo *dot_instruction_info(DotInstruction instruction) {
  if ((unsigned)instruction >= DOT_INSTRUCTION_COUNT) BUG("no dot instruction %u", (unsigned)instruction);
  return &instructions[instruction];
}

DotInstruction dot_instruction(const Op *dot) {
  return (DotInstruction)op_int(dot, ATTR_INSTRUCTION, DOT_FMA);
}

void dot_set_instruction(Op *dot, DotInstruction instruction) {
  op_set_int(dot, ATTR_INSTRUCTION, instruction);
}

Fp32Dot dot_precision(const Op *dot) {
  const Attr *attr = op_attr(dot, ATTR_PRECISION);
  int precision = FP32_DOT_COUNT;
  while (attr && precision-- > 0)
    if (strcmp(attr->str, fp32_dot_names[precision]) == 0) return (Fp32Dot)precision;
  return FP32_DOT_IEEE;
}

bool fp32_dot_splits(Fp32Dot precision) {
  return precision == FP32_DOT_TF32X3 || precision == FP32_DOT_BF16X3 || precision == FP32_DOT_BF16X6;
}

bool dot_is_scaled(const Op *dot) { return dot->operand_count > DOT_SCALE_A; }

bool dot_has_pairs(const Op *dot) {
  return dot_is_scaled(dot) && type_element_bytes(op_operand(dot, 0)->type) == 1 &&
         !elem_is_fp8(type_element(op_operand(dot, 0)->type)->elem);
}

uint32_t dot_scale_group(const Op *dot) {
  if (!dot_is_scaled(dot)) return 0;
  if (!dot_has_pairs(dot)) return 32;
  return type_element(op_operand(dot, DOT_SCALE_A)->type)->elem == ELEM_FP8E4NV ? 8 : 16;
}

DotPart dot_part(const Op *dot) {
  const Attr *part = op_attr(dot, ATTR_PART);
  const Type *a = op_operand(dot, 0)->type;
  if (!part) return (DotPart){0, a->shape[a->rank - 1]};
  return (DotPart){(uint32_t)part->ints.at[0], (uint32_t)part->ints.at[1]};
}

DotExtents dot_extents(const Op *dot) {
  const Attr *extents = op_attr(dot, ATTR_EXTENTS);
  const Type *a = op_operand(dot, 0)->type, *result = op_result(dot)->type;
  uint32_t rank = result->rank;
  if (!extents) return (DotExtents){result->shape[rank - 2], result->shape[rank - 1], a->shape[a->rank - 1]};
  return (DotExtents){(uint32_t)extents->ints.at[0], (uint32_t)extents->ints.at[1],
                      (uint32_t)extents->ints.at[2]};
}

uint32_t dot_depth(const Op *dot) {
  DotPart part = dot_part(dot);
  if (!op_attr(dot, ATTR_EXTENTS)) return part.count;
  uint32_t step =
      dot_instruction_info(dot_instruction(dot))->k / type_element_bytes(op_operand(dot, 0)->type);
  uint32_t end = dot_extents(dot).k;
  if (step > 1) end = (end + step - 1) / step * step;
  return end <= part.first ? 0 : end - part.first < part.count ? end - part.first : part.count;
}

static const Op *summed_in(const Value *value, uint32_t *left);

// The dot that feeds an operand of an elementwise op. A select is excluded: it may replace values in the
// padding.
static const Op *summed_in_operand(const Op *op, uint32_t *left) {
  const Op *dot = NULL;
  if (!op_has(op, PURE | ELEMENTWISE) || op->kind == OP_SELECT || !type_is_tile(op_result(op)->type))
    return NULL;
  for (uint32_t i = 0; i < op->operand_count && !dot; i++) dot = summed_in(op_operand(op, i), left);
  return dot && op_result(dot)->type->layout == op_result(op)->type->layout ? dot : NULL;
}

static const Op *summed_in(const Value *value, uint32_t *left) {
  const Op *op = value->def ? value->def : value->region->parent;
  if (!type_is_tile(value->type) || !op || *left == 0) return NULL;
  --*left;
  if (op->kind == OP_FOR) return summed_in(loop_yielded(op, value->index - !value->def), left);
  if (!value->def) return NULL;
  if (op->kind == OP_DOT) return op_attr(op, ATTR_EXTENTS) ? op : NULL;
  if (op->kind == OP_DOT_WAIT) return summed_in(op_operand(op, value->index), left);
  return summed_in_operand(op, left);
}

const Op *dot_padding(const Value *value) {
  uint32_t left = 64;
  return summed_in(value, &left);
}

Op *dot_wait_of(const Op *dot) {
  while (dot) {
    const Use *use = op_result(dot)->first_use;
    if (!use || use->next || use->user->region != dot->region) return NULL;
    if (use->user->kind == OP_DOT_WAIT) return op_int(use->user, ATTR_PENDING, 0) == 0 ? use->user : NULL;
    dot = use->user->kind == OP_DOT && use == &use->user->operands[2] ? use->user : NULL;
  }
  return NULL;
}

Op *dot_done_at(const Op *dot) {
  int64_t later = 0; // at least: regions may start other dots
  for (Op *op = dot->next; op; op = op->next) {
    if (op->kind == OP_DOT_WAIT && op_int(op, ATTR_PENDING, 0) <= later) return op;
    later += op->kind == OP_DOT && op_attr(op, ATTR_ASYNC);
  }
  return NULL;
}

bool is_dot_of(const Op *op, DotInstruction instruction) {
  return op->kind == OP_DOT && dot_instruction(op) == instruction;
}
