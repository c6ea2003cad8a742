# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: `x.shape` of an argument
# instead: the sizes and strides as parameters
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    rows = x.shape[0]
    y = tl.load(x + offs, mask=offs < rows)
    tl.store(out + offs, y, mask=mask)
