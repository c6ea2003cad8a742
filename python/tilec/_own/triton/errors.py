# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base class of errors."""

from tilec import TilecError as TritonError

__all__ = ["TritonError"]
