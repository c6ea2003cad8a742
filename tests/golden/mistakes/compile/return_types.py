# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a function that returns a tile or a tuple
# instead: the same type on both ways
import torch
import triton
import triton.language as tl


@triton.jit
def pick(a, n):
    if n > 3:
        return a
    else:
        return 0, 1


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x + offs, mask=mask)
    y = pick(y, n)
    tl.store(out + offs, y, mask=mask)
