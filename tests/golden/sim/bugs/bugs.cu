// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with one bug each (bug_X), and their correct twins (ok_X). scripts/nvcc-ptx makes bugs.ptx from it:
//   nvcc -ptx -lineinfo -arch=sm_80 bugs.cu
// The folders are removed from its .file lines.
// The tests find a bug's lines by the marks // A: X and // B: X.
typedef unsigned int u32;

extern "C" __global__ void bug_missing_barrier(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x; // B: missing_barrier
  out[threadIdx.x] = tile[(threadIdx.x + 32) % 128]; // A: missing_barrier
}
extern "C" __global__ void ok_missing_barrier(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 32) % 128];
}

// The loop's second round overwrites what others still read.
extern "C" __global__ void bug_loop_barrier(int *out) {
  __shared__ int tile[128];
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    tile[threadIdx.x] = threadIdx.x * i; // A: loop_barrier
    __syncthreads();
    sum += tile[127 - threadIdx.x]; // B: loop_barrier
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void ok_loop_barrier(int *out) {
  __shared__ int tile[128];
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    tile[threadIdx.x] = threadIdx.x * i;
    __syncthreads();
    sum += tile[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void bug_off_by_one(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i; // A: off_by_one
}
extern "C" __global__ void ok_off_by_one(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}

extern "C" __global__ void bug_shared_bounds(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x + 1] = threadIdx.x; // A: shared_bounds
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ? threadIdx.x : 1];
}
extern "C" __global__ void ok_shared_bounds(int *out) {
  __shared__ int tile[129];
  tile[threadIdx.x + 1] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ? threadIdx.x : 1];
}

extern "C" __global__ void bug_uninitialised(int *out) {
  __shared__ int tile[128];
  if (threadIdx.x < 100) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x]; // A: uninitialised
}
extern "C" __global__ void ok_uninitialised(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x < 100 ? threadIdx.x : 0;
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

extern "C" __global__ void bug_misaligned(float *out, float *in) {
  ((float4 *)out)[threadIdx.x] = *(float4 *)(in + 4 * threadIdx.x + 1); // A: misaligned
}
extern "C" __global__ void ok_misaligned(float *out, float *in) {
  ((float4 *)out)[threadIdx.x] = *(float4 *)(in + 4 * threadIdx.x);
}

extern "C" __global__ void bug_divergent_barrier(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x % 32 < 16) {
    __syncthreads(); // A: divergent_barrier
    out[threadIdx.x] = tile[127 - threadIdx.x];
  } else {
    out[threadIdx.x] = 1;
    __syncthreads(); // B: divergent_barrier
  }
}
extern "C" __global__ void ok_divergent_barrier(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x % 32 >= 16) out[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x % 32 < 16) out[threadIdx.x] = tile[127 - threadIdx.x];
}

extern "C" __global__ void bug_two_writers(int *out) {
  __shared__ int slot[4];
  slot[threadIdx.x / 32] = threadIdx.x; // A: two_writers
  __syncthreads();
  out[threadIdx.x] = slot[threadIdx.x / 32];
}
extern "C" __global__ void ok_two_writers(int *out) {
  __shared__ int slot[4];
  slot[threadIdx.x / 32] = threadIdx.x / 32;
  __syncthreads();
  out[threadIdx.x] = slot[threadIdx.x / 32];
}

// Writers in different warps.
extern "C" __global__ void bug_write_write(int *out) {
  __shared__ int slot;
  if (threadIdx.x % 32 == 0) slot = threadIdx.x; // A: write_write
  __syncthreads();
  out[threadIdx.x] = slot;
}
extern "C" __global__ void ok_write_write(int *out) {
  __shared__ int slot;
  if (threadIdx.x == 0) slot = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = slot;
}

// Blocks write one place.
extern "C" __global__ void bug_blocks_write(int *out) {
  out[threadIdx.x] = blockIdx.x; // A: blocks_write
}
extern "C" __global__ void ok_blocks_write(int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}

