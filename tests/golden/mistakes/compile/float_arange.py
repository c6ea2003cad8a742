# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a size made with `/`
# instead: `//`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    i = tl.arange(0, BLOCK / 2)
    tl.store(out + i, tl.load(x + i))
