// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/sim_nvcc/kernels.h"

const char *const kernel_variants[KERNEL_VARIANTS] = {"sm_80", "sm_80-debug", "sm_90a", "sm_90a-debug"};

const KernelCase kernel_cases[] = {
#define KERNEL(name, file) {#name, #file, check_##name},
#include "tests/sim_nvcc/kernels.def"
#undef KERNEL
};
const size_t kernel_case_count = sizeof kernel_cases / sizeof *kernel_cases;

// The file is nvcc's for sm_80, from which its text for `target` (as in "sm_90a-debug") differs in this
// word alone.
static size_t retarget(char *text, size_t size, const char *target) {
  static const char was[] = ".target sm_80";
  char *line = strstr(text, was);
  if (!line) return 0;
  size_t length = strcspn(target, "-"), at = (size_t)(line - text) + strlen(was), old = strlen("sm_80");
  memmove(text + at - old + length, text + at, size + 1 - at);
  memcpy(text + at - old, target, length);
  return size - old + length;
}

bool nvcc_load(Run *run, const char *folder, const char *file, const char *variant) {
  enum { CAPACITY = 1 << 20 };
  char path[512];
  snprintf(path, sizeof path, "%s/%s%s.ptx", folder, file, strstr(variant, "-debug") ? "-debug" : "");
  FILE *from = fopen(path, "rb");
  char *text = malloc(CAPACITY);
  size_t size = from && text ? fread(text, 1, CAPACITY - 16, from) : 0;
  if (from) fclose(from);
  snprintf(run->message, sizeof run->message, "%s cannot be read", path);
  if (size) text[size] = '\0', size = retarget(text, size, variant);
  bool loaded = size && run->machine->load(run, text, size);
  free(text);
  return loaded;
}

void nvcc_check(Run *run, const KernelCase *kernel) {
  run->seed = 88172645463325252u;
  run->message[0] = '\0';
  run->bound_count = 0;
  kernel->check(run);
  run->machine->release(run);
  for (int i = 0; i < run->bound_count; i++) memset(run->bound[i], 0xa5, run->bound_bytes[i]);
}

void expect_equal(const Run *run, uint64_t a, uint64_t b, const char *text, const char *file, int line) {
  char all[256];
  if (a == b) return;
  snprintf(all, sizeof all, "%#llx is not %#llx: %s", (unsigned long long)a, (unsigned long long)b, text);
  expect_failed(run, all, file, line);
}

uint64_t random64(Run *run) {
  run->seed ^= run->seed << 13;
  run->seed ^= run->seed >> 7;
  run->seed ^= run->seed << 17;
  return run->seed;
}

uint64_t bind(Run *run, void *host, size_t bytes) {
  EXPECT(run->bound_count < MAX_BUFFERS);
  uint64_t address = run->machine->bind(run, host, bytes);
  EXPECT(address);
  run->bound[run->bound_count] = host;
  run->bound_bytes[run->bound_count++] = bytes;
  return address;
}

Outcome launch_grid(Run *run, const char *name, const uint32_t grid[3], const uint32_t block[3],
                    uint32_t dynamic, const void *const *params) {
  return run->machine->launch(run, name, grid, block, dynamic, params);
}

void launch(Run *run, const char *name, uint32_t blocks, uint32_t threads, const uint64_t *buffers, int count,
            int n) {
  const void *params[MAX_BUFFERS];
  for (int i = 0; i < count; i++) params[i] = &buffers[i];
  params[count] = &n;
  uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
  EXPECT_EQUAL(launch_grid(run, name, grid, block, 0, params), OUTCOME_OK);
}
