// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates that lanes of one warp lose, and twins that lose none. scripts/nvcc-ptx makes its PTX.
// The tests find a bug's lines by the marks // A: X and // B: X.
extern "C" __global__ void bug_lost_update(int *out) {
  out[threadIdx.x / 4] += 1; // A: lost_update
}
// Atomics, an element a lane, an element that stays as it is, and a barrier between the loads and the stores.
extern "C" __global__ void ok_lost_update(int *out) {
  atomicAdd(&out[threadIdx.x / 4], 1);
  __syncwarp();
  out[32 + threadIdx.x * 5 % 32] += 1;
  volatile int *same = out + 64;
  out[65 + threadIdx.x / 32] = out[65 + threadIdx.x / 32] & *same;
  int before = out[66];
  __syncwarp();
  out[66] = before + 1;
}

extern "C" __global__ void bug_lost_shared_update(int *out, int n) {
  __shared__ int counts[8];
  if (threadIdx.x < 8) counts[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < n) counts[threadIdx.x * threadIdx.x % 3] += 1; // A: lost_shared_update
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = counts[threadIdx.x];
}
extern "C" __global__ void ok_lost_shared_update(int *out, int n) {
  __shared__ int counts[8];
  if (threadIdx.x < 8) counts[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < n) atomicAdd(&counts[threadIdx.x * threadIdx.x % 3], 1);
  __syncthreads();
  int flag = counts[4];
  __syncthreads();
  counts[4] = flag + 1;
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = counts[threadIdx.x];
}
