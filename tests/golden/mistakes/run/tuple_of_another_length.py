# run: run --device eval --grid 1 'xs=(randn:fp32[64],)' out=empty:fp32[64]
# mistake: a tuple with too few elements
# instead: a tuple of as many
import triton
import triton.language as tl


@triton.jit
def kernel(xs, out):
    i = tl.arange(0, 64)
    x, y = xs
    tl.store(out + i, tl.load(x + i) + tl.load(y + i))
