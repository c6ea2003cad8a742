// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec.h for C++11 and newer: owning handles, errors as exceptions, arguments from values.
//
// ```
//   tilec::device device;                                  // a GPU if there is one, else the simulator
//   tilec::program program = tilec::program::from_file("add.tile");
//   tilec::kernel add(device, program);
//   tilec::buffer x(device, n * sizeof(float)), out(device, n * sizeof(float));
//   x.write(host.data(), n * sizeof(float));
//   add(x.as<float>(), x.as<float>(), out.as<float>(), n); // by @grid, on the default stream
//   out.read(host.data(), n * sizeof(float)); // waits for the launch
// ```
//
// Each class owns one handle and releases it in its destructor. It can be moved, not copied. get() returns
// the handle, for functions that are missing here. A moved-from object holds NULL.
//
// Threads. As in C: threads may use different objects at the same time, and several threads may launch one kernel.
//          Other objects are used by one thread at a time.
// Streams. A launch without a stream uses CUDA's legacy default stream, even if the program is compiled with the
//          per-thread one. stream::wrap takes any cudaStream_t, such as cudaStreamPerThread.
// Graphs.  A CUDA graph captures launches. Call kernel::prepare before the capture begins: a first launch compiles, and
//          loads code into the driver.
#ifndef TILEC_TILEC_HPP
#define TILEC_TILEC_HPP

#include <tilec/tilec.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilec {

// The message of tilec_last_error(). The handler can read the code, file and line, too, which are NULL or 0 if the error
// is not about a source. A report of a launch also has the kind of mistake, the argument and its element:
// ```
//   tilec_diagnostic first = TILEC_DIAGNOSTIC_INIT;
//   tilec_diagnostics_get(tilec_last_diagnostics(), 0, &first);
//
//   if (first.file && first.code) std::cerr << first.file << ':' << first.line << ' ' << first.code << '\n';
//   if (first.kind && first.buffer) std::cerr << first.kind << ": " << first.buffer << '[' << first.index << "]\n";
// ```
class error : public std::runtime_error {
public:
  explicit error(tilec_status status)
      : std::runtime_error(tilec_last_error()), status_(status) {
  } // takes the message of this thread's last failed call
  tilec_status status() const noexcept { return status_; } // the status of the failed call

private:
  tilec_status status_;
};

// Throws an error if the status is not TILEC_OK. For calls of the C functions.
inline void check(tilec_status status) {
  if (status != TILEC_OK) throw error(status);
}

namespace detail {
template <typename T, void (*Release)(T *)> struct releases {
  void operator()(T *handle) const noexcept { Release(handle); }
};

template <typename T, void (*Release)(T *)> class handle {
public:
  T *get() const noexcept { return held_.get(); }

protected:
  handle() = default;
  explicit handle(T *held) : held_(held) {}
  std::unique_ptr<T, releases<T, Release>> held_;
};

// The type of a struct's member.
inline tilec_arg typed(tilec_arg given, tilec_dtype type) {
  given.dtype = type;
  return given;
}
} // namespace detail

// The element type of a C++ type: bool, integers of 8 to 64 bits, float and double. Other types are given as
// `tilec_dtype` values (TILEC_BF16 ...). Or specialise it: then buffer::as and pointer arguments take your type.
//   template <> struct tilec::dtype<__half> { static const tilec_dtype value = TILEC_FP16; };
template <typename T> struct dtype;
template <> struct dtype<bool> { static const tilec_dtype value = TILEC_I1; };
template <> struct dtype<std::int8_t> { static const tilec_dtype value = TILEC_I8; };
template <> struct dtype<std::int16_t> { static const tilec_dtype value = TILEC_I16; };
template <> struct dtype<std::int32_t> { static const tilec_dtype value = TILEC_I32; };
template <> struct dtype<std::int64_t> { static const tilec_dtype value = TILEC_I64; };
template <> struct dtype<std::uint8_t> { static const tilec_dtype value = TILEC_U8; };
template <> struct dtype<std::uint16_t> { static const tilec_dtype value = TILEC_U16; };
template <> struct dtype<std::uint32_t> { static const tilec_dtype value = TILEC_U32; };
template <> struct dtype<std::uint64_t> { static const tilec_dtype value = TILEC_U64; };
template <> struct dtype<long long> { static const tilec_dtype value = TILEC_I64; }; // int64_t is `long`
template <> struct dtype<unsigned long long> {
  static const tilec_dtype value = TILEC_U64;
}; // the type of atomicAdd
template <> struct dtype<float> { static const tilec_dtype value = TILEC_FP32; };
template <> struct dtype<double> { static const tilec_dtype value = TILEC_FP64; };

