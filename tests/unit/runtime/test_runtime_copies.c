// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels with TMA copies, on the simulator and on a driver that is the simulator.
// Tests accesses outside a tensor, arguments that no tensor map can describe, and many argument
// sets one after another.
#include "tests/unit/unit.h"
#include "ir/number.h"
#include "runtime/launch/kernel.h"
#include "tests/unit/fake_driver_fixture.h"
#include "tests/unit/runtime_fixture.h"

enum { BLOCK = 64, ROOM = 96 * 160, OUT = BLOCK * BLOCK };
static const char *const copy_devices[] = {"sim", "cuda"};
enum { COPY_DEVICES = 2 };

// out = a[i0 + .., :] times b[j0 + .., :] transposed, by one program.
static const char source_text[] =
    "@triton.jit\n"
    "def mm(a, b, out, M, N, K, sa, sb, i0, j0):\n"
    "    da = tl.make_tensor_descriptor(a, [M, K], [sa, 1], [64, %u])\n"
    "    db = tl.make_tensor_descriptor(b, [N, K], [sb, 1], [64, %u])\n"
    "    acc = tl.zeros((64, 64), tl.%s)\n"
    "    for k in range(0, K, %u):\n"
    "        acc = tl.dot(da.load([i0, k]), db.load([j0, k]).T, acc)\n"
    "    tl.store(out + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], acc)\n";

typedef struct Kind {
  tilec_dtype dtype;
  Elem elem, sum;
  const char *sum_name;
} Kind;

static const Kind kinds[] = {
    {TILEC_FP16, ELEM_FP16, ELEM_FP32, "float32"},    {TILEC_BF16, ELEM_BF16, ELEM_FP32, "float32"},
    {TILEC_FP32, ELEM_FP32, ELEM_FP32, "float32"},    {TILEC_I8, ELEM_I8, ELEM_I32, "int32"},
    {TILEC_FP8E4NV, ELEM_FP8E4NV, ELEM_FP32, "float32"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct Product {
  const Kind *kind;
  tilec_device *device;
  tilec_kernel *kernel;
  tilec_buffer *a, *b, *out;
  int host_a[ROOM], host_b[ROOM];
} Product;

static int load_fake(void **state) {
  (void)state;
  fake_driver_load();
  return 0;
}

static uint64_t encode(Elem elem, int value) {
  return elem_is_float(elem) ? number_encode(elem, value) : (uint64_t)(uint8_t)value;
}

static tilec_buffer *fill(const Product *p, int *host, unsigned seed) {
  uint32_t bytes = elem_bytes(p->kind->elem);
  uint8_t *memory = calloc(ROOM, bytes);
  assert_non_null(memory);
  for (uint32_t i = 0; i < ROOM; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = (int)(seed >> 24) % 7 - 3;
    uint64_t bits = encode(p->kind->elem, host[i]);
    memcpy(memory + (size_t)i * bytes, &bits, bytes);
  }
  tilec_buffer *buffer = buffer_of(p->device, memory, (size_t)ROOM * bytes);
  free(memory);
  return buffer;
}

static Product *product_new(const char *device, const Kind *kind, tilec_tma tma) {
  char source[1000];
  Product *p = calloc(1, sizeof *p);
  assert_non_null(p);
  uint32_t step = 128 / elem_bytes(kind->elem);
  snprintf(source, sizeof source, source_text, step, step, kind->sum_name, step);
  tilec_program *program = program_of("test.py", source);
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.tma = tma;
  options.arch = strcmp(device, "sim") == 0 ? "sm_90a" : NULL; // a GPU has its own
  options.fp32_dot = TILEC_FP32_DOT_TF32;
  p->kind = kind;
  p->device = open_device(device);
  assert_ok(tilec_kernel_new(p->device, program, &options, &p->kernel));
  tilec_program_free(program);
  p->a = fill(p, p->host_a, 1);
  p->b = fill(p, p->host_b, 2);
  assert_ok(tilec_buffer_new(p->device, OUT * sizeof(float), &p->out));
  return p;
}

static void product_free(Product *p) {
  tilec_kernel_free(p->kernel);
  tilec_buffer_free(p->a);
  tilec_buffer_free(p->b);
  tilec_buffer_free(p->out);
  tilec_device_close(p->device);
  free(p);
}

typedef struct Sizes {
  int64_t m, n, k, sa, sb, i0, j0;
  uint32_t skip; // elements, of a
} Sizes;

static tilec_status launch(const Product *p, const Sizes *s) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.grid[1] = options.grid[2] = 1;
  uint64_t a = tilec_buffer_address(p->a) + (uint64_t)s->skip * elem_bytes(p->kind->elem);
  const tilec_arg args[] = {tilec_arg_pointer(p->kind->dtype, a),
                            tilec_arg_buffer(p->kind->dtype, p->b),
                            tilec_arg_buffer(p->kind->sum == ELEM_I32 ? TILEC_I32 : TILEC_FP32, p->out),
                            tilec_arg_int(s->m),
                            tilec_arg_int(s->n),
                            tilec_arg_int(s->k),
                            tilec_arg_int(s->sa),
                            tilec_arg_int(s->sb),
                            tilec_arg_int(s->i0),
                            tilec_arg_int(s->j0)};
  return tilec_launch(p->kernel, &options, args, sizeof args / sizeof *args);
}

static int element(const int *host, const Sizes *s, int64_t row, int64_t rows, int64_t column, int64_t stride) {
  bool inside = row >= 0 && row < rows && column >= 0 && column < s->k;
  return inside ? host[row * stride + column] : 0;
}

static void check(const Product *p, const Sizes *s) {
  uint32_t got[OUT];
  assert_ok(tilec_buffer_read(p->out, 0, got, sizeof got));
  for (int64_t r = 0; r < BLOCK; r++)
    for (int64_t c = 0; c < BLOCK; c++) {
      int64_t sum = 0;
      for (int64_t k = 0; k < s->k; k++)
        sum += element(p->host_a + s->skip, s, s->i0 + r, s->m, k, s->sa) *
               element(p->host_b, s, s->j0 + c, s->n, k, s->sb);
      uint64_t bits = p->kind->sum == ELEM_I32 ? (uint32_t)sum : number_encode(ELEM_FP32, (double)sum);
      if (got[r * BLOCK + c] != (uint32_t)bits)
        fail_msg("%s: %lld x %lld x %lld from %lld, %lld: element %lld, %lld is %x, not %lld",
                 elem_info(p->kind->elem)->name, (long long)s->m, (long long)s->n, (long long)s->k, (long long)s->i0,
                 (long long)s->j0, (long long)r, (long long)c, got[r * BLOCK + c], (long long)sum);
    }
}

static void run(const Product *p, const Sizes *s) {
  const uint32_t nothing[OUT] = {0xdeadbeef};
  assert_ok(tilec_buffer_write(p->out, 0, nothing, sizeof nothing));
  assert_ok(launch(p, s));
  check(p, s);
}

static uint32_t plain_ones(const Product *p) {
  uint32_t n = 0;
  for (const Specialisation *s = p->kernel->first; s; s = s->next) n += s->level == SPEC_PLAIN;
  return n;
}

static const Specialisation *variant_with_maps(const Product *p) {
  for (const Specialisation *s = p->kernel->first; s; s = s->next)
    if (s->hidden.maps) return s;
  return NULL;
}

// Ragged sizes, and blocks that begin outside, far away, or end there.
TEST(test_what_is_outside) {
  static const Sizes sizes[] = {
      {64, 64, 128, 160, 160, 0, 0, 0},
      {50, 64, 130, 144, 144, 0, 0, 0},
      {64, 3, 1, 16, 32, 0, 0, 0},
      {1, 1, 160, 160, 160, 0, 0, 0},
      {96, 90, 100, 160, 160, 37, 31, 0},
      {64, 64, 65, 80, 80, -5, -63, 0},
      {64, 64, 64, 64, 64, -64, 0, 0},
      {64, 64, 64, 64, 64, 64, 5, 0},
      {64, 64, 64, 64, 64, INT32_MIN, 1, 0},
      {64, 64, 64, 64, 64, 3, INT32_MAX - 63, 0},
      {60, 60, 0, 64, 64, 3, 0, 0},
      {30, 60, 140, 160, 160, 0, 0, 64},
  };
  for (int n = 0; n < KINDS; n++) {
    Product *p = product_new("sim", &kinds[n], TILEC_TMA_ON);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) run(p, &sizes[i]);
    if (!variant_with_maps(p)) fail_msg("no tensor copies of %s", elem_info(kinds[n].elem)->name);
    assert_int_equal(plain_ones(p), sizes[10].k == 0); // of no columns no map can be made
    product_free(p);
  }
}

