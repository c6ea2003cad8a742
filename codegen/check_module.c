// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what codegen cannot compile before anything is emitted. LLVM's own error would be an internal error
// without a source location.
#include "codegen/emit/emit.h"

#include <string.h>
#include "base/integer.h"
#include "codegen/inline_asm.h"
#include "codegen/emit/emit_move.h"
#include "codegen/math/libclc.h"

enum { MAX_REGISTERS = 4096, MAX_DEPTH = 200 };

typedef struct Checker {
  const Target *target;
  Arena *arena;
  Diags *diags;
  bool failed;
} Checker;

static void check_type(Checker *c, const Type *type, const Region *region, Loc loc) {
  if (type->kind == TYPE_BLOCK_PTR) {
    diag_error(c->diags, loc, "[T0507] block pointers are not supported yet");
    c->failed = true;
  }
  if (!type_is_tile(type)) return;
  const Layout *layout = type->layout;
  uint32_t warps = region_warps_of(region).count;
  bool good = false;
  if (!layout)
    diag_error(c->diags, loc,
               "[T0000] a tile without a layout cannot be compiled: propagate_layouts has not run");
  else if (layout->bits[DIM_LANE] != LANE_BITS || layout->bits[DIM_WARP] != log2_ceil(warps))
    diag_error(c->diags, loc, "[T0000] the layout is for %u lanes and %u warps, the kernel has 32 and %u",
               1u << layout->bits[DIM_LANE], 1u << layout->bits[DIM_WARP], warps);
  else if (layout->bits[DIM_BLOCK])
    diag_error(c->diags, loc, "[T0507] layouts over the CTAs of a cluster are not supported yet");
  else if (1ull << layout->out_bits < type_elements(type))
    diag_error(c->diags, loc, "[T0000] the layout does not cover the tile");
  else if (layout_registers(layout) > MAX_REGISTERS)
    diag_error(
        c->diags, loc,
        "[T0505] the tile needs %u registers per thread, more than %d: use a smaller tile or more warps",
        layout_registers(layout), MAX_REGISTERS);
  else
    good = true;
  if (!good) c->failed = true;
}

static void check_hints(Checker *c, const Op *op) {
  static const char *const loads[] = {"", ".ca", ".cg", ".cs", ".cv", NULL};
  static const char *const stores[] = {"", ".wb", ".cg", ".cs", ".wt", NULL};
  static const char *const evictions[] = {"", "evict_normal", "evict_first", "evict_last", NULL};
  const Attr *cache = op_attr(op, ATTR_CACHE), *evict = op_attr(op, ATTR_EVICT);
  if (cache && !str_is_one_of(cache->str, op->kind == OP_LOAD ? loads : stores)) {
    diag_error(c->diags, op->loc, "[T0507] %s has no cache modifier '%s'", op_info(op->kind)->name,
               cache->str);
    c->failed = true;
  }
  if (evict && !str_is_one_of(evict->str, evictions)) {
    diag_error(c->diags, op->loc, "[T0507] there is no eviction policy '%s'", evict->str);
    c->failed = true;
  }
}

// True if threads other than the first holders hold elements of the value.
static bool others_hold(const Type *type) {
  uint32_t free_bits[DIM_COUNT];
  if (!type_is_tile(type)) return true;
  layout_free_bits(type->layout, free_bits);
  return free_bits[DIM_LANE] || free_bits[DIM_WARP];
}

// Volatile loads, atomics and timer reads execute once. Only the first holders have the result, and may store
// it to shared memory.
static void check_once(Checker *c, const Op *op) {
  bool once = op_has(op, ATOMIC) || op->kind == OP_GLOBALTIMER || op_attr(op, ATTR_VOLATILE);
  if (!once || op_scratch(op) || !others_hold(op_result(op)->type)) return;
  const Use *use = op_result(op)->first_use;
  while (use && use->user->kind == OP_SHARED_STORE) use = use->next;
  if (!use) return;
  diag_error(c->diags, op->loc,
             "[T0000] several threads hold the result of this %s: it needs a scratch buffer, promote_shared "
             "has not run",
             op->kind == OP_LOAD          ? "volatile load"
             : op->kind == OP_GLOBALTIMER ? "globaltimer"
                                          : "atomic");
  c->failed = true;
}

// A thread that holds fewer elements than `pack` gives the text zeros for the others and drops their results.
static const char *check_pack(Checker *c, const Op *op, const AsmShape *shape) {
  const Type *type = op->results[0].type;
  uint32_t pack = (uint32_t)op_int(op, ATTR_PACK, 1),
           held = type_is_tile(type) ? layout_registers(type->layout) : 1;
  if (held >= pack) return NULL;
  if (asm_has_effects(op))
    return arena_printf(
        c->arena,
        "this writes memory for %u elements ('pack'), but a thread holds %u of this tile: use "
        "pack=%u, or fewer warps",
        pack, held, held);
  if (asm_mixes_elements(op, shape))
    diag_warning(c->diags, op->loc,
                 "[T1403] inline assembly: the text computes an element from others of its pack of %u, but a "
                 "thread holds %u of this tile: the others read as 0; use fewer warps or a larger tile, or "
                 "tl.reshape and tl.split to pair elements",
                 pack, held);
  return NULL;
}

