# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec's kernels in functions of JAX, by its foreign function interface: on a GPU, or on the simulator where JAX runs on the
CPU. libjax_tilec.so is made from jax_tilec.cpp, and lies next to this file."""

import ctypes
import pathlib

import jax
import numpy as np

_library = ctypes.CDLL(str(pathlib.Path(__file__).with_name("libjax_tilec.so")))
for _platform, _handler in (("cpu", _library.tilec_cpu), ("CUDA", _library.tilec_cuda)):
    jax.ffi.register_ffi_target("tilec", jax.ffi.pycapsule(_handler), platform=_platform)

OUT = object()


def call(file, kernel, grid, results, *args, **constexprs):
    """Launches a kernel of a file. `results` are the jax.ShapeDtypeStructs of its outputs, or one. `args` are its arguments in order:
    arrays, ints, and OUT for each output."""
    kinds = ["o" if arg is OUT else "n" if isinstance(arg, (int, np.integer)) else "i" for arg in args]
    return jax.ffi.ffi_call("tilec", results, vmap_method="sequential")(
        *(arg for arg, kind in zip(args, kinds) if kind == "i"),
        file=str(file),
        kernel=kernel,
        defines="".join(f"{name}={value!r}\n" for name, value in constexprs.items()),
        order="".join(kinds),
        numbers=np.array([arg for arg, kind in zip(args, kinds) if kind == "n"], np.int64),
        grid=np.array((*grid, 1, 1)[:3], np.int64),
    )
