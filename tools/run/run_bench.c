// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilec bench: the median time of a launch by the device's own clock. Launches alternate between copies of
// the buffers, so that none finds its data in the L2 cache.
#include "tools/run/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/median.h"

enum { ROUNDS = 5, MAX_SETS = 32 };

// Total bytes of the copies: several times any L2 cache.
static const uint64_t beyond_cache = 256u << 20;

typedef struct Bench {
  Run *run;
  tilec_buffer **buffers; // set i begins at i * holder_count
  uint64_t *bits;         // set i begins at i * bit_count
  uint32_t sets;
  uint64_t bytes; // of one set's buffers
} Bench;

// The kernel's arguments for the buffers placed last.
static bool bind(Run *run, uint64_t *bits) {
  BoundArgs bound;
  if (options_file_is_ptx(run->options)) return run_ptx_bits(run, bits);
  if (!run_bind(run, &bound)) return false;
  memcpy(bits, bound.bits, bound.count * sizeof *bits);
  return true;
}

// The first set is the run's own, with the buffers in `first`. The others get new buffers and arguments.
static tilec_status bench_make_sets(Bench *b, tilec_buffer **first) {
  Run *run = b->run;
  uint32_t n = run->bit_count, holders = run->holder_count;
  for (uint32_t i = 0; i < holders; i++)
    if (run->params[i].buffer == &run->params[i]) b->bytes += run->params[i].value.bytes;
  uint64_t sets = b->bytes ? (beyond_cache + b->bytes - 1) / b->bytes : 1;
  b->sets = sets > MAX_SETS ? MAX_SETS : (uint32_t)sets;
  b->buffers = ARENA_ARRAY(run->arena, tilec_buffer *, (size_t)b->sets * holders);
  b->bits = ARENA_ARRAY(run->arena, uint64_t, (size_t)b->sets * n);
  memcpy(b->buffers, first, holders * sizeof *first);
  for (uint32_t set = 0; set < b->sets; set++) {
    tilec_status status = set ? run_place_buffers(run, b->buffers + (size_t)set * holders) : TILEC_OK;
    if (status != TILEC_OK) return status;
    if (!bind(run, b->bits + (size_t)set * n)) return TILEC_ERROR_INVALID_ARGUMENT;
  }
  return TILEC_OK;
}

// Call it after a failure too.
static void bench_free_sets(Bench *b) {
  for (size_t i = b->run->holder_count; i < (size_t)b->sets * b->run->holder_count; i++)
    tilec_buffer_free(b->buffers[i]);
}

// The kernel's arguments and tensor maps, for all sets.
static tilec_status bench_code_args(const Bench *b, const int64_t grid[3], CodeArgs *all) {
  uint64_t *bits = NULL;
  *all = (CodeArgs){0};
  for (uint32_t set = 0; set < b->sets; set++) {
    CodeArgs code;
    tilec_status status = run_code_args(b->run, b->bits + (size_t)set * b->run->bit_count, grid, &code);
    if (status != TILEC_OK) return status;
    if (!bits) bits = ARENA_ARRAY(b->run->arena, uint64_t, (size_t)b->sets * code.count);
    memcpy(bits + (size_t)set * code.count, code.bits, code.count * sizeof *bits);
    *all = (CodeArgs){bits, code.count};
  }
  return TILEC_OK;
}

// The number of launches in a round. On a GPU each set is launched several times.
static uint32_t bench_launches(const Bench *b) {
  return b->run->device->kind == &device_cuda ? 4 * b->sets : 1;
}

static tilec_status measure_kernel(Bench *b, const KernelImage *image, const int64_t grid[3],
                                   double seconds[ROUNDS]) {
  DeviceKernel kernel = {0};
  tilec_status status = run_load(b->run, image, &kernel);
  uint32_t count = bench_launches(b);
  LaunchLimits limits = run_limits(b->run);
  CodeArgs code;
  if (status == TILEC_OK) status = bench_code_args(b, grid, &code);
  if (status == TILEC_OK)
    status = device_time(&kernel, grid, code.bits, code.count, b->sets, count, ROUNDS, &limits, seconds);
  device_unload(&kernel);
  return status;
}

