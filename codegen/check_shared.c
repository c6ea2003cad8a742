// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds shared-memory ops and asynchronous copies that cannot be compiled.
#include "codegen/emit/emit_combine.h"

#include <stdlib.h>

#include "ir/memory/access.h"
#include "ir/memory/exchange.h"

typedef struct SharedChecker {
  const Target *target;
  Diags *diags;
  bool ok;
} SharedChecker;

static bool fail(SharedChecker *c, const Op *op, const char *why) {
  diag_error(c->diags, op->loc, "[T0000] %s: %s", op_info(op->kind)->name, why);
  c->ok = false;
  return false;
}

static bool fail_before(SharedChecker *c, const Op *op, size_t feature) {
  diag_error(c->diags, op->loc, "[T0507] %s: it needs %s or newer", op_info(op->kind)->name,
             target_since(feature));
  c->ok = false;
  return false;
}

static bool all_layouts(const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Type *type = op_operand(op, i)->type;
    if (type_is_tile(type) && !type->layout) return false;
  }
  return true;
}

static void check_starts(SharedChecker *c, const Op *op, const Type *tile, const Type *buffer) {
  if (!shared_reaches(buffer, tile, op_attr(op, ATTR_STARTS)))
    fail(c, op, "a part of a buffer that does not start at a multiple of its size is not supported yet");
}

static void check_copy(SharedChecker *c, const Op *op) {
  uint32_t bytes = elem_bytes(op_operand(op, 1)->type->elem);
  if (!c->target->arch->has_cp_async)
    fail_before(c, op, offsetof(TargetInfo, has_cp_async));
  else if (copy_async_run(op) * bytes < 4)
    fail(c, op, "an asynchronous copy must move 4, 8 or 16 aligned bytes per thread");
}

static void check_scan(SharedChecker *c, const Op *op) {
  ScanPlan plan;
  if (combined_count(op) > MAX_COMBINED) fail(c, op, "it combines more than 16 values");
  if (!scan_plan(op, &plan)) fail(c, op, "the layout spreads the axis in a way that is not supported yet");
}

static void check_reduce(SharedChecker *c, const Op *op) {
  const Type *from = op_operand(op, 0)->type, *to = op_result(op)->type;
  if (op_input_count(op) > MAX_COMBINED) fail(c, op, "it combines more than 16 values");
  if (!type_is_tile(to)) return;
  Layout left = layout_slice(from->layout, from->rank, from->shape, (uint32_t)op_int(op, ATTR_AXIS, 0));
  for (uint32_t i = 0; i < op->result_count; i++)
    if (layout_conversion(&left, op->results[i].type->layout) > CONVERT_REGISTERS)
      fail(c, op, "a layout conversion is missing: its result's threads do not hold the elements");
}

static bool is_plain(const Type *buffer) {
  for (uint32_t i = 0; i < layout_in_bits(buffer->layout); i++)
    if (buffer->layout->basis[i] != UINT32_C(1) << i) return false;
  return true;
}

// True if elements pass between warps, or in a way that shuffles cannot do. Ops that execute once belong to
// check_module.c.
static bool needs_exchange(const Op *op) {
  bool once = op->kind == OP_LOAD || op_has(op, ATOMIC) || op->kind == OP_GLOBALTIMER;
  if (op->kind != OP_CONVERT_LAYOUT) return !once && scratch_bytes(op) > 0;
  const Layout *from = op_operand(op, 0)->type->layout, *to = op_result(op)->type->layout;
  LanePlan plan;
  return layout_conversion(from, to) >= CONVERT_LANES && !layout_lane_plan(from, to, &plan);
}

