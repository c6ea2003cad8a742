// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of types, layouts and attributes, for each op.
#include "base/fault.h"
#include "base/integer.h"
#include "ir/verify/verify_parts.h"

#include <inttypes.h>
#include "target/math.h"

const char *verify_type_text(Verifier *v, const Type *type) {
  Buf text = {0};
  type_print(type, &text);
  const char *copy = arena_copy(&v->scratch, buf_view(&text));
  buf_free(&text);
  return copy;
}

// Bits of the flattened index of the padded shape.
static uint32_t index_bits(const Type *type) {
  uint32_t bits = 0;
  for (uint32_t d = 0; d < type->rank; d++) bits += log2_ceil(type->shape[d]);
  return bits;
}

// Returns true if every element has a holder: the bases span all output bits.
static bool layout_is_onto(const Layout *layout) {
  uint32_t rows[32] = {0}, rank = 0;
  for (uint32_t i = 0; i < layout_in_bits(layout); i++) {
    uint32_t basis = layout->basis[i];
    while (basis) {
      uint32_t top = log2_floor(basis);
      if (!rows[top]) {
        rows[top] = basis;
        rank++;
        break;
      }
      basis ^= rows[top];
    }
  }
  return rank == layout->out_bits;
}

bool verify_holds(const Type *tile) {
  return tile->layout && tile->layout->out_bits == index_bits(tile) && layout_is_onto(tile->layout);
}

void verify_layout(Verifier *v, const Op *op, const Type *tile, const Layout *layout, const char *what) {
  uint32_t size_bits = index_bits(tile), warp_bits = log2_ceil(v->warps);
  if (layout->out_bits != size_bits)
    verify_fail(v, op, "the layout of %s has %" PRIu64 " elements, the tile %" PRIu64, what,
                UINT64_C(1) << layout->out_bits, UINT64_C(1) << size_bits);
  else if (!layout_is_onto(layout))
    verify_fail(v, op, "the layout of %s does not hold every element", what);
  if (tile->kind == TYPE_SHARED) {
    if (layout->bits[DIM_OFFSET] != layout_in_bits(layout))
      verify_fail(v, op, "the layout of %s, a shared buffer, is from offsets alone", what);
    else if (layout->bits[DIM_OFFSET] != layout->out_bits)
      verify_fail(v, op, "the layout of %s, a shared buffer, must have one offset for each element", what);
    return;
  }
  if (layout->bits[DIM_OFFSET]) verify_fail(v, op, "the layout of %s, a tile, has no offset bits", what);
  if (layout->bits[DIM_LANE] != LANE_BITS)
    verify_fail(v, op, "the layout of %s has %u lane bits instead of %d", what, layout->bits[DIM_LANE],
                LANE_BITS);
  if (layout->bits[DIM_WARP] != warp_bits)
    verify_fail(v, op, "the layout of %s has %u warp bits, num_warps = %u asks for %u", what,
                layout->bits[DIM_WARP], v->warps, warp_bits);
  if (layout->bits[DIM_BLOCK])
    verify_fail(v, op, "the layout of %s has block bits: clusters are not built", what);
}

void verify_type(Verifier *v, const Op *op, const Type *type, const char *what) {
  if (type->rank == 0) return;
  // Consecutive buffers (shared_index) may have any number. Tiles may have any size before pad_tiles.
  uint32_t first = type->kind == TYPE_SHARED && type->rank > 1 && type->shape[0] > 0 ? 1 : 0;
  bool any = type->kind != TYPE_SHARED && !type->layout;
  for (uint32_t d = first; d < type->rank; d++)
    if (type->shape[d] == 0 || (!any && !is_power_of_two(type->shape[d]))) {
      verify_fail(v, op,
                  type->shape[d] ? "the size %u of %s, which has a layout, is not a power of two"
                                 : "the size %u of %s is not positive",
                  type->shape[d], what);
      return;
    }
  if (type_elements(type) > TILE_MAX_ELEMENTS) {
    verify_fail(v, op, "%s has %" PRIu64 " elements, more than %d", what, type_elements(type),
                TILE_MAX_ELEMENTS);
    return;
  }
  if (type->layout) verify_layout(v, op, type, type->layout, what);
}

