// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator's shared memory. Buffers are undefined until written. They lose their values when
// others write their bytes. They have a copy's data after a wait for its group. Also tests the
// verifier's rules for them.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

#define T "layout<reg = [1], lane = [2, 4, 8, 16, 32], warp = [64, 0]; 128>"
#define S "layout<offset = [2, 1, 4, 8, 16, 32, 64]; 128>"
#define POINTERS                                                                                             \
  "%i = arange {start = 0, end = 128} : tile<128xi32, " T ">\n"                                              \
  "%xs = splat %x : tile<128x*i32, " T ">\n%xp = addptr %xs, %i : tile<128x*i32, " T ">\n"                   \
  "%os = splat %out : tile<128x*i32, " T ">\n%op = addptr %os, %i : tile<128x*i32, " T ">\n"
#define LOAD         "%v = load %xp : tile<128xi32, " T ">\n"
#define ALLOC(name)  name " = shared_alloc {offset = 0} : shared<128xi32, " S ">\n"
#define READ(buffer) "%r = shared_load " buffer " : tile<128xi32, " T ">\nstore %op, %r\n"

static void open_shared(Kernel *k, const char *body, int32_t x[128]) {
  kernel_open(k, "%x: *i32, %out: *i32", body);
  for (int i = 0; i < 128; i++) x[i] = i * 3 - 100;
  eval_memory_add(k->memory, X, x, 128 * sizeof *x, true);
  kernel_output(k, OUT, 512);
}

static void expect_run(const char *body, const char *error) {
  Kernel k;
  int32_t x[128];
  open_shared(&k, body, x);
  bool ok = RUN(&k, X, OUT);
  kernel_gave(&k, ok, OUT, x, sizeof x, error);
  kernel_close(&k);
}

TEST(test_what_is_stored_is_loaded) {
  expect_run(POINTERS LOAD ALLOC("%a") "shared_store %v, %a\n" READ("%a"), NULL);
  expect_run(POINTERS LOAD ALLOC("%a") READ("%a"), "undefined");
}

TEST(test_buffers_with_the_same_bytes) {
  expect_run(POINTERS LOAD ALLOC("%a") ALLOC("%b") "shared_store %v, %a\nshared_store %v, %b\n" READ("%b"),
             NULL);
  expect_run(POINTERS LOAD ALLOC("%a") ALLOC("%b") "shared_store %v, %a\nshared_store %v, %b\n" READ("%a"),
             "undefined");
  expect_run(POINTERS LOAD ALLOC("%a") ALLOC("%b") "shared_store %v, %a\n"
                                                   "%c = convert_layout %v, %b : tile<128xi32, " T
                                                   ">\n" READ("%a"),
             "undefined");
}

TEST(test_copies_are_waited_for) {
#define COPY POINTERS ALLOC("%a") "copy_async %xp, %a {vector = 2, align = 8}\n%t = async_commit : token\n"
  expect_run(COPY "async_wait %t {pending = 0}\n" READ("%a"), NULL);
  expect_run(COPY READ("%a"), "undefined");
  expect_run(COPY "async_wait %t {pending = 1}\n" READ("%a"), "may still be in flight");
  expect_run(COPY "%u = async_commit : token\nasync_wait %t {pending = 1}\n" READ("%a"), NULL);
}

