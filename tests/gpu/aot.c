// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares kernels that were compiled ahead of time with the same kernels compiled by libtilec, on
// one CUDA driver. The bits must be the same: from aligned and misaligned arguments, from several
// threads at once, and from a graph.
//
//   gpu_aot FOLDER...      folders of add.tile, matmul.tile, weighted_sum.tile and of those in tests/aot
#include <dlfcn.h>
#include <pthread.h>

#include "add.h"
#include "grids.h"
#include "matmul.h"
#include "tests/gpu/aot.h"
#include "weighted_sum.h"

enum { THREADS = 8 };

static tilec_aot_status launch_add(const Run *run) { return add(NULL, P(0), P(1), P(2), I(0)); }
static tilec_aot_status launch_fwd(const Run *run) {
  return weighted_sum_fwd(NULL, P(0), P(1), P(2), I(0), I(1), I(2), I(3), I(4), I(5));
}
static tilec_aot_status launch_bwd(const Run *run) {
  return weighted_sum_bwd(NULL, P(0), P(1), P(2), P(3), P(4), I(0), I(1), I(2), I(3), I(4), I(5), I(6), I(7),
                          I(8), I(9));
}
static tilec_aot_status launch_columns(const Run *run) {
  return weighted_sum_column_sum(NULL, P(0), P(1), I(0), I(1));
}
static tilec_aot_status launch_matmul(const Run *run) {
  return matmul(NULL, P(0), P(1), P(2), I(0), I(1), I(2), I(3), I(4), I(5), I(6));
}
static tilec_aot_status launch_grid_plain(const Run *run) {
  return grids_plain(NULL, P(0), I(0), I(1), (uint32_t)I(2));
}
static tilec_aot_status launch_grid_chosen(const Run *run) {
  return grids_chosen(NULL, P(0), I(0), I(1), (uint32_t)I(2));
}
static tilec_aot_status launch_grid_signs(const Run *run) {
  return grids_signs(NULL, P(0), I(0), I(1), (uint32_t)I(2));
}
static tilec_aot_status launch_grid_negative(const Run *run) {
  return grids_negative(NULL, P(0), I(0), I(1), (uint32_t)I(2));
}
static tilec_aot_status launch_grid_bits(const Run *run) {
  return grids_bits(NULL, P(0), I(0), I(1), (uint32_t)I(2));
}
static tilec_aot_status launch_grid_helpers(const Run *run) {
  return grids_helpers(NULL, P(0), I(0), I(1), (uint32_t)I(2));
}

// Two descriptors and a tuple: their parts, but for the last strides.
static tilec_aot_status launch_wide(const Run *run) {
  return grids_wide(NULL, P(0), I(0), I(1), I(2), P(1), I(0), I(1), I(2), I(3), P(2));
}

