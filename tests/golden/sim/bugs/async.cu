// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Like bugs.cu, for asynchronous operations of sm_90a. scripts/nvcc-ptx makes async.ptx from it:
//   nvcc -ptx -lineinfo -arch=sm_90a async.cu
// The folders are removed from its .file lines.
typedef unsigned int u32;
typedef unsigned long long u64;

#define ADDRESS(x) ((u32)__cvta_generic_to_shared(&(x)))
#define INIT(bar, n) \
  asm volatile("mbarrier.init.shared.b64 [%0], %1; fence.mbarrier_init.release.cluster;" ::"r"(ADDRESS(bar)), "r"(n) : "memory")
#define ARRIVE(bar) asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(ADDRESS(bar)) : "memory")
#define EXPECT(bar, n) \
  asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(ADDRESS(bar)), "r"(n) : "memory")
#define WAIT(bar, parity) \
  asm volatile("{ .reg .pred p; L%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra L%=; }" ::"r"(ADDRESS(bar)), "r"(parity) : "memory")
#define LOAD(to, from, n, bar) \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(ADDRESS(to)), "l"(from), "r"(n), "r"(ADDRESS(bar)) : "memory")
#define STORE(to, from, n) \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(ADDRESS(from)), "r"(n) : "memory")
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define WAIT_BULK() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define PROXY_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

// ---- mbarriers ----

// A wait for the parity before the first phase returns at once.
extern "C" __global__ void bug_parity(int *out) {
  __shared__ u64 full;
  __shared__ int tile[32];
  if (threadIdx.x == 0) INIT(full, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = threadIdx.x; // B: parity
    ARRIVE(full);
  } else {
    WAIT(full, 1);
    out[threadIdx.x] = tile[threadIdx.x - 32]; // A: parity
  }
}
extern "C" __global__ void ok_parity(int *out) {
  __shared__ u64 full;
  __shared__ int tile[32];
  if (threadIdx.x == 0) INIT(full, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = threadIdx.x;
    ARRIVE(full);
  } else {
    WAIT(full, 0);
    out[threadIdx.x] = tile[threadIdx.x - 32];
  }
}

// Two consumer warps, and an empty barrier that waits for only one of them.
template <int CONSUMERS> __device__ void lost_arrive(int *out, u32 lanes) {
  __shared__ u64 full, empty;
  __shared__ int tile[32];
  if (threadIdx.x == 0) {
    INIT(full, 32);
    INIT(empty, 32 * CONSUMERS);
  }
  __syncthreads();
  for (int i = 0; i < 2; i++) {
    if (threadIdx.x < 32) {
      WAIT(empty, (i & 1) ^ 1);
      tile[threadIdx.x] = threadIdx.x; // A: lost_arrive
      ARRIVE(full);
    } else {
      WAIT(full, i & 1);
      out[threadIdx.x] = tile[threadIdx.x % 32]; // B: lost_arrive
      if (threadIdx.x < lanes) ARRIVE(empty);
    }
  }
}
extern "C" __global__ void bug_lost_arrive(int *out) { lost_arrive<1>(out, 64); }
extern "C" __global__ void ok_lost_arrive(int *out) { lost_arrive<2>(out, 96); }

extern "C" __global__ void bug_never_full(int *out) {
  __shared__ u64 full;
  if (threadIdx.x == 0) INIT(full, 33);
  __syncthreads();
  if (threadIdx.x < 32) ARRIVE(full);
  WAIT(full, 0); // A: never_full
  out[threadIdx.x] = 1;
}
extern "C" __global__ void ok_never_full(int *out) {
  __shared__ u64 full;
  if (threadIdx.x == 0) INIT(full, 32);
  __syncthreads();
  if (threadIdx.x < 32) ARRIVE(full);
  WAIT(full, 0);
  out[threadIdx.x] = 1;
}

extern "C" __global__ void bug_too_many(int *out) {
  __shared__ u64 full;
  if (threadIdx.x == 0) {
    INIT(full, 2);
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0], 3; }" ::"r"(ADDRESS(full)) : "memory"); // A: too_many
  }
  out[threadIdx.x] = 1;
}
extern "C" __global__ void ok_too_many(int *out) {
  __shared__ u64 full;
  if (threadIdx.x == 0) {
    INIT(full, 3);
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0], 3; }" ::"r"(ADDRESS(full)) : "memory");
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void bug_init_again(int *out) {
  __shared__ u64 full;
  if (threadIdx.x == 0) {
    INIT(full, 1); // B: init_again
    INIT(full, 2); // A: init_again
  }
  out[threadIdx.x] = 1;
}
extern "C" __global__ void ok_init_again(int *out) {
  __shared__ u64 full;
  if (threadIdx.x == 0) {
    INIT(full, 1);
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(ADDRESS(full)) : "memory");
    INIT(full, 2);
  }
  out[threadIdx.x] = 1;
}

