// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits functions, values and the ops that only make values: constants, indices, splats. Elementwise ops are
// expanded over registers here. emit_arith.c and the files next to it compute them.
#include "codegen/emit/emit.h"

#include "base/fault.h"
#include "base/integer.h"
#include "codegen/emit/emit_pairs.h"
#include "codegen/nvvm/nvvm.h"
#include "codegen/timeline_code.h"
#include "codegen/llvm/instruction_order.h"
#include "ir/memory/groups.h"
#include "ir/dot/layout_dot.h"
#include "ir/number.h"

// --- types

static LLVMTypeRef scalar_type(const Emitter *e, Elem elem) {
  const ElemInfo *info = elem_info(elem);
  if (elem == ELEM_BF16) return e->bf16;
  if (info->cls == CLASS_FLOAT && info->bits > 8)
    return info->bits == 16 ? e->f16 : info->bits == 32 ? e->f32 : e->f64;
  return LLVMIntTypeInContext(e->context, info->bits);
}

LLVMTypeRef emit_type(const Emitter *e, const Type *type) {
  const Type *element = type_element(type);
  if (element->kind == TYPE_SHARED) return LLVMPointerTypeInContext(e->context, NVVM_SHARED);
  if (element->kind == TYPE_TMEM) return e->i32; // the address of its first column
  if (element->kind == TYPE_TOKEN) return e->i1; // without meaning: waits count groups
  return element->kind == TYPE_PTR ? e->ptr : scalar_type(e, element->elem);
}

LLVMTypeRef emit_memory_type(const Emitter *e, const Type *type) {
  LLVMTypeRef in_register = emit_type(e, type);
  return in_register == e->i1 ? e->i8 : in_register;
}

uint32_t emit_count(const Type *type) { return type_is_tile(type) ? layout_registers(type->layout) : 1; }

// --- values

LLVMValueRef *emit_new(Emitter *e, const Value *value) {
  uint32_t count = emit_count(value->type);
  return e->registers[value->id] = ARENA_ARRAY(e->arena, LLVMValueRef, count);
}

void emit_bind(Emitter *e, const Value *value, LLVMValueRef *registers) {
  e->registers[value->id] = registers;
}

LLVMValueRef *emit_get(const Emitter *e, const Value *value) {
  LLVMValueRef *registers = e->registers[value->id];
  if (!registers) BUG("a value is used before it is defined");
  return registers;
}

LLVMValueRef emit_register(const Emitter *e, const Value *value, uint32_t r) {
  return emit_get(e, value)[type_is_tile(value->type) ? r : 0];
}

LLVMValueRef emit_i32(const Emitter *e, uint32_t value) { return LLVMConstInt(e->i32, value, false); }

void emit_needs_ptx(Emitter *e, uint16_t version) {
  if (e->ptx_version < version) e->ptx_version = version;
}

// The 16-bit value that x and y are the low and the high byte of, as emit_cast_words makes them; NULL: there is none.
static LLVMValueRef pair_of_bytes(const Emitter *e, LLVMValueRef x, LLVMValueRef y) {
  if (!LLVMIsATruncInst(x) || !LLVMIsATruncInst(y) || LLVMTypeOf(x) != e->i8) return NULL;
  LLVMValueRef pair = LLVMGetOperand(x, 0), high = LLVMGetOperand(y, 0);
  if (LLVMTypeOf(pair) != e->i16 || !LLVMIsABinaryOperator(high) ||
      LLVMGetInstructionOpcode(high) != LLVMLShr)
    return NULL;
  LLVMValueRef bits = LLVMGetOperand(high, 1);
  bool byte = LLVMIsAConstantInt(bits) && LLVMConstIntGetZExtValue(bits) == 8;
  return byte && LLVMGetOperand(high, 0) == pair ? pair : NULL;
}

// Bytes that come in pairs, as a vector of the pairs. NULL: some do not.
static LLVMValueRef vector_of_pairs(Emitter *e, const LLVMValueRef *elements, uint32_t count) {
  LLVMValueRef pairs[8];
  if (count % 2 || count > 16) return NULL;
  for (uint32_t i = 0; i < count; i += 2)
    if (!(pairs[i / 2] = pair_of_bytes(e, elements[i], elements[i + 1]))) return NULL;
  return LLVMBuildBitCast(e->builder, emit_vector(e, pairs, count / 2), LLVMVectorType(e->i8, count), "");
}

