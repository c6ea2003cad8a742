// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
#include "saxpy.h"

// The CUDA driver, whose functions are called by name. A failure is an exception.
class Driver {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);

public:
  template <class... Args> void operator()(const char *name, Args... args) const {
    if (!library) throw std::runtime_error("no libcuda.so.1: install NVIDIA's driver");
    void *found = dlsym(library, name);
    if (!found) throw std::runtime_error(std::string("NVIDIA's driver is too old: no ") + name);
    if (int status = reinterpret_cast<int (*)(Args...)>(found)(args...))
      throw std::runtime_error(std::string(name) + " returned " + std::to_string(status));
  }
};

// A vector of floats on the GPU.
class Floats {
  const Driver &cuda;
  size_t bytes;

public:
  uint64_t address = 0;
  Floats(const Driver &cuda, const std::vector<float> &from)
      : cuda(cuda), bytes(from.size() * sizeof(float)) {
    cuda("cuMemAlloc_v2", &address, bytes);
    cuda("cuMemcpyHtoD_v2", address, static_cast<const void *>(from.data()), bytes);
  }
  Floats(const Floats &) = delete;
  ~Floats() { cuda("cuMemFree_v2", address); }
  void read(std::vector<float> &to) const {
    cuda("cuMemcpyDtoH_v2", static_cast<void *>(to.data()), address, bytes);
  }
};

int main() try {
  Driver cuda;
  void *context = nullptr;
  cuda("cuInit", 0u);
  cuda("cuDevicePrimaryCtxRetain", &context, 0);
  cuda("cuCtxSetCurrent", context);

  std::vector<float> x(1000, 3), y(1000, 1);
  Floats on_gpu_x(cuda, x), on_gpu_y(cuda, y);
  if (saxpy(nullptr, 2, on_gpu_x.address, on_gpu_y.address, 1000) != TILEC_AOT_OK)
    throw std::runtime_error(saxpy_aot_error());
  on_gpu_y.read(y);
  std::printf("2 * 3 + 1 = %g\n", y[999]);
} catch (const std::exception &error) {
  std::fprintf(stderr, "ahead: %s\n", error.what());
  return 1;
}