// The program that was timed. NULL: a GPU.
static const char *bench_timed_program(const Bench *b) {
  if (b->run->device->kind == &device_cuda) return NULL;
  return device_simulator(b->run->device) ? "simulator" : "evaluator";
}

// `ceiling`: bytes per second of a copy. 0 if the device is no GPU.
static void report_times(const Bench *b, const char *kernel, const double *seconds, double ceiling) {
  double median = seconds[ROUNDS / 2], rate = (double)b->bytes / median;
  printf("%s on %s: %.2f us (%.2f to %.2f), %.1f GB/s over %llu bytes of buffers", kernel,
         b->run->device->name, median * 1e6, seconds[0] * 1e6, seconds[ROUNDS - 1] * 1e6, rate * 1e-9,
         (unsigned long long)b->bytes);
  if (ceiling > 0) printf(", %.1f%% of a copy's %.1f GB/s here", 100 * rate / ceiling, ceiling * 1e-9);
  putchar('\n');
  if (bench_timed_program(b))
    printf("the %s's own time on this CPU, which does not predict the kernel's time on a GPU\n",
           bench_timed_program(b));
}

// --stats: the same data as one JSON object.
static bool report_json(const Bench *b, const char *kernel, const double *seconds, double ceiling) {
  Buf out = {0};
  Json json = {.out = &out};
  json_object(&json, NULL);
  json_text(&json, "kernel", kernel);
  json_text(&json, "device", b->run->device->name);
  json_text(&json, "time_of", bench_timed_program(b) ? bench_timed_program(b) : "gpu");
  json_uint(&json, "bytes", b->bytes);
  json_array(&json, "seconds");
  for (int i = 0; i < ROUNDS; i++) json_rounded(&json, NULL, seconds[i], 9);
  json_array_end(&json);
  json_rounded(&json, "median", seconds[ROUNDS / 2], 9);
  if (ceiling > 0)
    json_rounded(&json, "copy_bytes_per_second", ceiling, 9);
  else
    json_null(&json, "copy_bytes_per_second");
  json_object_end(&json);
  buf_char(&out, '\n');
  bool good = run_write_stats(b->run, buf_view(&out));
  buf_free(&out);
  return good;
}

// Places the sets of buffers and times the launches. EXIT_DIAGNOSED after reporting an error.
static ExitStatus time_launches(Bench *b, const KernelImage *image, tilec_buffer **buffers, double *seconds) {
  ExitStatus result = EXIT_DONE;
  int64_t grid[3];
  tilec_status status = bench_make_sets(b, buffers);
  if (status == TILEC_OK && !run_grid(b->run, image->func, b->bits, grid))
    result = EXIT_DIAGNOSED;
  else if (status == TILEC_OK)
    status = measure_kernel(b, image, grid, seconds);
  bench_free_sets(b);
  return status != TILEC_OK ? run_failed(b->run, status) : result;
}

static ExitStatus make_image(Run *run, KernelImage *image) {
  if (options_file_is_ptx(run->options)) {
    if (run->device->needs_ptx) return run_ptx_image(run, image) ? EXIT_DONE : EXIT_DIAGNOSED;
    return tool_error("[T1006] PTX runs on sim and cuda, not on %s", run->device->name);
  }
  BoundArgs bound;
  if (!run_bind(run, &bound)) return EXIT_DIAGNOSED;
  run_specialise(run, &bound);
  return run_tell(run, run_compile(run, &bound, image));
}

ExitStatus run_bench(Run *run, tilec_buffer **buffers) {
  KernelImage image = {0};
  ExitStatus result = make_image(run, &image);
  if (result != EXIT_DONE) return result;
  Bench b = {.run = run};
  double seconds[ROUNDS] = {0}, ceiling = 0;
  result = time_launches(&b, &image, buffers, seconds);
  if (result != EXIT_DONE) return result;
  if (run->c->diags.list.n) run_tell(run, TILEC_OK);
  if (run->device->kind == &device_cuda) {
    tilec_status status = bench_copy_ceiling(run->device, run->arena, &ceiling);
    if (status != TILEC_OK) return run_failed(run, status);
  }
  median_of(seconds, ROUNDS);
  report_times(&b, image.name, seconds, ceiling);
  return run->options->stats && !report_json(&b, image.name, seconds, ceiling) ? EXIT_DIAGNOSED : EXIT_DONE;
}