LLVMValueRef emit_vector(Emitter *e, const LLVMValueRef *elements, uint32_t count) {
  LLVMValueRef pairs = vector_of_pairs(e, elements, count);
  if (pairs) return pairs;
  LLVMValueRef vector = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(elements[0]), count));
  for (uint32_t i = 0; i < count; i++)
    vector = LLVMBuildInsertElement(e->builder, vector, elements[i], emit_i32(e, i), "");
  return vector;
}

LLVMValueRef emit_vector_word(Emitter *e, const LLVMValueRef *elements, uint32_t count) {
  return LLVMBuildBitCast(e->builder, emit_vector(e, elements, count), e->i32, "");
}

LLVMValueRef emit_vector_element(Emitter *e, LLVMValueRef vector, uint32_t i) {
  return LLVMBuildExtractElement(e->builder, vector, emit_i32(e, i), "");
}

void emit_elements(Emitter *e, LLVMValueRef vector, uint32_t count, LLVMValueRef *out) {
  for (uint32_t i = 0; i < count; i++) out[i] = emit_vector_element(e, vector, i);
}

// --- layouts

static LLVMValueRef merge_bits(Emitter *e, LLVMValueRef a, LLVMValueRef b, bool disjoint) {
  if (!a) return b;
  if (!disjoint) return LLVMBuildXor(e->builder, a, b, "");
  LLVMValueRef both = LLVMBuildOr(e->builder, a, b, "");
  if (LLVMIsAInstruction(both)) LLVMSetIsDisjoint(both, true);
  return both;
}

// The number of bits, starting at `bit`, whose bases double from one to the next. One shift handles them all.
static uint32_t shifted_run(const Layout *layout, LayoutDim dim, uint32_t bit) {
  uint32_t first = layout_basis(layout, dim, bit), n = 1;
  if (!is_power_of_two(first)) return 1;
  while (bit + n < layout->bits[dim] && (uint64_t)layout_basis(layout, dim, bit + n) == (uint64_t)first << n)
    n++;
  return n;
}

// XORs (dim's bits through their bases) into index->thread_part.
static void add_dim(Emitter *e, LayoutIndex *index, LayoutDim dim, LLVMValueRef id) {
  const Layout *layout = index->layout;
  for (uint32_t bit = 0; bit < layout->bits[dim];) {
    uint32_t basis = layout_basis(layout, dim, bit), n = shifted_run(layout, dim, bit);
    if (basis) {
      LLVMValueRef bits = LLVMBuildLShr(e->builder, id, emit_i32(e, bit), "");
      uint32_t ones = (uint32_t)((1ull << n) - 1);
      bool is_all = n == layout->bits[dim] && bit == 0;
      if (!is_all) bits = LLVMBuildAnd(e->builder, bits, emit_i32(e, ones), "");
      LLVMValueRef part = LLVMBuildMul(e->builder, bits, emit_i32(e, basis), "");
      uint32_t mask = ones * basis;
      index->thread_part = merge_bits(e, index->thread_part, part, (index->thread_mask & mask) == 0);
      index->thread_mask |= mask;
    }
    bit += n;
  }
}

EmitPosition emit_move_before(Emitter *e, LLVMValueRef instruction) {
  EmitPosition here = {LLVMGetInsertBlock(e->builder), LLVMGetCurrentDebugLocation2(e->builder)};
  LLVMPositionBuilderBefore(e->builder, instruction);
  return here;
}

void emit_move_back(Emitter *e, const EmitPosition *position) {
  LLVMPositionBuilderAtEnd(e->builder, position->block);
  LLVMSetCurrentDebugLocation2(e->builder, position->place);
}

static const LayoutIndex *layout_index(Emitter *e, const Layout *layout) {
  for (uint32_t i = 0; i < e->threads.indices.n; i++)
    if (e->threads.indices.at[i].layout == layout) return &e->threads.indices.at[i];
  EmitPosition here = emit_move_before(e, LLVMGetBasicBlockTerminator(e->threads.home));
  LayoutIndex index = {.layout = layout};
  add_dim(e, &index, DIM_LANE, e->threads.lane);
  add_dim(e, &index, DIM_WARP, e->threads.warp);
  if (!index.thread_part) index.thread_part = emit_i32(e, 0);
  emit_move_back(e, &here);
  vec_push(e->arena, &e->threads.indices, index);
  return &vec_last(&e->threads.indices);
}

