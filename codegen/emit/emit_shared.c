// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory: the kernel's one array, buffers as places in it, copies of tiles to and from buffers.
//
// An element's offset is map(register, lane, warp). The part of lane and warp is computed once a function.
// Registers add constants: XORed if they share bits with that part, else as immediates. A run of registers
// with consecutive offsets is one access of at most 16 bytes.
#include "codegen/emit/emit.h"

#include "base/fault.h"
#include "codegen/nvvm/nvvm.h"
#include "ir/layout/ldmatrix.h"
#include "ir/memory/access.h"
#include "ir/memory/scratch.h"

// --- the kernel's array

// The array's name is not an identifier of the tile language.
void emit_shared_memory(Emitter *e, Func *func) {
  enum { MAX_ALIGNED = 1024 }; // wgmma and TMA need this alignment
  uint32_t bytes = func_shared_bytes(func);
  bool is_static = bytes <= e->target->arch->shared_static;
  vec_push(e->arena, &e->dynamic_shared, is_static ? 0 : bytes);
  e->shared = NULL;
  if (!bytes) return;
  LLVMTypeRef type = LLVMArrayType2(e->i8, is_static ? bytes : 0);
  const char *name = arena_printf(e->arena, "%s$shared", func->name);
  e->shared = LLVMAddGlobalInAddressSpace(e->llvm, type, name, NVVM_SHARED);
  LLVMSetAlignment(e->shared, MAX_ALIGNED);
  LLVMSetLinkage(e->shared, is_static ? LLVMInternalLinkage : LLVMExternalLinkage);
  if (is_static) LLVMSetInitializer(e->shared, LLVMGetUndef(type));
}

LLVMValueRef emit_shared_address(Emitter *e, const Value *buffer) { return emit_get(e, buffer)[0]; }

static LLVMValueRef at_byte(Emitter *e, LLVMValueRef base, LLVMValueRef offset) {
  return LLVMBuildGEP2(e->builder, e->i8, base, &offset, 1, "");
}

// --- guards

LLVMBasicBlockRef emit_guard(Emitter *e, LLVMValueRef condition) {
  if (!condition) return NULL;
  LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(e->context, e->function, "guarded");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(e->context, e->function, "guard_end");
  LLVMBuildCondBr(e->builder, condition, inside, end);
  LLVMPositionBuilderAtEnd(e->builder, inside);
  return end;
}

void emit_unguard(Emitter *e, LLVMBasicBlockRef end) {
  if (!end) return;
  LLVMBuildBr(e->builder, end);
  LLVMPositionBuilderAtEnd(e->builder, end);
}

// --- registers to and from shared memory

// How an access moves its registers: 2^bits of them at a time, those with consecutive offsets.
typedef struct Runs {
  SharedRuns at;
  LLVMTypeRef memory, type; // of an element; of a run
  uint32_t bytes;           // of an element
} Runs;

static LLVMTypeRef memory_type(Emitter *e, const Type *element) {
  return element->kind == TYPE_PTR ? e->i64 : emit_memory_type(e, element);
}

// Makes the runs. A run must not cross the offset bits in the first mask.
static Runs runs_of(Emitter *e, const SharedAccess *access, uint32_t parted, uint32_t skip) {
  Runs runs = {.memory = memory_type(e, access->element), .bytes = type_element_bytes(access->element)};
  runs.at = shared_runs(access->map, runs.bytes, parted, skip);
  runs.type = runs.at.bits ? LLVMVectorType(runs.memory, 1u << runs.at.bits) : runs.memory;
  return runs;
}

// Register i of the run that begins at register r.
static uint32_t run_register(const Runs *runs, uint32_t r, uint32_t i) {
  for (uint32_t bit = 0; bit < runs->at.bits; bit++) r |= (i >> bit & 1) << runs->at.register_bit[bit];
  return r;
}

