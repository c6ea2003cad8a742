# Two elements of a tile, of one warp, are stored at one place.
# run: run --device sim --check --grid 1 x=randn:fp32[256] out=zeros:fp32[128] -D BLOCK=256
# run: check --grid 1 x=randn:fp32[256] out=zeros:fp32[128] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def halve(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i // 2, tl.load(x + i))
