// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies, fills and events on streams; copies that wait for other streams; PTX and a cubin as
// kernels; a kernel's attributes; DLPack tensors.
//   gpu_streams [DEVICE]
#include "tests/gpu/check.h"

enum { N = 40000, ROUNDS = 2000 };

// Takes long: each element goes through ROUNDS additions that depend on one another.
static const char slow_source[] = "@kernel\n"
                                  "@grid(cdiv(n, BLOCK))\n"
                                  "def slow(x: *fp32, out: *fp32, n, rounds, BLOCK: constexpr = 256):\n"
                                  "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                                  "    v = load(x + i, mask=i < n)\n"
                                  "    for k in range(rounds):\n"
                                  "        v += 1.0\n"
                                  "    store(out + i, v, mask=i < n)\n";

typedef struct Work {
  tilec_device *device;
  tilec_kernel *slow;
  tilec_buffer *x, *out;
  int rounds;
} Work;

static void launch_slow(const Work *w, tilec_stream *stream) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.stream = stream;
  const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, w->x), tilec_arg_buffer(TILEC_FP32, w->out),
                            tilec_arg_int(N), tilec_arg_int(w->rounds)};
  CHECK(tilec_launch(w->slow, &options, args, 4) == TILEC_OK);
}

static void check_slow(const float *got, int first, float added) {
  for (int i = 0; i < N; i++)
    if (got[i] != (float)(first + i) + added) { // NOLINT: exact
      fprintf(stderr, "element %d is %g\n", i, (double)got[i]);
      exit(1);
    }
}

// A copy without a stream comes after work of every stream, of one that has been freed too.
static void copies_wait(const Work *w) {
  static float got[N];
  for (int freed = 0; freed < 2; freed++) {
    tilec_stream *stream;
    CHECK(tilec_stream_new(w->device, &stream) == TILEC_OK);
    CHECK(tilec_buffer_fill(w->out, 0) == TILEC_OK);
    launch_slow(w, stream);
    if (freed) tilec_stream_free(stream);
    CHECK(tilec_buffer_read(w->out, 0, got, sizeof got) == TILEC_OK);
    check_slow(got, 0, (float)w->rounds);
    launch_slow(w, freed ? NULL : stream);
    CHECK(tilec_buffer_fill(w->out, 0xFF) == TILEC_OK);
    CHECK(tilec_buffer_read(w->out, 0, got, sizeof got) == TILEC_OK);
    for (int i = 0; i < N; i++) CHECK(isnan(got[i]));
    if (!freed) tilec_stream_free(stream);
  }
}

// In the order of the stream, and of two streams by an event.
static void work_on_streams(const Work *w) {
  static float host[N], got[N];
  double seconds = -1;
  tilec_stream *first, *second;
  tilec_event *start, *end;
  tilec_buffer *copy = poisoned(w->device, N);
  CHECK(tilec_stream_new(w->device, &first) == TILEC_OK && tilec_stream_new(w->device, &second) == TILEC_OK);
  CHECK(tilec_event_new(w->device, &start) == TILEC_OK && tilec_event_new(w->device, &end) == TILEC_OK);
  CHECK(tilec_event_synchronize(end) == TILEC_ERROR_INVALID_ARGUMENT);
  for (int i = 0; i < N; i++) host[i] = (float)(i + 5);
  CHECK(tilec_event_record(start, first) == TILEC_OK);
  CHECK(tilec_buffer_write_async(w->x, 0, host, sizeof host, first) == TILEC_OK);
  launch_slow(w, first);
  CHECK(tilec_event_record(end, first) == TILEC_OK);
  CHECK(tilec_stream_wait(second, end) == TILEC_OK);
  CHECK(tilec_buffer_copy_async(copy, 0, w->out, 0, sizeof host, second) == TILEC_OK);
  CHECK(tilec_buffer_fill_async(w->out, 0, 0, sizeof host, second) == TILEC_OK);
  CHECK(tilec_buffer_read_async(copy, 0, got, sizeof got, second) == TILEC_OK);
  CHECK(tilec_stream_synchronize(second) == TILEC_OK);
  check_slow(got, 5, (float)w->rounds);
  CHECK(tilec_event_elapsed(start, end, &seconds) == TILEC_OK);
  CHECK(seconds > 0 && seconds < 60);
  CHECK(tilec_buffer_read_async(w->out, 0, got, sizeof got, NULL) == TILEC_OK);
  CHECK(tilec_device_synchronize(w->device) == TILEC_OK);
  for (int i = 0; i < N; i++) CHECK(got[i] == 0); // NOLINT: exact
  tilec_event_free(start);
  tilec_event_free(end);
  tilec_stream_free(first);
  tilec_stream_free(second);
  tilec_buffer_free(copy);
}

