// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot by tcgen05.mma, and tensor memory. See PTX ISA, "Tensor Memory", "Instruction descriptor" and "Data movement shape"
// of the tcgen05 instructions.
//
// One thread issues a dot: an instruction for each 128 (or 64) rows, 256 columns and 32 bytes of k. Then it commits
// them: when they are done, an mbarrier's phase is complete. Dots use the kernel's mbarriers one after another. All
// threads count the dots that have begun, so each knows the mbarrier and the phase of the one that it waits for.
// A group of one thread issues without a condition and counts nothing: its arrivals commit.
//
// Accesses of different threads to tensor memory are ordered by a barrier, or the mbarrier, between two fences.
#include "base/integer.h"
#include "codegen/emit/emit_dot.h"
#include "codegen/nvvm/asm_call.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/memory/groups.h"

enum { MBARRIER_BYTES = 8, LANE_SHIFT = 16, WARP_LANES = 32, LOAD_REGISTERS = 4, COLUMN_STEP = 16 };

static const char before_fence[] = "tcgen05.fence::before_thread_sync",
                  after_fence[] = "tcgen05.fence::after_thread_sync";

// --- the dot

// Scales that are powers of two, e8m0.
static bool has_exponents(const Op *dot) { return op_operand(dot, DOT_SCALE_A)->type->elem == ELEM_U8; }

static const char *kind_of(const EmittedDot *p) {
  if (dot_has_pairs(p->op)) return has_exponents(p->op) ? "mxf4.block_scale" : "mxf4nvf4.block_scale.block16";
  if (dot_is_scaled(p->op)) return "mxf8f6f4.block_scale";
  if (elem_is_half(p->a)) return "f16";
  return p->a == ELEM_FP32 ? "tf32" : elem_is_fp8(p->a) ? "f8f6f4" : "i8";
}

// The number of an operand's type among those of its kind.
static uint32_t type_number(const EmittedDot *p, Elem elem) {
  if (dot_has_pairs(p->op)) return 1;
  if (elem == ELEM_FP32) return 2;
  return elem == ELEM_BF16 || elem == ELEM_FP8E5 || elem == ELEM_I8;
}

// An idesc: the types of a and b; whether a and b run along m or n; N / 8; M / 16; the type of the sums, or of scales.
static uint32_t instruction_descriptor(const EmittedDot *p, const SharedMatrix *a, const SharedMatrix *b,
                                       uint32_t rows, uint32_t columns) {
  uint32_t sums = p->sum == ELEM_FP16 ? 0 : p->sum == ELEM_FP32 ? 1 : 2;
  uint32_t type = dot_is_scaled(p->op) ? (uint32_t)has_exponents(p->op) << 23 : sums << 4;
  return type | type_number(p, p->a) << 7 | type_number(p, p->b) << 10 | (uint32_t)a->transposed << 15 |
         (uint32_t)b->transposed << 16 | columns / 8 << 17 | rows / 16 << 24;
}

// The same with the number of the instruction's first scale in its word.
static uint32_t with_scale(uint32_t idesc, uint32_t number) { return idesc | number << 4 | number << 29; }

// The mbarrier of dot `number`, from 0.
static LLVMValueRef mbarrier_of(Emitter *e, LLVMValueRef number) {
  LLVMValueRef at = LLVMBuildAnd(e->builder, number, emit_i32(e, e->tmem.count - 1), "");
  at = LLVMBuildMul(e->builder, at, emit_i32(e, MBARRIER_BYTES), "");
  return LLVMBuildAdd(e->builder, e->tmem.mbarriers, at, "");
}

typedef struct TensorDot {
  const EmittedDot *p;
  SharedMatrix a, b; // a: not if tensor memory has it.
  bool a_in_tmem;
  uint32_t rows; // of an instruction
  uint32_t tmem, a_tmem, scales,
      idesc[DOT_SCALES_A_WORD]; // numbers of operands; idesc: by the number of the scales in their words
  const char *when;             // "@issues ", or "" in a group of one thread
  AsmCall call;
} TensorDot;

