// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// persist: a launch's programs are run in turn, by as many blocks as the device has room for.
//
// before  kernel @k(...) {                      after  kernel @k(..., %programs_x: i32 {hidden = programs}, ...) {
//           %x = program_id {axis = 0}                   %block = program_id {axis = 0}
//           %n = num_programs {axis = 0}                 %blocks = num_programs {axis = 0}
//           ...                                          %all = %programs_x * %programs_y * %programs_z
//           return                                       for %block, %all, %blocks {programs} do (%p) {
//         }                                                %x = rem %p, %programs_x            (%n is %programs_x)
//                                                          ...
//                                                          yield
//                                                        }
//                                                        return
// needs   layouts; the module's option `persistent`, or kernels that libtilec launches, of one product that pays so
// keeps   every value; programs begin in the order of a launch: along x first
// breaks  nothing; who launches the kernel passes how many programs there are, and launches fewer blocks
// pays    what a block does once is done once; where warps are parted behind it (specialise_warps) the ones that copy
//         are at the next program's loads while the others store the one before
//
// No program of a launch may read what another one writes, but by atomics, which such kernels have none of: so
// what one iteration writes orders nothing of the next one, and the loop's attribute says so.
//
// Declined, with a remark: print, assert, atomics, inline PTX, volatile accesses, clocks, and kernels that order
// their launches or groups of warps themselves.
#include "ir/build.h"
#include "ir/groups.h"
#include "passes/roles.h"

static bool is_ordered(const Op *op) {
  switch ((int)op->kind) {
  case OP_PRINT:
  case OP_ASSERT:
  case OP_ATOMIC_RMW:
  case OP_ATOMIC_CAS:
  case OP_GDC_WAIT:
  case OP_GDC_LAUNCH_DEPENDENTS:
  case OP_GLOBALTIMER:
  case OP_SMID: return true;
  case OP_INLINE_ASM: return !op_attr(op, ATTR_PURE);
  default: return op_attr(op, ATTR_VOLATILE) != NULL;
  }
}

static void find_ordered(Op *op, void *data) {
  const Op **found = data;
  if (!*found && is_ordered(op)) *found = op;
}

static const char *why_not(const Func *func, Loc *loc) {
  const Op *ordered = NULL;
  region_walk(func->body, find_ordered, &ordered);
  *loc = ordered ? ordered->loc : func->loc;
  if (ordered) return "it has ops whose order among programs is their own (print, assert, atomics, inline PTX, volatile)";
  if (func_groups(func)) return "its warps are parted";
  return func_visible_params(func) < func->param_count ? "it has hidden parameters" : NULL;
}

typedef struct Numbers {
  Value *programs[PROGRAM_AXES], *ids[PROGRAM_AXES];
} Numbers;

static void replace_number(Op *op, void *data) {
  const Numbers *numbers = data;
  if (op->kind != OP_PROGRAM_ID && op->kind != OP_NUM_PROGRAMS) return;
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  value_replace_uses(op_result(op), op->kind == OP_PROGRAM_ID ? numbers->ids[axis] : numbers->programs[axis]);
  op_erase(op);
}

// Which program the loop is at, along each dimension.
static void build_ids(Builder *b, Value *program, Numbers *numbers) {
  Value *rows = build_binary(b, OP_DIV, program, numbers->programs[0]);
  numbers->ids[0] = build_binary(b, OP_REM, program, numbers->programs[0]);
  numbers->ids[1] = build_binary(b, OP_REM, rows, numbers->programs[1]);
  numbers->ids[2] = build_binary(b, OP_DIV, rows, numbers->programs[1]);
}

// By itself of kernels that libtilec launches, where a loop of products is parted then into warps that copy and warps that
// multiply: it was measured to pay there.
static bool is_wanted(PassContext *context, Func *func) {
  const IrModule *module = func->module;
  if (module->target.persistent != PERSIST_AUTO) return module->target.persistent == PERSIST_ON;
  return module->launched && module->target.warp_roles != WARP_ROLES_OFF && roles_pay_in_turn(context, func);
}

bool pass_persist(PassContext *context, Func *func) {
  Numbers numbers;
  Loc loc;
  if (func_is_persistent(func)) return false;
  const char *why = why_not(func, &loc);
  bool asked = func->module->target.persistent == PERSIST_ON;
  if ((why && !asked) || !is_wanted(context, func)) return false;
  if (why) {
    diag_remark(context->diags, loc, "persist", "not persistent: %s", why);
    return false;
  }
  Region *body = func->body;
  Op *first = body->first, *end = body->last;
  func_add_programs(func, numbers.programs);
  Builder b = builder_before(first);
  b.loc = func->loc;
  Value *block = build_program_id(&b, OP_PROGRAM_ID, 0), *blocks = build_program_id(&b, OP_NUM_PROGRAMS, 0);
  Value *all = build_binary(&b, OP_MUL, build_binary(&b, OP_MUL, numbers.programs[0], numbers.programs[1]), numbers.programs[2]);
  Op *loop = build_for(&b, block, all, blocks, 0, NULL);
  op_set_flag(loop, ATTR_PROGRAMS, true);
  op_set_attr(loop, (Attr){.key = ATTR_NUM_STAGES, .i = 1});
  for (Op *op = first, *next; op != end; op = next) {
    next = op->next;
    op_move(op, loop->regions[0], NULL);
  }
  Builder inner = builder_at_end(func, loop->regions[0]);
  if (loop->regions[0]->first) inner = builder_before(loop->regions[0]->first);
  inner.loc = func->loc;
  build_ids(&inner, loop_index(loop), &numbers);
  region_walk(loop->regions[0], replace_number, &numbers);
  inner = builder_at_end(func, loop->regions[0]);
  inner.loc = end->loc;
  build_yield(&inner, 0, NULL);
  diag_remark(context->diags, func->loc, "persist", "a launch's programs are run in turn, by as many blocks as there is room for");
  return true;
}
