// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of warps and channels. A hand-written kernel computes the right result. Each of its
// mutants is reported, by the verifier or the evaluator: an op that is missing, twice, or before
// another; a loop with one iteration more or fewer.
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

#define T    "layout<reg = [1], lane = [2, 4, 8, 16, 32], warp = [64, 0]; 128>"
#define VIEW "shared<128xi32, layout<offset = [1, 2, 4, 8, 16, 32, 64]; 128>>"

enum { ROUNDS = 7 };

// Sums rows of x: group 1 brings them by copies, n of them, which group 0 adds up.
static const char *const sums =
    "%zero = constant {value = 0} : i32\n"
    "%one = constant {value = 1} : i32\n"
    "%more = add %n, %one : i32\n"
    "%fewer = sub %n, %one : i32\n"
    "%b = shared_alloc : shared<2x128xi32, layout<offset = [1, 2, 4, 8, 16, 32, 64, 128]; 256>>\n"
    "%fill, %read = channel {slots = 2} : ring, ring\n"
    "warp_groups {group_warps = [4, 4], group_registers = [240, 40]} do {\n"
    "%none = constant {value = 0} : tile<128xi32, " T ">\n"
    "%sum, %last = for %zero, %n, %one, %none, %read : tile<128xi32, " T ">, ring "
    "do (%i: i32, %acc: tile<128xi32, " T ">, %r: ring) {\n"
    "%v, %r1 = ring_wait %r, %b : " VIEW ", ring\n"
    "%t = shared_load %v : tile<128xi32, " T ">\n"
    "%r2 = ring_release %r1 : ring\n"
    "%next = add %acc, %t : tile<128xi32, " T ">\n"
    "yield %next, %r2\n}\n"
    "%e = arange {start = 0, end = 128} : tile<128xi32, " T ">\n"
    "%os = splat %out : tile<128x*i32, " T ">\n%op = addptr %os, %e : tile<128x*i32, " T ">\n"
    "store %op, %sum\nyield\n} do {\n"
    "%e = arange {start = 0, end = 128} : tile<128xi32, " T ">\n"
    "%width = constant {value = 128} : i32\n"
    "%end = for %zero, %n, %one, %fill : ring do (%i: i32, %f: ring) {\n"
    "%row = mul %i, %width : i32\n%xrow = addptr %x, %row : *i32\n"
    "%xs = splat %xrow : tile<128x*i32, " T ">\n%xp = addptr %xs, %e : tile<128x*i32, " T ">\n"
    "%v, %f1 = ring_fill %f, %b : " VIEW ", ring\n"
    "copy_async %xp, %v {vector = 2, align = 8}\n"
    "%g = async_commit : token\n"
    "async_wait %g {pending = 0}\n"
    "%f2 = ring_commit %f1 : ring\n"
    "yield %f2\n}\nyield\n}\n";

typedef struct Mutant {
  const char *from, *to; // the text's only such place
  const char *says;      // NULL: it is right
} Mutant;

static char *mutated(const char *text, const Mutant *mutant) {
  const char *at = strstr(text, mutant->from);
  if (!at || strstr(at + 1, mutant->from)) print_error("not once: %s\n", mutant->from);
  assert_true(at && !strstr(at + 1, mutant->from));
  size_t room = strlen(text) + strlen(mutant->to) + 1;
  char *out = malloc(room);
  assert_non_null(out);
  snprintf(out, room, "%.*s%s%s", (int)(at - text), text, mutant->to, at + strlen(mutant->from));
  return out;
}

static bool is_said(const Diags *diags, const char *text) {
  for (uint32_t i = 0; i < diags->list.n; i++)
    if (strstr(diags->list.at[i]->message, text)) return true;
  return false;
}