static const Op *alloc_of(const TensorDot *d) {
  return ops_find(d->p->op->region->func->body, OP_TMEM_ALLOC);
}

// Scales are after all accumulators.
static uint32_t scale_column(const TensorDot *d, DotOperand operand, uint32_t outer, uint32_t k) {
  uint32_t sums = tmem_columns(op_result(d->p->op)->type) * (uint32_t)op_int(alloc_of(d), ATTR_SLOTS, 1);
  return sums + dot_scale_column(&d->p->shape, dot_scale_group(d->p->op), operand, outer, k);
}

// Copies an operand's scales to tensor memory, 128 rows of 4 at a time. The instructions issued after that read them there.
static void copy_scales(Emitter *e, TensorDot *d, DotOperand operand) {
  enum { ROWS = 128, BLOCK_BYTES = 512, GROUP_BYTES = 128 };
  const uint64_t constant = 1ull << 46;
  const EmittedDot *p = d->p;
  uint32_t outer = 1u << (operand == DOT_A ? p->shape.m : p->shape.n), at = 0;
  LLVMValueRef start = emit_shared_word(e, op_operand(p->op, DOT_SCALE_A + (uint32_t)operand));
  start = LLVMBuildZExt(e->builder, LLVMBuildLShr(e->builder, start, emit_i32(e, 4), ""), e->i64, "");
  for (uint32_t k = 0; k < 1u << p->shape.k; k += dot_scale_group(p->op) * DOT_SCALES_A_WORD)
    for (uint32_t r = 0; r < outer; r += ROWS, at += BLOCK_BYTES) {
      uint64_t fields = constant | (uint64_t)(GROUP_BYTES >> 4) << 32 | at >> 4;
      LLVMValueRef descriptor = LLVMBuildAdd(e->builder, start, LLVMConstInt(e->i64, fields, false), "");
      buf_printf(&d->call.text, "%stcgen05.cp.cta_group::1.32x128b.warpx4 [$%u+%u], $%u;\n\t", d->when,
                 d->scales, scale_column(d, operand, r, k), asm_operand(e, &d->call, descriptor));
    }
}

// The places of the instruction's scales, as operands.
static void print_scales(TensorDot *d, uint32_t index, uint32_t k) {
  for (uint32_t i = DOT_A; i <= DOT_B; i++) {
    DotOperand operand = (DotOperand)i;
    buf_printf(&d->call.text, "[$%u+%u], ", d->scales,
               scale_column(d, operand, matrix_outer(d->p, operand, index), k));
  }
}

// The first operand of an instruction. In tensor memory, a column has 32 bits of a row.
static void print_a(Emitter *e, TensorDot *d, uint32_t index, uint32_t k) {
  const EmittedDot *p = d->p;
  uint32_t at = matrix_index(p, DOT_A, matrix_outer(p, DOT_A, index), k);
  if (d->a_in_tmem)
    buf_printf(&d->call.text, "[$%u+%u]", d->a_tmem,
               tmem_place(op_operand(p->op, DOT_A)->type, at).column * elem_bytes(p->a) / 4);
  else
    buf_printf(&d->call.text, "$%u", asm_operand(e, &d->call, matrix_descriptor(e, &d->a, at)));
}

// All of k for the part of the result at `index`. The first instruction may ignore the former sums.
static void add_products(Emitter *e, TensorDot *d, uint32_t index) {
  const EmittedDot *p = d->p;
  uint32_t step = 32 / elem_bytes(p->a), column = tmem_place(op_result(p->op)->type, index).column;
  for (uint32_t k = 0; k < dot_depth(p->op); k += step) {
    LLVMValueRef b = matrix_descriptor(e, &d->b, matrix_index(p, DOT_B, matrix_outer(p, DOT_B, index), k));
    buf_printf(&d->call.text, "%stcgen05.mma.cta_group::%u.kind::%s [$%u+%u], ", d->when, 1u + e->pair,
               kind_of(p), d->tmem, column);
    print_a(e, d, index, k);
    buf_printf(&d->call.text, ", $%u, $%u, ", asm_operand(e, &d->call, b),
               d->idesc[dot_is_scaled(p->op) ? k / dot_scale_group(p->op) % DOT_SCALES_A_WORD : 0]);
    if (dot_is_scaled(p->op)) print_scales(d, index, k);
    buf_printf(&d->call.text, "%s;\n\t", k ? "adds" : "begins");
  }
}

