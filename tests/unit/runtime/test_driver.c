// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cuda device on a driver that is the simulator (tests/gpu/fake_driver.h). Tests results, and
// every call of the driver failing, one after another. Threads launch different specialisations for
// DRIVER_SECONDS (default 3). DRIVER_TESTS: only tests with that name.
#include <pthread.h>
#include <stdbool.h>
#include "tests/unit/unit.h"
#include "tests/unit/cache_fixture.h"
#include "runtime/device/device.h"
#include "tests/unit/runtime_fixture.h"
#include "tests/gpu/fake_driver.h"
#include "tests/unit/fake_driver_fixture.h"

enum { N = 300, THREADS = 8, OUT_OF_MEMORY = 2, UNKNOWN = 999 };

static struct {
  void (*fail_at)(long call, int result);
  long (*calls)(void);
  const char *(*failed)(void);
  long (*living)(void);
  int (*current)(void **context);
  int (*create)(void **context, unsigned flags, int device);
  int (*destroy)(void *context);
  int (*pop)(void **context);
} fake;

// From here on libcuda.so.1 is this one.
static int load_fake(void **state) {
  (void)state;
  void *library = fake_driver_load();
  fake_driver_find(library, "fake_driver_fail", &fake.fail_at);
  fake_driver_find(library, "fake_driver_calls", &fake.calls);
  fake_driver_find(library, "fake_driver_failed", &fake.failed);
  fake_driver_find(library, "fake_driver_living", &fake.living);
  fake_driver_find(library, "cuCtxGetCurrent", &fake.current);
  fake_driver_find(library, "cuCtxCreate_v2", &fake.create);
  fake_driver_find(library, "cuCtxDestroy_v2", &fake.destroy);
  fake_driver_find(library, "cuCtxPopCurrent_v2", &fake.pop);
  return 0;
}

static const char image_ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                ".visible .entry fill(.param .u64 out, .param .u32 n, .param .f32 x) {\n"
                                "  .reg .u64 %rd<4>; .reg .u32 %r<3>; .reg .f32 %f<2>; .reg .pred %p<2>;\n"
                                "  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [x];\n"
                                "  mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 bra DONE;\n"
                                "  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\n"
                                "  st.global.f32 [%rd3], %f1;\nDONE: ret;\n}\n";

// Beside scale_source's kernel one that does the same with a tuple and a tensor descriptor as arguments.
static const char wide_source[] =
    "@kernel\n"
    "@grid(cdiv(t.n, 64))\n"
    "def wide(t, d):\n"
    "    i = program_id(0) * 64 + arange(0, 64)\n"
    "    store(t.out + i, t.factor * d.load([program_id(0) * 64]), mask=i < t.n)\n";

static tilec_program *session_program(void) {
  char source[2000];
  snprintf(source, sizeof source, "%s\n%s", scale_source, wide_source);
  return program_of("test.tile", source);
}

// All that a program makes, and frees whatever happens.
typedef struct Session {
  tilec_program *program;
  void *context; // NULL: the device opens its own
  tilec_device *device;
  tilec_kernel *kernel, *wide, *image;
  tilec_stream *stream, *wrapped;
  tilec_event *start, *end;
  tilec_buffer *x, *out, *copy;
  double seconds;
  float host[N], got[N];
} Session;