// The last block sums what all have written: without a fence before the ticket, and without one after.
extern "C" __global__ void bug_last_block(int *out, int *part, u32 *ticket) {
  if (threadIdx.x) return;
  part[blockIdx.x] = blockIdx.x; // B: last_block
  if (atomicAdd(ticket, 1) == gridDim.x - 1) {
    __threadfence();
    int sum = 0;
    for (u32 i = 0; i < gridDim.x; i++) sum += part[i]; // A: last_block
    *out = sum;
  }
}
extern "C" __global__ void ok_last_block(int *out, int *part, u32 *ticket) {
  if (threadIdx.x) return;
  part[blockIdx.x] = blockIdx.x;
  __threadfence();
  if (atomicAdd(ticket, 1) == gridDim.x - 1) {
    __threadfence();
    int sum = 0;
    for (u32 i = 0; i < gridDim.x; i++) sum += part[i];
    *out = sum;
  }
}
extern "C" __global__ void bug_no_acquire(int *out, int *part, u32 *ticket) {
  if (threadIdx.x) return;
  part[blockIdx.x] = blockIdx.x; // B: no_acquire
  __threadfence();
  if (atomicAdd(ticket, 1) == gridDim.x - 1) {
    int sum = 0;
    for (u32 i = 0; i < gridDim.x; i++) sum += part[i]; // A: no_acquire
    *out = sum;
  }
}

// Every thread of the block has written; one thread speaks for them.
extern "C" __global__ void bug_block_ticket(int *out, int *part, u32 *ticket) {
  __shared__ u32 order;
  part[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; // B: block_ticket
  if (threadIdx.x == 0) {
    __threadfence();
    order = atomicAdd(ticket, 1);
    __threadfence();
  }
  __syncthreads();
  if (order == gridDim.x - 1) out[threadIdx.x] = part[threadIdx.x]; // A: block_ticket
}
extern "C" __global__ void ok_block_ticket(int *out, int *part, u32 *ticket) {
  __shared__ u32 order;
  part[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    order = atomicAdd(ticket, 1);
    __threadfence();
  }
  __syncthreads();
  if (order == gridDim.x - 1) out[threadIdx.x] = part[threadIdx.x];
}

// A flag between blocks: volatile is not enough without fences.
extern "C" __global__ void bug_flag(int *out, int *data, volatile int *flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    *data = 42; // B: flag
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data; // A: flag
  }
}
extern "C" __global__ void ok_flag(int *out, int *data, volatile int *flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data;
  }
}
// The flag itself is a plain word.
extern "C" __global__ void bug_weak_flag(int *out, int *data, int *flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *flag = 1; // B: weak_flag
  } else
    *out = *flag; // A: weak_flag
}
extern "C" __global__ void ok_weak_flag(int *out, int *data, int *flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *(volatile int *)flag = 1;
  } else
    *out = *(volatile int *)flag;
}

// Release and acquire at the scope of the block do not reach other blocks.
extern "C" __global__ void bug_scope(int *out, int *data, int *flag) {
  if (threadIdx.x) return;
  int seen = 0;
  if (blockIdx.x == 0) {
    *data = 42;
    asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(flag) : "memory"); // B: scope
  } else {
    while (seen == 0)
      asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory"); // A: scope
    *out = 1;
  }
}
extern "C" __global__ void ok_scope(int *out, int *data, int *flag) {
  if (threadIdx.x) return;
  int seen = 0;
  if (blockIdx.x == 0) {
    *data = 42;
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    while (seen == 0)
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    *out = *data;
  }
}

extern "C" __global__ void bug_early_exit(int *out, int n) {
  __shared__ int tile[128];
  if (threadIdx.x >= n) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads(); // A: early_exit
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
} // B: early_exit
extern "C" __global__ void ok_early_exit(int *out, int n) {
  __shared__ int tile[128];
  if (threadIdx.x < n) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x >= n) return;
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

