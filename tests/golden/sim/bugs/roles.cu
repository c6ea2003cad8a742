// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Like bugs.cu, for producer and consumer warps: waits that ask once, work that is pending at the end, registers that
// move between warpgroups. scripts/nvcc-ptx makes roles.ptx from it:
//   nvcc -ptx -lineinfo -arch=sm_90a roles.cu
// The folders are removed from its .file lines.
typedef unsigned int u32;
typedef unsigned long long u64;

#define ADDRESS(x) ((u32)__cvta_generic_to_shared(&(x)))
#define INIT(bar, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(ADDRESS(bar)), "r"(n) : "memory")
#define INIT_FENCE() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define PROXY_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define ARRIVE(bar) asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(ADDRESS(bar)) : "memory")
#define EXPECT(bar, n) \
  asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(ADDRESS(bar)), "r"(n) : "memory")
#define WAIT(bar, parity) \
  asm volatile("{ .reg .pred p; L%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L%=; }" ::"r"(ADDRESS(bar)), "r"(parity) : "memory")
#define TRY_ONCE(bar, parity) \
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%0], %1; }" ::"r"(ADDRESS(bar)), "r"(parity) : "memory")
#define LOAD(to, from, n, bar) \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(ADDRESS(to)), "l"(from), "r"(n), "r"(ADDRESS(bar)) : "memory")
#define STORE(to, from, n) \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(ADDRESS(from)), "r"(n) : "memory")
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_READ(n) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")
#define REGISTERS(change, n) asm volatile("setmaxnreg." change ".sync.aligned.u32 %0;" ::"n"(n))

// ---- a try_wait that is asked once ----

extern "C" __global__ void bug_once_copy(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[32];
  if (threadIdx.x == 0) {
    INIT(full, 1);
    INIT_FENCE();
    EXPECT(full, 128);
    LOAD(tile, in, 128, full); // B: once_copy
  }
  __syncthreads();
  TRY_ONCE(full, 0);
  out[threadIdx.x] = tile[threadIdx.x]; // A: once_copy
  WAIT(full, 0);
}
extern "C" __global__ void ok_once_copy(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[32];
  if (threadIdx.x == 0) {
    INIT(full, 1);
    INIT_FENCE();
    EXPECT(full, 128);
    LOAD(tile, in, 128, full);
  }
  __syncthreads();
  WAIT(full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

// Stores of another warp, that are there when the wait comes.
extern "C" __global__ void bug_once_store(int *out) {
  __shared__ u64 full;
  __shared__ int tile[32];
  if (threadIdx.x == 0) INIT(full, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = threadIdx.x; // B: once_store
    ARRIVE(full);
  } else {
    TRY_ONCE(full, 0);
    out[threadIdx.x] = tile[threadIdx.x - 32]; // A: once_store
  }
}
// After a barrier has ordered the data, asking once is enough.
extern "C" __global__ void ok_once_store(int *out) {
  __shared__ u64 full;
  __shared__ int tile[32];
  if (threadIdx.x == 0) INIT(full, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = threadIdx.x;
    ARRIVE(full);
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    int seen;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(seen) : "r"(ADDRESS(full)) : "memory");
    if (!seen) asm volatile("trap;");
    out[threadIdx.x] = tile[threadIdx.x - 32];
  }
}

// ---- mbarriers that copies complete at ----

extern "C" __global__ void bug_init_fence(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[32];
  if (threadIdx.x == 0) INIT(full, 1); // B: init_fence
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(full, 128);
    LOAD(tile, in, 128, full); // A: init_fence
  }
  WAIT(full, 0);
  out[threadIdx.x] = tile[threadIdx.x % 32];
}
extern "C" __global__ void ok_init_fence(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[32];
  if (threadIdx.x == 0) {
    INIT(full, 1);
    INIT_FENCE();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(full, 128);
    LOAD(tile, in, 128, full);
  }
  WAIT(full, 0);
  out[threadIdx.x] = tile[threadIdx.x % 32];
}
// Another thread's proxy fence, after the barrier.
extern "C" __global__ void ok_proxy_fence(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[32];
  if (threadIdx.x == 0) INIT(full, 1);
  __syncthreads();
  if (threadIdx.x == 32) {
    PROXY_FENCE();
    EXPECT(full, 128);
    LOAD(tile, in, 128, full);
  }
  WAIT(full, 0);
  out[threadIdx.x] = tile[threadIdx.x % 32];
}
// A fence before the initialisation, as if the two had been swapped.
extern "C" __global__ void bug_proxy_fence(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[32];
  if (threadIdx.x == 0) {
    INIT_FENCE();
    INIT(full, 1); // B: proxy_fence
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    EXPECT(full, 128);
    LOAD(tile, in, 128, full); // A: proxy_fence
  }
  WAIT(full, 0);
  out[threadIdx.x] = tile[threadIdx.x % 32];
}

// More rings than anyone needs: each mbarrier has its own order.
template <bool right> __device__ void many(int *out) {
  __shared__ u64 full[100];
  __shared__ int tile[32];
  if (threadIdx.x == 0)
    for (int i = 0; i < 100; i++) INIT(full[i], 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    ARRIVE(full[99]);
    tile[threadIdx.x] = threadIdx.x; // B: many
    ARRIVE(full[98]);
  } else {
    WAIT(full[right ? 98 : 99], 0);
    out[threadIdx.x] = tile[threadIdx.x - 32]; // A: many
    WAIT(full[98], 0);
  }
}
extern "C" __global__ void bug_many(int *out) { many<false>(out); }
extern "C" __global__ void ok_many(int *out) { many<true>(out); }

