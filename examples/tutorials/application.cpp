// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iostream>
#include <vector>
#include <tilec/tilec.hpp>

static const char source[] = R"(
import triton
import triton.language as tl

@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.store(out, tl.load(out) + s)
)";

int main() try {
  std::vector<float> ones(1000, 1);
  float sum = 0;
  tilec::device device("sim");
  tilec::program program = tilec::program::from_source("total.py", source); // the name is for messages
  tilec::kernel total(device, program, tilec::options().define("BLOCK", 256));
  tilec::buffer x(device, 4000), out(device, sizeof sum);
  x.write(ones.data(), 4000);
  out.write(&sum, sizeof sum);
  tilec::launch launch(4);
  launch.options().check = 1; // run with the checkers
  total.run(launch, x.as<float>(), out.as<float>(), 1000);
  out.read(&sum, sizeof sum);
  std::cout << "the sum is " << sum << '\n';
} catch (const tilec::error &error) {
  std::cerr << tilec_status_name(error.status()) << ": " << error.what() << '\n';
  return 1;
}