// A named barrier with a count that is never reached.
extern "C" __global__ void bug_lost_arrival(int *out) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 128;" ::: "memory"); // A: lost_arrival
  else if (threadIdx.x < 96) asm volatile("bar.arrive 1, 128;" ::: "memory");
  out[threadIdx.x] = 1;
}
extern "C" __global__ void ok_lost_arrival(int *out) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 128;" ::: "memory");
  else asm volatile("bar.arrive 1, 128;" ::: "memory");
  out[threadIdx.x] = 1;
}
extern "C" __global__ void bug_other_count(int *out) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory"); // B: other_count
  else asm volatile("bar.sync 1, 128;" ::: "memory"); // A: other_count
  out[threadIdx.x] = 1;
}
extern "C" __global__ void ok_other_count(int *out) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 128;" ::: "memory");
  else asm volatile("bar.sync 1, 128;" ::: "memory");
  out[threadIdx.x] = 1;
}

// Producer and consumer warps with named barriers: arrive is not a wait for the producer.
extern "C" __global__ void bug_producer(int *out) {
  __shared__ int tile[32];
  for (int i = 1; i < 3; i++) {
    if (threadIdx.x < 32) {
      tile[threadIdx.x] = i; // A: producer
      asm volatile("bar.arrive %0, 64;" ::"r"(i) : "memory");
    } else {
      asm volatile("bar.sync %0, 64;" ::"r"(i) : "memory");
      out[threadIdx.x] = tile[threadIdx.x - 32]; // B: producer
    }
  }
}
extern "C" __global__ void ok_producer(int *out) {
  __shared__ int tile[32];
  for (int i = 1; i < 3; i++) {
    if (threadIdx.x < 32) {
      if (i > 1) asm volatile("bar.sync 3, 64;" ::: "memory");
      tile[threadIdx.x] = i;
      asm volatile("bar.arrive %0, 64;" ::"r"(i) : "memory");
    } else {
      asm volatile("bar.sync %0, 64;" ::"r"(i) : "memory");
      out[threadIdx.x] = tile[threadIdx.x - 32];
      if (i == 1) asm volatile("bar.arrive 3, 64;" ::: "memory");
    }
  }
}

extern "C" __global__ void bug_shuffle(int *out) {
  int x = threadIdx.x;
  if (threadIdx.x < 16) asm volatile("shfl.sync.idx.b32 %0, %0, 20, 31, 0xffff;" : "+r"(x)); // A: shuffle
  out[threadIdx.x] = x;
}
extern "C" __global__ void ok_shuffle(int *out) {
  int x = threadIdx.x;
  if (threadIdx.x < 16) asm volatile("shfl.sync.idx.b32 %0, %0, 10, 31, 0xffff;" : "+r"(x));
  out[threadIdx.x] = x;
}
extern "C" __global__ void bug_member_mask(int *out) {
  int x = threadIdx.x;
  if (threadIdx.x < 16) asm volatile("redux.sync.add.s32 %0, %0, 0xff;" : "+r"(x)); // A: member_mask
  out[threadIdx.x] = x;
}
extern "C" __global__ void ok_member_mask(int *out) {
  int x = threadIdx.x;
  if (threadIdx.x < 16) asm volatile("redux.sync.add.s32 %0, %0, 0xffff;" : "+r"(x));
  out[threadIdx.x] = x;
}

// Halves of a warp that do not meet between write and read.
extern "C" __global__ void bug_half_warps(volatile int *out) {
  __shared__ volatile int tile[32];
  if (threadIdx.x < 16) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"((u32)__cvta_generic_to_shared((int *)tile) + 4 * threadIdx.x),
                 "r"(threadIdx.x) : "memory"); // B: half_warps
  } else {
    int x;
    tile[threadIdx.x] = 1;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x)
                 : "r"((u32)__cvta_generic_to_shared((int *)tile) + 4 * (threadIdx.x - 16)) : "memory"); // A: half_warps
    out[threadIdx.x] = x;
  }
}
extern "C" __global__ void ok_half_warps(volatile int *out) {
  __shared__ int tile[32];
  if (threadIdx.x < 16) tile[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x >= 16) out[threadIdx.x] = tile[threadIdx.x - 16];
}

