# A wrong row number leads to another buffer, a mebibyte away: only a check reports it.
# run: check --grid 1 x=randn:fp32[4,64] y=randn:fp32[8192,64] out=empty:fp32[64] row=4120 -D BLOCK=64
# run: run --device sim --check --grid 1 x=randn:fp32[4,64] y=randn:fp32[8192,64] out=empty:fp32[64] row=4120 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def add_row(x, y, out, row, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + row * BLOCK + i) + tl.load(y + i))
