// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_occupancy: chooses how many CTAs of a kernel with many registers share a multiprocessor.
//
// ```
// before  kernel @k(...) {                  after  kernel @k(...) min_blocks = 2 {
// needs   layouts, and the places of buffers in shared memory
// keeps   every op
// breaks  nothing
// pays    one CTA computes while the others wait for memory; where two do not fit, ptxas spills less when it gets
//         `.minnctapersm 1`
// ```
//
// More than 256 threads cannot have 255 registers each. When ptxas has to spill there, it may aim at several CTAs and
// spill most values. So it gets the number of CTAs that the tiles leave room for. It gets no number of two or more
// where that may cause a spill:
//   * with dots
//   * with functions of many instructions
//   * in copies without room for the masks of loads
//
// CTAs of 256 threads with dots get the number 2, without loops, or where all dots are by mma.sync. Otherwise ptxas takes
// a few registers more than half, and in a loop up to 200 for tiles of 104: it reads operands early. Only a second CTA
// computes while operands arrive.
//
// CTAs with tensor memory get the number 1. Its columns and the stages in shared memory leave room for one or two.
// Without a number ptxas aims at more, and spills.
//
// A loop without dots that loads many values gets the number that leaves room for all of them. Otherwise ptxas saves
// registers, and waits for some loads before it issues the next.
//
// Smaller CTAs get the number 1 in two cases. Their tiles leave no room, or the addresses of 64 elements, accessed one
// by one, do not fit. Without the number ptxas spilled twice as much with 32 registers a thread.
//
// ptxas gets no number in three more cases. With `.minnctapersm 1` it loads more before it computes, and spills:
//   * stream_reductions has ordered a dot
//   * tiles just fill the registers, and there is no dot
//   * ptxas can finish each element before the next
//
// A user's limit on registers replaces all of this.
#include "base/integer.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"
#include "ir/memory/groups.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/registers/fit_registers.h"

// ptxas (13.0) rejects a wgmma if a thread has fewer registers than the sum of three numbers: its accumulators, four
// for an operand in registers, and WGMMA_RESERVED_REGISTERS.
enum { WGMMA_RESERVED_REGISTERS = 26, WGMMA_OPERAND_REGISTERS = 4, WGMMA_MAX_SUMS = 128 };

// A thread's registers are a multiple of REGISTER_UNIT. Each scheduler has its own part of the registers, and its own
// warps.
enum { REGISTER_UNIT = 8, WARP_SCHEDULERS = 4 };

// An address takes two registers. Up to FEW_ADDRESSES addresses of a load or store are computed where they are used. Of
// the addresses of single elements that all loads read, one in ADDRESSES_ALIVE is live.
enum { ADDRESS_REGISTERS = 2, FEW_ADDRESSES = 8, ADDRESSES_ALIVE = 8 };

enum { WIDE_ACCESS = 16 }; // bytes of a thread's access

typedef struct Contents {
  bool dot, loop, in_turn; // in_turn: a dot that a reduction takes result by result.
  bool joint_dot;          // A dot that several warps compute together.
  bool mask, slow;         // A load of a tile under a mask; an op of many instructions.
  bool joint;              // An op that takes elements of several registers or threads together.
  uint32_t least;          // The fewest registers with which ptxas accepts the dots.
} Contents;

// True if the op needs many temporary registers. The pressure of tiles does not count them.
static bool is_slow(const Op *op) {
  // One or two instructions each.
  static const MathFunction fast[] = {MATH_exp2,       MATH_exp_approx,  MATH_log2_approx, MATH_sin_approx,
                                      MATH_cos_approx, MATH_tanh_approx, MATH_sqrt_approx, MATH_rsqrt_approx,
                                      MATH_div_approx, MATH_fma_rz,      MATH_fma_rd,      MATH_fma_ru,
                                      MATH_floor,      MATH_ceil,        MATH_trunc,       MATH_rint,
                                      MATH_abs,        MATH_copysign,    MATH_isnan,       MATH_isinf,
                                      MATH_isfinite,   MATH_signbit};
  MathFunction function;
  if (!math_of(op, &function)) return op->kind == OP_REM && type_is_float(op_result(op)->type);
  for (uint32_t i = 0; i < sizeof fast / sizeof *fast; i++)
    if (fast[i] == function) return false;
  return true;
}

