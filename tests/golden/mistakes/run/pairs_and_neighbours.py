# Two mistakes of one line: pairs of elements at one place, and a second store that meets the first.
# run: check --grid 1 x=randn:fp32[256] out=zeros:fp32[256] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def halve(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i // 2, tl.load(x + i)); tl.store(out + 64 + i, -tl.load(x + i), mask=i < 128)
