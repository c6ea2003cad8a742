// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule of fit_registers for tiles of data: they are computed again after reductions and scans.
//
// ```
// before  %v = cast %x : fp32               after  %v = cast %x : fp32
//         %p = reduce_parts %v                     %p = reduce_parts %v
//         ...                                      ...
//         %d = sub %v, %mean                       %w = cast %x {fresh} : fp32
//                                                  %d = sub %w, %mean
// ```
//
// A reduction takes a tile's elements one by one. Elements that are used after it wait in registers until every warp
// has come that far. In fp32, 64 elements fill all registers of a thread in a CTA of 1024 threads. The fp16 or bf16
// elements that they come from take half. So values that a few instructions compute from one such tile and scalars are
// computed again after each reduction. `fresh` keeps LLVM from merging both computations. Tiles of which not even half
// would fit stay: ptxas spills anyway, and chooses better what it computes again.
//
// ```
// before  %c, %t = scan_chunks %v           after  %b, %t = scan_chunks %v {runs}
//         ...                                      ...
//         %s = scan_carry %c, %u                   %w = cast %x {fresh} : fp32
//                                                  %s = scan_carry %w, %u, %b {runs}
// ```
//
// The same is done for scanned elements that wait while the warps of a scan wait for each other. A number for each run
// of a thread, and the narrower tile, take fewer registers. Each run is then scanned again.
#include "passes/registers/fit_registers.h"

#include "ir/build.h"
#include "ir/memory/exchange.h"
#include "ir/memory/scratch.h"

enum { MAX_STEPS = 4 }; // ops that compute an element again

typedef struct DataMaker {
  Budget *budget;
  const Region *region; // its ops are visited
  uint32_t part;        // Number of ops so far that take a tile's elements together.
  uint32_t *part_of;    // By value id: the part that defines it.
  bool *direct;         // By value id: defined in the region, and not used in regions within.
  Value **again;        // By value id: as computed in the current part, or NULL.
  bool changed;
} DataMaker;

static bool takes_together(const Op *op) {
  return op_has(op, COMBINES) && op->kind != OP_SCAN_CARRY && type_is_tile(op_operand(op, 0)->type);
}

// True for a cast to fp32 of fp16 or bf16, which take half a register each.
static bool widens(const Op *op) {
  if (op->kind != OP_CAST || !type_is_elem(op_result(op)->type, ELEM_FP32)) return false;
  const Type *from = op_operand(op, 0)->type;
  return type_is_elem(from, ELEM_FP16) || type_is_elem(from, ELEM_BF16);
}

// True if every thread has the value, or computes it from its index: no tile waits in registers.
static bool is_free(const Value *value) {
  const Op *op = value->def;
  if (!type_is_tile(value->type) || value_uniform(value)) return true;
  if (!op) return false;
  return type_is_elem(value->type, ELEM_I1) && op_has(op, COMPARE) && op_operand(op, 0)->def &&
         op_operand(op, 0)->def->kind == OP_ARANGE && is_free(op_operand(op, 1));
}

// True if at most *left cheap ops compute the value from free values and one narrower tile, *base.
static bool is_made_of(const Value *value, uint32_t *left, const Value **base) {
  const Op *op = value->def;
  if (is_free(value)) return true;
  if (!op || !is_cheap(op) || op_has_any(op, LEAF | VIEW) || *left == 0) return false;
  --*left;
  if (widens(op)) {
    const Value *from = op_operand(op, 0);
    bool same = !*base || *base == from;
    *base = from;
    return same;
  }
  for (uint32_t i = 0; i < op->operand_count; i++)
    if (!is_made_of(op_operand(op, i), left, base)) return false;
  return true;
}

// True if the value waits since an earlier part, and is computed from a narrower tile.
static bool is_remade(const DataMaker *m, const Value *value) {
  uint32_t left = MAX_STEPS;
  const Value *base = NULL;
  if (!type_is_tile(value->type) || !m->direct[value->id] || m->part_of[value->id] == m->part) return false;
  if (is_free(value) || !is_made_of(value, &left, &base) || !base) return false;
  return tile_words(base->type) < tile_words(value->type);
}

static Value *make_again(DataMaker *m, Builder *b, Value *value) {
  const Op *op = value->def;
  Value *operands[3] = {NULL};
  if (is_free(value)) return value;
  if (m->again[value->id]) return m->again[value->id];
  for (uint32_t i = 0; i < op->operand_count; i++)
    operands[i] = widens(op) ? op_operand(op, i) : make_again(m, b, op_operand(op, i));
  Op *copy = build_like(b, op, operands, value->type);
  if (widens(op)) op_set_flag(copy, ATTR_FRESH, true);
  op_result(copy)->id = value->id; // in a later part it is computed again like the value
  return m->again[value->id] = op_result(copy);
}

