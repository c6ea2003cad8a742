# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.core: the names that programs take from Triton's module of this name; they are tl's."""

from . import *  # noqa: F401,F403
from ._core import builtin  # noqa: F401
from ._core import _unwrap as _unwrap_if_constexpr  # noqa: F401
