import triton
import triton.language as tl
from .sub.more import triple, K
from circle import back
SCALE: tl.constexpr = 2
@triton.jit
def helper(x):
    return x * SCALE
@triton.jit
def f(x, g=None):
    return triple(helper(x)) + K
