# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a sum that begins with the integer 0
# instead: `acc = 0.0`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    acc = 0
    for i in range(0, n, BLOCK):
        acc += tl.sum(tl.load(x + i + tl.arange(0, BLOCK)))
    tl.store(out + pid, acc)