// Each kernel has arguments for which all facts of its signature hold, and some for which none
// does. For both, libtilec's variant relies on the same facts as the one that was compiled ahead of
// time.
static const Case cases[] = {
    {"add.tile", "add", launch_add, add_aot_error, TILEC_FP32, 3, 1, 0, {4096}, 0, 0},
    {"add.tile", "add", launch_add, add_aot_error, TILEC_FP32, 3, 1, 1, {4099}, 0, 0},
    {"add.tile", "add", launch_add, add_aot_error, TILEC_FP32, 3, 1, 0, {4099}, 0, 0},
    {"add.tile", "add", launch_add, add_aot_error, TILEC_FP32, 3, 1, 0, {0}, 0, 0},
    {"weighted_sum.tile",
     "weighted_sum_fwd",
     launch_fwd,
     weighted_sum_aot_error,
     TILEC_FP32,
     3,
     6,
     0,
     {128, 1, 1, 1, 64, 128}, 0, 0},
    {"weighted_sum.tile",
     "weighted_sum_fwd",
     launch_fwd,
     weighted_sum_aot_error,
     TILEC_FP32,
     3,
     6,
     1,
     {131, 2, 3, 3, 37, 61}, 0, 0},
    {"weighted_sum.tile",
     "weighted_sum_bwd",
     launch_bwd,
     weighted_sum_aot_error,
     TILEC_FP32,
     5,
     10,
     0,
     {128, 1, 1, 1, 128, 1, 128, 1, 64, 128}, 0, 0},
    {"weighted_sum.tile",
     "weighted_sum_bwd",
     launch_bwd,
     weighted_sum_aot_error,
     TILEC_FP32,
     5,
     10,
     1,
     {131, 2, 3, 3, 133, 2, 135, 2, 37, 61}, 0, 0},
    {"weighted_sum.tile",
     "column_sum",
     launch_columns,
     weighted_sum_aot_error,
     TILEC_FP32,
     2,
     2,
     0,
     {64, 128}, 0, 0},
    {"weighted_sum.tile",
     "column_sum",
     launch_columns,
     weighted_sum_aot_error,
     TILEC_FP32,
     2,
     2,
     1,
     {37, 61}, 0, 0},
    {"matmul.tile",
     "matmul",
     launch_matmul,
     matmul_aot_error,
     TILEC_FP16,
     3,
     7,
     0,
     {128, 64, 128, 128, 1, 64, 1}, 0, 0},
    {"matmul.tile",
     "matmul",
     launch_matmul,
     matmul_aot_error,
     TILEC_FP16,
     3,
     7,
     1,
     {77, 45, 50, 103, 2, 91, 2}, 0, 0},
    {"grids.tile", "wide", launch_wide, grids_aot_error, TILEC_I32, 3, 4, 0, {13, 20, 24, 4}, 0, 0},
    {"grids.tile", "wide", launch_wide, grids_aot_error, TILEC_I32, 3, 4, 0, {16, 32, 48, 4}, 0, 0},
};

static const Case grids[] = {
    {"grids.tile", "plain", launch_grid_plain, grids_aot_error, TILEC_I32, 1, 3, 0, {0}, 0, 0},
    {"grids.tile", "chosen", launch_grid_chosen, grids_aot_error, TILEC_I32, 1, 3, 0, {0}, 0, 0},
    {"grids.tile", "signs", launch_grid_signs, grids_aot_error, TILEC_I32, 1, 3, 0, {0}, 0, 0},
    {"grids.tile", "negative", launch_grid_negative, grids_aot_error, TILEC_I32, 1, 3, 0, {0}, 0, 0},
    {"grids.tile", "bits", launch_grid_bits, grids_aot_error, TILEC_I32, 1, 3, 0, {0}, 0, 0},
    {"grids.tile", "helpers", launch_grid_helpers, grids_aot_error, TILEC_I32, 1, 3, 0, {0}, 0, 0},
};

void count(Test *test, int good, const char *what, const char *why) {
  if (good)
    test->passed++;
  else
    test->failed++;
  if (!good) printf("FAILED %s: %s\n", what, why);
}

// --- Data ---

static uint64_t random_state = 1;

static uint32_t random_bits(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33);
}

// Numbers of magnitude 2^-4 to 1, of either sign.
static void fill(unsigned char *at, tilec_dtype dtype, size_t bytes) {
  for (size_t i = 0; i < bytes; i += tilec_dtype_bytes(dtype)) {
    uint16_t half = (uint16_t)((random_bits() & 0x83ffu) | (11 + random_bits() % 4) << 10);
    float word = ((float)(random_bits() % 65536) - 32768) / 32768;
    int32_t zero = 0;
    memcpy(at + i,
           dtype == TILEC_FP16   ? (void *)&half
           : dtype == TILEC_FP32 ? (void *)&word
                                 : (void *)&zero,
           tilec_dtype_bytes(dtype));
  }
}

Data data_new(const Test *test, const Case *c) {
  Data d = {.bytes = ELEMENTS * tilec_dtype_bytes(c->dtype) + ROOM};
  for (int i = 0; i < c->buffer_count; i++) {
    CHECK(tilec_buffer_new(test->device, d.bytes, &d.buffers[i]) == TILEC_OK);
    d.before[i] = malloc(d.bytes);
    d.after[i] = malloc(d.bytes);
    CHECK(d.before[i] && d.after[i]);
    fill(d.before[i], c->dtype, d.bytes);
  }
  d.other = malloc(d.bytes);
  CHECK(d.other);
  return d;
}

