// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tool's own parts: options, SPECs, random data, .npy files.
#include <math.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "tools/run/argument.h"
#include "tools/run/expect.h"
#include "tools/run/fill.h"
#include "tools/options/options.h"
#include "tools/run/random.h"

// Known answer of the authors' test vectors (Random123, kat_vectors: philox4x32, 10 rounds, zeros).
TEST(test_philox_known_answer) {
  uint32_t words[4];
  random_words(0, 0, 0, words);
  assert_int_equal(words[0], 0x6627e8d5u);
  assert_int_equal(words[1], 0xe169c58du);
  assert_int_equal(words[2], 0xbc57ac4cu);
  assert_int_equal(words[3], 0x9b00dbd8u);
}

TEST(test_normal_moments) {
  double sum = 0, squares = 0;
  const int n = 100000;
  for (int i = 0; i < n; i++) {
    double x = random_normal(7, 1, (uint64_t)i), u = random_uniform(7, 1, (uint64_t)i);
    assert_true(u >= 0 && u < 1);
    sum += x;
    squares += x * x;
  }
  assert_true(fabs(sum / n) < 0.02);
  assert_true(fabs(squares / n - 1) < 0.02);
}

static bool spec(Arena *arena, const char *text, Argument *a) {
  const char *why = NULL;
  const uint64_t seed = 0;
  bool ok = argument_parse(arena, text, &seed, 0, a, &why);
  assert_true(ok || why);
  return ok;
}

// Threads that share a large buffer leave out nothing, and give what one gives.
TEST(test_large_fill) {
  enum { N = (5 << 18) + 3, FEW = 1000 };
  static int32_t count[N];
  static float drawn[N], few[FEW];
  const Fill arange = {.kind = FILL_ARANGE}, randn = {.kind = FILL_RANDN};
  fill_write(&arange, ELEM_I32, N, 7, 0, (uint8_t *)count);
  for (int i = 0; i < N; i++) assert_int_equal(count[i], i);
  fill_write(&randn, ELEM_FP32, N, 7, 1, (uint8_t *)drawn);
  fill_write(&randn, ELEM_FP32, FEW, 7, 1, (uint8_t *)few);
  assert_memory_equal(drawn, few, sizeof few);
  for (int i = 0; i < N; i += 1001) assert_true(drawn[i] == (float)random_normal(7, 1, (uint64_t)i));
}

TEST(test_specs) {
  Arena arena = {0};
  Argument a;
  assert_true(spec(&arena, "128", &a) && a.kind == ARGUMENT_INT && a.i == 128);
  assert_true(spec(&arena, "-0x10", &a) && a.i == -16);
  assert_true(spec(&arena, "1.5", &a) && a.kind == ARGUMENT_FLOAT && a.f == 1.5);
  assert_true(spec(&arena, "-inf", &a) && a.kind == ARGUMENT_FLOAT && isinf(a.f));
  assert_true(spec(&arena, "None", &a) && a.kind == ARGUMENT_NONE);
  assert_true(spec(&arena, "True", &a) && a.kind == ARGUMENT_BOOL && a.i == 1);
  assert_true(spec(&arena, "1_000", &a) && a.kind == ARGUMENT_INT && a.i == 1000);
  assert_true(spec(&arena, "0x_ff", &a) && a.kind == ARGUMENT_INT && a.i == 255);
  assert_true(spec(&arena, "18446744073709551615", &a) && a.kind == ARGUMENT_INT && a.is_u64 && a.i == -1);
  assert_true(spec(&arena, "-9223372036854775808", &a) && a.i == INT64_MIN && !a.is_u64);
  assert_true(spec(&arena, "1_0.5e-1", &a) && a.kind == ARGUMENT_FLOAT && a.f == 1.05);
  assert_true(spec(&arena, "nan", &a) && a.kind == ARGUMENT_FLOAT && isnan(a.f));
  assert_true(spec(&arena, "&x+8", &a) && a.kind == ARGUMENT_SAME && a.offset == 8);
  assert_string_equal(a.same, "x");
  assert_true(spec(&arena, "arange:i32[4]+4", &a) && a.kind == ARGUMENT_BUFFER && a.bytes == 16 &&
              a.offset == 4);
  assert_int_equal(a.data[8], 2);
  assert_true(spec(&arena, "randn:fp16[2,3]", &a) && a.rank == 2 && a.elements == 6 && a.bytes == 12 &&
              a.initialised);
  assert_true(spec(&arena, "empty:i16[2]", &a) && !a.initialised && a.data[0] == 0xA5);
  assert_true(spec(&arena, "fp32[0]", &a) == false);
  assert_true(spec(&arena, "zeros:fp32[0]", &a) && a.bytes == 0);
  static const char *const wrong[] = {"",
                                      "randn",
                                      "randn:fp32",
                                      "randn:fp32[",
                                      "randn:fp32[]",
                                      "randn:fp32[4",
                                      "randn:fp32[-1]",
                                      "randn:fp33[4]",
                                      "gauss:fp32[4]",
                                      "ones:fp32[4]x",
                                      "ones:fp32[4]+17",
                                      "ones:fp32[99999999999,99999999999]",
                                      "@/nonexistent.npy",
                                      "1.5x",
                                      "18446744073709551616",
                                      "-9223372036854775809",
                                      "99999999999999999999",
                                      "0x10000000000000000",
                                      "1e400",
                                      "-1e400",
                                      "010",
                                      "1__0",
                                      "1_",
                                      "0x",
                                      " 1",
                                      "1 ",
                                      "0x1p3",
                                      "--1",
                                      "infinity"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(spec(&arena, wrong[i], &a));
  arena_free(&arena);
}

TEST(test_npy_round_trip_and_damage) {
  Arena arena = {0};
  Buf file = {0};
  const uint64_t shape[] = {2, 3};
  const float data[] = {1, -2, 3.5f, 0, 1e-20f, 7};
  npy_write_header(ELEM_FP32, 2, shape, &file);
  assert_int_equal(file.n % 64, 0);
  buf_bytes(&file, data, sizeof data);
  char path[] = "/tmp/tilec-npy-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  NpyArray array;
  const char *why;
  for (size_t n = file.n + 1; n-- > 0;) { // whole, then cut off at every length
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, file.at, n, 0), (ssize_t)n);
    assert_int_equal(npy_read(&arena, path, &array, &why), n == file.n);
    if (n == file.n) {
      assert_int_equal(array.elements, 6);
      assert_memory_equal(array.data, data, sizeof data);
      Elem elem;
      assert_true(npy_elem(&array, &elem) && elem == ELEM_FP32);
    }
  }
  close(fd);
  unlink(path);
  buf_free(&file);
  arena_free(&arena);
}

