// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iostream>
#include <tilec/tilec.hpp>

static const char source[] = "@kernel\n"
                             "@grid(cdiv(n, BLOCK))\n"
                             "def twice(x, n, BLOCK: constexpr = 1024):\n"
                             "    i = program_id(0) * BLOCK + arange(0, BLOCK)\n"
                             "    store(x + i, 2 * load(x + i, mask=i < n), mask=i < n)\n";

int main() {
  try {
    float x[] = {1, 2, 3};
    tilec::device device("sim"); // no argument: a GPU if there is one, else the simulator
    tilec::program program = tilec::program::from_source("twice.tile", source);
    tilec::kernel twice(device, program);
    tilec::buffer buffer(device, sizeof x);
    buffer.write(x, sizeof x);
    twice(buffer.as<float>(), 3);
    buffer.read(x, sizeof x);
    std::cout << x[0] << ' ' << x[1] << ' ' << x[2] << '\n'; // prints: 2 4 6
  } catch (const tilec::error &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
