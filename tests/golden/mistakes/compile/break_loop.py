# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: `break` out of a loop
# instead: `while` with a condition, or the body under an `if`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    for i in range(0, n):
        v = tl.load(x + i)
        if v < 0:
            break
        tl.store(out + i, v)
