# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.core: the names that programs take from Triton's module of this name; they are tl's."""

from . import *  # noqa: F401,F403
from ._core import _outside, builtin  # noqa: F401
from ._core import _unwrap as _unwrap_if_constexpr  # noqa: F401


def must_use_result(function):  # type: ignore[no-untyped-def]
    """Returns the function, or a decorator that does: Triton warns of calls whose result is unused."""
    return function if callable(function) else lambda decorated: decorated


def _aggregate(cls):  # type: ignore[no-untyped-def]
    """Makes a class one whose objects kernels make; see docs/python.md."""

    class aggregate:
        __triton_aggregate__ = True

        def __new__(this, *args, **kwargs):  # type: ignore[no-untyped-def]
            raise _outside(cls.__name__)

    aggregate.__name__, aggregate.__qualname__, aggregate.__module__, aggregate.__doc__ = cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__
    return aggregate