static LLVMValueRef adds_to_sums(Emitter *e, const EmittedDot *p) {
  return p->fresh ? LLVMBuildZExt(e->builder, LLVMBuildNot(e->builder, p->fresh, ""), e->i32, "")
                  : emit_i32(e, !p->from_zero);
}

// The descriptors of instructions for the columns from n on. Those of padding are left out, in steps of 16.
static void describe_columns(Emitter *e, TensorDot *d, uint32_t n) {
  enum { MOST = 256 };
  uint32_t left = (uint32_t)round_up(dot_extents(d->p->op).n - n, COLUMN_STEP);
  uint32_t idesc = instruction_descriptor(d->p, &d->a, &d->b, d->rows << e->pair, min_u32(left, MOST));
  for (uint32_t i = 0; i < (dot_is_scaled(d->p->op) ? DOT_SCALES_A_WORD : 1); i++)
    d->idesc[i] = asm_operand(e, &d->call, emit_i32(e, with_scale(idesc, i)));
}

static void add_all_products(Emitter *e, TensorDot *d) {
  enum { COLUMNS = 256 };
  const uint32_t *shape = op_result(d->p->op)->type->shape;
  for (uint32_t n = 0; n < dot_extents(d->p->op).n; n += COLUMNS) {
    describe_columns(e, d, n);
    for (uint32_t m = 0; m < shape[0]; m += d->rows) add_products(e, d, m * shape[1] + n);
  }
}

// One of a group's threads issues the dot, and commits it to the next of tmem_alloc's mbarriers.
static void begin_by_first(Emitter *e, TensorDot *d) {
  buf_printf(&d->call.text, "setp.eq.b32 issues, $%u, 0;\n\t@issues %s;\n\t",
             asm_operand(e, &d->call, e->threads.thread), after_fence);
}

static void commit_by_first(Emitter *e, TensorDot *d) {
  LLVMValueRef begun = LLVMBuildLoad2(e->builder, e->i32, e->tmem.begun, "");
  buf_printf(&d->call.text,
             "@issues tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$%u];\n\t",
             asm_operand(e, &d->call, mbarrier_of(e, begun)));
  LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, begun, emit_i32(e, 1), ""), e->tmem.begun);
}

void emit_tcgen05_dot(Emitter *e, const EmittedDot *p) {
  const Type *type = op_result(p->op)->type;
  bool alone = group_runs_by_thread(p->op);
  TensorDot d = {.p = p, .b = emit_matrix(e, p, DOT_B)};
  d.a_in_tmem = op_operand(p->op, DOT_A)->type->kind == TYPE_TMEM;
  if (!d.a_in_tmem) d.a = emit_matrix(e, p, DOT_A), emit_descriptor(e, p->op, DOT_A, &d.a);
  emit_descriptor(e, p->op, DOT_B, &d.b);
  d.when = alone ? "" : "@issues ";
  d.rows = min_u32(type->shape[0], 128);
  uint32_t adds = asm_operand(e, &d.call, adds_to_sums(e, p));
  d.tmem = asm_operand(e, &d.call, emit_register(e, op_operand(p->op, 2), 0));
  if (d.a_in_tmem) d.a_tmem = asm_operand(e, &d.call, emit_register(e, op_operand(p->op, DOT_A), 0));
  buf_printf(&d.call.text,
             "{\n\t.reg .pred issues, begins, adds;\n\tsetp.ne.b32 begins, $%u, 0;\n\t"
             "setp.eq.b32 adds, 0, 0;\n\t",
             adds);
  if (!alone) begin_by_first(e, &d);
  if (dot_is_scaled(p->op)) {
    emit_needs_ptx(e, 88);
    d.scales = asm_operand(e, &d.call, emit_register(e, op_result(alloc_of(&d)), 0));
  }
  for (uint32_t i = DOT_A; dot_is_scaled(p->op) && i <= DOT_B; i++) copy_scales(e, &d, (DotOperand)i);
  add_all_products(e, &d);
  if (!alone) commit_by_first(e, &d);
  buf_char(&d.call.text, '}');
  asm_build(e, &d.call, ASM_ORDERED, NULL);
  emit_bind(e, op_result(p->op), emit_get(e, op_operand(p->op, 2)));
}

