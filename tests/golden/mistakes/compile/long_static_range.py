# A loop that is unrolled too often.
# compile: --signature x=*fp32,n=i32 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = 0.0
    for k in tl.static_range(1000000):
        y += k
    tl.store(x + i, y, mask=i < n)