static void parameters(const Work *w) {
  tilec_param_info info = TILEC_PARAM_INFO_INIT;
  CHECK(tilec_kernel_param_count(w->slow) == 4);
  CHECK(tilec_kernel_param(w->slow, 1, &info) == TILEC_OK);
  CHECK(!strcmp(info.name, "out") && info.kind == TILEC_PARAM_POINTER && info.dtype == TILEC_FP32);
  CHECK(tilec_kernel_param(w->slow, 3, &info) == TILEC_OK);
  CHECK(!strcmp(info.name, "rounds") && info.kind == TILEC_PARAM_ANY && !info.has_default);
  CHECK(tilec_kernel_param(w->slow, 4, &info) == TILEC_ERROR_INVALID_ARGUMENT);
}

static void attributes(const Work *w, int is_cuda) {
  tilec_kernel_attributes a = TILEC_KERNEL_ATTRIBUTES_INIT;
  const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, w->x), tilec_arg_buffer(TILEC_FP32, w->out),
                            tilec_arg_int(N), tilec_arg_int(w->rounds)};
  CHECK(tilec_kernel_get_attributes(w->slow, args, 4, &a) == TILEC_OK);
  printf("threads %d, registers %d, shared %d + %d, local %d, blocks %d\n", a.threads, a.registers,
         a.shared_static, a.shared_dynamic, a.local_bytes, a.blocks);
  if (!is_cuda) return;
  CHECK(a.threads == 128 && a.registers >= 8 && a.registers <= 255);
  CHECK(a.shared_static == 0 && a.shared_dynamic == 0 && a.local_bytes >= 0);
  CHECK(a.blocks >= 1 && a.blocks <= 32);
}

// The PTX of the kernel, and where there is an assembler its cubin, as kernels without a source.
static void from_image(const Work *w, tilec_output output) {
  static float got[N];
  tilec_program *program;
  tilec_compiled *compiled;
  tilec_kernel *kernel;
  tilec_compile_options compile = TILEC_COMPILE_OPTIONS_INIT;
  tilec_image_options image = TILEC_IMAGE_OPTIONS_INIT;
  tilec_launch_options launch = TILEC_LAUNCH_OPTIONS_INIT;
  tilec_param_info info = TILEC_PARAM_INFO_INIT;
  const tilec_arg args[] = {tilec_arg_buffer(TILEC_FP32, w->x), tilec_arg_buffer(TILEC_FP32, w->out),
                            tilec_arg_int(N), tilec_arg_int(3)};
  const char *text;
  size_t bytes;
  CHECK(tilec_program_from_source("slow.tile", slow_source, strlen(slow_source), &program) == TILEC_OK);
  compile.signature = "n=i32,rounds=i32";
  compile.arch = tilec_device_arch(w->device);
  CHECK(tilec_compile(program, &compile, &compiled) == TILEC_OK);
  CHECK(tilec_compiled_output(compiled, output, &text, &bytes) == TILEC_OK);
  image.threads[0] = 128;
  CHECK(tilec_kernel_from_image(w->device, "fast", text, bytes, &image, &kernel) != TILEC_OK);
  CHECK(tilec_kernel_from_image(w->device, "slow", text, bytes, &image, &kernel) == TILEC_OK);
  CHECK(tilec_kernel_param_count(kernel) == 4);
  CHECK(tilec_kernel_param(kernel, 2, &info) == TILEC_OK && info.bytes == 4 && !strcmp(info.name, "2"));
  CHECK(tilec_launch(kernel, NULL, args, 4) == TILEC_ERROR_INVALID_ARGUMENT); // no @grid
  launch.grid[0] = (N + 255) / 256;
  CHECK(tilec_launch(kernel, &launch, args, 3) == TILEC_ERROR_INVALID_ARGUMENT);
  CHECK(tilec_launch(kernel, &launch, args, 4) == TILEC_OK);
  CHECK(tilec_buffer_read(w->out, 0, got, sizeof got) == TILEC_OK);
  check_slow(got, 5, 3);
  tilec_kernel_free(kernel);
  tilec_compiled_free(compiled);
  tilec_program_free(program);
}

