// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuples and tensor descriptors as arguments of launches, on the simulator and the evaluator.
#include "tests/unit/unit.h"
#include "runtime/launch/kernel.h"
#include "runtime/launch/tensor.h"
#include "runtime/tilec.h"
#include "tests/unit/runtime_fixture.h"

static tilec_launch_options one_program(void) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = 1;
  return options;
}

// Tuples within tuples, with every kind of item: out[0] is what the kernel makes of them.
static const char tuple_source[] = "@jit\n"
                                   "def twice(x):\n"
                                   "    return 2 * x\n"
                                   "@jit\n"
                                   "def both(a, b):\n"
                                   "    return a + 10 * b\n"
                                   "@kernel\n"
                                   "def k(t, out):\n"
                                   "    (p, n), f, none, flag, fn, more = t\n"
                                   "    static_assert(none is None)\n"
                                   "    static_assert(len(more) == 2)\n"
                                   "    total = load(p) + n + f\n"
                                   "    for i in static_range(len(more)):\n"
                                   "        total += more[i]\n"
                                   "    if flag:\n"
                                   "        total += fn(both(*more))\n"
                                   "    store(out, total)\n";

TEST(test_tuples) {
  static const struct {
    int n, a, b, flag, variants;
    const char *fn;
    double result;
  } rows[] = {
      {3, 5, 7, 0, 1, "twice", 100 + 3 + 0.5 + 12},
      {4, 5, 7, 0, 1, "twice", 100 + 4 + 0.5 + 12},
      {16, 5, 7, 0, 2, "twice", 100 + 16 + 0.5 + 12},        // divisible by 16
      {1, 5, 7, 0, 3, "twice", 100 + 1 + 0.5 + 12},          // equal to 1
      {3, 5, 7, 1, 3, "twice", 100 + 3 + 0.5 + 12 + 2 * 75}, // a bool is not known
      {3, 5, 7, 1, 4, "3", 0},                               // no function: refused, and kept as no variant
      {3, 5, 7, 1, 3, "twice", 100 + 3 + 0.5 + 12 + 2 * 75},
  };
  for (int dev = 0; dev < DEVICES; dev++) {
    tilec_device *device = open_device(devices[dev]);
    tilec_kernel *kernel = kernel_of(device, tuple_source);
    const float hundred = 100;
    float got;
    tilec_buffer *x = buffer_of(device, &hundred, 4), *out = buffer_of(device, &got, 4);
    const tilec_launch_options options = one_program();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      const tilec_arg first[] = {tilec_arg_buffer(TILEC_FP32, x), tilec_arg_int(rows[i].n)};
      const tilec_arg last[] = {tilec_arg_int(rows[i].a), tilec_arg_int(rows[i].b)};
      const tilec_tuple inner = tuple_of(first, 2), more = tuple_of(last, 2);
      const tilec_arg items[] = {tilec_arg_tuple(&inner),
                                 tilec_arg_float(0.5),
                                 tilec_arg_none(),
                                 tilec_arg_bool(rows[i].flag),
                                 tilec_arg_constexpr(rows[i].fn),
                                 tilec_arg_tuple(&more)};
      const tilec_tuple t = tuple_of(items, 6);
      const tilec_arg args[] = {tilec_arg_tuple(&t), tilec_arg_buffer(TILEC_FP32, out)};
      if (rows[i].result == 0) {
        assert_error(tilec_launch(kernel, &options, args, 2), TILEC_ERROR_COMPILE, "cannot be called");
        continue;
      }
      assert_ok(tilec_launch(kernel, &options, args, 2));
      assert_ok(tilec_buffer_read(out, 0, &got, 4));
      assert_float_equal(got, rows[i].result, 0);
      assert_int_equal(kernel->count, rows[i].variants);
    }
    tilec_buffer_free(x);
    tilec_buffer_free(out);
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

// Names come from the argument, or from what the parameter is declared to be.
TEST(test_named_tuples) {
  static const char source[] = "@kernel\n"
                               "@grid(t.n, 1)\n"
                               "def k(t, u: '(scale=i32, out=*i32)'):\n"
                               "    store(u.out + program_id(0), t.n * u.scale + t.sub.x)\n";
  const char *const names[] = {"n", "sub"}, *const sub_names[] = {"x"};
  tilec_device *device = open_device("eval");
  tilec_kernel *kernel = kernel_of(device, source);
  int32_t got[3] = {0};
  tilec_buffer *out = buffer_of(device, got, sizeof got);
  const tilec_arg x = tilec_arg_int(7);
  tilec_tuple sub = tuple_of(&x, 1), t, u;
  sub.names = sub_names;
  const tilec_arg t_items[] = {tilec_arg_int(3), tilec_arg_tuple(&sub)};
  const tilec_arg u_items[] = {tilec_arg_int(100), tilec_arg_buffer(TILEC_I32, out)};
  t = tuple_of(t_items, 2);
  u = tuple_of(u_items, 2);
  t.names = names;
  tilec_arg args[] = {tilec_arg_tuple(&t), tilec_arg_tuple(&u)};
  assert_ok(tilec_launch(kernel, NULL, args, 2));
  assert_ok(tilec_buffer_read(out, 0, got, sizeof got));
  for (int i = 0; i < 3; i++) assert_int_equal(got[i], 307);
  sub.names = NULL; // another shape of the same values
  assert_error(tilec_launch(kernel, NULL, args, 2), TILEC_ERROR_COMPILE, "has no attribute 'x'");
  tilec_param_info info = TILEC_PARAM_INFO_INIT;
  assert_ok(tilec_kernel_param(kernel, 0, &info));
  assert_int_equal(info.kind, TILEC_PARAM_ANY);
  assert_ok(tilec_kernel_param(kernel, 1, &info));
  assert_int_equal(info.kind, TILEC_PARAM_TUPLE);
  assert_int_equal(info.count, 2);
  tilec_buffer_free(out);
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

static const char declared_source[] =
    "@kernel\n"
    "def k(a, n: i32, t: (*fp32, (i32, fp32)), d: 'tensordesc<fp32[4, 8]>'):\n"
    "    store(t[0], n + t[1][0])\n";

// A launch of that kernel which is right until something of it is changed.
typedef struct Declared {
  tilec_device *device;
  tilec_kernel *kernel;
  tilec_buffer *x;
  tilec_arg pair[2], items[2], args[4];
  tilec_tuple inner, t;
  tilec_descriptor d;
} Declared;

static void declared_init(Declared *w) {
  const float room[32] = {0};
  w->device = open_device("eval");
  w->kernel = kernel_of(w->device, declared_source);
  w->x = buffer_of(w->device, room, sizeof room);
  w->pair[0] = tilec_arg_int(3);
  w->pair[1] = tilec_arg_float(2);
  w->inner = tuple_of(w->pair, 2);
  w->items[0] = tilec_arg_buffer(TILEC_FP32, w->x);
  w->items[1] = tilec_arg_tuple(&w->inner);
  w->t = tuple_of(w->items, 2);
  w->d = (tilec_descriptor)TILEC_DESCRIPTOR_INIT;
  w->d.base = w->items[0];
  w->d.rank = 2;
  w->d.block[0] = 4, w->d.shape[0] = 4;
  w->d.block[1] = 8, w->d.shape[1] = w->d.strides[0] = 8;
  w->d.strides[1] = 1;
  w->args[0] = tilec_arg_none();
  w->args[1] = tilec_arg_int(1);
  w->args[2] = tilec_arg_tuple(&w->t);
  w->args[3] = tilec_arg_descriptor(&w->d);
}

static void declared_free(const Declared *w) {
  const tilec_launch_options o = one_program();
  assert_ok(tilec_launch(w->kernel, &o, w->args, 4)); // all is right again
  tilec_buffer_free(w->x);
  tilec_kernel_free(w->kernel);
  tilec_device_close(w->device);
}

static void refused(const Declared *w, const char *text) {
  const tilec_launch_options o = one_program();
  assert_error(tilec_launch(w->kernel, &o, w->args, 4), TILEC_ERROR_INVALID_ARGUMENT, text);
}

// An error names the path to the item.
TEST(test_wrong_tuples) {
  Declared w;
  declared_init(&w);
#define WRONG(change, back, text) change, refused(&w, text), back
  WRONG(w.pair[1] = w.items[0], w.pair[1] = tilec_arg_float(2),
        "parameter 't[1][1]' is declared fp32; it cannot take a pointer");
  WRONG(w.pair[0] = tilec_arg_int(INT64_MAX), w.pair[0] = tilec_arg_int(3),
        "parameter 't[1][0]' is declared i32");
  WRONG(w.inner.count = 1, w.inner.count = 2, "'t[1]' is declared as a tuple of 2; it cannot take one of 1");
  WRONG(w.items[1] = tilec_arg_int(3), w.items[1] = tilec_arg_tuple(&w.inner),
        "'t[1]' is declared as a tuple");
  WRONG(w.args[1] = w.args[2], w.args[1] = tilec_arg_int(1), "'n' is declared i32; it cannot take a tuple");
  WRONG(w.inner.size = 4, w.inner.size = sizeof w.inner, "initialise it with TILEC_TUPLE_INIT");
  WRONG(w.inner.items = NULL, w.inner.items = w.pair, "items are NULL");
  WRONG(w.args[2] = tilec_arg_tuple(NULL), w.args[2] = tilec_arg_tuple(&w.t),
        "parameter 't': the tuple is NULL");
  WRONG(w.args[0] = tilec_arg_constexpr(NULL), w.args[0] = tilec_arg_none(),
        "parameter 'a': the constexpr's text is NULL");
  declared_free(&w);
}

TEST(test_wrong_descriptors) {
  Declared w;
  declared_init(&w);
  tilec_descriptor *d = &w.d;
  WRONG(w.args[3] = tilec_arg_int(3), w.args[3] = tilec_arg_descriptor(d),
        "'d' is declared as a tensor descriptor");
  WRONG(d->block[0] = 8, d->block[0] = 4,
        "parameter 'd' is declared tensordesc<fp32[4, 8]>; it cannot take a tensordesc<fp32[8, 8]>");
  WRONG(d->padding = TILEC_PADDING_NAN, d->padding = TILEC_PADDING_ZERO,
        "cannot take a tensordesc<fp32[4, 8], nan>");
  WRONG(d->block[0] = 3, d->block[0] = 4, "block[0] is 3; it must be a power of two");
  WRONG(d->shape[1] = 0, d->shape[1] = 8, "shape[1] is 0");
  WRONG(d->strides[0] = 6, d->strides[0] = 8, "strides[0] is 6; in bytes it must be a multiple of 16");
  WRONG(d->strides[1] = 2, d->strides[1] = 1, "last stride is 2; it must be 1");
  WRONG(d->rank = 6, d->rank = 2, "has 6 dimensions");
  WRONG(d->base.value.address += 4, d->base.value.address -= 4, "not aligned to 16 bytes");
  WRONG(d->base = tilec_arg_int(0), d->base = w.items[0], "base must be a pointer");
  WRONG(d->size = 3, d->size = sizeof *d, "initialise it with TILEC_DESCRIPTOR_INIT");
#undef WRONG
  tilec_param_info info = TILEC_PARAM_INFO_INIT;
  assert_ok(tilec_kernel_param(w.kernel, 3, &info));
  assert_int_equal(info.kind, TILEC_PARAM_DESCRIPTOR);
  assert_int_equal(info.dtype, TILEC_FP32);
  assert_int_equal(info.count, 2);
  assert_int_equal(info.block[1], 8);
  declared_free(&w);
}

static const char descriptor_source[] =
    "@kernel\n"
    "@grid(cdiv(a.shape[0], a.block_shape[0]), cdiv(a.shape[1], a.block_shape[1]))\n"
    "def copy(a, b, sizes: *i64):\n"
    "    at = [program_id(0) * a.block_shape[0], program_id(1) * a.block_shape[1]]\n"
    "    b.store(at, a.load(at))\n"
    "    static_assert(a.dtype == fp32 and a.shape[0].dtype == int32 and a.strides[0].dtype == int64)\n"
    "    store(sizes, a.shape[0])\n"
    "    store(sizes + 1, a.strides[0])\n"
    "    store(sizes + 2, a.strides[1])\n";

// 6 x 10 elements, rows of 12, block 4 x 8: elements outside are padding, and are not stored.
TEST(test_descriptors) {
  for (int run = 0; run < 2 * DEVICES; run++) {
    bool nan = run >= DEVICES;
    tilec_device *device = open_device(devices[run % DEVICES]);
    tilec_kernel *kernel = kernel_of(device, descriptor_source);
    float x[6 * 12], y[8 * 16];
    int64_t sizes[3] = {0};
    for (int i = 0; i < 6 * 12; i++) x[i] = (float)i;
    for (int i = 0; i < 8 * 16; i++) y[i] = -1;
    tilec_buffer *from = buffer_of(device, x, sizeof x), *to = buffer_of(device, y, sizeof y);
    tilec_buffer *told = buffer_of(device, sizes, sizeof sizes);
    tilec_descriptor a = TILEC_DESCRIPTOR_INIT, b = TILEC_DESCRIPTOR_INIT;
    a.base = tilec_arg_buffer(TILEC_FP32, from);
    a.rank = b.rank = 2;
    a.block[0] = b.block[0] = 4;
    a.block[1] = b.block[1] = 8;
    a.shape[0] = 6, a.shape[1] = 10, a.strides[0] = 12, a.strides[1] = 1;
    a.padding = nan ? TILEC_PADDING_NAN : TILEC_PADDING_ZERO;
    b.base = tilec_arg_buffer(TILEC_FP32, to);
    b.shape[0] = 8, b.shape[1] = 16, b.strides[0] = 16, b.strides[1] = 1;
    const tilec_arg args[] = {tilec_arg_descriptor(&a), tilec_arg_descriptor(&b),
                              tilec_arg_buffer(TILEC_I64, told)};
    assert_ok(tilec_kernel_prepare(kernel, args, 3));
    assert_ok(tilec_launch(kernel, NULL, args, 3));
    assert_ok(tilec_buffer_read(to, 0, y, sizeof y));
    assert_ok(tilec_buffer_read(told, 0, sizes, sizeof sizes));
    for (int i = 0; i < 8; i++)
      for (int k = 0; k < 16; k++) {
        float got = y[16 * i + k];
        if (i < 6 && k < 10)
          assert_float_equal(got, 12 * i + k, 0);
        else
          assert_true(nan ? got != got : got == 0);
      }
    assert_int_equal(sizes[0], 6);
    assert_int_equal(sizes[1], 12);
    assert_int_equal(sizes[2], 1);
    assert_int_equal(kernel->count, 1);
    a.strides[0] = 11; // refused, and nothing else
    assert_error(tilec_launch(kernel, NULL, args, 3), TILEC_ERROR_INVALID_ARGUMENT, "parameter 'a'");
    a.strides[0] = 12;
    b.shape[0] = 4; // divisible by 16 no more or less: the same variant
    assert_ok(tilec_launch(kernel, NULL, args, 3));
    assert_int_equal(kernel->count, 1);
    b.shape[0] = 8;
    a.shape[1] = 8; // 16 bytes divide a row
    assert_ok(tilec_launch(kernel, NULL, args, 3));
    assert_int_equal(kernel->count, 2);
    a.block[0] = b.block[0] = 2; // another type
    assert_ok(tilec_launch(kernel, NULL, args, 3));
    assert_int_equal(kernel->count, 3);
    tilec_buffer_free(from);
    tilec_buffer_free(to);
    tilec_buffer_free(told);
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

// A DLPack tensor of the host within a tuple, and as a descriptor's base.
TEST(test_tensors_within) {
  static const char source[] = "@kernel\n"
                               "def k(t):\n"
                               "    x, d = t\n"
                               "    store(x + arange(0, 8), d.load([0]) + 1)\n";
  for (int dev = 0; dev < DEVICES; dev++) {
    tilec_device *device = open_device(devices[dev]);
    tilec_kernel *kernel = kernel_of(device, source);
    _Alignas(16) float x[8], y[8];
    int64_t shape[] = {8};
    for (int i = 0; i < 8; i++) x[i] = (float)i, y[i] = 0;
    Tensor from = {x, TENSOR_CPU, 0, 1, TENSOR_FLOAT, 32, 1, shape, NULL, 0}, to = from;
    to.data = y;
    tilec_descriptor d = TILEC_DESCRIPTOR_INIT;
    d.base = tilec_arg_dl(&from);
    d.rank = 1;
    d.block[0] = 8;
    d.shape[0] = 8;
    d.strides[0] = 1;
    const tilec_arg items[] = {tilec_arg_dl(&to), tilec_arg_descriptor(&d)};
    const tilec_tuple t = tuple_of(items, 2);
    const tilec_arg arg = tilec_arg_tuple(&t);
    const tilec_launch_options options = one_program();
    assert_ok(tilec_launch(kernel, &options, &arg, 1));
    for (int i = 0; i < 8; i++) assert_float_equal(y[i], i + 1, 0);
    tilec_kernel_free(kernel);
    tilec_device_close(device);
  }
}

// Heuristics see items of tuples, by value: each value that they read may be another variant.
TEST(test_heuristics) {
  static const char source[] =
      "@triton.heuristics({'B': lambda args: triton.next_power_of_2(args['t'][1])})\n"
      "@triton.jit\n"
      "def k(t, m, B: constexpr):\n"
      "    store(t[0], B + m)\n";
  static const int rows[][4] = {{5, 0, 8, 1},  {7, 0, 8, 2},   {5, 0, 8, 2},
                                {5, 3, 11, 3}, {7, 19, 27, 4}, {7, 3, 11, 4}};
  tilec_device *device = open_device("eval");
  tilec_kernel *kernel = kernel_of(device, source);
  int32_t got = 0;
  tilec_buffer *out = buffer_of(device, &got, 4);
  const tilec_launch_options options = one_program();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const tilec_arg items[] = {tilec_arg_buffer(TILEC_I32, out), tilec_arg_int(rows[i][0])};
    const tilec_tuple t = tuple_of(items, 2);
    const tilec_arg args[] = {tilec_arg_tuple(&t), tilec_arg_int(rows[i][1])};
    assert_ok(tilec_launch(kernel, &options, args, 2));
    assert_ok(tilec_buffer_read(out, 0, &got, 4));
    assert_int_equal(got, rows[i][2]);
    assert_int_equal(kernel->count, rows[i][3]);
  }
  int made = 0; // of what heuristics make the same of, one
  for (const Specialisation *s = kernel->first; s; s = s->next) made++;
  assert_int_equal(made, 2);
  tilec_buffer_free(out);
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

// A default that is a tuple; None for what is declared as several; a constexpr for a plain parameter.
TEST(test_defaults) {
  static const char source[] = "@kernel\n"
                               "def k(out: *i32, n, d: 'tensordesc<fp32[8]>' = None, t=(2, 3)):\n"
                               "    static_assert(d is None)\n"
                               "    store(out, t[0] * t[1] + n)\n";
  tilec_device *device = open_device("sim");
  tilec_kernel *kernel = kernel_of(device, source);
  int32_t got = 0;
  tilec_buffer *out = buffer_of(device, &got, 4);
  const tilec_launch_options options = one_program();
  const tilec_arg items[] = {tilec_arg_int(5), tilec_arg_constexpr("7")};
  const tilec_tuple t = tuple_of(items, 2);
  const tilec_arg args[] = {tilec_arg_buffer(TILEC_I32, out), tilec_arg_constexpr("100"), tilec_arg_none(),
                            tilec_arg_tuple(&t)};
  for (size_t n = 2; n <= 4; n++) {
    assert_ok(tilec_launch(kernel, &options, args, n));
    assert_ok(tilec_buffer_read(out, 0, &got, 4));
    assert_int_equal(got, n == 4 ? 135 : 106);
  }
  tilec_buffer_free(out);
  tilec_kernel_free(kernel);
  tilec_device_close(device);
}

// Tile IR and PTX have the parameters that a tuple is, and take no tuple.
TEST(test_of_tile_ir) {
  static const char source[] = "module target = \"sm_90a\", num_warps = 4, num_stages = 3, maxnreg = 0, "
                               "fp32_dot = \"ieee\", fp_contract = true, "
                               "opt_level = 3, debug = false {\nkernel @k(%t_0: *i32, %t_1: i32) {\n  store "
                               "%t_0, %t_1\n  return\n}\n}\n";
  tilec_device *device = open_device("eval");
  tilec_program *program = program_of("k.tir", source);
  tilec_kernel *kernel = NULL;
  assert_ok(tilec_kernel_new(device, program, NULL, &kernel));
  int32_t got = 0;
  tilec_buffer *out = buffer_of(device, &got, 4);
  const tilec_arg items[] = {tilec_arg_buffer(TILEC_I32, out), tilec_arg_int(5)};
  const tilec_tuple t = tuple_of(items, 2);
  const tilec_arg args[] = {tilec_arg_tuple(&t), tilec_arg_int(5)};
  const tilec_launch_options options = one_program();
  assert_error(tilec_launch(kernel, &options, args, 2), TILEC_ERROR_INVALID_ARGUMENT, "is tile IR");
  assert_ok(tilec_launch(kernel, &options, items, 2));
  assert_ok(tilec_buffer_read(out, 0, &got, 4));
  assert_int_equal(got, 5);
  tilec_buffer_free(out);
  tilec_kernel_free(kernel);
  tilec_program_free(program);
  tilec_device_close(device);
}

WHOLE_SUITE(runtime_wide)
