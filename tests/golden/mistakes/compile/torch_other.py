# compile: --signature x=*fp32,n=i32 -D BLOCK=64
# mistake: what only the host can do
# instead: outside of the kernel, its result as a parameter
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    torch.cuda.synchronize()
    tl.store(x + i, 0.0)
