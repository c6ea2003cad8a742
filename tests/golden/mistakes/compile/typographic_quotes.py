# compile: --signature x=*fp32 -D BLOCK=64
# mistake: typographic quotes
# instead: `"` or `'`
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.device_print(“x”, i)
