// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator's memory and its shadow: bounds and what eval_check accepts, uncertain and undefined
// elements, accesses out of bounds.
#include <math.h>
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "tests/unit/eval_fixture.h"

// out[i] = exp(a[i]) / b[i] + a[i], i < n of 16 under a mask; the pattern of most kernels.
static void build_elementwise(Fixture *f, uint32_t n) {
  Value *i = build_arange(&f->b, 0, 16),
        *bound = build_splat(&f->b, build_int(&f->b, scalar_type(f, ELEM_I32), n), i->type);
  Value *mask = build_binary(&f->b, OP_LT, i, bound);
  Value *a = build_load(&f->b, pointers(f, arg(f, 0), 16), mask, NULL);
  Value *b = build_load(&f->b, pointers(f, arg(f, 1), 16), mask, NULL);
  Value *quotient = build_binary(&f->b, OP_DIV, build_math(&f->b, "exp", a, NULL, NULL), b);
  build_store(&f->b, pointers(f, arg(f, 2), 16), build_binary(&f->b, OP_ADD, quotient, a), mask);
}

static const uint64_t THREE[] = {IN, IN2, OUT};

static void add_inputs(Fixture *f, float a[16], float b[16]) {
  for (int i = 0; i < 16; i++) a[i] = (float)sin(i * 3.7) * 4, b[i] = (float)cos(i * 1.3) + 1.5f;
  eval_memory_add(f->memory, IN, a, 64, true);
  eval_memory_add(f->memory, IN2, b, 64, true);
}

TEST(test_check_bounds) {
  Fixture f;
  fixture_open(&f, 3, floats);
  float a[16], b[16], got[16], poison[16];
  memset(poison, 0xa5, sizeof poison);
  memcpy(got, poison, sizeof got);
  add_inputs(&f, a, b);
  eval_memory_add(f.memory, OUT, poison, 64, false);
  build_elementwise(&f, 12);
  assert_true(launch(&f, THREE));
  for (int i = 0; i < 12; i++) got[i] = expf(a[i]) / b[i] + a[i];
  EvalCheck check;
  assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.elements, 16);
  assert_int_equal(check.compared, 12); // the others were never written
  assert_true(check.worst <= 1 && check.uncertain == 0);
  got[5] = nextafterf(got[5], 100);
  assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  float right = got[7];
  got[7] = right * 1.001f;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.wrong, 1);
  assert_int_equal(check.first_wrong, 7);
  assert_non_null(strstr(check.first_message, "element 7: got "));
  got[7] = NAN;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[7] = INFINITY;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[7] = right;
  got[13] = 0;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.first_wrong, 13);
  assert_non_null(strstr(check.first_message, "no program wrote it"));
  fixture_close(&f);
}

// The bound is of use: not so wide that fp16 rounding of fp32 data would pass.
TEST(test_bounds_are_tight) {
  Fixture f;
  fixture_open(&f, 3, floats);
  float a[16], b[16], got[16];
  add_inputs(&f, a, b);
  eval_memory_add(f.memory, OUT, NULL, 64, false);
  build_elementwise(&f, 16);
  assert_true(launch(&f, THREE));
  int caught = 0;
  for (int i = 0; i < 16; i++) {
    for (int k = 0; k < 16; k++) got[k] = expf(a[k]) / b[k] + a[k];
    got[i] = (float)number_round(ELEM_FP16, (double)got[i]);
    EvalCheck check;
    caught += !eval_check(f.memory, OUT, got, ELEM_FP32, &check);
  }
  assert_int_equal(caught, 16);
  fixture_close(&f);
}

