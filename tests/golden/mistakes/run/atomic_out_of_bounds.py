# More values than bins.
# run: check --grid 1 x=arange:i32[64] hist=zeros:i32[32] -D BLOCK=64
# run: run --device eval --grid 1 x=arange:i32[64] hist=zeros:i32[32] -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def bincount(x, hist, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.atomic_add(hist + v, 1)
