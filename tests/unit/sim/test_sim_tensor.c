// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor copies and tensor maps, under all four schedules.
#include "tests/unit/unit.h"
#include "sim/sim.h"
#include "tests/unit/sim_fixture.h"

#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

static tilec_sim_tensor_map map_2d(uint32_t type, uint64_t address, uint64_t columns, uint64_t rows,
                                   uint64_t pitch, uint32_t box_columns, uint32_t box_rows,
                                   uint32_t swizzle) {
  tilec_sim_tensor_map map;
  uint64_t dims[] = {columns, rows}, strides[] = {pitch};
  uint32_t box[] = {box_columns, box_rows}, steps[] = {1, 1};
  assert_int_equal(
      tilec_sim_tensor_map_encode(&map, type, 2, address, dims, strides, box, steps, 0, swizzle, 2, 0),
      TILEC_SIM_OK);
  return map;
}

TEST(test_wgmma_and_tensor_copy_gemm) {
  enum { M = 128, N = 192, K = 320 };
  static uint16_t a[M * K], b[N * K];
  static float c[M * N];
  for (int i = 0; i < M * K; i++) a[i] = bf16_of_int(sim_small_int(i));
  for (int i = 0; i < N * K; i++) b[i] = bf16_of_int(sim_small_int(i + 7));
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_file("async.ptx", schedule);
    memset(c, 0xff, sizeof c);
    uint64_t pa = sim_bind(&f, a, sizeof a), pb = sim_bind(&f, b, sizeof b), pc = sim_bind(&f, c, sizeof c);
    tilec_sim_tensor_map ma = map_2d(9, pa, K, M, 2 * K, 64, 64, 3),
                         mb = map_2d(9, pb, K, N, 2 * K, 64, 64, 3),
                         mc = map_2d(7, pc, N, M, 4 * N, 64, 64, 0);
    int k = K;
    const void *params[] = {&ma, &mb, &mc, &k};
    sim_run(&f, "wgmma_gemm", N / 64, M / 64, 160, 3 * 16384, params);
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        int sum = 0;
        for (int x = 0; x < K; x++) sum += sim_small_int(i * K + x) * sim_small_int(j * K + x + 7);
        assert_float_equal(c[i * N + j], (float)sum, 0);
      }
    sim_close(&f);
  }
}

// ---- TMA copies ----

enum { X = 20, Y = 9, Z = 5, BX = 8, BY = 4, BZ = 3 };

static const char tensor_text[] = HEAD
    ".visible .entry load(.param .align 64 .b8 map[128], .param .u64 po, .param .u32 px, .param .u32 py,"
    " .param .u32 pz) {\n"
    ".reg .b64 %m, %o, %t;\n.reg .b32 %r<9>;\n.reg .pred %p;\n"
    ".shared .align 8 .b64 bar;\n.shared .align 1024 .b8 s[1536];\n"
    "mov.b64 %t, map;\ncvta.param.u64 %m, %t;\nld.param.u64 %o, [po];\n"
    "ld.param.u32 %r0, [px];\nld.param.u32 %r1, [py];\nld.param.u32 %r2, [pz];\n"
    "mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n"
    "prefetch.tensormap [%m];\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 384;\n"
    "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], "
    "[%m, {%r0, %r1, %r2}], [bar];\n"
    "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;\n@!%p bra again;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%o], [s], 1536;\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}\n"
    ".visible .entry store(.param .align 64 .b8 map[128], .param .u64 pi, .param .u32 px, .param .u32 py,"
    " .param .u32 pz) {\n"
    ".reg .b64 %m, %i, %t;\n.reg .b32 %r<9>;\n.reg .pred %p;\n"
    ".shared .align 8 .b64 bar;\n.shared .align 1024 .b8 s[1536];\n"
    "mov.b64 %t, map;\ncvta.param.u64 %m, %t;\nld.param.u64 %i, [pi];\n"
    "ld.param.u32 %r0, [px];\nld.param.u32 %r1, [py];\nld.param.u32 %r2, [pz];\n"
    "mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1536;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%i], 1536, [bar];\n"
    "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;\n@!%p bra again;\n"
    "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%m, {%r0, %r1, %r2}], [s];\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
    "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%m, {%r0, %r1, %r2}], [s];\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}\n";

// 4 and 6: atoms of 32 and 64 bytes.
static int swizzled(int byte, uint32_t swizzle) {
  static const int bits[] = {0, 1, 3, 7, 3, 0, 1}, shifts[] = {4, 4, 4, 4, 5, 0, 6};
  return byte ^ ((byte >> 7 & bits[swizzle]) << shifts[swizzle]);
}

