# If a library is not read and the file has a replacement, the replacement is used, with a warning. Functions of math of
# numbers, and Triton's random helpers.
import math
import triton
import triton.language as tl
from triton.language import core

try:
    from no_such_library.fast import exp
except ImportError:
    exp = tl.exp

try:
    shim = no_such_backend.module()
except ImportError:
    try:
        shim = triton.language.math
    except ImportError:
        shim = triton.language.libdevice

try:
    normal = tl.pair_uniform_to_normal
except AttributeError:
    @triton.jit
    def normal(a, b):
        return a, b

rsqrt = shim.rsqrt


@triton.jit
def kernel(x, BLOCK: tl.constexpr, ZERO: tl.constexpr = core.CONSTEXPR_0):
    i = tl.arange(0, BLOCK)
    u, v = normal(tl.load(x + i), 0.5)
    tl.store(x + i, exp(u) + rsqrt(v) * math.sqrt(4 * BLOCK) + ZERO)