// A DLTensor, as dlpack.h has it.
typedef struct Tensor {
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Tensor;

// x from its second element on, which is not aligned, as a tensor of the GPU, or of the CPU elsewhere.
static void tensors(const Work *w, int is_cuda) {
  static float host[N + 1], got[N];
  int64_t shape = N - 1;
  Tensor x = {.device_type = is_cuda ? 2 : 1, .ndim = 1, .code = 2, .bits = 32, .lanes = 1, .shape = &shape},
         out = x;
  tilec_buffer *other = poisoned(w->device, N);
  for (int i = 0; i < N; i++) host[i] = (float)i;
  CHECK(tilec_buffer_write(w->x, 0, host, sizeof got) == TILEC_OK);
  x.data = is_cuda ? (void *)(uintptr_t)tilec_buffer_address(w->x) : host;
  x.byte_offset = sizeof(float);
  out.data = is_cuda ? (void *)(uintptr_t)tilec_buffer_address(other) : got;
  const tilec_arg args[] = {tilec_arg_dl(&x), tilec_arg_dl(&out), tilec_arg_dim(&x, 0), tilec_arg_int(7)};
  CHECK(tilec_launch(w->slow, NULL, args, 4) == TILEC_OK);
  if (is_cuda) CHECK(tilec_buffer_read(other, 0, got, sizeof got) == TILEC_OK);
  for (int i = 0; i < N - 1; i++) CHECK(got[i] == (float)(i + 8)); // NOLINT: exact
  x.device_id = is_cuda ? 5 : 0;
  x.device_type = 2;
  CHECK(tilec_launch(w->slow, NULL, args, 4) == TILEC_ERROR_INVALID_ARGUMENT);
  CHECK(strstr(tilec_last_error(), "DLPack's device 2:"));
  tilec_buffer_free(other);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "cuda";
  int is_cuda = strncmp(name, "cuda", 4) == 0;
  Work w = {.rounds = is_cuda && !getenv("FAKE_DRIVER") ? 50 * ROUNDS : 5};
  tilec_program *program;
  CHECK(tilec_device_open(name, &w.device) == TILEC_OK);
  CHECK(tilec_program_from_source("slow.tile", slow_source, strlen(slow_source), &program) == TILEC_OK);
  CHECK(tilec_kernel_new(w.device, program, NULL, &w.slow) == TILEC_OK);
  w.x = ramp(w.device, N, 0);
  w.out = poisoned(w.device, N);
  copies_wait(&w);
  work_on_streams(&w);
  parameters(&w);
  attributes(&w, is_cuda);
  if (strcmp(name, "eval") != 0) from_image(&w, TILEC_OUTPUT_PTX);
  if (is_cuda && !getenv("FAKE_DRIVER")) from_image(&w, TILEC_OUTPUT_CUBIN);
  tensors(&w, is_cuda);
  tilec_buffer_free(w.x);
  tilec_buffer_free(w.out);
  tilec_kernel_free(w.slow);
  tilec_program_free(program);
  tilec_device_close(w.device);
  printf("streams, events, images on %s: OK\n", name);
  return 0;
}
