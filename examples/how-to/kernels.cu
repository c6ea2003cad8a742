// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA kernels of docs/how-to/coming-from-cuda.md. Each is launched with 256 threads (matmul: 16 x 16).

extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void total(const float *x, float *out, int n) {
  __shared__ float parts[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = i < n ? x[i] : 0;
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < 8 ? parts[threadIdx.x] : 0;
    for (int d = 4; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x == 0) atomicAdd(out, s);
  }
}

extern "C" __global__ void running_sum(const float *x, float *out, int n) {
  __shared__ float ends[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float s = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    float left = __shfl_up_sync(~0u, s, d);
    if (lane >= d) s += left;
  }
  if (lane == 31) ends[warp] = s;
  __syncthreads();
  for (int w = 0; w < warp; w++) s += ends[w];
  if (i < n) out[i] = s;
}

extern "C" __global__ void histogram(const int *x, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&count[x[i]], 1);
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int M, int N, int K) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int m = blockIdx.y * 16 + ty, n = blockIdx.x * 16 + tx;
  float acc = 0;
  for (int k = 0; k < K; k += 16) {
    as[ty][tx] = m < M && k + tx < K ? a[m * K + k + tx] : 0;
    bs[ty][tx] = k + ty < K && n < N ? b[(k + ty) * N + n] : 0;
    __syncthreads();
    for (int j = 0; j < 16; j++) acc += as[ty][j] * bs[j][tx];
    __syncthreads();
  }
  if (m < M && n < N) c[m * N + n] = acc;
}

template <typename T> __global__ void reversed(const T *x, T *y, int n) {
  extern __shared__ float tile[];
  int i = threadIdx.x;
  if (i < n) tile[i] = x[i];
  __syncthreads();
  if (i < n) y[i] = tile[n - 1 - i];
}
template __global__ void reversed<float>(const float *x, float *y, int n);
