// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All-reduce between the GPUs of one process, with one_shot of all_reduce.py, compared with the sum in double. The CUDA
// driver gives each GPU access to the others' memory.
// all_reduce [DEVICE [RANKS [N [FILE]]]]      DEVICE: cuda, or sim for simulated GPUs; FILE: all_reduce.py
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilec/tilec.h>

enum { MAX_RANKS = 16, BLOCK = 1024, ARGS = 7, LAUNCHES = 3 };

typedef struct Rank {
  tilec_device *device; // on sim the same of all ranks
  tilec_kernel *kernel; // likewise
  tilec_buffer *x, *out, *parts, *pad, *parts_table, *pad_table;
  float *host;
} Rank;

typedef struct Ranks {
  Rank rank[MAX_RANKS];
  tilec_program *program;
  size_t count, n;
  int simulated;
} Ranks;

static size_t programs(const Ranks *r) { return (r->n + BLOCK - 1) / BLOCK; }

// Lets the GPUs access each other's memory. tilec uses their primary contexts. Returns 0 if it cannot.
static int enable_peers(size_t count) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return 0;
  int (*retain)(void **, int), (*push)(void *), (*pop)(void **), (*enable)(void *, unsigned);
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&push = dlsym(driver, "cuCtxPushCurrent_v2");
  *(void **)&pop = dlsym(driver, "cuCtxPopCurrent_v2");
  *(void **)&enable = dlsym(driver, "cuCtxEnablePeerAccess");
  if (!retain || !push || !pop || !enable) return 0;
  void *context[MAX_RANKS];
  for (size_t i = 0; i < count; i++)
    if (retain(&context[i], (int)i)) return 0; // GPU i; released when the process ends
  for (size_t i = 0; i < count; i++)
    for (size_t peer = 0; peer < count; peer++) {
      if (peer == i) continue;
      if (push(context[i])) return 0;
      int failed = enable(context[peer], 0);
      pop(&context[i]);
      if (failed) return 0;
    }
  return 1;
}

static tilec_status open_rank(Ranks *r, size_t i) {
  Rank *rank = &r->rank[i];
  static const char *const defines[] = {"BLOCK=1024"};
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.kernel = "one_shot";
  options.defines = defines;
  options.define_count = 1;
  char name[32];
  snprintf(name, sizeof name, "cuda:%zu", i);
  tilec_status status = TILEC_OK;
  if (r->simulated && i) {
    rank->device = r->rank[0].device;
    rank->kernel = r->rank[0].kernel;
  } else {
    status = tilec_device_open(r->simulated ? "sim" : name, &rank->device);
    if (!status) status = tilec_kernel_new(rank->device, r->program, &options, &rank->kernel);
  }
  size_t bytes = r->n * sizeof(float), pad = programs(r) * r->count * sizeof(int32_t),
         table = r->count * sizeof(uint64_t);
  if (!status) status = tilec_buffer_new(rank->device, bytes, &rank->x);
  if (!status) status = tilec_buffer_new(rank->device, bytes, &rank->out);
  if (!status) status = tilec_buffer_new(rank->device, 2 * r->count * bytes, &rank->parts);
  if (!status) status = tilec_buffer_new(rank->device, pad, &rank->pad);
  if (!status) status = tilec_buffer_new(rank->device, table, &rank->parts_table);
  if (!status) status = tilec_buffer_new(rank->device, table, &rank->pad_table);
  if (!status) status = tilec_buffer_fill(rank->pad, 0);
  return status;
}

static tilec_status write_tables(Ranks *r) {
  uint64_t parts[MAX_RANKS], pads[MAX_RANKS];
  tilec_status status = TILEC_OK;
  for (size_t i = 0; i < r->count; i++) {
    parts[i] = tilec_buffer_address(r->rank[i].parts);
    pads[i] = tilec_buffer_address(r->rank[i].pad);
  }
  for (size_t i = 0; i < r->count && !status; i++) {
    status = tilec_buffer_write(r->rank[i].parts_table, 0, parts, r->count * sizeof *parts);
    if (!status) status = tilec_buffer_write(r->rank[i].pad_table, 0, pads, r->count * sizeof *pads);
  }
  return status;
}

