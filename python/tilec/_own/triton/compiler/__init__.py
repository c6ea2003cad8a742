# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles of kernels."""

from tilec._own import getattr_of

from .compiler import ASTSource, CompiledKernel, compile
from .errors import CompilationError

__all__ = ["ASTSource", "CompilationError", "CompiledKernel", "compile"]

__getattr__ = getattr_of(__name__)
