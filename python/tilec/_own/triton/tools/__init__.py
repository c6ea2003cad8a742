# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of programs with kernels."""

from tilec._own import getattr_of

__getattr__ = getattr_of(__name__)
