# One program too many.
# run: check --grid 5 x=randn:fp32[1024] out=empty:fp32[1024] -D BLOCK=256
# run: run --device eval --grid 5 x=randn:fp32[1024] out=empty:fp32[1024] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def copy(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs))
