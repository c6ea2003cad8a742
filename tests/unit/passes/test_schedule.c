// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Valid schedules, and those that schedule_check refuses, rule by rule. Also schedules that keep
// dots from being in flight.
#include "tests/unit/unit.h"
#include "passes/pipeline/schedule.h"
#include "tests/unit/eval_kernel.h"

#define T   "layout<reg = [1, 128, 8], lane = [2, 4, 16, 32, 64], warp = [256, 512]; 1024>"
#define SUM "tile<64x16xfp32, " T ">"
#define BODY                                                                                                 \
  "%0 = constant {value = 0} : i32\n%1 = constant {value = 1} : i32\n"                                       \
  "%zero = constant {fvalue = 0} : " SUM "\n"                                                                \
  "%a = shared_alloc {offset = 0} : shared<64x16xfp16, "                                                     \
  "layout<offset = [1, 2, 4, 8, 16, 32, 72, 128, 256, 512]; 1024>>\n"                                        \
  "%b = shared_alloc {offset = 2048} : shared<16x16xfp16, layout<offset = [1, 2, 4, 8, 16, 32, 72, 128]; "   \
  "256>>\n"                                                                                                  \
  "%r1, %r2, %r3 = for %0, %n, %1, %0, %zero, %zero : i32, " SUM ", " SUM                                    \
  " do (%i: i32, %c: i32, %acc: " SUM ", %last: " SUM ") {\n"                                                \
  "%x = add %c, %i : i32\n"                                                                                  \
  "%m = shared_alloc {offset = 4096} : shared<16x16xfp16, layout<offset = [1, 2, 4, 8, 16, 32, 72, 128]; "   \
  "256>>\n"                                                                                                  \
  "%d = dot %a, %b, %zero {instruction = \"wgmma\", async} : " SUM "\n"                                      \
  "%w = dot_wait %d {pending = 0} : " SUM "\n"                                                               \
  "%p = cast %w : tile<64x16xfp16, " T ">\n"                                                                 \
  "%e = dot %p, %b, %acc {instruction = \"wgmma\", async} : " SUM "\n"                                       \
  "%v = dot_wait %e {pending = 0} : " SUM "\n"                                                               \
  "%q = add %d, %zero : " SUM "\n"                                                                           \
  "%g = cast %last : tile<64x16xfp16, " T ">\n"                                                              \
  "%h = dot %g, %b, %acc {instruction = \"wgmma\", async} : " SUM "\n"                                       \
  "%k = dot_wait %h {pending = 0} : " SUM "\n"                                                               \
  "yield %x, %v, %w\n}\n"

// The loop's values x m d w p e v q g h k. Carried are c, acc and last, which x, v and w are yielded for.
typedef struct Case {
  uint32_t stages;
  const char
      *steps; // a value and its stage each; "v1*": one dot more may be in flight; "w1<p": comes after p.
              // F, R and - fill, read and free a slot of the ring
  const char *stage_of; // of c, acc and last
  const char *crossing;
  ScheduleRing ring;
  const char *why; // schedule_check, else schedule_stalls says so; NULL: neither does
} Case;

static Op *find_loop(Func *func) {
  Op *op = func->body->first;
  while (op->kind != OP_FOR) op = op->next;
  return op;
}

static Value *value_of(const Op *loop, char name) {
  for (Op *op = loop->regions[0]->first; op; op = op->next)
    if (op->result_count && op_result(op)->name && op_result(op)->name[0] == name) return op_result(op);
  for (uint32_t i = 0; i < loop->regions[0]->arg_count; i++)
    if (loop->regions[0]->args[i]->name[0] == name) return loop->regions[0]->args[i];
  fail_msg("no value %c", name);
  return NULL;
}

