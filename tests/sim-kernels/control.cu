// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow: divergence, calls, switches, printing, assertions.
#include <assert.h>
#include <stdio.h>

// Steps of Collatz's sequence, with a way out in the middle.
extern "C" __global__ void divergent(const unsigned *x, unsigned *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned v = x[i], steps = 0;
    while (v != 1 && v != 0) {
      if (v & 1) {
        if (v > 0x50000000u) break;
        v = 3 * v + 1;
      } else
        do v >>= 1, steps++;
        while ((v & 1) == 0);
      if (++steps == 500) continue;
      if (steps > 600) goto out;
    }
  out:
    y[i] = steps;
  }
}

__device__ __noinline__ unsigned gcd(unsigned a, unsigned b) {
  while (b) {
    unsigned r = a % b;
    a = b, b = r;
  }
  return a;
}

struct Pair {
  unsigned low[3];
  unsigned long long high;
};

__device__ __noinline__ Pair combine(Pair a, Pair b) {
  Pair r;
  for (int i = 0; i < 3; i++) r.low[i] = gcd(a.low[i], b.low[2 - i]);
  r.high = a.high * b.high;
  return r;
}

__device__ __noinline__ int shared_turn(int v) {
  __shared__ int turn[128];
  turn[threadIdx.x] = v;
  __syncthreads();
  return turn[127 - threadIdx.x];
}

// Calls with structures by value, and a function with its own shared memory; 128 threads.
extern "C" __global__ void calls(const unsigned *x, unsigned *y) {
  int t = threadIdx.x;
  Pair a = {{x[t], x[t] * 3, 7 * x[t]}, x[t]}, b = {{x[t + 1], 12, 5 + x[t]}, 1ull << 33};
  Pair r = combine(a, b);
  y[4 * t] = r.low[0] + (r.low[1] << 8);
  y[4 * t + 1] = r.low[2];
  y[4 * t + 2] = (unsigned)(r.high >> 32);
  y[4 * t + 3] = (unsigned)shared_turn((int)x[t]);
}

// A dense switch, which becomes an indexed branch, and a sparse one.
extern "C" __global__ void switches(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i], r = v;
  switch (v & 15) {
  case 0: r = v * 3; break;
  case 1: r = v / 3; break;
  case 2: r = v % 7; break;
  case 3: r = v ^ 0x55; break;
  case 4: r = v << 3;
  case 5: r += 11; break;
  case 6: r = -v; break;
  case 7: r = v & 0xf0f; break;
  case 8: r = v | 0x1000; break;
  case 9: r = v >> 2; break;
  case 10: r = __popc(v); break;
  case 11: r = v * v; break;
  case 12: r = ~v; break;
  default: r = v - 1000; break;
  }
  switch (v) {
  case -7: r += 1; break;
  case 1000: r += 2; break;
  case 123456: r += 4; break;
  }
  y[i] = r;
}

extern "C" __global__ void prints(const char *name) {
  int t = threadIdx.x;
  if (t < 3) printf("thread %d of %u: %s %5.2f|%-4c|%#llx %%\n", t, blockDim.x, name, 1.5 * t, 'a' + t, 1ull << (40 + t));
  if (t == 40) printf("alone\n");
}

extern "C" __global__ void asserts(const int *x) { assert(x[threadIdx.x] > 0); }