static float tensor_value(int x, int y, int z) { return (float)(x + 100 * y + 1000 * z + 1); }

static tilec_sim_tensor_map tensor_map(uint64_t address, uint32_t swizzle, uint32_t fill) {
  tilec_sim_tensor_map map;
  uint64_t dims[] = {X, Y, Z}, strides[] = {X * 4, X * Y * 4};
  uint32_t box[] = {BX, BY, BZ}, steps[] = {1, 1, 1};
  assert_int_equal(
      tilec_sim_tensor_map_encode(&map, 7, 3, address, dims, strides, box, steps, 0, swizzle, 0, fill),
      TILEC_SIM_OK);
  return map;
}

// The float's place in a box in shared memory: rows of 32 bytes every 32, 64 or 128, chunks of 16 swizzled.
static int box_place(int x, int y, int z, uint32_t swizzle) {
  static const int pitches[] = {4 * BX, 32, 64, 128, 128, 0, 128};
  return swizzled(4 * x + pitches[swizzle] * (y + BY * z), swizzle) / 4;
}

static void check_load(uint32_t swizzle, uint32_t fill, const int *corner, int schedule) {
  SimFixture f = sim_open_text(tensor_text, schedule);
  static float in[X * Y * Z], out[384];
  for (int z = 0; z < Z; z++)
    for (int y = 0; y < Y; y++)
      for (int x = 0; x < X; x++) in[x + X * (y + Y * z)] = tensor_value(x, y, z);
  uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
  tilec_sim_tensor_map map = tensor_map(pi, swizzle, fill);
  const void *params[] = {&map, &po, &corner[0], &corner[1], &corner[2]};
  sim_run(&f, "load", 1, 1, 1, 0, params);
  for (int z = 0; z < BZ; z++)
    for (int y = 0; y < BY; y++)
      for (int x = 0; x < BX; x++) {
        int a = x + corner[0], b = y + corner[1], c = z + corner[2];
        float got = out[box_place(x, y, z, swizzle)];
        if (a >= 0 && a < X && b >= 0 && b < Y && c >= 0 && c < Z)
          assert_float_equal(got, tensor_value(a, b, c), 0);
        else if (fill)
          assert_true(got != got);
        else
          assert_float_equal(got, 0, 0);
      }
  sim_close(&f);
}

TEST(test_tensor_loads) {
  static const int corners[][3] = {{0, 0, 0}, {4, 2, 1}, {-4, -2, -1}, {16, 7, 3}, {40, 0, 0}, {4, 8, 4}};
  for (int schedule = 0; schedule < SCHEDULES; schedule++)
    for (uint32_t swizzle = 0; swizzle < 7; swizzle += swizzle == 4 ? 2 : 1)
      for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
        check_load(swizzle, swizzle & 1, corners[i], schedule);
}

// The types of 32-bit floats: F32 F32_FTZ TF32 TF32_FTZ. Rounding to tf32 is to nearest even.
TEST(test_tensor_types_that_round) {
  static const struct {
    uint32_t in, out[4];
  } rows[] = {{0x3f801000, {0x3f801000, 0x3f801000, 0x3f800000, 0x3f800000}},
              {0x3f803000, {0x3f803000, 0x3f803000, 0x3f804000, 0x3f804000}},
              {0xbf801001, {0xbf801001, 0xbf801001, 0xbf802000, 0xbf802000}},
              {0x7f7fffff, {0x7f7fffff, 0x7f7fffff, 0x7f800000, 0x7f800000}},
              {0x7f800001, {0x7f800001, 0x7f800001, 0x7f800001, 0x7f800001}},
              {0x80001fff, {0x80001fff, 0x80000000, 0x80002000, 0x80000000}}};
  static const uint32_t types[] = {7, 10, 11, 12};
  enum { ROWS = sizeof rows / sizeof *rows };
  for (int t = 0; t < 4; t++) {
    SimFixture f = sim_open_text(tensor_text, TILEC_SIM_LATE);
    static uint32_t in[X * Y * Z], out[384];
    int zero = 0;
    for (int i = 0; i < ROWS; i++) in[i] = rows[i].in;
    uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
    tilec_sim_tensor_map map;
    uint64_t dims[] = {X, Y, Z}, strides[] = {X * 4, X * Y * 4};
    uint32_t box[] = {BX, BY, BZ}, steps[] = {1, 1, 1};
    assert_int_equal(
        tilec_sim_tensor_map_encode(&map, types[t], 3, pi, dims, strides, box, steps, 0, 0, 0, 0),
        TILEC_SIM_OK);
    const void *params[] = {&map, &po, &zero, &zero, &zero};
    sim_run(&f, "load", 1, 1, 1, 0, params);
    for (int i = 0; i < ROWS; i++) assert_int_equal(out[i], rows[i].out[t]);
    sim_close(&f);
  }
}

