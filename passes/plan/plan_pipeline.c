// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plan_pipeline: makes a kernel persistent, and decides which dot loop is warp-specialized, with its slots and registers.
//
// before  kernel @k(...) {
//           for ... {
// after   kernel @k(...) {
//           for %block, %all, %blocks {programs} do (%p) {            (persist.c)
//             for ... {group_warps = [8, 4], group_registers = [232, 40], slots = 4} {
//
// If a group of one thread issues the dots, the groups take the programs instead (role_programs.c):
//
//           for ... {group_warps = [4, 1, 1], slots = 6, takes_programs} {
//
// needs   Layouts, promote_shared's buffers, and dot loops in their final form: runs after overlap_dots and
//         delay_dot_waits.
// keeps   every value
// breaks  nothing
//
// pays    Persistent kernels and specialise_warps were measured to gain together, and not separately (docs/matmul.md).
//
// Persistent by default: kernels that libtilec launches, with one loop that can be warp-specialized. Its dot stays in
// flight, and has so many sums (persistent_pays) that another program would have no room next to it. Or its dots are by
// tcgen05 and have a thread of their own: they run under the end of the program before.
//
// Warp-specialized by default are loops whose dots have a thread of their own. With 8 warps or more these are too:
// * the loop of a persistent kernel: the next program's copies overlap with the end of this program;
// * loops that overlap_dots has marked;
// * loops of attention's gradients (three chained dots);
// * loops that ask for it.
//
// With one warpgroup no other loop is: another CTA's warps copy while it multiplies.
#include "passes/analysis/plan.h"

#include "passes/analysis/hopper_limits.h"
#include "ir/build.h"
#include "ir/memory/groups.h"
#include "ir/memory/scratch.h"
#include "target/tuning.h"
#include "passes/warp_specialization/roles.h"
#include "passes/analysis/overlapped_dots.h"

// The plan of a loop that is warp-specialized.
typedef struct PartedLoop {
  uint32_t slots, warps;
  uint64_t slot_bytes, beside; // of shared memory
  uint32_t sums;               // registers per thread; 0: no dot stays in flight
  RoleRegisters registers;
  bool apart; // one thread issues the dots, and not the consumer warps
  StagedLoop staged;
  const char *alone; // Why two CTAs do not compute its dots as a pair. NULL: they do.
} PartedLoop;

typedef struct SlotPlanner {
  PassContext *context;
  Func *func;
  const Target *target;
  RoleLoops loops;
  bool persistent; // the kernel becomes persistent
  bool takes;      // by programs that its groups take of the grid
} SlotPlanner;

static const char *words(const SlotPlanner *p, const char *format, uint32_t x, uint32_t y, uint32_t z) {
  return arena_printf(p->context->scratch, format, x, y, z);
}

// --- a loop's slots and registers

// The registers for the dot's sums: in the loop, or for tcgen05 after it.
static uint32_t thread_sums(const Op *dot) {
  const Type *sums = op_result(dot)->type;
  if (type_is_tile(sums)) return tile_words(sums);
  return (uint32_t)type_elements(sums) / (region_warps(dot) * TARGET_WARP);
}

// Plans the loop's split. Returns NULL, or why it cannot be split. Remarks about the loop's loads go to `diags`.
static const char *find_parted(const SlotPlanner *p, Diags *diags, Op *loop, bool in_turn,
                               PartedLoop *parted) {
  PassContext context = {p->context->scratch, diags, NULL};
  Roles roles;
  *parted = (PartedLoop){.alone = "no programs are taken"};
  StagedLoop *staged = &parted->staged;
  const char *why = roles_refuse(p->func, &p->loops);
  if (!why) why = roles_find(&context, p->func, loop, in_turn, staged, &roles);
  if (why) return why;
  parted->apart = !roles_refuse_mma(&roles);
  parted->warps = roles.warps;
  staged->in_turn |= parted->apart; // the end of the kernel runs next to the loop
  if (parted->apart && p->takes) parted->alone = programs_refuse_pairs(&context, p->func, staged);
  parted->slots = staged_loop_stages(&context, p->func, staged);
  if (parted->slots < 2) return "shared memory has no room for two slots";
  bool many = chained_dots(context.scratch, p->func, loop) > 2;
  if (!parted->apart) parted->registers = role_registers(p->target->arch, parted->warps, many);
  if (roles_stay_under_way(staged, parted->slots)) parted->sums = thread_sums(staged->dot);
  parted->slot_bytes = staged_slot_bytes(staged);
  parted->beside = staged->beside;
  return NULL;
}

