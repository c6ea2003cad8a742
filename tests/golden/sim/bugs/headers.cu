// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bug in code that is inlined from a header of the CUDA toolkit. scripts/nvcc-ptx makes its PTX.
// The tests find a bug's lines by the marks // A: X and // B: X. A bug is at these lines, not at those of the header.
static __device__ __forceinline__ void count(int *counts, int i) {
  atomicAdd(&counts[i], 1); // A: header
}

extern "C" __global__ void bug_header(int *out) {
  __shared__ int counts[32];
  if (threadIdx.x < 32) counts[threadIdx.x] = 0; // B: header
  if (threadIdx.x >= 32) count(counts, threadIdx.x - 32);
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = counts[threadIdx.x];
}
extern "C" __global__ void ok_header(int *out) {
  __shared__ int counts[32];
  if (threadIdx.x < 32) counts[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x >= 32) count(counts, threadIdx.x - 32);
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = counts[threadIdx.x];
}
