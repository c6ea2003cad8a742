// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator out of memory at each of its allocations: a fault, and nothing leaks (run under
// LeakSanitizer); launches one after the other on one memory.
#include "tests/unit/unit.h"
#include "base/arena.h"
#include "base/fault.h"
#include "ir/build.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

static void make_grid(Kernel *k) {
  Region *region = func_new_host(k->func, HOST_GRID, NULL)->region;
  Builder b = builder_at_end(k->func, region);
  Value *n = region->args[2], *wide = build_cast(&b, n, type_scalar(&k->ir, ELEM_I64));
  build_op(&b, OP_YIELD, 1, &wide, 0, NULL);
}

static const char BODY[] =
    "%i = arange {start = 0, end = 64} : tile<64xi32>\n%xs = splat %x : tile<64x*fp32>\n"
    "%p = addptr %xs, %i : tile<64x*fp32>\n%a = load %p : tile<64xfp32>\n"
    "%s = reduce %a {axis = 0} : fp32 do (%u: fp32, %v: fp32) {\n%w = add %u, %v : fp32\nyield %w\n}\n"
    "%t = atomic_rmw %out, %s {rmw = \"add\"} : fp32\nprint %a {prefix = \"a\"}\n"
    "%m = reshape %a : tile<8x8xfp32>\n%z = constant {fvalue = 0.0} : tile<8x8xfp32>\n"
    "%d = dot %m, %m, %z : tile<8x8xfp32>\n%f = reshape %d : tile<64xfp32>\n%q = sort %f {axis = 0} : "
    "tile<64xfp32>\nstore %p, %q\n";

typedef struct Work {
  Kernel k;
  void (*run)(struct Work *work);
} Work;

static void run_grid(Work *w) {
  EvalArg args[3] = {{X}, {OUT}, {5}};
  uint32_t grid[3];
  assert_true(eval_grid(w->k.func, args, grid));
  assert_int_equal(grid[0], 5);
}

static void run_launch(Work *w) {
  if (!RUN(&w->k, X, OUT, 5)) kernel_fail(&w->k);
}

static void run_check(Work *w) {
  float wrong[64] = {1};
  run_launch(w);
  EvalCheck check;
  assert_false(eval_check(w->k.memory, X, wrong, ELEM_FP32, &check));
  assert_non_null(strstr(check.first_message, "element 0: got 1"));
}

static void prepare(Kernel *k) {
  float x[64];
  kernel_open(k, "%x: *fp32, %out: *fp32, %n: i32", BODY);
  make_grid(k);
  for (int i = 0; i < 64; i++) x[i] = kernel_whole(k);
  eval_memory_add(k->memory, X, x, sizeof x, true);
  eval_memory_add(k->memory, OUT, x, 64, true);
}

// False where the n-th allocation was made, and so failed.
static bool succeeds(Work *w, FaultFrame *frame, unsigned long n) {
  bool done = setjmp(frame->env) == 0;
  if (done) {
    arena_fail_after(n);
    w->run(w);
  } else {
    assert_int_equal(frame->kind, FAULT_MEMORY);
  }
  arena_fail_after(0);
  return done;
}

// Until all succeed, the n-th allocation fails.
static void fail_everywhere(void (*run)(Work *work)) {
  bool done = false;
  for (unsigned long n = 1; !done; n++) {
    Work w = {.run = run};
    FaultFrame frame;
    prepare(&w.k);
    fault_enter(&frame);
    done = succeeds(&w, &frame, n);
    fault_leave(&frame);
    kernel_close(&w.k);
    assert_true(!done || n > 1);
  }
}

TEST(test_out_of_memory) {
  fail_everywhere(run_grid);
  fail_everywhere(run_launch);
  fail_everywhere(run_check);
}

// Races are sought in each launch by itself, and their records are given back.
TEST(test_launches_in_a_row) {
  Kernel k;
  float x[64];
  kernel_open(&k, "%x: *fp32, %out: *fp32, %n: i32", BODY);
  for (int i = 0; i < 64; i++) x[i] = kernel_whole(&k);
  eval_memory_add(k.memory, X, x, sizeof x, true);
  eval_memory_add(k.memory, OUT, (float[4]){0}, 16, true);
  size_t after_two = 0;
  for (int n = 0; n < 50; n++) {
    kernel_must_run(&k, RUN(&k, X, OUT, 5));
    if (n == 1) after_two = arena_bytes(&k.arena);
  }
  assert_int_equal(k.diags.list.n, 0);
  assert_true(arena_bytes(&k.arena) < after_two + 65536);
  kernel_close(&k);
}

// Where races are not looked for, none is reported.
TEST(test_races_off) {
  Kernel k;
  kernel_open(
      &k, "%x: *i32",
      "%i = arange {start = 0, end = 16} : tile<16xi32>\n%s = splat %x : tile<16x*i32>\nstore %s, %i\n");
  eval_memory_add(k.memory, X, (int32_t[4]){0}, 16, true);
  EvalOptions off = {0};
  EvalArg args[1] = {{X}};
  assert_true(eval_launch(k.func, k.grid, args, k.memory, &off));
  assert_int_equal(k.diags.list.n, 0);
  assert_false(eval_launch(k.func, k.grid, args, k.memory, NULL));
  assert_int_equal(k.diags.errors, 1);
  assert_false(eval_launch(k.func, k.grid, args, k.memory, NULL)); // the same error is not listed again
  kernel_close(&k);
}

WHOLE_SUITE(eval_fault)
