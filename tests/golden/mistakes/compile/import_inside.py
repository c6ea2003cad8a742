# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: an import within a kernel
# instead: the import at the top of the file; functions are `tl`'s
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    import math
    import numpy as np
    from math import sqrt
    from . import utils
    import triton.language as language
    v = v * math.pi
    tl.store(out + i, v, mask=i < n)
