// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps that launches make, on the simulator and on a driver that is the simulator: what a kernel finds in its
// parameters is what the driver's function would encode.
#include <pthread.h>
#include "tests/unit/unit.h"
#include "base/buf.h"
#include "runtime/launch/kernel.h"
#include "sim/sim.h"
#include "tests/gpu/fake_driver.h"
#include "tests/unit/fake_driver_fixture.h"
#include "tests/unit/runtime_fixture.h"

enum { WORDS = 32, RANKS = 5 };
static const char *const map_devices[] = {"sim", "cuda"};
enum { MAP_DEVICES = 2 };

static struct {
  long (*encodings)(void);
  int (*begin_capture)(void *stream, int mode);
  int (*end_capture)(void *stream, void **graph);
  int (*instantiate)(void **exec, void *graph, unsigned long long flags);
  int (*launch)(void *exec, void *stream);
  int (*exec_destroy)(void *exec);
  int (*graph_destroy)(void *graph);
  int (*stream_new)(void **stream, unsigned flags);
  int (*stream_free)(void *stream);
  int (*create)(void **context, unsigned flags, int device);
  int (*destroy)(void *context);
} fake;

// From here on libcuda.so.1 is this one.
static int load_fake(void **state) {
  (void)state;
  void *library = fake_driver_load();
  fake_driver_find(library, "fake_driver_encodings", &fake.encodings);
  fake_driver_find(library, "cuStreamBeginCapture_v2", &fake.begin_capture);
  fake_driver_find(library, "cuStreamEndCapture", &fake.end_capture);
  fake_driver_find(library, "cuGraphInstantiateWithFlags", &fake.instantiate);
  fake_driver_find(library, "cuGraphLaunch", &fake.launch);
  fake_driver_find(library, "cuGraphExecDestroy", &fake.exec_destroy);
  fake_driver_find(library, "cuGraphDestroy", &fake.graph_destroy);
  fake_driver_find(library, "cuStreamCreate", &fake.stream_new);
  fake_driver_find(library, "cuStreamDestroy_v2", &fake.stream_free);
  fake_driver_find(library, "cuCtxCreate_v2", &fake.create);
  fake_driver_find(library, "cuCtxDestroy_v2", &fake.destroy);
  return 0;
}

// A map as tile IR, of a tensor whose sizes and strides are parameters, and what is to be in it.
typedef struct MapCase {
  const char *elem;
  tilec_dtype dtype;
  uint32_t data_type, bytes; // CUtensorMapDataType
  uint32_t rank, box[RANKS]; // outermost first
  uint32_t swizzle, encoded_swizzle;
  int nan;
  int64_t sizes[RANKS], strides[RANKS - 1]; // elements
  const char *unmade;                       // part of the error; NULL: it is made
} MapCase;

static const MapCase cases[] = {
    {"fp16", TILEC_FP16, 6, 2, 2, {64, 64}, 128, 3, 0, {100, 70}, {72}, NULL},
    {"bf16", TILEC_BF16, 9, 2, 2, {128, 32}, 64, 2, 1, {1, 1}, {8}, NULL},
    {"fp32", TILEC_FP32, 7, 4, 2, {8, 8}, 32, 1, 1, {1000, 2000}, {2000}, NULL},
    {"fp64", TILEC_FP64, 8, 8, 1, {256}, 0, 0, 0, {0x7fffff00}, {0}, NULL},
    {"i8", TILEC_I8, 0, 1, 3, {2, 4, 128}, 128, 3, 0, {3, 5, 77}, {400, 80}, NULL},
    {"u8", TILEC_U8, 0, 1, 1, {16}, 0, 0, 0, {16}, {0}, NULL},
    {"fp8e4nv", TILEC_FP8E4NV, 0, 1, 2, {64, 128}, 128, 3, 0, {64, 128}, {128}, NULL},
    {"i16", TILEC_I16, 1, 2, 4, {1, 2, 4, 8}, 0, 0, 0, {9, 9, 9, 9}, {1000, 200, 16}, NULL},
    {"i32", TILEC_I32, 3, 4, 5, {1, 1, 2, 2, 4}, 0, 0, 0, {5, 4, 3, 2, 1}, {4096, 512, 64, 8}, NULL},
    {"u32", TILEC_U32, 2, 4, 2, {4, 4}, 0, 0, 0, {4, 4}, {0}, NULL},
    {"i64", TILEC_I64, 5, 8, 2, {4, 2}, 0, 0, 0, {4, 4}, {INT64_C(0x1ffffffffe)}, NULL},
    {"u64", TILEC_U64, 4, 8, 2, {4, 2}, 0, 0, 0, {4, 4}, {4}, NULL},
    {"fp16", TILEC_FP16, 6, 2, 2, {64, 64}, 128, 3, 0, {0, 64}, {64}, "a size is not from 1"},
    {"fp16", TILEC_FP16, 6, 2, 2, {64, 64}, 128, 3, 0, {64, -5}, {64}, "a size is not from 1"},
    {"fp16", TILEC_FP16, 6, 2, 2, {64, 64}, 128, 3, 0, {0x7fffff01, 64}, {64}, "a size is not from 1"},
    {"fp16", TILEC_FP16, 6, 2, 2, {64, 64}, 128, 3, 0, {64, 64}, {65}, "a stride is not a multiple of 16 bytes"},
    {"fp16", TILEC_FP16, 6, 2, 2, {64, 64}, 128, 3, 0, {64, 64}, {-64}, "a stride is not from 0 to 2^40"},
    {"fp16", TILEC_FP16, 6, 2, 2, {64, 64}, 128, 3, 0, {64, 64}, {INT64_C(1) << 39}, "a stride is not from 0 to 2^40"},
    {"fp16", TILEC_FP16, 6, 2, 2, {64, 64}, 128, 3, 0, {64, 64}, {INT64_MAX}, "a stride is not from 0 to 2^40"},
};

