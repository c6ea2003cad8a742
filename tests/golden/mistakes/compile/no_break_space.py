# compile: --signature x=*fp32 -D BLOCK=64
# mistake: characters that a web page put in
# instead: plain spaces, `*`
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, i × 2)