// A GPU, the simulator or the evaluator. No name: a GPU if there is one, else the simulator.
class device : public detail::handle<tilec_device, tilec_device_close> {
public:
  explicit device(const char *name = nullptr) {
    tilec_device *made;
    check(tilec_device_open(name, &made));
    held_.reset(made);
  }
  static device from_context(void *cu_context) {
    tilec_device *made;
    check(tilec_device_from_context(cu_context, &made));
    return device(made);
  }
  const char *name() const noexcept { return tilec_device_name(get()); }
  const char *arch() const noexcept { return tilec_device_arch(get()); }
  void synchronize() { check(tilec_device_synchronize(get())); }

private:
  explicit device(tilec_device *made) : handle(made) {}
};

class event;

// Work on one stream runs in order.
class stream : public detail::handle<tilec_stream, tilec_stream_free> {
public:
  explicit stream(const device &on) {
    tilec_stream *made;
    check(tilec_stream_new(on.get(), &made));
    held_.reset(made);
  }
  static stream wrap(const device &on, void *cu_stream) {
    tilec_stream *made;
    check(tilec_stream_wrap(on.get(), cu_stream, &made));
    return stream(made);
  }
  void synchronize() { check(tilec_stream_synchronize(get())); }
  inline void wait(const event &until); // later work on the stream waits for the event

private:
  explicit stream(tilec_stream *made) : handle(made) {}
};

// A point in a stream's work.
class event : public detail::handle<tilec_event, tilec_event_free> {
public:
  explicit event(const device &on) {
    tilec_event *made;
    check(tilec_event_new(on.get(), &made));
    held_.reset(made);
  }
  void record() { check(tilec_event_record(get(), nullptr)); } // on the default stream
  void record(const stream &on) { check(tilec_event_record(get(), on.get())); }
  void synchronize() { check(tilec_event_synchronize(get())); }
  double seconds_since(const event &start) const {
    double seconds;
    check(tilec_event_elapsed(start.get(), get(), &seconds));
    return seconds;
  }
};

inline void stream::wait(const event &until) { check(tilec_stream_wait(get(), until.get())); }

// Memory of a device. Sizes and offsets are in bytes. Asynchronous copies are functions of C:
//   tilec::check(tilec_buffer_write_async(x.get(), 0, host, bytes, stream.get()));
class buffer : public detail::handle<tilec_buffer, tilec_buffer_free> {
public:
  buffer(const device &on, std::size_t bytes) {
    tilec_buffer *made;
    check(tilec_buffer_new(on.get(), bytes, &made));
    held_.reset(made);
  }
  static buffer wrap(const device &on, std::uint64_t address, std::size_t bytes) {
    tilec_buffer *made;
    check(tilec_buffer_wrap(on.get(), address, bytes, &made));
    return buffer(made);
  }
  // The caller's memory, used in place: of the host on the simulator, of cudaMalloc on a GPU.
  static buffer wrap(const device &on, void *memory, std::size_t bytes) {
    return wrap(on, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory)), bytes);
  }
  std::uint64_t address() const noexcept { return tilec_buffer_address(get()); }
  std::size_t bytes() const noexcept { return tilec_buffer_bytes(get()); }
  // Copies from host memory, and returns when the copy is done.
  void write(const void *from, std::size_t bytes, std::size_t offset = 0) {
    check(tilec_buffer_write(get(), offset, from, bytes));
  }
  // Copies to host memory, and returns when the copy is done.
  void read(void *to, std::size_t bytes, std::size_t offset = 0) const {
    check(tilec_buffer_read(get(), offset, to, bytes));
  }
  void fill(std::uint8_t byte) { check(tilec_buffer_fill(get(), byte)); }

  // An argument that points to the buffer's start, or to one of its elements.
  template <typename T> tilec_arg as(std::size_t element = 0) const {
    return tilec_arg_pointer(dtype<T>::value, address() + element * sizeof(T));
  }
  tilec_arg as(tilec_dtype pointee) const { return tilec_arg_pointer(pointee, address()); }

private:
  explicit buffer(tilec_buffer *made) : handle(made) {}
};

// The parsed source text of one file, or of several in memory.
class program : public detail::handle<tilec_program, tilec_program_free> {
public:
  static program from_file(const std::string &path) {
    tilec_program *made;
    check(tilec_program_from_file(path.c_str(), &made));
    return program(made);
  }
  static program from_source(const std::string &name, const std::string &text) {
    tilec_program *made;
    check(tilec_program_from_source(name.c_str(), text.data(), text.size(), &made));
    return program(made);
  }
  // Pairs of a name and source code, in memory. The first one's imports are looked up among the others, by name.
  static program from_sources(const std::vector<std::pair<std::string, std::string>> &files) {
    std::vector<tilec_source> sources;
    for (const auto &file : files)
      sources.push_back({file.first.c_str(), file.second.data(), file.second.size()});
    tilec_program *made;
    check(tilec_program_from_sources(sources.data(), sources.size(), &made));
    return program(made);
  }

private:
  explicit program(tilec_program *made) : handle(made) {}
};