TEST(test_parts_and_transposition) {
#define HALF "layout<reg = [1], lane = [2, 4, 8, 16, 32], warp = [0, 0]; 64>"
  expect_run(POINTERS LOAD
             "%m = reshape %v : tile<2x64xi32, " T ">\n%a = shared_alloc : shared<2x64xi32, " S ">\n"
             "shared_store %m, %a\n%at = shared_trans %a {order = [1, 0]} : shared<64x2xi32, layout<offset = "
             "[4, 2, 8, 16, "
             "32, 64, 1]; 128>>\n"
             "%one = constant {value = 1} : i32\n"
             "%b = shared_index %a, %one : shared<64xi32, layout<offset = [2, 1, 4, 8, 16, 32]; 64>>\n"
             "%h = shared_load %b : tile<64xi32, " HALF
             ">\n%p = shared_load %at {starts = [0, 0]} : tile<64x1xi32, " HALF
             ">\n%q = reshape %p : tile<64xi32, " HALF ">\n%e = add %q, %h : tile<64xi32, " HALF ">\n"
             "%f = sub %e, %h : tile<64xi32, " HALF ">\n"
             "%j = arange {start = 0, end = 64} : tile<64xi32, " HALF ">\n"
             "%sixty = constant {value = 64} : tile<64xi32, " HALF
             ">\n%j2 = add %j, %sixty : tile<64xi32, " HALF ">\n"
             "%ps = splat %out : tile<64x*i32, " HALF ">\n%p0 = addptr %ps, %j : tile<64x*i32, " HALF ">\n"
             "%p1 = addptr %ps, %j2 : tile<64x*i32, " HALF ">\nstore %p0, %f\nstore %p1, %h\n",
             NULL);
}

static void expect_rule(const char *body, const char *error) {
  Arena arena = {0};
  Sources sources = {.arena = &arena};
  Diags diags = {.arena = &arena, .sources = &sources};
  IrContext ir;
  ir_context_init(&ir, &arena, &sources, &diags);
  char *text = arena_printf(
      &arena, "module num_warps = 4 {\nkernel @k(%%x: *i32, %%out: *i32) {\n%s\nreturn\n}\n}\n", body);
  assert_null(module_parse(&ir, sources_add(&sources, "k.tir", str_from(text))));
  assert_true(diags.list.n > 0);
  if (!strstr(diags.list.at[0]->message, error))
    fail_msg("\"%s\" does not say \"%s\"", diags.list.at[0]->message, error);
  arena_free(&arena);
}

TEST(test_rules) {
  expect_rule("%a = shared_alloc {offset = 8} : shared<128xi32, " S ">", "multiple of 16");
  expect_rule("%a = shared_alloc : shared<128xi32>", "with its layout");
  expect_rule("%a = shared_alloc : shared<128xfp32, " S ">\n" POINTERS LOAD "shared_store %v, %a",
              "does not hold");
  expect_rule(
      "%a = shared_alloc : shared<256xi32, layout<offset = [1, 2, 4, 8, 16, 32, 64, 128]; 256>>\n" POINTERS
          LOAD "shared_store %v, %a",
      "do not have one shape");
  expect_rule(
      "%a = shared_alloc : shared<3x128xi32, layout<offset = [128, 1, 2, 4, 8, 16, 32, 64, 256]; 512>>",
      "do not follow one another");
  expect_rule("%a = shared_alloc : shared<4xi8, layout<offset = [1, 2]; 4>>\n" POINTERS LOAD
              "%g = gather %v, %i, %a {axis = 0} : tile<128xi32, " T ">",
              "the scratch buffer is of 512 bytes");
  expect_rule("%a = shared_alloc : shared<128xi32, " S ">\n%v = shared_load %a : i32", "does not hold");
  expect_rule("%a = shared_alloc : shared<128xi32, " S
              ">\n%v = shared_load %a {mirror = 1} : tile<128xi32, " T ">",
              "'mirror' is a dimension");
  expect_rule("%a = shared_alloc : shared<128xi32, " S ">\n" POINTERS LOAD
              "shared_store %v, %a {writer = 32}",
              "the writer 32");
  expect_rule("%a = shared_alloc : shared<128xi32, " S ">\n" POINTERS LOAD "shared_count %xp, %a",
              "a tile of integers");
  expect_rule("barrier {id = 16}", "0 to 15");
  expect_rule("barrier {warps = 5}", "1 to 4 warps meet");
  expect_rule("arrive {id = 0, warps = 4}", "1 to 15");
  expect_rule("arrive {id = 1, warps = 5}", "1 to 4 warps meet");
  expect_rule("arrive {id = 1}", "warps");
  expect_rule("arrive {warps = 4}", "id");
}

WHOLE_SUITE(eval_shared)
