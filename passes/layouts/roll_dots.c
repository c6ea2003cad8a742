// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of choose_sums that handles kernels with many multiply-adds.
//
// before  %d = dot %a, %b, %sum {instruction = "fma"}     after  %d = dot %a, %b, %sum {instruction = "fma", unroll = 16}
//
// Codegen unrolls such a dot. A dot of 128x128x64 by four warps is 8,192 multiply-adds per thread. ptxas takes over a
// minute for ten thousand of them. They do not fit into the instruction cache either. A dot with `unroll` is a loop
// over k, with this many values of k in each iteration. The sums are added in the same order. Small kernels keep their
// code as it is.
#include "passes/layouts/roll_dots.h"

#include "base/integer.h"
#include "ir/dot/dot.h"
#include "ir/dot/layout_dot.h"

enum {
  MAX_UNROLLED = 8192,
  MAX_ITERATION = 2048,
  MIN_STEP = 4
}; // Multiply-adds of a kernel and of an iteration; values of k.

// Per thread, for one k.
static uint32_t multiply_adds(const Op *dot) {
  const Type *sums = op_result(dot)->type;
  uint64_t share = (uint64_t)layout_registers(sums->layout) * dot_sums(dot) / type_elements(sums);
  return (uint32_t)share;
}

// The number of k values per iteration; 0: the dot is no loop.
static uint32_t choose_step(const Op *dot) {
  uint32_t each = multiply_adds(dot), depth = dot_depth(dot), step = MIN_STEP;
  if (op_operand(dot, 0)->type->kind != TYPE_SHARED || op_operand(dot, 1)->type->kind != TYPE_SHARED)
    return 0;
  while (2 * step * each <= MAX_ITERATION) step *= 2;
  while (step > MIN_STEP && depth % step) step /= 2;
  return depth % step || depth <= step ? 0 : step;
}

typedef struct Roller {
  PassContext *context;
  uint64_t total;
  bool changed;
} Roller;

static void roll(Roller *r, Op *op) {
  uint32_t step = is_dot_of(op, DOT_FMA) && !op_attr(op, ATTR_UNROLL) ? choose_step(op) : 0;
  if (!step) return;
  bool words = type_is_elem(type_element(op_result(op)->type), ELEM_FP32);
  diag_remark(r->context->diags, op->loc, "choose_sums",
              "a thread has %llu multiply-adds: the dot is a loop over k, %u at a time%s",
              (unsigned long long)r->total, step,
              words ? "; --fp32-dot=tf32 or tf32x3 would use tensor cores" : "");
  op_set_int(op, ATTR_UNROLL, step);
  r->changed = true;
}

bool roll_dots(PassContext *context, Func *func) {
  Roller r = {.context = context};
  for (OpWalk w = ops_in(func->body); ops_next(&w);)
    if (is_dot_of(w.op, DOT_FMA)) r.total += (uint64_t)multiply_adds(w.op) * dot_depth(w.op);
  if (r.total > MAX_UNROLLED)
    for (OpWalk w = ops_in(func->body); ops_next(&w);) roll(&r, w.op);
  return r.changed;
}