// A warp reads before its copies have come.
extern "C" __global__ void bug_cp_async(int *out, const int *in) {
  __shared__ int tile[128];
  u32 to = (u32)__cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); // B: cp_async
  asm volatile("cp.async.commit_group;" ::: "memory");
  out[threadIdx.x] = tile[threadIdx.x]; // A: cp_async
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}
extern "C" __global__ void ok_cp_async(int *out, const int *in) {
  __shared__ int tile[128];
  u32 to = (u32)__cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  out[threadIdx.x] = tile[threadIdx.x];
}
// Only the copying thread waits for it: others need a barrier too.
extern "C" __global__ void bug_cp_async_barrier(int *out, const int *in) {
  __shared__ int tile[128];
  u32 to = (u32)__cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); // B: cp_async_barrier
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[threadIdx.x] = tile[127 - threadIdx.x]; // A: cp_async_barrier
}
extern "C" __global__ void ok_cp_async_barrier(int *out, const int *in) {
  __shared__ int tile[128];
  u32 to = (u32)__cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
// One group too many is left in flight.
extern "C" __global__ void bug_wait_group(int *out, const int *in) {
  __shared__ int tile[2][128];
  for (int i = 0; i < 2; i++) {
    u32 to = (u32)__cvta_generic_to_shared(&tile[i][threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); // B: wait_group
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  out[threadIdx.x] = tile[1][threadIdx.x]; // A: wait_group
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}
extern "C" __global__ void ok_wait_group(int *out, const int *in) {
  __shared__ int tile[2][128];
  for (int i = 0; i < 2; i++) {
    u32 to = (u32)__cvta_generic_to_shared(&tile[i][threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  out[threadIdx.x] = tile[0][threadIdx.x];
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  out[threadIdx.x] += tile[1][threadIdx.x];
}
// The buffer is filled again while another warp still reads it.
extern "C" __global__ void bug_refill(int *out, const int *in) {
  __shared__ int tile[128];
  u32 to = (u32)__cvta_generic_to_shared(&tile[threadIdx.x]);
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); // A: refill
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    sum += tile[127 - threadIdx.x]; // B: refill
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void ok_refill(int *out, const int *in) {
  __shared__ int tile[128];
  u32 to = (u32)__cvta_generic_to_shared(&tile[threadIdx.x]);
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    sum += tile[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// ---- several readers ----

#define ARRIVE_AT(id, n) asm volatile("bar.arrive %0, %1;" ::"n"(id), "n"(n) : "memory")
#define WAIT_AT(id, n) asm volatile("bar.sync %0, %1;" ::"n"(id), "n"(n) : "memory")

// Warps 0 to 3 read what warp 4 writes again; it waits for all of them but one.
extern "C" __global__ void bug_second_reader(int *out) {
  __shared__ int tile[32];
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 4) tile[lane] = lane;
  __syncthreads();
  if (warp < 4) out[threadIdx.x] = tile[lane]; // B: second_reader
  if (warp == 0 || warp == 2 || warp == 3) ARRIVE_AT(1, 128);
  if (warp == 4) {
    WAIT_AT(1, 128);
    tile[lane] = 0; // A: second_reader
  }
}
extern "C" __global__ void ok_second_reader(int *out) {
  __shared__ int tile[32];
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 4) tile[lane] = lane;
  __syncthreads();
  if (warp < 4) out[threadIdx.x] = tile[lane];
  if (warp < 4) ARRIVE_AT(1, 160);
  if (warp == 4) {
    WAIT_AT(1, 160);
    tile[lane] = 0;
  }
}
extern "C" __global__ void bug_last_reader(int *out) {
  __shared__ int tile[32];
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 4) tile[lane] = lane;
  __syncthreads();
  if (warp < 4) out[threadIdx.x] = tile[lane]; // B: last_reader
  if (warp == 0 || warp == 1 || warp == 2) ARRIVE_AT(1, 128);
  if (warp == 4) {
    WAIT_AT(1, 128);
    tile[lane] = 0; // A: last_reader
  }
}
extern "C" __global__ void ok_last_reader(int *out) {
  __shared__ int tile[32];
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 4) tile[lane] = lane;
  __syncthreads();
  if (warp < 4) out[threadIdx.x] = tile[lane];
  if (warp < 4) ARRIVE_AT(1, 160);
  if (warp == 4) {
    WAIT_AT(1, 160);
    tile[lane] = 0;
  }
}
// Between, a thread reads a byte, and the words are looked at byte by byte.
extern "C" __global__ void bug_byte_reader(int *out) {
  __shared__ int tile[32];
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 4) tile[lane] = lane;
  __syncthreads();
  if (warp < 4) out[threadIdx.x] = tile[lane]; // B: byte_reader
  if (warp == 0 || warp == 1 || warp == 2) ARRIVE_AT(1, 128);
  if (warp == 4) {
    WAIT_AT(1, 128);
    out[threadIdx.x] = ((volatile char *)tile)[5];
    tile[lane] = 0; // A: byte_reader
  }
}
extern "C" __global__ void ok_byte_reader(int *out) {
  __shared__ int tile[32];
  u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 4) tile[lane] = lane;
  __syncthreads();
  if (warp < 4) out[threadIdx.x] = tile[lane];
  if (warp < 4) ARRIVE_AT(1, 160);
  if (warp == 4) {
    WAIT_AT(1, 160);
    out[threadIdx.x] = ((volatile char *)tile)[5];
    tile[lane] = 0;
  }
}

// ---- named barriers ----

// Half a warp, and then two whole ones, at a barrier of 64 threads.
extern "C" __global__ void bug_overfull(int *out) {
  if (threadIdx.x >= 32 || threadIdx.x % 32 < 16) asm volatile("barrier.sync 1, 64;" ::: "memory"); // A: overfull
  out[threadIdx.x] = 1;
}
extern "C" __global__ void ok_overfull(int *out) {
  if (threadIdx.x < 64) asm volatile("barrier.sync 1, 64;" ::: "memory");
  out[threadIdx.x] = 1;
}
extern "C" __global__ void bug_odd_count(int *out) {
  asm volatile("bar.sync 1, 48;" ::: "memory"); // A: odd_count
  out[threadIdx.x] = 1;
}
extern "C" __global__ void ok_odd_count(int *out) {
  asm volatile("bar.sync 1, 64;" ::: "memory");
  out[threadIdx.x] = 1;
}
// Two pairs of warps meet at one barrier, one pair after the other: what a pair knows the other does not.
extern "C" __global__ void bug_two_rounds(int *out) {
  __shared__ int a;
  if (threadIdx.x == 0) a = 0;
  __syncthreads();
  u32 warp = threadIdx.x / 32;
  if (threadIdx.x == 0) a = 1; // B: two_rounds
  WAIT_AT(1, 64);
  if (warp >= 2) out[threadIdx.x] = a; // A: two_rounds
}
extern "C" __global__ void ok_two_rounds(int *out) {
  __shared__ int a;
  if (threadIdx.x == 0) a = 0;
  __syncthreads();
  u32 warp = threadIdx.x / 32;
  if (threadIdx.x == 0) a = 1;
  WAIT_AT(1, 128);
  if (warp >= 2) out[threadIdx.x] = a;
}
// Warp 0 waits for warp 3, which comes late, while warps 1 and 2 meet elsewhere.
template <int PLACE> __device__ void other_barrier(int *out) {
  __shared__ int a[4];
  __shared__ volatile int late;
  u32 warp = threadIdx.x / 32;
  if (threadIdx.x < 4) a[threadIdx.x] = late = 0;
  __syncthreads();
  if (warp == 1 || warp == 2) {
    a[warp] = 1; // B: other_barrier
    if (warp == 1 && PLACE == 1) late = 1;
    asm volatile("bar.sync %0, %1;" ::"n"(PLACE), "n"(PLACE == 1 ? 128 : 64) : "memory");
    if (warp == 1 && PLACE == 2) late = 1;
  } else {
    while (warp == 3 && late == 0) {
    }
    asm volatile("bar.sync 1, %0;" ::"n"(PLACE == 1 ? 128 : 64) : "memory");
    if (warp == 0) out[threadIdx.x] = a[1] + a[2]; // A: other_barrier
  }
}
extern "C" __global__ void bug_other_barrier(int *out) { other_barrier<2>(out); }
extern "C" __global__ void ok_other_barrier(int *out) { other_barrier<1>(out); }

// ---- lanes ----

extern "C" __global__ void bug_other_masks(int *out) {
  int x = threadIdx.x;
  u32 members = threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u;
  asm volatile("redux.sync.add.s32 %0, %0, %1;" : "+r"(x) : "r"(members)); // A: other_masks
  out[threadIdx.x] = x;
}
extern "C" __global__ void ok_other_masks(int *out) {
  int x = threadIdx.x;
  asm volatile("redux.sync.add.s32 %0, %0, 0xffffffff;" : "+r"(x));
  out[threadIdx.x] = x;
}
// Lanes that the mask names are there, but their predicate does not hold.
extern "C" __global__ void bug_absent(int *out) {
  int x = threadIdx.x;
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 16; @p redux.sync.add.s32 %0, %0, 0xffffffff; }" : "+r"(x) : "r"(threadIdx.x)); // A: absent
  out[threadIdx.x] = x;
}
extern "C" __global__ void ok_absent(int *out) {
  int x = threadIdx.x;
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 16; @p redux.sync.add.s32 %0, %0, 0xffff; }" : "+r"(x) : "r"(threadIdx.x));
  out[threadIdx.x] = x;
}
// Lane 0 meets lane 1, which meets lane 2: so lane 2 knows what lane 0 wrote.
template <bool MEETS> __device__ void lane_chain(int *out, volatile int *slot) {
  u32 lane = threadIdx.x;
  if (lane == 0) {
    *slot = 42; // B: lane_chain
    asm volatile("bar.warp.sync 3;" ::: "memory");
  } else if (lane == 1) {
    asm volatile("bar.warp.sync 3;" ::: "memory");
    if (MEETS) asm volatile("bar.warp.sync 6;" ::: "memory");
  } else if (lane == 2) {
    if (MEETS) asm volatile("bar.warp.sync 6;" ::: "memory");
    int x;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"((u32)__cvta_generic_to_shared((int *)slot)) : "memory"); // A: lane_chain
    out[lane] = x;
  }
}
extern "C" __global__ void bug_lane_chain(int *out) {
  __shared__ int slot;
  lane_chain<false>(out, &slot);
}
extern "C" __global__ void ok_lane_chain(int *out) {
  __shared__ int slot;
  lane_chain<true>(out, &slot);
}

