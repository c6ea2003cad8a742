# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.triton where Triton is not installed: importing it provides tilec's own `triton` module."""

from __future__ import annotations

from . import _own

_own.provide()

from triton.compiler.errors import CompilationError as TritonError  # noqa: E402
from triton.runtime.jit import compiled  # noqa: E402

from ._report import Compiled, Report  # noqa: E402

__all__ = ["Compiled", "Report", "TritonError", "install", "report", "uninstall"]


def report() -> Report:
    """The kernels that were compiled since the process began. Times are not measured."""
    return Report(compiled)


def install() -> None:
    """Does nothing: tilec is the only compiler."""


def uninstall() -> None:
    """Does nothing: there is no other compiler."""