// True if a tile of data is computed before a branch and used in it, or is a branch's result. ptxas cannot finish its
// elements one after another.
static bool crosses_branch(const Op *op) {
  for (uint32_t i = 0; op->kind == OP_IF && i < op->result_count; i++)
    if (type_is_tile(op->results[i].type)) return true;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const Op *def = op_operand(op, i)->def;
    const Type *type = op_operand(op, i)->type;
    if (!def || def->region == op->region || !type_is_tile(type)) continue;
    if (def->kind == OP_LOAD || (type_is_float(type) && def->operand_count > 1)) return true;
  }
  return false;
}

// The fewest registers with which ptxas accepts the instructions of the dots.
static uint32_t wgmma_registers(const Op *op) {
  if (op->kind != OP_DOT || dot_instruction(op) != DOT_WGMMA) return 0;
  const Type *sums = op_result(op)->type;
  bool in_shared =
      op_operand(op, DOT_A)->type->kind == TYPE_SHARED && op_operand(op, DOT_B)->type->kind == TYPE_SHARED;
  uint64_t share =
      layout_registers(sums->layout) * dot_sums(op) / type_elements(sums); // of a thread, without padding
  uint32_t words = (uint32_t)share * type_element_bytes(sums) / 4;
  uint32_t least = words < WGMMA_MAX_SUMS ? words : WGMMA_MAX_SUMS;
  return least + WGMMA_RESERVED_REGISTERS + (in_shared ? 0 : WGMMA_OPERAND_REGISTERS);
}

static Contents contents_of(const Func *func) {
  Contents found = {0};
  for (OpWalk w = ops_in(func->body); ops_next(&w);) {
    const Op *op = w.op;
    found.dot |= op->kind == OP_DOT;
    found.joint_dot |=
        op->kind == OP_DOT && dot_instruction(op) != DOT_MMA && dot_instruction(op) != DOT_MMA_K8;
    found.in_turn |= op_attr(op, ATTR_STREAMED) != NULL;
    found.loop |= op_is_loop(op);
    found.mask |= op->kind == OP_LOAD && type_is_tile(op_operand(op, 0)->type) && op->operand_count > 1;
    found.slow |= is_slow(op);
    found.least = max_u32(found.least, wgmma_registers(op));
    found.joint |= op_has(op, COMBINES) || op->kind == OP_CONVERT_LAYOUT || op->kind == OP_SHARED_ALLOC ||
                   crosses_branch(op);
  }
  return found;
}

typedef struct Occupancy {
  Func *func;
  const Budget *budget;
  Contents found;
} Occupancy;

// Registers a thread of tiles, as in Pressure, and of addresses.
typedef struct Needs {
  uint32_t most, across, addresses;
} Needs;

// In a kernel with dots all tiles count: operands are prefetched.
static Needs needs_of(const Occupancy *o, uint32_t addresses) {
  const Pressure *p = &o->budget->pressure;
  return (Needs){p->most, o->found.dot ? p->most : p->across, addresses};
}

// True if the CTAs fit into a multiprocessor: their threads, their shared memory, and registers for each thread.
static bool blocks_fit(const Occupancy *o, uint32_t blocks, Needs needs) {
  const TargetInfo *arch = o->func->module->target.arch;
  uint32_t threads = TARGET_WARP * func_warps(o->func);
  uint32_t warps = (blocks * func_warps(o->func) + WARP_SCHEDULERS - 1) / WARP_SCHEDULERS; // of one scheduler
  uint32_t share = arch->registers / (WARP_SCHEDULERS * warps * TARGET_WARP);
  share -= share % REGISTER_UNIT;
  uint32_t more = max_u32(blocks > 2 ? TUNE_BLOCKS_MORE_REGISTERS : 0, needs.addresses);
  uint32_t other = min_u32(share / 2, TUNE_BLOCKS_RESERVED_REGISTERS);
  return blocks * threads <= TARGET_WARP * arch->warps &&
         blocks * func_shared_bytes(o->func) + arch->shared_reserved <= arch->shared_limit &&
         share >= o->found.least && needs.across + other <= share && needs.most + more <= share;
}