// The kernel is valid and its run gives `want` at OUT, or one of the two says what it should.
static void run_warps(uint32_t warps, const char *body, uint64_t rounds, const int32_t *want,
                      const char *says) {
  Kernel k = {.grid = {2, 1, 1}};
  static int32_t x[(ROUNDS + 2) * 128];
  k.sources.arena = k.diags.arena = &k.arena;
  k.diags.sources = &k.sources;
  ir_context_init(&k.ir, &k.arena, &k.sources, &k.diags);
  const char *text = arena_printf(&k.arena,
                                  "module target = \"sm_90a\", num_warps = %u {\n"
                                  "kernel @k(%%x: *i32, %%out: *i32, %%n: i32) {\n%sreturn\n}\n}\n",
                                  warps, body);
  IrModule *module = module_parse(&k.ir, sources_add(&k.sources, "k.tir", str_from(text)));
  bool ok = false;
  if (module) {
    k.func = module->funcs.at[0];
    k.memory = eval_memory_new(&k.arena);
    for (int i = 0; i < (ROUNDS + 2) * 128; i++) x[i] = i * 3 - 100;
    eval_memory_add(k.memory, X, x, sizeof x, true);
    kernel_output(&k, OUT, 512);
    ok = RUN(&k, X, OUT, rounds);
  }
  if (ok != !says || (says && !is_said(&k.diags, says))) {
    Buf out = {0};
    diags_print_text(&k.diags, false, &out);
    print_error("should say: %s\nsays: %s\n", says ? says : "nothing", out.at ? out.at : "nothing");
    buf_free(&out);
  }
  assert_true(ok == !says && (!says || is_said(&k.diags, says)));
  for (uint32_t i = 0; i < k.diags.list.n; i++) assert_true(k.diags.list.at[i]->loc.line > 0);
  if (ok && want) assert_memory_equal(kernel_bytes(&k, OUT), want, 512);
  kernel_close(&k);
}

static void run_kernel(const char *body, uint64_t rounds, const int32_t *want, const char *says) {
  run_warps(4, body, rounds, want, says);
}

TEST(test_channels_hand_slots_on) {
  for (int rounds = 0; rounds <= ROUNDS; rounds++) {
    int32_t want[128] = {0};
    for (int i = 0; i < rounds * 128; i++) want[i % 128] += i * 3 - 100;
    run_kernel(sums, (uint64_t)rounds, want, NULL);
  }
}

// A channel may begin with a slot that has been read. Then releases are one slot behind, and one is left at
// the end.
TEST(test_channels_begin_behind) {
  int32_t want[128] = {0};
  for (int i = 0; i < ROUNDS * 128; i++) want[i % 128] += i * 3 - 100;
  char *behind = mutated(sums, &(Mutant){"slots = 2}", "slots = 2, filled = 1}", NULL});
  char *late =
      mutated(behind, &(Mutant){"%os = splat", "%end = ring_release %last : ring\n%os = splat", NULL});
  run_kernel(late, ROUNDS, want, NULL);
  free(behind), free(late);
}

