# A masked load without other, whose masked elements are used.
# run: run --device eval --grid 1 x=randn:fp32[200] out=empty:fp32[1] n=200 -D BLOCK=256
# run: run --device sim --check --grid 1 x=randn:fp32[200] out=empty:fp32[1] n=200 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def largest(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out, tl.max(v, axis=0))
