# A loop's header has no colon.
# compile: --signature x=*fp32,n=i32 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in range(0, n, BLOCK)
        tl.store(x + k + i, 0.0, mask=k + i < n)
