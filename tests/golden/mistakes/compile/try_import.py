# compile: --signature x=*fp32 -D BLOCK=64
# mistake: two definitions by a `try` that imports
# instead: `-D NAME=True` or `-D NAME=None` of what it imports
import triton
import triton.language as tl

try:
    import fastmath

    @triton.jit
    def power(x):
        return tl.exp2(x)
except ImportError:
    @triton.jit
    def power(x):
        return tl.exp(x)


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, power(tl.load(x + i)))
