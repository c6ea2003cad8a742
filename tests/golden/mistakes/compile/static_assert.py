# A static assertion that is false.
# compile: --signature x=*fp32,n=i32 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.static_assert(BLOCK >= 128, "BLOCK is too small")
    tl.store(x + i, 1.0, mask=i < n)
