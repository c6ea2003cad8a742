# A decimal number begins with a zero.
# compile: --signature x=*fp32,n=i32 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 010, mask=i < n)
