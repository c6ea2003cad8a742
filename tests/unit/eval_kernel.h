// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels in text form for the evaluator's tests: parsed, given buffers, launched.
#ifndef TESTS_EVAL_KERNEL_H
#define TESTS_EVAL_KERNEL_H

#include <math.h>
#include "tests/unit/unit.h"
#include "eval/eval.h"
#include "ir/number.h"
#include "ir/text/parse.h"

enum { X = 0x100000, Y = 0x200000, Z = 0x300000, OUT = 0x400000, OUT2 = 0x500000 };

typedef struct Kernel {
  Arena arena;
  Sources sources;
  Diags diags;
  IrContext ir;
  Func *func;
  EvalMemory *memory;
  Buf printed;
  uint32_t grid[3];
  uint64_t random;
  uint64_t max_steps;
} Kernel;

static inline void kernel_fail(Kernel *k) {
  Buf text = {0};
  diags_print_text(&k->diags, true, &text);
  fail_msg("%s", text.at ? text.at : "");
}

// The verifier refuses the kernel, and says `error`. `head` and `body` as of kernel_open_head.
static inline void kernel_expect_invalid_on(const char *arch, const char *head, const char *body,
                                            const char *error) {
  Arena arena = {0};
  Sources sources = {.arena = &arena};
  Diags diags = {.arena = &arena, .sources = &sources};
  IrContext ir;
  ir_context_init(&ir, &arena, &sources, &diags);
  const char *text = arena_printf(
      &arena, "module target = \"%s\", num_warps = 4 {\nkernel @k%s {\n%sreturn\n}\n}\n", arch, head, body);
  IrModule *module = module_parse(&ir, sources_add(&sources, "k.tir", str_from(text)));
  bool said = false;
  for (uint32_t i = 0; i < diags.list.n; i++) said |= strstr(diags.list.at[i]->message, error) != NULL;
  if (module || !said) {
    Buf out = {0};
    diags_print_text(&diags, false, &out);
    print_error("%s%s\nshould say: %s\n", body, out.at ? out.at : "(valid)", error);
    buf_free(&out);
  }
  assert_true(!module && said);
  arena_free(&arena);
}

static inline void kernel_expect_invalid(const char *head, const char *body, const char *error) {
  kernel_expect_invalid_on("sm_90a", head, body, error);
}

// `params` as in the text form: "%x: *fp32, %n: i32"; `body` without the
// return. Lines count from 1 in the body.
// `head`: the parameters in parentheses, and host regions.
static inline void kernel_open_on(Kernel *k, const char *arch, const char *head, const char *body) {
  *k = (Kernel){.grid = {1, 1, 1}, .random = 1};
  k->sources.arena = k->diags.arena = &k->arena;
  k->diags.sources = &k->sources;
  ir_context_init(&k->ir, &k->arena, &k->sources, &k->diags);
  char *text = arena_printf(&k->arena,
                            "module target = \"%s\", num_warps = 4, num_stages = 3, maxnreg = 0, fp32_dot = "
                            "\"ieee\", fp_contract = true, opt_level = 3, debug = false { kernel @k%s {%s\n"
                            "return\n}\n}\n",
                            arch, head, body);
  IrModule *module = module_parse(&k->ir, sources_add(&k->sources, "k.tir", str_from(text)));
  if (!module) kernel_fail(k);
  k->func = module->funcs.at[0];
  k->memory = eval_memory_new(&k->arena);
}

static inline void kernel_open_head(Kernel *k, const char *head, const char *body) {
  kernel_open_on(k, "sm_90a", head, body);
}

static inline void kernel_open(Kernel *k, const char *params, const char *body) {
  Buf head = {0};
  buf_printf(&head, "(%s)", params);
  kernel_open_head(k, head.at, body);
  buf_free(&head);
}

static inline void kernel_close(Kernel *k) {
  buf_free(&k->printed);
  arena_free(&k->arena);
}

static inline void kernel_print(const char *text, void *data) {
  buf_text(data, text);
  buf_char(data, '\n');
}

// The parameters' bits in order; missing ones are 0.
static inline bool kernel_run(Kernel *k, uint32_t n, const uint64_t *args) {
  EvalArg list[8] = {{0}};
  for (uint32_t i = 0; i < n; i++) list[i].bits = args[i];
  EvalOptions options = {.max_steps = k->max_steps ? k->max_steps : 100000000,
                         .races = true,
                         .compared = true,
                         .wraps = true,
                         .print = kernel_print,
                         .print_data = &k->printed};
  return eval_launch(k->func, k->grid, list, k->memory, &options);
}

#define RUN(k, ...)                                                                                          \
  kernel_run(k, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (const uint64_t[]){__VA_ARGS__})

static inline void kernel_must_run(Kernel *k, bool ok) {
  if (!ok) kernel_fail(k);
}

static inline uint32_t kernel_random(Kernel *k) {
  k->random = k->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(k->random >> 33);
}

// In -1 .. 1.
static inline float kernel_real(Kernel *k) { return (float)(kernel_random(k) & 0xffffff) * 0x1p-23f - 1; }
// Small integers: sums of a few thousand multiplied pairs are exact in fp32.
static inline float kernel_whole(Kernel *k) { return (float)(kernel_random(k) % 17) - 8; }

static inline void kernel_output(Kernel *k, uint64_t address, uint64_t bytes) {
  eval_memory_add(k->memory, address, NULL, bytes, false);
}

static inline const void *kernel_bytes(const Kernel *k, uint64_t address) {
  return eval_memory_bytes(k->memory, address);
}

static inline double kernel_value(const Kernel *k, uint64_t address, Elem elem, uint32_t i) {
  return number_decode(elem,
                       number_load(elem, (const uint8_t *)kernel_bytes(k, address) + i * elem_bytes(elem)));
}

static inline int64_t kernel_int(const Kernel *k, uint64_t address, Elem elem, uint32_t i) {
  return (int64_t)number_load(elem, (const uint8_t *)kernel_bytes(k, address) + i * elem_bytes(elem));
}

static inline EvalCheck kernel_check(const Kernel *k, uint64_t address, const void *got, Elem elem) {
  EvalCheck check;
  eval_check(k->memory, address, got, elem, &check);
  return check;
}

// The n-th message; "" where there are fewer.
static inline const char *kernel_said(const Kernel *k, uint32_t n) {
  return n < k->diags.list.n ? k->diags.list.at[n]->message : "";
}

static inline void kernel_expect(const Kernel *k, uint32_t n, const char *text) {
  if (!strstr(kernel_said(k, n), text)) fail_msg("\"%s\" does not say \"%s\"", kernel_said(k, n), text);
}

// The run gave those bytes at `out`, or, where there is an error to come, said it.
static inline void kernel_gave(Kernel *k, bool ok, uint64_t out, const void *bytes, size_t size,
                               const char *error) {
  if (error) {
    assert_false(ok);
    kernel_expect(k, 0, error);
  } else {
    kernel_must_run(k, ok);
    assert_memory_equal(kernel_bytes(k, out), bytes, size);
  }
}

#endif