static void check_constant(Verifier *v, const Op *op) {
  const Type *type = result_type(op);
  const Attr *value = op_attr(op, ATTR_VALUE), *fvalue = op_attr(op, ATTR_FVALUE);
  if (type_is_int(type) && (!value || fvalue))
    verify_fail(v, op, "an integer constant has 'value' and no 'fvalue'");
  else if (type_is_float(type) && (!fvalue || value))
    verify_fail(v, op, "a floating-point constant has 'fvalue' and no 'value'");
  else if (value && elem_wrap(type_element(type)->elem, value->i) != value->i)
    verify_fail(v, op, "the value %" PRId64 " does not fit in %s", value->i,
                elem_info(type_element(type)->elem)->name);
  else if (fvalue) {
    double rounded = elem_round(type_element(type)->elem, fvalue->f);
    if (memcmp(&rounded, &fvalue->f, sizeof rounded) != 0)
      verify_fail(v, op, "the value %.17g is not exact in %s", fvalue->f,
                  elem_info(type_element(type)->elem)->name);
  }
}

static void check_program_id(Verifier *v, const Op *op) {
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  if (axis < 0 || axis > 2) verify_fail(v, op, "the axis %" PRId64 " is not 0, 1 or 2", axis);
}

static void check_arange(Verifier *v, const Op *op) {
  int64_t start = op_int(op, ATTR_START, 0), end = op_int(op, ATTR_END, 0);
  const Type *type = result_type(op);
  if (start < INT32_MIN || end > (int64_t)INT32_MAX + 1)
    verify_fail(v, op, "the values from %" PRId64 " to %" PRId64 " do not fit in i32", start, end);
  else if (end <= start || end - start != type->shape[0])
    verify_fail(v, op, "the values from %" PRId64 " to %" PRId64 " do not fill a tile of %u", start, end,
                type->shape[0]);
}

static void check_splat(Verifier *v, const Op *op) {
  const Type *type = result_type(op), *scalar = operand_type(op, 0);
  if (type->inner != scalar)
    verify_fail(v, op, "the scalar is %s, the tile's element type %s", verify_type_text(v, scalar),
                verify_type_text(v, type->inner));
}

static void check_convert_layout(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0), *to = result_type(op);
  if (!type_same_shape(from, to) || from->inner != to->inner)
    verify_fail(v, op, "from %s to %s more than the layout changes", verify_type_text(v, from),
                verify_type_text(v, to));
  else if (!from->layout || !to->layout)
    verify_fail(v, op, "both tiles have layouts");
}

static const AttrKey promises[] = {ATTR_MULTIPLE, ATTR_CONTIGUOUS, ATTR_CONSTANT};

// Requires a number for each dimension. Divisions promise runs of integers only.
static void check_promises(Verifier *v, const Op *op) {
  const Type *type = result_type(op);
  bool divides = op->kind == OP_DIV || op->kind == OP_REM;
  bool runs = divides && (op_attr(op, ATTR_CONSTANT) || op_attr(op, ATTR_CONTIGUOUS));
  if (runs && !type_is_int(type))
    verify_fail(v, op, "runs are of integers, not %s", verify_type_text(v, type));
  uint32_t rank = type_is_tile(type) ? type->rank : 1;
  for (uint32_t i = 0; i < sizeof promises / sizeof *promises; i++) {
    const Attr *attr = op_attr(op, promises[i]);
    if (attr && attr->ints.n != rank)
      verify_fail(v, op, "`%s` has %u numbers for %u dimensions", attr_info(promises[i])->name, attr->ints.n,
                  rank);
    for (uint32_t d = 0; attr && d < attr->ints.n; d++)
      if (attr->ints.at[d] == 0)
        verify_fail(v, op, "`%s` has a 0; each is at least 1", attr_info(promises[i])->name);
  }
}

static void check_bitcast(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0), *to = result_type(op);
  if (element_bits(from) != element_bits(to))
    verify_fail(v, op, "%s and %s do not have the same number of bits", verify_type_text(v, from),
                verify_type_text(v, to));
}

