# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a sum that changes its type
# instead: an accumulator of fp32, converted after the loop
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    acc = tl.zeros((BLOCK,), dtype=tl.float16)
    for i in range(0, n, BLOCK):
        acc = acc + tl.load(x + i + offs)
    tl.store(out + offs, acc)
