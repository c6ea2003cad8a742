# The last block reaches beyond the input: the load has no mask.
# run: check --grid 4 x=randn:fp32[1000] out=empty:fp32[1024] -D BLOCK=256
# run: run --device sim --grid 4 x=randn:fp32[1000] out=empty:fp32[1024] -D BLOCK=256
# run: run --device eval --grid 4 x=randn:fp32[1000] out=empty:fp32[1024] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def double(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) * 2)