// An array of one type against a buffer of another: the number of elements that differ.
static uint64_t differing(Arena *arena, Elem buffer_elem, const void *got, Elem array_elem, const void *data,
                          const char *tolerances, ExpectResult *result) {
  enum { N = 4 };
  const uint64_t shape[] = {2, 2};
  Buf file = {0}, error = {0};
  npy_write_header(array_elem, 2, shape, &file);
  buf_bytes(&file, data, N * elem_bytes(array_elem));
  char path[] = "/tmp/tilec-npy-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, file.at, file.n) == (ssize_t)file.n);
  close(fd);
  const char *text = arena_printf(arena, "b=@%s%s", path, tolerances);
  Expectation expectation;
  Expected expected;
  const char *why;
  Argument buffer = {.kind = ARGUMENT_BUFFER, .elem = buffer_elem, .rank = 1, .shape = {N}, .elements = N};
  assert_true(expect_parse(arena, text, &expectation, &error));
  assert_true(expect_load(arena, &expectation, &buffer, &expected, &why));
  unlink(path);
  expect_compare(&expected, got, NULL, result);
  buf_free(&file);
  buf_free(&error);
  return result->wrong;
}

TEST(test_expectations) {
  Arena arena = {0};
  ExpectResult r;
  const float a[] = {1, -2, INFINITY, NAN}, same[] = {1 + 1.2e-6f, -2, INFINITY, NAN};
  const float off[] = {1, -2.5f, -INFINITY, 7};
  const double wide[] = {1 + 1e-6, -2, INFINITY, NAN};
  assert_int_equal(differing(&arena, ELEM_FP32, a, ELEM_FP32, same, "", &r), 0);
  assert_int_equal(differing(&arena, ELEM_FP32, a, ELEM_FP32, same, ":1e-6,0", &r), 1);
  assert_int_equal(differing(&arena, ELEM_FP32, a, ELEM_FP64, wide, "", &r), 0); // the wider tolerance
  const uint16_t half[] = {0x3c00, 0xc000, 0x7c00, 0x7e00};
  const float rounded[] = {1 + 4e-4f, -2, INFINITY, NAN};
  assert_int_equal(differing(&arena, ELEM_FP32, rounded, ELEM_FP16, half, "", &r), 0);
  assert_int_equal(differing(&arena, ELEM_FP32, rounded, ELEM_FP32, a, "", &r), 1);
  const float large[] = {1000, -2000, 0, 1}, larger[] = {1000.5f, -2001, 0, 1};
  assert_int_equal(differing(&arena, ELEM_FP32, larger, ELEM_FP32, large, ":1e-3,0", &r), 0);
  assert_int_equal(differing(&arena, ELEM_FP32, larger, ELEM_FP32, large, ":0,1e-3", &r), 2);
  assert_int_equal(differing(&arena, ELEM_FP64, wide, ELEM_FP64, wide, "", &r), 0);
  assert_int_equal(differing(&arena, ELEM_FP32, a, ELEM_FP32, off, "", &r), 3);
  assert_true(r.first[0] == 1 && r.first[1] == 2 && r.first[2] == 3 && r.nans == 1);
  assert_true(isinf(r.largest) && r.largest_at == 2 && isinf(r.relative) && r.relative_at == 2);
  assert_int_equal(differing(&arena, ELEM_FP32, a, ELEM_FP32, off, ":1,1e300", &r), 2); // no infinity is near
  const int64_t big[] = {INT64_MIN, -1, INT64_C(1) << 53, INT64_MAX};
  const int64_t near[] = {INT64_MIN, -1, (INT64_C(1) << 53) + 1, INT64_MAX};
  const uint64_t positive[] = {0, UINT64_MAX, UINT64_C(1) << 53, INT64_MAX};
  assert_int_equal(differing(&arena, ELEM_I64, big, ELEM_I64, big, "", &r), 0);
  assert_int_equal(differing(&arena, ELEM_I64, big, ELEM_I64, near, "", &r), 1);
  assert_true(r.largest == 1 && r.first[0] == 2);
  assert_int_equal(differing(&arena, ELEM_I64, big, ELEM_I64, near, ":0,1", &r), 0);
  assert_int_equal(differing(&arena, ELEM_I64, big, ELEM_U64, positive, "", &r), 2);
  const uint8_t truth[] = {0, 1, 1, 0}, bytes[] = {0, 1, 2, 0};
  assert_int_equal(differing(&arena, ELEM_I1, truth, ELEM_I1, truth, "", &r), 0);
  assert_int_equal(differing(&arena, ELEM_I1, truth, ELEM_U8, bytes, "", &r), 1);
  // Types that NumPy does not have are the buffer's own bits.
  const uint16_t bf16[] = {0x3f80, 0x3f81, 0x7fc0, 0}, other[] = {0x3f81, 0x3f80, 0x7fff, 0x8000};
  assert_int_equal(differing(&arena, ELEM_BF16, bf16, ELEM_BF16, other, "", &r), 0);
  assert_int_equal(differing(&arena, ELEM_BF16, bf16, ELEM_BF16, other, ":1e-3,0", &r), 2);
  arena_free(&arena);
}