static tilec_status make_objects(Session *s) {
  tilec_image_options options = TILEC_IMAGE_OPTIONS_INIT;
  tilec_compile_options scale = TILEC_COMPILE_OPTIONS_INIT, wide = TILEC_COMPILE_OPTIONS_INIT;
  scale.kernel = "scale";
  wide.kernel = "wide";
  options.threads[0] = 64;
  tilec_status status =
      s->context ? tilec_device_from_context(s->context, &s->device) : tilec_device_open("cuda", &s->device);
  if (!status) status = tilec_kernel_new(s->device, s->program, &scale, &s->kernel);
  if (!status) status = tilec_kernel_new(s->device, s->program, &wide, &s->wide);
  if (!status)
    status = tilec_kernel_from_image(s->device, "fill", image_ptx, sizeof image_ptx - 1, &options, &s->image);
  if (!status) status = tilec_stream_new(s->device, &s->stream);
  if (!status) status = tilec_stream_wrap(s->device, NULL, &s->wrapped);
  if (!status) status = tilec_event_new(s->device, &s->start);
  if (!status) status = tilec_event_new(s->device, &s->end);
  if (!status) status = tilec_buffer_new(s->device, sizeof s->host, &s->x);
  if (!status) status = tilec_buffer_new(s->device, sizeof s->host, &s->out);
  if (!status) status = tilec_buffer_new(s->device, sizeof s->host, &s->copy);
  return status;
}

static void free_objects(Session *s) {
  tilec_buffer_free(s->x);
  tilec_buffer_free(s->out);
  tilec_buffer_free(s->copy);
  tilec_event_free(s->start);
  tilec_event_free(s->end);
  tilec_stream_free(s->stream);
  tilec_stream_free(s->wrapped);
  tilec_kernel_free(s->kernel);
  tilec_kernel_free(s->wide);
  tilec_kernel_free(s->image);
  tilec_device_close(s->device);
}

static tilec_status launch_wide(const Session *s, const tilec_launch_options *options) {
  static const char *const names[] = {"out", "n", "factor"};
  const tilec_arg items[] = {tilec_arg_buffer(TILEC_FP32, s->out), tilec_arg_int(N), tilec_arg_float(2)};
  tilec_tuple t = TILEC_TUPLE_INIT;
  tilec_descriptor d = TILEC_DESCRIPTOR_INIT;
  t.items = items;
  t.count = 3;
  t.names = names;
  d.base = tilec_arg_buffer(TILEC_FP32, s->x);
  d.rank = 1;
  d.block[0] = 64;
  d.shape[0] = N;
  d.strides[0] = 1;
  const tilec_arg args[] = {tilec_arg_tuple(&t), tilec_arg_descriptor(&d)};
  return tilec_launch(s->wide, options, args, 2);
}

// copy is x * 2, with a last element of 7.
static tilec_status use_objects(Session *s) {
  const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, s->x), tilec_arg_buffer(TILEC_FP32, s->out),
                            tilec_arg_int(N), tilec_arg_float(2)};
  const tilec_arg fill[] = {
      tilec_arg_pointer(TILEC_FP32, tilec_buffer_address(s->copy) + sizeof s->host - sizeof(float)),
      tilec_arg_int(1), tilec_arg_float(7)};
  tilec_kernel_attributes attributes = TILEC_KERNEL_ATTRIBUTES_INIT;
  tilec_launch_options on_stream = TILEC_LAUNCH_OPTIONS_INIT, one = TILEC_LAUNCH_OPTIONS_INIT;
  on_stream.stream = one.stream = s->stream;
  one.grid[0] = 1;
  tilec_status status = tilec_kernel_prepare(s->kernel, args, 4);
  if (!status) status = tilec_kernel_get_attributes(s->kernel, args, 4, &attributes);
  if (!status) status = tilec_buffer_write(s->x, 0, s->host, sizeof s->host);
  if (!status) status = tilec_buffer_fill(s->out, 0xFF);
  if (!status) status = tilec_launch(s->kernel, NULL, args, 4);
  if (!status) status = tilec_event_record(s->start, NULL);
  if (!status) status = tilec_stream_wait(s->stream, s->start);
  if (!status) status = tilec_buffer_write_async(s->x, 0, s->host, sizeof s->host, s->stream);
  if (!status) status = launch_wide(s, &on_stream);
  if (!status) status = tilec_buffer_fill_async(s->copy, 0, 0xFF, sizeof s->host, s->stream);
  if (!status) status = tilec_buffer_copy_async(s->copy, 0, s->out, 0, sizeof s->host, s->stream);
  if (!status) status = tilec_launch(s->image, &one, fill, 3);
  if (!status) status = tilec_event_record(s->end, s->stream);
  if (!status) status = tilec_event_synchronize(s->end);
  if (!status) status = tilec_event_elapsed(s->start, s->end, &s->seconds);
  if (!status) status = tilec_buffer_read_async(s->copy, 0, s->got, sizeof s->got, s->stream);
  if (!status) status = tilec_stream_synchronize(s->stream);
  if (!status) status = tilec_device_synchronize(s->device);
  if (!status) status = tilec_buffer_read(s->copy, 0, s->got, sizeof s->got);
  return status;
}