static void check_op(SharedChecker *c, Op *op) {
  if (!all_layouts(op)) return;
  if (op->kind == OP_SHARED_ALLOC && !op_attr(op, ATTR_OFFSET))
    fail(c, op, "the buffer has no offset: allocate_shared has not run");
  if (op->kind == OP_SHARED_STORE) check_starts(c, op, op_operand(op, 0)->type, op_operand(op, 1)->type);
  if (op->kind == OP_SHARED_LOAD) check_starts(c, op, op_result(op)->type, op_operand(op, 0)->type);
  if (op->kind == OP_COPY_ASYNC) check_copy(c, op);
  if (op->kind == OP_FENCE_ASYNC && !c->target->arch->has_async_proxy)
    fail_before(c, op, offsetof(TargetInfo, has_async_proxy));
  if (op->kind == OP_REDUCE)
    check_reduce(c, op);
  else if (op->kind != OP_REDUCE_PARTS && op_has(op, COMBINES))
    check_scan(c, op);
  else if (op->kind == OP_REDUCE_PARTS && combined_count(op) > MAX_COMBINED)
    fail(c, op, "it combines more than 16 values");
  if (op->kind == OP_GATHER && op_operand(op, 1)->type->layout != op_result(op)->type->layout)
    fail(c, op, "the index and the result have one layout");
  if (op->kind == OP_SHARED_GATHER && !is_plain(op_operand(op, 0)->type))
    fail(c, op, "a gather from a buffer that is not in row-major order is not supported yet");
  if (op_scratch(op))
    fail(c, op, "it passes elements through shared memory: split_ops has not run");
  else if (needs_exchange(op))
    fail(c, op, "the scratch buffer is missing: promote_shared has not run");
}

// --- Users of shared memory ---

enum { MAX_NOTES = 12 };

typedef struct Ledger {
  VEC(const Op *) buffers;
  const Op *largest;
  bool rings; // a buffer is used as a ring
} Ledger;

static uint64_t buffer_bytes(const Op *op) { return alloc_bytes(op); }

static void take_buffer(Ledger *ledger, Arena *arena, Op *op) {
  if (op->kind == OP_RING_BEGIN) ledger->rings = true;
  if (op->kind != OP_SHARED_ALLOC) return;
  vec_push(arena, &ledger->buffers, op);
  if (!ledger->largest || buffer_bytes(op) > buffer_bytes(ledger->largest)) ledger->largest = op;
}

// True if an earlier buffer uses some of the same bytes, at another time.
static bool takes_turns(const Ledger *ledger, uint32_t at) {
  int64_t start = op_int(ledger->buffers.at[at], ATTR_OFFSET, 0);
  int64_t end = start + (int64_t)buffer_bytes(ledger->buffers.at[at]);
  for (uint32_t i = 0; i < at; i++) {
    int64_t other = op_int(ledger->buffers.at[i], ATTR_OFFSET, 0);
    if (other < end && start < other + (int64_t)buffer_bytes(ledger->buffers.at[i])) return true;
  }
  return false;
}

static const char *shape_text(Arena *arena, const Type *type) {
  const char *text = "";
  for (uint32_t i = 0; i < type->rank; i++)
    text = arena_printf(arena, "%s%s%u", text, i ? "x" : "", type->shape[i]);
  return arena_printf(arena, "%s %s", text, elem_info(type_element(type)->elem)->name);
}

// The buffers that come from one source location.
typedef struct PlaceBuffers {
  uint32_t count;
  const Op *largest;
  uint64_t bytes, sum; // bytes they cover, shared ones counted once; and the sum of their sizes
} PlaceBuffers;

static int compare_offsets(const void *a, const void *b) {
  int64_t x = op_int(*(const Op *const *)a, ATTR_OFFSET, 0),
          y = op_int(*(const Op *const *)b, ATTR_OFFSET, 0);
  return (x > y) - (x < y);
}

// The bytes that the buffers cover. Bytes of several buffers count once. Sorts the buffers.
static uint64_t covered_bytes(const Op **buffers, uint32_t n) {
  uint64_t bytes = 0;
  int64_t covered = 0; // covered up to here
  qsort(buffers, n, sizeof *buffers, compare_offsets);
  for (uint32_t i = 0; i < n; i++) {
    int64_t start = op_int(buffers[i], ATTR_OFFSET, 0), end = start + (int64_t)buffer_bytes(buffers[i]);
    if (start < covered) start = covered;
    if (end <= start) continue;
    bytes += (uint64_t)(end - start);
    covered = end;
  }
  return bytes;
}

