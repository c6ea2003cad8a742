// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transposition of tiles of 32x32 floats, whose reads of shared memory have bank conflicts.

extern "C" __global__ void transpose(const float *x, float *y, int n) {
  __shared__ float tile[32][32];
  int column = threadIdx.x, row = threadIdx.y;
  int left = blockIdx.x * 32, top = blockIdx.y * 32;
  tile[row][column] = x[(top + row) * n + left + column];
  __syncthreads();
  y[(left + row) * n + top + column] = tile[column][row];
}
