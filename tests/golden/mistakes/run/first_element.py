# The tile reaches far beyond the input: the first element in the tile's order is named, whichever thread was there first.
# run: run --device sim --grid 2 x=randn:fp32[200] out=empty:fp32[2048] -D BLOCK=1024
# run: check --grid 2 x=randn:fp32[200] out=empty:fp32[2048] -D BLOCK=1024
# run: run --device eval --grid 2 x=randn:fp32[200] out=empty:fp32[2048] -D BLOCK=1024
import triton
import triton.language as tl


@triton.jit
def copy(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * BLOCK + i, tl.load(x + i))
