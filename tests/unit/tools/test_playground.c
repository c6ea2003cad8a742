// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The playground's engine: its JSON for good kernels, for mistakes, and for kernels that do not end.

#include "tests/unit/unit.h"
#include "tools/playground/playground.h"

static const char add[] = "@kernel\n"
                          "def add(x, out, n, BLOCK: constexpr):\n"
                          "  i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                          "  store(out + i, load(x + i, mask=i < n) + 1, mask=i < n)\n";
static const char add_words[] =
    "x=arange:fp32[100]\nout=empty:fp32[100]\nn=100\nBLOCK=64\n--grid\ncdiv(n, BLOCK)";

// Runs the kernel. The answer has the text.
static void expect(const char *source, const char *words, const char *text) {
  char *answer = playground_run("kernel.tile", source, words);
  if (!strstr(answer, text)) {
    puts(answer);
    fail_msg("no %s", text);
  }
  free(answer);
}

TEST(test_run) {
  expect(add, add_words,
         "{\"status\": \"done\", \"text\": \"\", \"diagnostics\": [\n  {\"severity\": \"remark\"");
  expect(add, add_words, "\"kernel\": \"add\", \"grid\": [2, 1, 1]");
  expect(
      add, add_words,
      "{\"name\": \"out\", \"type\": \"fp32\", \"shape\": [100], \"elements\": 100, \"changed\": true, "
      "\"unwritten\": 0, \"nans\": 0, \"min\": 1, \"max\": 1e+02, \"mean\": 50.5, \"values\": [\"1\",\"2\"");
  expect(add, add_words, "\"changed\": false, \"nans\": 0, \"min\": 0, \"max\": 99");
}

TEST(test_passes) {
  expect(add, add_words, "\"passes\": [{\"name\": \"elaborate\", \"text\": \"module target");
  expect(add, add_words, "{\"name\": \"propagate_layouts\", \"text\": \"#l0 = layout<");
}

TEST(test_printed) {
  expect("@kernel\ndef show(n):\n  device_print(\"n is\", n + 1)\n", "n=5\n--grid\n1", "\"printed\": \"");
  expect("@kernel\ndef show(n):\n  device_print(\"n is\", n + 1)\n", "n=5\n--grid\n1", "n is");
}

TEST(test_mistakes) {
  expect("@kernel\ndef k(x):\n  store(x, y)\n", "x=zeros:fp32[1]\n--grid\n1", "\"line\": 3, \"column\": 12");
  expect(add, "x=zeros:fp32[1]", "for instance: tilec run kernel.tile x=zeros:fp32[1]");
  expect(add, "x=zeros:fp32[1]", "\"status\": \"diagnosed\"");
  expect(add, "--no-such-option", "--no-such-option");
  expect(add, "x=random:fp32[8]", "did you mean 'rand'?");
  expect(add, "--save\nx=a.npy", "the playground has no files");
  expect(add, "--device\ncuda:0", "the playground has the evaluator only");
}

// Errors of the run. The passes run too.
TEST(test_reports) {
  const char *race = "@kernel\ndef total(out):\n  store(out, load(out) + 1)\n";
  expect(race, "out=zeros:i32[1]\n--grid\n2", "data race on out[0] of 1");
  expect(race, "out=zeros:i32[1]\n--grid\n2", "\"line\": 3");
  expect(race, "out=zeros:i32[1]\n--grid\n2", "\"passes\": [{\"name\": \"elaborate\"");
  const char *bounds = "@kernel\ndef k(x, out):\n  i = arange(0, 8)\n  store(out + i, load(x + i))\n";
  expect(bounds, "x=ones:i32[7]\nout=empty:i32[8]\n--grid\n1", "load out of bounds: x[7] of 7");
  expect(bounds, "x=ones:i32[7]\nout=empty:i32[8]\n--grid\n1", "\"unwritten\": 8");
}

TEST(test_no_end) {
  expect("@kernel\ndef k(x):\n  n = load(x)\n  while n > 0:\n    n = n + 0\n  store(x, n)\n",
         "x=ones:i32[1]\n--grid\n1\n--timeout\n0.2", "\"status\": \"diagnosed\"");
}

WHOLE_SUITE(playground)
