# A pointer into the middle of an element.
# run: check --grid 1 x=randn:fp32[256]+2 out=empty:fp32[128] -D BLOCK=128
# run: run --device eval --grid 1 x=randn:fp32[256]+2 out=empty:fp32[128] -D BLOCK=128
import triton
import triton.language as tl


@triton.jit
def copy(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))
