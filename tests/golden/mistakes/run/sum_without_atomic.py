# Programs add to one element without an atomic.
# run: check --grid 4 x=randn:fp32[1000] out=zeros:fp32[1] n=1000 -D BLOCK=256
# run: run --device sim --check --grid 4 x=randn:fp32[1000] out=zeros:fp32[1] n=1000 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.store(out, tl.load(out) + part)