static void check_corner(const char *kernel, const int *corner, const char *message) {
  SimFixture f = sim_open_text(tensor_text, TILEC_SIM_LATE);
  static float tensor[X * Y * Z], box[384];
  uint64_t pt = sim_bind(&f, tensor, sizeof tensor), pb = sim_bind(&f, box, sizeof box);
  tilec_sim_tensor_map map = tensor_map(pt, 0, 0);
  const void *params[] = {&map, &pb, &corner[0], &corner[1], &corner[2]};
  assert_int_equal(sim_launch(&f, kernel, 1, 1, 1, 0, params), TILEC_SIM_ERROR_KERNEL);
  assert_non_null(strstr(tilec_sim_message(f.sim), message));
  sim_close(&f);
}

// An H200 stops there too.
TEST(test_corners_that_stop_the_hardware) {
  check_corner("load", (int[]){3, 0, 0}, "multiple of 16 bytes");
  check_corner("store", (int[]){2, 0, 0}, "multiple of 16 bytes");
  check_corner("store", (int[]){-4, 0, 0}, "coordinate 0 is negative");
  check_corner("store", (int[]){0, 0, -1}, "coordinate 2 is negative");
}

TEST(test_tensor_stores_and_reductions) {
  static const int corners[][3] = {{0, 0, 0}, {4, 2, 1}, {0, 8, 4}, {16, 7, 3}};
  for (int schedule = 0; schedule < SCHEDULES; schedule++)
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
      const int *corner = corners[i];
      SimFixture f = sim_open_text(tensor_text, schedule);
      static float in[384], out[X * Y * Z];
      for (int k = 0; k < 384; k++) in[k] = (float)(k + 1);
      memset(out, 0, sizeof out);
      uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
      tilec_sim_tensor_map map = tensor_map(po, 2, 0);
      const void *params[] = {&map, &pi, &corner[0], &corner[1], &corner[2]};
      sim_run(&f, "store", 1, 1, 1, 0, params);
      for (int z = 0; z < Z; z++)
        for (int y = 0; y < Y; y++)
          for (int x = 0; x < X; x++) {
            int a = x - corner[0], b = y - corner[1], c = z - corner[2];
            bool inside = a >= 0 && a < BX && b >= 0 && b < BY && c >= 0 && c < BZ;
            assert_float_equal(out[x + X * (y + Y * z)], inside ? 2 * in[box_place(a, b, c, 2)] : 0, 0);
          }
      sim_close(&f);
    }
}

// Rows of 18 floats end within a chunk of 16 bytes: the hardware writes, and adds, that to its end. Checks report it, at the instruction.
TEST(test_rows_that_end_within_a_chunk) {
  enum { ROW = 18 };
  for (int schedule = 0; schedule < SCHEDULES; schedule++)
    for (int checks = 0; checks < 2; checks++) {
      SimFixture f;
      tilec_sim_options options = TILEC_SIM_OPTIONS_INIT;
      options.schedule = (tilec_sim_schedule)schedule;
      options.checks = checks;
      assert_int_equal(tilec_sim_create(&options, &f.sim), TILEC_SIM_OK);
      assert_int_equal(tilec_sim_load(f.sim, tensor_text, strlen(tensor_text), &f.module), TILEC_SIM_OK);
      static float in[384], out[X * Y * Z];
      for (int k = 0; k < 384; k++) in[k] = (float)(k + 1);
      for (int k = 0; k < X * Y * Z; k++) out[k] = -5;
      uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
      tilec_sim_tensor_map map;
      uint64_t dims[] = {ROW, Y, Z}, strides[] = {X * 4, X * Y * 4};
      uint32_t box[] = {BX, BY, BZ}, steps[] = {1, 1, 1};
      assert_int_equal(tilec_sim_tensor_map_encode(&map, 7, 3, po, dims, strides, box, steps, 0, 0, 0, 0),
                       TILEC_SIM_OK);
      int corner[] = {12, 0, 0};
      const void *params[] = {&map, &pi, &corner[0], &corner[1], &corner[2]};
      tilec_sim_result result = sim_launch(&f, "store", 1, 1, 1, 0, params);
      assert_int_equal(result, checks ? TILEC_SIM_ERROR_KERNEL : TILEC_SIM_OK);
      assert_float_equal(out[X - 3], 2 * in[5], 0);
      assert_float_equal(out[X - 1], 2 * in[7], 0);
      assert_float_equal(out[X], -5, 0);
      for (size_t i = 0; checks && i < 2; i++) {
        const tilec_sim_report *report = tilec_sim_report_at(f.sim, i);
        assert_int_equal(tilec_sim_report_count(f.sim), 2);
        assert_int_equal(report->kind, TILEC_SIM_OUT_OF_BOUNDS);
        assert_non_null(strstr(report->message, i ? "a tensor reduction changes 8 bytes after"
                                                  : "a tensor store changes 8 bytes after"));
        assert_int_equal(report->count, BY * BZ);
      }
      sim_close(&f);
    }
}