static bool parse(Arena *arena, Options *options, Buf *error, int argc, const char **argv) {
  buf_reset(error);
  return options_parse(argc, (char **)argv, arena, options, error);
}

TEST(test_options) {
  Arena arena = {0};
  Options o;
  Buf error = {0};
  const char *run[] = {"tilec",  "run", "a.tile",         "-DB=2",          "-D",           "C=3",
                       "--grid", "4,5", "--stats=s.json", "x=ones:fp32[4]", "--num-warps=8"};
  assert_true(parse(&arena, &o, &error, 11, run));
  assert_int_equal(o.command, COMMAND_RUN);
  assert_int_equal(o.defines.n, 2);
  assert_int_equal(o.grid[0], 4);
  assert_int_equal(o.grid[1], 5);
  assert_int_equal(o.grid[2], 1);
  assert_string_equal(o.stats_file, "s.json");
  assert_int_equal(o.target.num_warps, 8);
  assert_string_equal(o.args.at[0].name, "x");
  const char *compile[] = {"tilec", "-O0", "-ofile.ptx", "-arch=sm_80", "-g", "--", "-odd.tile"};
  assert_true(parse(&arena, &o, &error, 7, compile));
  assert_string_equal(o.file, "-odd.tile");
  assert_string_equal(o.output, "file.ptx");
  assert_string_equal(o.target.arch->name, "sm_80");
  assert_int_equal(o.target.opt_level, 0);
  assert_true(o.target.debug);
  static const char *const wrong[][2] = {
      {"--num-warps=3", "power of two"}, {"--grid=1,2,3,4", "option of"}, {"--emit", "needs a value"},
      {"--remarks=1", "no value"},       {"-O7", "from 0 to 3"},          {"-x", "unknown option"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *argv[] = {"tilec", "a.tile", wrong[i][0]};
    assert_false(parse(&arena, &o, &error, 3, argv));
    assert_non_null(strstr(error.at, wrong[i][1]));
  }
  buf_free(&error);
  arena_free(&arena);
}

WHOLE_SUITE(tools)