LayoutIndex emit_thread_index(Emitter *e, const Layout *layout) { return *layout_index(e, layout); }

static LLVMValueRef index_of(Emitter *e, const LayoutIndex *index, const Layout *layout, uint32_t r) {
  uint32_t constant = layout_apply(layout, r, 0, 0, 0);
  return merge_bits(e, index->thread_part, emit_i32(e, constant), (index->thread_mask & constant) == 0);
}

LLVMValueRef emit_index(Emitter *e, const Layout *layout, uint32_t r) {
  return index_of(e, layout_index(e, layout), layout, r);
}

LLVMValueRef emit_writing_holder(Emitter *e, const Layout *layout, uint32_t writer) {
  uint32_t mask[DIM_COUNT];
  layout_free_bits(layout, mask);
  uint32_t threads = mask[DIM_LANE] | mask[DIM_WARP] << LANE_BITS;
  if (!threads) return NULL;
  LLVMValueRef bits = LLVMBuildAnd(e->builder, e->threads.thread, emit_i32(e, threads), "");
  return LLVMBuildICmp(e->builder, LLVMIntEQ, bits, emit_i32(e, writer), "");
}

LLVMValueRef emit_first_holder(Emitter *e, const Layout *layout) { return emit_writing_holder(e, layout, 0); }

LLVMValueRef emit_holder(Emitter *e, const Type *type) {
  if (type_is_tile(type)) return emit_first_holder(e, type->layout);
  return LLVMBuildICmp(e->builder, LLVMIntEQ, e->threads.thread, emit_i32(e, 0), "");
}

// --- ops

static bool type_is_fp8(const Type *element) {
  return element->kind == TYPE_SCALAR && elem_is_float(element->elem) && elem_info(element->elem)->bits == 8;
}

static void set_every_register(Emitter *e, Op *op, LLVMValueRef value) {
  LLVMValueRef *out = emit_new(e, op_result(op));
  for (uint32_t r = 0; r < emit_count(op_result(op)->type); r++) out[r] = value;
}

static LLVMValueRef constant(Emitter *e, const Type *type, const Op *op) {
  const Type *element = type_element(type);
  const Attr *fvalue = op_attr(op, ATTR_FVALUE);
  if (element->kind == TYPE_PTR)
    return LLVMConstIntToPtr(LLVMConstInt(e->i64, (uint64_t)op_int(op, ATTR_VALUE, 0), false), e->ptr);
  LLVMTypeRef llvm = scalar_type(e, element->elem);
  if (!elem_is_float(element->elem)) return LLVMConstInt(llvm, (uint64_t)op_int(op, ATTR_VALUE, 0), false);
  double value = fvalue ? fvalue->f : (double)op_int(op, ATTR_VALUE, 0);
  if (llvm == e->i8) return LLVMConstInt(llvm, number_encode(element->elem, value), false);
  return LLVMConstReal(llvm, value);
}

static void emit_constant(Emitter *e, Op *op) {
  set_every_register(e, op, constant(e, op_result(op)->type, op));
}

static void emit_program_id(Emitter *e, Op *op) {
  set_every_register(e, op, nvvm_block_id(e, op_int(op, ATTR_AXIS, 0)));
}

static void emit_num_programs(Emitter *e, Op *op) {
  set_every_register(e, op, nvvm_block_count(e, op_int(op, ATTR_AXIS, 0)));
}

static void emit_splat(Emitter *e, Op *op) {
  LLVMValueRef value = emit_carried_splat(e, op);
  set_every_register(e, op, op_attr(op, ATTR_FRESH) ? nvvm_fresh(e, value) : value);
}

// Hides from LLVM that a fresh arange equals the one before a loop. LLVM still knows its range. So constants
// can be split from its extension to 64 bits.
static void emit_arange(Emitter *e, Op *op) {
  const Type *type = op_result(op)->type;
  LLVMValueRef *out = emit_new(e, op_result(op));
  LLVMValueRef start = emit_i32(e, (uint32_t)op_int(op, ATTR_START, 0));
  LayoutIndex index = emit_thread_index(e, type->layout);
  if (op_attr(op, ATTR_FRESH)) {
    index.thread_part = nvvm_fresh(e, index.thread_part);
    nvvm_is_below(e, index.thread_part, index.thread_mask + 1);
  }
  for (uint32_t r = 0; r < emit_count(type); r++)
    out[r] = LLVMBuildAdd(e->builder, index_of(e, &index, type->layout, r), start, "");
}