// The buffers with the location of buffer `first`. Empty if an earlier buffer has that location: it was
// reported then.
static PlaceBuffers buffers_of(const Ledger *ledger, Arena *arena, uint32_t first) {
  Loc loc = ledger->buffers.at[first]->loc;
  PlaceBuffers place = {0};
  const Op **own = ARENA_ARRAY(arena, const Op *, ledger->buffers.n);
  for (uint32_t i = 0; i < ledger->buffers.n; i++) {
    const Op *op = ledger->buffers.at[i];
    if (!loc_same(op->loc, loc)) continue;
    if (i < first) return (PlaceBuffers){0};
    if (!place.largest || buffer_bytes(op) > buffer_bytes(place.largest)) place.largest = op;
    own[place.count++] = op;
    place.sum += buffer_bytes(op);
  }
  place.bytes = covered_bytes(own, place.count);
  return place;
}

// Writes one note for each source location.
static void note_buffers(const Ledger *ledger, Arena *arena, Diags *diags, Diag *error) {
  for (uint32_t i = 0, notes = 0; i < ledger->buffers.n && notes < MAX_NOTES; i++) {
    PlaceBuffers place = buffers_of(ledger, arena, i);
    if (!place.count) continue;
    notes++;
    const char *shape = shape_text(arena, op_result(place.largest)->type);
    if (place.count == 1)
      diag_note(diags, error, place.largest->loc, "%llu bytes, %s%s", (unsigned long long)place.bytes, shape,
                takes_turns(ledger, i) ? ", where another was before" : "");
    else
      diag_note(diags, error, place.largest->loc, "%llu bytes in %u buffers%s; the largest: %llu bytes, %s",
                (unsigned long long)place.bytes, place.count,
                place.bytes < place.sum ? ", which share bytes" : "",
                (unsigned long long)buffer_bytes(place.largest), shape);
  }
}

// True if the constexpr is a dimension of the buffer. With `whole`, it may be the number of all its elements,
// as an op may have split the dimension.
static bool is_size_of(const Constexpr *constant, const Type *type, bool whole) {
  uint64_t elements = 1;
  bool found = false;
  if (constant->value.kind != CONST_INT) return false;
  for (uint32_t k = 0; k < type->rank; k++) {
    elements *= type->shape[k];
    found |= type->shape[k] > 1 && constant->value.i == type->shape[k];
  }
  return whole ? constant->value.i == (int64_t)elements : found;
}

// Names what to make smaller: the constexprs that are a dimension of the largest buffer, and the number of
// stages.
static const char *what_to_shrink(const Func *func, const Ledger *ledger, Arena *arena, uint32_t stages) {
  const Type *type = op_result(ledger->largest)->type;
  const char *names = "";
  for (uint32_t i = 0; i < 2 * func->constexpr_count; i++) {
    const Constexpr *at = &func->constexprs[i % func->constexpr_count];
    bool whole = i >= func->constexpr_count;
    if (whole && i == func->constexpr_count && names[0]) break;
    if (is_size_of(at, type, whole))
      names =
          arena_printf(arena, "%s%s%s=%lld", names, names[0] ? " or " : "", at->name, (long long)at->value.i);
  }
  const char *fewer = ledger->rings && stages > 1
                          ? arena_printf(arena, ", or use fewer stages than num_stages=%u", stages)
                          : "";
  return arena_printf(arena, "make %s smaller%s", names[0] ? names : "the largest tile", fewer);
}

bool check_shared(Func *func, const Target *target, Diags *diags) {
  SharedChecker c = {target, diags, true};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) check_op(&c, w.op);
  if (!c.ok) return false;
  uint32_t bytes = func_shared_bytes(func), limit = target->arch->shared_limit;
  if (bytes <= limit) return true;
  Arena *arena = diags->arena;
  Ledger ledger = {0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) take_buffer(&ledger, arena, w.op);
  Diag *error = diag_error(diags, func->loc,
                           "[T0505] kernel %s needs %u bytes of shared memory; %s has %u for a CTA%s%s",
                           func->name, bytes, target->arch->name, limit, ledger.largest ? ": " : "",
                           ledger.largest ? what_to_shrink(func, &ledger, arena, target->num_stages) : "");
  note_buffers(&ledger, arena, diags, error);
  return false;
}
