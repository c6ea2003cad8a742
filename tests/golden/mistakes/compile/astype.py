# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: PyTorch's conversions
# instead: `x.to(tl.float16)`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x + offs, mask=mask).float().half()
    tl.store(out + offs, y, mask=mask)
