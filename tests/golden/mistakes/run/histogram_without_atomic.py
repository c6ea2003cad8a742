# Elements of one tile go to one bin.
# run: check --grid 1 x=arange:i32[256] hist=zeros:i32[16] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def histogram(x, hist, BLOCK: tl.constexpr):
    bins = tl.load(x + tl.arange(0, BLOCK)) & 15
    count = tl.load(hist + bins)
    tl.store(hist + bins, count + bins)
