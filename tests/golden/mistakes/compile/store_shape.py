# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a tile stored to one address
# instead: `tl.store(out + offsets, y)`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.sum(tl.load(x + offs, mask=mask), axis=0)
    tl.store(out, tl.load(x + offs, mask=mask))
