# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1000
# mistake: a block size that is no power of two
# instead: the next power of two, and `mask=offsets < n` for the rest
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x + offs, mask=mask)
    tl.store(out + offs, y, mask=mask)
