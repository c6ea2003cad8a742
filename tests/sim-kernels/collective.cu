// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps and blocks working together. One block of 256 threads where nothing else is said.
#include <cuda_runtime.h>

// Inclusive sums of each 32 elements.
extern "C" __global__ void warp_scan(const int *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, v = x[i];
  for (int d = 1; d < 32; d *= 2) {
    int from = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += from;
  }
  y[i] = v;
}

// Exclusive sums of a block's 256 elements.
extern "C" __global__ void block_scan(const unsigned *x, unsigned *y) {
  __shared__ unsigned sums[8];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  unsigned own = x[t], v = own;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    unsigned from = __shfl_up_sync(0xffffffffu, v, d);
    v += lane >= d ? from : 0;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (t == 0) {
    unsigned total = 0;
    for (int i = 0; i < 8; i++) {
      unsigned s = sums[i];
      sums[i] = total;
      total += s;
    }
  }
  __syncthreads();
  y[t] = v - own + sums[warp];
}

// Sorts 512 keys in shared memory.
extern "C" __global__ void bitonic_sort(unsigned *x) {
  __shared__ unsigned s[512];
  int t = threadIdx.x;
  s[t] = x[t], s[t + 256] = x[t + 256];
  for (int k = 2; k <= 512; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      int a = 2 * t - (t & (j - 1)), b = a + j;
      bool up = (a & k) == 0;
      if ((s[a] > s[b]) == up) {
        unsigned v = s[a];
        s[a] = s[b], s[b] = v;
      }
    }
  __syncthreads();
  x[t] = s[t], x[t + 256] = s[t + 256];
}

// Counts of bytes, any grid.
extern "C" __global__ void histogram(const unsigned char *x, unsigned *counts, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&counts[i], local[i]);
}

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

// Sum of the grid's elements by shuffles; whole numbers, so that the order does not matter. Also the votes.
extern "C" __global__ void reduce(const float *x, float *sum, unsigned *votes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0;
  unsigned ballot = __ballot_sync(0xffffffffu, v > 3);
  int all = __all_sync(0xffffffffu, v >= 0), any = __any_sync(0xffffffffu, v > 1000);
  v = warp_sum(v);
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(sum, v);
    votes[i / 32] = (ballot & 0xffffff) | all << 24 | any << 25;
  }
}

// Barrier reductions, matches, and the warp's reductions of integers.
extern "C" __global__ void votes(const int *x, int *y) {
  int t = threadIdx.x, v = x[t];
  int count = __syncthreads_count(v & 1), all = __syncthreads_and(v > -1000), any = __syncthreads_or(v == 77);
  unsigned same = __match_any_sync(0xffffffffu, v & 3);
  int pred;
  unsigned every = __match_all_sync(0xffffffffu, v >> 20, &pred);
  y[6 * t] = count;
  y[6 * t + 1] = all << 1 | any;
  y[6 * t + 2] = same;
  y[6 * t + 3] = pred << 1 | (every != 0);
  y[6 * t + 4] = __reduce_add_sync(0xffffffffu, v) ^ __reduce_max_sync(0xffffffffu, v);
  y[6 * t + 5] = __reduce_xor_sync(0xffffffffu, v) + __reduce_min_sync(0xffffffffu, (unsigned)v);
}

// A lock that the lanes of a warp, and of others, take one after another.
extern "C" __global__ void lock(int *mutex, int *count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      *(volatile int *)count = *(volatile int *)count + 1;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
}

// Block b waits for block b - 1's flag, then passes on its sum.
extern "C" __global__ void chain(const int *x, int *sums, int *flags) {
  __shared__ int s;
  int b = blockIdx.x, t = threadIdx.x;
  if (t == 0) {
    int before = 0;
    if (b > 0) {
      while (atomicAdd(&flags[b - 1], 0) == 0) __nanosleep(20);
      __threadfence();
      before = *(volatile int *)&sums[b - 1];
    }
    s = before;
  }
  __syncthreads();
  atomicAdd(&s, x[b * blockDim.x + t]);
  __syncthreads();
  if (t == 0) {
    sums[b] = s;
    __threadfence();
    atomicExch(&flags[b], 1);
  }
}
