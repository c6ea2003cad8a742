// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iostream>
#include <vector>
#include <tilec/tilec.hpp>

int main() try {
  std::vector<float> numbers(1000, 1);
  tilec::device device; // a GPU if there is one, else the simulator
  tilec::program program = tilec::program::from_file("examples/tutorials/add.py");
  tilec::kernel add(device, program, tilec::options().define("BLOCK", 256));
  tilec::buffer x(device, 4000), out(device, 4000); // bytes
  x.write(numbers.data(), 4000);
  add.run(tilec::launch(4), x.as<float>(), x.as<float>(), out.as<float>(), 1000); // 4 programs
  out.read(numbers.data(), 4000);
  std::cout << "1 + 1 = " << numbers[999] << " on " << device.name() << '\n';
} catch (const tilec::error &error) {
  std::cerr << error.what() << '\n';
  return 1;
}