void data_free(Data *d) {
  for (int i = 0; i < MAX_GIVEN_BUFFERS; i++) {
    tilec_buffer_free(d->buffers[i]);
    free(d->before[i]);
    free(d->after[i]);
  }
  free(d->other);
}

void data_reset(const Data *d) {
  for (int i = 0; i < MAX_GIVEN_BUFFERS && d->buffers[i]; i++)
    CHECK(tilec_buffer_write(d->buffers[i], 0, d->before[i], d->bytes) == TILEC_OK);
}

uint64_t address_of(const Data *d, const Case *c, int i) {
  return tilec_buffer_address(d->buffers[i]) + (uint64_t)c->skew * tilec_dtype_bytes(c->dtype);
}

// --- The two ways ---

static tilec_program *open_program(const Test *test, const char *name) {
  char path[1000];
  tilec_program *program = NULL;
  for (char **folder = test->folders; *folder && !program; folder++) {
    snprintf(path, sizeof path, "%s/%s", *folder, name);
    if (tilec_program_from_file(path, &program) != TILEC_OK) program = NULL;
  }
  if (!program) fprintf(stderr, "gpu_aot: %s: %s\n", name, tilec_last_error());
  CHECK(program);
  return program;
}

// The arguments of the kernel `wide`, in the caller's memory.
typedef struct WideArgs {
  tilec_descriptor d, e;
  tilec_tuple t;
  tilec_arg items[2];
} WideArgs;

static size_t wide_args(const Case *c, const Data *d, WideArgs *wide, tilec_arg *args) {
  wide->d = (tilec_descriptor)TILEC_DESCRIPTOR_INIT;
  wide->d.base = tilec_arg_pointer(c->dtype, address_of(d, c, 0));
  wide->d.rank = 2;
  wide->d.block[0] = 4, wide->d.block[1] = 8;
  wide->d.shape[0] = c->ints[0], wide->d.shape[1] = c->ints[1];
  wide->d.strides[0] = c->ints[2], wide->d.strides[1] = 1;
  wide->e = wide->d;
  wide->e.base = tilec_arg_pointer(c->dtype, address_of(d, c, 1));
  wide->items[0] = tilec_arg_int(c->ints[3]);
  wide->items[1] = tilec_arg_pointer(c->dtype, address_of(d, c, 2));
  wide->t = (tilec_tuple)TILEC_TUPLE_INIT;
  wide->t.items = wide->items;
  wide->t.count = 2;
  args[0] = tilec_arg_descriptor(&wide->d);
  args[1] = tilec_arg_descriptor(&wide->e);
  args[2] = tilec_arg_tuple(&wide->t);
  return 3;
}

static size_t plain_args(const Case *c, const Data *d, tilec_arg *args) {
  for (int i = 0; i < c->buffer_count; i++) args[i] = tilec_arg_pointer(c->dtype, address_of(d, c, i));
  for (int i = 0; i < c->int_count; i++) args[c->buffer_count + i] = tilec_arg_int(c->ints[i]);
  return (size_t)(c->buffer_count + c->int_count);
}

static tilec_status launch_by_library(const Test *test, const Case *c, const Data *d) {
  tilec_program *program = open_program(test, c->file);
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  tilec_kernel *kernel = NULL;
  tilec_arg args[MAX_GIVEN_BUFFERS + MAX_INTS];
  options.kernel = c->kernel;
  options.tma = c->copies ? TILEC_TMA_ON : TILEC_TMA_AUTO;
  if (c->turns) {
    options.persistent = TILEC_PERSISTENT_ON;
    options.warp_specialize = TILEC_WARP_SPECIALIZE_ON;
    options.epilogue = TILEC_EPILOGUE_ON;
  }
  CHECK(tilec_kernel_new(test->device, program, &options, &kernel) == TILEC_OK);
  WideArgs wide;
  size_t n = c->launch == launch_wide ? wide_args(c, d, &wide, args) : plain_args(c, d, args);
  tilec_status status = tilec_launch(kernel, NULL, args, n);
  if (!status) status = tilec_device_synchronize(test->device);
  tilec_kernel_free(kernel);
  tilec_program_free(program);
  return status;
}

