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

static bool is_number(const Type *type) { return type_is_int(type) || type_is_float(type); }
static bool is_data(const Type *type) { return is_number(type) || type_is_ptr(type); }

static void check_constant(Verifier *v, const Op *op) {
  const Type *type = result_type(op);
  const Attr *value = op_attr(op, ATTR_VALUE), *fvalue = op_attr(op, ATTR_FVALUE);
  if (!is_number(type))
    verify_fail(v, op, "a constant is of integers or floats, not %s", verify_type_text(v, type));
  else if (type_is_int(type) && (!value || fvalue))
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
  const Type *type = result_type(op);
  if (axis < 0 || axis > 2) verify_fail(v, op, "the axis %" PRId64 " is not 0, 1 or 2", axis);
  if (type->kind != TYPE_SCALAR || type->elem != ELEM_I32)
    verify_fail(v, op, "the result is i32, not %s", verify_type_text(v, type));
}

static void check_arange(Verifier *v, const Op *op) {
  int64_t start = op_int(op, ATTR_START, 0), end = op_int(op, ATTR_END, 0);
  const Type *type = result_type(op);
  if (type->kind != TYPE_TILE || type->rank != 1 || !type_is_elem(type, ELEM_I32))
    verify_fail(v, op, "the result is a tile of i32 with one dimension, not %s", verify_type_text(v, type));
  else if (start < INT32_MIN || end > (int64_t)INT32_MAX + 1)
    verify_fail(v, op, "the values from %" PRId64 " to %" PRId64 " do not fit in i32", start, end);
  else if (end <= start || end - start != type->shape[0])
    verify_fail(v, op, "the values from %" PRId64 " to %" PRId64 " do not fill a tile of %u", start, end,
                type->shape[0]);
}

static void check_splat(Verifier *v, const Op *op) {
  const Type *type = result_type(op), *scalar = operand_type(op, 0);
  if (type->kind != TYPE_TILE)
    verify_fail(v, op, "the result is a tile, not %s", verify_type_text(v, type));
  else if (type->inner != scalar)
    verify_fail(v, op, "the scalar is %s, the tile's element type %s", verify_type_text(v, scalar),
                verify_type_text(v, type->inner));
}

static void check_convert_layout(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0), *to = result_type(op);
  if (from->kind != TYPE_TILE || to->kind != TYPE_TILE || !type_same_shape(from, to) ||
      from->inner != to->inner)
    verify_fail(v, op, "from %s to %s more than the layout changes", verify_type_text(v, from),
                verify_type_text(v, to));
  else if (!from->layout || !to->layout)
    verify_fail(v, op, "both tiles have layouts");
}

static void check_integers(Verifier *v, const Op *op) {
  if (!type_is_int(result_type(op)))
    verify_fail(v, op, "the operands are integers, not %s", verify_type_text(v, result_type(op)));
}

static const AttrKey promises[] = {ATTR_MULTIPLE, ATTR_CONTIGUOUS, ATTR_CONSTANT};

