# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a call with an argument too few
# instead: the argument
import torch
import triton
import triton.language as tl


@triton.jit
def scale(v, factor):
    return v * factor


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = scale(tl.load(x + offs, mask=mask))
    tl.store(out + offs, y, mask=mask)
