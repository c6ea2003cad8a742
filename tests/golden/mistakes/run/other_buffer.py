# The access is far after the end of its buffer, inside another one.
# run: check --grid 1 y=randn:fp32[16] x=randn:fp32[4096] out=empty:fp32[64] -D BLOCK=64
# run: run --device sim --grid 1 y=randn:fp32[16] x=randn:fp32[4096] out=empty:fp32[64] -D BLOCK=64
# run: run --device eval --grid 1 y=randn:fp32[16] x=randn:fp32[4096] out=empty:fp32[64] -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def gather(y, x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(y + i * 16) + tl.load(x + i * 16))
