// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of a .py file: constexprs, options, the grid, a stream, and a launch that is checked for races.
#include <iostream>
#include <vector>
#include <tilec/tilec.hpp>

static const char source[] = R"(
import triton
import triton.language as tl
@triton.jit
def total(x, out, n, BLOCK: tl.constexpr, ATOMIC: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    if ATOMIC:
        tl.atomic_add(out, s)
    else:
        tl.store(out, tl.load(out) + s)
)";

int main() {
  const int n = 1000, block = 256;
  tilec::options right("total"), wrong("total"); // no name is needed if the file has one kernel
  right.define("BLOCK", block).define("ATOMIC", true);
  wrong.define("BLOCK", block).define("ATOMIC", false);
  right.raw().num_warps = 8; // the other options
  std::vector<float> ones(n, 1);
  float sum = 0;
  try {
    tilec::device device("sim");
    tilec::program program = tilec::program::from_source("total.py", source);
    tilec::kernel total(device, program, right), racing(device, program, wrong);
    tilec::stream stream(device); // for a stream of CUDA: tilec::stream::wrap(device, cuda_stream)
    tilec::buffer x(device, n * sizeof(float)), out(device, sizeof sum);
    // On a GPU, pass a float * of cudaMalloc in place of x.as<float>().
    x.write(ones.data(), n * sizeof(float));
    out.write(&sum, sizeof sum);

    tilec::launch how((n + block - 1) / block); // the number of programs
    total.run(how.on(stream), x.as<float>(), out.as<float>(), n);
    tilec::check(tilec_buffer_read_async(out.get(), 0, &sum, sizeof sum, stream.get())); // a function of C
    stream.synchronize();
    std::cout << sum << '\n'; // prints: 1000

    how.options().check = 1; // on the simulator
    racing.run(how, x.as<float>(), out.as<float>(), n);
  } catch (const tilec::error &error) {
    tilec_diagnostic first = TILEC_DIAGNOSTIC_INIT; // the report as fields
    tilec_diagnostics_get(tilec_last_diagnostics(), 0, &first);
    if (first.kind && first.buffer) std::cout << first.kind << " on " << first.buffer << '[' << first.index << "]: ";
    std::cout << tilec_status_name(error.status()) << '\n'; // prints: race on out[0]: TILEC_ERROR_LAUNCH
  }
}