// The options of a kernel: `options().define("BLOCK", 256).define("ACT", "relu")`. It keeps its strings, so that no array
// has to outlive a call.
class options {
public:
  options() = default;                                             // for the file's only kernel
  explicit options(const std::string &kernel) : kernel_(kernel) {} // the kernel of a file with several
  // A constexpr from a Python literal or a function's name, as in -D: "(1, 2)", "fp16", "'acq_rel'".
  options &define(const std::string &name, const std::string &literal) {
    defines_.push_back(name + "=" + literal);
    return *this;
  }
  // The same.
  options &define(const std::string &name, const char *literal) { return define(name, std::string(literal)); }
  // A constexpr from an integer, or from True or False.
  template <typename T>
  typename std::enable_if<std::is_integral<T>::value, options &>::type define(const std::string &name,
                                                                              T value) {
    if (std::is_same<T, bool>::value) return define(name, value ? "True" : "False");
    return define(name, std::to_string(value));
  }
  // A constexpr from a finite number.
  template <typename T>
  typename std::enable_if<std::is_floating_point<T>::value, options &>::type define(const std::string &name,
                                                                                    T value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17e", static_cast<double>(value));
    return define(name, text);
  }
  // The members of tilec_compile_options: how.raw().num_warps = 8. Strings in it are valid until the next define().
  tilec_compile_options &raw() {
    texts_.clear();
    for (const std::string &text : defines_) texts_.push_back(text.c_str());
    if (!kernel_.empty()) raw_.kernel = kernel_.c_str();
    if (!texts_.empty()) raw_.defines = texts_.data();
    if (!texts_.empty()) raw_.define_count = texts_.size();
    return raw_;
  }

private:
  tilec_compile_options raw_ = TILEC_COMPILE_OPTIONS_INIT;
  std::string kernel_;
  std::vector<std::string> defines_;
  std::vector<const char *> texts_;
};

// One kernel compiled offline.
class compiled : public detail::handle<tilec_compiled, tilec_compiled_free> {
public:
  compiled(const program &of, const tilec_compile_options &how) {
    tilec_compiled *made;
    check(tilec_compile(of.get(), &how, &made));
    held_.reset(made);
  }
  compiled(const program &of, options how) : compiled(of, how.raw()) {} // with constexprs
  std::string output(tilec_output kind = TILEC_OUTPUT_PTX) const {
    const char *text;
    std::size_t bytes;
    check(tilec_compiled_output(get(), kind, &text, &bytes));
    return std::string(text, bytes);
  }
  const char *log() const noexcept { return tilec_compiled_log(get()); }
};

// Arguments from values: numbers, bools, nullptr for None, any tilec_arg, and pointers to memory of the device, such as
// cudaMalloc's `float *`. The pointee's type is that of the elements. For others, such as `half *`, specialise dtype. Or
// give `tilec_arg_pointer(TILEC_FP16, reinterpret_cast<uint64_t>(p))`, as for `void *`. On the simulator, pass a buffer.
inline tilec_arg arg(const tilec_arg &given) { return given; }
inline tilec_arg arg(std::nullptr_t) { return tilec_arg_none(); }
inline tilec_arg arg(bool given) { return tilec_arg_bool(given); }
template <typename T, tilec_dtype Type = dtype<T>::value> tilec_arg arg(const T *given) {
  return tilec_arg_pointer(Type, reinterpret_cast<std::uintptr_t>(given));
}
tilec_arg arg(const volatile void *given) = delete;
template <typename T>
typename std::enable_if<std::is_floating_point<T>::value, tilec_arg>::type arg(T given) {
  return detail::typed(tilec_arg_float(static_cast<double>(given)), sizeof(T) == 4 ? TILEC_FP32 : TILEC_FP64);
}
template <typename T>
typename std::enable_if<std::is_integral<T>::value && std::is_signed<T>::value, tilec_arg>::type
arg(T given) {
  return detail::typed(tilec_arg_int(static_cast<std::int64_t>(given)), sizeof(T) == 1   ? TILEC_I8
                                                                        : sizeof(T) == 2 ? TILEC_I16
                                                                        : sizeof(T) == 4 ? TILEC_I32
                                                                                         : TILEC_I64);
}
template <typename T>
typename std::enable_if<std::is_integral<T>::value && std::is_unsigned<T>::value, tilec_arg>::type
arg(T given) {
  return detail::typed(tilec_arg_uint(static_cast<std::uint64_t>(given)), sizeof(T) == 1   ? TILEC_U8
                                                                          : sizeof(T) == 2 ? TILEC_U16
                                                                          : sizeof(T) == 4 ? TILEC_U32
                                                                                           : TILEC_U64);
}