// Others use the mbarrier with no barrier after its initialisation.
extern "C" __global__ void bug_init_race(int *out) {
  __shared__ u64 full;
  if (threadIdx.x == 0) {
    INIT(full, 32); // B: init_race
    asm volatile("red.relaxed.cta.global.or.b32 [%0], 1;" ::"l"(out) : "memory");
  }
  if (threadIdx.x >= 32) {
    int seen = 0;
    while (seen == 0) asm volatile("ld.relaxed.cta.global.b32 %0, [%1];" : "=r"(seen) : "l"(out) : "memory");
    ARRIVE(full); // A: init_race
  }
}

// ---- bulk copies ----

extern "C" __global__ void bug_bulk_wait(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[128];
  if (threadIdx.x == 0) INIT(full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(full, 512);
    LOAD(tile, in, 512, full); // B: bulk_wait
  }
  out[threadIdx.x] = tile[threadIdx.x]; // A: bulk_wait
  WAIT(full, 0);
}
extern "C" __global__ void ok_bulk_wait(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[128];
  if (threadIdx.x == 0) INIT(full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(full, 512);
    LOAD(tile, in, 512, full);
  }
  WAIT(full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

// Another stage's barrier is waited for.
extern "C" __global__ void bug_bulk_stage(int *out, const int *in) {
  __shared__ u64 full[2];
  __shared__ __align__(128) int tile[2][128];
  if (threadIdx.x == 0) {
    INIT(full[0], 1);
    INIT(full[1], 1);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; i++) {
      EXPECT(full[i], 512);
      LOAD(tile[i], in, 512, full[i]); // B: bulk_stage
    }
  WAIT(full[1], 0);
  out[threadIdx.x] = tile[0][threadIdx.x]; // A: bulk_stage
  WAIT(full[0], 0);
}
extern "C" __global__ void ok_bulk_stage(int *out, const int *in) {
  __shared__ u64 full[2];
  __shared__ __align__(128) int tile[2][128];
  if (threadIdx.x == 0) {
    INIT(full[0], 1);
    INIT(full[1], 1);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; i++) {
      EXPECT(full[i], 512);
      LOAD(tile[i], in, 512, full[i]);
    }
  WAIT(full[0], 0);
  out[threadIdx.x] = tile[0][threadIdx.x];
  WAIT(full[1], 0);
  out[threadIdx.x] = tile[1][threadIdx.x];
}

// The next copy waits for two of the four warps that read.
extern "C" __global__ void bug_bulk_refill(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[128];
  if (threadIdx.x == 0) INIT(full, 1);
  __syncthreads();
  for (int i = 0; i < 2; i++) {
    if (threadIdx.x == 0) {
      EXPECT(full, 512);
      LOAD(tile, in, 512, full); // A: bulk_refill
    }
    WAIT(full, i & 1);
    out[threadIdx.x] = tile[threadIdx.x]; // B: bulk_refill
    if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  }
}
extern "C" __global__ void ok_bulk_refill(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[128];
  if (threadIdx.x == 0) INIT(full, 1);
  __syncthreads();
  for (int i = 0; i < 2; i++) {
    if (threadIdx.x == 0) {
      EXPECT(full, 512);
      LOAD(tile, in, 512, full);
    }
    WAIT(full, i & 1);
    out[threadIdx.x] = tile[threadIdx.x];
    __syncthreads();
  }
}

// More bytes are expected than come.
extern "C" __global__ void bug_bytes(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[128];
  if (threadIdx.x == 0) INIT(full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(full, 512);
    LOAD(tile, in, 256, full);
  }
  WAIT(full, 0); // A: bytes
  out[threadIdx.x] = tile[threadIdx.x % 64];
}
extern "C" __global__ void ok_bytes(int *out, const int *in) {
  __shared__ u64 full;
  __shared__ __align__(128) int tile[128];
  if (threadIdx.x == 0) INIT(full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(full, 256);
    LOAD(tile, in, 256, full);
  }
  WAIT(full, 0);
  out[threadIdx.x] = tile[threadIdx.x % 64];
}

// Data that threads wrote needs a proxy fence before a bulk store reads it.
extern "C" __global__ void bug_proxy(int *out) {
  __shared__ __align__(128) int tile[128];
  tile[threadIdx.x] = threadIdx.x; // B: proxy
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 512); // A: proxy
    COMMIT();
    WAIT_BULK();
  }
}
extern "C" __global__ void ok_proxy(int *out) {
  __shared__ __align__(128) int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 512);
    COMMIT();
    WAIT_BULK();
  }
}