// Waits until at most `pending` dots are in flight. A phase can only be told from the one before. So one dot
// fewer than there are mbarriers may be left. Before the first dot, the phase is -1: complete.
void emit_tcgen05_wait(Emitter *e, const Op *wait) {
  uint32_t pending = min_u32((uint32_t)op_int(wait, ATTR_PENDING, 0), e->tmem.count - 1);
  LLVMValueRef begun = LLVMBuildLoad2(e->builder, e->i32, e->tmem.begun, "");
  LLVMValueRef number = LLVMBuildSub(e->builder, begun, emit_i32(e, pending + 1), "");
  LLVMValueRef round = LLVMBuildLShr(e->builder, number, emit_i32(e, log2_of(e->tmem.count)), "");
  LLVMValueRef parity = LLVMBuildAnd(e->builder, round, emit_i32(e, 1), "");
  emit_mbarrier_wait(e, mbarrier_of(e, number), parity);
  nvvm_order(e, after_fence, "");
  for (uint32_t i = 0; i < wait->result_count; i++)
    emit_bind(e, &wait->results[i], emit_get(e, op_operand(wait, i)));
}

// --- tensor memory

static void begin_counting(Emitter *e, const Value *mbarriers) {
  EmitPosition here = emit_move_before(e, LLVMGetFirstInstruction(e->entry));
  e->tmem.begun = LLVMBuildAlloca(e->builder, e->i32, "");
  emit_move_back(e, &here);
  LLVMBuildStore(e->builder, emit_i32(e, 0), e->tmem.begun);
  e->tmem.mbarriers = emit_shared_word(e, mbarriers);
  e->tmem.count = (uint32_t)type_elements(mbarriers->type);
  e->has_variables = true;
}

// The first warp allocates. All threads read the address after the barrier.
static void emit_alloc(Emitter *e, const Op *op) {
  LLVMValueRef at = emit_shared_word(e, op_operand(op, 0)), place = NULL, first = emit_i32(e, 0);
  AsmCall alloc = {0}, read = {0};
  if (op->operand_count > 1) begin_counting(e, op_operand(op, 1));
  e->arch_specific = true;
  emit_needs_ptx(e, 86);
  if (e->pair) emit_cluster_barrier(e); // the other CTA has started
  LLVMBasicBlockRef end = emit_guard(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->threads.warp, first, ""));
  buf_printf(&alloc.text,
             "tcgen05.alloc.cta_group::%u.sync.aligned.shared::cta.b32 [$%u], %u;\n\t"
             "tcgen05.relinquish_alloc_permit.cta_group::%u.sync.aligned;",
             1u + e->pair, asm_operand(e, &alloc, at), tmem_alloc_columns(op), 1u + e->pair);
  asm_build(e, &alloc, ASM_ORDERED, NULL);
  emit_unguard(e, end);
  nvvm_order(e, before_fence, "");
  nvvm_barrier(e, 0, 0);
  nvvm_order(e, after_fence, "");
  asm_result(e, &read, e->i32);
  buf_printf(&read.text, "ld.shared.b32 $0, [$%u];", asm_operand(e, &read, at));
  asm_build(e, &read, ASM_ORDERED, &place);
  emit_new(e, op_result(op))[0] = place;
}

