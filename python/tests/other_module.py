# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that kernels of test_capture.py take from another module."""

import tilec.language as language
from tilec import constexpr_function, jit

SCALE = 2.5
TABLE = {"tile": 32}
WIDTH = language.constexpr(3)


class Elsewhere:
    pass


@jit
def scaled(v, width: language.constexpr = WIDTH):
    return v * width


@jit
def relu(v):
    return language.where(v > 0, v, 0)


@jit
def broken(v):
    return v + no_such_name


@constexpr_function
def half(n):
    return {64: 32}.get(n, n // 2)
