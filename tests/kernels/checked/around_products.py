# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The surroundings of a pipelined dot: a loop that starts it again, writes to the memory that it copies."""
import triton
import triton.language as tl


# A slow warp may still multiply the last tiles of a round when the next round's copies begin.
# check: --grid 1 --num-stages 2 x=randn:fp16[4,64,32] y=randn:fp16[32,64] out=empty:fp32[4,64,64] ROUNDS=4 K=32
# check: --grid 1 --num-stages 3 x=randn:fp16[3,64,96] y=randn:fp16[96,64] out=empty:fp32[3,64,64] ROUNDS=3 K=96
# check: --grid 1 --num-stages 3 x=randn:fp16[4,64,128] y=randn:fp16[128,64] out=empty:fp32[4,64,64] ROUNDS=4 K=128
# check: --grid 1 --num-stages 4 --num-warps 8 x=randn:fp16[2,64,32] y=randn:fp16[32,64] out=empty:fp32[2,64,64] ROUNDS=2 K=32
@triton.jit
def rounds(x, y, out, ROUNDS, K):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 64)[None, :]
    for r in range(ROUNDS):
        acc = tl.zeros([64, 64], tl.float32)
        for first in range(0, K, 32):
            k = first + tl.arange(0, 32)
            acc = tl.dot(tl.load(x + (r * 64 + i) * K + k[None, :]), tl.load(y + k[:, None] * 64 + j), acc)
        tl.store(out + (r * 64 + i) * 64 + j, acc)


# The tiles that the loop's first copies read are written right before them, and ordered by a barrier of the source.
# check: --grid 1 --num-stages 2 x=empty:fp16[64,64] y=randn:fp16[64,64] out=empty:fp32[64,64] K=64
# check: --grid 1 --num-stages 3 --num-warps 8 x=empty:fp16[64,128] y=randn:fp16[128,64] out=empty:fp32[64,64] K=128
@triton.jit
def operand_written(x, y, out, K):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 64)[None, :]
    for first in range(0, K, 32):
        k = first + tl.arange(0, 32)[None, :]
        tl.store(x + i * K + k, ((i * 3 + k) % 7).to(tl.float16))
    acc = tl.zeros([64, 64], tl.float32)
    tl.debug_barrier()
    for first in range(0, K, 32):
        k = first + tl.arange(0, 32)
        acc = tl.dot(tl.load(x + i * K + k[None, :]), tl.load(y + k[:, None] * 64 + j), acc)
    tl.store(out + i * 64 + j, acc)


# An element's own thread in the language, another one in the code: the copy waits for the store.
# check: --grid 1 --num-stages 2 x=empty:fp16[64,32] y=randn:fp16[32,64] out=empty:fp32[64,64] K=32
# check: --grid 1 --num-stages 3 x=empty:fp16[64,32] y=randn:fp16[32,64] out=empty:fp32[64,64] K=32
@triton.jit
def operand_written_by_element(x, y, out, K):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 64)[None, :]
    k = tl.arange(0, 32)
    tl.store(x + i * K + k[None, :], ((i * 3 + k[None, :]) % 7).to(tl.float16))
    acc = tl.zeros([64, 64], tl.float32)
    for first in range(0, K, 32):
        acc = tl.dot(tl.load(x + i * K + first + k[None, :]), tl.load(y + (first + k[:, None]) * 64 + j), acc)
    tl.store(out + i * 64 + j, acc)


# What a masked load leaves out is another number than zero, which copies that run ahead cannot put there.
# check: --grid 1 --num-warps 1 --num-stages 2 x=randn:fp16[16,64] y=randn:fp16[64,16] out=empty:fp32[16,16] R=11
@triton.jit
def others(x, y, out, R, K: tl.constexpr = 64):
    i = tl.arange(0, 16)
    acc = tl.zeros([16, 16], tl.float32)
    for first in range(0, K, 16):
        a = tl.load(x + i[:, None] * K + first + i[None, :], mask=(i < R)[:, None], other=1.0)
        b = tl.load(y + (first + i)[:, None] * 16 + i[None, :], mask=(first + i < K - R)[:, None], other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(out + i[:, None] * 16 + i[None, :], acc)


# Each round loads what the one before has stored: no copy may run ahead.
# check: --grid 1 --num-warps 1 x=randn:fp16[5,16,16] y=randn:fp16[16,16] N=4
@triton.jit
def states(x, y, N):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    for k in range(N):
        state = tl.dot(tl.load(x + k * 256 + at), tl.load(y + at))
        tl.store(x + (k + 1) * 256 + at, state.to(tl.float16))


# Two warp groups with more than 64 rows each: the dot in flight reads the slot that prefetching one iteration less leaves free.
# check: --grid 1 --num-warps 8 --num-stages 4 x=randn:fp16[256,80] y=randn:fp16[80,16] out=empty:fp32[256,16] K=80
@triton.jit
def tall(x, y, out, K):
    i = tl.arange(0, 256)[:, None]
    j = tl.arange(0, 16)
    acc = tl.zeros([256, 16], tl.float32)
    for first in range(0, K, 16):
        a = tl.load(x + i * K + first + j[None, :])
        b = tl.load(y + (first + j)[:, None] * 16 + j[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(out + i * 16 + j[None, :], acc)


# check: --grid 1 --num-warps 1 q=randn:fp16[32,256] k=randn:fp16[96,256] o=empty:fp32[32,32] N=3
# check: --grid 1 --num-warps 1 q=randn:fp16[32,256] k=randn:fp16[32,256] o=empty:fp32[32,32] N=0
@triton.jit
def operand_from_before(q, k, o, N):
    m, n, d = tl.arange(0, 32), tl.arange(0, 32), tl.arange(0, 256)
    a = tl.load(q + m[:, None] * 256 + d[None, :])
    acc = tl.zeros((32, 32), dtype=tl.float32)
    for i in range(N):
        acc += tl.dot(a, tl.load(k + i * 8192 + n[None, :] * 256 + d[:, None]))
    tl.store(o + m[:, None] * 32 + n[None, :], acc)


# Two sums of 64x64 are all registers of a warp: operands go to shared memory before others are loaded.
# check: --grid 1 --num-warps 1 --num-stages 1 --fp32-dot tf32 g=randn:fp32[64,64] k=randn:fp32[64,64] q=randn:fp32[64,64] o=empty:fp32[64,64] p=empty:fp32[64,64] N=2 T=50
@triton.jit
def two_sums_of_a_warp(g, k, q, o, p, N, T):
    i = tl.arange(0, 64)
    a = tl.zeros((64, 64), dtype=tl.float32)
    b = tl.zeros((64, 64), dtype=tl.float32)
    for s in range(N):
        c = s * 32 + tl.arange(0, 32)
        at = i[:, None] * 64 + c[None, :]
        down = i[None, :] * 64 + c[:, None]
        scale = tl.exp2(tl.load(g + at, mask=i[:, None] < T, other=0))
        left = tl.load(k + at, mask=i[:, None] < T, other=0) * scale
        right = tl.load(k + down, mask=i[None, :] < T, other=0) * tl.exp2(-tl.load(g + down, mask=i[None, :] < T, other=0))
        a += tl.dot(left, right)
        b += tl.dot(tl.load(q + at, mask=i[:, None] < T, other=0) * scale, right)
    out = i[:, None] * 64 + i[None, :]
    tl.store(o + out, a)
    tl.store(p + out, b)