static void check_results(const Session *s) {
  for (int i = 0; i < N; i++) assert_true(s->got[i] == (i == N - 1 ? 7 : 2 * (float)i)); // NOLINT: exact
  assert_true(s->seconds >= 0 && s->seconds < 60);
}

static tilec_status run_session(Session *s) {
  for (int i = 0; i < N; i++) s->host[i] = (float)i;
  tilec_status status = make_objects(s);
  if (!status) status = use_objects(s);
  return status;
}

static bool cached; // the cache on disk is on

// Calls that may fail silently: the caller could not use the error, and its request is done.
static bool may_fail_silently(const char *call) {
  static const char *const names[] = {"CtxPushCurrent",
                                      "CtxGetCurrent",
                                      "CtxPopCurrent",
                                      "MemFree",
                                      "ModuleUnload",
                                      "StreamDestroy",
                                      "EventDestroy",
                                      "DevicePrimaryCtxRelease",
                                      "ThreadExchangeStreamCaptureMode"};
  // With the cache: where the driver's own code cannot be had or loaded the driver gets the PTX.
  static const char *const with_cache[] = {"DriverGetVersion",  "LinkCreate",      "LinkAddData",
                                           "LinkComplete",      "LinkDestroy",     "ModuleLoadDataEx",
                                           "ModuleGetFunction", "FuncSetAttribute"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(call, names[i]) == 0) return true;
  for (size_t i = 0; cached && i < sizeof with_cache / sizeof *with_cache; i++)
    if (strcmp(call, with_cache[i]) == 0) return true;
  return false;
}

static void check_failure(const Session *s, tilec_status status, int result, const char *message) {
  const char *name = result == OUT_OF_MEMORY ? "(CUDA_ERROR_OUT_OF_MEMORY, 2)" : "(CUDA_ERROR_UNKNOWN, 999)";
  if (!status) {
    if (!may_fail_silently(fake.failed())) fail_msg("%s fails, and nobody says so", fake.failed());
    check_results(s);
    return;
  }
  assert_int_equal(status, result == OUT_OF_MEMORY ? TILEC_ERROR_OUT_OF_MEMORY : TILEC_ERROR_DRIVER);
  if (!strstr(message, name) || !strstr(message, fake.failed()))
    fail_msg("%s fails, and the message is: %s", fake.failed(), message);
}

// One session, whose call of that number fails; how many calls it made.
static long session(tilec_program *program, void *context, long call, int result) {
  Session s = {.program = program, .context = context};
  void *current = NULL;
  char message[600] = "";
  long before = fake.living();
  fake.fail_at(call, result);
  tilec_status status = run_session(&s);
  if (status) snprintf(message, sizeof message, "%s", tilec_last_error());
  bool met = fake.failed()[0] != 0;
  if (call && met)
    check_failure(&s, status, result, message);
  else if (status)
    fail_msg("%s", message);
  else
    check_results(&s);
  free_objects(&s);
  long calls = fake.calls();
  if (call && !fake.failed()[0]) fail_msg("there is no call %ld", call);
  fake.fail_at(0, 0);
  if (fake.living() != before) fail_msg("call %ld: %ld objects are left", call, fake.living() - before);
  assert_int_equal(fake.current(&current), 0);
  assert_ptr_equal(current, NULL);
  return calls;
}

