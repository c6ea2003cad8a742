# The load is masked, the store is not.
# run: check --grid 4 x=randn:fp32[1000] out=empty:fp32[1000] n=1000 -D BLOCK=256
# run: run --device eval --grid 4 x=randn:fp32[1000] out=empty:fp32[1000] n=1000 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + offs, mask=offs < n, other=0.0)
    tl.store(out + offs, v * 2)
