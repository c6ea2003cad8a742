# compile: --signature x=*fp32,out=*fp32 -D N=64
# mistake: NumPy's functions
# instead: what the message says
import numpy as np
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    np.add.at(out, i, 1.0)
    np.maximum.at(out, i, v)
    tl.store(out + i, np.searchsorted(v, v))
    tl.store(out, np.median(v))
    tl.store(out + i, v.astype(np.int32))
    tl.store(out + i, np.float16(v))
    tl.store(out, np.percentile(v, 50))
