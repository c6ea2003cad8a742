# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: an element of a tile that is assigned
# instead: `tl.where(i == 0, 1.0, y)`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.zeros((BLOCK,), dtype=tl.float32)
    y[0] = 1.0
    tl.store(out + offs, y, mask=mask)
