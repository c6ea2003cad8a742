# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a constant of NumPy
# instead: `math.pi`, or the number
import numpy as np
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask)
    y = a * np.pi + float('inf')
    tl.store(out + offs, y, mask=mask)