// Tensor descriptors and tuples must stay valid until the launching call returns.
inline tilec_arg arg(const tilec_tuple &given) { return tilec_arg_tuple(&given); }
inline tilec_arg arg(const tilec_descriptor &given) { return tilec_arg_descriptor(&given); }

// A tuple that keeps its items: `tuple(x.as<float>(), n, 2.5)`. A nested tuple must outlive the outer one.
class tuple {
public:
  // Each argument is one item, as for arg().
  template <typename... Args> explicit tuple(const Args &...args) : items_{arg(args)..., tilec_arg_none()} {
    raw_.items = items_.data();
    raw_.count = sizeof...(args);
  }
  tuple(const tuple &) = delete;            // it points to itself
  tuple &operator=(const tuple &) = delete; // likewise
  // Names for a named tuple, one per item. The strings must outlive it.
  tuple &names(std::initializer_list<const char *> names) {
    if (names.size() != raw_.count)
      throw std::invalid_argument("tilec::tuple: each item has a name, or none has");
    names_.assign(names);
    raw_.names = names_.data();
    return *this;
  }
  const tilec_tuple &raw() const noexcept { return raw_; } // for C, valid as long as this object

private:
  tilec_tuple raw_ = TILEC_TUPLE_INIT;
  std::vector<tilec_arg> items_;
  std::vector<const char *> names_;
};

inline tilec_arg arg(const tuple &given) { return tilec_arg_tuple(&given.raw()); }

// The grid and stream of a launch: `launch(8, 4).on(stream)`. `launch()` is the kernel's @grid. A kernel of a .py file has
// none: give the number of programs.
class launch {
public:
  launch() : options_(TILEC_LAUNCH_OPTIONS_INIT) {} // the kernel's @grid on the default stream
  // x * y * z programs.
  explicit launch(std::int64_t x, std::int64_t y = 1, std::int64_t z = 1) : launch() {
    options_.grid[0] = x;
    options_.grid[1] = y;
    options_.grid[2] = z;
  }
  // Selects the stream, and returns this object.
  launch &on(const stream &stream_) {
    options_.stream = stream_.get();
    return *this;
  }
  tilec_launch_options &options() noexcept { return options_; } // limits, checks and the print callback
  const tilec_launch_options &options() const noexcept { return options_; } // likewise

private:
  tilec_launch_options options_;
};

// A kernel of a program on a device. It is compiled at the first launch with arguments of certain types and facts.
class kernel : public detail::handle<tilec_kernel, tilec_kernel_free> {
public:
  kernel(const device &on, const program &of) { make(on, of, nullptr); } // the program's only kernel
  // The kernel that the options name.
  kernel(const device &on, const program &of, const tilec_compile_options &how) { make(on, of, &how); }
  kernel(const device &on, const program &of, options how) { make(on, of, &how.raw()); } // with constexprs
  static kernel from_image(const device &on, const std::string &name, const std::string &image,
                           const tilec_image_options &how) {
    tilec_kernel *made;
    check(tilec_kernel_from_image(on.get(), name.c_str(), image.data(), image.size(), &how, &made));
    return kernel(made);
  }

  // Launches on the kernel's @grid and the default stream.
  template <typename... Args> void operator()(const Args &...args) const { run(launch(), args...); }
  template <typename... Args> void run(const launch &how, const Args &...args) const {
    const tilec_arg list[] = {arg(args)..., tilec_arg_none()}; // one more: an array cannot have length 0
    check(tilec_launch(get(), &how.options(), list, sizeof...(args)));
  }
  // Compiles for arguments of these types and facts.
  template <typename... Args> void prepare(const Args &...args) const {
    const tilec_arg list[] = {arg(args)..., tilec_arg_none()};
    check(tilec_kernel_prepare(get(), list, sizeof...(args)));
  }
  // Reads the resources of the code for such arguments, compiled if necessary. -1: the device does not report it, as
  // registers, local_bytes and blocks on the simulator.
  template <typename... Args> tilec_kernel_attributes attributes(const Args &...args) const {
    const tilec_arg list[] = {arg(args)..., tilec_arg_none()};
    tilec_kernel_attributes found = TILEC_KERNEL_ATTRIBUTES_INIT;
    check(tilec_kernel_get_attributes(get(), list, sizeof...(args), &found));
    return found;
  }

private:
  explicit kernel(tilec_kernel *made) : handle(made) {}
  void make(const device &on, const program &of, const tilec_compile_options *how) {
    tilec_kernel *made;
    check(tilec_kernel_new(on.get(), of.get(), how, &made));
    held_.reset(made);
  }
};

} // namespace tilec

#endif
