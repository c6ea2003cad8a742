# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sign of a computed NaN is undefined: results that depend on it are not compared."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


# uncertain: nan_signs
# check: --grid 1 --num-warps 1 x=rand:fp32[32] sign=empty:i32[32] copied=empty:fp32[32]
@triton.jit
def nan_signs(x, sign, copied):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    nan = (v - v) / (v - v)
    tl.store(sign + i, (libdevice.signbit(nan) != 0).to(tl.int32))
    tl.store(copied + i, libdevice.copysign(v, nan))
