# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dots that only a reduction uses, with accumulators larger than a thread's registers."""

import triton
import triton.language as tl


# check: --grid 1 --num-warps 2 -D M=128 -D N=256 -D K=32 a=randn:fp16[128,32] b=randn:fp16[32,256] o=empty:fp32[256] rows=100 columns=201
# check: --grid 1 --num-warps 1 -D M=64 -D N=128 -D K=16 a=randn:bf16[64,16] b=randn:bf16[16,128] o=empty:fp32[128] rows=64 columns=128
@triton.jit
def highest(a, b, o, rows, columns, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    p = tl.dot(tl.load(a + m[:, None] * K + k), tl.load(b + k[:, None] * N + n))
    p = tl.where((m[:, None] < rows) & (n < columns), p, -1e30)
    tl.store(o + n, tl.max(p, 0))


# check: --grid 1 --num-warps 2 -D M=128 -D N=256 -D K=32 a=randn:fp16[128,32] b=randn:fp16[32,256] o=empty:fp32[128] least=-0.5
@triton.jit
def sums(a, b, o, least, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    p = tl.dot(tl.load(a + m[:, None] * K + k), tl.load(b + k[:, None] * N + n))
    tl.store(o + m, tl.sum(tl.maximum(p, least) * p, 1))
