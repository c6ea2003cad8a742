# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.math: mathematical functions, for kernels."""

from .extra.libdevice import *  # noqa: F401,F403
from ._functions import abs, ceil, cos, div_rn, erf, exp, exp2, fdiv, floor, fma, log, log2, rsqrt, sin, sqrt, sqrt_rn, umulhi  # noqa: F401
