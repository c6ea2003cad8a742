# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: `tl.static_range` over a run-time number
# instead: `range(n)`, or `n: tl.constexpr`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x + offs, mask=mask)
    for i in tl.static_range(n):
        y += 1
    tl.store(out + offs, y, mask=mask)
