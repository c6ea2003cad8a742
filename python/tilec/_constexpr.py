# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that kernels call when they are compiled."""

from __future__ import annotations

from typing import Any, Callable

from ._values import ConstexprFunction


def constexpr_function(fn: Callable[..., Any]) -> ConstexprFunction:
    """Makes a Python function one that kernels call, with constexprs, when they are compiled."""
    return ConstexprFunction(fn)


@constexpr_function
def cdiv(x: int, y: int) -> int:
    """x / y, rounded up."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n: int) -> int:
    """The smallest power of two that is no less than n."""
    return 1 << (n - 1).bit_length() if n > 0 else 0
