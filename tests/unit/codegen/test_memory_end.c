// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library when the n-th allocation of the process fails, from any caller, for n from 1 on. Each
// call succeeds or returns TILEC_ERROR_OUT_OF_MEMORY. The next one succeeds, and nothing of ours
// leaks. (LLVM's own memory does: it is abandoned in the middle of an operation.)
#include <errno.h>
#include <stdbool.h>
#include "tests/unit/unit.h"
#include "runtime/tilec.h"
#include "tests/unit/runtime_fixture.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Instead of glibc's own, which have these names too. One thread.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *at);

static struct {
  long until; // this allocation from now on fails, and with `on` all after it; 0: none
  bool on;
  long made, live;
} plan;

static bool fails(void) {
  plan.made++;
  if (plan.until == 0) return false;
  if (plan.until > 1) {
    plan.until--;
    return false;
  }
  if (!plan.on) plan.until = 0;
  errno = ENOMEM;
  return true;
}

static void *counted(void *at) {
  plan.live += at != NULL;
  return at;
}

void *malloc(size_t size) { return fails() ? NULL : counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : counted(__libc_calloc(count, size)); }
void *aligned_alloc(size_t align, size_t size) {
  return fails() ? NULL : counted(__libc_memalign(align, size));
}

void *realloc(void *old, size_t size) {
  if (fails()) return NULL;
  void *at = __libc_realloc(old, size);
  plan.live += at && !old;
  return at;
}

int posix_memalign(void **at, size_t align, size_t size) {
  *at = fails() ? NULL : counted(__libc_memalign(align, size));
  return *at ? 0 : ENOMEM;
}

void free(void *at) {
  plan.live -= at != NULL;
  __libc_free(at);
}

// --- What is done with little memory

static tilec_status offline(void) {
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.signature = "n=i32:16";
  tilec_program *program = NULL;
  tilec_compiled *compiled = NULL;
  const char *text;
  tilec_status status = tilec_program_from_source("test.tile", scale_source, strlen(scale_source), &program);
  if (!status) status = tilec_compile(program, &options, &compiled);
  for (int output = TILEC_OUTPUT_PTX; output <= TILEC_OUTPUT_META && !status; output++)
    status = tilec_compiled_output(compiled, (tilec_output)output, &text, NULL);
  if (!status) status = tilec_compiled_output(compiled, TILEC_OUTPUT_LAUNCH, &text, NULL);
  tilec_compiled_free(compiled);
  tilec_program_free(program);
  return status;
}

static tilec_status launched(const char *name) {
  enum { N = 100 };
  float x[N] = {1, 2}, got[N] = {0};
  tilec_program *program = NULL;
  tilec_device *device = NULL;
  tilec_kernel *kernel = NULL;
  tilec_buffer *in = NULL, *out = NULL;
  tilec_status status = tilec_device_open(name, &device);
  if (!status) status = tilec_program_from_source("test.tile", scale_source, strlen(scale_source), &program);
  if (!status) status = tilec_kernel_new(device, program, NULL, &kernel);
  if (!status) status = tilec_buffer_new(device, sizeof x, &in);
  if (!status) status = tilec_buffer_new(device, sizeof x, &out);
  if (!status) status = tilec_buffer_write(in, 0, x, sizeof x);
  if (!status) {
    const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, in), tilec_arg_buffer(TILEC_FP32, out),
                              tilec_arg_int(N)};
    status = tilec_launch(kernel, NULL, args, 3);
  }
  if (!status) status = tilec_buffer_read(out, 0, got, sizeof got);
  if (!status && (got[0] != 2 || got[1] != 4)) status = TILEC_ERROR_INTERNAL;
  tilec_buffer_free(out);
  tilec_buffer_free(in);
  tilec_kernel_free(kernel);
  tilec_program_free(program);
  tilec_device_close(device);
  return status;
}

static tilec_status on_sim(void) { return launched("sim"); }
static tilec_status on_eval(void) { return launched("eval"); }

// --- The n-th allocation fails

// Every one of the first `dense`, then one in `step`. closed: nothing may leak.
static void run_out(tilec_status (*work)(void), long dense, long step, bool closed) {
  assert_ok(work()); // what is made once is made
  plan.made = 0;
  assert_ok(work());
  long total = plan.made;
  assert_true(total > 20);
  for (int on = 0; on < 2; on++)
    for (long n = 1; n <= total; n += n < dense ? 1 : step) {
      long before = plan.live;
      plan.on = on;
      plan.until = n;
      tilec_status status = work();
      plan.until = 0;
      if (status != TILEC_OK && status != TILEC_ERROR_OUT_OF_MEMORY)
        fail_msg("allocation %ld of %ld: %s: %s", n, total, tilec_status_name(status), tilec_last_error());
      if (status && !strstr(tilec_last_error(), "memory"))
        fail_msg("allocation %ld: '%s'", n, tilec_last_error());
      if (on && !status)
        fail_msg("from allocation %ld of %ld on there is none, and that is not told", n, total);
      if (closed && plan.live != before)
        fail_msg("allocation %ld of %ld: %ld more are left", n, total, plan.live - before);
    }
  assert_ok(work());
}

TEST(test_evaluator) { run_out(on_eval, 1000, 1, true); }

TEST(test_compile) { run_out(offline, 60, 97, false); }

TEST(test_simulator) { run_out(on_sim, 60, 97, false); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_evaluator), cmocka_unit_test(test_compile),
                                     cmocka_unit_test(test_simulator)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
  puts("SKIPPED: another allocator than glibc's, which cannot be made to fail");
  return 0;
}

#endif
