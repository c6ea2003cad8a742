// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that hang, as PTX: scripts/nvcc-ptx makes kernels.ptx from this file by
//   nvcc -ptx -lineinfo -arch=sm_90 kernels.cu
// with the folders taken out of its .file lines. Above each kernel its launch and what the report says; the line at
// fault ends in "// here".
typedef unsigned int u32;
typedef unsigned long long u64;
#define SHARED(p) ((u32)__cvta_generic_to_shared(p))
#define KERNEL extern "C" __global__ void

// Macros, so that their lines are the kernels'.
#define GIVES(type, ...) ({ type r_; asm volatile(__VA_ARGS__); r_; })
#define bar_init(b, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(b)), "r"(n) : "memory")
#define bar_arrive(b) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SHARED(b)) : "memory")
#define BAR_WAIT(how, b, parity)                                                                             \
  GIVES(u32, "{.reg .pred p; mbarrier." how ".parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"         \
        : "=r"(r_) : "r"(SHARED(b)), "r"(parity) : "memory")
#define bar_test(b, parity) BAR_WAIT("test_wait", b, parity)
#define bar_try(b, parity) BAR_WAIT("try_wait", b, parity)
#define atomicCAS(p, old, now)                                                                               \
  GIVES(int, "atom.cas.b32 %0, [%1], %2, %3;" : "=r"(r_) : "l"(p), "r"(old), "r"(now) : "memory")
#define atomicAdd(p, v) GIVES(int, "atom.add.u32 %0, [%1], %2;" : "=r"(r_) : "l"(p), "r"(v) : "memory")
#define atomicExch(p, v) GIVES(int, "atom.exch.b32 %0, [%1], %2;" : "=r"(r_) : "l"(p), "r"(v) : "memory")