static void emit_dealloc(Emitter *e, const Op *op) {
  AsmCall call = {0};
  LLVMValueRef first = emit_i32(e, 0), tmem = emit_register(e, op_operand(op, 0), 0);
  if (e->pair) emit_cluster_barrier(e); // the other CTA has ended its accesses here
  LLVMBasicBlockRef end = emit_guard(e, LLVMBuildICmp(e->builder, LLVMIntEQ, e->threads.warp, first, ""));
  buf_printf(&call.text, "%s;\n\ttcgen05.dealloc.cta_group::%u.sync.aligned.b32 $%u, %u;", after_fence,
             1u + e->pair, asm_operand(e, &call, tmem), tmem_alloc_columns(op_operand(op, 0)->def));
  asm_build(e, &call, ASM_ORDERED, NULL);
  emit_unguard(e, end);
}

// The address of the warp's first lane, in the columns of its first register. A column has `elements` of a row.
static LLVMValueRef warp_address(Emitter *e, LLVMValueRef tmem, const Type *tile, uint32_t elements) {
  LLVMValueRef part = LLVMBuildAnd(e->builder, e->threads.warp, emit_i32(e, 3), "");
  part = LLVMBuildMul(e->builder, part, emit_i32(e, WARP_LANES << LANE_SHIFT), "");
  LLVMValueRef address = LLVMBuildAdd(e->builder, tmem, part, "");
  for (uint32_t bit = 2; bit < tile->layout->bits[DIM_WARP]; bit++) {
    uint32_t column = tmem_place(tile, layout_basis(tile->layout, DIM_WARP, bit)).column / elements;
    LLVMValueRef shifted = LLVMBuildLShr(e->builder, e->threads.warp, emit_i32(e, bit), "");
    LLVMValueRef set = LLVMBuildAnd(e->builder, shifted, emit_i32(e, 1), "");
    address = LLVMBuildAdd(e->builder, address, LLVMBuildMul(e->builder, set, emit_i32(e, column), ""), "");
  }
  return address;
}

// Consecutive registers of one instruction: those along the columns. A thread that waits for few registers at a time can
// convert them before it reads the next.
static uint32_t registers_together(const Type *tile, bool padded) {
  enum { MOST = 16, MOST_OF_STEP = 8, MOST_OF_ROW = 32 }; // MOST_OF_STEP: of COLUMN_STEP columns
  bool rows = tile_has_tmem_rows(tile);
  uint32_t bits = rows ? 0 : 2, first = rows ? 1 : 2;
  while (bits < tile->layout->bits[DIM_REGISTER] &&
         layout_basis(tile->layout, DIM_REGISTER, bits) == first << bits)
    bits++;
  if (rows) return min_u32(1u << bits, padded ? COLUMN_STEP : MOST_OF_ROW);
  return min_u32(1u << bits, padded ? MOST_OF_STEP : MOST);
}

// tcgen05.ld or st of `count` registers from r on, which are the call's results or operands from `first` on.
static void add_move(AsmCall *call, const Type *tile, uint32_t address, uint32_t r, uint32_t count,
                     uint32_t first, bool stores) {
  TmemPlace at = tmem_place(tile, layout_apply(tile->layout, r, 0, 0, 0));
  bool rows = tile_has_tmem_rows(tile);
  buf_printf(&call->text, "tcgen05.%s.sync.aligned.%s.x%u.b32 ", stores ? "st" : "ld",
             rows ? "32x32b" : "16x256b", rows ? count : count / LOAD_REGISTERS);
  if (!stores) asm_words(&call->text, first, count);
  buf_printf(&call->text, "%s[$%u+%u]", stores ? "" : ", ", address, (at.lane << LANE_SHIFT) + at.column);
  if (stores) buf_text(&call->text, ", ");
  if (stores) asm_words(&call->text, first, count);
  buf_text(&call->text, ";\n\t");
}

