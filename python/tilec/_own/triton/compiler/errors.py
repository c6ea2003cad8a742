# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of compiles: tilec's, under Triton's names."""

from tilec import CompilationError
from tilec._errors import StaticAssertionError as CompileTimeAssertionFailure

UnsupportedLanguageConstruct = CompilationError

__all__ = ["CompilationError", "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct"]