TEST(test_maps_that_cuda_refuses) {
  tilec_sim_tensor_map map;
  uint64_t dims[] = {64, 64}, strides[] = {256}, odd[] = {264};
  uint32_t box[] = {32, 8}, wide[] = {64, 8}, narrow[] = {3, 8}, tall[] = {32, 257}, steps[] = {1, 1};
  assert_int_equal(tilec_sim_tensor_map_encode(&map, 7, 2, 4096, dims, strides, box, steps, 0, 3, 0, 0), 0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 7, 2, 4100, dims, strides, box, steps, 0, 3, 0, 0),
                       0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 7, 2, 4096, dims, odd, box, steps, 0, 3, 0, 0), 0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 7, 2, 4096, dims, strides, wide, steps, 0, 3, 0, 0),
                       0);
  assert_int_not_equal(
      tilec_sim_tensor_map_encode(&map, 7, 2, 4096, dims, strides, narrow, steps, 0, 0, 0, 0), 0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 7, 2, 4096, dims, strides, tall, steps, 0, 0, 0, 0),
                       0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 2, 2, 4096, dims, strides, box, steps, 0, 0, 0, 1),
                       0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 7, 6, 4096, dims, strides, box, steps, 0, 0, 0, 0),
                       0);
  // Padded elements need boxes and extents of 128, and multiples of 32 bytes.
  uint64_t many[] = {256, 64}, fewer[] = {192, 64}, loose[] = {272};
  uint32_t all[] = {128, 8}, part[] = {64, 8};
  assert_int_equal(tilec_sim_tensor_map_encode(&map, 14, 2, 4096, many, strides, all, steps, 0, 3, 0, 0), 0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 14, 2, 4096, many, strides, part, steps, 0, 3, 0, 0),
                       0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 14, 2, 4096, fewer, strides, all, steps, 0, 3, 0, 0),
                       0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 15, 2, 4112, many, strides, all, steps, 0, 3, 0, 0),
                       0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 15, 2, 4096, many, loose, all, steps, 0, 3, 0, 0),
                       0);
  assert_int_not_equal(tilec_sim_tensor_map_encode(&map, 14, 2, 4096, many, strides, all, steps, 0, 2, 0, 0),
                       0);
}

// `16U4_ALIGN8B`, `16U4_ALIGN16B` and `16U6_ALIGN16B`: 16 elements have 8 or 12 bytes in global memory, and mbarriers count
// those. In shared memory padding follows them.
enum { PACKED_ROWS = 4, PACKED_WIDTH = 256, PACKED_BOX = 128, MOST_BYTES = 128 * PACKED_ROWS };