// The columns that the kernel's dots compute. The others are padding, which tensor memory does not have.
static uint32_t computed_columns(const Op *load) {
  uint32_t columns = 0;
  for (OpWalk w = ops_in(load->region->func->body); ops_next(&w);)
    if (is_dot_of(w.op, DOT_TCGEN05))
      columns = max_u32(columns, (uint32_t)round_up(dot_extents(w.op).n, COLUMN_STEP));
  return columns ? columns : op_result(load)->type->shape[1];
}

typedef enum Piece { PIECE_WHOLE, PIECE_OF_SOME_WARPS, PIECE_PADDING } Piece;

// Says which warps have computed columns in their registers from r on. A piece of a padded tile has COLUMN_STEP columns.
static Piece piece_of(const Op *load, uint32_t r) {
  const Type *tile = op_result(load)->type;
  uint32_t computed = computed_columns(load), columns = tile->shape[1],
           first = layout_apply(tile->layout, r, 0, 0, 0) % columns, last = first;
  for (uint32_t bit = 2; bit < tile->layout->bits[DIM_WARP]; bit++)
    last += layout_basis(tile->layout, DIM_WARP, bit) % columns;
  return first >= computed ? PIECE_PADDING : last < computed ? PIECE_WHOLE : PIECE_OF_SOME_WARPS;
}

// Only warps that have computed columns run the next instruction.
static void add_condition(Emitter *e, AsmCall *call, const Op *load, uint32_t r, LLVMValueRef address) {
  const Type *tile = op_result(load)->type;
  uint32_t columns = tile->shape[1], first = layout_apply(tile->layout, r, 0, 0, 0) % columns;
  LLVMValueRef own = LLVMBuildSub(e->builder, address, emit_register(e, op_operand(load, 0), 0), "");
  own = LLVMBuildAnd(e->builder, own, emit_i32(e, columns - 1), "");
  buf_printf(&call->text, "{\n\t.reg .pred computed;\n\tsetp.lt.u32 computed, $%u, %u;\n\t@computed ",
             asm_operand(e, call, own), computed_columns(load) - first);
}

// The registers from r on that one instruction loads. A column has one element, an fp16 in its lower half.
static void load_piece(Emitter *e, const Op *op, uint32_t r, uint32_t count) {
  const Type *tile = op_result(op)->type;
  LLVMTypeRef element = emit_type(e, tile);
  bool halves = type_is_elem(tile, ELEM_FP16);
  LLVMValueRef address = warp_address(e, emit_register(e, op_operand(op, 0), 0), tile, 1);
  LLVMValueRef *out = emit_get(e, op_result(op)) + r;
  AsmCall call = {.early = true};
  Piece piece = piece_of(op, r);
  bool last = r + count == layout_registers(tile->layout);
  if (piece == PIECE_PADDING) {
    for (uint32_t i = 0; i < count; i++) out[i] = LLVMConstNull(element);
    if (last) nvvm_order(e, before_fence, "");
    return;
  }
  for (uint32_t i = 0; i < count; i++) asm_result(e, &call, halves ? e->i32 : element);
  uint32_t at = asm_operand(e, &call, address);
  if (piece == PIECE_OF_SOME_WARPS) add_condition(e, &call, op, r, address);
  add_move(&call, tile, at, r, count, 0, false);
  buf_text(&call.text, "tcgen05.wait::ld.sync.aligned;");
  if (last) buf_printf(&call.text, "\n\t%s;", before_fence);
  if (piece == PIECE_OF_SOME_WARPS) buf_text(&call.text, "\n\t}");
  asm_build(e, &call, ASM_ORDERED, out);
  for (uint32_t i = 0; halves && i < count; i++)
    out[i] = LLVMBuildBitCast(e->builder, LLVMBuildTrunc(e->builder, out[i], e->i16, ""), element, "");
}

