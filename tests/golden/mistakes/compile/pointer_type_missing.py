# compile: -D BLOCK=64
# mistake: arguments without types
# instead: `--signature x=*fp32,n=i32`; `tilec run` takes them from the arguments
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    y = tl.load(x + offs, mask=mask)
    tl.store(out + offs, y, mask=mask)
