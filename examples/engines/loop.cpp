// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libtilec as the compiler of a small engine: a layer of attention with int8 weights, token after token. Its kernels
// are compiled at the first token, for this engine's sizes: loop [DEVICE] [FILE]
#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <tilec/tilec.hpp>

enum { ROWS = 16, D = 64, HEAD = 32, TOKENS = 20 };
using Floats = std::vector<float>;

// A matrix [n, D] as int8 with a scale for each row.
struct Weights {
  Weights(const tilec::device &device, int n, std::mt19937 &random)
      : n(n), numbers(n * D), scales(n), on_device(device, numbers.size()),
        scales_on_device(device, n * sizeof(float)) {
    std::uniform_int_distribution<int> number(-127, 127);
    for (std::int8_t &each : numbers) each = static_cast<std::int8_t>(number(random));
    for (float &each : scales) each = 1.0f / (127 * std::sqrt(static_cast<float>(D)));
    on_device.write(numbers.data(), numbers.size());
    scales_on_device.write(scales.data(), n * sizeof(float));
  }
  int n;
  std::vector<std::int8_t> numbers;
  Floats scales;
  tilec::buffer on_device, scales_on_device;
};

static tilec::buffer zeros(const tilec::device &device, std::size_t count) {
  tilec::buffer made(device, count * sizeof(float));
  made.fill(0);
  return made;
}

class Engine {
public:
  Engine(const char *name, const char *file, std::mt19937 &random)
      : device(name), program(tilec::program::from_file(file)), project(kernel("linear", "False")),
        add(kernel("linear", "True")),
        attend(device, program,
               tilec::options("attend").define("D", +D).define("HEAD", +HEAD).define("BLOCK", 16)),
        in(device, 3 * D, random), out(device, D, random), x(zeros(device, ROWS * D)),
        qkv(zeros(device, ROWS * 3 * D)), keys(zeros(device, ROWS * TOKENS * D)),
        values(zeros(device, ROWS * TOKENS * D)), mixed(zeros(device, ROWS * D)) {}

  // x becomes x + out * attention(in * x).
  void step(int token) {
    linear(project, x, in, qkv);
    attend.run(tilec::launch(ROWS, D / HEAD), qkv.as<float>(), keys.as<float>(), values.as<float>(),
               mixed.as<float>(), token, +TOKENS, 1 / std::sqrt(static_cast<float>(HEAD)));
    linear(add, mixed, out, x);
  }

  tilec::device device;

private:
  tilec::kernel kernel(const char *name, const char *adds) {
    return tilec::kernel(device, program,
                         tilec::options(name)
                             .define("ADD", adds)
                             .define("ROWS", +ROWS)
                             .define("COLUMNS", 32)
                             .define("STEP", 32));
  }
  static void linear(const tilec::kernel &with, const tilec::buffer &from, const Weights &w,
                     const tilec::buffer &to) {
    with.run(tilec::launch(w.n / 32), from.as<float>(), w.on_device.as<std::int8_t>(),
             w.scales_on_device.as<float>(), to.as<float>(), w.n, +D);
  }
  tilec::program program;
  tilec::kernel project, add, attend;

public:
  Weights in, out;
  tilec::buffer x;

private:
  tilec::buffer qkv, keys, values, mixed;
};

// The same on the host, in double.
struct Reference {
  explicit Reference(const Engine &engine) : engine(engine), x(ROWS * D), cache(ROWS) {}

  static void linear(const double *from, const Weights &w, double *to) {
    for (int i = 0; i < w.n; i++)
      for (int k = 0; k < D; k++) to[i] += from[k] * w.numbers[i * D + k] * static_cast<double>(w.scales[i]);
  }
  void step(int row) {
    std::vector<double> qkv(3 * D), mixed(D);
    linear(&x[row * D], engine.in, qkv.data());
    cache[row].push_back(qkv);
    for (int head = 0; head < D; head += HEAD) {
      double total = 0;
      std::vector<double> sums(HEAD);
      for (const std::vector<double> &kept : cache[row]) {
        double score = 0;
        for (int d = head; d < head + HEAD; d++) score += qkv[d] * kept[D + d];
        const double p = std::exp(score / std::sqrt(static_cast<double>(HEAD)));
        total += p;
        for (int d = 0; d < HEAD; d++) sums[d] += p * kept[2 * D + head + d];
      }
      for (int d = 0; d < HEAD; d++) mixed[head + d] = sums[d] / total;
    }
    linear(mixed.data(), engine.out, &x[row * D]);
  }
  const Engine &engine;
  std::vector<double> x;
  std::vector<std::vector<std::vector<double>>> cache; // of each row: q, k and v of each token
};

int main(int argc, char **argv) try {
  std::mt19937 random(1);
  Engine engine(argc > 1 ? argv[1] : nullptr, argc > 2 ? argv[2] : "loop.py", random);
  Reference reference(engine);
  std::normal_distribution<float> normal;
  Floats x(ROWS * D);
  for (float &each : x) each = normal(random);
  reference.x.assign(x.begin(), x.end());
  engine.x.write(x.data(), x.size() * sizeof(float));
  double worst = 0;
  for (int token = 0; token < TOKENS; token++) {
    engine.step(token);
    for (int row = 0; row < ROWS; row++) reference.step(row);
    engine.x.read(x.data(), x.size() * sizeof(float));
    for (int i = 0; i < ROWS * D; i++)
      worst = std::max(worst,
                       std::abs(static_cast<double>(x[i]) - reference.x[i]) / (1 + std::abs(reference.x[i])));
  }
  // The kernel rounds what it multiplies to fp16. The error adds up over the tokens.
  if (!(worst < 0.03)) throw std::runtime_error("the worst error is " + std::to_string(worst));
  std::cout << "loop: " << +TOKENS << " tokens of " << +ROWS << " sequences on " << engine.device.name()
            << ": equal to the reference\n";
  return 0;
} catch (const std::exception &error) {
  std::cerr << "loop: " << error.what() << '\n';
  return 1;
}