// New data on each rank, and a launch on all. GPUs work at the same time, since a launch does not wait.
static tilec_status launch(Ranks *r) {
  tilec_arg args[MAX_RANKS][ARGS];
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = (int64_t)programs(r);
  tilec_status status = TILEC_OK;
  for (size_t i = 0; i < r->count && !status; i++) {
    Rank *rank = &r->rank[i];
    const tilec_arg own[ARGS] = {tilec_arg_buffer(TILEC_FP32, rank->x),
                                 tilec_arg_buffer(TILEC_I64, rank->parts_table),
                                 tilec_arg_buffer(TILEC_I64, rank->pad_table),
                                 tilec_arg_buffer(TILEC_FP32, rank->out),
                                 tilec_arg_int((int64_t)i),
                                 tilec_arg_int((int64_t)r->count),
                                 tilec_arg_int((int64_t)r->n)};
    memcpy(args[i], own, sizeof own);
    for (size_t at = 0; at < r->n; at++) rank->host[at] = (float)rand() / (float)RAND_MAX - 0.5f;
    status = tilec_buffer_write(rank->x, 0, rank->host, r->n * sizeof(float));
    if (!status) status = tilec_buffer_fill(rank->out, 0xFF);
    if (!status)
      status = tilec_kernel_prepare(rank->kernel, own, ARGS); // no rank waits for another's compile
  }
  options.ranks = r->simulated ? r->count : 0;
  if (r->simulated)
    return status ? status : tilec_launch(r->rank[0].kernel, &options, args[0], r->count * ARGS);
  for (size_t i = 0; i < r->count && !status; i++)
    status = tilec_launch(r->rank[i].kernel, &options, args[i], ARGS);
  return status;
}

static tilec_status largest_error(Ranks *r, double *worst) {
  float *out = malloc(r->n * sizeof *out);
  tilec_status status = out ? TILEC_OK : TILEC_ERROR_OUT_OF_MEMORY;
  for (size_t i = 0; i < r->count && !status; i++) {
    status = tilec_buffer_read(r->rank[i].out, 0, out, r->n * sizeof *out);
    for (size_t at = 0; at < r->n && !status; at++) {
      double sum = 0;
      for (size_t from = 0; from < r->count; from++) sum += (double)r->rank[from].host[at];
      double error = fabs((double)out[at] - sum);
      if (!(error <= *worst) && !isnan(*worst)) *worst = error; // a NaN stays
    }
  }
  free(out);
  return status;
}

static void release(Ranks *r) {
  for (size_t i = 0; i < r->count; i++) {
    Rank *rank = &r->rank[i];
    tilec_buffer *const buffers[] = {rank->x,   rank->out,         rank->parts,
                                     rank->pad, rank->parts_table, rank->pad_table};
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++) tilec_buffer_free(buffers[b]);
    if (!r->simulated || i == 0) tilec_kernel_free(rank->kernel);
    free(rank->host);
  }
  for (size_t i = 0; i < (r->simulated ? 1 : r->count); i++) tilec_device_close(r->rank[i].device);
  tilec_program_free(r->program);
}

// Path of all_reduce.py in the folder of the program `self`.
static void kernel_path(const char *self, char *path, size_t room) {
  const char *slash = strrchr(self, '/');
  snprintf(path, room, "%.*sall_reduce.py", slash ? (int)(slash - self + 1) : 0, self);
}

int main(int argc, char **argv) {
  char path[1000];
  kernel_path(argv[0], path, sizeof path);
  Ranks r = {.simulated = argc > 1 && !strcmp(argv[1], "sim")};
  r.count = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 2;
  r.n = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 50000;
  if (!r.count || r.count > MAX_RANKS || !r.n)
    return fprintf(stderr, "all_reduce: 1 to %d ranks\n", MAX_RANKS), 1;
  double worst = 0;
  tilec_status status = tilec_program_from_file(argc > 4 ? argv[4] : path, &r.program);
  for (size_t i = 0; i < r.count && !status; i++) {
    r.rank[i].host = calloc(r.n, sizeof(float));
    status = r.rank[i].host ? open_rank(&r, i) : TILEC_ERROR_OUT_OF_MEMORY;
  }
  if (!status && !r.simulated && !enable_peers(r.count)) {
    fprintf(stderr, "all_reduce: the GPUs cannot access each other's memory\n");
    return 1;
  }
  if (!status) status = write_tables(&r);
  for (int i = 0; i < LAUNCHES && !status; i++) {
    status = launch(&r);
    if (!status) status = largest_error(&r, &worst);
  }
  if (status) fprintf(stderr, "all_reduce: %s: %s\n", tilec_status_name(status), tilec_last_error());
  int ok = !status && worst <= 1e-6 * (double)r.count;
  if (!status)
    printf("all-reduce of %zu ranks: n = %zu, max error %.3g\n%s\n", r.count, r.n, worst,
           ok ? "OK" : "WRONG");
  release(&r);
  return ok ? 0 : 1;
}
