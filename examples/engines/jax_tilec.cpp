// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers of XLA's foreign function interface that launch tilec's kernels. jax_tilec.py registers them. It gives the
// kernel, the grid, and `order`: what each parameter is. i: the next input. o: the next output. n: the next number.
//   c++ -std=c++17 -O2 -shared -fPIC jax_tilec.cpp -o libjax_tilec.so -ltilec
//     -I$(python -c 'import jax; print(jax.ffi.include_dir())')
#include <map>
#include <mutex>
#include <tilec/tilec.hpp>
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using Text = std::string_view;
using Numbers = ffi::Span<const int64_t>;

static tilec_dtype dtype_of(ffi::DataType type) {
  static const std::map<ffi::DataType, tilec_dtype> types = {
      {ffi::DataType::PRED, TILEC_I1},      {ffi::DataType::S8, TILEC_I8},
      {ffi::DataType::S16, TILEC_I16},      {ffi::DataType::S32, TILEC_I32},
      {ffi::DataType::S64, TILEC_I64},      {ffi::DataType::U8, TILEC_U8},
      {ffi::DataType::U16, TILEC_U16},      {ffi::DataType::U32, TILEC_U32},
      {ffi::DataType::U64, TILEC_U64},      {ffi::DataType::F16, TILEC_FP16},
      {ffi::DataType::BF16, TILEC_BF16},    {ffi::DataType::F32, TILEC_FP32},
      {ffi::DataType::F64, TILEC_FP64},     {ffi::DataType::F8E4M3FN, TILEC_FP8E4NV},
      {ffi::DataType::F8E5M2, TILEC_FP8E5},
  };
  const auto found = types.find(type);
  if (found == types.end()) throw std::invalid_argument("kernels have no pointers to an array of this type");
  return found->second;
}

// A device with its kernels. They are compiled at the first launch, and kept.
struct Engine {
  explicit Engine(const std::string &name) : device(name.c_str()) {}

  const tilec::kernel &kernel(Text file, Text name, Text defines) {
    const std::lock_guard<std::mutex> lock(mutex);
    const std::string key = std::string(file) + '\n' + std::string(name) + '\n' + std::string(defines);
    const auto found = kernels.find(key);
    if (found != kernels.end()) return found->second;
    tilec::options how{std::string(name)};
    for (size_t at = 0, end; at < defines.size(); at = end + 1) { // NAME=VALUE, each with a newline
      const Text line = defines.substr(at, (end = defines.find('\n', at)) - at);
      how.define(std::string(line.substr(0, line.find('='))), std::string(line.substr(line.find('=') + 1)));
    }
    const auto program = tilec::program::from_file(std::string(file).c_str());
    return kernels.emplace(key, tilec::kernel(device, program, how)).first->second;
  }

  tilec::device device;
  std::mutex mutex;
  std::map<std::string, tilec::kernel> kernels;
};

static Engine &engine(const std::string &name) {
  static std::mutex mutex;
  static std::map<std::string, Engine> engines;
  const std::lock_guard<std::mutex> lock(mutex);
  return engines.try_emplace(name, name).first->second;
}

static ffi::Error launch(const std::string &device, void *stream, ffi::RemainingArgs inputs,
                         ffi::RemainingRets outputs, Text file, Text kernel, Text defines, Text order,
                         Numbers numbers, Numbers grid) try {
  Engine &on = engine(device);
  size_t input = 0, output = 0, number = 0;
  std::vector<tilec::buffer> held;
  std::vector<tilec_arg> args;
  for (const char kind : order) {
    if (kind == 'n') {
      args.push_back(tilec_arg_int(numbers[number++]));
      continue;
    }
    const ffi::AnyBuffer array =
        kind == 'i' ? *inputs.get<ffi::AnyBuffer>(input++) : **outputs.get<ffi::AnyBuffer>(output++);
    held.push_back(tilec::buffer::wrap(on.device, array.untyped_data(), array.size_bytes()));
    args.push_back(held.back().as(dtype_of(array.element_type())));
  }
  tilec::launch how(grid[0], grid[1], grid[2]);
  std::vector<tilec::stream> streams;
  if (stream) how.on(streams.emplace_back(tilec::stream::wrap(on.device, stream)));
  tilec::check(
      tilec_launch(on.kernel(file, kernel, defines).get(), &how.options(), args.data(), args.size()));
  return ffi::Error::Success();
} catch (const std::exception &error) {
  return ffi::Error::Internal(error.what());
}

static ffi::Error on_cpu(ffi::RemainingArgs inputs, ffi::RemainingRets outputs, Text file, Text kernel,
                         Text defines, Text order, Numbers numbers, Numbers grid) {
  return launch("sim", nullptr, inputs, outputs, file, kernel, defines, order, numbers, grid);
}

static ffi::Error on_cuda(void *stream, int32_t ordinal, ffi::RemainingArgs inputs,
                          ffi::RemainingRets outputs, Text file, Text kernel, Text defines, Text order,
                          Numbers numbers, Numbers grid) {
  return launch("cuda:" + std::to_string(ordinal), stream, inputs, outputs, file, kernel, defines, order,
                numbers, grid);
}

template <typename Binding> static auto with_arguments(Binding &&binding) {
  return std::move(binding).RemainingArgs()
      .RemainingRets()
      .template Attr<Text>("file")
      .template Attr<Text>("kernel")
      .template Attr<Text>("defines")
      .template Attr<Text>("order")
      .template Attr<Numbers>("numbers")
      .template Attr<Numbers>("grid");
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(tilec_cpu, on_cpu, with_arguments(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    tilec_cuda, on_cuda,
    with_arguments(ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void *>>().Ctx<ffi::DeviceOrdinal>()));