// But where it is to stay warm.
static void cache_empty(bool warm) {
  CacheCleared cleared;
  Buf error = {0};
  if (!warm) assert_true(cache_clear(&cleared, &error));
  buf_free(&error);
}

TEST(test_every_call_fails) {
  static const int results[] = {OUT_OF_MEMORY, UNKNOWN};
  tilec_program *program = session_program();
  long calls = session(program, NULL, 0, 0);
  assert_true(calls > 100);
  for (int r = 0; r < 2; r++)
    for (long call = 1; call <= calls; call++) session(program, NULL, call, results[r]);
  tilec_program_free(program);
}

// The same with the cache, of cubins too: empty for each session, and warm.
TEST(test_every_call_fails_with_a_cache) {
  cache_set_up(NULL);
  setenv("TILEC_CACHE_CUBINS", "on", 1);
  cached = true;
  tilec_program *program = session_program();
  for (int warm = 0; warm < 2; warm++) {
    if (warm) session(program, NULL, 0, 0);
    cache_empty(warm);
    long calls = session(program, NULL, 0, 0);
    for (long call = 1; call <= calls; call++) {
      cache_empty(warm);
      session(program, NULL, call, UNKNOWN);
    }
    assert_int_equal(cache_entries(), 4); // of each kernel PTX, and what the driver made of it
  }
  tilec_program_free(program);
  cached = false;
  cache_tear_down(NULL);
  setenv("TILEC_CACHE", "off", 1);
  unsetenv("TILEC_CACHE_CUBINS");
}

// In a context of the caller's, which is current nowhere.
TEST(test_device_of_a_context) {
  void *context, *popped;
  tilec_program *program = session_program();
  assert_int_equal(fake.create(&context, 0, 0), 0);
  assert_int_equal(fake.pop(&popped), 0);
  long calls = session(program, context, 0, 0);
  for (long call = 1; call <= 10; call++) session(program, context, call, OUT_OF_MEMORY);
  assert_true(calls > 100);
  assert_int_equal(fake.destroy(context), 0);
  tilec_device *device;
  assert_error(tilec_device_from_context(NULL, &device), TILEC_ERROR_INVALID_ARGUMENT, "cu_context is NULL");
  tilec_program_free(program);
}

static tilec_status time_launches(Session *s) {
  const KernelImage image = {.name = "fill", .ptx = {image_ptx, sizeof image_ptx - 1}, .threads = {64, 1, 1}};
  const int64_t grid[3] = {1, 1, 1};
  uint64_t args[] = {tilec_buffer_address(s->x), 8, 0x40e00000};
  double seconds[2];
  DeviceKernel kernel;
  tilec_status status = device_load(s->device, &image, &kernel);
  if (status) return status;
  status = device_time(&kernel, grid, args, 3, 1, 5, 2, NULL, seconds);
  device_unload(&kernel);
  Buf cubin = {0};
  if (!status) status = s->device->kind->assemble(s->device, image.ptx, &cubin);
  buf_free(&cubin);
  return status;
}

// Timing, in a graph, and the driver's assembler, which the tool uses.
TEST(test_every_call_of_a_timing_fails) {
  long calls = 1000, before = fake.living();
  for (long call = 0; call <= calls; call++) {
    Session s = {0};
    assert_ok(tilec_device_open("cuda", &s.device));
    assert_ok(tilec_buffer_new(s.device, sizeof s.host, &s.x));
    fake.fail_at(call, OUT_OF_MEMORY);
    tilec_status status = time_launches(&s);
    if (!call) calls = fake.calls();
    if (status)
      assert_error(status, TILEC_ERROR_OUT_OF_MEMORY, fake.failed());
    else if (call && !may_fail_silently(fake.failed()) && !strstr(fake.failed(), "Destroy"))
      fail_msg("%s fails, and nobody says so", fake.failed());
    fake.fail_at(0, 0);
    tilec_buffer_free(s.x);
    tilec_device_close(s.device);
    if (fake.living() != before) fail_msg("call %ld: %ld objects are left", call, fake.living() - before);
  }
  assert_true(calls > 30);
}