static const char *parse_step(Schedule *s, const char *at) {
  ScheduleStep step = {.kind = STEP_OWN, .own = "own"};
  char name = *at++;
  switch (name) {
  case 'F': step.slots = SLOTS_FILLED; break;
  case 'R': step.slots = SLOTS_READ; break;
  case '-': step.slots = SLOTS_FREED; break;
  default: step = (ScheduleStep){.op = value_of(s->loop, name)->def, .stage = (uint8_t)(*at++ - '0')}; break;
  }
  if (*at == '*') step.pending = 1, at++;
  if (*at == '<') {
    Value **under = ARENA_ARRAY(s->context->scratch, Value *, 1);
    under[0] = value_of(s->loop, at[1]);
    step.under = under, step.under_count = 1;
    at += 2;
  }
  schedule_push(s, step);
  return at;
}

static Schedule open_schedule(Kernel *k, PassContext *context, const Case *test) {
  kernel_open(k, "%n: i32", BODY);
  *context = (PassContext){&k->arena, &k->diags, NULL};
  func_number(k->func);
  Schedule s = {.context = context,
                .func = k->func,
                .loop = find_loop(k->func),
                .step = 1,
                .stages = test->stages,
                .stage_of = ARENA_ARRAY(&k->arena, uint8_t, 3),
                .rings = {test->ring}};
  for (uint32_t i = 0; i < 3; i++) s.stage_of[i] = (uint8_t)(test->stage_of[i] - '0');
  for (const char *c = test->crossing; *c; c++) vec_push(&k->arena, &s.crossing, value_of(s.loop, *c));
  for (const char *at = test->steps; *at;) at = *at == ' ' ? at + 1 : parse_step(&s, at);
  return s;
}

static void check(const Case *test) {
  Kernel k;
  PassContext context;
  Schedule s = open_schedule(&k, &context, test);
  const char *why = schedule_check(&s);
  if (!why) why = schedule_stalls(&s);
  bool same = why && test->why ? strcmp(why, test->why) == 0 : why == test->why;
  if (!same)
    print_error("%s: %s\nshould be: %s\n", test->steps, why ? why : "(holds)",
                test->why ? test->why : "(holds)");
  kernel_close(&k);
  assert_true(same);
}

static void check_all(const Case *tests, size_t n) {
  for (size_t i = 0; i < n; i++) check(&tests[i]);
}

#define CHECK(...) check_all((const Case[]){__VA_ARGS__}, sizeof((const Case[]){__VA_ARGS__}) / sizeof(Case))

#define RINGLESS                                                                                             \
  { 0, 0, 0 }

TEST(test_schedules_that_hold) {
  CHECK({1, "x0 d0 w0 p0 e0 v0", "000", "", RINGLESS, NULL},
        {2, "x0 d0 e1 w0 v1<w p0", "010", "p", RINGLESS, NULL}, // rotate_loops'
        {2, "x0 x1 d0 w0 p0 e1 v1", "010", "pci", RINGLESS, NULL},
        {2, "d0 w0 x0 p0 e1 v1", "010", "p", RINGLESS, NULL});
}

TEST(test_what_a_step_takes_is_there) {
  static const char why[] = "a step takes a value that its stage does not have";
  CHECK({1, "x0 w0 d0 p0 e0 v0", "000", "", RINGLESS, why},  // before its definition
        {2, "x0 d0 w0 p0 e1 v1", "010", "", RINGLESS, why},  // of another stage
        {2, "x0 d0 w0 p0 e1 v1", "000", "p", RINGLESS, why}, // carried at another one
        {2, "x1 d0 w0 p0 e1 v1", "110", "p", RINGLESS, why}, // so is the index, and does not cross
        {1, "x0 d0 w0 e0 v0", "000", "", RINGLESS, why},     // nowhere
        {2, "x0 d0 e1 v1<w w0 p0", "010", "p", RINGLESS, "a wait comes before what should overlap with it"},
        {2, "x0 d0 w0 p0 e2 v1", "010", "p", RINGLESS, "a step is of a stage that does not exist"});
}

