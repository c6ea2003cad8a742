# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=128
# mistake: tiles of two shapes
# instead: `a[:, None]` and `b[None, :]`, or tiles of one size
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask)
    cols = tl.arange(0, 64)
    b = tl.load(x + cols)
    y = a + b
    tl.store(out + offs, y, mask=mask)
