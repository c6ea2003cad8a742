# An index wraps around, as np.roll's: `%` of a negative number is negative.
# run: check --grid 4 x=randn:fp32[1000] out=empty:fp32[1000] n=1000 -D BLOCK=256
# run: run --device eval --grid 4 x=randn:fp32[1000] out=empty:fp32[1000] n=1000 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def roll(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + (i - 3) % n, mask=i < n)
    tl.store(out + i, v, mask=i < n)
