# compile: --signature x=*fp32 -D BLOCK=64
# mistake: tabs mixed with spaces
# instead: only spaces
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
	y = tl.load(x + i)
    tl.store(x + i, y)