// The buffer is written again while a bulk store still reads it.
extern "C" __global__ void bug_store_reuse(int *out) {
  __shared__ __align__(128) int tile[32];
  for (int i = 0; i < 2; i++) {
    tile[threadIdx.x] = i; // A: store_reuse
    PROXY_FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
      STORE(out + 32 * i, tile, 128); // B: store_reuse
      COMMIT();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) WAIT_BULK();
}
extern "C" __global__ void ok_store_reuse(int *out) {
  __shared__ __align__(128) int tile[32];
  for (int i = 0; i < 2; i++) {
    tile[threadIdx.x] = i;
    PROXY_FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
      STORE(out + 32 * i, tile, 128);
      COMMIT();
      WAIT_READ();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) WAIT_BULK();
}

// ---- wgmma ----

__device__ u64 descriptor(const void *tile) { // no swizzle, core matrices of 128 bytes
  u64 address = __cvta_generic_to_shared(tile);
  return (address >> 4 & 0x3fff) | (u64)8 << 16 | (u64)16 << 32;
}
#define WGMMA(d, a, b) \
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(a)), "l"(descriptor(b)))
#define WGMMA_FENCE(d) \
  asm volatile("wgmma.fence.sync.aligned;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory")
#define WGMMA_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WGMMA_WAIT(d) \
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory")

extern "C" __global__ void bug_wgmma_proxy(float *out) {
  __shared__ __align__(128) int a[512], b[64];
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; i++) a[threadIdx.x + 128 * i] = 0; // B: wgmma_proxy
  if (threadIdx.x < 64) b[threadIdx.x] = 0;
  __syncthreads();
  WGMMA_FENCE(d);
  WGMMA(d, a, a); // A: wgmma_proxy
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + b[0];
}
extern "C" __global__ void ok_wgmma_proxy(float *out) {
  __shared__ __align__(128) int a[512], b[64];
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; i++) a[threadIdx.x + 128 * i] = 0;
  if (threadIdx.x < 64) b[threadIdx.x] = 0;
  PROXY_FENCE();
  __syncthreads();
  WGMMA_FENCE(d);
  WGMMA(d, a, b);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// The operands are written again before the wait.
extern "C" __global__ void bug_wgmma_refill(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; i++) a[threadIdx.x + 128 * i] = 0;
  PROXY_FENCE();
  __syncthreads();
  WGMMA_FENCE(d);
  WGMMA(d, a, a); // B: wgmma_refill
  WGMMA_COMMIT();
  __syncthreads();
  a[threadIdx.x] = 1; // A: wgmma_refill
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
extern "C" __global__ void ok_wgmma_refill(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; i++) a[threadIdx.x + 128 * i] = 0;
  PROXY_FENCE();
  __syncthreads();
  WGMMA_FENCE(d);
  WGMMA(d, a, a);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  __syncthreads();
  a[threadIdx.x] = 1;
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

__device__ void fill(int *a) {
  for (int i = 0; i < 4; i++) a[threadIdx.x + 128 * i] = 0;
  PROXY_FENCE();
  __syncthreads();
}

// An accumulator is read before the wait.
extern "C" __global__ void bug_wgmma_early(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  fill(a);
  WGMMA_FENCE(d);
  WGMMA(d, a, a); // B: wgmma_early
  WGMMA_COMMIT();
  out[threadIdx.x] = d[0]; // A: wgmma_early
  WGMMA_WAIT(d);
}
extern "C" __global__ void ok_wgmma_early(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  fill(a);
  WGMMA_FENCE(d);
  WGMMA(d, a, a);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0];
}

// Accumulators are scaled between two wgmma, with no fence before the second.
extern "C" __global__ void bug_wgmma_fence(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  fill(a);
  WGMMA_FENCE(d);
  WGMMA(d, a, a);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  asm volatile("mul.f32 %0, %0, 0f40000000;" : "+f"(d[0])); // B: wgmma_fence
  WGMMA(d, a, a); // A: wgmma_fence
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0];
}
extern "C" __global__ void ok_wgmma_fence(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  fill(a);
  WGMMA_FENCE(d);
  WGMMA(d, a, a);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  asm volatile("mul.f32 %0, %0, 0f40000000;" : "+f"(d[0]));
  WGMMA_FENCE(d);
  WGMMA(d, a, a);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0];
}

