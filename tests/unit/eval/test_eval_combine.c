// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator's regions: reduce, scan, map and while, with tuples and nested regions, against
// plain C loops.
#include <math.h>
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_kernel.h"

// A 16 x 32 tile %a of fp32 from %x.
#define LOAD                                                                                                 \
  "%i = arange {start = 0, end = 512} : tile<512xi32>\n%xs = splat %x : tile<512x*fp32>\n"                   \
  "%xp = addptr %xs, %i : tile<512x*fp32>\n%f = load %xp : tile<512xfp32>\n"                                 \
  "%a = reshape %f : tile<16x32xfp32>\n"
#define STORE(name, n, elem, base)                                                                           \
  "%i" name " = arange {start = 0, end = " #n "} : tile<" #n "xi32>\n"                                       \
  "%s" name " = splat %" base " : tile<" #n "x*" elem ">\n"                                                  \
  "%p" name " = addptr %s" name ", %i" name " : tile<" #n "x*" elem ">\nstore %p" name ", %" name "\n"
#define SUM "do (%p: fp32, %q: fp32) {\n%s = add %p, %q : fp32\nyield %s\n}\n"

static void open_xs(Kernel *k, const char *body, float x[512], bool whole) {
  kernel_open(k, "%x: *fp32, %out: *fp32, %out2: *i32", body);
  for (int i = 0; i < 512; i++) x[i] = whole ? kernel_whole(k) : kernel_real(k);
  eval_memory_add(k->memory, X, x, 512 * sizeof *x, true);
  kernel_output(k, OUT, 2048);
  kernel_output(k, OUT2, 2048);
}

TEST(test_sum) {
  for (int axis = 0; axis < 2; axis++)
    for (int whole = 0; whole < 2; whole++) {
      Kernel k;
      float x[512], got[512] = {0};
      open_xs(&k,
              axis ? LOAD "%r = reduce %a {axis = 1} : tile<16xfp32> " SUM STORE("r", 16, "fp32", "out")
                   : LOAD "%r = reduce %a {axis = 0} : tile<32xfp32> " SUM STORE("r", 32, "fp32", "out"),
              x, whole);
      for (int i = 0; i < 512; i++) got[axis ? i / 32 : i % 32] += x[i]; // another order than the tree's
      kernel_must_run(&k, RUN(&k, X, OUT, OUT2));
      EvalCheck check = kernel_check(&k, OUT, got, ELEM_FP32);
      if (check.wrong) fail_msg("%s", check.first_message);
      if (whole) assert_memory_equal(kernel_bytes(&k, OUT), got, (axis ? 16 : 32) * sizeof *got);
      got[3] += 0.01f;
      assert_int_equal(kernel_check(&k, OUT, got, ELEM_FP32).wrong, 1);
      kernel_close(&k);
    }
}

// A sum's bound covers any order of fp16 terms, but not a missing term.
TEST(test_sum_bound) {
  Kernel k;
  float x[512];
  uint16_t got[1];
  open_xs(&k,
          LOAD "%h = cast %f : tile<512xfp16>\n%r = reduce %h {axis = 0} : fp16 do (%p: fp16, %q: fp16) {\n"
               "%s = add %q, %p : fp16\nyield %s\n}\n%o = bitcast %out : *fp16\nstore %o, %r\n",
          x, false);
  for (int i = 0; i < 512; i++) x[i] = (float)number_round(ELEM_FP16, (double)kernel_real(&k) + 1);
  eval_memory_add(k.memory, Z, x, sizeof x, true);
  kernel_must_run(&k, RUN(&k, Z, OUT, OUT2));
  double forward = 0, backward = 0;
  for (int i = 0; i < 512; i++) forward = number_round(ELEM_FP16, forward + (double)x[i]);
  for (int i = 512; i-- > 0;) backward = number_round(ELEM_FP16, backward + (double)x[i]);
  got[0] = (uint16_t)number_encode(ELEM_FP16, forward);
  EvalCheck check;
  uint8_t bytes[2048] = {0};
  memcpy(bytes, got, 2);
  eval_check(k.memory, OUT, bytes, ELEM_FP16, &check);
  assert_int_equal(check.wrong, 0);
  got[0] = (uint16_t)number_encode(ELEM_FP16, backward);
  memcpy(bytes, got, 2);
  eval_check(k.memory, OUT, bytes, ELEM_FP16, &check);
  assert_int_equal(check.wrong, 0);
  got[0] = (uint16_t)number_encode(ELEM_FP16, forward * 1.25);
  memcpy(bytes, got, 2);
  eval_check(k.memory, OUT, bytes, ELEM_FP16, &check);
  assert_int_equal(check.wrong, 1);
  kernel_close(&k);
}