static void emit_return(Emitter *e, Op *op) {
  (void)op;
  LLVMBuildRetVoid(e->builder);
}

static void emit_barrier(Emitter *e, Op *op) {
  uint32_t id = (uint32_t)op_int(op, ATTR_ID, 0);
  uint32_t own = group_of(op) == UINT32_MAX ? func_warps(e->func) : region_warps(op);
  uint32_t warps = (uint32_t)op_int(op, ATTR_WARPS, own);
  bool clusters = e->pair && op->next && op->next->kind == OP_WARP_GROUPS; // sees the other CTA's mbarriers
  bool all = id == 0 && warps == func_warps(e->func); // arrivals at other barriers count their warps too
  if (clusters)
    emit_cluster_barrier(e);
  else if (warps == 1)
    nvvm_warp_barrier(e); // free if the lanes have not diverged
  else
    nvvm_barrier(e, id, all ? 0 : 32 * warps);
}

static void emit_arrive(Emitter *e, Op *op) {
  nvvm_arrive(e, (uint32_t)op_int(op, ATTR_ID, 0), 32 * (uint32_t)op_int(op, ATTR_WARPS, 0));
}

static void emit_smid(Emitter *e, Op *op) {
  set_every_register(e, op, nvvm_call(e, "llvm.nvvm.read.ptx.sreg.smid", NULL));
}

static void emit_globaltimer(Emitter *e, Op *op) {
  set_every_register(e, op, nvvm_call(e, "llvm.nvvm.read.ptx.sreg.globaltimer", NULL));
}

static void emit_grid_control(Emitter *e, Op *op) {
  nvvm_grid_control(e, op->kind == OP_GDC_WAIT ? "wait" : "launch_dependents");
}

// fp8 is computed in fp32. Its 24 bits are more than twice fp8's bits plus 2, so rounding twice rounds
// correctly. fma is computed in fp64, where it is exact.
static LLVMValueRef in_wider(Emitter *e, const Op *op, EmitScalar scalar, LLVMValueRef *x) {
  LLVMTypeRef wide = op->kind == OP_FMA ? e->f64 : e->f32;
  const Type *result = type_element(op_result(op)->type);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    LLVMValueRef half = emit_from_fp8(e, type_element(op_operand(op, i)->type)->elem, x[i]);
    x[i] = LLVMBuildFPExt(e->builder, half, wide, "");
  }
  LLVMValueRef y = scalar(e, op, x);
  if (!type_is_fp8(result)) return y;
  return emit_float_cast(e, y, wide == e->f64 ? ELEM_FP64 : ELEM_FP32, result->elem);
}

// Computes chains of fp64 functions that end in a narrower type one element after another. A whole tile at
// each step would need more registers than there are.
static void order_functions(Emitter *e, const Op *op, const LLVMValueRef *out) {
  if (!e->has_library || !type_is_tile(op_result(op)->type)) return;
  if (!type_is_elem(op_operand(op, 0)->type, ELEM_FP64)) return;
  if (llvm_order_by_calls(LLVMGetInsertBlock(e->builder), out, emit_count(op_result(op)->type)))
    LLVMPositionBuilderAtEnd(e->builder, LLVMGetInsertBlock(e->builder));
}

static void emit_elementwise(Emitter *e, Op *op) {
  EmitScalar scalar = emit_scalar_of(op->kind);
  if (!scalar) BUG("codegen has no row for %s", op_info(op->kind)->name);
  bool moves = op->kind == OP_SELECT || op_has(op, CONVERTS);
  bool widens = !moves && type_is_fp8(type_element(op_operand(op, 0)->type));
  LLVMValueRef *out = emit_new(e, op_result(op));
  if (emit_parted(e, op, out) || (!widens && emit_quotients(e, op, out)) || emit_cast_words(e, op, out) ||
      emit_unpack(e, op, out) || emit_unpacked(e, op, out))
    return;
  bool paired = emit_is_paired(e, op_result(op)->type) ||
                (op_attr(op, ATTR_POLYNOMIAL) && emit_count(op_result(op)->type) % 2 == 0);
  for (uint32_t r = 0; r < emit_count(op_result(op)->type); r++) {
    LLVMValueRef x[3] = {NULL, NULL, NULL};
    if (paired && r % 2 == 0 && emit_both(e, op, r, out + r)) {
      r++;
      continue;
    }
    for (uint32_t i = 0; i < op->operand_count && i < 3; i++) x[i] = emit_register(e, op_operand(op, i), r);
    out[r] = widens ? in_wider(e, op, scalar, x) : scalar(e, op, x);
  }
  if (op->kind == OP_CAST) order_functions(e, op, out);
}