static tilec_aot_status launch_ahead(const Test *test, const Case *c, const Data *d) {
  Run run = {.ints = c->ints};
  for (int i = 0; i < c->buffer_count; i++) run.pointers[i] = address_of(d, c, i);
  tilec_aot_status status = c->launch(&run);
  if (!status) CHECK(tilec_device_synchronize(test->device) == TILEC_OK);
  return status;
}

// How many bytes of the buffers differ from those that the library's launch left.
static size_t differences(const Case *c, const Data *d) {
  size_t n = 0;
  for (int i = 0; i < c->buffer_count; i++) {
    CHECK(tilec_buffer_read(d->buffers[i], 0, d->other, d->bytes) == TILEC_OK);
    for (size_t k = 0; k < d->bytes; k++) n += d->other[k] != d->after[i][k];
  }
  return n;
}

void compare(Test *test, const Case *c) {
  char what[100], why[1200] = "";
  Data d = data_new(test, c);
  snprintf(what, sizeof what, "%s of %d, %d, %d%s", c->kernel, c->ints[0], c->ints[1], c->ints[2],
           c->skew ? ", misaligned" : "");
  data_reset(&d);
  tilec_status by_library = launch_by_library(test, c, &d);
  for (int i = 0; i < c->buffer_count; i++)
    CHECK(tilec_buffer_read(d.buffers[i], 0, d.after[i], d.bytes) == TILEC_OK);
  data_reset(&d);
  tilec_aot_status ahead = launch_ahead(test, c, &d);
  size_t n = differences(c, &d);
  if (n)
    snprintf(why, sizeof why, "%zu bytes differ", n);
  else if (by_library == TILEC_ERROR_INVALID_ARGUMENT ? ahead != TILEC_AOT_BAD_GRID : by_library || ahead)
    snprintf(why, sizeof why, "libtilec: %d, %s\nahead of time: %d, %s", (int)by_library,
             by_library ? tilec_last_error() : "", (int)ahead, ahead ? c->error() : "");
  count(test, !why[0], what, why);
  data_free(&d);
}

static void compare_grids(Test *test) {
  static const int32_t values[][3] = {
      {0, 0, 0},  {1, 1, 1},    {7, 3, 2},    {100, 7, 5},   {129, -3, 3},
      {-5, 2, 6}, {-128, 1, 9}, {513, 0, 11}, {2, 70000, 4}, {1000, 1000, 2147483647}};
  for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
      Case c = grids[i];
      memcpy(c.ints, values[k], sizeof values[k]);
      compare(test, &c);
    }
}

// --- The driver itself ---

typedef int Result;

static void *symbol(const char *name) {
  static void *library;
  if (!library) library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *found = library ? dlsym(library, name) : NULL;
  if (!found) fprintf(stderr, "gpu_aot: the driver has no %s\n", name);
  CHECK(found);
  return found;
}

#define CALL(name, types, ...)                                                                               \
  do {                                                                                                       \
    Result(*function) types;                                                                                 \
    void *found = symbol(name);                                                                              \
    memcpy(&function, &found, sizeof function);                                                              \
    Result result = function(__VA_ARGS__);                                                                   \
    if (result) fprintf(stderr, "gpu_aot: %s gives %d\n", name, result);                                     \
    CHECK(result == 0);                                                                                      \
  } while (0)

static void *primary; // context

static void enter_context(void) {
  if (!primary) CALL("cuDevicePrimaryCtxRetain", (void **, int), &primary, 0);
  CALL("cuCtxPushCurrent_v2", (void *), primary);
}