TEST(test_what_is_carried_is_of_its_stage) {
  static const char why[] = "the stage of a loop-carried value does not compute its next value";
  CHECK({2, "x0 d0 e1 w0 v1 p0", "011", "p", RINGLESS, why}, {1, "d0 w0 p0 e0 v0", "000", "", RINGLESS, why},
        {2, "x0 d0 e1 w0 v1 p0", "011", "pw", RINGLESS, NULL});
}

TEST(test_what_crosses_is_early_and_no_slot) {
  CHECK({2, "x0 d0 e1 w0 v1 p0", "010", "pv", RINGLESS, "what crosses is not of the first stage"},
        {2, "x0 d0 e1 w0 v1 p0", "010", "pd", RINGLESS, "a dot in flight crosses"},
        {2, "x0 m0 d0 e1 w0 v1 p0", "010", "pm", RINGLESS, "a slot crosses in a register"});
}

TEST(test_products_are_waited_for) {
  static const char early[] = "a dot is used before its wait",
                    stalls[] = "registers of a dot are written while one is in flight";
  CHECK({1, "x0 d0 q0 w0 p0 e0 v0", "000", "", RINGLESS, early},
        {2, "x0 d0 e1 w0 p0 v1", "010", "p", RINGLESS, stalls},
        {2, "x0 d0 e1 w0 v1* p0", "010", "p", RINGLESS, stalls},
        {1, "x0 d0 w0 p0 e0 v0", "000", "", RINGLESS, NULL});
}

// Work that an iteration leaves in flight is in flight in the next one.
TEST(test_products_stall_round_the_loop) {
  static const char *const steps[] = {"g0 h0 k0", "g0 h0 k0*"};
  for (uint32_t i = 0; i < 2; i++) {
    Kernel k;
    PassContext context;
    Schedule s = open_schedule(&k, &context, &(Case){1, steps[i], "000", "", RINGLESS, NULL});
    assert_true((schedule_stalls(&s) != NULL) == (i == 1));
    kernel_close(&k);
  }
}

TEST(test_rings_have_slots) {
#define OPS "x0 d0 w0 p0 e0 v0"
  CHECK({1, "F R " OPS " -", "000", "", {3, 2, 0}, NULL}, {1, "R " OPS " - F", "000", "", {3, 2, 1}, NULL},
        {1, "F R " OPS " -", "000", "", {2, 2, 0}, "a ring has too few slots"},
        {1, "F R " OPS " -", "000", "", {3, 2, 1}, "a ring has too few slots"},
        {1, "R " OPS " - F", "000", "", {3, 0, 0}, "a slot is read that was not filled"},
        {1, "- F R " OPS, "000", "", {3, 2, 0}, "a slot is freed that nobody reads"},
        {1, "F R " OPS, "000", "", {4, 2, 0}, "a round does not free as many slots as it fills"},
        {1, "R " OPS " -", "000", "", {4, 2, 0}, "a round does not free as many slots as it fills"});
}

// Dots that start in between may be in flight after a wait.
TEST(test_waits_count_what_is_under_way) {
  static const struct {
    const char *steps;
    int64_t first, second;
  } tests[] = {{"x0 d0 e1 w0 v1 p0", 1, 0},
               {"x0 d0 w0 e1 v1 p0", 0, 0},
               {"x0 e1 d0 w0 v1 p0", 0, 1},
               {"e1 v1* d0 w0 p0 x0", 0, 1}};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    Kernel k;
    PassContext context;
    Schedule s = open_schedule(&k, &context, &(Case){2, tests[i].steps, "010", "p", RINGLESS, NULL});
    ScheduleFlight flight = flight_begin(&s, &k.arena);
    for (uint32_t n = 0; n < s.steps.n; n++) {
      int64_t pending = flight_pass(&flight, &s.steps.at[n]);
      const Op *op = s.steps.at[n].op;
      int64_t expected = op->kind != OP_DOT_WAIT            ? -1
                         : op == value_of(s.loop, 'w')->def ? tests[i].first
                                                            : tests[i].second;
      assert_true(pending == expected);
    }
    kernel_close(&k);
  }
}

WHOLE_SUITE(schedule)