// Ops without a row are elementwise.
static const EmitOp ops[OP_COUNT] = {
    [OP_CONSTANT] = emit_constant,
    [OP_PROGRAM_ID] = emit_program_id,
    [OP_NUM_PROGRAMS] = emit_num_programs,
    [OP_ARANGE] = emit_arange,
    [OP_SPLAT] = emit_splat,
    [OP_CONVERT_LAYOUT] = emit_convert_layout,
    [OP_ADDPTR] = emit_addptr,
    [OP_LOAD] = emit_load,
    [OP_STORE] = emit_store,
    [OP_FOR] = emit_for,
    [OP_ATOMIC_RMW] = emit_atomic,
    [OP_ATOMIC_CAS] = emit_atomic,
    [OP_IF] = emit_if,
    [OP_INLINE_ASM] = emit_inline_asm,
    [OP_PRINT] = emit_print,
    [OP_ASSERT] = emit_assert,
    [OP_BARRIER] = emit_barrier,
    [OP_ARRIVE] = emit_arrive,
    [OP_PINGPONG_WAIT] = emit_turn,
    [OP_PINGPONG_PASS] = emit_turn,
    [OP_GLOBALTIMER] = emit_globaltimer,
    [OP_SMID] = emit_smid,
    [OP_GDC_WAIT] = emit_grid_control,
    [OP_GDC_LAUNCH_DEPENDENTS] = emit_grid_control,
    [OP_WHILE] = emit_while,
    [OP_WARP_GROUPS] = emit_warp_groups,
    [OP_MAP] = emit_map,
    [OP_EXPAND_DIMS] = emit_move,
    [OP_BROADCAST] = emit_move,
    [OP_RESHAPE] = emit_move,
    [OP_TRANS] = emit_move,
    [OP_JOIN] = emit_move,
    [OP_SPLIT] = emit_move,
    [OP_CAT] = emit_move,
    [OP_SLICE] = emit_move,
    [OP_DOT] = emit_dot,
    [OP_RESCALE] = emit_rescale,
    [OP_DOT_WAIT] = emit_dot_wait,
    [OP_TMEM_ALLOC] = emit_tmem_op,
    [OP_TMEM_SLOT] = emit_tmem_op,
    [OP_TMEM_STORE] = emit_tmem_op,
    [OP_TMEM_LOAD] = emit_tmem_op,
    [OP_TMEM_DEALLOC] = emit_tmem_op,
    [OP_RETURN] = emit_return,
    [OP_REDUCE] = emit_reduce,
    [OP_SCAN] = emit_scan,
    [OP_REDUCE_PARTS] = emit_reduce,
    [OP_SCAN_CHUNKS] = emit_scan,
    [OP_SCAN_CARRY] = emit_scan_carry,
    [OP_FLIP] = emit_flip,
    [OP_SHARED_GATHER] = emit_shared_gather,
    [OP_SHARED_COUNT] = emit_shared_count,
    [OP_SHARED_ALLOC] = emit_shared_op,
    [OP_SHARED_STORE] = emit_shared_op,
    [OP_SHARED_LOAD] = emit_shared_op,
    [OP_SHARED_INDEX] = emit_shared_op,
    [OP_SHARED_TRANS] = emit_shared_op,
    [OP_COPY_ASYNC] = emit_shared_op,
    [OP_ASYNC_COMMIT] = emit_shared_op,
    [OP_ASYNC_WAIT] = emit_shared_op,
    [OP_FENCE_ASYNC] = emit_shared_op,
    [OP_MBARRIER_INIT] = emit_tensor_op,
    [OP_MBARRIER_INVAL] = emit_tensor_op,
    [OP_MBARRIER_EXPECT] = emit_tensor_op,
    [OP_MBARRIER_WAIT] = emit_tensor_op,
    [OP_MBARRIER_ARRIVE] = emit_tensor_op,
    [OP_TMA_COPY] = emit_tensor_op,
    [OP_BULK_COPY] = emit_tensor_op,
    [OP_TAKE_PROGRAM] = emit_tensor_op,
    [OP_TAKEN_PROGRAM] = emit_taken_program,
    [OP_TMA_STORE] = emit_tensor_op,
    [OP_TMA_STORE_COMMIT] = emit_tensor_op,
    [OP_TMA_STORE_WAIT] = emit_tensor_op,
};