// ---- blocks ----

// A fence of the block's scope speaks to no other block.
extern "C" __global__ void bug_block_fence(int *out, int *data, volatile int *flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    *data = 42; // B: block_fence
    __threadfence_block();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data; // A: block_fence
  }
}
extern "C" __global__ void ok_block_fence(int *out, int *data, volatile int *flag) {
  if (blockIdx.x) return;
  if (threadIdx.x == 0) {
    *data = 42;
    __threadfence_block();
    *flag = 1;
  } else if (threadIdx.x == 32) {
    while (*flag == 0) {
    }
    __threadfence_block();
    *out = *data;
  }
}
// The fence released data that is older than the data of the flag.
extern "C" __global__ void bug_early_fence(int *out, int *data, volatile int *flag) {
  if (blockIdx.x) return;
  if (threadIdx.x == 0) {
    __threadfence_block();
    *data = 42; // B: early_fence
    *flag = 1;
  } else if (threadIdx.x == 32) {
    while (*flag == 0) {
    }
    __threadfence_block();
    *out = *data; // A: early_fence
  }
}
extern "C" __global__ void ok_early_fence(int *out, int *data, volatile int *flag) {
  if (blockIdx.x) return;
  if (threadIdx.x == 0) {
    __threadfence_block();
    *data = 42;
    __threadfence_block();
    *flag = 1;
  } else if (threadIdx.x == 32) {
    while (*flag == 0) {
    }
    __threadfence_block();
    *out = *data;
  }
}
// An acquire at the scope of the block meets no other block's release.
extern "C" __global__ void bug_narrow_acquire(int *out, int *data, int *flag) {
  if (threadIdx.x) return;
  int seen = 0;
  if (blockIdx.x == 0) {
    *data = 42; // B: narrow_acquire
    __threadfence();
    *(volatile int *)flag = 1;
  } else {
    while (*(volatile int *)flag == 0) {
    }
    asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory"); *out = *data; // A: narrow_acquire
  }
}
extern "C" __global__ void ok_narrow_acquire(int *out, int *data, int *flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    *(volatile int *)flag = 1;
  } else {
    while (*(volatile int *)flag == 0) {
    }
    __threadfence();
    *out = *data;
  }
}
// A flag of two steps: the second says more than the first.
template <bool FENCES> __device__ void two_steps(int *out, int *data, volatile int *flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    data[0] = 42;
    __threadfence();
    *flag = 1;
    while (flag[1] == 0) {
    }
    data[1] = 43; // B: two_steps
    if (FENCES) __threadfence();
    *flag = 2;
  } else {
    while (*flag < 1) {
    }
    __threadfence();
    out[0] = data[0];
    flag[1] = 1;
    while (*flag < 2) {
    }
    __threadfence();
    out[1] = data[1]; // A: two_steps
  }
}
extern "C" __global__ void bug_two_steps(int *out, int *data, volatile int *flag) { two_steps<false>(out, data, flag); }
extern "C" __global__ void ok_two_steps(int *out, int *data, volatile int *flag) { two_steps<true>(out, data, flag); }
// Block 2 knows the first step of block 0 and something of block 1, and hears of the second from block 3.
template <bool ACQUIRES> __device__ void hearsay(int *out, int *data, volatile int *flag) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    __threadfence();
    flag[0] = 1;
    while (flag[2] == 0) {
    }
    data[1] = 2; // B: hearsay
    asm volatile("st.release.gpu.global.u32 [%0], 2;" ::"l"((int *)flag) : "memory"); // knows nothing of block 2
  } else if (blockIdx.x == 1) {
    data[2] = 3;
    __threadfence();
    flag[1] = 1;
  } else if (blockIdx.x == 2) {
    while (flag[0] == 0 || flag[1] == 0) {
    }
    __threadfence();
    out[0] = data[0] + data[2];
    flag[2] = 1;
    while (flag[3] == 0) {
    }
    __threadfence();
    out[1] = data[1]; // A: hearsay
  } else {
    while (flag[0] < 2) {
    }
    if (ACQUIRES) __threadfence();
    flag[3] = 1;
  }
}
extern "C" __global__ void bug_hearsay(int *out, int *data, volatile int *flag) { hearsay<false>(out, data, flag); }
extern "C" __global__ void ok_hearsay(int *out, int *data, volatile int *flag) { hearsay<true>(out, data, flag); }
// Every thread of block 1 fences, one of them after its acquire; after a barrier thread 0 signals block 2.
template <bool FENCES> __device__ void relay(int *out, int *data, volatile int *flag) {
  if (blockIdx.x == 0) {
    if (threadIdx.x) return;
    *data = 42; // B: relay
    __threadfence();
    flag[0] = 1;
  } else if (blockIdx.x == 1) {
    if (threadIdx.x == 32) {
      while (flag[0] == 0) {
      }
    }
    if (FENCES || threadIdx.x == 0) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) flag[1] = 1;
  } else {
    if (threadIdx.x) return;
    while (flag[1] == 0) {
    }
    __threadfence();
    *out = *data; // A: relay
  }
}
extern "C" __global__ void bug_relay(int *out, int *data, volatile int *flag) { relay<false>(out, data, flag); }
extern "C" __global__ void ok_relay(int *out, int *data, volatile int *flag) { relay<true>(out, data, flag); }
