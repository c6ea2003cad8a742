# An integer is divided by zero.
# run: run --device eval --grid 1 x=arange:i32[64] y=zeros:i32[64] out=empty:i32[64] -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def quotient(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    q = tl.load(x + i) // tl.load(y + i)
    tl.store(out + i, q)