static LLVMValueRef register_address(Emitter *e, const SharedAccess *access, uint32_t r) {
  uint32_t bytes = type_element_bytes(access->element);
  LayoutIndex index = emit_thread_index(e, access->map);
  uint32_t constant = layout_apply(access->map, r, 0, 0, 0) ^ access->change;
  LLVMValueRef offset = index.thread_part;
  if (constant & index.thread_mask)
    offset = LLVMBuildXor(e->builder, offset, emit_i32(e, constant & index.thread_mask), "");
  offset = LLVMBuildMul(e->builder, offset, emit_i32(e, bytes), "");
  LLVMValueRef address = at_byte(e, access->base, offset);
  uint32_t rest = constant & ~index.thread_mask;
  return rest ? at_byte(e, address, emit_i32(e, rest * bytes)) : address;
}

// A boolean in shared memory is a byte other than 0. If it tells whether a byte is 0, it is that byte.
static LLVMValueRef to_shared(Emitter *e, LLVMValueRef x) {
  bool compares = LLVMTypeOf(x) == e->i1 && LLVMIsAICmpInst(x) && LLVMGetICmpPredicate(x) == LLVMIntNE;
  if (compares && LLVMTypeOf(LLVMGetOperand(x, 0)) == e->i8 && LLVMIsNull(LLVMGetOperand(x, 1)))
    return LLVMGetOperand(x, 0);
  return emit_to_memory(e, x);
}

// Registers with a bit of `skip` are not written.
static void emit_shared_write(Emitter *e, const SharedAccess *access, uint32_t skip,
                              const LLVMValueRef *registers) {
  Runs runs = runs_of(e, access, access->change | access->shift, skip);
  for (uint32_t r = 0; r < layout_registers(access->map); r++) {
    if ((r & skip) || !shared_run_begins(&runs.at, r)) continue;
    LLVMValueRef run[16];
    for (uint32_t i = 0; i < 1u << runs.at.bits; i++)
      run[i] = to_shared(e, registers[run_register(&runs, r, i)]);
    LLVMValueRef all = runs.at.bits ? emit_vector(e, run, 1u << runs.at.bits) : run[0];
    LLVMValueRef store = LLVMBuildStore(e->builder, all, register_address(e, access, r));
    LLVMSetAlignment(store, runs.bytes << runs.at.bits);
  }
}

static LLVMValueRef read_run(Emitter *e, const Runs *runs, LLVMValueRef address) {
  LLVMValueRef all = LLVMBuildLoad2(e->builder, runs->type, address, "");
  LLVMSetAlignment(all, runs->bytes << runs->at.bits);
  return all;
}

static LLVMValueRef run_element(Emitter *e, const Runs *runs, LLVMValueRef all, uint32_t i) {
  return runs->at.bits ? LLVMBuildExtractElement(e->builder, all, emit_i32(e, i), "") : all;
}

// Reads a part that begins inside a run. Each run of registers then lies in two neighbouring runs of memory.
// Both are read whole, instead of one element at a time. The second one is the first of another register, or
// of another part.
static void emit_shared_read_part(Emitter *e, const SharedAccess *access, uint32_t mask, uint32_t value,
                                  LLVMValueRef *registers) {
  Runs runs = runs_of(e, access, access->change, mask);
  uint32_t size = 1u << runs.at.bits, late = access->shift & (size - 1);
  SharedAccess aligned = *access;
  if (late)
    aligned.base = at_byte(e, access->base, LLVMConstInt(e->i32, -(uint64_t)(late * runs.bytes), true));
  for (uint32_t r = 0; r < layout_registers(access->map); r++) {
    if ((r & mask) != value || !shared_run_begins(&runs.at, r)) continue;
    LLVMValueRef address = register_address(e, &aligned, r), first = read_run(e, &runs, address),
                 second = NULL;
    if (late) second = read_run(e, &runs, at_byte(e, address, emit_i32(e, size * runs.bytes)));
    for (uint32_t i = 0; i < size; i++) {
      bool in_first = i + late < size;
      LLVMValueRef x = run_element(e, &runs, in_first ? first : second, (i + late) % size);
      registers[run_register(&runs, r, i)] = emit_from_memory(e, access->element, x);
    }
  }
}

