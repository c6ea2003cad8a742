# compile: --signature x=*fp32,out=*i8,n=i32 -D BLOCK=1024
# mistake: an atomic on 8-bit integers
# instead: elements of 32 bits
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x + offs, mask=mask)
    tl.atomic_add(out + offs, y.to(tl.float32), mask=mask)