void emit_tmem_registers(Emitter *e, const Value *value, uint32_t end) {
  if (!value->def || value->def->kind != OP_TMEM_LOAD) return;
  uint32_t together = registers_together(value->type, computed_columns(value->def) < value->type->shape[1]);
  for (uint32_t r = 0; r < end; r += together)
    if (!emit_register(e, value, r)) load_piece(e, value->def, r, together);
}

// True if the slice has the element of thread 0 in register r.
static bool slice_has(const Op *slice, uint32_t r) {
  const Type *whole = operand_type(slice, 0), *part = result_type(slice);
  const Attr *starts = op_attr(slice, ATTR_STARTS);
  uint32_t index = layout_apply(whole->layout, r, 0, 0, 0);
  uint32_t at[2] = {index / whole->shape[1], index % whole->shape[1]};
  for (uint32_t d = 0; d < 2; d++)
    if (at[d] < starts->ints.at[d] || at[d] >= starts->ints.at[d] + part->shape[d]) return false;
  return true;
}

void emit_tmem_slice(Emitter *e, const Op *slice) {
  const Value *value = op_operand(slice, 0);
  if (!value->def || value->def->kind != OP_TMEM_LOAD) return;
  uint32_t together = registers_together(value->type, computed_columns(value->def) < value->type->shape[1]);
  for (uint32_t r = 0; r < layout_registers(value->type->layout); r++)
    if (slice_has(slice, r) && !emit_register(e, value, r))
      load_piece(e, value->def, r - r % together, together);
}

// The op that multiplies the loaded tile, which nothing else takes. NULL: there is none.
static const Op *rescale_of(const Op *load) {
  const Use *use = value_single_use(op_result(load));
  return use && use->user->kind == OP_RESCALE && use == use->user->operands ? use->user : NULL;
}

bool emit_tmem_rescales(const Op *rescale) {
  const Op *load = op_operand(rescale, 0)->def;
  const Use *use = value_single_use(op_result(rescale));
  if (!load || load->kind != OP_TMEM_LOAD || rescale_of(load) != rescale || !use) return false;
  const Op *store = use->user;
  return store->kind == OP_TMEM_STORE && store->region == load->region &&
         op_operand(store, 1) == op_operand(load, 0);
}

static void emit_tmem_load(Emitter *e, const Op *op) {
  emit_new(e, op_result(op));
  bool waits = rescale_of(op) && emit_tmem_rescales(rescale_of(op));
  if (!tmem_loads_in_parts(op) && !waits)
    emit_tmem_registers(e, op_result(op), layout_registers(op_result(op)->type->layout));
}

static LLVMValueRef word_of(Emitter *e, LLVMValueRef value, bool half) {
  if (!half) return value;
  return LLVMBuildZExt(e->builder, LLVMBuildBitCast(e->builder, value, e->i16, ""), e->i32, "");
}

static void store_piece(Emitter *e, const Type *tile, LLVMValueRef address, const LLVMValueRef *from,
                        uint32_t r, uint32_t count) {
  AsmCall call = {0};
  uint32_t at = asm_operand(e, &call, address);
  for (uint32_t i = 0; i < count; i++)
    asm_operand(e, &call, word_of(e, from[i], type_is_elem(tile, ELEM_FP16)));
  add_move(&call, tile, at, r, count, at + 1, true);
  if (r + count == layout_registers(tile->layout))
    buf_printf(&call.text, "tcgen05.wait::st.sync.aligned;\n\t%s;", before_fence);
  asm_build(e, &call, ASM_ORDERED, NULL);
}

