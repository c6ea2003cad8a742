// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the memory bandwidth: the bytes per second that a plain copy moves. The copy is timed as tilec
// bench times kernels.
#include "tools/run/run.h"

#include "base/median.h"

enum { BLOCK = 4096, BUFFER_MIB = 512, ROUNDS = 5, LAUNCHES = 4 };

static const char source[] = "@kernel\n"
                             "def copy(x: *fp32, out: *fp32, n: i32, BLOCK: constexpr):\n"
                             "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                             "    store(out + i, load(x + i))\n";

static tilec_status compile_copy(const tilec_device *device, tilec_compiled **compiled) {
  static const char *const defines[] = {"BLOCK=4096"};
  _Static_assert(BLOCK == 4096, "the definition above");
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  tilec_program *program = NULL;
  options.signature = "x=:16,out=:16,n=:16";
  options.defines = defines;
  options.define_count = 1;
  options.arch = tilec_device_arch(device);
  options.num_warps = 8;
  tilec_status status = tilec_program_from_source("copy.tile", source, sizeof source - 1, &program);
  if (status == TILEC_OK) status = tilec_compile(program, &options, compiled);
  tilec_program_free(program);
  return status;
}

static tilec_status time_copy(tilec_device *device, Str ptx, tilec_buffer *from, tilec_buffer *to,
                              double seconds[ROUNDS]) {
  KernelImage image = {.name = "copy", .ptx = ptx, .threads = {32 * 8, 1, 1}};
  uint64_t n = tilec_buffer_bytes(from) / 4;
  uint64_t args[2][3] = {{tilec_buffer_address(from), tilec_buffer_address(to), n},
                         {tilec_buffer_address(to), tilec_buffer_address(from), n}};
  DeviceKernel kernel = {0};
  tilec_status status = device_load(device, &image, &kernel);
  const int64_t grid[3] = {(int64_t)(n / BLOCK), 1, 1};
  if (status == TILEC_OK) status = device_time(&kernel, grid, args[0], 3, 2, LAUNCHES, ROUNDS, NULL, seconds);
  device_unload(&kernel);
  return status;
}

// Random data, because memory moves zeros faster.
static tilec_status fill_randomly(tilec_buffer *buffer, Arena *arena) {
  size_t part = 1 << 20, all = tilec_buffer_bytes(buffer);
  uint32_t *data = ARENA_ARRAY(arena, uint32_t, part / 4), state = 1;
  tilec_status status = TILEC_OK;
  for (size_t i = 0; i < part / 4; i++) data[i] = state = state * 1664525u + 1013904223u;
  for (size_t at = 0; at < all && status == TILEC_OK; at += part)
    status = tilec_buffer_write(buffer, at, data, part);
  return status;
}

tilec_status bench_copy_ceiling(tilec_device *device, Arena *arena, double *bytes_per_second) {
  tilec_compiled *compiled = NULL;
  tilec_buffer *from = NULL, *to = NULL;
  const char *ptx = NULL;
  double seconds[ROUNDS];
  size_t bytes = 0, size = (size_t)BUFFER_MIB << 20;
  tilec_status status = compile_copy(device, &compiled);
  if (status == TILEC_OK) status = tilec_compiled_output(compiled, TILEC_OUTPUT_PTX, &ptx, &bytes);
  if (status == TILEC_OK) status = tilec_buffer_new(device, size, &from);
  if (status == TILEC_OK) status = tilec_buffer_new(device, size, &to);
  if (status == TILEC_OK) status = fill_randomly(from, arena);
  if (status == TILEC_OK) status = fill_randomly(to, arena);
  if (status == TILEC_OK) status = time_copy(device, (Str){ptx, bytes}, from, to, seconds);
  if (status == TILEC_OK) *bytes_per_second = 2.0 * (double)size / median_of(seconds, ROUNDS);
  tilec_buffer_free(from);
  tilec_buffer_free(to);
  tilec_compiled_free(compiled);
  return status;
}
