# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that dots use both as they are and transposed: if possible, one buffer in shared memory serves both."""
import triton
import triton.language as tl


# check: --grid 1 --num-warps 1 x=randn:bf16[16,64] out=empty:fp32[16,16] K=64 -D M=16 -D BK=32
# check: --grid 1 --num-warps 4 --num-stages 3 x=randn:fp16[64,100] out=empty:fp32[64,64] K=100 -D M=64 -D BK=32
# check: --grid 1 --num-warps 8 --num-stages 2 x=randn:bf16[128,128] out=empty:fp32[128,128] K=128 -D M=128 -D BK=64
# check: --grid 1 --num-warps 4 x=randn:fp32[32,64] out=empty:fp32[32,32] K=64 -D M=32 -D BK=32 --fp32-dot tf32
# check: --grid 1 --num-warps 4 --num-stages 3 x=randn:fp16[64,64] out=empty:fp32[64,64] K=0 -D M=64 -D BK=32
@triton.jit
def gram(x, out, K, M: tl.constexpr, BK: tl.constexpr):
    m, k = tl.arange(0, M), tl.arange(0, BK)
    acc = tl.zeros((M, M), dtype=tl.float32)
    for i in range(0, K, BK):
        a = tl.load(x + m[:, None] * K + (i + k)[None, :], mask=(i + k)[None, :] < K, other=0.0)
        acc = tl.dot(a, tl.trans(a), acc)
    tl.store(out + m[:, None] * M + m[None, :], acc)


# As of attention backward: q is transposed for the scores and plain for the gradient.
# check: --grid 1 --num-warps 4 --num-stages 3 q=rand:fp16[128,64] k=rand:fp16[64,64] out=empty:fp32[64,64] n=2 -D M=64 -D K=64
# check: --grid 1 --num-warps 2 --num-stages 2 q=rand:bf16[96,32] k=rand:bf16[32,32] out=empty:fp32[32,32] n=3 -D M=32 -D K=32
# check: --grid 1 --num-warps 8 --num-stages 3 q=rand:bf16[128,128] k=rand:bf16[128,128] out=empty:fp32[128,128] n=1 -D M=128 -D K=128
@triton.jit
def both_ways(q, k, out, n, M: tl.constexpr, K: tl.constexpr):
    m, d = tl.arange(0, M), tl.arange(0, K)
    y = tl.load(k + m[:, None] * K + d[None, :])
    acc = tl.zeros((M, K), dtype=tl.float32)
    for i in range(n):
        x = tl.load(q + (i * M + m)[:, None] * K + d[None, :])
        s = tl.dot(y, tl.trans(x))
        acc = tl.dot((s * 0.125).to(x.dtype), x, acc)
    tl.store(out + m[:, None] * K + d[None, :], acc)


# The transpose is in memory first, in a branch that may not run: the plain tile has a separate buffer.
# check: --grid 1 --num-warps 4 x=rand:fp16[64,64] y=rand:fp16[64,64] out=empty:fp32[64,64] n=1
# check: --grid 1 --num-warps 4 x=rand:fp16[64,64] y=rand:fp16[64,64] out=empty:fp32[64,64] n=0
@triton.jit
def in_a_branch(x, y, out, n):
    m = tl.arange(0, 64)
    p = m[:, None] * 64 + m[None, :]
    a, b = tl.load(x + p), tl.load(y + p)
    acc = tl.zeros((64, 64), dtype=tl.float32)
    if n > 0:
        acc = tl.dot(b, tl.trans(a), acc)
    acc = tl.dot(b, a, acc)
    acc = tl.dot(tl.trans(b), a, acc)
    tl.store(out + p, acc)


# A dot uses the load as it is (transposed, where FLIP), and another one a result of it: the first buffer is read back.
# check: --grid 1 --num-warps 4 --num-stages 3 q=rand:fp16[128,64] k=rand:fp16[64,64] out=empty:fp32[64,64] n=2 rows=100 -D M=64 -D K=64 -D FLIP=True
# check: --grid 1 --num-warps 4 --num-stages 3 q=rand:fp16[256,64] k=rand:fp16[64,64] out=empty:fp32[64,64] n=4 rows=256 -D M=64 -D K=64 -D FLIP=False
# check: --grid 1 --num-warps 2 --num-stages 2 q=rand:bf16[96,32] k=rand:bf16[32,32] out=empty:fp32[32,32] n=3 rows=65 -D M=32 -D K=32 -D FLIP=True
# check: --grid 1 --num-warps 1 --num-stages 4 q=rand:bf16[32,32] k=rand:bf16[32,32] out=empty:fp32[32,32] n=1 rows=1 -D M=32 -D K=32 -D FLIP=False
# check: --grid 1 --num-warps 4 --num-stages 3 q=rand:bf16[32,32] k=rand:bf16[32,32] out=empty:fp32[32,32] n=0 rows=0 -D M=32 -D K=32 -D FLIP=True
@triton.jit
def kept(q, k, out, n, rows, M: tl.constexpr, K: tl.constexpr, FLIP: tl.constexpr):
    m, d = tl.arange(0, M), tl.arange(0, K)
    y = tl.load(k + m[:, None] * K + d[None, :])
    acc = tl.zeros((M, K), dtype=tl.float32)
    for i in range(n):
        t = i * M + m
        x = tl.load(q + t[:, None] * K + d[None, :], mask=(t < rows)[:, None], other=0.0)
        if FLIP:
            s = tl.dot(y, tl.trans(x))
        else:
            s = tl.dot(y, x)
        z = (x.to(tl.float32) * 0.5).to(x.dtype)
        acc = tl.dot((s * 0.125).to(x.dtype), z, acc)
    tl.store(out + m[:, None] * K + d[None, :], acc)
