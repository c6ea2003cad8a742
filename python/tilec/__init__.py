# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec: block programs (Triton-like kernels) in Python, on a GPU or, without one, on a simulator of it.

    import numpy as np
    import tilec
    import tilec.language as tl

    @tilec.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

    x = np.arange(1000, dtype=np.float32)
    out = np.empty_like(x)
    add[lambda meta: (tilec.cdiv(1000, meta["BLOCK"]),)](x, x, out, 1000, BLOCK=256)
"""

from __future__ import annotations

import os as _os

from . import _arrays, _compiled, _devices, _errors, _jit, _native, _own, language
from ._autotune import Autotuner, Config, Heuristics, autotune, do_bench, heuristics
from ._compiled import CompiledKernel
from ._constexpr import cdiv, constexpr_function, next_power_of_2
from ._devices import device, get_device, set_device, synchronize
from ._elsewhere import get_check, set_check
from ._errors import (
    ArgumentError,
    CompilationError,
    DeviceError,
    Diagnostic,
    DriverError,
    InternalError,
    LaunchError,
    OutOfResources,
    TilecError,
    TilecWarning,
)
from ._jit import JITFunction, MockTensor, jit, set_launch_hooks
from ._ranks import Symmetric, launch_ranks, symmetric
from ._tune import Progress, Tried, Tuned, tune
from ._values import ConstexprFunction
from .language import constexpr

__all__ = [
    "ArgumentError", "Autotuner", "CompilationError", "CompiledKernel", "Config", "ConstexprFunction", "Device", "DeviceError",
    "Diagnostic", "DriverError", "Heuristics", "InternalError", "JITFunction", "LaunchError", "MockTensor", "OutOfResources",
    "Progress", "Symmetric", "TilecError", "TilecWarning", "Tried", "Tuned", "autotune", "cdiv", "constexpr", "constexpr_function", "device",
    "do_bench", "get_check", "get_device", "heuristics", "jit", "language", "launch_ranks", "next_power_of_2", "set_check", "set_device",
    "set_launch_hooks", "symmetric", "synchronize", "tune",
]

for _public in (
    ArgumentError, CompilationError, DeviceError, DriverError, InternalError, LaunchError, OutOfResources, TilecError, TilecWarning,
):
    _public.__module__ = __name__  # so that tracebacks show the name that a program catches

__version__ = _native.version
Device = _native.Device

_native.setup(
    handle=CompiledKernel,
    classify=_arrays.classify,
    dtype_of=_arrays.dtype_of,
    freeze=_jit.freeze,
    failed=_errors.failed,
    warned=_errors.warned,
    choose=_devices.choose,
    stream_of=_devices.stream_of,
    launched_with=_arrays.launched_with,
    constant=_arrays.constant_text,
)

_own.watch()

if _os.environ.get("TILEC_DEVICE"):
    set_device(_os.environ["TILEC_DEVICE"])
if _errors.setting("TILEC_CHECK", "0", "1") == "1":
    set_check(True)
