# The third of three loads in one line: its buffer is one element shorter than n.
# run: check --grid 4 x=randn:fp32[1000] y=randn:fp32[1000] z=randn:fp32[999] out=empty:fp32[1000] n=1000 -D BLOCK=256
# run: run --device sim --grid 4 x=randn:fp32[1000] y=randn:fp32[1000] z=randn:fp32[999] out=empty:fp32[1000] n=1000 -D BLOCK=256
# run: run --device eval --grid 4 x=randn:fp32[1000] y=randn:fp32[1000] z=randn:fp32[999] out=empty:fp32[1000] n=1000 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def add3(x, y, z, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m) + tl.load(z + i, mask=m), mask=m)
