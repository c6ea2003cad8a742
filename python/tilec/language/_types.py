# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types in the signatures of the language. Int, Bool, Str and Shape are known when a kernel is compiled."""

from __future__ import annotations

from typing import Any, Callable, Sequence, Union

from ._classes import tensor
from ._core import constexpr, dtype

Value = Union[tensor, constexpr, int, float, bool, None]
Int = Union[int, constexpr]
Bool = Union[bool, int, constexpr]
Str = Union[str, constexpr]
Shape = Union[Sequence[Any], int, constexpr]
DType = Union[dtype, constexpr]
Function = Callable[..., Any]
