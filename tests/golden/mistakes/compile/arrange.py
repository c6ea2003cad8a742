# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a name with a typo
# instead: the name that is suggested
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    i = tl.arrange(0, BLOCK)
    tl.store(out + i, tl.lod(x + i))