// Stores the map's words; with two maps, to see that each has its own place.
static void print_kernel(const MapCase *c, Buf *out) {
  uint32_t params = 1 + 2 * c->rank; // out, base, sizes, strides
  buf_printf(out, "module num_warps = 1 { kernel @k(%%out: *i32, %%base: *%s", c->elem);
  for (uint32_t i = 0; i < c->rank; i++) buf_printf(out, ", %%n%u: i64", i);
  for (uint32_t i = 0; i + 1 < c->rank; i++) buf_printf(out, ", %%s%u: i64", i);
  buf_text(out, ") ");
  for (uint32_t m = 0; m < 2; m++) {
    buf_printf(out, "map %%m%u: tensor_map<%s, box=[", m, c->elem);
    for (uint32_t i = 0; i < c->rank; i++) buf_printf(out, "%s%u", i ? ", " : "", c->box[i]);
    buf_printf(out, "], swizzle=%u, fill=%s> {\n", c->swizzle, c->nan ? "nan" : "zero");
    buf_printf(out, "%%o = constant {value = %u} : i32 %%at = addptr %%base, %%o : *%s yield %%at", m * 16 / c->bytes, c->elem);
    for (uint32_t i = 0; i < c->rank; i++) buf_printf(out, ", %%n%u", i);
    for (uint32_t i = 0; i + 1 < c->rank; i++) buf_printf(out, ", %%s%u", i);
    buf_text(out, " }\n");
  }
  buf_text(out, "{\n");
  for (uint32_t i = 0; i < 2 * WORDS; i++)
    buf_printf(out,
               "%%w%u = inline_asm {asm = \"ld.param.b32 $0, [k_param_%u+%u];\", constraints = \"=r\", pack = 1} : i32\n"
               "%%c%u = constant {value = %u} : i32 %%p%u = addptr %%out, %%c%u : *i32 store %%p%u, %%w%u\n",
               i, params + i / WORDS, i % WORDS * 4, i, i, i, i, i, i);
  buf_text(out, "return } }\n");
}

static void encode(const MapCase *c, uint64_t base, tilec_sim_tensor_map *map) {
  uint64_t sizes[RANKS], strides[RANKS] = {0};
  uint32_t box[RANKS], steps[RANKS] = {1, 1, 1, 1, 1};
  for (uint32_t i = 0; i < c->rank; i++) {
    uint32_t d = c->rank - 1 - i;
    sizes[i] = (uint64_t)c->sizes[d];
    box[i] = c->box[d];
    if (i) strides[i - 1] = (uint64_t)c->strides[d] * c->bytes;
  }
  assert_int_equal(tilec_sim_tensor_map_encode(map, c->data_type, c->rank, base, sizes, strides, box, steps, 0,
                                               c->encoded_swizzle, 0, (uint32_t)c->nan),
                   TILEC_SIM_OK);
}

typedef struct MapRun {
  tilec_device *device;
  tilec_kernel *kernel;
  tilec_buffer *out, *base;
  tilec_arg args[2 + 2 * RANKS];
  size_t count;
} MapRun;