// 100 launches of x += y, captured once: two replays are 200 launches.
static void replay_graph(Test *test) {
  enum { LAUNCHES = 100, REPLAYS = 2, N = 3001 };
  const Case c = {.file = "add.tile", .kernel = "add", .dtype = TILEC_I32, .buffer_count = 2};
  float x[N], y[N];
  void *stream = NULL, *graph = NULL, *exec = NULL;
  Data d = data_new(test, &c);
  for (int i = 0; i < N; i++) x[i] = 0, y[i] = (float)i;
  CHECK(tilec_buffer_write(d.buffers[0], 0, x, sizeof x) == TILEC_OK &&
        tilec_buffer_write(d.buffers[1], 0, y, sizeof y) == TILEC_OK);
  uint64_t at_x = tilec_buffer_address(d.buffers[0]), at_y = tilec_buffer_address(d.buffers[1]);
  CHECK(add_aot_unload() == TILEC_AOT_OK); // so that the first launch loads while it is captured
  CALL("cuStreamCreate", (void **, unsigned), &stream, 1);
  CALL("cuStreamBeginCapture_v2", (void *, int), stream, 0);
  tilec_aot_status status = TILEC_AOT_OK;
  for (int i = 0; i < LAUNCHES && !status; i++) status = add(stream, at_x, at_y, at_x, N);
  CALL("cuStreamEndCapture", (void *, void **), stream, &graph);
  CALL("cuGraphInstantiateWithFlags", (void **, void *, unsigned long long), &exec, graph, 0);
  for (int i = 0; i < REPLAYS; i++) CALL("cuGraphLaunch", (void *, void *), exec, stream);
  CALL("cuStreamSynchronize", (void *), stream);
  CHECK(tilec_buffer_read(d.buffers[0], 0, x, sizeof x) == TILEC_OK);
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += x[i] != (float)i * (LAUNCHES * REPLAYS);
  count(test, !status && !wrong, "a graph of 100 launches", status ? add_aot_error() : "wrong sums");
  CALL("cuGraphExecDestroy", (void *), exec);
  CALL("cuGraphDestroy", (void *), graph);
  CALL("cuStreamDestroy_v2", (void *), stream);
  data_free(&d);
}

// --- Threads ---

typedef struct Thread {
  pthread_t id;
  uint64_t x, y, out;
  int failures;
  char why[200];
} Thread;

static void *launch_often(void *data) {
  Thread *t = data;
  enter_context();
  for (int i = 0; i < 20; i++) {
    uint64_t skew = i % 2 ? 4 : 0;
    if (add(NULL, t->x + skew, t->y + skew, t->out + skew, 512) == TILEC_AOT_OK) continue;
    t->failures++;
    snprintf(t->why, sizeof t->why, "%s", add_aot_error());
  }
  return NULL;
}

// All of them load what none has loaded yet.
static void launch_by_threads(Test *test) {
  const Case c = {.dtype = TILEC_I32, .buffer_count = 3};
  Thread threads[THREADS];
  Data d = data_new(test, &c);
  data_reset(&d);
  CHECK(add_aot_unload() == TILEC_AOT_OK);
  for (int i = 0; i < THREADS; i++) {
    threads[i] = (Thread){.x = address_of(&d, &c, 0),
                          .y = address_of(&d, &c, 1),
                          .out = address_of(&d, &c, 2) + 4096u * (unsigned)i};
    CHECK(pthread_create(&threads[i].id, NULL, launch_often, &threads[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i].id, NULL);
    count(test, !threads[i].failures, "launches by 8 threads", threads[i].why);
  }
  CHECK(tilec_device_synchronize(test->device) == TILEC_OK);
  data_free(&d);
}

int main(int argc, char **argv) {
  Test test = {.folders = argv + 1};
  if (argc < 2) return 2;
  count(&test, add(NULL, 0, 0, 0, 1) == TILEC_AOT_NO_CONTEXT, "a launch without a context", add_aot_error());
  CHECK(tilec_device_open("cuda", &test.device) == TILEC_OK);
  enter_context();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) compare(&test, &cases[i]);
  compare_grids(&test);
  compare_copies(&test);
  replay_graph(&test);
  launch_by_threads(&test);
  count(&test, weighted_sum_aot_load() == TILEC_AOT_OK && weighted_sum_aot_unload() == TILEC_AOT_OK,
        "load and unload", weighted_sum_aot_error());
  tilec_device_close(test.device);
  printf("%d passed, %d failed\n", test.passed, test.failed);
  return test.failed != 0;
}
