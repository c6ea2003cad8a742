// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ header: what it makes, moves and throws.
//   abi_cpp DEVICE
#include <tilec/tilec.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

static const char source[] = "@kernel\n"
                             "@grid(cdiv(n, 64))\n"
                             "def mix(x, out, n, factor, flag, bias, wide):\n"
                             "    i = program_id(0) * 64 + arange(0, 64)\n"
                             "    v = load(x + i, mask=i < n) * factor + (wide >> 60).to(fp32)\n"
                             "    if bias is not None:\n"
                             "        v += 100\n"
                             "    if flag:\n"
                             "        v = -v\n"
                             "    store(out + i, v, mask=i < n)\n";

static void expect(bool good, const char *what) {
  if (good) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

static void launches(const tilec::device &device) {
  const std::size_t n = 100, bytes = n * sizeof(float);
  std::vector<float> host(n), got(n);
  for (std::size_t i = 0; i < n; i++) host[i] = static_cast<float>(i);
  tilec::program program = tilec::program::from_source("mix.tile", source);
  tilec::kernel first(device, program), mix(std::move(first));
  expect(!first.get() && mix.get(), "a move");
  tilec::buffer x(device, bytes), out(device, bytes + sizeof(float));
  tilec::stream stream(device);
  tilec::event start(device), end(device);
  x.write(host.data(), bytes);
  out.fill(0);
  mix.prepare(x.as<float>(), out.as<float>(), n, 2.5, true, nullptr, UINT64_MAX);
  start.record();
  stream.wait(start);
  mix(x.as<float>(), out.as(TILEC_FP32), n, 2.5, true, nullptr, UINT64_MAX);
  out.read(got.data(), bytes);
  for (std::size_t i = 0; i < n; i++) expect(got[i] == -(host[i] * 2.5f + 15), "a result");
  mix.run(tilec::launch(2).on(stream), x.as<float>(), out.as<float>(1), 100, 1.0f, false, 1,
          std::uint64_t(1) << 63);
  end.record(stream);
  expect(end.seconds_since(start) >= 0, "a time");
  out.read(got.data(), bytes, sizeof(float));
  for (std::size_t i = 0; i < n; i++) expect(got[i] == host[i] + 108, "a result on a stream");
  expect(mix.attributes(x.as<float>(), out.as<float>(), n, 2.5, true, nullptr, UINT64_MAX).threads != 0,
         "attributes");
  device.arch();
}

// A tuple within another, with names, and a tensor descriptor.
static void wide_launches(const tilec::device &device) {
  const std::size_t n = 16;
  std::vector<float> host(n, 3), got(n);
  tilec::program program = tilec::program::from_source(
      "wide.tile", "@kernel\n@grid(1)\ndef wide(t, d):\n"
                   "    store(t.out + arange(0, 16), d.load([0]) * t.by[0] + t.by[1])\n");
  tilec::kernel wide(device, program);
  tilec::buffer x(device, n * sizeof(float)), out(device, n * sizeof(float));
  x.write(host.data(), n * sizeof(float));
  tilec_descriptor d = TILEC_DESCRIPTOR_INIT;
  d.base = x.as<float>();
  d.rank = 1;
  d.block[0] = 16;
  d.shape[0] = 16;
  d.strides[0] = 1;
  tilec::tuple by(2.0, 1), t(out.as<float>(), by);
  t.names({"out", "by"});
  wide.prepare(t, d);
  wide(t, d);
  out.read(got.data(), n * sizeof(float));
  for (std::size_t i = 0; i < n; i++) expect(got[i] == 7, "a result of a tuple and a descriptor");
  wide.run(tilec::launch(1), t.raw(), d);
}

// An element type of the program's own.
struct Half {
  std::uint16_t bits;
};
template <> struct tilec::dtype<Half> { static const tilec_dtype value = TILEC_FP16; };

// The operand of CUDA's 64-bit atomicAdd, which is not std::uint64_t on Linux.
static_assert(tilec::dtype<long long>::value == TILEC_I64 &&
                  tilec::dtype<unsigned long long>::value == TILEC_U64,
              "64 bits");

// A source that imports another one, both in memory, and an asynchronous copy by the function of C.
static void several_sources(const tilec::device &device) {
  tilec::program program = tilec::program::from_sources(
      {{"app/main.tile",
        "from twice import twice\n@kernel\n@grid(1)\ndef f(x, out):\n    store(out, twice(load(x)))\n"},
       {"app/twice.tile", "def twice(v):\n    return v + v\n"}});
  tilec::kernel f(device, program);
  tilec::stream stream(device);
  tilec::buffer x(device, sizeof(Half)), out(device, sizeof(Half));
  Half one = {0x3c00}, got = {0};
  tilec::check(tilec_buffer_write_async(x.get(), 0, &one, sizeof one, stream.get()));
  const Half *pointer = reinterpret_cast<const Half *>(x.address());
  f.run(tilec::launch().on(stream), pointer, out.as<Half>());
  tilec::check(tilec_buffer_read_async(out.get(), 0, &got, sizeof got, stream.get()));
  stream.synchronize();
  expect(got.bits == 0x4000, "two sources, and an element type of the program's own");
}

static void throws(const tilec::device &device) {
  try {
    tilec::kernel(device, tilec::program::from_source("bad.tile", "@kernel\ndef f(x:\n"));
    expect(false, "an exception");
  } catch (const tilec::error &e) {
    tilec_diagnostic first = TILEC_DIAGNOSTIC_INIT;
    expect(e.status() == TILEC_ERROR_COMPILE && std::strstr(e.what(), "bad.tile:2:") != nullptr, e.what());
    tilec::check(tilec_diagnostics_get(tilec_last_diagnostics(), 0, &first)); // the objects are gone
    expect(std::strcmp(first.file, "bad.tile") == 0 && first.line == 2 && first.code,
           "a diagnostic in the handler");
  }
}

// A program can use the parts of an error at run time: the argument, the element and the program, as fields.
static void reports(tilec::device &device) {
  const char *text = "@kernel\n@grid(1)\ndef far(x: *fp32, out: *fp32):\n    i = arange(0, 16)\n"
                     "    store(out + i, load(x + i))\n";
  tilec::kernel far(device, tilec::program::from_source("far.tile", text));
  tilec::buffer x(device, 10 * sizeof(float)), out(device, 16 * sizeof(float));
  float zeros[16] = {0};
  x.write(zeros, 10 * sizeof(float));
  out.write(zeros, sizeof zeros);
  bool thrown = false;
  try {
    far(x.as<float>(), out.as<float>());
    device.synchronize();
  } catch (const tilec::error &e) {
    tilec_diagnostic first = TILEC_DIAGNOSTIC_INIT, old = {};
    old.size = offsetof(tilec_diagnostic, kind); // of a program with an older header
    tilec::check(tilec_diagnostics_get(tilec_last_diagnostics(), 0, &first));
    tilec::check(tilec_diagnostics_get(tilec_last_diagnostics(), 0, &old));
    expect(first.kind && std::strcmp(first.kind, "out of bounds") == 0, e.what());
    expect(first.buffer && std::strcmp(first.buffer, "x") == 0 && first.index == 10, e.what());
    expect(first.program[0] == 0 && first.access == nullptr, e.what());
    bool evaluated = std::strcmp(device.name(), "eval") == 0;
    expect(first.element_rank == (evaluated ? 1u : 0u) && first.element[0] == (evaluated ? 10u : 0u),
           e.what());
    expect(std::strcmp(old.text, first.text) == 0 && old.kind == nullptr, "an older header");
    thrown = true;
  }
  expect(thrown, "an access out of bounds throws");
}

// Constexprs of each type, and a pointer of the kernel's device.
static void options_and_pointers(const tilec::device &device) {
  const char *text = "@kernel\n@grid(1)\ndef g(out):\n    store(out, 1)\n"
                     "@kernel\n@grid(1)\ndef f(out, n, A: constexpr, B: constexpr, C: constexpr, D: "
                     "constexpr, E: constexpr, F: constexpr):\n"
                     "    if B and C == 'x' and E == 0.1 and F == 2.0 and F / 4 == 0.5:\n"
                     "        store(out, A * D[1] + n)\n";
  tilec::program program = tilec::program::from_source("options.tile", text);
  tilec::options how("f");
  how.define("A", 3u)
      .define("B", true)
      .define("C", std::string("'x'"))
      .define("D", "(1, 2)")
      .define("E", 0.1)
      .define("F", 2.0f);
  how.raw().num_warps = 1;
  tilec::options copy = how; // it has its own texts
  how = tilec::options();
  tilec::kernel f(device, program, copy);
  tilec::buffer out(device, sizeof(std::int32_t));
  std::int32_t got = 0;
  f(out.as<std::int32_t>(), 4);
  out.read(&got, sizeof got);
  expect(got == 10, "constexprs of tilec::options");
  f(reinterpret_cast<const std::int32_t *>(out.address()), 5);
  out.read(&got, sizeof got);
  expect(got == 11, "a pointer as an argument");
  f(tilec::buffer::wrap(device, &got, sizeof got).as<std::int32_t>(), 6);
  expect(got == 12, "memory of the host as a buffer");
  copy.raw().signature = "out=*i32,n=i32";
  expect(tilec::compiled(program, copy).output().find(".reqntid 32") != std::string::npos,
         "num_warps of tilec::options");
}

// A struct by value of PTX: a tuple of values of the members' types.
static void structs(const tilec::device &device) {
  static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                             ".visible .entry put(.param .align 8 .b8 s[24])\n"
                             "{\n.reg .b64 %rd<4>;\nld.param.b64 %rd1, [s];\nld.param.b64 %rd2, [s+8];\n"
                             "ld.param.b64 %rd3, [s+16];\nst.global.b64 [%rd1], %rd2;\n"
                             "st.global.b64 [%rd1+8], %rd3;\nret;\n}\n";
  struct {
    std::int16_t n;
    float factor;
    std::int64_t big;
  } got, wanted = {-7, 2.5f, 1};
  tilec::kernel put = tilec::kernel::from_image(device, "put", text, TILEC_IMAGE_OPTIONS_INIT);
  tilec::buffer out(device, sizeof got);
  put.run(tilec::launch(1), tilec::tuple(out.as<std::int64_t>(), wanted.n, wanted.factor, wanted.big));
  out.read(&got, sizeof got);
  expect(got.n == wanted.n && got.factor == wanted.factor && got.big == wanted.big,
         "a struct by value of PTX");
  bool refused = false;
  try {
    put.run(tilec::launch(1), tilec::tuple(out.as<std::int64_t>(), 7, 2.5, 1));
  } catch (const tilec::error &e) {
    tilec_diagnostic first = TILEC_DIAGNOSTIC_INIT;
    refused = std::strstr(e.what(), "and the tuple has 32 as a struct of C") != nullptr &&
              tilec_diagnostics_get(tilec_last_diagnostics(), 0, &first) == TILEC_OK && !first.file;
  }
  expect(refused, "a struct of another size");
}

static void compiles(const tilec::device &device) {
  tilec_compile_options options = TILEC_COMPILE_OPTIONS_INIT;
  options.signature = "x=*fp32,out=*fp32,n=i32,factor=fp32,flag=i1,bias=None,wide=u64";
  tilec::compiled made(tilec::program::from_source("mix.tile", source), options);
  expect(made.output().find(".entry mix") != std::string::npos && made.log()[0] == 0, "PTX");
  if (std::strcmp(device.name(), "sim") != 0) return;
  tilec_image_options image = TILEC_IMAGE_OPTIONS_INIT;
  image.threads[0] = 128;
  tilec::kernel mix = tilec::kernel::from_image(device, "mix", made.output(), image);
  expect(tilec_kernel_param_count(mix.get()) == 7, "parameters of PTX");
  structs(device);
}

int main(int argc, char **argv) {
  expect(argc == 2, "usage: abi_cpp DEVICE");
  try {
    tilec::device device(argv[1]);
    launches(device);
    wide_launches(device);
    several_sources(device);
    throws(device);
    reports(device);
    options_and_pointers(device);
    compiles(device);
    device.synchronize();
  } catch (const tilec::error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  std::puts("good");
  return 0;
}