// The number of CTAs that fit, at least one.
static uint32_t blocks_that_fit(const Occupancy *o, Needs needs) {
  uint32_t blocks = 1;
  while (blocks_fit(o, blocks + 1, needs)) blocks++;
  return blocks;
}

// True if ptxas may take slightly more registers than two CTAs leave, and so lose the second one.
static bool wants_second(const Occupancy *o) {
  return func_warps(o->func) == TUNE_MANY_WARPS && o->found.dot && !(o->found.loop && o->found.joint_dot) &&
         o->budget->pressure.most > TUNE_SECOND_BLOCK_TILES && blocks_that_fit(o, needs_of(o, 0)) >= 2;
}

// True if each address is made of the one before (chain_rows), so that few are alive.
static bool is_chained(const Op *access) {
  const Op *sum = op_operand(access, 0)->def;
  return sum && op_attr(sum, ATTR_ROWS);
}

// Accesses of global memory.
typedef struct Accesses {
  uint32_t loads;      // Loads of a thread in a round of a loop, without those of inner loops.
  uint32_t words;      // Registers that these fill.
  uint32_t single;     // Those of these that read one element.
  uint32_t one_single; // The most of one load or store of single elements.
  uint32_t one_load;   // The most of one load.
  uint32_t one_store;  // And of one store.
  bool stores_single;  // True if a store writes one element by one.
} Accesses;

static uint32_t accesses_of(const Op *op) {
  const Type *tile = op_operand(op, 0)->type;
  return (1u << tile->layout->bits[DIM_REGISTER]) / (uint32_t)op_int(op, ATTR_VECTOR, 1);
}

// Adds the region's accesses to the maximum of several.
static void count_accesses(const Region *region, Accesses *most) {
  uint32_t loads = 0, words = 0, single = 0;
  for (const Op *op = region->first; op; op = op->next) {
    if ((op->kind != OP_LOAD && op->kind != OP_STORE) || !type_is_tile(op_operand(op, 0)->type) ||
        is_chained(op))
      continue;
    uint32_t accesses = accesses_of(op), one = op_int(op, ATTR_VECTOR, 1) == 1 ? accesses : 0;
    most->one_single = max_u32(most->one_single, one);
    if (op->kind == OP_STORE) {
      most->one_store = max_u32(most->one_store, accesses);
      most->stores_single |= one > 0;
      continue;
    }
    loads += accesses, words += tile_words(op_result(op)->type), single += one;
    most->one_load = max_u32(most->one_load, accesses);
  }
  most->loads = max_u32(most->loads, loads);
  most->words = max_u32(most->words, words);
  most->single = max_u32(most->single, single);
}

static uint32_t addresses_of_one(uint32_t accesses) {
  return accesses > FEW_ADDRESSES ? ADDRESS_REGISTERS * accesses : 0;
}

static uint32_t address_registers(const Accesses *found) {
  uint32_t of_one = addresses_of_one(found->one_load) + addresses_of_one(found->one_store);
  return max_u32(of_one, ADDRESS_REGISTERS * found->single / ADDRESSES_ALIVE);
}

// Registers of a kernel of many warps for accesses of single elements: the maximum of all loops, branches and the
// kernel's body.
static uint32_t single_registers(const Func *func) {
  Accesses most = {0};
  count_accesses(func->body, &most);
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    for (uint32_t r = 0; r < w.op->region_count; r++) count_accesses(w.op->regions[r], &most);
  uint32_t addresses = addresses_of_one(most.one_single);
  return addresses ? addresses + TUNE_BLOCKS_MORE_REGISTERS : 0;
}