static MapRun map_run(const char *device, const MapCase *c) {
  MapRun r = {.device = open_device(device), .count = 1 + 2 * c->rank};
  Buf text = {0};
  print_kernel(c, &text);
  buf_char(&text, '\0');
  tilec_program *program = program_of("k.tir", text.at);
  assert_ok(tilec_kernel_new(r.device, program, NULL, &r.kernel));
  tilec_program_free(program);
  buf_free(&text);
  assert_ok(tilec_buffer_new(r.device, 2 * WORDS * 4, &r.out));
  assert_ok(tilec_buffer_new(r.device, 4096, &r.base));
  r.args[0] = tilec_arg_buffer(TILEC_I32, r.out);
  r.args[1] = tilec_arg_buffer(c->dtype, r.base);
  for (uint32_t i = 0; i < c->rank; i++) r.args[2 + i] = tilec_arg_int(c->sizes[i]);
  for (uint32_t i = 0; i + 1 < c->rank; i++) r.args[2 + c->rank + i] = tilec_arg_int(c->strides[i]);
  return r;
}

static void map_run_end(MapRun *r) {
  tilec_kernel_free(r->kernel);
  tilec_buffer_free(r->out);
  tilec_buffer_free(r->base);
  tilec_device_close(r->device);
}

static tilec_status launch(MapRun *r) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.grid[1] = options.grid[2] = 1;
  return tilec_launch(r->kernel, &options, r->args, r->count);
}

static void check_maps(MapRun *r, const MapCase *c, uint64_t base) {
  tilec_sim_tensor_map got[2], expected;
  assert_ok(tilec_buffer_read(r->out, 0, got, sizeof got));
  for (uint32_t m = 0; m < 2; m++) {
    encode(c, base + 16 * m, &expected);
    assert_memory_equal(&got[m], &expected, sizeof expected);
  }
}

TEST(test_maps_as_encoded) {
  for (size_t n = 0; n < MAP_DEVICES * sizeof cases / sizeof *cases; n++) {
    size_t i = n / MAP_DEVICES;
    MapRun r = map_run(map_devices[n % MAP_DEVICES], &cases[i]);
    if (cases[i].unmade) {
      assert_error(launch(&r), TILEC_ERROR_INVALID_ARGUMENT, cases[i].unmade);
      assert_error(launch(&r), TILEC_ERROR_INVALID_ARGUMENT, "k: the tensor map 'm0' of its tile IR cannot be made");
    } else {
      assert_ok(launch(&r));
      check_maps(&r, &cases[i], tilec_buffer_address(r.base));
    }
    map_run_end(&r);
  }
}

TEST(test_an_unaligned_base) {
  MapRun r = map_run("sim", &cases[0]);
  r.args[1] = tilec_arg_pointer(TILEC_FP16, tilec_buffer_address(r.base) + 8);
  assert_error(launch(&r), TILEC_ERROR_INVALID_ARGUMENT, "its base is not a multiple of 16 bytes");
  r.args[1] = tilec_arg_pointer(TILEC_FP16, tilec_buffer_address(r.base) + 32);
  assert_ok(launch(&r));
  check_maps(&r, &cases[0], tilec_buffer_address(r.base) + 32);
  map_run_end(&r);
}

// More argument sets than are kept, twice over. Then only those that are kept, which need no
// encoding. No map can be made for some of them.
static void alternate(const char *device) {
  enum { SETS = HOST_SETS + 6, ROUNDS = 2 * SETS + 3 * HOST_SETS };
  MapCase c = cases[0];
  MapRun r = map_run(device, &c);
  long encodings = 0;
  for (int i = 0; i < ROUNDS; i++) {
    int set = i < 2 * SETS ? i % SETS : (i - 2 * SETS) % HOST_SETS;
    if (i == 2 * SETS + HOST_SETS) encodings = fake.encodings();
    uint64_t base = tilec_buffer_address(r.base) + 16u * (uint32_t)set;
    r.args[1] = tilec_arg_pointer(TILEC_FP16, base);
    r.args[2] = tilec_arg_int(c.sizes[0] = set % 5 == 4 ? 0 : 100 + set);
    if (set % 5 == 4) {
      assert_error(launch(&r), TILEC_ERROR_INVALID_ARGUMENT, "a size is not from 1");
      continue;
    }
    assert_ok(launch(&r));
    check_maps(&r, &c, base);
  }
  assert_int_equal(fake.encodings(), encodings);
  assert_int_equal(r.kernel->first->results.count, 0); // the list begins with the one without maps, which was refused
  assert_non_null(r.kernel->first->next);
  assert_int_equal(r.kernel->first->next->results.count, HOST_SETS);
  map_run_end(&r);
}