// --- a region's ops

static bool used_directly(const Value *value, const Region *region) {
  for (const Use *use = value->first_use; use; use = use->next)
    if (use->user->region != region && region_holds(region, use->user)) return false;
  return true;
}

static void mark_values(DataMaker *m) {
  uint32_t part = 0;
  for (const Op *op = m->region->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->result_count; i++) {
      m->part_of[op->results[i].id] = part;
      m->direct[op->results[i].id] = used_directly(&op->results[i], m->region);
    }
    part += takes_together(op);
  }
}

// True if something narrower than scanned elements can wait for the other warps' totals. This is the tiles that the
// scan's operands are computed from, and the start value of each run.
static bool waits_narrower(const DataMaker *m, const Op *chunks, const ScanPlan *plan) {
  uint32_t kept = 0, scanned = 0;
  for (uint32_t i = 0; i < chunks->operand_count; i++) {
    const Value *value = op_operand(chunks, i), *base = NULL;
    uint32_t left = MAX_STEPS;
    if (!value_single_use(&chunks->results[i])) return false;
    if (!is_remade(m, value) || !is_made_of(value, &left, &base)) return false;
    kept += tile_words(base->type) + (tile_words(value->type) >> scan_run_bits(plan));
    scanned += tile_words(value->type);
  }
  return kept < scanned;
}

// The scan that `carry` ends keeps the start values of runs. Its operands wait unchanged.
static void scan_runs(const DataMaker *m, Op *carry) {
  Op *chunks = carry->kind == OP_SCAN_CARRY ? op_operand(carry, 0)->def : NULL;
  ScanPlan plan;
  if (!chunks || chunks->kind != OP_SCAN_CHUNKS || chunks->region != m->region) return;
  if (op_attr(chunks, ATTR_RUNS) || !scan_plan(chunks, &plan) || !scan_run_bits(&plan)) return;
  if (!waits_narrower(m, chunks, &plan)) return;
  op_set_flag(chunks, ATTR_RUNS, true);
  op_set_flag(carry, ATTR_RUNS, true);
  for (uint32_t i = 0; i < chunks->operand_count; i++) {
    Value *starts = &chunks->results[i];
    op_set_operand(carry, i, op_operand(chunks, i));
    op_add_operand(carry, starts);
    starts->type = scan_starts_type(m->budget->func->module->ir, chunks, &plan, i);
  }
}

static void remake_operands(DataMaker *m, Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    Value *value = op_operand(op, i);
    if (!is_remade(m, value)) continue;
    Builder b = builder_before(op);
    if (!m->again[value->id])
      RELIEVED(m->budget, value->def, RECOMPUTED, tile_words(value->type),
               "recomputed after a reduction, which halves the registers: tiles take %u, and there are %u",
               m->budget->pressure.across, m->budget->room);
    op_set_operand(op, i, make_again(m, &b, value));
    m->changed = true;
  }
}

// New ops come before the op that takes them, so that they are not visited.
static void visit_region(DataMaker *m, Region *region) {
  Func *func = m->budget->func;
  Arena *scratch = m->budget->context->scratch;
  bool together = false;
  for (const Op *op = region->first; op; op = op->next) together |= takes_together(op);
  if (!together) return;
  func_number(func);
  m->region = region;
  m->part = 0;
  m->part_of = ARENA_ARRAY(scratch, uint32_t, func->value_count);
  m->direct = ARENA_ARRAY(scratch, bool, func->value_count);
  m->again = ARENA_ARRAY(scratch, Value *, func->value_count);
  mark_values(m);
  for (Op *op = region->first; op; op = op->next) {
    scan_runs(m, op);
    remake_operands(m, op);
    if (!takes_together(op)) continue;
    m->part++;
    memset(m->again, 0, func->value_count * sizeof *m->again);
  }
}

// Inner regions come first.
bool recompute_data(Budget *b) {
  DataMaker m = {.budget = b};
  uint32_t tiles = b->pressure.across;
  if (tiles <= b->room || tiles > 2 * b->room) return false;
  for (OpWalk w = ops_outward(b->func->body); ops_next(&w);)
    if (!w.op->next) visit_region(&m, w.op->region);
  return m.changed;
}
