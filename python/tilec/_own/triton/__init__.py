# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec's own `triton`: what programs import from Triton, where it is not installed. Kernels are tilec's."""

from __future__ import annotations

import sys
from typing import Any

from tilec import language
from tilec._own import getattr_of
from tilec.tools import tensor_descriptor

__version__ = "3.9.0+tilec"  # the Triton that it replaces


def _same(name: str, module: Any) -> Any:
    """Makes a module of tilec's, and those in it, known under Triton's name."""
    own = module.__name__
    for known, each in list(sys.modules.items()):
        if known == own or known.startswith(own + "."):
            sys.modules[name + known[len(own) :]] = each
    return module


language = _same("triton.language", language)
sys.modules["triton.language.extra.cuda.libdevice"] = language.extra.libdevice
language.dtype._module = "triton.language"
language.__getattr__ = getattr_of("triton.language")
_same("triton.tools.tensor_descriptor", tensor_descriptor)

from tilec import Config, autotune, cdiv, heuristics, next_power_of_2  # noqa: E402

from . import knobs  # noqa: E402
from .errors import TritonError  # noqa: E402
from .runtime import InterpreterError, JITFunction, KernelInterface, MockTensor, OutOfResources, TensorWrapper, reinterpret  # noqa: E402
from .runtime._allocation import set_allocator  # noqa: E402
from .runtime.jit import constexpr_function, jit  # noqa: E402
from .compiler import CompilationError, compile  # noqa: E402
from . import backends, testing, tools  # noqa: E402

tools.tensor_descriptor = tensor_descriptor
aggregate = language.core._aggregate
must_use_result = language.core.must_use_result

__all__ = [
    "CompilationError", "Config", "InterpreterError", "JITFunction", "KernelInterface", "MockTensor", "OutOfResources", "TensorWrapper",
    "TritonError", "aggregate", "autotune", "backends", "cdiv", "compile", "constexpr_function", "heuristics", "jit", "knobs", "language",
    "must_use_result", "next_power_of_2", "reinterpret", "runtime", "set_allocator", "testing", "tools",
]  # fmt: skip

__getattr__ = getattr_of(__name__)
