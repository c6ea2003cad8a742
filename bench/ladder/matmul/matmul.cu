// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// c = a b of n x n row-major floats, step by step: each kernel fixes what slows the previous one. 256 threads a CTA.
// n is a multiple of 128. matmul.ptx is the output of nvcc -ptx -arch=sm_80 -o matmul.ptx matmul.cu
#define V 4   // a thread's tile is V x V
#define L 64  // a CTA's is L x L
#define S 16  // of k at a time, through shared memory
typedef const float *__restrict__ In;

// An element a thread, neighbours along a row: 2 n^3 elements read.
extern "C" __global__ void naive(In a, In b, float *c, int n) {
  int i = blockIdx.y * 8 + threadIdx.x / 32, j = blockIdx.x * 32 + threadIdx.x % 32;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}

static __device__ void multiply(float sum[V][V], const float x[V], const float y[V]) {
#pragma unroll
  for (int r = 0; r < V; r++)
#pragma unroll
    for (int q = 0; q < V; q++) sum[r][q] += x[r] * y[q];
}

// V x V elements a thread, each value read used V times: 2 n^3 / V.
extern "C" __global__ void registers(In a, In b, float *c, int n) {
  int i = (blockIdx.y * 8 + threadIdx.x / 32) * V, j = blockIdx.x * 32 * V + threadIdx.x % 32;
  float sum[V][V] = {}, x[V], y[V];
#pragma unroll 1
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int r = 0; r < V; r++) x[r] = a[(i + r) * n + k], y[r] = b[k * n + j + r * 32];
    multiply(sum, x, y);
  }
#pragma unroll
  for (int r = 0; r < V; r++)
#pragma unroll
    for (int q = 0; q < V; q++) c[(i + r) * n + j + q * 32] = sum[r][q];
}

// L x L elements a block, whose operands are read once for all its threads: 2 n^3 / L from global memory, 2 n^3 / V from shared.
extern "C" __global__ void shared_tiles(In a, In b, float *c, int n) {
  __shared__ float as[L][S], bs[S][L];
  int t = threadIdx.x, ty = t / 16, tx = t % 16, i = blockIdx.y * L, j = blockIdx.x * L;
  float sum[V][V] = {}, x[V], y[V];
#pragma unroll 1
  for (int k = 0; k < n; k += S) {
#pragma unroll
    for (int r = 0; r < 4; r++) {
      as[ty + r * 16][tx] = a[(i + ty + r * 16) * n + k + tx];
      bs[t / L + r * 4][t % L] = b[(k + t / L + r * 4) * n + j + t % L];
    }
    __syncthreads();
    // volatile: the number of reads is the one written here, one float each
#pragma unroll
    for (int s = 0; s < S; s++) {
#pragma unroll
      for (int r = 0; r < V; r++)
        x[r] = *(volatile float *)&as[ty + r * 16][s], y[r] = *(volatile float *)&bs[s][tx + r * 16];
      multiply(sum, x, y);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < V; r++)
#pragma unroll
    for (int q = 0; q < V; q++) c[(i + ty + r * 16) * n + j + tx + q * 16] = sum[r][q];
}

// 16 bytes an access. a's tile is transposed, so that a thread's V rows are neighbours too. When its column of four is
// stored, lanes of one row meet in a bank. `swizzle` moves the rows of each four k to other banks.
static __device__ __forceinline__ void tile(In a, In b, float *c, int n, int swizzle) {
  __shared__ __align__(16) float as[S][L], bs[S][L];
  int t = threadIdx.x, ty = t / 16, tx = t % 16, i = blockIdx.y * L, j = blockIdx.x * L, four = t % 4;
  float sum[V][V] = {};
#pragma unroll 1
  for (int k = 0; k < n; k += S) {
    float4 v = *(const float4 *)&a[(i + t / 4) * n + k + four * 4];
    int row = t / 4 ^ four * swizzle;
    as[four * 4][row] = v.x, as[four * 4 + 1][row] = v.y, as[four * 4 + 2][row] = v.z, as[four * 4 + 3][row] = v.w;
    *(float4 *)&bs[ty][tx * 4] = *(const float4 *)&b[(k + ty) * n + j + tx * 4];
    __syncthreads();
#pragma unroll
    for (int s = 0; s < S; s++) {
      float4 p = *(const float4 *)&as[s][ty * 4 ^ s / 4 * swizzle], q = *(const float4 *)&bs[s][tx * 4];
      float x[V] = {p.x, p.y, p.z, p.w}, y[V] = {q.x, q.y, q.z, q.w};
      multiply(sum, x, y);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < V; r++)
    *(float4 *)&c[(i + ty * 4 + r) * n + j + tx * 4] = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

extern "C" __global__ void vectors(In a, In b, float *c, int n) { tile(a, b, c, n, 0); }
extern "C" __global__ void swizzled(In a, In b, float *c, int n) { tile(a, b, c, n, 8); }
