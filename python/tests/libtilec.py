# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libtilec by ctypes, for tests of what is given to it: TILEC_LIBRARY names the file."""

import ctypes as C
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Source(C.Structure):
    _fields_ = [("name", C.c_char_p), ("text", C.c_char_p), ("bytes", C.c_size_t)]


class Options(C.Structure):
    _fields_ = [("size", C.c_size_t), ("kernel", C.c_char_p), ("signature", C.c_char_p), ("defines", C.POINTER(C.c_char_p)),
                ("define_count", C.c_size_t)]


def find():
    names = [os.environ.get("TILEC_LIBRARY"), *(ROOT / "build" / p / "libtilec.so" for p in ("release", "dev"))]
    return next((str(name) for name in names if name and os.path.exists(name)), None)


class CompileError(Exception):
    pass


_library = None


def library():
    global _library
    if _library is None:
        _library = C.CDLL(find())
        _library.tilec_last_error.restype = C.c_char_p
    return _library


def sources(pairs):
    items = [(name.encode(), text.encode()) for name, text in pairs]
    return (Source * len(items))(*[Source(name, text, len(text)) for name, text in items])


def compile(captured, signature, output=1):
    """The tile IR (0: PTX) of what was captured. CompileError: the diagnostics."""
    lib, program, compiled = library(), C.c_void_p(), C.c_void_p()
    given, shown = sources(captured.sources), sources(captured.shown)
    if lib.tilec_program_from_shown_sources(given, shown, C.c_size_t(len(given)), C.byref(program)):
        raise CompileError(lib.tilec_last_error().decode())
    try:
        defines = (C.c_char_p * max(1, len(captured.defines)))(*[d.encode() for d in captured.defines])
        options = Options(C.sizeof(Options), captured.kernel.encode(), signature.encode(), defines, len(captured.defines))
        if lib.tilec_compile(program, C.byref(options), C.byref(compiled)):
            raise CompileError(lib.tilec_last_error().decode())
        text, size = C.c_char_p(), C.c_size_t()
        lib.tilec_compiled_output(compiled, output, C.byref(text), C.byref(size))
        result = text.value.decode()
        lib.tilec_compiled_free(compiled)
        return result
    finally:
        lib.tilec_program_free(program)