bool emit_has_op(OpKind kind) {
  return kind == OP_YIELD || ops[kind] != NULL || emit_scalar_of(kind) != NULL;
}

// Sets registers that are only padding of a dot to zero, whatever computes them. LLVM then drops that
// computation.
static void drop_padding(Emitter *e, const Op *op) {
  if (!e->pads || op->result_count != 1 || op->kind == OP_DOT || !op_has(op, PURE | ELEMENTWISE)) return;
  const Op *dot = dot_padding(op_result(op));
  LLVMValueRef *registers = dot ? emit_get(e, op_result(op)) : NULL;
  for (uint32_t r = 0; dot && r < emit_count(op_result(op)->type); r++)
    if (!dot_sums_in(dot, r)) registers[r] = LLVMConstNull(LLVMTypeOf(registers[r]));
}

Op *emit_region(Emitter *e, Region *region) {
  LLVMMetadataRef place = LLVMGetCurrentDebugLocation2(e->builder);
  Op *op = region->first;
  for (; op && op->kind != OP_YIELD; op = op->next) {
    debug_at_op(e, op);
    timeline_before(e, op);
    (ops[op->kind] ? ops[op->kind] : emit_elementwise)(e, op);
    drop_padding(e, op);
    timeline_after(e, op);
    emit_check_size(e, op);
  }
  LLVMSetCurrentDebugLocation2(e->builder, place);
  return op;
}

// --- functions

static LLVMTypeRef param_type(const Emitter *e, const FuncParam *param) {
  if (type_is_by_value(param->type)) return LLVMPointerTypeInContext(e->context, 0); // to them: byval
  return emit_memory_type(e, param->type);
}

static void add_attribute(Emitter *e, unsigned index, LLVMAttributeRef attribute) {
  LLVMAddAttributeAtIndex(e->function, index, attribute);
  (void)e;
}

static void add_string_attribute(Emitter *e, const char *name, const char *value) {
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
  add_attribute(e, (unsigned)LLVMAttributeFunctionIndex, attribute);
}

static void add_int_attribute(Emitter *e, unsigned index, const char *name, uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  add_attribute(e, index, LLVMCreateEnumAttribute(e->context, kind, value));
}

static void limit_registers(Emitter *e, const Func *func) {
  if (e->target->maxnreg)
    add_string_attribute(e, "nvvm.maxnreg", arena_printf(e->arena, "%u", e->target->maxnreg));
  const Op *groups = func_groups(func);
  bool parted = groups && op_attr(groups, ATTR_GROUP_REGISTERS); // otherwise ptxas ignores setmaxnreg
  uint32_t min_blocks = parted && !func->min_blocks ? 1 : func->min_blocks;
  if (min_blocks) add_string_attribute(e, "nvvm.minctasm", arena_printf(e->arena, "%u", min_blocks));
}

// The bytes are in the kernel's parameter space and are never written. The address is the parameter itself.
static void pass_by_value(Emitter *e, unsigned index) {
  unsigned byval = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
  LLVMTypeRef bytes = LLVMArrayType2(e->i8, BY_VALUE_BYTES);
  add_attribute(e, index, LLVMCreateTypeAttribute(e->context, byval, bytes));
  add_int_attribute(e, index, "align", BY_VALUE_ALIGN);
  add_attribute(e, index, LLVMCreateStringAttribute(e->context, "nvvm.grid_constant", 18, "", 0));
}

