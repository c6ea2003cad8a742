// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector's sum, step by step: each kernel fixes what slows the previous one. 256 threads a CTA. out[block] gets the
// CTA's sum. The last kernel adds to out[0] instead. reduction.ptx is the output of
// nvcc -ptx -arch=sm_80 -o reduction.ptx reduction.cu
#define THREADS 256

// Neighbours are added: thread 0, 2, 4 ..., then 0, 4, 8 ...: in every warp most threads wait for a few.
extern "C" __global__ void interleaved_divergent(const float *x, float *out, int n) {
  __shared__ float part[THREADS];
  unsigned t = threadIdx.x, i = blockIdx.x * THREADS + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (unsigned step = 1; step < THREADS; step *= 2) {
    if (t % (2 * step) == 0) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// The same additions by threads 0, 1, 2 ...: whole warps work or rest, but their addresses share banks.
extern "C" __global__ void interleaved_strided(const float *x, float *out, int n) {
  __shared__ float part[THREADS];
  unsigned t = threadIdx.x, i = blockIdx.x * THREADS + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (unsigned step = 1; step < THREADS; step *= 2) {
    unsigned at = 2 * step * t;
    if (at < THREADS) part[at] += part[at + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// The upper half is added to the lower: neighbouring threads, neighbouring banks.
extern "C" __global__ void sequential(const float *x, float *out, int n) {
  __shared__ float part[THREADS];
  unsigned t = threadIdx.x, i = blockIdx.x * THREADS + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (unsigned step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// Warps add up by shuffles; shared memory and one barrier only for the warps' sums.
static __device__ float warp_sum(float v) {
  for (int lane = 16; lane > 0; lane /= 2) v += __shfl_xor_sync(0xffffffffu, v, lane);
  return v;
}

static __device__ float block_sum(float v) {
  __shared__ float part[THREADS / 32];
  unsigned t = threadIdx.x;
  v = warp_sum(v);
  if (t % 32 == 0) part[t / 32] = v;
  __syncthreads();
  return t < 32 ? warp_sum(t < THREADS / 32 ? part[t] : 0.0f) : 0.0f;
}

extern "C" __global__ void shuffles(const float *x, float *out, int n) {
  unsigned t = threadIdx.x, i = blockIdx.x * THREADS + t;
  float v = block_sum(i < n ? x[i] : 0.0f);
  if (t == 0) out[blockIdx.x] = v;
}

// 16 bytes a load, four loads a thread, before any of them is used; n is a multiple of 4096.
extern "C" __global__ void vectors(const float *x, float *out, int n) {
  const float4 *v = (const float4 *)x + blockIdx.x * (THREADS * 4) + threadIdx.x;
  float4 a = v[0], b = v[THREADS], c = v[THREADS * 2], d = v[THREADS * 3];
  float sum = ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w)) + ((c.x + c.y) + (c.z + c.w)) +
              ((d.x + d.y) + (d.z + d.w));
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// The blocks' sums are added where they meet: no second launch.
extern "C" __global__ void one_pass(const float *x, float *out, int n) {
  const float4 *v = (const float4 *)x + blockIdx.x * (THREADS * 4) + threadIdx.x;
  float4 a = v[0], b = v[THREADS], c = v[THREADS * 2], d = v[THREADS * 3];
  float sum = ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w)) + ((c.x + c.y) + (c.z + c.w)) +
              ((d.x + d.y) + (d.z + d.w));
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