// The error of an operand of a dot reaches the result, for either operand. 2^24 + 1 - 2^24 is 0 in fp32 and 1 in
// float64. It may have an error of about 4.
TEST(test_bound_of_a_product) {
  for (int second = 0; second < 2; second++) {
    Fixture f;
    fixture_open(&f, 3, floats);
    float in[2] = {4096, 0x1p24f}, got[1] = {0};
    eval_memory_add(f.memory, IN, in, sizeof in, true);
    eval_memory_add(f.memory, OUT, NULL, sizeof got, false);
    Value *factor = build_load(&f.b, address(&f, ELEM_FP32, IN), NULL, NULL);
    Value *large = build_load(&f.b, address(&f, ELEM_FP32, IN + 4), NULL, NULL);
    Value *sum = build_binary(&f.b, OP_ADD, large, build_float(&f.b, large->type, 1));
    Value *off = build_binary(&f.b, OP_SUB, sum, large);
    Value *product = build_binary(&f.b, OP_MUL, second ? factor : off, second ? off : factor);
    build_store(&f.b, address(&f, ELEM_FP32, OUT), product, NULL);
    assert_true(launch(&f, THREE));
    EvalCheck check;
    assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check) && check.vague);
    got[0] = 4096 * 64;
    assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
    fixture_close(&f);
  }
}

// Results that may be off by more than they are say nothing, even if one of many is more. Together they do,
// if they follow the reference.
TEST(test_vague_results) {
  enum { MANY = 32 };
  Fixture f;
  fixture_open(&f, 3, floats);
  float x[MANY] = {6}, got[MANY] = {3};
  for (int i = 1; i < MANY; i++) x[i] = 1;
  eval_memory_add(f.memory, IN, x, sizeof x, true);
  eval_memory_add(f.memory, OUT, NULL, sizeof x, false);
  Value *a = build_load(&f.b, pointers(&f, arg(&f, 0), MANY), NULL, NULL);
  Value *large = build_float(&f.b, a->type, 0x1p24);
  Value *off = build_binary(&f.b, OP_SUB, build_binary(&f.b, OP_ADD, a, large), large);
  build_store(&f.b, pointers(&f, arg(&f, 2), MANY), off, NULL);
  assert_true(launch(&f, THREE));
  EvalCheck check;
  assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_true(check.vague && check.uncertain == MANY && check.compared == 0);
  assert_true(eval_check(f.memory, OUT, x, ELEM_FP32, &check));
  assert_true(!check.vague && check.compared == MANY);
  fixture_close(&f);
}

// An element that a mask leaves out has the value of `other` at the same place.
TEST(test_other) {
  Fixture f;
  fixture_open(&f, 3, floats);
  float a[16], b[16];
  add_inputs(&f, a, b);
  eval_memory_add(f.memory, OUT, NULL, 64, false);
  Value *i = build_arange(&f.b, 0, 16);
  Value *bound = build_splat(&f.b, build_int(&f.b, scalar_type(&f, ELEM_I32), 5), i->type);
  Value *other = build_load(&f.b, pointers(&f, arg(&f, 1), 16), NULL, NULL);
  Value *mask = build_binary(&f.b, OP_LT, i, bound);
  Value *x = build_load(&f.b, pointers(&f, arg(&f, 0), 16), mask, other);
  build_store(&f.b, pointers(&f, arg(&f, 2), 16), x, NULL);
  assert_true(launch(&f, THREE));
  memcpy(b, a, 5 * sizeof *a);
  assert_memory_equal(eval_memory_bytes(f.memory, OUT), b, sizeof b);
  fixture_close(&f);
}

// Copies, once as they are and once through arithmetic.
TEST(test_moved_and_computed_zero) {
  for (int computed = 0; computed < 2; computed++) {
    Fixture f;
    fixture_open(&f, 3, floats);
    float in[2] = {-0.0f, NAN}, got[2] = {0.0f, -NAN};
    eval_memory_add(f.memory, IN, in, 8, true);
    eval_memory_add(f.memory, OUT, NULL, 8, false);
    Value *x = build_load(&f.b, pointers(&f, arg(&f, 0), 2), NULL, NULL);
    if (computed) x = build_binary(&f.b, OP_ADD, x, x);
    build_store(&f.b, pointers(&f, arg(&f, 2), 2), x, NULL);
    assert_true(launch(&f, THREE));
    EvalCheck check;
    assert_int_equal(eval_check(f.memory, OUT, got, ELEM_FP32, &check), computed);
    assert_int_equal(check.wrong, !computed);
    fixture_close(&f);
  }
}

