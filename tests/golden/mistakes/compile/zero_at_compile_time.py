# A division by zero at compile time.
# compile: --signature x=*fp32,n=i32 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    step: tl.constexpr = 256 // (BLOCK - 64)
    tl.store(x + i, step, mask=i < n)
