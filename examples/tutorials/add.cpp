// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iostream>
#include <vector>
#include <tilec/tilec.hpp>

enum { N = 1000, BYTES = N * sizeof(float) };

static tilec::buffer filled(const tilec::device &device, const std::vector<float> &numbers) {
  tilec::buffer made(device, BYTES);
  made.write(numbers.data(), BYTES);
  return made;
}

int main() try {
  std::vector<float> ones(N, 1), sum(N);
  const char *const defines[] = {"BLOCK=256"};
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.defines = defines, options.define_count = 1;

  tilec::device device; // a GPU if there is one, else the simulator
  tilec::kernel add(device, tilec::program::from_file("examples/tutorials/add.py"), options);
  tilec::buffer x = filled(device, ones), y = filled(device, ones), out(device, BYTES);
  add.run(tilec::launch(4), x.as<float>(), y.as<float>(), out.as<float>(), 1000); // 4 programs

  out.read(sum.data(), BYTES);
  std::cout << "1 + 1 = " << sum[999] << " on " << device.name() << '\n';
} catch (const tilec::error &error) {
  std::cerr << error.what() << '\n';
  return 1;
}
