// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch of a tilec kernel in a program of the CUDA runtime: with memory of cudaMalloc, on a cudaStream_t.
// `g++ -std=c++17 -I/usr/local/cuda/include cuda_pointers.cpp -ltilec -L/usr/local/cuda/lib64 -lcudart` builds it.
#include <cstdlib>
#include <iostream>
#include <vector>
#include <cuda_runtime_api.h>
#include <tilec/tilec.hpp>

static const char source[] = R"(
import triton
import triton.language as tl
@triton.jit
def scale(x, out, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, factor * tl.load(x + i, mask=i < n), mask=i < n)
)";

static void cuda(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::cerr << "CUDA: " << cudaGetErrorString(error) << '\n';
  std::exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 77 : 1);
}

int main() try {
  const int n = 1000, block = 256;
  std::vector<float> host(n, 2);
  float *x, *out;
  cudaStream_t cuda_stream;
  cuda(cudaMalloc(reinterpret_cast<void **>(&x), n * sizeof(float)));
  cuda(cudaMalloc(reinterpret_cast<void **>(&out), n * sizeof(float)));
  cuda(cudaStreamCreate(&cuda_stream));

  tilec::device device("cuda"); // the GPU and the context of the CUDA runtime in this thread
  tilec::program program = tilec::program::from_source("scale.py", source);
  tilec::kernel scale(device, program, tilec::options().define("BLOCK", block));
  tilec::stream stream = tilec::stream::wrap(device, cuda_stream); // the stream stays the program's

  // x and out are pointers to floats of the GPU. tilec cannot know how large that memory is.
  // The kernel runs after the first copy and before the second one, as they are on one stream.
  cuda(cudaMemcpyAsync(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, cuda_stream));
  scale.run(tilec::launch((n + block - 1) / block).on(stream), x, out, 3.0f, n);
  cuda(cudaMemcpyAsync(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost, cuda_stream));
  cuda(cudaStreamSynchronize(cuda_stream));
  std::cout << "3 * 2 = " << host[n - 1] << '\n';

  cuda(cudaStreamDestroy(cuda_stream));
  cuda(cudaFree(x));
  cuda(cudaFree(out));
} catch (const tilec::error &error) {
  std::cerr << error.what() << '\n';
  return 1;
}