// --- persistent kernels

// True if groups of warps can take the next program of the grid: a thread's own dots run under the end of the one before.
static bool takes_programs(const SlotPlanner *p) {
  Diags unheard = {.arena = p->context->scratch, .sources = p->context->diags->sources};
  PartedLoop parted;
  return target_has(p->target->arch, FEATURE_CLUSTER_CONTROL) && func_plans(p->func, PLAN_WARP_SPECIALIZE) &&
         p->loops.list.n == 1 && !find_parted(p, &unheard, p->loops.list.at[0], true, &parted) &&
         parted.apart;
}

// Why the kernel with this one loop should not be persistent. NULL: it should.
static const char *why_no_turns(const SlotPlanner *p) {
  Diags unheard = {.arena = p->context->scratch, .sources = p->context->diags->sources};
  PartedLoop parted;
  if (!p->func->module->launched && !takes_programs(p))
    return "the launcher must pass the number of CTAs for that";
  if (!func_plans(p->func, PLAN_WARP_SPECIALIZE)) return "warp specialization is off";
  if (p->loops.list.n != 1) return "it has several dot loops";
  const char *why = find_parted(p, &unheard, p->loops.list.at[0], true, &parted);
  if (!why && parted.apart) return NULL;
  if (p->target->num_warps <= WARPGROUP_WARPS)
    return "four warps leave room for other programs on the multiprocessor";
  if (why) return arena_printf(p->context->scratch, "its loop cannot be warp-specialized: %s", why);
  if (!parted.sums) return words(p, "no dot stays in flight, with %u slots", parted.slots, 0, 0);
  if (!persistent_pays(parted.sums))
    return words(p,
                 "the dot has %u registers of sums per thread, fewer than %u: so CTAs share a multiprocessor",
                 parted.sums, TUNE_TURN_SUMS, 0);
  if (!persistent_fits(parted.sums, parted.registers.multiply))
    return words(p, "%u registers of sums and %u others are more than a consumer warp's %u", parted.sums,
                 TUNE_TURN_RESERVED_REGISTERS, parted.registers.multiply);
  return NULL;
}

static bool plan_turns(const SlotPlanner *p) {
  PersistUse asked = p->target->persistent;
  Loc loc = p->func->loc;
  if (func_is_persistent(p->func) || (asked == PERSIST_AUTO && !p->loops.list.n)) return false;
  if (asked == PERSIST_OFF && !p->loops.list.n) return false;
  const char *why = asked == PERSIST_OFF ? "--persistent=off" : programs_refuse_turns(p->func, &loc);
  if (!why && asked == PERSIST_AUTO) why = why_no_turns(p);
  if (why) {
    diag_remark(p->context->diags, loc, "plan_pipeline", "not persistent: %s", why);
    return false;
  }
  Diag *remark = diag_remark(p->context->diags, loc, "plan_pipeline", "persistent: %s",
                             asked == PERSIST_ON ? "as --persistent=on says"
                                                 : "the next program's copies run under this one's end");
  if (takes_programs(p))
    diag_note(p->context->diags, remark, loc,
              "its CTAs take programs that have not started (cluster launch control)");
  return true;
}

// --- groups of warps

static bool is_in_turn(const SlotPlanner *p, const Op *loop) {
  for (const Op *around = loop; around; around = around->region->parent)
    if (op_attr(around, ATTR_PROGRAMS)) return true;
  return p->persistent;
}

// True if the loop's dots can have a thread of their own.
static bool parts_apart(const SlotPlanner *p, Op *loop) {
  Diags unheard = {.arena = p->context->scratch, .sources = p->context->diags->sources};
  PartedLoop parted;
  return !find_parted(p, &unheard, loop, is_in_turn(p, loop), &parted) && parted.apart;
}

// Why the loop should not be warp-specialized. NULL: it should, if it can be.
static const char *why_not_wanted(const SlotPlanner *p, Op *loop) {
  if (!func_plans(p->func, PLAN_WARP_SPECIALIZE)) return "--warp-specialize=off";
  if (p->target->warp_roles == WARP_ROLES_ON || parts_apart(p, loop)) return NULL;
  if (p->target->num_warps <= WARPGROUP_WARPS)
    return "four warps leave room for another CTA, which is faster";
  if (is_in_turn(p, loop) || op_attr(loop, ATTR_OVERLAPPED) || op_attr(loop, ATTR_WARP_SPECIALIZE))
    return NULL;
  uint32_t chained = chained_dots(p->context->scratch, p->func, loop);
  return chained > 2 ? NULL : "with one dot at a time it is not faster";
}