// --- Threads ---

typedef struct Worker {
  pthread_t thread;
  int number;
  double until;
  tilec_kernel *kernel;
  tilec_device *device;
  long launches;
  char failure[300];
} Worker;

static bool good(Worker *w, tilec_status status) {
  if (!status) return true;
  snprintf(w->failure, sizeof w->failure, "%s: %.200s", tilec_status_name(status), tilec_last_error());
  return false;
}

// By number: sizes of other facts, a misaligned x, and the factor left out.
static bool launch_and_check(Worker *w, tilec_stream *stream, const tilec_buffer *x, tilec_buffer *out,
                             int round) {
  static const int sizes[] = {N - 4, 288, 1, 17};
  int n = sizes[(w->number + round) % 4], skip = (w->number + round) / 4 % 4;
  float got[N];
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.stream = stream;
  const tilec_arg args[] = {
      tilec_arg_pointer(TILEC_FP32, tilec_buffer_address(x) + sizeof(float) * (size_t)skip),
      tilec_arg_buffer(TILEC_FP32, out), tilec_arg_int(n), tilec_arg_float(w->number + 3)};
  if (!good(w, tilec_launch(w->kernel, &options, args, round % 2 ? 3 : 4)) ||
      !good(w, tilec_buffer_read_async(out, 0, got, sizeof got, stream)) ||
      !good(w, tilec_stream_synchronize(stream)))
    return false;
  for (int i = 0; i < n; i++)
    if (got[i] != (float)(i + skip) * (float)(round % 2 ? 2 : w->number + 3)) { // NOLINT: exact
      snprintf(w->failure, sizeof w->failure, "element %d is %g", i, (double)got[i]);
      return false;
    }
  w->launches++;
  return true;
}

static void *work(void *data) {
  Worker *w = data;
  for (int round = 0; seconds_now() < w->until && !w->failure[0]; round++) {
    tilec_stream *stream = NULL;
    tilec_buffer *x = NULL, *out = NULL;
    float host[N];
    for (int i = 0; i < N; i++) host[i] = (float)i;
    if (good(w, tilec_stream_new(w->device, &stream)) &&
        good(w, tilec_buffer_new(w->device, sizeof host, &x)) &&
        good(w, tilec_buffer_new(w->device, sizeof host, &out)) &&
        good(w, tilec_buffer_write(x, 0, host, sizeof host)))
      for (int i = 0; i < 40 && launch_and_check(w, stream, x, out, round + i); i++) continue;
    tilec_stream_free(stream);
    tilec_buffer_free(x);
    tilec_buffer_free(out);
  }
  return NULL;
}

TEST(test_threads) {
  const char *seconds = getenv("DRIVER_SECONDS");
  Worker workers[THREADS] = {0};
  long before = fake.living(), launches = 0;
  tilec_device *device = open_device("cuda");
  tilec_kernel *kernel = kernel_of(device, scale_source);
  double until = seconds_now() + (seconds ? atof(seconds) : 3);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (Worker){.number = i, .until = until, .kernel = kernel, .device = device};
    assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
  for (int i = 0; i < THREADS; i++) {
    if (workers[i].failure[0]) fail_msg("thread %d: %s", i, workers[i].failure);
    launches += workers[i].launches;
  }
  tilec_kernel_free(kernel);
  tilec_device_close(device);
  assert_int_equal(fake.living(), before);
  print_message("%ld launches\n", launches);
  assert_true(launches > THREADS);
}

int suite_driver(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_call_fails),
      cmocka_unit_test(test_every_call_fails_with_a_cache),
      cmocka_unit_test(test_device_of_a_context),
      cmocka_unit_test(test_every_call_of_a_timing_fails),
      cmocka_unit_test(test_threads),
  };
  cmocka_set_test_filter(getenv("DRIVER_TESTS")); // NULL: all
  return cmocka_run_group_tests(tests, load_fake, NULL);
}
