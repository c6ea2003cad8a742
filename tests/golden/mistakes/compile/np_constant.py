# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a NumPy scalar
# instead: the number itself: literals take the tile's type
import numpy as np
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask)
    y = tl.where(a > 0, a, np.float32(0))
    tl.store(out + offs, y, mask=mask)