static const Mutant mutants[] = {
    // An op is missing.
    {"%r2 = ring_release %r1 : ring\n%next = add %acc, %t : tile<128xi32, " T ">\nyield %next, %r2",
     "%next = add %acc, %t : tile<128xi32, " T ">\nyield %next, %r1", "before and after an iteration"},
    {"%f2 = ring_commit %f1 : ring\nyield %f2", "yield %f1", "before and after an iteration"},
    {"%r2 = ring_release %r1 : ring\n%next = add %acc, %t",
     "%r2 = ring_release %r : ring\n%next = add %acc, %t", "the ring is used twice"},
    {"async_wait %g {pending = 0}\n", "", "copies into slot 0 are in flight"},
    {"copy_async %xp, %v {vector = 2, align = 8}\n", "", "undefined"},
    {"%end = for %zero, %n, %one, %fill : ring do (%i: i32, %f: ring) {\n",
     "%end = for %zero, %zero, %one, %fill : ring do (%i: i32, %f: ring) {\n",
     "deadlock: no group can continue; group 0 waits for a full slot"},
    // Twice.
    {"%f2 = ring_commit %f1 : ring\n", "%f3 = ring_commit %f1 : ring\n%f2 = ring_commit %f3 : ring\n",
     "no slot is being filled"},
    {"%r2 = ring_release %r1 : ring\n", "%r3 = ring_release %r1 : ring\n%r2 = ring_release %r3 : ring\n",
     "no slot is readable"},
    {"%v, %r1 = ring_wait %r, %b : " VIEW ", ring\n",
     "%w, %r0 = ring_wait %r, %b : " VIEW ", ring\n%v, %r1 = ring_wait %r0, %b : " VIEW ", ring\n",
     "before and after an iteration"},
    {"%v, %f1 = ring_fill %f, %b : " VIEW ", ring\n",
     "%w, %f0 = ring_fill %f, %b : " VIEW ", ring\n%v, %f1 = ring_fill %f0, %b : " VIEW ", ring\n",
     "before and after an iteration"},
    // Before another.
    {"%t = shared_load %v : tile<128xi32, " T ">\n%r2 = ring_release %r1 : ring\n",
     "%r2 = ring_release %r1 : ring\n%t = shared_load %v : tile<128xi32, " T ">\n",
     "of a channel is read while it is free"},
    {"async_wait %g {pending = 0}\n%f2 = ring_commit %f1 : ring\n",
     "%f2 = ring_commit %f1 : ring\nasync_wait %g {pending = 0}\n", "copies into slot 0 are in flight"},
    {"copy_async %xp, %v {vector = 2, align = 8}\n%g = async_commit : token\n",
     "%g = async_commit : token\ncopy_async %xp, %v {vector = 2, align = 8}\n",
     "copies into slot 0 are in flight"},
    {"copy_async %xp, %v {vector = 2, align = 8}\n%g = async_commit : token\nasync_wait %g {pending = 0}\n"
     "%f2 = ring_commit %f1 : ring\n",
     "%g = async_commit : token\nasync_wait %g {pending = 0}\n%f2 = ring_commit %f1 : ring\n"
     "copy_async %xp, %v {vector = 2, align = 8}\n",
     "of a channel is written while it is full"},
    // The other end.
    {"%none, %read :", "%none, %fill :", "group 1 uses a ring that group 0 does"},
    // One round more or fewer.
    {"for %zero, %n, %one, %fill :", "for %zero, %more, %one, %fill :",
     "1 slots of a channel are full and 0 being filled when the program ends"},
    {"for %zero, %n, %one, %fill :", "for %zero, %fewer, %one, %fill :",
     "deadlock: no group can continue; group 0 waits for a full slot"},
    {"for %zero, %n, %one, %none,", "for %zero, %more, %one, %none,",
     "deadlock: no group can continue; group 0 waits for a full slot"},
    {"for %zero, %n, %one, %none,", "for %one, %n, %one, %none,",
     "1 slots of a channel are full and 0 being filled when the program ends"},
    {"async_wait %g {pending = 0}", "async_wait %g {pending = 1}", "may still be in flight"},
    {"channel {slots = 2}", "channel {slots = 3}", "has 2 slots, the ring 3"},
    {"ring_wait %r, %b :", "ring_wait %read, %b :", "the ring is used twice"},
};

TEST(test_every_mutant_is_told) {
  for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++) {
    char *text = mutated(sums, &mutants[i]);
    run_kernel(text, ROUNDS, NULL, mutants[i].says);
    free(text);
  }
}

// --- a warp-specialized dot with TMA copies: tests/golden/passes/shared/channels_tensor.tir

enum { ROWS = 64, COLUMNS = 64, DEPTH = 136, TILES = 2 };