// hangs: --threads 64 --grid 2 zeros:i32[4]
// says: reads 0 again and again, and no thread is left to change it
KERNEL flag_never_set(volatile int *x) {
  while (x[0] == 0) {} // here
  x[1] = 1;
}
// hangs: --threads 32 --grid 2 ones:i32[4]
// says: finds 1 again and again, and no thread is left to change it
KERNEL lock_of_one_lane(int *x) {
  if (threadIdx.x == 0)
    while (atomicCAS(x, 0, 1)) {} // here
  asm volatile("bar.warp.sync -1;" ::: "memory");
  x[1] = 1;
}
// hangs: --threads 64 --grid 1 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL lock_in_shared_memory(int *x) {
  __shared__ int lock;
  if (threadIdx.x == 0) lock = 1;
  __syncthreads();
  while (atomicCAS(&lock, 0, 1)) {} // here
  x[1] = 1;
}
// hangs: --threads 64 --grid 3 zeros:i32[4]
// says: tests again and again the mbarrier
KERNEL missing_arrival_test(int *x) {
  __shared__ u64 b;
  if (threadIdx.x == 0) bar_init(&b, 65);
  __syncthreads();
  bar_arrive(&b);
  while (!bar_test(&b, 0)) {} // here
  x[0] = 1;
}
// hangs: --threads 64 --grid 3 zeros:i32[4]
// says: the mbarrier at shared address 0
KERNEL missing_arrival_try(int *x) {
  __shared__ u64 b;
  if (threadIdx.x == 0) bar_init(&b, 65);
  __syncthreads();
  bar_arrive(&b);
  while (!bar_try(&b, 0)) {} // here
  x[0] = 1;
}
// hangs: --threads 64 --grid 1 zeros:i32[4]
// says: the mbarrier at shared address 0
KERNEL wrong_parity(int *x) {
  __shared__ u64 b;
  if (threadIdx.x == 0) bar_init(&b, 64);
  __syncthreads();
  bar_arrive(&b);
  while (!bar_try(&b, 0)) {}
  while (!bar_try(&b, 1)) {} // here
  x[0] = 1;
}
// hangs: --threads 64 --grid 1 zeros:i32[4]
// says: the mbarrier at shared address 0
KERNEL bytes_that_never_come(int *x) {
  __shared__ u64 b;
  if (threadIdx.x == 0) {
    bar_init(&b, 1);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(SHARED(&b)) : "memory");
  }
  __syncthreads();
  while (!bar_try(&b, 0)) {} // here
  x[0] = 1;
}
// hangs: --threads 64 --grid 1 zeros:i32[4]
// says: for threads that never arrive
KERNEL named_barrier(int *x) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory"); // here
  x[0] = 1;
}
// hangs: --threads 64 --grid 1 zeros:i32[4]
// says: for threads that never arrive
KERNEL two_barriers(int *x) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory"); // here
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  x[0] = 1;
}
// hangs: --threads 64 --grid 1 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL flag_after_the_barrier(volatile int *x) {
  if (threadIdx.x == 0) {
    while (x[0] == 0) {} // here
  }
  __syncthreads();
  if (threadIdx.x == 32) x[0] = 1;
}
// hangs: --threads 32 --grid 1 zeros:i32[4]
// says: endless loop
KERNEL forever(int *x) {
  for (;;) asm volatile("" ::: "memory"); // here
  x[0] = 1;
}
// hangs: --threads 128 --grid 2 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL back_off(volatile int *x) {
  u32 ns = 8;
  while (x[0] == 0) { // here
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
    if (ns < 256) ns *= 2;
  }
  x[1] = 1;
}
// hangs: --threads 64 --grid 2 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL long_way_round(volatile int *x) {
  while (x[0] == 0) { // here
    for (int i = 0; i < 300; i++) asm volatile("" ::: "memory");
  }
  x[1] = 1;
}
// hangs: --threads 64 --grid 1 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL stores_the_same(volatile int *x) {
  while (x[0] == 0) x[1] = 7; // here
}
// hangs: --threads 96 --grid 1 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL barrier_in_the_loop(volatile int *x) {
  __shared__ volatile int seen;
  do {
    if (threadIdx.x == 0) seen = x[0]; // here
    __syncthreads();
  } while (seen == 0);
  x[1] = 1;
}
// hangs: --threads 32 --grid 1 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL vote_in_the_loop(volatile int *x) {
  while (!GIVES(u32, "{.reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.any.pred q, p, -1; selp.u32 %0, 1, 0, q;}" : "=r"(r_) : "r"(x[threadIdx.x & 3]))) {} // here
  x[1] = 1;
}
// hangs: --threads 32 --grid 1 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL lanes_that_wait_for_lanes(volatile int *x) {
  if (threadIdx.x < 16) {
    while (x[0] == 0) {} // here
    x[1] = 1;
  } else {
    while (x[1] == 0) {}
    x[0] = 1;
  }
}
// hangs: --threads 32 --grid 300 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL grid_barrier_of_one_too_many(int *x) {
  if (threadIdx.x == 0) {
    atomicAdd(x, 1);
    while (atomicAdd(x, 0) < gridDim.x + 1) {} // here
  }
}
// hangs: --threads 1024 --grid 300 zeros:i32[4]
// says: cannot start: the GPU is full
KERNEL grid_barrier_beyond_the_gpu(int *x) {
  if (threadIdx.x == 0) {
    atomicAdd(x, 1);
    while (atomicAdd(x, 0) < gridDim.x) {} // here
  }
}
// hangs: --threads 64 --grid 1 zeros:i32[64]
// says: again and again, and no thread is left to change it
KERNEL list_with_a_ring(int *x) {
  x[threadIdx.x] = (threadIdx.x + 1) % 64;
  __syncthreads();
  int i = threadIdx.x;
  while (i != -1) i = ((volatile int *)x)[i]; // here
  x[0] = 1;
}
// hangs: --threads 64 --grid 2 zeros:i32[4]
// says: has not ended within
// limit
KERNEL waits_by_the_clock(volatile int *x) {
  long long t = GIVES(long long, "mov.u64 %0, %%clock64;" : "=l"(r_));
  while (x[0] == 0 && GIVES(long long, "mov.u64 %0, %%clock64;" : "=l"(r_)) - t >= 0) {} // here
  x[1] = 1;
}
// hangs: --threads 64 --grid 2 zeros:i32[4]
// says: has not ended within
// limit
KERNEL counts_for_ever(int *x) {
  for (u64 i = 1; i != 0; i += 2) atomicAdd(x, 1); // here
}
// hangs: --threads 32 --grid 2 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL exchange_of_the_same(int *x) {
  while (atomicExch(x, 1) != 0 || blockIdx.x == 0) {} // here
  x[1] = 1;
}
// hangs: --threads 64 --grid 1 zeros:i32[4]
// says: again and again, and no thread is left to change it
KERNEL producer_that_left(int *x) {
  __shared__ volatile int full;
  full = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    if (x[3]) full = 1;
    return;
  }
  while (!full) {} // here
  x[0] = 1;
}