// ---- what a wait does not make known ----

// Thread 0 arrives for two phases; who waits for the first one knows nothing of what lies between.
extern "C" __global__ void bug_next_phase(int *out) {
  __shared__ u64 full;
  __shared__ int slot;
  if (threadIdx.x == 0) {
    INIT(full, 2);
    slot = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ARRIVE(full);
    ARRIVE(full);
    slot = 42; // B: next_phase
    ARRIVE(full);
  } else if (threadIdx.x == 32) {
    WAIT(full, 0);
    *out = slot; // A: next_phase
  }
}
extern "C" __global__ void ok_next_phase(int *out) {
  __shared__ u64 full;
  __shared__ int slot;
  if (threadIdx.x == 0) INIT(full, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    slot = 42;
    ARRIVE(full);
  } else if (threadIdx.x == 32) {
    WAIT(full, 0);
    *out = slot;
  }
}

// The copy's source is read, and its destination perhaps not yet written.
extern "C" __global__ void bug_read_back(int *out) {
  __shared__ __align__(128) int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 128); // B: read_back
    COMMIT();
    WAIT_READ();
    out[64] = out[5]; // A: read_back
    WAIT_BULK();
  }
}
extern "C" __global__ void ok_read_back(int *out) {
  __shared__ __align__(128) int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, tile, 128);
    COMMIT();
    WAIT_BULK();
    out[64] = out[5];
  }
}

#define CLUSTER_ARRIVE() asm volatile("barrier.cluster.arrive.aligned;" ::: "memory")
#define CLUSTER_WAIT() asm volatile("barrier.cluster.wait.aligned;" ::: "memory")

extern "C" __global__ void bug_cluster(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = 0;
  __syncthreads();
  tile[threadIdx.x] = threadIdx.x; // B: cluster
  CLUSTER_ARRIVE();
  out[threadIdx.x] = tile[127 - threadIdx.x]; // A: cluster
  CLUSTER_WAIT();
}
extern "C" __global__ void ok_cluster(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  CLUSTER_ARRIVE();
  CLUSTER_WAIT();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// A from registers: one is written before the wait.
#define WGMMA_REGISTERS(d, b, between, after) \
  asm volatile("{ .reg .b32 a<4>; mov.b32 a0, 0; mov.b32 a1, 0; mov.b32 a2, 0; mov.b32 a3, 0; wgmma.fence.sync.aligned; " \
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {a0, a1, a2, a3}, %4, 0, 1, 1, 0; " \
               "wgmma.commit_group.sync.aligned; " between " wgmma.wait_group.sync.aligned 0; " after " }" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(b)) : "memory")
extern "C" __global__ void bug_wgmma_a(float *out) {
  __shared__ __align__(128) int b[512];
  float d[4] = {0, 0, 0, 0};
  fill(b);
  WGMMA_REGISTERS(d, b, "mov.b32 a2, 1;", ""); // A: wgmma_a
  out[threadIdx.x] = d[0];
}
extern "C" __global__ void ok_wgmma_a(float *out) {
  __shared__ __align__(128) int b[512];
  float d[4] = {0, 0, 0, 0};
  fill(b);
  WGMMA_REGISTERS(d, b, "", "mov.b32 a2, 1;");
  out[threadIdx.x] = d[0];
}

extern "C" __global__ void bug_wgmma_unfenced(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  fill(a);
  WGMMA(d, a, a); // A: wgmma_unfenced
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0];
}
extern "C" __global__ void ok_wgmma_unfenced(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  fill(a);
  WGMMA_FENCE(d);
  WGMMA(d, a, a);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0];
}

// An accumulator is loaded between two wgmma, with no fence before the second.
extern "C" __global__ void bug_wgmma_loaded(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  fill(a);
  WGMMA_FENCE(d);
  WGMMA(d, a, a);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  asm volatile("ld.global.f32 %0, [%1];" : "+f"(d[0]) : "l"(out + 512) : "memory"); // B: wgmma_loaded
  WGMMA(d, a, a); // A: wgmma_loaded
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0];
}
extern "C" __global__ void ok_wgmma_loaded(float *out) {
  __shared__ __align__(128) int a[512];
  float d[4] = {0, 0, 0, 0};
  fill(a);
  WGMMA_FENCE(d);
  WGMMA(d, a, a);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  asm volatile("ld.global.f32 %0, [%1];" : "+f"(d[0]) : "l"(out + 512) : "memory");
  WGMMA_FENCE(d);
  WGMMA(d, a, a);
  WGMMA_COMMIT();
  WGMMA_WAIT(d);
  out[threadIdx.x] = d[0];
}
