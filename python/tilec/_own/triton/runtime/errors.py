# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of launches: tilec's, under Triton's names."""

from tilec import OutOfResources

from ..errors import TritonError

__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError", "TritonError"]


class InterpreterError(TritonError):
    """Triton's interpreter failed. It does not exist here: the simulator runs kernels."""


class PTXASError(TritonError):
    """ptxas failed. tilec gives PTX to the driver."""


class AutotunerError(TritonError):
    """An autotuner was asked for something impossible."""
