# compile: --signature x=*fp32 -D BLOCK=64
# mistake: a constant of the module level assigned in an expression
# instead: a separate line: `WIDTH = 7`
import triton
import triton.language as tl

(WIDTH := 7)


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) + WIDTH)
