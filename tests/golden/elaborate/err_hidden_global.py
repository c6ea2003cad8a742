# As the Python package writes it for @triton.jit, which sees no globals but constexprs.
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, SCALE)
    tl.store(x, SCALES)


_tilec_plain_SCALE: tl.constexpr = 3
