// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared, local, constant and dynamic shared memory; vectors; atomics.
#include <cuda_runtime.h>

// 32 x 32 tiles by 32 x 8 threads, shared memory padded.
extern "C" __global__ void transpose(const float *x, float *y, int width, int height) {
  __shared__ float tile[32][33];
  int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (i < width && j + k < height) tile[threadIdx.y + k][threadIdx.x] = x[(j + k) * width + i];
  __syncthreads();
  i = blockIdx.y * 32 + threadIdx.x, j = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (i < height && j + k < width) y[(j + k) * height + i] = tile[threadIdx.x][threadIdx.y + k];
}

// Sorts 16 bytes a thread in an array indexed by values.
extern "C" __global__ void local_sort(const unsigned char *x, unsigned char *y) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char a[16];
  for (int i = 0; i < 16; i++) a[i] = x[16 * t + i];
  for (int i = 1; i < 16; i++)
    for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
      unsigned char v = a[j];
      a[j] = a[j - 1], a[j - 1] = v;
    }
  for (int i = 0; i < 16; i++) y[16 * t + i] = a[i];
}

__constant__ int weights[4] = {3, -5, 7, 11};
__device__ int scale = 2;

// Four weights from constant memory, one factor from a module variable, dynamic shared memory reversed.
extern "C" __global__ void constants(const int4 *x, int *y) {
  extern __shared__ int reversed[];
  int t = threadIdx.x, n = blockDim.x;
  int4 v = x[t];
  reversed[n - 1 - t] = scale * (v.x * weights[0] + v.y * weights[1] + v.z * weights[2] + v.w * weights[t & 3]);
  __syncthreads();
  y[t] = reversed[t];
}

struct Point {
  short x, y;
  signed char kind[5];
  double weight;
};

// Structures by value and in memory.
extern "C" __global__ void structures(Point origin, const Point *in, Point *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  Point p = in[t];
  p.x -= origin.x, p.y -= origin.y;
  for (int i = 0; i < 5; i++) p.kind[i] = (signed char)(p.kind[i] * origin.kind[i]);
  p.weight *= origin.weight;
  out[t] = p;
}

extern "C" __global__ void atomics(unsigned long long *sum, long long *least, double *real, unsigned *ring,
                                   unsigned *bits, const long long *x) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, (unsigned long long)x[t]);
  atomicMin(least, x[t]);
  atomicMax(least + 1, x[t]);
  atomicAdd(real, (double)(x[t] >> 40));
  atomicInc(&ring[0], 100);
  atomicDec(&ring[1], 100);
  atomicSub(&ring[2], (unsigned)t);
  atomicOr(&bits[0], 1u << (t & 31));
  atomicXor(&bits[1], (unsigned)x[t]);
  atomicAnd((unsigned long long *)&bits[2], ~(1ull << (t & 63)));
  unsigned long long *slot = (unsigned long long *)&bits[4], old = *slot, seen;
  do {
    seen = old;
    old = atomicCAS(slot, seen, seen * 3 + 1);
  } while (old != seen);
}