// Requires a number for each dimension.
static void check_promises(Verifier *v, const Op *op) {
  const Type *type = result_type(op);
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

static void check_arithmetic(Verifier *v, const Op *op) {
  if (!is_number(result_type(op)))
    verify_fail(v, op, "the operands are integers or floats, not %s", verify_type_text(v, result_type(op)));
  bool divides = op->kind == OP_DIV || op->kind == OP_REM;
  bool runs = divides && (op_attr(op, ATTR_CONSTANT) || op_attr(op, ATTR_CONTIGUOUS));
  if (runs && !type_is_int(result_type(op)))
    verify_fail(v, op, "runs are of integers, not %s", verify_type_text(v, result_type(op)));
  check_promises(v, op);
}

static void check_compare(Verifier *v, const Op *op) {
  if (operand_type(op, 0) != operand_type(op, 1))
    verify_fail(v, op, "the operands have one type, not %s and %s", verify_type_text(v, operand_type(op, 0)),
                verify_type_text(v, operand_type(op, 1)));
  else if (!is_data(operand_type(op, 0)))
    verify_fail(v, op, "the operands are numbers or pointers, not %s",
                verify_type_text(v, operand_type(op, 0)));
  if (!type_is_elem(result_type(op), ELEM_I1))
    verify_fail(v, op, "the result is of i1, not %s", verify_type_text(v, result_type(op)));
  check_promises(v, op);
}

static void check_select(Verifier *v, const Op *op) {
  if (!type_is_elem(operand_type(op, 0), ELEM_I1))
    verify_fail(v, op, "the condition is of i1, not %s", verify_type_text(v, operand_type(op, 0)));
  if (operand_type(op, 1) != result_type(op) || operand_type(op, 2) != result_type(op))
    verify_fail(v, op, "both choices have the result's type, not %s and %s",
                verify_type_text(v, operand_type(op, 1)), verify_type_text(v, operand_type(op, 2)));
  check_promises(v, op);
}

static void check_cast(Verifier *v, const Op *op) {
  if (!is_number(operand_type(op, 0)) || !is_number(result_type(op)))
    verify_fail(v, op, "%s to %s is not a conversion of numbers", verify_type_text(v, operand_type(op, 0)),
                verify_type_text(v, result_type(op)));
}

static void check_bitcast(Verifier *v, const Op *op) {
  const Type *from = operand_type(op, 0), *to = result_type(op);
  if (!is_data(from) || !is_data(to) || element_bits(from) != element_bits(to))
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
  if (!type_is_elem(type, ELEM_FP32) && !type_is_elem(type, ELEM_FP64)) {
    verify_fail(v, op, "the operand is of fp32 or fp64, not %s", verify_type_text(v, type));
    return;
  }
  if (!math_has(function, type_element(type)->elem)) verify_fail(v, op, "%s is of fp32 alone", info->name);
  for (uint32_t i = 1; i < op->operand_count; i++)
    if (operand_type(op, i) != type)
      verify_fail(v, op, "the operands have one type, not %s and %s", verify_type_text(v, type),
                  verify_type_text(v, operand_type(op, i)));
  Elem wanted = math_result_elem(function, type_element(type)->elem);
  if (!type_is_elem(result_type(op), wanted))
    verify_fail(v, op, "the result of %s is of %s, not %s", info->name, elem_info(wanted)->name,
                verify_type_text(v, result_type(op)));
}

static void check_fma(Verifier *v, const Op *op) {
  if (!type_is_float(result_type(op)))
    verify_fail(v, op, "the operands are floats, not %s", verify_type_text(v, result_type(op)));
}

static void check_fp32(Verifier *v, const Op *op) {
  if (!type_is_elem(result_type(op), ELEM_FP32))
    verify_fail(v, op, "the operand is fp32, not %s", verify_type_text(v, result_type(op)));
}

static void check_hint(Verifier *v, const Op *op) {
  const Type *type = result_type(op);
  if (!type_is_int(type) && !type_is_ptr(type))
    verify_fail(v, op, "the operand is integers or pointers, not %s", verify_type_text(v, type));
  check_promises(v, op);
}

static void check_addptr(Verifier *v, const Op *op) {
  if (!type_is_ptr(operand_type(op, 0)))
    verify_fail(v, op, "the pointer is %s", verify_type_text(v, operand_type(op, 0)));
  else if (result_type(op) != operand_type(op, 0))
    verify_fail(v, op, "the result has the pointer's type, not %s", verify_type_text(v, result_type(op)));
  if (!type_is_int(operand_type(op, 1)))
    verify_fail(v, op, "the offset is of integers, not %s", verify_type_text(v, operand_type(op, 1)));
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
    if (!has_elements || !type_same_shape(type, first)) {
      verify_fail(v, op, "operand %u, %s, does not have the shape of %s", i, verify_type_text(v, type),
                  verify_type_text(v, first));
      return false;
    }
    if (type->layout != first->layout) {
      verify_fail(v, op, "operand %u has another layout; only convert_layout changes layouts", i);
      return false;
    }
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

static void verify_nothing_more(Verifier *v, const Op *op) { (void)v, (void)op; }

// The rules of each op that do not follow from traits.
static void (*const rules[OP_COUNT])(Verifier *v, const Op *op) = {
    [OP_CONSTANT] = check_constant,
    [OP_PROGRAM_ID] = check_program_id,
    [OP_NUM_PROGRAMS] = check_program_id,
    [OP_ARANGE] = check_arange,
    [OP_SPLAT] = check_splat,
    [OP_CONVERT_LAYOUT] = check_convert_layout,
    [OP_ADD] = check_arithmetic,
    [OP_SUB] = check_arithmetic,
    [OP_MUL] = check_arithmetic,
    [OP_DIV] = check_arithmetic,
    [OP_REM] = check_arithmetic,
    [OP_NEG] = check_arithmetic,
    [OP_MIN] = check_arithmetic,
    [OP_MAX] = check_arithmetic,
    [OP_AND] = check_integers,
    [OP_OR] = check_integers,
    [OP_XOR] = check_integers,
    [OP_SHL] = check_integers,
    [OP_SHR] = check_integers,
    [OP_MULHI] = check_integers,
    [OP_EQ] = check_compare,
    [OP_NE] = check_compare,
    [OP_LT] = check_compare,
    [OP_LE] = check_compare,
    [OP_GT] = check_compare,
    [OP_GE] = check_compare,
    [OP_SELECT] = check_select,
    [OP_CAST] = check_cast,
    [OP_BITCAST] = check_bitcast,
    [OP_MATH] = check_math,
    [OP_FMA] = check_fma,
    [OP_COPY] = check_fp32,
    [OP_RESCALE] = check_fp32,
    [OP_HINT] = check_hint,
    [OP_ADDPTR] = check_addptr,
    [OP_FOR] = verify_for,
    [OP_IF] = verify_if,
    [OP_WHILE] = verify_while,
    [OP_WARP_GROUPS] = verify_warp_groups,
    [OP_REDUCE] = verify_reduce,
    [OP_REDUCE_PARTS] = verify_exchange,
    [OP_SCAN_CHUNKS] = verify_exchange,
    [OP_SCAN_CARRY] = verify_exchange,
    [OP_SCAN] = verify_scan,
    [OP_MAP] = verify_map,
    [OP_YIELD] = verify_nothing_more,
    [OP_RETURN] = verify_nothing_more,
    [OP_EXPAND_DIMS] = verify_tile_op,
    [OP_BROADCAST] = verify_tile_op,
    [OP_RESHAPE] = verify_tile_op,
    [OP_TRANS] = verify_tile_op,
    [OP_JOIN] = verify_tile_op,
    [OP_SPLIT] = verify_tile_op,
    [OP_CAT] = verify_tile_op,
    [OP_SLICE] = verify_tile_op,
    [OP_GATHER] = verify_tile_op,
    [OP_FLIP] = verify_tile_op,
    [OP_SORT] = verify_tile_op,
    [OP_HISTOGRAM] = verify_tile_op,
    [OP_DOT] = verify_tile_op,
    [OP_LOAD] = verify_machine_op,
    [OP_STORE] = verify_machine_op,
    [OP_ATOMIC_RMW] = verify_machine_op,
    [OP_ATOMIC_CAS] = verify_machine_op,
    [OP_MAKE_BLOCK_PTR] = verify_machine_op,
    [OP_ADVANCE] = verify_machine_op,
    [OP_BLOCK_LOAD] = verify_machine_op,
    [OP_BLOCK_STORE] = verify_machine_op,
    [OP_INLINE_ASM] = verify_machine_op,
    [OP_ASSERT] = verify_machine_op,
    [OP_PRINT] = verify_machine_op,
    [OP_GLOBALTIMER] = verify_machine_op,
    [OP_SMID] = verify_machine_op,
    [OP_SHARED_ALLOC] = verify_shared_op,
    [OP_SHARED_STORE] = verify_shared_op,
    [OP_SHARED_LOAD] = verify_shared_op,
    [OP_SHARED_GATHER] = verify_shared_op,
    [OP_SHARED_COUNT] = verify_shared_op,
    [OP_SHARED_INDEX] = verify_shared_op,
    [OP_SHARED_TRANS] = verify_shared_op,
    [OP_COPY_ASYNC] = verify_shared_op,
    [OP_ASYNC_COMMIT] = verify_shared_op,
    [OP_ASYNC_WAIT] = verify_shared_op,
    [OP_RING_BEGIN] = verify_ring_op,
    [OP_RING_FILL] = verify_ring_op,
    [OP_RING_WAIT] = verify_ring_op,
    [OP_RING_RELEASE] = verify_ring_op,
    [OP_TMA_MARK] = verify_tensor_op,
    [OP_TMA_COPY] = verify_tensor_op,
    [OP_TMA_STORE] = verify_tensor_op,
    [OP_TMA_STORE_COMMIT] = verify_tensor_op,
    [OP_TMA_STORE_WAIT] = verify_tensor_op,
    [OP_MBARRIER_INIT] = verify_tensor_op,
    [OP_MBARRIER_INVAL] = verify_tensor_op,
    [OP_MBARRIER_EXPECT] = verify_tensor_op,
    [OP_MBARRIER_WAIT] = verify_tensor_op,
    [OP_MBARRIER_ARRIVE] = verify_tensor_op,
    [OP_RING_COMMIT] = verify_ring_op,
    [OP_CHANNEL] = verify_ring_op,
    [OP_DOT_WAIT] = verify_shared_op,
    [OP_FENCE_ASYNC] = verify_shared_op,
    [OP_BARRIER] = verify_shared_op,
    [OP_ARRIVE] = verify_shared_op,
    [OP_PINGPONG_WAIT] = verify_shared_op,
    [OP_PINGPONG_PASS] = verify_shared_op,
    [OP_GDC_WAIT] = verify_nothing_more,
    [OP_GDC_LAUNCH_DEPENDENTS] = verify_nothing_more,
};

void verify_op_types(Verifier *v, const Op *op) {
  check_layouts_complete(v, op);
  if (op_has(op, ELEMENTWISE) && !check_elementwise(v, op)) return;
  if (op_has(op, SAME)) check_same(v, op);
  if (!rules[op->kind]) BUG("no rules for %s", op_info(op->kind)->name);
  rules[op->kind](v, op);
}
