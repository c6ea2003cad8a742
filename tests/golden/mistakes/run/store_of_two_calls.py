# One store in a function that is called twice.
# run: check --grid 1 x=randn:fp32[256] out=zeros:fp32[512] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def put(p, i, v):
    tl.store(p + i, v)


@triton.jit
def twice(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    put(out, i, tl.load(x + i))
    put(out, i + 128, -tl.load(x + i))
