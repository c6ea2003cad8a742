# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: `if` on a tile
# instead: `tl.where(condition, a, b)`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask)
    if a > 0:
        y = a
    else:
        y = -a
    tl.store(out + offs, y, mask=mask)
