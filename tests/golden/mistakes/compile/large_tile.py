# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=2097152
# mistake: a block larger than a tile may be
# instead: more programs, or a loop over smaller blocks
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
