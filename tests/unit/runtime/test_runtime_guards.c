// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels whose loads by pointers are TMA copies under a guard, on the simulator and on
// a driver that is the simulator. Tests for which launches the guard holds. Other launches take the
// plain kernel, and must be right too.
#include "tests/unit/unit.h"
#include "ir/number.h"
#include "runtime/launch/kernel.h"
#include "tests/unit/fake_driver_fixture.h"
#include "tests/unit/runtime_fixture.h"

enum { BLOCK = 64, STEP = 32, ROOM = 1 << 15, PROGRAMS = 2, OUT = PROGRAMS * BLOCK * BLOCK };
static const char *const guard_devices[] = {"sim", "cuda"};
enum { GUARD_DEVICES = 2 };

static const char source[] =
    "@triton.jit\n"
    "def mm(x, y, out, M, N, K, sx, sy, start):\n"
    "    p = tl.program_id(0)\n"
    "    i = start + p * 64 + tl.arange(0, 64)\n"
    "    j = tl.arange(0, 64) % N\n"
    "    k = tl.arange(0, 32)\n"
    "    xs = x + i[:, None] * sx + k[None, :]\n"
    "    acc = tl.zeros((64, 64), tl.float32)\n"
    "    for s in range(0, K, 32):\n"
    "        a = tl.load(xs, mask=(i[:, None] < M) & (k[None, :] < K - s), other=0.0)\n"
    "        b = tl.load(y + (k[:, None] + s) * sy + j[None, :], mask=k[:, None] < K - s, other=0.0)\n"
    "        acc = tl.dot(a, b, acc)\n"
    "        xs += 32\n"
    "    r = tl.arange(0, 64)\n"
    "    tl.store(out + p * 4096 + r[:, None] * 64 + r[None, :], acc)\n";

typedef struct GuardCase {
  const char *what;
  int32_t m, n, k, sx, sy, start;
  uint32_t skip; // elements of x before the one that the argument points to
  bool holds;
} GuardCase;

static const GuardCase cases[] = {
    {"whole blocks", 128, 64, 96, 96, 64, 0, 0, true},
    {"rows and k that end within a block", 100, 64, 90, 96, 64, 0, 0, true},
    {"rows that begin later", 160, 64, 64, 64, 64, 32, 0, true},
    {"rows that all are outside", 16, 64, 64, 64, 64, 32, 0, true},
    {"no iteration", 128, 64, 0, 96, 64, 0, 0, false}, // a size of 0
    {"no rows", 0, 64, 64, 64, 64, 0, 0, false},
    {"columns that are not whole blocks", 128, 48, 96, 96, 64, 0, 0, false},
    {"rows before the pointer", 128, 64, 64, 64, 64, -32, 64 * 64, false},
    {"rows that go backwards", 128, 64, 64, -64, 64, 0, 128 * 64, false},
    {"rows that are one", 128, 64, 64, 0, 64, 0, 0, true},
    {"offsets that wrap round", (1 << 28) + 128, 64, 16, 16, 64, 1 << 28, 0, false},
    {"rows beyond what coordinates can say", INT32_MAX, 64, 16, 0, 64, INT32_MAX - 127, 0, false},
};

typedef struct Guarded {
  tilec_device *device;
  tilec_kernel *kernel;
  tilec_buffer *x, *y, *out;
  int host_x[ROOM], host_y[ROOM];
} Guarded;

static int load_fake(void **state) {
  (void)state;
  fake_driver_load();
  return 0;
}

static tilec_buffer *fill(tilec_device *device, int *host, unsigned seed) {
  uint16_t *memory = calloc(ROOM, sizeof *memory);
  assert_non_null(memory);
  for (uint32_t i = 0; i < ROOM; i++) {
    seed = seed * 1664525u + 1013904223u;
    host[i] = (int)(seed >> 24) % 7 - 3;
    memory[i] = (uint16_t)number_encode(ELEM_FP16, host[i]);
  }
  tilec_buffer *buffer = buffer_of(device, memory, ROOM * sizeof *memory);
  free(memory);
  return buffer;
}

static Guarded *guarded_new(const char *device) {
  Guarded *g = calloc(1, sizeof *g);
  assert_non_null(g);
  tilec_program *program = program_of("test.py", source);
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.tma = TILEC_TMA_ON;
  options.arch = strcmp(device, "sim") == 0 ? "sm_90a" : NULL; // a GPU has its own
  g->device = open_device(device);
  assert_ok(tilec_kernel_new(g->device, program, &options, &g->kernel));
  tilec_program_free(program);
  g->x = fill(g->device, g->host_x, 1);
  g->y = fill(g->device, g->host_y, 2);
  assert_ok(tilec_buffer_new(g->device, OUT * sizeof(float), &g->out));
  return g;
}

