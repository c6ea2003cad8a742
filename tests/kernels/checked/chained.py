# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dots that continue from each other's accumulators, and wait together."""
import triton
import triton.language as tl

# check: --grid 1 a=randn:fp16[128,96] b=randn:fp16[128,96] c=randn:fp16[128,96] d=randn:fp16[128,96] out=empty:fp32[128,128] K=96 -D BK=32
# check: --grid 1 --num-stages 2 --num-warps 8 a=randn:fp16[128,64] b=randn:fp16[128,64] c=randn:fp16[128,64] d=randn:fp16[128,64] out=empty:fp32[128,128] K=64 -D BK=32
@triton.jit
def in_a_loop(a, b, c, d, out, K, BK: tl.constexpr):
    m, n, k = tl.arange(0, 128), tl.arange(0, 128), tl.arange(0, BK)
    acc = tl.zeros((128, 128), dtype=tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (i + k)[None, :])
        y = tl.load(b + n[None, :] * K + (i + k)[:, None])
        acc = tl.dot(x, y, acc)
        z = tl.load(c + m[:, None] * K + (i + k)[None, :])
        w = tl.load(d + n[None, :] * K + (i + k)[:, None])
        acc = tl.dot(z, w, acc)
    tl.store(out + m[:, None] * 128 + n[None, :], acc)


# Operands of 64 of k do not all fit into a quarter of shared memory: some of the dots wait.
# check: --grid 1 a=randn:fp16[64,128] b=randn:fp16[64,128] out=empty:fp32[64,64] -D BK=32
# check: --grid 1 a=randn:fp16[64,256] b=randn:fp16[64,256] out=empty:fp32[64,64] -D BK=64
@triton.jit
def one_by_one(a, b, out, BK: tl.constexpr):
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, BK)
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for i in tl.static_range(4):
        x = tl.load(a + m[:, None] * 4 * BK + (i * BK + k)[None, :])
        y = tl.load(b + n[None, :] * 4 * BK + (i * BK + k)[:, None])
        acc = tl.dot(x, y, acc)
    tl.store(out + m[:, None] * 64 + n[None, :], acc)


# The accumulator of the first dot is used: it is waited for.
# check: --grid 1 a=randn:fp16[64,32] b=randn:fp16[64,32] first=empty:fp32[64,64] out=empty:fp32[64,64]
@triton.jit
def used_between(a, b, first, out):
    m, k = tl.arange(0, 64), tl.arange(0, 32)
    x = tl.load(a + m[:, None] * 32 + k[None, :])
    y = tl.load(b + m[None, :] * 32 + k[:, None])
    acc = tl.dot(x, y)
    tl.store(first + m[:, None] * 64 + m[None, :], acc)
    acc = tl.dot(x, y, acc)
    tl.store(out + m[:, None] * 64 + m[None, :], acc)


# A tile is the first dot's operand transposed, and the second one's as it is: keys are also values.
# check: --grid 1 q=randn:bf16[16,64] x=randn:fp16[96,64] out=empty:fp32[16,64] n=96 -D N=32
# check: --grid 1 --num-warps 2 --num-stages 1 q=randn:bf16[16,64] x=randn:fp16[80,64] out=empty:fp32[16,64] n=70 -D N=16
@triton.jit
def keys_as_values(q, x, out, n, N: tl.constexpr):
    m, k, j = tl.arange(0, 16), tl.arange(0, 64), tl.arange(0, N)
    a = tl.load(q + m[:, None] * 64 + k[None, :])
    acc = tl.zeros((16, 64), dtype=tl.float32)
    for i in range(0, n, N):
        y = tl.load(x + (i + j)[:, None] * 64 + k[None, :], mask=(i + j)[:, None] < n, other=0.0).to(tl.bfloat16)
        p = tl.dot(a, tl.trans(y)) * 0.01
        acc = tl.dot(p.to(tl.bfloat16), y, acc)
    tl.store(out + m[:, None] * 64 + k[None, :], acc)