static void check_asm(Checker *c, const Op *op) {
  AsmShape shape;
  if (op->kind != OP_INLINE_ASM) return;
  const char *wrong = asm_read(c->arena, op, &shape);
  if (!wrong) wrong = check_pack(c, op, &shape);
  uint32_t replicas = wrong ? 1 : asm_replicas(op);
  if (replicas > 1)
    diag_warning(
        c->diags, op->loc,
        "[T1403] inline assembly: this writes memory %u times for each element, once in each thread that "
        "holds it; use tl.store or tl.atomic_*, which write once",
        replicas);
  if (!wrong) return;
  diag_error(c->diags, op->loc, "[T1403] inline assembly: %s", wrong);
  c->failed = true;
}

static void check_grid_control(Checker *c, const Op *op) {
  if (op->kind != OP_GDC_WAIT && op->kind != OP_GDC_LAUNCH_DEPENDENTS) return;
  if (c->target->arch->has_grid_control) return;
  diag_error(c->diags, op->loc, "[T0507] %s needs %s or newer, not %s", op_info(op->kind)->name,
             target_since(offsetof(TargetInfo, has_grid_control)), c->target->arch->name);
  c->failed = true;
}

// True if the operands' layouts match the threads of the region. A mismatch has been reported before.
static bool has_layouts(const Op *op) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Type *type = op_operand(op, i)->type;
    if (!type_is_tile(type)) continue;
    const Layout *layout = type->layout;
    if (!layout || layout->bits[DIM_LANE] != LANE_BITS || layout->bits[DIM_WARP] != region_warp_bits(op))
      return false;
  }
  return true;
}

// Elements stay in their threads.
static void check_moves(Checker *c, const Op *op) {
  if (!op_has(op, MOVES) || joins_scalars(op) || !has_layouts(op)) return;
  for (uint32_t i = 0; i < op->result_count; i++) {
    RegisterMove *moves = ARENA_ARRAY(c->arena, RegisterMove, emit_count(op->results[i].type));
    if (plan_moves(c->arena, op, i, moves)) continue;
    diag_error(
        c->diags, op->loc,
        "[T0000] a layout conversion is missing before '%s': its result's threads do not hold the elements",
        op_info(op->kind)->name);
    c->failed = true;
    return;
  }
}

static void check_dot(Checker *c, const Op *op) {
  if (op->kind != OP_DOT || op_attr(op, ATTR_INSTRUCTION)) return;
  diag_error(c->diags, op->loc,
             "[T0000] the dot has no 'instruction': choose_dot has not run, or its tiles had layouts before");
  c->failed = true;
}

static void check_loop(Checker *c, const Op *op) {
  if (op->kind != OP_FOR || !value_is_int(loop_step(op), 0)) return;
  diag_error(c->diags, op->loc, "[T0406] the loop's step is zero");
  c->failed = true;
}

static void check_region(Checker *c, const Region *region, uint32_t depth);

static bool check_built(Checker *c, const Op *op) {
  const Attr *function = op->kind == OP_MATH ? op_attr(op, ATTR_FUNCTION) : NULL;
  if (function ? emit_has_math(op) : emit_has_op(op->kind)) return true;
  diag_error(c->diags, op->loc, "[T0507] '%s' is not supported yet",
             function ? function->str : op_info(op->kind)->name);
  c->failed = true;
  return false;
}

static void check_op(Checker *c, const Op *op, uint32_t depth) {
  if (!check_built(c, op)) return;
  bool failed = c->failed;
  c->failed = false;
  for (uint32_t i = 0; i < op->result_count; i++) check_type(c, op->results[i].type, op->region, op->loc);
  bool good_types = !c->failed;
  c->failed |= failed;
  if (!good_types) return;
  if (op->kind == OP_LOAD || op->kind == OP_STORE) check_hints(c, op);
  check_once(c, op);
  check_asm(c, op);
  check_grid_control(c, op);
  check_moves(c, op);
  check_dot(c, op);
  check_loop(c, op);
  for (uint32_t i = 0; i < op->region_count; i++) check_region(c, op->regions[i], depth + 1);
}

static void check_region(Checker *c, const Region *region, uint32_t depth) {
  if (depth > MAX_DEPTH) {
    diag_error(c->diags, region->parent->loc, "[T0506] control flow is nested too deeply");
    c->failed = true;
    return;
  }
  for (uint32_t i = 0; i < region->arg_count; i++)
    check_type(c, region->args[i]->type, region, region->parent ? region->parent->loc : region->func->loc);
  for (const Op *op = region->first; op; op = op->next) check_op(c, op, depth);
}

// PTX identifiers are ASCII; libclc's functions come into the same module.
static void check_name(Checker *c, const Func *func) {
  bool plain = func->name[0] != '\0';
  for (const char *at = func->name; *at; at++) {
    bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_';
    plain = plain && (letter || (at > func->name && *at >= '0' && *at <= '9'));
  }
  for (const LibclcEntry *entry = libclc_table; entry->symbol; entry++)
    plain = plain && strcmp(func->name, entry->symbol) != 0;
  plain = plain && strcmp(func->name, "vprintf") != 0 && strcmp(func->name, "__assertfail") != 0;
  if (plain) return;
  diag_error(c->diags, func->loc,
             "[T0507] '%s' cannot be a kernel's name in PTX: use only ASCII letters, digits and _",
             func->name);
  c->failed = true;
}

bool check_func(Func *func, const Target *target, Diags *diags) {
  Checker c = {target, func->module->ir->arena, diags, false};
  check_name(&c, func);
  check_region(&c, func->body, 0);
  return !c.failed && check_shared(func, target, diags);
}
