# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec's public C interface (tilec.h) through ctypes: as much of it as the benchmarks use."""
import ctypes as c
import json
import os

DTYPES = ["i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp8e4nv", "fp8e5", "fp16", "bf16", "fp32", "fp64"]
STATUS_INTERNAL = 70
OUTPUT_PTX, OUTPUT_META, OUTPUT_CUBIN = 0, 3, 4
POINTER, INT, FLOAT = 1, 2, 3
TMA_AUTO, TMA_ON = 0, 1


class Error(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class CompileOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("kernel", c.c_char_p), ("signature", c.c_char_p),
                ("defines", c.POINTER(c.c_char_p)), ("define_count", c.c_size_t), ("arch", c.c_char_p),
                ("num_warps", c.c_int), ("num_stages", c.c_int), ("maxnreg", c.c_int), ("fp32_dot", c.c_int),
                ("no_fp_contract", c.c_int), ("no_optimize", c.c_int), ("debug", c.c_int), ("remarks", c.c_int), ("overlap", c.c_int),
                ("log", c.c_void_p), ("log_data", c.c_void_p), ("fast_math", c.c_int), ("restrict_pointers", c.c_int), ("tma", c.c_int)]


class Value(c.Union):
    _fields_ = [("address", c.c_uint64), ("i", c.c_int64), ("f", c.c_double)]


class Arg(c.Structure):
    _fields_ = [("kind", c.c_int), ("dtype", c.c_int), ("value", Value)]


class LaunchOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("grid", c.c_int64 * 3), ("stream", c.c_void_p)]


def find_library():
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.environ.get("TILEC_LIBRARY"), f"{here}/../libtilec.so.0", f"{here}/../build/release/libtilec.so.0"):
        if path and os.path.exists(path):
            return path
    raise SystemExit("bench: no libtilec.so: build it (./dev build), or name it in TILEC_LIBRARY")


class Name(str):
    """A constexpr that is no string: fp32."""


def literal(value):
    return json.dumps(value) if isinstance(value, str) and not isinstance(value, Name) else str(value)


class Library:
    """libtilec.so, of this build or at `path`; several builds may be loaded at the same time."""

    def __init__(self, path=None):
        os.environ.setdefault("TILEC_CACHE", "off")  # what is measured is compiled here
        self.c = c.CDLL(path or find_library(), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        self.c.tilec_version.restype = self.c.tilec_last_error.restype = c.c_char_p
        self.c.tilec_buffer_address.restype = c.c_uint64
        self.programs = {}

    def version(self):
        return self.c.tilec_version().decode()

    def check(self, status):
        if status:
            raise Error(status, self.c.tilec_last_error().decode(errors="replace").strip())

    def program(self, path):
        if path not in self.programs:
            program = c.c_void_p()
            self.check(self.c.tilec_program_from_file(path.encode(), c.byref(program)))
            self.programs[path] = program
        return self.programs[path]

    def options(self, function, defines, num_warps, num_stages, overlap, signature=None, arch=None):
        texts = [f"{name}={literal(value)}".encode() for name, value in defines.items()]
        options = CompileOptions(size=c.sizeof(CompileOptions), kernel=function.encode(), num_warps=num_warps,
                                 num_stages=num_stages, define_count=len(texts), overlap=overlap)
        options.defines = (c.c_char_p * max(1, len(texts)))(*texts)
        options.signature = signature.encode() if signature else None
        options.arch = arch.encode() if arch else None
        return options

    def compile(self, path, function, signature, defines, num_warps, num_stages, arch, output=OUTPUT_PTX, overlap=False, tma=TMA_AUTO):
        """The PTX, or the bytes of another output, compiled offline."""
        options = self.options(function, defines, num_warps, num_stages, overlap, signature, arch)
        options.tma = tma
        compiled, text, size = c.c_void_p(), c.c_void_p(), c.c_size_t()
        self.check(self.c.tilec_compile(self.program(path), c.byref(options), c.byref(compiled)))
        try:
            self.check(self.c.tilec_compiled_output(compiled, output, c.byref(text), c.byref(size)))
            made = c.string_at(text, size.value)
            return made if output == OUTPUT_CUBIN else made.decode()
        finally:
            self.c.tilec_compiled_free(compiled)


class Device:
    """A device on the caller's context; launches go to the stream that `stream` names (a CUstream)."""

    def __init__(self, library, name):
        self.library, self.handle, self.streams, self.wrapped = library, c.c_void_p(), {}, {}
        self.is_cuda = name.startswith("cuda")
        library.check(library.c.tilec_device_open(name.encode(), c.byref(self.handle)))

    def stream(self, cu_stream):
        if not cu_stream:
            return None
        if cu_stream not in self.streams:
            stream = c.c_void_p()
            self.library.check(self.library.c.tilec_stream_wrap(self.handle, c.c_void_p(cu_stream), c.byref(stream)))
            self.streams[cu_stream] = stream
        return self.streams[cu_stream]

    def address(self, tensor):
        """Where the device sees the tensor's memory: on cuda where it is."""
        at, size = tensor.data_ptr(), tensor.numel() * tensor.element_size()
        if self.is_cuda:
            return at
        if at not in self.wrapped:
            buffer = c.c_void_p()
            self.library.check(self.library.c.tilec_buffer_wrap(self.handle, c.c_uint64(at), c.c_size_t(size),
                                                                c.byref(buffer)))
            self.wrapped[at] = buffer
        return self.library.c.tilec_buffer_address(self.wrapped[at])

    def forget_buffers(self):
        for buffer in self.wrapped.values():
            self.library.c.tilec_buffer_free(buffer)
        self.wrapped = {}

    def kernel(self, path, function, defines, num_warps, num_stages, overlap=False):
        options, kernel = self.library.options(function, defines, num_warps, num_stages, overlap), c.c_void_p()
        self.library.check(self.library.c.tilec_kernel_new(self.handle, self.library.program(path), c.byref(options),
                                                           c.byref(kernel)))
        return Kernel(self, kernel)

    def args(self, values):
        """values: numbers, or (dtype, tensor)."""
        args = (Arg * max(1, len(values)))()
        for arg, value in zip(args, values):
            if isinstance(value, tuple):
                arg.kind, arg.dtype, arg.value.address = POINTER, DTYPES.index(value[0]), self.address(value[1])
            elif isinstance(value, float):
                arg.kind, arg.value.f = FLOAT, value
            else:
                arg.kind, arg.value.i = INT, value
        return args, len(values)


class Kernel:
    def __init__(self, device, handle):
        self.device, self.handle = device, handle

    def launch(self, grid, args, cu_stream):
        options = LaunchOptions(size=c.sizeof(LaunchOptions), stream=self.device.stream(cu_stream))
        options.grid[:] = (tuple(grid) + (1, 1))[:3]
        library = self.device.library
        library.check(library.c.tilec_launch(self.handle, c.byref(options), args[0], c.c_size_t(args[1])))

    def free(self):
        self.device.library.c.tilec_kernel_free(self.handle)