static void declare_func(Emitter *e, Func *func) {
  LLVMTypeRef *params = ARENA_ARRAY(e->arena, LLVMTypeRef, func->param_count + 1);
  for (uint32_t i = 0; i < func->param_count; i++) params[i] = param_type(e, &func->params[i]);
  params[func->param_count] = e->ptr; // of the timeline
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), params,
                                      func->param_count + e->timeline.asked, false);
  e->function = LLVMAddFunction(e->llvm, func->name, type);
  LLVMSetFunctionCallConv(e->function, NVVM_KERNEL_CALL);
  add_int_attribute(e, (unsigned)LLVMAttributeFunctionIndex, "nounwind", 0);
  add_string_attribute(e, "nvvm.reqntid", arena_printf(e->arena, "%u", 32 * func_warps(func)));
  e->pair = func_has_pairs(func);
  if (e->pair) add_string_attribute(e, "nvvm.cluster_dim", "2,1,1");
  limit_registers(e, func);
  for (uint32_t i = 0; i < func->param_count; i++) {
    const FuncParam *param = &func->params[i];
    if (param->name) LLVMSetValueName2(LLVMGetParam(e->function, i), param->name, strlen(param->name));
    add_int_attribute(e, i + 1, "noundef", 0);
    if (type_is_by_value(param->type)) pass_by_value(e, i + 1);
    if (param->type->kind == TYPE_PTR && param->facts.divisible16) add_int_attribute(e, i + 1, "align", 16);
  }
}

// A parameter of type i1 is passed as a byte.
static void bind_params(Emitter *e, Func *func) {
  for (uint32_t i = 0; i < func->param_count; i++) {
    LLVMValueRef param = LLVMGetParam(e->function, i);
    if (type_is_elem(func->params[i].type, ELEM_I1))
      param = LLVMBuildICmp(e->builder, LLVMIntNE, param, LLVMConstNull(e->i8), "");
    emit_new(e, func->body->args[i])[0] = param;
  }
}

// Limits the thread number to the number of threads. LLVM then knows that its sums and multiples are unions
// of bits, and moves constants in them into address offsets.
static LLVMValueRef number_in(Emitter *e, RegionWarps warps, uint32_t block_warps) {
  const uint64_t least = 0, end = 32u * block_warps;
  unsigned range = LLVMGetEnumAttributeKindForName("range", strlen("range"));
  LLVMValueRef thread = nvvm_thread_id(e);
  LLVMAddCallSiteAttribute(thread, LLVMAttributeReturnIndex,
                           LLVMCreateConstantRangeAttribute(e->context, range, 32, &least, &end));
  if (warps.count == block_warps) return thread;
  LLVMValueRef own = LLVMBuildSub(e->builder, thread, emit_i32(e, 32 * warps.first), "");
  return LLVMBuildAnd(e->builder, own, emit_i32(e, (32u << log2_ceil(warps.count)) - 1), "");
}

// Code before warp groups runs in all warps, and each thread has its own number.
void emit_bind_threads(Emitter *e, const Region *region) {
  RegionWarps warps = region_warps_of(region);
  if (!region->parent) warps.count = func_warps(region->func);
  LLVMValueRef thread = number_in(e, warps, func_warps(region->func));
  e->threads = (RegionThreads){.thread = thread, .home = LLVMGetInsertBlock(e->builder)};
  e->threads.lane = LLVMBuildAnd(e->builder, thread, emit_i32(e, 31), "");
  e->threads.warp = LLVMBuildLShr(e->builder, thread, emit_i32(e, LANE_BITS), "");
}

void emit_func(Emitter *e, Func *func) {
  func_number(func);
  e->func = func;
  e->registers = ARENA_ARRAY(e->arena, LLVMValueRef *, func->value_count);
  e->prepared = ARENA_ARRAY(e->arena, LLVMValueRef *, func->value_count);
  memset(e->policies, 0, sizeof e->policies);
  e->pads = false;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) e->pads |= op_attr(w.op, ATTR_EXTENTS) != NULL;
  emit_shared_memory(e, func);
  declare_func(e, func);
  debug_begin_func(e);
  e->entry = LLVMAppendBasicBlockInContext(e->context, e->function, "entry");
  LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, e->function, "body");
  LLVMPositionBuilderAtEnd(e->builder, e->entry);
  debug_at(e, func->loc);
  emit_bind_threads(e, func->body);
  bind_params(e, func);
  timeline_begin(e);
  LLVMBuildBr(e->builder, body);
  LLVMPositionBuilderAtEnd(e->builder, body);
  emit_region(e, func->body);
}