// The registers of a loop's loads beyond those of one. 0: a load reads less than 16 bytes.
static uint32_t later_words(const Region *body) {
  uint32_t words = 0, most = 0;
  for (const Op *op = body->first; op; op = op->next) {
    if (op->kind != OP_LOAD || !type_is_tile(op_operand(op, 0)->type)) continue;
    const Type *tile = op_result(op)->type;
    if (op_int(op, ATTR_VECTOR, 1) * type_element_bytes(tile) < WIDE_ACCESS) return 0;
    words += tile_words(tile);
    most = max_u32(most, tile_words(tile));
  }
  return words - most;
}

// The number of CTAs that fill a multiprocessor with threads, for loops without dots whose loads read 16 bytes each. A
// full multiprocessor has enough of these in flight, though each thread's loads wait for one another. A loop may have
// one iteration. 0: the threads do not fit, or more than a quarter of them is missing.
static uint32_t blocks_that_fill(const Occupancy *o, uint32_t blocks) {
  Func *func = o->func;
  uint32_t full = func->module->target.arch->warps / func_warps(func), later = 0;
  if (blocks >= full || 4 * blocks < 3 * full) return 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_FOR) later = max_u32(later, later_words(w.op->regions[0]));
  if (!later) return 0;
  Needs needs = needs_of(o, 0);
  needs.most -= min_u32(needs.most, later);
  needs.across -= min_u32(needs.across, later);
  return blocks_fit(o, full, needs) ? full : 0;
}

// The number of CTAs for more than MANY_WARPS warps. 0: ptxas gets none, as a number of two or more may cause a spill.
static uint32_t blocks_of_many_warps(const Occupancy *o) {
  uint32_t addresses = single_registers(o->func), blocks = blocks_that_fit(o, needs_of(o, addresses));
  if (blocks < 2) return blocks;
  if (o->found.dot || o->found.slow) return 0;
  uint32_t full = blocks_that_fill(o, blocks);
  if (full) return full;
  if (!o->found.mask || o->found.joint || o->found.loop) return blocks;
  // Loads under a mask are not reordered with stores, so all of a tile that is only copied is live at once.
  blocks = blocks_that_fit(o, needs_of(o, max_u32(addresses, TUNE_BLOCKS_RESERVED_REGISTERS)));
  return blocks > 1 ? blocks : 0;
}

// Registers that a tile of floats, or of a dot's sums, fills at least.
static uint32_t data_words(const Value *value) {
  const Type *type = value->type;
  if (!type_is_tile(type) || type_element(type)->kind != TYPE_SCALAR) return 0;
  bool sums = value->def && (value->def->kind == OP_DOT || value->def->kind == OP_DOT_WAIT);
  return sums || elem_is_float(type_element(type)->elem) ? tile_words(type) : 0;
}

// The most that a loop carries: it is all alive from one iteration to the next.
static uint32_t carried_words(const Op *op) {
  uint32_t words = 0;
  for (uint32_t i = 0; op_is_loop(op) && i < op->result_count; i++) words += data_words(&op->results[i]);
  return words;
}

// The number of CTAs for a smaller kernel without dots whose loop loads many values. Without a number ptxas saves
// registers there, and waits for some loads before it issues the next. 0: ptxas gets none.
static uint32_t blocks_that_load(const Occupancy *o) {
  Accesses most = {0};
  uint32_t carried = 0;
  for (OpWalk w = ops_in(o->func->body); ops_next(&w);) {
    if (w.op->kind == OP_FOR) count_accesses(w.op->regions[0], &most);
    carried = max_u32(carried, carried_words(w.op));
  }
  if (o->found.dot || most.loads < TUNE_LOOP_LOADS) return 0;
  Needs needs = needs_of(o, 0);
  if (blocks_that_fit(o, needs) > TUNE_FEW_BLOCKS) {
    if (o->found.slow) return 0;
    // Loads that are all issued before the first is used fill their registers next to what the loop carries.
    needs.across = max_u32(max_u32(needs.across, carried + most.words), TUNE_LOOP_REGISTERS);
  }
  needs.addresses = address_registers(&most);
  uint32_t blocks = blocks_that_fit(o, needs);
  return blocks > 1 || !most.single ? blocks : 0; // of one ptxas finds by itself what it can do without
}

