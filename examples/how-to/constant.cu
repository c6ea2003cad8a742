// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CUDA kernel that reads __constant__ memory, for check_constant.c.

__constant__ float weights[4];

extern "C" __global__ void weighted(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = weights[i % 4] * x[i];
}
