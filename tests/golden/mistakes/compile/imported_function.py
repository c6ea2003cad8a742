# compile: --signature x=*fp32,n=i32 -D BLOCK=64
# mistake: a function of another library, imported by name
# instead: the function of `tl`
from math import exp, sqrt
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, sqrt(tl.load(x + i)))