// The bound does not depend on the evaluator's order, which may lose nothing by chance. The terms
// are 2^24, -2^24 and ones. Another order loses the ones that meet 2^24 before its opposite does.
TEST(test_sum_in_any_order) {
  Kernel k;
  float x[512], got[512] = {0};
  open_xs(&k,
          LOAD "%r = reduce %f {axis = 0} : fp32 do (%p: fp32, %q: fp32) {\n%s = add %p, %q : fp32\n"
               "yield %s\n}\nstore %out, %r\n",
          x, true);
  for (int i = 0; i < 512; i++) x[i] = 1;
  x[0] = 0x1p24f, x[1] = -0x1p24f;
  eval_memory_add(k.memory, Z, x, sizeof x, true);
  kernel_must_run(&k, RUN(&k, Z, OUT, OUT2));
  assert_true(kernel_value(&k, OUT, ELEM_FP32, 0) == 510);
  got[0] = 410;
  assert_int_equal(kernel_check(&k, OUT, got, ELEM_FP32).wrong, 0);
  got[0] = 0;
  assert_int_equal(kernel_check(&k, OUT, got, ELEM_FP32).wrong, 1);
  kernel_close(&k);
}

// The greatest and its first place, by a region of a tuple.
#define ARGMAX                                                                                               \
  "%n = arange {start = 0, end = 32} : tile<32xi32>\n%n1 = expand_dims %n {axis = 0} : tile<1x32xi32>\n"     \
  "%n2 = broadcast %n1 : tile<16x32xi32>\n"                                                                  \
  "%r, %j = reduce %a, %n2 {axis = 1} : tile<16xfp32>, tile<16xi32> "                                        \
  "do (%v: fp32, %vi: i32, %w: fp32, %wi: i32) {\n%more = gt %v, %w : i1\n%same = eq %v, %w : i1\n"          \
  "%first = lt %vi, %wi : i1\n%tie = and %same, %first : i1\n%left = or %more, %tie : i1\n"                  \
  "%rv = select %left, %v, %w : fp32\n%ri = select %left, %vi, %wi : i32\nyield %rv, %ri\n}\n"

TEST(test_argmax) {
  for (int whole = 0; whole < 2; whole++) { // whole numbers have many ties
    Kernel k;
    float x[512];
    open_xs(&k, LOAD ARGMAX STORE("r", 16, "fp32", "out") STORE("j", 16, "i32", "out2"), x, whole);
    kernel_must_run(&k, RUN(&k, X, OUT, OUT2));
    for (uint32_t row = 0; row < 16; row++) {
      int best = 0;
      for (int c = 1; c < 32; c++)
        if (x[row * 32 + (uint32_t)c] > x[row * 32 + (uint32_t)best]) best = c;
      assert_int_equal(kernel_int(&k, OUT2, ELEM_I32, row), best);
      assert_true(kernel_value(&k, OUT, ELEM_FP32, row) == (double)x[row * 32 + (uint32_t)best]);
    }
    assert_int_equal(kernel_check(&k, OUT2, kernel_bytes(&k, OUT2), ELEM_I32).uncertain, 0);
    kernel_close(&k);
  }
}