// True if the body loads and stores single elements, and their addresses do not fit next to the tiles.
static bool addresses_spill(const Occupancy *o) {
  Accesses found = {0};
  count_accesses(o->func->body, &found);
  return found.single && found.stores_single && o->budget->slack < (int64_t)address_registers(&found);
}

// The kernel's remark, where tiles do not fit or passes made them fit: how many registers of how many, and what was done.
static void report_tiles(const Occupancy *o) {
  static const char *const words[] = {"recomputed", "stored early", "copied to shared memory", "read late",
                                      "cast early", "loaded late",  "computed in parts"};
  const PassContext *context = o->budget->context;
  const Op *fullest = o->budget->pressure.fullest;
  Buf done = {0};
  for (uint32_t i = 0; i < RELIEF_COUNT && context->relief; i++)
    if (context->relief[i]) buf_printf(&done, "%s %s %u", done.n ? "," : ":", words[i], context->relief[i]);
  bool excess = o->budget->slack < 0, spills = excess && !o->found.in_turn;
  if (fullest && (done.n || excess))
    diag_remark(context->diags, fullest->loc, "choose_occupancy",
                "%u of %u registers for tiles are live here%s%s", o->budget->pressure.most, o->budget->room,
                done.n ? done.at : "", spills ? "; some will be spilled" : "");
  buf_free(&done);
}

// Tiles that a loop carries beyond a thread's registers are spilled whatever ptxas does: that is a warning. For other
// tiles ptxas may find an order with fewer at a time.
static void report_spills(PassContext *context, Func *func) {
  uint32_t registers = func_thread_registers(func), carried = 0;
  for (OpWalk w = ops_in(func->body); ops_next(&w);) carried = max_u32(carried, carried_words(w.op));
  if (carried > registers)
    diag_warning(
        context->diags, func->loc,
        "[T0505] '%s' will spill: a loop carries tiles of %u registers per thread, and a thread has %u; use "
        "smaller tiles%s",
        func->name, carried, registers, func_warps(func) < TUNE_MANY_WARPS ? " or more warps" : "");
}

// True if ptxas spills less when it gets no number for one CTA. With `.minnctapersm 1` it loads more before it
// computes. Dots and addresses of many single elements need the number. So do tiles that cannot fit: without it ptxas
// aims at many CTAs.
static bool finds_by_itself(const Occupancy *o) {
  Accesses accesses = {0};
  count_accesses(o->func->body, &accesses);
  int64_t slack = o->budget->slack;
  if (o->found.dot || addresses_of_one(accesses.one_single)) return false;
  if (o->found.joint)
    return slack < 0 && slack + TUNE_BLOCKS_RESERVED_REGISTERS + REGISTER_UNIT > 0; // tiles just fit
  // Each element is finished before the next.
  bool many = func_warps(o->func) >= TUNE_MANY_WARPS;
  return slack > -(int64_t)o->budget->registers || (many && !o->found.slow && !o->found.loop);
}

static uint32_t choose_blocks(const Occupancy *o) {
  uint32_t blocks;
  if (ops_find(o->func->body, OP_TMEM_ALLOC)) return 1;
  if (func_warps(o->func) > TUNE_MANY_WARPS)
    blocks = blocks_of_many_warps(o);
  else if (wants_second(o))
    blocks = 2;
  else if (o->budget->slack < 0 || addresses_spill(o))
    blocks = !o->found.in_turn;
  else
    blocks = blocks_that_load(o);
  return blocks == 1 && finds_by_itself(o) ? 0 : blocks;
}

bool pass_choose_occupancy(PassContext *context, Func *func) {
  const Op *groups = func_groups(func);
  if (groups && !ops_find(func->body, OP_TMEM_ALLOC)) return false;
  Budget budget = budget_of(context, func, "choose_occupancy");
  Occupancy o = {func, &budget, contents_of(func)};
  uint32_t before = func->min_blocks;
  report_spills(context, func);
  report_tiles(&o);
  func->min_blocks = func->module->target.maxnreg ? 0 : choose_blocks(&o);
  return func->min_blocks != before;
}