// ---- Kernels that spin and end: none is reported, however often it is looked at.

// ends: --threads 32 --grid 4 zeros:i32[4]
KERNEL lane_lock(int *x) {
  bool done = false;
  while (!done) {
    if (atomicCAS(x, 0, 1) == 0) {
      ((volatile int *)x)[1]++;
      __threadfence();
      atomicExch(x, 0);
      done = true;
    }
  }
}
// ends: --threads 64 --grid 100 zeros:i32[4]
KERNEL grid_barriers(int *x) {
  for (int round = 1; round <= 3; round++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(x, 1);
      while (atomicAdd(x, 0) < gridDim.x * round) {}
    }
    __syncthreads();
  }
}
// ends: --threads 128 --grid 2 zeros:i32[4]
KERNEL waits_with_back_off(volatile int *x) {
  if (blockIdx.x == 1) {
    for (int i = 0; i < 3000; i++) asm volatile("" ::: "memory");
    x[0] = 1;
  }
  u32 ns = 8;
  while (x[0] == 0) {
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
    if (ns < 256) ns *= 2;
  }
}
// ends: --threads 64 --grid 2 zeros:i32[4]
KERNEL waits_some_time(volatile int *x) {
  long long t = GIVES(long long, "mov.u64 %0, %%clock64;" : "=l"(r_));
  while (x[0] == 0 && GIVES(long long, "mov.u64 %0, %%clock64;" : "=l"(r_)) - t < 20000) {}
}
// ends: --threads 64 --grid 2 zeros:i32[4]
KERNEL tries_some_times(volatile int *x) {
  for (int i = 0; i < 5000 && x[0] == 0; i++) {}
}
// ends: --threads 64 --grid 2 zeros:i32[64]
KERNEL ring_of_barriers(int *x) {
  __shared__ u64 full, empty;
  __shared__ volatile int slot;
  if (threadIdx.x == 0) {
    bar_init(&full, 1);
    bar_init(&empty, 1);
  }
  __syncthreads();
  for (int i = 0; i < 20; i++) {
    if (threadIdx.x == 0) {
      if (i) while (!bar_test(&empty, (i - 1) & 1)) {}
      slot = i;
      bar_arrive(&full);
    } else if (threadIdx.x == 32) {
      while (!bar_try(&full, i & 1)) {}
      x[i] = slot;
      bar_arrive(&empty);
    }
  }
}
// ends: --threads 64 --grid 1 zeros:i32[4]
KERNEL tries_at_an_mbarrier(int *x) {
  __shared__ u64 b;
  if (threadIdx.x == 0) bar_init(&b, 65);
  __syncthreads();
  int tries = 0;
  while (!bar_try(&b, 0) && ++tries < 3000) {}
  x[1] = tries > 0;
}
// ends: --threads 32 --grid 1 zeros:i32[4]
KERNEL lanes_in_turn(volatile int *x) {
  while (x[0] != threadIdx.x) {}
  x[0] = threadIdx.x + 1;
}
// ends: --threads 96 --grid 2 zeros:i32[4]
KERNEL barrier_in_a_loop_that_ends(volatile int *x) {
  __shared__ volatile int seen;
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) x[0] = 1;
    return;
  }
  do {
    __syncthreads();
    if (threadIdx.x == 0) seen = x[0];
    __syncthreads();
  } while (seen == 0);
}
// ends: --threads 64 --grid 1 zeros:i32[4]
KERNEL warps_hand_on(int *x) {
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  for (int i = 0; i < 50; i++) {
    while (turn != 2 * i + (threadIdx.x >= 32)) {}
    asm volatile("bar.warp.sync -1;" ::: "memory");
    if (threadIdx.x % 32 == 0) turn = turn + 1;
    asm volatile("bar.warp.sync -1;" ::: "memory");
  }
}
// ends: --threads 64 --grid 2 zeros:i32[4]
KERNEL waits_in_one_register(int *x) {
  u32 from = GIVES(u32, "mov.u32 %0, %%clock;" : "=r"(r_));
  while (GIVES(u32, "mov.u32 %0, %%clock; sub.u32 %0, %0, %1; shr.u32 %0, %0, 15;"
               : "=&r"(r_) : "r"(from)) == 0) {}
  x[0] = 1;
}
