# A value at compile time for a parameter of run time.
# compile: --signature x=*fp32,n=i32 -D BLOCK=64 -D n=100
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < n)
