# compile: --signature x=*fp32,out=*fp32,seed=i32 -D N=64
# mistake: random numbers of NumPy, PyTorch and Python
# instead: what the message says: `tl.rand(seed, offsets)`
import random

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, v + np.random.rand(N))
    tl.store(out + i, v + np.random.default_rng(0).integers(0, 9, N))
    tl.store(out + i, torch.nn.functional.dropout(v, 0.1))
    tl.store(out + i, np.linalg.norm(v))
    tl.store(out + i, np.fft.fft(v))
    tl.store(out + i, random.uniform(0.0, 1.0))
    for k in tl.static_range(range(4)):
        tl.store(out + k, v)
