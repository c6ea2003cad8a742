// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a kernel persistent, for plan_pipeline. The CTAs that the device has room for run a launch's programs one after
// another.
//
// ```
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
// ```
//
// needs   layouts; a kernel whose programs have no order (programs_refuse_turns)
// keeps   every value; programs start in the order of a launch: along x first
// breaks  Nothing. The launcher passes the number of programs, and launches fewer CTAs.
//
// pays    Work that a CTA does once is done once. If specialise_warps then splits the warps, producer warps load for
//         the next program while the others store the previous one.
//
// Where groups of warps take programs of the grid (cluster launch control), the launch is as before. The loop then has
// one iteration, and carries the program's place. specialise_warps makes it take the next ones (role_programs.c).
//
// No program of a launch may read what another one writes, except by atomics, and such kernels have none. So the writes
// of one iteration order nothing in the next one. The loop's attribute says so.
#include "ir/build.h"
#include "passes/analysis/plan.h"

typedef struct Numbers {
  Value *programs[PROGRAM_AXES], *ids[PROGRAM_AXES];
} Numbers;

static void replace_number(const Numbers *numbers, Op *op) {
  if (op->kind != OP_PROGRAM_ID && op->kind != OP_NUM_PROGRAMS) return;
  int64_t axis = op_int(op, ATTR_AXIS, 0);
  Value *number = op->kind == OP_PROGRAM_ID ? numbers->ids[axis] : numbers->programs[axis];
  if (!number) return;
  value_replace_uses(op_result(op), number);
  op_erase(op);
}

// The program id of the current iteration, along each dimension.
static void build_ids(Builder *b, Value *program, Numbers *numbers) {
  Value *rows = build_binary(b, OP_DIV, program, numbers->programs[0]);
  numbers->ids[0] = build_binary(b, OP_REM, program, numbers->programs[0]);
  numbers->ids[1] = build_binary(b, OP_REM, rows, numbers->programs[1]);
  numbers->ids[2] = build_binary(b, OP_DIV, rows, numbers->programs[1]);
}

// Tensor memory is allocated before all programs, and freed after them: the ops around the program's own stay outside.
static void find_program(const Func *func, Op **first, Op **end) {
  *first = func->body->first, *end = func->body->last;
  for (Op *op = *first; op; op = op->next) {
    if (op->kind == OP_TMEM_ALLOC) *first = op->next;
    if (op->kind == OP_TMEM_DEALLOC) *end = op->prev->kind == OP_BARRIER ? op->prev : op;
  }
}

// Moves the program's ops into the loop's empty region.
static void move_program(Op *loop, Op *first, const Op *end) {
  op_set_flag(loop, ATTR_PROGRAMS, true);
  op_set_int(loop, ATTR_NUM_STAGES, 1);
  for (Op *op = first, *next; op != end; op = next) {
    next = op->next;
    op_move(op, loop->regions[0], NULL);
  }
}

static void replace_numbers(const Numbers *numbers, const Op *loop) {
  for (OpWalk w = ops_in(loop->regions[0]); ops_next(&w);) replace_number(numbers, w.op);
}

void programs_take(Func *func) {
  Numbers numbers = {0};
  Value *ids[PROGRAM_AXES];
  Op *first, *end;
  uint32_t n = 0;
  bool asked[PROGRAM_AXES] = {false};
  find_program(func, &first, &end);
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (w.op->kind == OP_PROGRAM_ID) asked[op_int(w.op, ATTR_AXIS, 0)] = true;
  Builder b = builder_before(first);
  b.loc = func->loc;
  for (uint32_t d = 0; d < PROGRAM_AXES; d++)
    if (asked[d]) ids[n++] = build_program_id(&b, OP_PROGRAM_ID, d);
  const Type *number = type_scalar(func->module->ir, ELEM_I32);
  Value *zero = build_int(&b, number, 0), *one = build_int(&b, number, 1);
  Op *loop = build_for(&b, zero, one, one, n, ids);
  move_program(loop, first, end);
  for (uint32_t d = 0, i = 0; d < PROGRAM_AXES; d++)
    if (asked[d]) numbers.ids[d] = loop_carried(loop, i++);
  replace_numbers(&numbers, loop);
  Builder inner = builder_inside(loop->regions[0], end->loc);
  for (uint32_t i = 0; i < n; i++) ids[i] = loop_carried(loop, i);
  build_yield(&inner, n, ids);
}

void programs_persist(Func *func) {
  Numbers numbers;
  Op *first, *end;
  find_program(func, &first, &end);
  func_add_programs(func, numbers.programs);
  Builder b = builder_before(first);
  b.loc = func->loc;
  Value *block = build_program_id(&b, OP_PROGRAM_ID, 0), *blocks = build_program_id(&b, OP_NUM_PROGRAMS, 0);
  Value *all = build_binary(&b, OP_MUL, build_binary(&b, OP_MUL, numbers.programs[0], numbers.programs[1]),
                            numbers.programs[2]);
  Op *loop = build_for(&b, block, all, blocks, 0, NULL);
  move_program(loop, first, end);
  Builder inner = builder_at_end(func, loop->regions[0]);
  if (loop->regions[0]->first) inner = builder_before(loop->regions[0]->first);
  inner.loc = func->loc;
  build_ids(&inner, loop_index(loop), &numbers);
  replace_numbers(&numbers, loop);
  inner = builder_inside(loop->regions[0], end->loc);
  build_yield(&inner, 0, NULL);
}
