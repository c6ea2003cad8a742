# SPDX-License-Identifier: Apache-2.0
"""Dots by multiply-adds whose code would be too large: each is a loop over k. Operands are turned, swizzled, transposed, or padded."""
import triton
import triton.language as tl


# check: --grid 1 a=randn:fp32[8192] b=randn:fp32[16384] c=empty:fp32[8192] n=2
# check: --grid 1 a=randn:fp32[8192] b=randn:fp32[16384] c=empty:fp32[8192] n=0
@triton.jit
def chained(a, b, c, n):
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    q = tl.load(a + i[:, None] * 64 + j[None, :]) * 0.125
    acc = tl.zeros((128, 64), tl.float32)
    for t in range(n):
        k = tl.load(b + t * 8192 + j[None, :] + i[:, None] * 64)
        p = tl.exp(tl.dot(q, tl.trans(k), input_precision="ieee"))
        acc = tl.dot(p, k, acc, input_precision="ieee")
    tl.store(c + i[:, None] * 64 + j[None, :], acc)


# Of 96 of k, padded to 128, in parts of 16; by one warp all of a thread's registers are sums.
# check: --grid 1 --num-warps 1 a=randn:fp32[6144] b=randn:fp32[6144] c=empty:fp32[4096] d=empty:fp32[4096] -D K=96
# check: --grid 1 --num-warps 2 a=randn:fp32[16384] b=randn:fp32[16384] c=empty:fp32[4096] d=empty:fp32[4096] -D K=256
@triton.jit
def both(a, b, c, d, K: tl.constexpr):
    i, j, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * 64 + j[None, :])
    tl.store(c + i[:, None] * 64 + j[None, :], tl.dot(x, y, input_precision="ieee"))
    turned = tl.load(a + i[None, :] + k[:, None] * 64)
    other = tl.load(b + k[None, :] + j[:, None] * K)
    tl.store(d + i[None, :] * 64 + j[:, None], tl.dot(other, turned, input_precision="ieee"))
