# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a function without `@triton.jit`
# instead: `@triton.jit` above it
import torch
import triton
import triton.language as tl


def relu(v):
    return tl.maximum(v, 0)


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = relu(tl.load(x + offs, mask=mask))
    tl.store(out + offs, y, mask=mask)