// A map cannot be made: other code, and the same results.
TEST(test_arguments_without_maps) {
  Product *p = product_new("sim", &kinds[0], TILEC_TMA_ON);
  run(p, &(Sizes){60, 60, 100, 160, 160, 0, 0, 1}); // the base
  run(p, &(Sizes){60, 60, 100, 101, 160, 0, 0, 0}); // a stride
  assert_int_equal(plain_ones(p), 2);
  for (int round = 0; round < 3; round++) {
    run(p, &(Sizes){0, 64, 100, 160, 160, 0, 0, 0});
    run(p, &(Sizes){48, 64, 100, 160, 160, 0, 0, 0});
    run(p, &(Sizes){-16, 64, 100, 160, 160, 0, 0, 0});
    assert_int_equal(plain_ones(p), 3);
  }
  const Specialisation *made = variant_with_maps(p);
  assert_non_null(made);
  assert_non_null(made->plain);
  assert_int_equal(made->plain->hidden.maps, 0);
  product_free(p);
}

TEST(test_options) {
  static const tilec_tma without[] = {TILEC_TMA_OFF};
  for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
    Product *p = product_new("sim", &kinds[0], without[i]);
    run(p, &(Sizes){60, 60, 100, 160, 160, 0, 0, 0});
    assert_null(variant_with_maps(p));
    product_free(p);
  }
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  tilec_device *device = open_device("sim");
  tilec_program *program = program_of("test.tile", scale_source);
  tilec_kernel *kernel = NULL;
  options.tma = (tilec_tma)4;
  assert_error(tilec_kernel_new(device, program, &options, &kernel), TILEC_ERROR_INVALID_ARGUMENT,
               "tma is 4, which is not a tilec_tma");
  tilec_program_free(program);
  tilec_device_close(device);
}

// Like a model's layers one after another, more than are kept.
TEST(test_many_argument_sets) {
  enum { LAYERS = HOST_SETS + 4, ROUNDS = 2 };
  for (int n = 0; n < COPY_DEVICES; n++) {
    Product *p = product_new(copy_devices[n], &kinds[0], TILEC_TMA_AUTO);
    for (int i = 0; i < ROUNDS * LAYERS; i++) {
      int layer = i % LAYERS;
      run(p, &(Sizes){33 + layer, 60, 100, 112, 160, 1, 1, 8u * (uint32_t)layer});
    }
    product_free(p);
  }
}

int suite_runtime_copies(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_outside),
      cmocka_unit_test(test_arguments_without_maps),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_many_argument_sets),
  };
  return cmocka_run_group_tests(tests, load_fake, NULL);
}
