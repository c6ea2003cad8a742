// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// check_ptx FILE.ptx: checks the kernel `total` of kernels.cu, which nvcc has compiled, without a GPU.
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>
#include <tilec/tilec.hpp>

int main(int argc, char **argv) try {
  std::ifstream file(argc > 1 ? argv[1] : "out/kernels.ptx");
  const std::string ptx(std::istreambuf_iterator<char>(file), {});
  std::vector<float> ones(1000, 1);
  float sum = 0;
  tilec::device device("sim");
  tilec_image_options image = TILEC_IMAGE_OPTIONS_INIT;
  image.threads[0] = 256; // and image.shared_bytes, for dynamic shared memory
  tilec::kernel total = tilec::kernel::from_image(device, "total", ptx, image); // the name in the PTX
  tilec::buffer x = tilec::buffer::wrap(device, ones.data(), 4000), out = tilec::buffer::wrap(device, &sum, 4);
  tilec::launch launch(4);    // 4 CTAs
  launch.options().check = 1; // run with the checkers
  total.run(launch, x.as<float>(), out.as<float>(), 1000);
  std::cout << "the sum is " << sum << '\n';
} catch (const tilec::error &error) {
  std::cerr << error.what() << '\n';
  return 1;
}