static void guarded_free(Guarded *g) {
  tilec_kernel_free(g->kernel);
  tilec_buffer_free(g->x);
  tilec_buffer_free(g->y);
  tilec_buffer_free(g->out);
  tilec_device_close(g->device);
  free(g);
}

static int product_at(const Guarded *g, const GuardCase *c, int32_t row, uint32_t column) {
  int64_t i = (int64_t)c->start + row;
  int sum = 0;
  if (i >= c->m || i > INT32_MAX) return 0;
  int32_t at = (int32_t)(uint32_t)((uint64_t)i * (uint64_t)(int64_t)c->sx); // as i32 wraps
  for (int32_t k = 0; k < c->k; k++)
    sum += g->host_x[(int64_t)c->skip + at + k] * g->host_y[k * c->sy + (int32_t)(column % (uint32_t)c->n)];
  return sum;
}

static void run(const Guarded *g, const GuardCase *c, uint32_t programs) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS_INIT;
  options.grid[0] = programs;
  options.grid[1] = options.grid[2] = 1;
  const tilec_arg args[] = {tilec_arg_pointer(TILEC_FP16, tilec_buffer_address(g->x) + 2 * (uint64_t)c->skip),
                            tilec_arg_buffer(TILEC_FP16, g->y),
                            tilec_arg_buffer(TILEC_FP32, g->out),
                            tilec_arg_int(c->m),
                            tilec_arg_int(c->n),
                            tilec_arg_int(c->k),
                            tilec_arg_int(c->sx),
                            tilec_arg_int(c->sy),
                            tilec_arg_int(c->start)};
  float *got = malloc(OUT * sizeof *got);
  assert_non_null(got);
  assert_ok(tilec_launch(g->kernel, &options, args, sizeof args / sizeof *args));
  assert_ok(tilec_device_synchronize(g->device));
  assert_ok(tilec_buffer_read(g->out, 0, got, OUT * sizeof *got));
  for (uint32_t i = 0; i < programs * BLOCK * BLOCK; i++) {
    int expected = product_at(g, c, (int32_t)(i / BLOCK), i % BLOCK);
    if (got[i] != (float)expected)
      fail_msg("%s: element %u is %g, not %d", c->what, i, (double)got[i], expected);
  }
  free(got);
}

static uint32_t plain_kernels(const Guarded *g) {
  uint32_t plain = 0, copies = 0;
  for (const Specialisation *s = g->kernel->first; s; s = s->next) {
    plain += s->level == SPEC_PLAIN;
    copies += s->hidden.maps > 0;
  }
  assert_true(copies > 0);
  return plain;
}

TEST(test_which_launches) {
  for (int n = 0; n < GUARD_DEVICES; n++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      Guarded *g = guarded_new(guard_devices[n]);
      run(g, &cases[i], PROGRAMS);
      if (plain_kernels(g) != !cases[i].holds)
        fail_msg("%s: %u plain kernels on %s", cases[i].what, plain_kernels(g), guard_devices[n]);
      guarded_free(g);
    }
}

// The same arguments, of more programs: the guard is asked again.
TEST(test_another_grid) {
  const GuardCase near = {
      "the last rows that coordinates can say", 0x7fffff00, 64, 16, 0, 64, 0x7fffff00 - 64, 0, true};
  for (int n = 0; n < GUARD_DEVICES; n++) {
    Guarded *g = guarded_new(guard_devices[n]);
    run(g, &near, 1);
    assert_int_equal(plain_kernels(g), 0);
    run(g, &near, 2);
    assert_int_equal(plain_kernels(g), 1);
    run(g, &near, 1);
    guarded_free(g);
  }
}

// In turn, with sets of arguments that it holds of and others.
TEST(test_in_turn) {
  for (int n = 0; n < GUARD_DEVICES; n++) {
    Guarded *g = guarded_new(guard_devices[n]);
    for (int round = 0; round < 3; round++) {
      run(g, &cases[0], PROGRAMS);
      run(g, &cases[8], PROGRAMS);
      run(g, &cases[1], PROGRAMS);
    }
    guarded_free(g);
  }
}

int suite_runtime_guards(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_which_launches),
      cmocka_unit_test(test_another_grid),
      cmocka_unit_test(test_in_turn),
  };
  return cmocka_run_group_tests(tests, load_fake, NULL);
}
