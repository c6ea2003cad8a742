# compile: --signature a=*fp16,b=*fp16,out=*fp32 -D M=64 -D N=64 -D K=32
# mistake: `tl.dot` of a matrix and a vector
# instead: `tl.sum(a * v[None, :], axis=1)`
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rm = tl.arange(0, M)
    rn = tl.arange(0, N)
    rk = tl.arange(0, K)
    x = tl.load(a + rm[:, None] * K + rk[None, :])
    w = tl.load(b + rk)
    acc = tl.dot(x, w)
    tl.store(out + rm, acc)
