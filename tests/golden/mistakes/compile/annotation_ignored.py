# An annotation converts in tilec, but not in Triton.
# compile: --signature x=*fp32,n=i32 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    half: tl.float16 = 0.1
    tl.store(x + i, half, mask=i < n)
