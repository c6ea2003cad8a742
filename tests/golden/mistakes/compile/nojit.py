# compile: --signature x=*fp32,n=i32 -D BLOCK=64
# mistake: a kernel without `@triton.jit`
# instead: `@triton.jit` above it
import triton
import triton.language as tl


def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 1.0)
