# Two stores of one line, which meet in one place.
# run: check --grid 1 x=randn:fp32[256] out=zeros:fp32[512] -D BLOCK=256
# run: run --device sim --check --grid 1 x=randn:fp32[256] out=zeros:fp32[512] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def twice(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i)); tl.store(out + i + 128, -tl.load(x + i))