static const Mutant product_mutants[] = {
    // The copies.
    {"      mbarrier_expect %b {bytes = 8192}\n", "", "0 more"},
    {"{bytes = 8192}", "{bytes = 4096}", "4096 bytes are copied, the mbarrier's phase waits for 0 more"},
    {"{bytes = 8192}", "{bytes = 8208}", "and bytes of the next one are missing"},
    {"      tma_copy %xm, %u, %b, %row, %kk\n", "", "and bytes of the next one are missing"},
    {"      tma_copy %ym, %v, %b, %kk, %zero\n",
     "      tma_copy %ym, %v, %b, %kk, %zero\n      tma_copy %ym, %v, %b, %kk, %zero\n",
     "4096 bytes are copied, the mbarrier's phase waits for 0 more"},
    {"      mbarrier_expect %b {bytes = 8192}\n",
     "      mbarrier_expect %b {bytes = 8192}\n      mbarrier_expect %b {bytes = 8192}\n",
     "the mbarrier's phase has had its arrival"},
    {"      mbarrier_expect %b {bytes = 8192}\n      tma_copy %xm, %u, %b, %row, %kk\n",
     "      tma_copy %xm, %u, %b, %row, %kk\n      mbarrier_expect %b {bytes = 8192}\n",
     "4096 bytes are copied, the mbarrier's phase waits for 0 more"},
    {"      tma_copy %ym, %v, %b, %kk, %zero\n      %f2 = ring_commit %f1 : ring\n",
     "      %f2 = ring_commit %f1 : ring\n      tma_copy %ym, %v, %b, %kk, %zero\n",
     "of a channel is written while it is full"},
    {"tma_copy %xm, %u, %b, %row, %kk", "tma_copy %xm, %u, %b, %kk, %row", NULL},
    {"tma_copy %ym, %v, %b, %kk, %zero", "tma_copy %ym, %v, %b, %zero, %zero", NULL},
    // The products.
    {"        %now = dot_wait %next {pending = 1}", "        %now = dot_wait %next {pending = 2}",
     "an asynchronous dot that reads slot"},
    {"      %e = dot_wait %s {pending = 0}", "      %e = dot_wait %s {pending = 1}",
     "an asynchronous dot that reads slot"},
    {"        %now = dot_wait %next {pending = 1} : tile<64x64xfp32, #acc>\n        %r3 = ring_release %r2 : "
     "ring\n",
     "        %r3 = ring_release %r2 : ring\n        %now = dot_wait %next {pending = 1} : tile<64x64xfp32, "
     "#acc>\n",
     "an asynchronous dot that reads slot"},
    {"        %r3 = ring_release %r2 : ring\n        yield %now, %r3\n", "        yield %now, %r2\n",
     "before and after an iteration"},
    {"      %e = dot_wait %s {pending = 0} : tile<64x64xfp32, #acc>\n      %r4 = ring_release %r : ring\n    "
     "  yield %e, %r4\n",
     "      %r4 = ring_release %r : ring\n      yield %s, %r4\n", "an asynchronous dot that reads slot"},
    {"      %r4 = ring_release %r : ring\n      yield %e, %r4\n", "      yield %e, %r\n",
     "by its two branches"},
    // The loops.
    {"%s, %r = for %one, %n, %one,", "%s, %r = for %zero, %n, %one,",
     "deadlock: no group can continue; group 0 waits for a full slot"},
    {"%end = for %zero, %n, %one,", "%end = for %one, %n, %one,",
     "deadlock: no group can continue; group 0 waits for a full slot"},
    {"%over = add %k, %all : i32", "%over = add %k, %zero : i32", NULL},
};

typedef struct Product {
  bool valid, ran;
  float c[TILES * ROWS * COLUMNS];
} Product;

static Product run_product(const char *text, const char *says) {
  Product product = {0};
  Kernel k = {.grid = {TILES, 1, 1}};
  static uint16_t x[TILES * ROWS * DEPTH], y[DEPTH * COLUMNS];
  k.sources.arena = k.diags.arena = &k.arena;
  k.diags.sources = &k.sources;
  ir_context_init(&k.ir, &k.arena, &k.sources, &k.diags);
  IrModule *module = module_parse(&k.ir, sources_add(&k.sources, "k.tir", str_from(text)));
  product.valid = module;
  if (module) {
    k.func = module->funcs.at[0];
    k.memory = eval_memory_new(&k.arena);
    for (int i = 0; i < TILES * ROWS * DEPTH; i++) x[i] = (uint16_t)number_encode(ELEM_FP16, i * 7 % 11 - 5);
    for (int i = 0; i < DEPTH * COLUMNS; i++) y[i] = (uint16_t)number_encode(ELEM_FP16, i * 5 % 13 - 6);
    eval_memory_add(k.memory, X, x, sizeof x, true);
    eval_memory_add(k.memory, Y, y, sizeof y, true);
    kernel_output(&k, OUT, sizeof product.c);
    product.ran = RUN(&k, X, Y, OUT, TILES * ROWS, DEPTH);
    if (product.ran) memcpy(product.c, kernel_bytes(&k, OUT), sizeof product.c);
  }
  if (says && !is_said(&k.diags, says)) {
    Buf out = {0};
    diags_print_text(&k.diags, false, &out);
    print_error("should say: %s\nsays: %s\n", says, out.at ? out.at : "nothing");
    buf_free(&out);
  }
  assert_true(!says || (!product.ran && is_said(&k.diags, says)));
  kernel_close(&k);
  return product;
}