// A warp whose factors are all 1 leaves its lanes as they are.
static void multiply_in_place(Emitter *e, const Op *rescale, LLVMValueRef address, uint32_t together) {
  const Op *load = op_operand(rescale, 0)->def;
  const Type *tile = op_result(load)->type;
  const LLVMValueRef *factors = emit_get(e, op_operand(rescale, 1));
  LLVMValueRef *x = emit_get(e, op_result(load));
  LLVMBasicBlockRef end = emit_guard(e, emit_rescales(e, rescale));
  for (uint32_t r = 0; r < layout_registers(tile->layout); r += together) {
    load_piece(e, load, r, together);
    for (uint32_t i = r; i < r + together; i++) x[i] = LLVMBuildFMul(e->builder, x[i], factors[i], "");
    store_piece(e, tile, address, x + r, r, together);
  }
  emit_unguard(e, end);
}

// A dot's first operand: neighbours in a row share a column.
static void store_operand(Emitter *e, const Op *op) {
  enum { PAIR = 2, MOST = 32 };
  const Value *value = op_operand(op, 0);
  const Type *tile = value->type;
  uint32_t registers = layout_registers(tile->layout), together = registers_together(tile, false);
  LLVMValueRef address = warp_address(e, emit_register(e, op_operand(op, 1), 0), tile, PAIR);
  for (uint32_t r = 0; r < registers; r += together) {
    AsmCall call = {0};
    uint32_t at = asm_operand(e, &call, address),
             column = tmem_place(tile, layout_apply(tile->layout, r, 0, 0, 0)).column;
    for (uint32_t i = 0; i < together; i += PAIR)
      asm_operand(e, &call, emit_pair(e, emit_register(e, value, r + i), emit_register(e, value, r + i + 1)));
    buf_printf(&call.text, "tcgen05.st.sync.aligned.32x32b.x%u.b32 [$%u+%u], ", together / PAIR, at,
               column / PAIR);
    asm_words(&call.text, at + 1, together / PAIR);
    buf_text(&call.text, ";\n\t");
    if (r + together == registers)
      buf_printf(&call.text, "tcgen05.wait::st.sync.aligned;\n\t%s;", before_fence);
    asm_build(e, &call, ASM_ORDERED, NULL);
  }
  emit_bind(e, op_result(op), emit_get(e, op_operand(op, 1)));
}

static void emit_tmem_store(Emitter *e, const Op *op) {
  const Value *value = op_operand(op, 0);
  const Type *tile = value->type;
  if (tmem_is_operand(op_result(op))) {
    store_operand(e, op);
    return;
  }
  uint32_t registers = layout_registers(tile->layout), together = registers_together(tile, false);
  LLVMValueRef tmem = emit_register(e, op_operand(op, 1), 0), address = warp_address(e, tmem, tile, 1);
  if (value->def && value->def->kind == OP_RESCALE && emit_tmem_rescales(value->def))
    multiply_in_place(e, value->def, address, together);
  else
    for (uint32_t r = 0; r < registers; r += together)
      store_piece(e, tile, address, emit_get(e, value) + r, r, together);
  emit_bind(e, op_result(op), emit_get(e, op_operand(op, 1)));
}

// Another group has used the accumulator, and the mbarrier that was waited for orders its accesses before the fence.
static void emit_slot(Emitter *e, const Op *op) {
  LLVMValueRef columns = emit_i32(e, tmem_columns(operand_type(op, 0))),
               number = emit_register(e, op_operand(op, 1), 0);
  LLVMValueRef first = emit_register(e, op_operand(op, 0), 0);
  nvvm_order(e, after_fence, "");
  emit_new(e, op_result(op))[0] =
      LLVMBuildAdd(e->builder, first, LLVMBuildMul(e->builder, number, columns, ""), "");
}

void emit_tmem_op(Emitter *e, Op *op) {
  if (op->kind == OP_TMEM_SLOT) emit_slot(e, op);
  if (op->kind == OP_TMEM_ALLOC) emit_alloc(e, op);
  if (op->kind == OP_TMEM_DEALLOC) emit_dealloc(e, op);
  if (op->kind == OP_TMEM_LOAD) emit_tmem_load(e, op);
  if (op->kind == OP_TMEM_STORE) emit_tmem_store(e, op);
}
