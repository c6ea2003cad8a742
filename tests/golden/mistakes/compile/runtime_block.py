# compile: --signature x=*fp32,out=*fp32,n=i32,BLOCK=i32
# mistake: a block size without `tl.constexpr`
# instead: `BLOCK: tl.constexpr` in the signature, `-D BLOCK=...`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x + offs, mask=mask)
    tl.store(out + offs, y, mask=mask)