// The same, but a NaN is greater than numbers.
#define ARGMAX_NAN                                                                                           \
  "%n = arange {start = 0, end = 32} : tile<32xi32>\n%n1 = expand_dims %n {axis = 0} : tile<1x32xi32>\n"     \
  "%n2 = broadcast %n1 : tile<16x32xi32>\n"                                                                  \
  "%r, %j = reduce %a, %n2 {axis = 1} : tile<16xfp32>, tile<16xi32> "                                        \
  "do (%v: fp32, %vi: i32, %w: fp32, %wi: i32) {\n%vn = ne %v, %v : i1\n%wn = ne %w, %w : i1\n"              \
  "%wk = eq %w, %w : i1\n%more = gt %v, %w : i1\n%top = and %vn, %wk : i1\n%both = and %vn, %wn : i1\n"      \
  "%equal = eq %v, %w : i1\n%same = or %equal, %both : i1\n%first = lt %vi, %wi : i1\n"                      \
  "%tie = and %same, %first : i1\n%greater = or %more, %top : i1\n%left = or %greater, %tie : i1\n"          \
  "%rv = select %left, %v, %w : fp32\n%ri = select %left, %vi, %wi : i32\nyield %rv, %ri\n}\n"

// No comparison holds for a NaN. So the result depends on the order, which is not fixed.
TEST(test_argmax_of_nan) {
  for (int ordered = 0; ordered < 2; ordered++) {
    Kernel k;
    float x[512];
    open_xs(&k,
            ordered ? LOAD ARGMAX_NAN STORE("r", 16, "fp32", "out") STORE("j", 16, "i32", "out2")
                    : LOAD ARGMAX STORE("r", 16, "fp32", "out") STORE("j", 16, "i32", "out2"),
            x, true);
    for (int i = 0; i < 512; i++) x[i] = i / 32 == 5 || (i / 32 == 2 && i % 32 > 20) ? NAN : (float)(i % 7);
    eval_memory_add(k.memory, Z, x, sizeof x, true);
    kernel_must_run(&k, RUN(&k, Z, OUT, OUT2));
    EvalCheck value = kernel_check(&k, OUT, kernel_bytes(&k, OUT), ELEM_FP32);
    EvalCheck place = kernel_check(&k, OUT2, kernel_bytes(&k, OUT2), ELEM_I32);
    assert_int_equal(value.uncertain, ordered ? 0 : 2);
    assert_int_equal(place.uncertain, ordered ? 0 : 2);
    if (ordered) assert_int_equal(kernel_int(&k, OUT2, ELEM_I32, 2), 21);
    if (ordered) assert_int_equal(kernel_int(&k, OUT2, ELEM_I32, 5), 0);
    kernel_close(&k);
  }
}

// Near ties among small computed values do not make the maximum uncertain.
TEST(test_argmax_of_computed) {
  Kernel k;
  float x[512];
  open_xs(
      &k,
      LOAD
      "%three = constant {fvalue = 3.0} : tile<16x32xfp32>\n%d = div %a, %three : tile<16x32xfp32>\n"
      "%n = arange {start = 0, end = 32} : tile<32xi32>\n%n1 = expand_dims %n {axis = 0} : tile<1x32xi32>\n"
      "%n2 = broadcast %n1 : tile<16x32xi32>\n"
      "%r, %j = reduce %d, %n2 {axis = 1} : tile<16xfp32>, tile<16xi32> "
      "do (%v: fp32, %vi: i32, %w: fp32, %wi: i32) {\n%left = gt %v, %w : i1\n"
      "%rv = select %left, %v, %w : fp32\n%ri = select %left, %vi, %wi : i32\nyield %rv, %ri\n}\n" STORE(
          "r", 16, "fp32", "out") STORE("j", 16, "i32", "out2"),
      x, true);
  for (int i = 0; i < 512; i++) x[i] = i / 32 == 7 ? 1 : i % 32 == 9 ? 50 : (float)(i % 3);
  eval_memory_add(k.memory, Z, x, sizeof x, true);
  kernel_must_run(&k, RUN(&k, Z, OUT, OUT2));
  assert_int_equal(kernel_check(&k, OUT2, kernel_bytes(&k, OUT2), ELEM_I32).uncertain,
                   1); // row 7: all are equal
  EvalCheck check = kernel_check(&k, OUT, kernel_bytes(&k, OUT), ELEM_FP32);
  assert_true(check.uncertain == 0 && check.compared == 16);
  assert_int_equal(kernel_int(&k, OUT2, ELEM_I32, 3), 9);
  kernel_close(&k);
}

