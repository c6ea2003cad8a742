# Programs overwrite what others have still to read.
# run: check --grid 4,4 x=randn:fp32[64,64] -D B=16
import triton
import triton.language as tl


@triton.jit
def transpose(x, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)[:, None]
    c = tl.program_id(1) * B + tl.arange(0, B)[None, :]
    tile = tl.load(x + r * 64 + c)
    tl.store(x + c * 64 + r, tile)