static void check_math(Verifier *v, const Op *op) {
  const Type *type = operand_type(op, 0);
  MathFunction function;
  if (!math_of(op, &function)) {
    verify_fail(v, op, "there is no function '%.40s'", op_attr(op, ATTR_FUNCTION)->str);
    return;
  }
  const MathInfo *info = math_info(function);
  if (op->operand_count != info->operands)
    verify_fail(v, op, "%s takes %u operands, not %u", info->name, info->operands, op->operand_count);
  if (!math_has(function, type_element(type)->elem)) verify_fail(v, op, "%s is of fp32 alone", info->name);
  Elem wanted = math_result_elem(function, type_element(type)->elem);
  if (!type_is_elem(result_type(op), wanted))
    verify_fail(v, op, "the result of %s is of %s, not %s", info->name, elem_info(wanted)->name,
                verify_type_text(v, result_type(op)));
  int64_t share = op_int(op, ATTR_POLYNOMIAL, 2);
  if (share < 2 || share > POLYNOMIAL_GROUP || share % 2 ||
      (op_attr(op, ATTR_POLYNOMIAL) && (function != MATH_exp2 || wanted != ELEM_FP32)))
    verify_fail(v, op, "`polynomial` is an even number from 2 to %d, of exp2 in fp32", POLYNOMIAL_GROUP);
}

static void check_same(Verifier *v, const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (operand_type(op, i) != result_type(op)) {
      verify_fail(v, op, "every operand has the result's type %s, operand %u is %s",
                  verify_type_text(v, result_type(op)), i, verify_type_text(v, operand_type(op, i)));
      return;
    }
}

// Requires one shape, and one layout or none.
static bool check_elementwise(Verifier *v, const Op *op) {
  if (op->result_count + op->operand_count == 0) return true;
  const Type *first = op->result_count ? result_type(op) : operand_type(op, 0);
  for (uint32_t i = 0; i < op_input_count(op); i++) {
    const Type *type = operand_type(op, i);
    bool has_elements = type_element(type)->kind == TYPE_SCALAR || type_is_ptr(type);
    if (!has_elements || !type_same_shape(type, first))
      return verify_fail(v, op, "operand %u, %s, does not have the shape of %s", i, verify_type_text(v, type),
                         verify_type_text(v, first));
    if (type->layout != first->layout)
      return verify_fail(v, op, "operand %u has another layout; only convert_layout changes layouts", i);
  }
  return true;
}

// Requires that all tiles of the op have a layout, or none has.
static void check_layouts_complete(Verifier *v, const Op *op) {
  bool with = false, without = false;
  for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
    const Type *type = i < op->operand_count ? operand_type(op, i) : op->results[i - op->operand_count].type;
    if (type->kind != TYPE_TILE) continue;
    with = with || type->layout;
    without = without || !type->layout;
  }
  if (with && without) verify_fail(v, op, "either all of its tiles have a layout or none");
}

// The rules of this file's ops that ops.def does not state.
static void verify_value_op(Verifier *v, const Op *op) {
  switch ((int)op->kind) {
  case OP_CONSTANT: check_constant(v, op); break;
  case OP_PROGRAM_ID:
  case OP_NUM_PROGRAMS: check_program_id(v, op); break;
  case OP_ARANGE: check_arange(v, op); break;
  case OP_SPLAT: check_splat(v, op); break;
  case OP_CONVERT_LAYOUT: check_convert_layout(v, op); break;
  case OP_BITCAST: check_bitcast(v, op); break;
  case OP_MATH: check_math(v, op); break;
  default: break;
  }
}

void verify_op_types(Verifier *v, const Op *op) {
  check_layouts_complete(v, op);
  if (op_has(op, ELEMENTWISE) && !check_elementwise(v, op)) return;
  if (op_has(op, SAME)) check_same(v, op);
  if (!verify_constraints(v, op)) return;
  if (op->result_count) check_promises(v, op);
  verify_value_op(v, op);
  verify_tile_op(v, op);
  verify_machine_op(v, op);
  verify_shared_op(v, op);
  verify_ring_op(v, op);
  verify_tensor_op(v, op);
  verify_tmem_op(v, op);
  verify_region_op(v, op);
}