// Mean and sum of squared differences of a row, merged pairwise (Welford's update for two parts).
TEST(test_welford) {
  Kernel k;
  float x[512], mean[512] = {0}, m2[512] = {0};
  open_xs(&k,
          LOAD
          "%z = constant {fvalue = 0.0} : tile<16x32xfp32>\n%o = constant {fvalue = 1.0} : tile<16x32xfp32>\n"
          "%r, %w, %c = reduce %a, %z, %o {axis = 1} : tile<16xfp32>, tile<16xfp32>, tile<16xfp32> "
          "do (%ma: fp32, %sa: fp32, %na: fp32, %mb: fp32, %sb: fp32, %nb: fp32) {\n"
          "%d = sub %mb, %ma : fp32\n%n = add %na, %nb : fp32\n%t = div %nb, %n : fp32\n"
          "%dt = mul %d, %t : fp32\n%m = add %ma, %dt : fp32\n%dd = mul %d, %dt : fp32\n"
          "%e = mul %dd, %na : fp32\n%s1 = add %sa, %sb : fp32\n%s = add %s1, %e : fp32\nyield %m, %s, "
          "%n\n}\n" STORE("r", 16, "fp32", "out") "%base = constant {value = 16} : i32\n%second = addptr "
                                                  "%out, %base : *fp32\n" STORE("w", 16, "fp32", "second"),
          x, false);
  kernel_must_run(&k, RUN(&k, X, OUT, OUT2));
  for (int row = 0; row < 16; row++) {
    for (int c = 0; c < 32; c++) mean[row] += x[row * 32 + c] / 32;
    for (int c = 0; c < 32; c++) m2[row] += (x[row * 32 + c] - mean[row]) * (x[row * 32 + c] - mean[row]);
    mean[16 + row] = m2[row];
  }
  EvalCheck check = kernel_check(&k, OUT, mean, ELEM_FP32);
  if (check.wrong) fail_msg("%s", check.first_message);
  mean[20] *= 1.001f;
  assert_int_equal(kernel_check(&k, OUT, mean, ELEM_FP32).first_wrong, 20);
  kernel_close(&k);
}

// a comes before b: digits of a number are put together, 8 a tile, with their counts.
TEST(test_order_of_reduce) {
  Kernel k;
  float x[512];
  open_xs(&k,
          "%i = arange {start = 1, end = 9} : tile<8xi32>\n%ten = constant {value = 10} : tile<8xi32>\n"
          "%r, %t = reduce %i, %ten {axis = 0} : i32, i32 do (%a: i32, %ta: i32, %b: i32, %tb: i32) {\n"
          "%up = mul %a, %tb : i32\n%n = add %up, %b : i32\n%tens = mul %ta, %tb : i32\nyield %n, "
          "%tens\n}\nstore %out2, %r\n",
          x, true);
  kernel_must_run(&k, RUN(&k, X, OUT, OUT2));
  assert_int_equal(kernel_int(&k, OUT2, ELEM_I32, 0), 12345678);
  kernel_close(&k);
}

