# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches, and what they need."""

from tilec._own import getattr_of

from tilec import Autotuner, Config, Heuristics, autotune, heuristics

from .driver import driver
from .errors import AutotunerError, InterpreterError, OutOfResources, PTXASError
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret

__all__ = [
    "Autotuner", "AutotunerError", "Config", "Heuristics", "InterpreterError", "JITFunction", "KernelInterface", "MockTensor", "OutOfResources",
    "PTXASError", "TensorWrapper", "autotune", "driver", "heuristics", "reinterpret",
]  # fmt: skip

__getattr__ = getattr_of(__name__)
