# A scalar is read from memory that other threads have just written.
# run: check --grid 1 x=randn:fp32[256] scratch=zeros:fp32[256] out=empty:fp32[1] -D BLOCK=256
# run: run --device sim --check --grid 1 x=randn:fp32[256] scratch=zeros:fp32[256] out=empty:fp32[1] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def last(x, scratch, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(scratch + i, tl.cumsum(tl.load(x + i), axis=0))
    tl.store(out, tl.load(scratch + BLOCK - 1))