static const char packed_text[] = HEAD
    ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 po, .param .u32 expect, .param .u32 at) {\n"
    ".reg .b64 %m, %o;\n.reg .b32 %r<3>;\n.reg .pred %p;\n"
    ".shared .align 8 .b64 bar;\n.shared .align 1024 .b8 s[512];\n"
    "mov.b64 %o, map;\ncvta.param.u64 %m, %o;\nld.param.u64 %o, [po];\n"
    "ld.param.u32 %r0, [expect];\nld.param.u32 %r1, [at];\nmov.u32 %r2, 1;\n"
    "mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], %r0;\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%m, {%r1, %r2}], "
    "[bar];\n"
    "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;\n@!%p bra again;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%o], [s], 512;\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}\n";

static void check_packed(uint32_t type, uint32_t swizzle, int schedule) {
  static unsigned char in[PACKED_ROWS * PACKED_WIDTH], out[MOST_BYTES];
  const int from = type == 15 ? 12 : 8, to = type == 13 ? 8 : 16, row = PACKED_BOX / 16 * to;
  SimFixture f = sim_open_text(packed_text, schedule);
  for (int i = 0; i < PACKED_ROWS * PACKED_WIDTH; i++) in[i] = (unsigned char)(i * 37 + i / 251 + 1);
  uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out);
  tilec_sim_tensor_map map =
      map_2d(type, pi, PACKED_WIDTH, PACKED_ROWS, PACKED_WIDTH, PACKED_BOX, PACKED_ROWS, swizzle);
  const uint32_t expect = (uint32_t)(PACKED_BOX / 16 * from * PACKED_ROWS), at = PACKED_BOX;
  const void *params[] = {&map, &po, &expect, &at};
  sim_run(&f, "k", 1, 1, 1, 0, params);
  for (int y = 0; y < PACKED_ROWS; y++) // the last row is outside
    for (int x = 0; x < row; x++) {
      int source = (PACKED_BOX / 16 + x / to) * from + x % to, pitch = swizzle ? 16 << swizzle : row;
      assert_int_equal(out[swizzled(y * pitch + x, swizzle)],
                       x % to < from && y + 1 < PACKED_ROWS ? in[(y + 1) * PACKED_WIDTH + source] : 0);
    }
  sim_close(&f);
}

TEST(test_packed_elements) {
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    check_packed(13, 0, schedule);
    check_packed(13, 2, schedule);
    check_packed(14, 0, schedule);
    check_packed(14, 3, schedule);
    check_packed(15, 3, schedule);
  }
}

// A map from a parameter is changed in shared memory, copied to global memory, fenced and used.
TEST(test_maps_changed_by_kernels) {
  static const char text[] = HEAD
      ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 pm, .param .u64 pi, .param .u64 po) {\n"
      ".reg .b64 %m, %g, %i, %o, %q<2>;\n.reg .b32 %r<9>;\n.reg .pred %p;\n"
      ".shared .align 8 .b64 bar;\n.shared .align 128 .b8 copy[128];\n.shared .align 128 .b8 s[256];\n"
      "ld.param.u64 %g, [pm];\nld.param.u64 %i, [pi];\nld.param.u64 %o, [po];\n"
      "mov.u32 %r0, %tid.x;\nmul.wide.u32 %q0, %r0, 4;\nmov.b64 %q1, map;\nadd.s64 %q1, %q1, %q0;\n"
      "ld.param.u32 %r1, [%q1];\nmov.u32 %r2, copy;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r2, %r2, %r3;\n"
      "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nsetp.ne.u32 %p, %r0, 0;\n@%p bra skip;\n"
      "mov.b64 %q0, copy;\n"
      "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%q0], %i;\n"
      "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%q0], 1, 3;\n"
      "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%q0], 1, 4;\n"
      "skip:\nbar.warp.sync 0xffffffff;\n"
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%g], [copy], "
      "128;\n"
      "fence.proxy.tensormap::generic.acquire.gpu [%g], 128;\n@%p bra done;\n"
      "mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%g, {4, 1}], "
      "[bar];\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;\n@!%p bra again;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%o], [s], 128;\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\ndone:\nret;\n}\n";
  for (int schedule = 0; schedule < SCHEDULES; schedule++) {
    SimFixture f = sim_open_text(text, schedule);
    static uint32_t in[64], out[32], decoy[64], space[64];
    for (uint32_t i = 0; i < 64; i++) in[i] = 1000 + i, decoy[i] = 5;
    uint64_t pi = sim_bind(&f, in, sizeof in), po = sim_bind(&f, out, sizeof out),
             pd = sim_bind(&f, decoy, sizeof decoy), pm = sim_bind(&f, space, sizeof space);
    tilec_sim_tensor_map map = map_2d(2, pd, 16, 4, 64, 8, 2, 0);
    const void *params[] = {&map, &pm, &pi, &po};
    sim_run(&f, "k", 1, 1, 32, 0, params);
    for (uint32_t y = 0; y < 4; y++)
      for (uint32_t x = 0; x < 8; x++)
        assert_int_equal(out[8 * y + x], y + 1 < 3 ? 1000 + 16 * (y + 1) + x + 4 : 0);
    sim_close(&f);
  }
}

WHOLE_SUITE(sim_tensor)