static void check_scan(int axis, bool reverse, bool whole) {
  Kernel k;
  float x[512], got[512];
  char body[1200];
  snprintf(body, sizeof body,
           "%s%%c = scan %%a {axis = %d%s} : tile<16x32xfp32> %s%%r = reshape %%c : tile<512xfp32>\n%s", LOAD,
           axis, reverse ? ", reverse" : "", SUM, STORE("r", 512, "fp32", "out"));
  open_xs(&k, body, x, whole);
  kernel_must_run(&k, RUN(&k, X, OUT, OUT2));
  int length = axis ? 32 : 16, inner = axis ? 1 : 32, lines = 512 / length;
  for (int l = 0; l < lines; l++) {
    float sum = 0;
    for (int n = 0; n < length; n++) {
      int at = (axis ? l * 32 : l) + (reverse ? length - 1 - n : n) * inner;
      sum = n ? sum + x[at] : x[at];
      got[at] = sum;
    }
  }
  EvalCheck check = kernel_check(&k, OUT, got, ELEM_FP32);
  if (check.wrong) fail_msg("axis %d: %s", axis, check.first_message);
  if (whole) assert_memory_equal(kernel_bytes(&k, OUT), got, sizeof got);
  kernel_close(&k);
}

TEST(test_scan) {
  for (int n = 0; n < 8; n++) check_scan(n & 1, n & 2, n & 4);
}

// A linear recurrence h = h g + x as a scan over pairs; the combination is associative only in this order.
TEST(test_scan_of_pairs) {
  for (int reverse = 0; reverse < 2; reverse++) {
    Kernel k;
    float x[512];
    char body[1200];
    snprintf(
        body, sizeof body,
        "%%i = arange {start = 0, end = 16} : tile<16xi32>\n%%one = constant {value = 1} : tile<16xi32>\n"
        "%%g = and %%i, %%one : tile<16xi32>\n"
        "%%gg, %%r = scan %%g, %%i {axis = 0%s} : tile<16xi32>, tile<16xi32> "
        "do (%%ga: i32, %%ha: i32, %%gb: i32, %%hb: i32) {\n"
        "%%gn = mul %%ga, %%gb : i32\n%%t = mul %%ha, %%gb : i32\n%%h = add %%t, %%hb : i32\nyield %%gn, "
        "%%h\n}\n%s",
        reverse ? ", reverse" : "", STORE("r", 16, "i32", "out2"));
    open_xs(&k, body, x, true);
    kernel_must_run(&k, RUN(&k, X, OUT, OUT2));
    int h = 0;
    for (int n = 0; n < 16; n++) {
      int i = reverse ? 15 - n : n;
      h = n ? h * (i & 1) + i : i;
      assert_int_equal(kernel_int(&k, OUT2, ELEM_I32, (uint32_t)i), h);
    }
    kernel_close(&k);
  }
}

// A loop and a branch within a map's region: steps of Collatz until 1.
TEST(test_nested_regions) {
  Kernel k;
  float x[512];
  open_xs(
      &k,
      "%i = arange {start = 1, end = 33} : tile<32xi32>\n"
      "%r, %top = map %i : tile<32xi32>, tile<32xi32> do (%n: i32) {\n%zero = constant {value = 0} : i32\n"
      "%one = constant {value = 1} : i32\n%two = constant {value = 2} : i32\n%three = constant {value = 3} : "
      "i32\n"
      "%last, %steps = while %n, %zero : i32, i32 test (%m: i32, %c: i32) {\n%go = gt %m, %one : i1\nyield "
      "%go, %m, %c\n"
      "} do (%m2: i32, %c2: i32) {\n%odd = and %m2, %one : i32\n%is = eq %odd, %one : i1\n"
      "%next = if %is : i32 then {\n%t = mul %m2, %three : i32\n%u = add %t, %one : i32\nyield %u\n} else {\n"
      "%h = div %m2, %two : i32\nyield %h\n}\n%c3 = add %c2, %one : i32\nyield %next, %c3\n}\nyield %steps, "
      "%last\n}\n" STORE("r", 32, "i32", "out2"),
      x, true);
  kernel_must_run(&k, RUN(&k, X, OUT, OUT2));
  for (int n = 1; n <= 32; n++) {
    int steps = 0;
    for (int m = n; m > 1; m = m & 1 ? 3 * m + 1 : m / 2) steps++;
    assert_int_equal(kernel_int(&k, OUT2, ELEM_I32, (uint32_t)n - 1), steps);
  }
  kernel_close(&k);
}

