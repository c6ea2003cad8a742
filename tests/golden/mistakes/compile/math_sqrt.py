# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=1024
# mistake: a function of Python's `math` on a tile
# instead: the same function of `tl`; `math` has only constants (`math.pi`)
import math
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask)
    y = math.sqrt(a)
    tl.store(out + offs, y, mask=mask)