static void emit_shared_read(Emitter *e, const SharedAccess *access, LLVMValueRef *registers) {
  emit_shared_read_part(e, access, 0, 0, registers);
}

LLVMValueRef emit_shared_element(Emitter *e, LLVMValueRef base, const Type *element, LLVMValueRef place) {
  LLVMTypeRef type = memory_type(e, element);
  LLVMValueRef address = LLVMBuildGEP2(e->builder, type, base, &place, 1, "");
  return emit_from_memory(e, element, LLVMBuildLoad2(e->builder, type, address, ""));
}

// --- tiles in buffers

// The map of a tile in a buffer, or in the part of the buffer that begins at `starts` (may be NULL).
static SharedAccess emit_shared_access(Emitter *e, const Value *buffer, const Type *tile,
                                       const Attr *starts) {
  SharedMap map = shared_map(buffer->type, tile, starts);
  SharedAccess access = {.base = emit_shared_address(e, buffer), .element = type_element(tile)};
  access.map = layout_intern(e->module->ir, &map.map);
  access.change = map.change;
  access.shift = map.shift;
  if (map.shift)
    access.base = at_byte(e, access.base, emit_i32(e, map.shift * type_element_bytes(access.element)));
  return access;
}

// True if both ops are stores by the same threads, one directly after the other.
static bool share_guard(const Op *a, const Op *b) {
  if (!a || !b || a->kind != OP_SHARED_STORE || b->kind != OP_SHARED_STORE) return false;
  const Type *x = op_operand(a, 0)->type, *y = op_operand(b, 0)->type;
  return type_is_tile(x) == type_is_tile(y) && x->layout == y->layout &&
         op_int(a, ATTR_WRITER, 0) == op_int(b, ATTR_WRITER, 0);
}

static void emit_shared_store(Emitter *e, Op *op) {
  const Value *value = op_operand(op, 0);
  const Type *type = value->type;
  bool tile = type_is_tile(type);
  SharedAccess access = emit_shared_access(e, op_operand(op, 1), type, op_attr(op, ATTR_STARTS));
  uint32_t free_bits[DIM_COUNT] = {0}, writer = (uint32_t)op_int(op, ATTR_WRITER, 0);
  if (tile) layout_free_bits(type->layout, free_bits);
  if (!share_guard(op->prev, op))
    e->guard_end = emit_guard(e, tile ? emit_writing_holder(e, type->layout, writer) : emit_holder(e, type));
  emit_shared_write(e, &access, free_bits[DIM_REGISTER], emit_get(e, value));
  if (!share_guard(op, op->next)) emit_unguard(e, e->guard_end);
}

// Mirroring lane and warp changes the offset. Mirroring registers changes their order.
static void read_mirrored(Emitter *e, SharedAccess *access, const Type *tile, uint32_t axis,
                          LLVMValueRef *out) {
  uint32_t delta = mirror_delta(tile, axis), registers = layout_registers(tile->layout);
  uint32_t reg = delta & (registers - 1), rest = delta >> tile->layout->bits[DIM_REGISTER];
  LLVMValueRef *mirrored = ARENA_ARRAY(e->arena, LLVMValueRef, registers);
  access->change ^= layout_apply(access->map, 0, rest & 31, rest >> LANE_BITS, 0);
  emit_shared_read(e, access, mirrored);
  for (uint32_t r = 0; r < registers; r++) out[r] = mirrored[r ^ reg];
}

static void emit_shared_load(Emitter *e, Op *op) {
  if (ldmatrix_fits(op)) {
    emit_ldmatrix(e, op);
    return;
  }
  const Type *type = op_result(op)->type;
  const Attr *mirror = op_attr(op, ATTR_MIRROR);
  SharedAccess access = emit_shared_access(e, op_operand(op, 0), type, op_attr(op, ATTR_STARTS));
  LLVMValueRef *out = emit_new(e, op_result(op));
  if (mirror)
    read_mirrored(e, &access, type, (uint32_t)mirror->i, out);
  else
    emit_shared_read(e, &access, out);
}

