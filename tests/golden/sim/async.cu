// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous kernels: scripts/nvcc-ptx makes async.ptx from this file by nvcc -ptx -arch=sm_90a (then without
// the folders in its .file lines). Written for the simulator's tests; sizes are theirs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

__device__ inline uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ inline void copy16(uint32_t to, const void *from, uint32_t bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

__device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int N> __device__ inline void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

// y = 2 x + 1 over n floats, 128 threads of 4 floats a tile, the next tile on its way while one is worked on.
// Beyond n the copy fills zeros.
extern "C" __global__ void double_buffer(const float *x, float *y, int n) {
  __shared__ float tile[2][512];
  int tiles = (n + 511) / 512, t = threadIdx.x;
  auto fetch = [&](int i) {
    int at = i * 512 + 4 * t, left = n - at;
    uint32_t bytes = left >= 4 ? 16 : left > 0 ? 4 * left : 0;
    copy16(shared_address(&tile[i & 1][4 * t]), bytes ? x + at : x, bytes);
    commit();
  };
  fetch(0);
  for (int i = 0; i < tiles; i++) {
    if (i + 1 < tiles)
      fetch(i + 1);
    else
      commit();
    wait<1>();
    __syncthreads();
    for (int k = t; k < 512; k += 128)
      if (i * 512 + k < n) y[i * 512 + k] = 2 * tile[i & 1][511 - k] + 1;
    __syncthreads();
  }
}

// C (m x n, float) = A (m x k, half, rows) * B (k x n, half, rows): 32 x 32 of C a block of 4 warps.
extern "C" __global__ void mma_gemm(const half *a, const half *b, float *c, int n, int k) {
  __shared__ __align__(16) half as[2][32][24], bs[2][16][40];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, row = blockIdx.y * 32, column = blockIdx.x * 32;
  float sum[2][4] = {};
  auto fetch = [&](int i) {
    if (t < 64)
      copy16(shared_address(&as[i & 1][t / 2][t % 2 * 8]), a + (size_t)(row + t / 2) * k + 16 * i + t % 2 * 8, 16);
    else
      copy16(shared_address(&bs[i & 1][(t - 64) / 4][t % 4 * 8]),
             b + (size_t)(16 * i + (t - 64) / 4) * n + column + t % 4 * 8, 16);
    commit();
  };
  fetch(0);
  for (int i = 0; i < k / 16; i++) {
    if (i + 1 < k / 16) fetch(i + 1);
    else commit();
    wait<1>();
    __syncthreads();
    uint32_t fa[4], fb[4];
    int r = warp / 2 * 16, q = warp % 2 * 16;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(shared_address(&as[i & 1][r + lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
                 : "r"(shared_address(&bs[i & 1][lane % 16][q + lane / 16 * 8])));
    for (int h = 0; h < 2; h++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                   "{%0, %1, %2, %3};"
                   : "+f"(sum[h][0]), "+f"(sum[h][1]), "+f"(sum[h][2]), "+f"(sum[h][3])
                   : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * h]), "r"(fb[2 * h + 1]));
    __syncthreads();
  }
  for (int h = 0; h < 2; h++)
    for (int v = 0; v < 4; v++)
      c[(size_t)(row + warp / 2 * 16 + lane / 4 + 8 * (v / 2)) * n + column + warp % 2 * 16 + 8 * h + lane % 4 * 2 + v % 2] =
          sum[h][v];
}

struct __align__(64) Map {
  uint64_t opaque[16];
};

__device__ inline void barrier_wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
               "@done bra over;\n"
               "bra again;\n"
               "over:\n"
               "}" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ inline void barrier_arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ inline void load_box(uint32_t to, const Map *map, int x, int y, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
               "[%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
}

__device__ inline uint64_t descriptor(uint32_t address) {
  return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

__device__ inline void multiply(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b));
}

// C (m x n, float, through a tensor map) = A (m x k) * B (n x k) transposed, bf16. A CTA computes
// 64 x 64 of C. Warp 4 fetches boxes of 64 x 64 into three stages, warps 0 to 3 multiply.
extern "C" __global__ void __launch_bounds__(160) wgmma_gemm(const __grid_constant__ Map a, const __grid_constant__ Map b,
                                                             const __grid_constant__ Map c, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ __align__(8) uint64_t full[3], empty[3];
  uint32_t base = shared_address(memory), t = threadIdx.x;
  int row = blockIdx.y * 64, column = blockIdx.x * 64;
  if (t == 0) {
    for (int s = 0; s < 3; s++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 4;" ::"r"(shared_address(&empty[s])) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (t >= 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t == 128)
      for (int i = 0; i < k / 64; i++) {
        int s = i % 3;
        barrier_wait(shared_address(&empty[s]), (i / 3 & 1) ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full[s])), "r"(16384)
                     : "memory");
        load_box(base + s * 16384, &a, 64 * i, row, shared_address(&full[s]));
        load_box(base + s * 16384 + 8192, &b, 64 * i, column, shared_address(&full[s]));
      }
    return;
  }
  float d[32] = {};
  for (int i = 0; i < k / 64; i++) {
    int s = i % 3;
    barrier_wait(shared_address(&full[s]), i / 3 & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    uint64_t da = descriptor(base + s * 16384), db = descriptor(base + s * 16384 + 8192);
    for (int x = 0; x < 4; x++) multiply(d, da + 2 * x, db + 2 * x);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (t % 32 == 0) barrier_arrive(shared_address(&empty[s]));
  }
  asm volatile("bar.sync 1, 128;" ::: "memory");
  float *tile = (float *)memory;
  for (int v = 0; v < 32; v++)
    tile[(t / 32 * 16 + t % 32 / 4 + 8 * (v / 2 % 2)) * 64 + 8 * (v / 4) + t % 4 * 2 + v % 2] = d[v];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("bar.sync 1, 128;" ::: "memory");
  if (t == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c), "r"(column),
                 "r"(row), "r"(base) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