// The results are the first region's values next to false. The loop-carried values may change
// places.
TEST(test_while) {
  Kernel k;
  float x[512];
  open_xs(&k,
          "%zero = constant {value = 0} : i32\n%one = constant {value = 1} : i32\n%limit = constant {value = "
          "100} : i32\n"
          "%r, %s = while %zero, %one : i32, i32 test (%a: i32, %b: i32) {\n%go = lt %b, %limit : i1\nyield "
          "%go, %b, %a\n"
          "} do (%c: i32, %d: i32) {\n%n = add %c, %d : i32\nyield %c, %n\n}\nstore %out2, %r\n"
          "%p = addptr %out2, %one : *i32\nstore %p, %s\n",
          x, true);
  kernel_must_run(&k, RUN(&k, X, OUT, OUT2));
  assert_int_equal(kernel_int(&k, OUT2, ELEM_I32, 0), 144);
  assert_int_equal(kernel_int(&k, OUT2, ELEM_I32, 1), 89);
  kernel_close(&k);
}

// A loop that returns to an earlier state is found. A loop that counts only has a limit.
TEST(test_endless_while) {
  static const char *const loops[][2] = {
      {"%yes = constant {value = 1} : i1\nwhile test {\nyield %yes\n} do {\nyield\n}\n",
       "endless loop: it reads no memory and changes nothing"},
      {"%yes = constant {value = 1} : i1\n%one = constant {value = 1} : i64\n"
       "%r = while %one : i64 test (%i: i64) {\nyield %yes, %i\n} do (%k: i64) {\n"
       "%next = add %k, %one : i64\nyield %next\n}\n",
       "the limit of 1000 steps is reached"}};
  for (int i = 0; i < 2; i++) {
    Kernel k;
    float x[512];
    open_xs(&k, loops[i][0], x, true);
    k.max_steps = 1000;
    assert_false(RUN(&k, X, OUT, OUT2));
    kernel_expect(&k, 0, loops[i][1]);
    kernel_close(&k);
  }
}

// An undefined element makes its line's result undefined, and no other.
TEST(test_undefined_in_reduce) {
  for (int masked = 0; masked < 2; masked++) {
    Kernel k;
    float x[512];
    open_xs(&k,
            masked ? "%i = arange {start = 0, end = 32} : tile<32xi32>\n%xs = splat %x : tile<32x*fp32>\n"
                     "%xp = addptr %xs, %i : tile<32x*fp32>\n%l = constant {value = 31} : tile<32xi32>\n"
                     "%m = lt %i, %l : tile<32xi1>\n%f = load %xp, %m : tile<32xfp32>\n"
                     "%r = reduce %f {axis = 0} : fp32 " SUM "store %out, %r\n"
                   : "%i = arange {start = 0, end = 32} : tile<32xi32>\n%xs = splat %x : tile<32x*fp32>\n"
                     "%xp = addptr %xs, %i : tile<32x*fp32>\n%l = constant {value = 31} : tile<32xi32>\n"
                     "%m = lt %i, %l : tile<32xi1>\n%z = constant {fvalue = 0.0} : tile<32xfp32>\n"
                     "%f = load %xp, %m, %z : tile<32xfp32>\n%r = reduce %f {axis = 0} : fp32 " SUM
                     "store %out, %r\n",
            x, true);
    assert_true(RUN(&k, X, OUT, OUT2));
    if (masked) {
      kernel_expect(&k, 0, "the value to store in out[0] of 512 is undefined");
      assert_string_equal(k.diags.list.at[0]->notes.at[0]->message,
                          "the load is masked off here, and gives no `other` value: add one that keeps the result, such as `other=0.0` for a sum");
    }
    EvalCheck check = kernel_check(&k, OUT, kernel_bytes(&k, OUT), ELEM_FP32);
    assert_true(check.outputs == 1 && check.uncertain == (uint64_t)masked && check.unread == (uint64_t)masked);
    kernel_close(&k);
  }
}

WHOLE_SUITE(eval_combine)