// (a / b) * b > a depends on rounding if data are real, never if it compares data as they were
// read.
TEST(test_uncertain) {
  for (int exact = 0; exact < 2; exact++) {
    Fixture f;
    fixture_open(&f, 3, floats);
    float a[16], b[16], got[16] = {0};
    add_inputs(&f, a, b);
    eval_memory_add(f.memory, OUT, NULL, 64, false);
    Value *x = build_load(&f.b, pointers(&f, arg(&f, 0), 16), NULL, NULL);
    Value *y = build_load(&f.b, pointers(&f, arg(&f, 1), 16), NULL, NULL);
    Value *z = exact ? x : build_binary(&f.b, OP_MUL, build_binary(&f.b, OP_DIV, x, y), y);
    Value *chosen = build(&f.b, OP_SELECT, x->type, build_binary(&f.b, OP_GT, z, x), y, x);
    build_store(&f.b, pointers(&f, arg(&f, 2), 16), chosen, NULL);
    assert_true(launch(&f, THREE));
    memcpy(got, eval_memory_bytes(f.memory, OUT), 64);
    EvalCheck check;
    assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
    assert_int_equal(check.uncertain, exact ? 0 : 15); // 0 / b * b is 0 exactly
    assert_int_equal(check.compared, exact ? 16 : 1);
    fixture_close(&f);
  }
}

// x divided by a value that is as large as x or a little larger, and the remainder: the remainder
// is 0 or x. Also with (x + 1) - 1 - x, which is 0 but for rounding, so it may be 0.
TEST(test_uncertain_divisor) {
  static const struct {
    OpKind kind;
    bool near_zero;
    uint32_t least; // uncertain elements; 0 % 0 is NaN
  } cases[] = {{OP_REM, false, 15}, {OP_REM, true, 15}, {OP_DIV, true, 15}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Fixture f;
    fixture_open(&f, 3, floats);
    float a[16], b[16];
    add_inputs(&f, a, b);
    eval_memory_add(f.memory, OUT, NULL, 64, false);
    Value *x = build_load(&f.b, pointers(&f, arg(&f, 0), 16), NULL, NULL);
    Value *one = build_float(&f.b, x->type, 1);
    Value *little = build_binary(&f.b, OP_MUL, x, build_float(&f.b, x->type, 0x1p-26));
    Value *back = build_binary(&f.b, OP_SUB, build_binary(&f.b, OP_ADD, x, one), one);
    Value *divisor =
        cases[i].near_zero ? build_binary(&f.b, OP_SUB, back, x) : build_binary(&f.b, OP_ADD, x, little);
    build_store(&f.b, pointers(&f, arg(&f, 2), 16), build_binary(&f.b, cases[i].kind, x, divisor), NULL);
    assert_true(launch(&f, THREE));
    EvalCheck check;
    assert_true(eval_check(f.memory, OUT, eval_memory_bytes(f.memory, OUT), ELEM_FP32, &check));
    assert_true(check.uncertain >= cases[i].least);
    fixture_close(&f);
  }
}

// Another program reads back a stored value with its reference and bound; as other types, by its
// bytes.
TEST(test_shadow_survives) {
  Fixture f;
  fixture_open(&f, 3, floats);
  float third = 3, got[2];
  eval_memory_add(f.memory, IN, &third, 4, true);
  eval_memory_add(f.memory, OUT, NULL, 8, false);
  Value *x = build_load(&f.b, address(&f, ELEM_FP32, IN), NULL, NULL);
  Value *one = build_float(&f.b, x->type, 1);
  build_store(&f.b, address(&f, ELEM_FP32, OUT), build_binary(&f.b, OP_DIV, one, x), NULL);
  Value *back = build_load(&f.b, address(&f, ELEM_FP32, OUT), NULL, NULL);
  build_store(&f.b, address(&f, ELEM_FP32, OUT + 4),
              build_binary(&f.b, OP_SUB, build_binary(&f.b, OP_MUL, back, x), one), NULL);
  assert_true(launch(&f, THREE));
  // In float64 the result is 0 or an ulp of double; in fp32 an implementation may be off by some 2^-22.
  got[0] = 1.0f / 3.0f;
  got[1] = 0x1p-24f;
  EvalCheck check;
  assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[1] = 0x1p-18f;
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.first_wrong, 1);
  fixture_close(&f);
}

