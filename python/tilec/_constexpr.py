# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that kernels call when they are compiled."""

from __future__ import annotations

from typing import Any, Callable

from ._values import ConstexprFunction


def constexpr_function(fn: Callable[..., Any]) -> ConstexprFunction:
    """Makes a Python function one that kernels call with constexprs, when they are compiled.

    Args:
        fn: a function. It runs in Python, and returns a value that a constexpr can have.

    Returns a ConstexprFunction. In Python it is called like `fn`.

    Example::

        @tilec.constexpr_function
        def largest(block):
            return min(block, 1024)

        @tilec.jit
        def ramp(out, BLOCK: tl.constexpr):
            i = tl.arange(0, largest(BLOCK))
            tl.store(out + i, i, mask=i < 1000)

        ramp[(1,)](out, BLOCK=4096)
        print(out[999], largest(64))  # 999.0 64
    """
    return ConstexprFunction(fn)


@constexpr_function
def cdiv(x: int, y: int) -> int:
    """Returns x / y, rounded up, for example as the size of a grid. Kernels may call it with constexprs.

    Args:
        x: the dividend, an int that is not negative.
        y: the divisor, a positive int.

    Errors: ZeroDivisionError if y is 0.

    Example::

        print(tilec.cdiv(1000, 256))  # 4
    """
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n: int) -> int:
    """Returns the smallest power of two that is at least n; 0 if n is not positive. Kernels may call it with constexprs.

    Args:
        n: an int.

    Example::

        print(tilec.next_power_of_2(1000))  # 1024
    """
    return 1 << (n - 1).bit_length() if n > 0 else 0
