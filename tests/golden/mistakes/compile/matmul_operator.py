# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=32
# mistake: `@`
# instead: `tl.dot(a, b)`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs[:, None] + offs[None, :])
    y = tl.sum(a @ a, 1)
    tl.store(out + offs, y, mask=mask)
