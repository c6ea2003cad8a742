# SPDX-License-Identifier: Apache-2.0
"""Functions of the library for so many elements a thread that they are called: in a loop, under a branch, of two operands, one by another."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


# check: --grid 1 --num-warps 1 x=randn:fp64[1024] y=rand:fp64[1024] out=empty:fp64[1024] n=2 -D N=1024
# check: --grid 1 --num-warps 1 x=randn:fp64[1024] y=rand:fp64[1024] out=empty:fp64[1024] n=0 -D N=1024
@triton.jit
def of_fp64(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v, w = tl.load(x + i), tl.load(y + i)
    for k in range(n):
        v = tl.sin(v) + libdevice.pow(w, v)
    if n > 1:
        v = tl.log(tl.exp(v) + 1)
    else:
        v = libdevice.atan2(v, w)
    tl.store(out + i, v)


# The front end makes the first of erf, exp and log of fp64; a dot's sums go through the second.
# check: --grid 1 --num-warps 1 x=rand:fp32[512] out=empty:fp32[512] -D N=512
@triton.jit
def of_fp32(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, libdevice.erfinv(tl.load(x + i) * 1.99 - 0.995))


# check: --grid 1 --num-warps 4 a=randn:fp16[4096] b=randn:fp16[4096] out=empty:fp32[4096]
@triton.jit
def of_sums(a, b, out):
    i, j = tl.arange(0, 64), tl.arange(0, 64)
    at = i[:, None] * 64 + j[None, :]
    tl.store(out + at, libdevice.lgamma(tl.dot(tl.load(a + at), tl.load(b + at))))