static void tell_parted(const SlotPlanner *p, const Op *loop, const PartedLoop *parted) {
  enum { KB = 1024 };
  Diag *remark =
      diag_remark(p->context->diags, loop->loc, "plan_pipeline",
                  "specialised: %u slots of %llu bytes next to %llu bytes, of %u KB; %u consumer warps",
                  parted->slots, (unsigned long long)parted->slot_bytes, (unsigned long long)parted->beside,
                  p->target->arch->shared_limit / KB, parted->warps);
  if (parted->apart)
    diag_note(p->context->diags, remark, loop->loc, "dots by tcgen05 have a thread of their own");
  if (p->takes && parted->alone)
    diag_note(p->context->diags, remark, loop->loc, "no pairs of CTAs: %s", parted->alone);
  else if (p->takes)
    diag_note(p->context->diags, remark, loop->loc,
              "two neighbouring programs compute their dots as a pair of CTAs; each has half of the second "
              "operand");
  if (!parted->apart && parted->registers.multiply)
    diag_note(p->context->diags, remark, loop->loc,
              "registers per thread: consumer warps %u, producer warps %u", parted->registers.multiply,
              parted->registers.copy);
  else if (!parted->apart)
    diag_note(p->context->diags, remark, loop->loc,
              "no registers are moved: two CTAs may share a multiprocessor");
}

static bool plan_roles(const SlotPlanner *p, Op *loop) {
  PartedLoop parted;
  const char *why = why_not_wanted(p, loop);
  if (!why) why = find_parted(p, p->context->diags, loop, is_in_turn(p, loop), &parted);
  if (why) {
    diag_remark(p->context->diags, loop->loc, "plan_pipeline", "not specialised: %s", why);
    return false;
  }
  op_set_int(loop, ATTR_SLOTS, parted.slots);
  op_set_flag(loop, ATTR_TAKES_PROGRAMS, p->takes);
  op_set_flag(loop, ATTR_PAIR, p->takes && !parted.alone);
  if (op_attr(loop, ATTR_PAIR)) programs_require_pairs(p->context, p->func, &parted.staged);
  if (parted.apart)
    op_set_ints(loop, ATTR_GROUP_WARPS, 3, (uint32_t[]){parted.warps, 1, 1});
  else
    op_set_ints(loop, ATTR_GROUP_WARPS, 2, (uint32_t[]){parted.warps, PRODUCER_WARPS});
  if (parted.registers.multiply)
    op_set_ints(loop, ATTR_GROUP_REGISTERS, 2,
                (uint32_t[]){parted.registers.multiply, parted.registers.copy});
  tell_parted(p, loop, &parted);
  return true;
}

// --- the plan

Op *plan_parted_loop(Func *func) {
  Op *found = NULL;
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_FOR && op_attr(w.op, ATTR_GROUP_WARPS)) found = w.op;
  return found;
}

static void forget_loop(Op *loop) {
  op_remove_attr(loop, ATTR_SLOTS);
  op_remove_attr(loop, ATTR_TAKES_PROGRAMS);
  op_remove_attr(loop, ATTR_PAIR);
  op_remove_attr(loop, ATTR_GROUP_WARPS);
  op_remove_attr(loop, ATTR_GROUP_REGISTERS);
}

void plan_move_groups(Op *groups, Op *loop) {
  op_copy_attr(groups, loop, ATTR_GROUP_WARPS);
  op_copy_attr(groups, loop, ATTR_GROUP_REGISTERS);
  forget_loop(loop);
}

bool plan_drop(Func *func) {
  bool planned = func->plan != 0;
  Op *loop = plan_parted_loop(func);
  if (loop) forget_loop(loop);
  func->plan = 0;
  return planned || loop;
}

bool pass_plan_pipeline(PassContext *context, Func *func) {
  if (func_groups(func)) return false;
  SlotPlanner p = {.context = context, .func = func, .target = &func->module->target};
  p.loops = roles_loops(context->scratch, func);
  p.persistent = plan_turns(&p);
  p.takes = p.persistent && takes_programs(&p);
  bool planned = false;
  for (uint32_t i = 0; i < p.loops.list.n && !planned; i++) planned = plan_roles(&p, p.loops.list.at[i]);
  if (p.persistent && !p.takes) programs_persist(func);
  return p.persistent || planned;
}
