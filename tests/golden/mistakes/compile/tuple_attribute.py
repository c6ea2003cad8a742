# The elements of a tuple have no names.
# compile: --signature x=*fp32,n=i32 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    factors = (2.0, 3.0)
    tl.store(x + i, factors.first, mask=i < n)