TEST(test_maps_are_kept_by_their_arguments) {
  for (int i = 0; i < MAP_DEVICES; i++) alternate(map_devices[i]);
}

// A graph has the maps that its launches had, whatever is launched between.
TEST(test_capture) {
  MapCase c = cases[0];
  void *context, *raw, *graph, *exec;
  assert_int_equal(fake.create(&context, 0, 0), 0);
  MapRun r = map_run("cuda", &c);
  uint64_t base = tilec_buffer_address(r.base);
  tilec_stream *stream;
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.grid[1] = options.grid[2] = 1;
  assert_ok(launch(&r)); // loads it
  assert_int_equal(fake.stream_new(&raw, 0), 0);
  assert_ok(tilec_stream_wrap(r.device, raw, &stream));
  assert_int_equal(fake.begin_capture(raw, 0), 0);
  options.stream = stream;
  r.args[1] = tilec_arg_pointer(TILEC_FP16, base + 64);
  assert_ok(tilec_launch(r.kernel, &options, r.args, r.count));
  assert_int_equal(fake.end_capture(raw, &graph), 0);
  assert_int_equal(fake.instantiate(&exec, graph, 0), 0);
  for (int i = 0; i < 2 * HOST_SETS; i++) {
    r.args[1] = tilec_arg_pointer(TILEC_FP16, base + 128 + 16u * (uint32_t)i);
    assert_ok(launch(&r));
  }
  check_maps(&r, &c, base + 128 + 16 * (2 * HOST_SETS - 1));
  assert_int_equal(fake.launch(exec, raw), 0);
  check_maps(&r, &c, base + 64);
  fake.exec_destroy(exec);
  fake.graph_destroy(graph);
  tilec_stream_free(stream);
  fake.stream_free(raw);
  map_run_end(&r);
  fake.destroy(context);
}

enum { THREADS = 4, OWN_SETS = 20, THREAD_LAUNCHES = 300 };

typedef struct MapThread {
  MapRun run; // the same kernel and base, its own `out`
  pthread_t thread;
  int number, wrong;
} MapThread;

// cmocka's asserts are the main thread's.
static void *launch_own_sets(void *data) {
  MapThread *t = data;
  MapCase c = cases[0];
  for (int i = 0; i < THREAD_LAUNCHES; i++) {
    uint64_t base = tilec_buffer_address(t->run.base) + 16u * (uint32_t)(OWN_SETS * t->number + i % OWN_SETS);
    tilec_sim_tensor_map got[2], expected;
    t->run.args[1] = tilec_arg_pointer(TILEC_FP16, base);
    encode(&c, base, &expected);
    if (launch(&t->run) || tilec_buffer_read(t->run.out, 0, got, sizeof got) ||
        memcmp(&got[0], &expected, sizeof expected) != 0)
      t->wrong++;
  }
  return NULL;
}

// Together they have more sets than are kept.
TEST(test_threads) {
  MapRun first = map_run("sim", &cases[0]);
  MapThread threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    threads[i] = (MapThread){.run = first, .number = i};
    assert_ok(tilec_buffer_new(first.device, 2 * WORDS * 4, &threads[i].run.out));
    threads[i].run.args[0] = tilec_arg_buffer(TILEC_I32, threads[i].run.out);
    assert_int_equal(pthread_create(&threads[i].thread, NULL, launch_own_sets, &threads[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i].thread, NULL);
    assert_int_equal(threads[i].wrong, 0);
    tilec_buffer_free(threads[i].run.out);
  }
  map_run_end(&first);
}

// Nothing is launched, so nothing is made.
TEST(test_an_empty_grid) {
  MapRun r = map_run("sim", &cases[12]);
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 0;
  options.grid[1] = options.grid[2] = 1;
  assert_ok(tilec_launch(r.kernel, &options, r.args, r.count));
  assert_int_equal(r.kernel->first->results.count, 0);
  assert_null(r.kernel->first->next);
  map_run_end(&r);
}

int suite_runtime_maps(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_maps_as_encoded),
      cmocka_unit_test(test_an_unaligned_base),
      cmocka_unit_test(test_maps_are_kept_by_their_arguments),
      cmocka_unit_test(test_capture),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_an_empty_grid),
  };
  return cmocka_run_group_tests(tests, load_fake, NULL);
}
