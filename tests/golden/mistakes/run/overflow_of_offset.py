# An offset of 32 bits wraps.
# run: check --grid 4 x=randn:fp32[4,1024] out=empty:fp32[4] first=2147483 -D BLOCK=1024
# run: run --device eval --grid 4 x=randn:fp32[4,1024] out=empty:fp32[4] first=2147483 -D BLOCK=1024
import triton
import triton.language as tl


@triton.jit
def gather_rows(x, out, first, BLOCK: tl.constexpr):
    row = tl.program_id(0) + first
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * BLOCK + c)
    tl.store(out + tl.program_id(0), tl.sum(v, axis=0))