// ---- work that is in flight when threads end ----

extern "C" __global__ void bug_last_store(int *out) {
  __shared__ __align__(128) int tile[64];
  tile[threadIdx.x] = tile[threadIdx.x + 32] = threadIdx.x;
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile[0], 128);
    COMMIT();
    STORE(out + 32, tile[32], 128); // A: last_store
    COMMIT();
    WAIT_READ(1);
  }
} // B: last_store
extern "C" __global__ void ok_last_store(int *out) {
  __shared__ __align__(128) int tile[64];
  tile[threadIdx.x] = tile[threadIdx.x + 32] = threadIdx.x;
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile[0], 128);
    COMMIT();
    STORE(out + 32, tile[32], 128);
    COMMIT();
    WAIT_READ(0);
  }
}

// A wait without the commit is for nothing.
extern "C" __global__ void bug_uncommitted(int *out) {
  __shared__ __align__(128) int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 128); // A: uncommitted
    WAIT_READ(0);
  }
} // B: uncommitted
extern "C" __global__ void ok_uncommitted(int *out) {
  __shared__ __align__(128) int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 128);
    COMMIT();
    WAIT_READ(0);
  }
}

// A producer that is one slot ahead when the consumers have all that they need.
template <int COPIES> __device__ void ahead(int *out, const int *in) {
  __shared__ u64 full[2];
  __shared__ __align__(128) int tile[2][32];
  if (threadIdx.x == 0) {
    INIT(full[0], 1);
    INIT(full[1], 1);
    INIT_FENCE();
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < COPIES; i++) {
      EXPECT(full[i], 128);
      LOAD(tile[i], in, 128, full[i]); // A: ahead
    }
  WAIT(full[0], 0);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}
extern "C" __global__ void bug_ahead(int *out, const int *in) { ahead<2>(out, in); } // B: ahead
extern "C" __global__ void ok_ahead(int *out, const int *in) { ahead<1>(out, in); }

// ---- registers ----

extern "C" __global__ void __launch_bounds__(384, 1) bug_never_granted(int *out) {
  if (threadIdx.x < 128)
    REGISTERS("dec", 40);
  else
    REGISTERS("inc", 240); // A: never_granted
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void __launch_bounds__(384, 1) ok_never_granted(int *out) {
  if (threadIdx.x < 128)
    REGISTERS("dec", 40);
  else
    REGISTERS("inc", 232);
  out[threadIdx.x] = threadIdx.x;
}

// The slots that the producers give back are waited for, although the producers wait themselves.
extern "C" __global__ void __launch_bounds__(384, 1) bug_registers_late(int *out) {
  if (threadIdx.x < 128) {
    asm volatile("bar.sync 1, 384;" ::: "memory");
    REGISTERS("dec", 40);
  } else {
    REGISTERS("inc", 232); // A: registers_late
    asm volatile("bar.sync 1, 384;" ::: "memory");
  }
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void __launch_bounds__(384, 1) ok_registers_late(int *out) {
  if (threadIdx.x < 128) {
    REGISTERS("dec", 40);
    asm volatile("bar.sync 1, 384;" ::: "memory");
  } else {
    REGISTERS("inc", 232);
    asm volatile("bar.sync 1, 384;" ::: "memory");
  }
  out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void __launch_bounds__(384, 1) bug_dec_above(int *out) {
  REGISTERS("dec", 208); // A: dec_above
  REGISTERS("inc", 208);
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void __launch_bounds__(384, 1) ok_dec_above(int *out) {
  REGISTERS("dec", 160);
  REGISTERS("inc", 168);
  out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void __launch_bounds__(384, 1) bug_inc_below(int *out) {
  REGISTERS("inc", 40); // A: inc_below
  if (threadIdx.x >= 384) REGISTERS("inc", 168);
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void __launch_bounds__(384, 1) ok_inc_below(int *out) {
  REGISTERS("dec", 40);
  if (threadIdx.x >= 384) REGISTERS("inc", 168);
  out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void __launch_bounds__(384, 1) bug_part_of_group(int *out) {
  if (threadIdx.x < 96) REGISTERS("dec", 40); // A: part_of_group
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void __launch_bounds__(384, 1) ok_part_of_group(int *out) {
  if (threadIdx.x < 128) REGISTERS("dec", 40);
  out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void __launch_bounds__(384, 1) bug_two_counts(int *out) {
  if (threadIdx.x < 64)
    REGISTERS("dec", 40); // A: two_counts
  else
    REGISTERS("dec", 48); // B: two_counts
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void __launch_bounds__(384, 1) ok_two_counts(int *out) {
  if (threadIdx.x < 128)
    REGISTERS("dec", 40);
  else
    REGISTERS("dec", 48);
  out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void __launch_bounds__(384) bug_ignored(int *out) {
  REGISTERS("dec", 40); // A: ignored
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void __launch_bounds__(384, 1) ok_ignored(int *out) {
  REGISTERS("dec", 40);
  out[threadIdx.x] = threadIdx.x;
}
