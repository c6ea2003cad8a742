// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel without a race that racecheck of CUDA 13.0's compute-sanitizer reports: turns ROUNDS TURNS EXTRA
//
// Two groups of 128 threads alternate ROUNDS times, by bar.arrive and bar.sync on barriers 2 and 3, unless TURNS is 0.
// Then all 256 store a word to shared memory, meet at barrier 1, and read another thread's. EXTRA more bar.sync of
// barrier 1 may come between. Exit status 1: a wrong word.
#include <cstdio>
#include <cstdlib>

enum { THREADS = 256, GROUP = 128, LAUNCHES = 20 };

static __device__ void turn(int group, int rounds) {
  if (group == 1) asm volatile("bar.arrive 2, 256;" ::: "memory");
  for (int i = 0; i < rounds; i++) {
    if (group == 0)
      asm volatile("bar.sync 2, 256;\n\tbar.arrive 3, 256;" ::: "memory");
    else
      asm volatile("bar.sync 3, 256;\n\tbar.arrive 2, 256;" ::: "memory");
  }
  if (group == 0) asm volatile("bar.sync 2, 256;" ::: "memory");
}

__global__ void exchange(int *out, int rounds, int turns, int extra) {
  __shared__ int words[THREADS];
  int t = threadIdx.x;
  if (turns) turn(t / GROUP, rounds);
  asm volatile("bar.sync 1, 256;" ::: "memory");
  words[t] = t * 3;
  for (int i = 0; i <= extra; i++) asm volatile("bar.sync 1, 256;" ::: "memory");
  out[t] = words[THREADS - 1 - t];
}

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "usage: turns ROUNDS TURNS EXTRA\n"), 2;
  int wrong = 0, host[THREADS], *out;
  cudaMalloc(&out, sizeof host);
  for (int i = 0; i < LAUNCHES; i++) {
    exchange<<<2, THREADS>>>(out, atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    for (int t = 0; t < THREADS; t++) wrong += host[t] != (THREADS - 1 - t) * 3;
  }
  printf("%d words wrong\n", wrong);
  return wrong != 0;
}
