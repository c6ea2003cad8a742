# compile: --signature x=*fp32,n=i32 -D BLOCK=64
# mistake: a line that is indented too far
# instead: the block's indentation
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
     y = tl.load(x + i)
    tl.store(x + i, y)