// The bits of a computed float may be others; those of one that was moved may not.
TEST(test_bits_of_a_computed_float) {
  for (int computed = 0; computed < 2; computed++) {
    Fixture f;
    fixture_open(&f, 3, floats);
    float third = 3;
    eval_memory_add(f.memory, IN, &third, 4, true);
    eval_memory_add(f.memory, IN2, NULL, 4, false);
    eval_memory_add(f.memory, OUT, NULL, 4, false);
    Value *x = build_load(&f.b, address(&f, ELEM_FP32, IN), NULL, NULL);
    if (computed) x = build_binary(&f.b, OP_DIV, build_float(&f.b, x->type, 1), x);
    build_store(&f.b, address(&f, ELEM_FP32, IN2), x, NULL);
    Value *bits = build_load(&f.b, address(&f, ELEM_I32, IN2), NULL, NULL);
    build_store(&f.b, address(&f, ELEM_I32, OUT), bits, NULL);
    assert_true(launch(&f, THREE));
    EvalCheck check;
    assert_true(eval_check(f.memory, OUT, eval_memory_bytes(f.memory, OUT), ELEM_I32, &check));
    assert_int_equal(check.uncertain, computed);
    assert_int_equal(check.compared, !computed);
    fixture_close(&f);
  }
}

TEST(test_type_punning) {
  Fixture f;
  fixture_open(&f, 0, floats);
  uint32_t zero[4] = {0};
  eval_memory_add(f.memory, OUT, zero, 16, false);
  Value *value = build_float(&f.b, scalar_type(&f, ELEM_FP32), 1.5);
  build_store(&f.b, address(&f, ELEM_FP32, OUT), value, NULL);
  build_store(&f.b, address(&f, ELEM_U8, OUT), build_int(&f.b, scalar_type(&f, ELEM_U8), 7), NULL);
  build_store(&f.b, address(&f, ELEM_FP32, OUT + 4),
              build_load(&f.b, address(&f, ELEM_FP32, OUT), NULL, NULL), NULL);
  build_store(&f.b, address(&f, ELEM_I32, OUT + 8), build_load(&f.b, address(&f, ELEM_I32, OUT), NULL, NULL),
              NULL);
  assert_true(launch(&f, NULL));
  uint32_t got[4] = {0x3fc00007, 0x3fc00007, 0x3fc00007, 0};
  EvalCheck check;
  assert_true(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[0]++; // the byte stored last
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[0] = 0x3fc10007; // a byte left of the float
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  got[0] = 0x3fc00007, got[2]++; // an integer is compared to the bit
  assert_false(eval_check(f.memory, OUT, got, ELEM_FP32, &check));
  assert_int_equal(check.first_wrong, 2);
  fixture_close(&f);
}

// The rest of an integer is compared to the bit, also in an uninitialised buffer.
TEST(test_left_of_an_integer) {
  Fixture f;
  fixture_open(&f, 0, floats);
  eval_memory_add(f.memory, OUT, NULL, 4, false);
  const Type *i32 = scalar_type(&f, ELEM_I32);
  build_store(&f.b, address(&f, ELEM_I32, OUT), build_int(&f.b, i32, 0x01020304), NULL);
  build_store(&f.b, address(&f, ELEM_U8, OUT), build_int(&f.b, scalar_type(&f, ELEM_U8), 7), NULL);
  assert_true(launch(&f, NULL));
  uint32_t got = 0x01020307;
  EvalCheck check;
  assert_true(eval_check(f.memory, OUT, &got, ELEM_I32, &check));
  got = 0x01030307;
  assert_false(eval_check(f.memory, OUT, &got, ELEM_I32, &check));
  assert_null(strstr(check.first_message, "no program wrote it"));
  fixture_close(&f);
}

// A value that may be rounded to an infinity may be that one, and not the other.
TEST(test_near_infinity) {
  Fixture f;
  fixture_open(&f, 3, floats);
  float most = 0x1.fffffep127f;
  eval_memory_add(f.memory, IN, &most, 4, true);
  eval_memory_add(f.memory, OUT, NULL, 4, false);
  Value *x = build_load(&f.b, address(&f, ELEM_FP32, IN), NULL, NULL);
  Value *more = build_binary(&f.b, OP_ADD, x, build_float(&f.b, x->type, 1e30));
  build_store(&f.b, address(&f, ELEM_FP32, OUT), more, NULL);
  assert_true(launch(&f, THREE));
  EvalCheck check;
  assert_true(eval_check(f.memory, OUT, &most, ELEM_FP32, &check));
  float got = INFINITY;
  assert_true(eval_check(f.memory, OUT, &got, ELEM_FP32, &check));
  got = -INFINITY;
  assert_false(eval_check(f.memory, OUT, &got, ELEM_FP32, &check));
  fixture_close(&f);
}

TEST(test_uninitialised) {
  Fixture f;
  fixture_open(&f, 3, floats);
  eval_memory_add(f.memory, IN, NULL, 64, false);
  eval_memory_add(f.memory, OUT, NULL, 64, false);
  Value *x = build_load(&f.b, pointers(&f, arg(&f, 0), 16), NULL, NULL);
  f.b.loc.line = 7;
  build_store(&f.b, pointers(&f, arg(&f, 2), 16), build_binary(&f.b, OP_ADD, x, x), NULL);
  assert_false(launch(&f, THREE));
  assert_string_equal(said(&f),
                      "the value to store in p[0] of 16 is undefined, in program (0, 0, 0), element 0");
  assert_int_equal(f.diags.list.at[0]->loc.line, 7);
  assert_string_equal(
      noted(&f), "the load reads memory that was never written: fill the buffer before, as torch.zeros does");
  fixture_close(&f);
}

// One element of an uninitialised buffer is written, and its neighbour is read.
TEST(test_partly_written) {
  for (int read = 0; read < 2; read++) {
    Fixture f;
    fixture_open(&f, 3, floats);
    eval_memory_add(f.memory, OUT, NULL, 64, false);
    const Type *i32 = scalar_type(&f, ELEM_I32);
    build_store(&f.b, address(&f, ELEM_I32, OUT), build_int(&f.b, i32, 7), NULL);
    Value *x = build_load(&f.b, address(&f, ELEM_I32, OUT + 4 * (uint32_t)read), NULL, NULL);
    build_store(&f.b, address(&f, ELEM_I32, OUT + 8), x, NULL);
    assert_int_equal(launch(&f, THREE), read == 0);
    if (read) assert_said(&f, "is undefined, in program (0, 0, 0)");
    fixture_close(&f);
  }
}

// The last byte of a buffer may be read, and none after it.
TEST(test_last_byte) {
  for (int beyond = 0; beyond < 2; beyond++) {
    Fixture f;
    fixture_open(&f, 3, floats);
    eval_memory_add(f.memory, OUT, NULL, 63, true);
    build_load(&f.b, address(&f, ELEM_I8, OUT + 62 + (uint32_t)beyond), NULL, NULL);
    assert_int_equal(launch(&f, THREE), beyond == 0);
    if (beyond) assert_said(&f, "out of bounds");
    fixture_close(&f);
  }
}

// A store of what a masked-off load gave, of x // 0, and a branch on it.
TEST(test_undefined) {
  for (int kind = 0; kind < 4; kind++) {
    Fixture f;
    fixture_open(&f, 3, floats);
    eval_memory_add(f.memory, OUT, NULL, 64, false);
    const Type *i32 = scalar_type(&f, ELEM_I32);
    Value *zero = build_int(&f.b, i32, 0), *quotient = build_binary(&f.b, OP_DIV, zero, zero);
    Value *off = build_int(&f.b, scalar_type(&f, ELEM_I1), 0);
    Value *chosen = build(&f.b, OP_SELECT, i32, off, quotient, zero);
    build_store(&f.b, address(&f, ELEM_I32, OUT), chosen, NULL); // the side not chosen does no harm
    Value *cleared = build_binary(&f.b, OP_AND, quotient, zero), *ones = build_int(&f.b, i32, -1);
    build_store(&f.b, address(&f, ELEM_I32, OUT), cleared, NULL); // nor does what the other operand decides
    build_store(&f.b, address(&f, ELEM_I32, OUT), build_binary(&f.b, OP_OR, ones, quotient), NULL);
    if (kind == 0)
      build_store(&f.b, address(&f, ELEM_I32, OUT), build_binary(&f.b, OP_MUL, quotient, zero), NULL);
    if (kind == 1)
      build_store(&f.b, address(&f, ELEM_I32, OUT), build_load(&f.b, address(&f, ELEM_I32, 0), off, NULL),
                  NULL);
    if (kind == 2) build_if(&f.b, build_binary(&f.b, OP_EQ, quotient, zero), 0, NULL);
    if (kind == 3)
      build_load(&f.b, build(&f.b, OP_ADDPTR, arg(&f, 0)->type, arg(&f, 0), quotient, NULL), NULL, NULL);
    assert_int_equal(launch(&f, THREE), kind == 1); // what no load read may be stored, with a warning
    static const char *const WHAT[] = {"the value to store", "the value to store", "the condition",
                                       "the address"};
    assert_said(&f, WHAT[kind]);
    assert_said(&f, "is undefined, in program (0, 0, 0)");
    assert_string_equal(
        noted(&f),
        kind == 1
            ? "the load is masked off here, and gives no `other` value: add one that keeps the result, such as `other=0.0` for a sum"
            : "an integer is divided by zero here: choose another divisor for these elements, with tl.where");
    fixture_close(&f);
  }
}

TEST(test_out_of_bounds) {
  static const struct {
    uint64_t at;
    uint32_t bytes;
    const char *says;
  } CASES[] = {
      {IN + 8, 64, "load out of bounds: p[16] of 16, in program (0, 0, 0), element 14"},
      {IN - 4, 64, "load out of bounds: argument 'p' points to no buffer of the device, at address 0xfffc"},
      {IN, 62, "load out of bounds: byte 2 of p[15] of 15"},
      {IN + 2, 128, "misaligned load of 4 bytes: byte 2 of p[0] of 32"},
      {IN, 0, "load out of bounds: p[0] of 0"},
      {0, 64, "load out of bounds: the pointer is null (address 0x0)"},
      {UINT64_MAX - 3, 64,
       "load out of bounds: argument 'p' points to no buffer of the device, at address 0xfffffffffffffffc"},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
    Fixture f;
    fixture_open(&f, 3, floats);
    eval_memory_add(f.memory, IN, NULL, CASES[k].bytes, true);
    build_load(&f.b, pointers(&f, arg(&f, 0), 16), NULL, NULL);
    assert_false(launch(&f, (const uint64_t[]){CASES[k].at, 0, 0}));
    assert_said(&f, CASES[k].says);
    fixture_close(&f);
  }
}

TEST(test_buffers_touch) {
  Arena arena = {0};
  EvalMemory *memory = eval_memory_new(&arena);
  eval_memory_add(memory, 0x2000, "bbbb", 4, true);
  eval_memory_add(memory, 0x1ffc, "aaaa", 4, true);
  eval_memory_add(memory, 0x2004, "cccc", 4, true);
  eval_memory_add(memory, 0x2000, NULL, 0, true);
  assert_memory_equal(eval_memory_bytes(memory, 0x1ffc), "aaaa", 4);
  assert_memory_equal(eval_memory_bytes(memory, 0x2000), "bbbb", 4);
  assert_memory_equal(eval_memory_bytes(memory, 0x2004), "cccc", 4);
  assert_null(eval_memory_bytes(memory, 0x2002));
  arena_free(&arena);
}

WHOLE_SUITE(eval_memory)
