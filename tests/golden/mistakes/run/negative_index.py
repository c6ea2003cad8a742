# The left neighbour of the first element.
# run: check --grid 4 x=randn:fp32[1000] out=empty:fp32[1000] n=1000 -D BLOCK=256
# run: run --device eval --grid 4 x=randn:fp32[1000] out=empty:fp32[1000] n=1000 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def shift(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + i - 1, mask=i < n, other=0.0)
    tl.store(out + i, left, mask=i < n)
