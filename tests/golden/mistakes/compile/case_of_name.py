# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a name in another case
# instead: the name that is suggested
import torch
import triton
import triton.language as tl


alpha = 3.0


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x + offs, mask=mask) * ALPHA
    tl.store(out + offs, y, mask=mask)