// Removes the golden file's marks, which are comments (tests/unit/pass_file.h).
static void remove_comments(char *text) {
  char *to = text;
  for (char *line = text, *end; *line; line = *end ? end + 1 : end) {
    end = line + strcspn(line, "\n");
    char *comment = strstr(line, "//");
    size_t n = (size_t)((comment && comment < end ? comment : end) - line);
    while (n && line[n - 1] == ' ') n--;
    bool more = *end;
    memmove(to, line, n);
    to += n;
    if (more && n) *to++ = '\n';
  }
  *to = 0;
}

TEST(test_every_mutant_of_a_product_is_told) {
  static char text[1 << 16];
  FILE *file = fopen(TESTS_DIR "/golden/passes/shared/channels_tensor.tir", "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  remove_comments(text);
  Product right = run_product(text, NULL);
  assert_true(right.ran);
  for (int i = 0; i < TILES * ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      int sum = 0;
      for (int k = 0; k < DEPTH; k++)
        sum += ((i * DEPTH + k) * 7 % 11 - 5) * ((k * COLUMNS + j) * 5 % 13 - 6);
      assert_true(right.c[i * COLUMNS + j] == (float)sum);
    }
  for (size_t i = 0; i < sizeof product_mutants / sizeof *product_mutants; i++) {
    const Mutant *mutant = &product_mutants[i];
    char *other = mutated(text, mutant);
    Product product = run_product(other, mutant->says);
    if (!mutant->says && product.ran && memcmp(product.c, right.c, sizeof right.c) == 0)
      fail_msg("the same comes out: %s", mutant->to);
    free(other);
  }
}

// Two channels of a slot each, whose slots the groups take in other orders.
#define CHANNELS                                                                                             \
  "%b = shared_alloc : shared<1x128xi32, layout<offset = [1, 2, 4, 8, 16, 32, 64]; 128>>\n"                  \
  "%c = shared_alloc : shared<1x128xi32, layout<offset = [1, 2, 4, 8, 16, 32, 64]; 128>>\n"                  \
  "%f, %r = channel {slots = 1} : ring, ring\n%g, %s = channel {slots = 1} : ring, ring\n"                   \
  "warp_groups {group_warps = [4, 4]} do {\n"
#define READ(ring, next, from, buffer)                                                                       \
  "%v" next ", %w" next " = ring_wait " from ", " buffer " : " VIEW ", ring\n" ring                          \
  " = ring_release %w" next " : ring\n"
#define FILL(ring, next, from, buffer)                                                                       \
  "%v" next ", %w" next " = ring_fill " from ", " buffer " : " VIEW ", ring\n" ring " = ring_commit %w" next \
  " : ring\n"

TEST(test_groups_that_wait_for_one_another) {
  run_kernel(CHANNELS READ("%r1", "1", "%r", "%b") READ("%r2", "2", "%r1", "%b")
                 READ("%s1", "3", "%s", "%c") "yield\n} do {\n" FILL("%f1", "1", "%f", "%b")
                     FILL("%f2", "2", "%f1", "%b") FILL("%g1", "3", "%g", "%c") "yield\n}\n",
             0, NULL, NULL);
  run_kernel(CHANNELS READ("%s1", "3", "%s", "%c") READ("%r1", "1", "%r", "%b")
                 READ("%r2", "2", "%r1", "%b") "yield\n} do {\n" FILL("%f1", "1", "%f", "%b")
                     FILL("%f2", "2", "%f1", "%b") FILL("%g1", "3", "%g", "%c") "yield\n}\n",
             0, NULL, "its channel has 1 slots: 0 full, 0 being filled, 0 readable");
  // A slot that is readable is not free: the second of %b waits for the release after %c.
  run_kernel(CHANNELS "%v1, %w1 = ring_wait %r, %b : " VIEW
                      ", ring\n" READ("%s1", "3", "%s", "%c") "%r1 = ring_release %w1 : ring\n" READ(
                          "%r2", "2", "%r1", "%b") "yield\n} do {\n" FILL("%f1", "1", "%f", "%b")
                          FILL("%f2", "2", "%f1", "%b") FILL("%g1", "3", "%g", "%c") "yield\n}\n",
             0, NULL, "deadlock: no group can continue; group 0 waits for a full slot");
}

// Control flow that a group stops in: branches and while loops.
TEST(test_groups_stop_anywhere) {
  int32_t want[128];
  for (int i = 0; i < 128; i++) want[i] = 3 * i - 100 + 3 * (128 + i) - 100;
  Mutant loop = {
      "%end = for %zero, %n, %one, %fill : ring do (%i: i32, %f: ring) {\n",
      "%past, %end = while %zero, %fill : i32, ring test (%j: i32, %h: ring) {\n"
      "%on = lt %j, %n : i1\nyield %on, %j, %h\n} do (%i: i32, %f: ring) {\n%j1 = add %i, %one : i32\n",
      NULL};
  Mutant yields = {
      "yield %f2\n}\nyield\n}\n",
      "%odd = and %i, %one : i32\n%is = eq %odd, %one : i1\n%f4 = if %is : ring then {\nyield %f2\n"
      "} else {\nyield %f2\n}\nyield %j1, %f4\n}\nyield\n}\n",
      NULL};
  Mutant branch = {"%v, %f1 = ring_fill %f, %b : " VIEW ", ring\n",
                   "%first = eq %i, %zero : i1\n%v, %f1 = ring_fill %f, %b : " VIEW ", ring\n", NULL};
  char *a = mutated(sums, &loop), *b = mutated(a, &yields), *c = mutated(b, &branch);
  run_kernel(c, 2, want, NULL);
  free(a);
  free(b);
  free(c);
}

#define TURNS(before, within, behind)                                                                        \
  "%one = constant {value = 1} : i32\nwarp_groups {group_warps = [8, 4]} do {\n" before                      \
  "for %one, %n, %one do (%i: i32) {\n" within "yield\n}\n" behind "yield\n} do {\nyield\n}\n"
#define BEGIN "pingpong_pass {id = 2, last}\n"
#define WAIT  "pingpong_wait {id = 2}\n"
#define PASS  "pingpong_pass {id = 2}\n"
#define END   "pingpong_wait {id = 2, first}\n"

// Turns are given before they are waited for, passed on once, and over at the end; in each program
// again.
TEST(test_turns_alternate) {
  for (uint64_t rounds = 1; rounds < 4; rounds++)
    run_warps(8, TURNS(BEGIN, WAIT PASS, END), rounds, NULL, NULL);
  run_warps(8, TURNS(BEGIN END BEGIN, WAIT PASS, END), 2, NULL, NULL);
  run_warps(8, TURNS("", WAIT PASS, END), 2, NULL, "the turn is nobody's, where it should be given");
  run_warps(8, TURNS(BEGIN BEGIN, WAIT PASS, END), 2, NULL, "the turn is given, where it should be nobody's");
  run_warps(8, TURNS(BEGIN, WAIT, END), 3, NULL, "the turn is taken, where it should be given");
  run_warps(8, TURNS(BEGIN, PASS, END), 2, NULL, "the turn is given, where it should be taken");
  run_warps(8, TURNS(BEGIN, WAIT PASS, ""), 2, NULL,
            "the warpgroups' turns at barrier 2 have not ended when the program ends");
  run_warps(4, "pingpong_wait {id = 2}\n", 1, NULL, "two warpgroups or more take turns, not 4 warps");
  run_warps(8, "pingpong_wait {id = 1}\n", 1, NULL, "its barriers are of 2 to 15, not 1 and 1 more");
  run_warps(8, "pingpong_pass {id = 15}\n", 1, NULL, "its barriers are of 2 to 15, not 15 and 1 more");
}

#define GROUPS "%fill, %read = channel {slots = 2} : ring, ring\nwarp_groups "
#define USES                                                                                                 \
  " do {\n%c1 = add %n, %n : i32\n%q = for %n, %n, %n, %read : ring do (%i: i32, %r: ring) {\nyield "        \
  "%r\n}\nyield\n"                                                                                           \
  "} do {\n%q = for %n, %n, %n, %fill : ring do (%i: i32, %r: ring) {\nyield %r\n}\nyield\n}\n"

TEST(test_what_the_verifier_says) {
  static const Mutant wrong[] = {
      {GROUPS "{group_warps = [4]}" USES, "", "has 1 regions"},
      {GROUPS "{group_warps = [4, 3]}" USES, "", "a power of two of warps"},
      {GROUPS "{group_warps = [4, 8]}" USES, "",
       "group 1 of 8 warps begins at warp 4, which is not a multiple of them"},
      {GROUPS "{group_warps = [8, 4]}" USES, "",
       "group 0 has num_warps warps, 4, or whole warpgroups more than half of them, not 8"},
      {GROUPS "{group_warps = [4, 4], group_registers = [240]}" USES, "", "'group_registers' has 1 numbers"},
      {GROUPS "{group_warps = [4, 4], group_registers = [240, 36]}" USES, "", "a multiple of 8 registers"},
      {GROUPS "{group_warps = [4, 4], group_registers = [40, 240]}" USES, "", "40 registers, fewer than"},
      {GROUPS "{group_warps = [4, 2], group_registers = [240, 40]}" USES, "",
       "not a whole number of warpgroups"},
      {GROUPS "{group_warps = [4, 4], group_threads = [1, 1]}" USES, "", "group 0 has 128 threads, not 1"},
      {GROUPS "{group_warps = [4, 4], group_threads = [128, 2]}" USES, "",
       "group 1 has 128 threads or 1, not 2"},
      {GROUPS "{group_warps = [4, 4]}" USES "barrier\n", "", "it is the last op before the kernel's return"},
      {"%fill, %read = channel {slots = 2} : ring, ring\n", "", "in the body of a kernel with warp_groups"},
      {GROUPS "{group_warps = [4, 4]} do {\nyield\n} do {\nyield\n}\n", "", "two groups use its rings"},
      {"warp_groups {group_warps = [4, 4]} do {\nbarrier\nyield\n} do {\nyield\n}\n", "",
       "an 'id' that is not 0"},
      {"%t = splat %n : tile<128xi32, " T
       ">\nwarp_groups {group_warps = [4, 4]} do {\nyield\n} do {\nyield\n}\n",
       "", "ops before warp_groups"},
      {"store %out, %n\nwarp_groups {group_warps = [4, 4]} do {\nyield\n} do {\nyield\n}\n", "",
       "and write nothing"},
      {"warp_groups {group_warps = [4, 4], group_threads = [128, 1]} do {\nyield\n} do {\n"
       "%t = splat %n : tile<128xi32, " T ">\nyield\n}\n",
       "", "group 1 is one thread"},
      {"%b = shared_alloc : " VIEW "\nwarp_groups {group_warps = [4, 4]} do {\n"
       "%t = splat %n : tile<128xi32, " T ">\nshared_store %t, %b\nyield\n} do {\n"
       "%t = shared_load %b : tile<128xi32, " T ">\nyield\n}\n",
       "", "group 1 uses a buffer that group 0 does"},
      {"%b = shared_alloc : shared<1x128xi32, layout<offset = [1, 2, 4, 8, 16, 32, 64]; 128>>\n"
       "%r = ring_begin {slots = 1} : ring\n%v, %r1 = ring_fill %r, %b : " VIEW ", ring\n"
       "%r2 = ring_commit %r1 : ring\n",
       "", "a ring of one group has no ring_commit"},
      {CHANNELS READ("%r1", "1", "%r", "%b")
           READ("%s1", "2", "%s", "%c") "yield\n} do {\n%v, %f1 = ring_fill %f, %b : " VIEW
                                        ", ring\n" FILL("%g1", "3", "%g", "%c") "yield\n}\n",
       "", "1 slots of the channel stay being filled"},
      {CHANNELS "%v, %r1 = ring_wait %r, %b : " VIEW
                ", ring\n" READ("%s1", "2", "%s", "%c") "yield\n} do {\n" FILL("%f1", "1", "%f", "%b")
                    FILL("%g1", "3", "%g", "%c") "yield\n}\n",
       "", "1 slots of the channel are never released"},
      {CHANNELS "%v, %r1 = ring_fill %r, %b : " VIEW ", ring\n%r2 = ring_commit %r1 : ring\n" READ(
           "%s1", "2", "%s", "%c") "yield\n} do {\n" FILL("%f1", "1", "%f", "%b")
           FILL("%g1", "3", "%g", "%c") "yield\n}\n",
       "", "the ring that a channel is read by has no ring_fill"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) run_kernel(wrong[i].from, 1, NULL, wrong[i].says);
}

WHOLE_SUITE(groups)
