// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers: doubles, halves, wide integers, and what the compiler makes of their idioms.
#include <cuda_fp16.h>

// Newton's square root and a polynomial, in doubles.
extern "C" __global__ void doubles(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i], r = v > 1 ? v : 1;
  for (int k = 0; k < 20; k++) r = 0.5 * (r + v / r);
  double p = fma(fma(v, 0.25, -1.5), v, 3.0);
  y[2 * i] = r;
  y[2 * i + 1] = fmax(p, floor(v)) - (double)(long long)p;
}

extern "C" __global__ void halves(const __half2 *x, __half2 *y, __half *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 a = x[2 * i], b = x[2 * i + 1];
  y[i] = __hfma2(a, b, __hadd2(a, __hneg2(b)));
  z[i] = __hgt(__low2half(a), __high2half(b)) ? __hmul(__low2half(a), __low2half(b)) : __float2half(2.5f);
}

// 128-bit sums, multiplications and remainders of 64-bit numbers.
extern "C" __global__ void wide(const unsigned long long *x, unsigned long long *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long a = x[2 * i], b = x[2 * i + 1];
  unsigned __int128 p = (unsigned __int128)a * b + ((unsigned __int128)b << 64 | a);
  y[5 * i] = (unsigned long long)p;
  y[5 * i + 1] = (unsigned long long)(p >> 64);
  y[5 * i + 2] = b ? a % b : 0;
  y[5 * i + 3] = (unsigned long long)((long long)a / ((long long)(b >> 40) + 1));
  y[5 * i + 4] = __umul64hi(a, b) ^ (unsigned long long)__mul64hi((long long)a, (long long)b);
}

// The instructions of CUDA's integer intrinsics.
extern "C" __global__ void bits(const unsigned *x, unsigned *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = x[2 * i], b = x[2 * i + 1], *to = y + 12 * i;
  to[0] = __popc(a) | __clz(b) << 8 | __ffs(a) << 16;
  to[1] = __brev(a) ^ __byte_perm(a, b, 0x6143);
  to[2] = __funnelshift_l(a, b, b & 31) + __funnelshift_r(a, b, a & 31);
  to[3] = __sad((int)a, (int)b, 9u) + __usad(a, b, 1u);
  to[4] = __umulhi(a, b) ^ __mulhi((int)a, (int)b);
  to[5] = __mul24((int)a, (int)b) + __umul24(a, b);
  to[6] = __hadd((int)a, (int)b) ^ __urhadd(a, b);
  to[7] = (unsigned)__dp4a((int)a, (int)b, 100) + __dp4a(a, b, 7u);
  to[8] = (unsigned)__dp2a_lo((int)a, (int)b, 100) + __dp2a_hi(a, b, 7u);
  unsigned modes[4], p, q;
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(modes[0]) : "r"(a), "r"(b), "r"(b & 3));
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(modes[1]) : "r"(a), "r"(b), "r"(a & 3));
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(modes[2]) : "r"(a), "r"(b & 63));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(modes[3]) : "r"(a & 31), "r"(b & 15));
  asm("bfind.u32 %0, %1;" : "=r"(p) : "r"(a));
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(q) : "r"(b), "r"(0), "r"(3));
  to[9] = (modes[0] ^ modes[1]) + (modes[2] ^ modes[3]) + 5 * p + 7 * q;
  to[10] = __float_as_uint(__int2float_rz((int)a)) ^ (unsigned)__float2int_ru(__uint_as_float(b & 0x4fffffff));
  to[11] = __clzll((long long)a << 32 | b) + 64 * __popcll((unsigned long long)a << 32 | b);
}

// Matmul of 16 x 16 tiles through shared memory.
extern "C" __global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; i++) sum = fmaf(ta[threadIdx.y][i], tb[i][threadIdx.x], sum);
    __syncthreads();
  }
  c[row * n + col] = sum;
}