static void emit_shared_index(Emitter *e, Op *op) {
  const Op *from = op_operand(op, 0)->def;
  uint32_t bytes = shared_bytes(op_result(op)->type) >> (from && op_attr(from, ATTR_HALF));
  LLVMValueRef index = emit_register(e, op_operand(op, 1), 0);
  LLVMValueRef offset = LLVMBuildMul(e->builder, index, emit_i32(e, bytes), "");
  emit_new(e, op_result(op))[0] = at_byte(e, emit_shared_address(e, op_operand(op, 0)), offset);
}

// --- asynchronous copies

// Copies the run at register r. Bytes that the mask disables are zeros.
static void copy_run(Emitter *e, const Op *op, const SharedAccess *to, uint32_t r, uint32_t run,
                     LLVMValueRef begins) {
  const Value *mask = op_operand(op, 2);
  uint32_t element = elem_bytes(op_operand(op, 1)->type->elem), bytes = run * element;
  LLVMValueRef from = emit_register(e, op_operand(op, 0), r), place = register_address(e, to, r);
  LLVMValueRef read = mask ? emit_masked_bytes(e, op, mask, r, run, element) : NULL;
  const Attr *cache = op_attr(op, ATTR_CACHE);
  bool first_level = bytes < 16 || (cache && strcmp(cache->str, ".ca") == 0);
  nvvm_copy_async(e, bytes, first_level, place, from, read, begins);
}

static void emit_copy_async(Emitter *e, Op *op) {
  const Value *pointer = op_operand(op, 0);
  const Layout *layout = pointer->type->layout;
  const Type *tile = type_with_element(e->module->ir, pointer->type, type_element(pointer->type)->inner);
  SharedAccess access = emit_shared_access(e, op_operand(op, 1), tile, NULL);
  uint32_t run = copy_async_run(op), free_bits[DIM_COUNT];
  layout_free_bits(layout, free_bits);
  LLVMValueRef holder = emit_first_holder(e, layout), begins = e->begins;
  if (begins && holder) begins = LLVMBuildAnd(e->builder, begins, holder, "");
  LLVMBasicBlockRef end = emit_guard(e, begins ? NULL : holder);
  for (uint32_t r = 0; r < layout_registers(layout); r += run)
    if (!(r & free_bits[DIM_REGISTER])) copy_run(e, op, &access, r, run, begins);
  emit_unguard(e, end);
}

void emit_shared_op(Emitter *e, Op *op) {
  switch ((int)op->kind) {
  case OP_SHARED_ALLOC:
    emit_new(e, op_result(op))[0] = at_byte(e, e->shared, emit_i32(e, (uint32_t)op_int(op, ATTR_OFFSET, 0)));
    break;
  case OP_SHARED_STORE: emit_shared_store(e, op); break;
  case OP_SHARED_LOAD: emit_shared_load(e, op); break;
  case OP_SHARED_INDEX: emit_shared_index(e, op); break;
  case OP_SHARED_TRANS: emit_new(e, op_result(op))[0] = emit_shared_address(e, op_operand(op, 0)); break;
  case OP_COPY_ASYNC: emit_copy_async(e, op); break;
  case OP_ASYNC_COMMIT:
    nvvm_copy_commit(e);
    emit_new(e, op_result(op))[0] = LLVMConstNull(e->i1);
    break;
  case OP_ASYNC_WAIT: nvvm_copy_wait(e, (uint32_t)op_int(op, ATTR_PENDING, 0)); break;
  case OP_FENCE_ASYNC: nvvm_fence_async(e, op_attr(op, ATTR_GLOBAL)); break;
  default: BUG("%s is not of shared memory", op_info(op->kind)->name);
  }
}
