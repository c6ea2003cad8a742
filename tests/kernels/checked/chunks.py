# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over chunks of a sequence, like linear attention. A state goes from chunk to chunk, upwards or downwards. Loaded values change
before the dot. There are no chunks, one, fewer or more than are prefetched, or ragged ones."""
import triton
import triton.language as tl


# check: --grid 1 --num-warps 4 --num-stages 4 --restrict q=rand:bf16[256,32] d=rand:bf16[256,64] h=zeros:fp32[4,32,64] f=empty:fp32[32,64] scale=0.5 T=256 -D K=32 -D V=64 -D BT=64
# check: --grid 1 --num-warps 1 --num-stages 2 --restrict q=rand:bf16[200,32] d=rand:bf16[200,32] h=zeros:fp32[4,32,32] f=empty:fp32[32,32] scale=0.5 T=200 -D K=32 -D V=32 -D BT=64
# check: --grid 1 --num-warps 4 --num-stages 3 q=rand:fp16[130,64] d=rand:fp16[130,64] h=zeros:fp32[3,64,64] f=empty:fp32[64,64] scale=0.5 T=130 -D K=64 -D V=64 -D BT=64
# check: --grid 1 --num-warps 4 --num-stages 4 --restrict q=rand:bf16[64,32] d=rand:bf16[64,64] h=zeros:fp32[1,32,64] f=empty:fp32[32,64] scale=0.5 T=64 -D K=32 -D V=64 -D BT=64
# check: --grid 1 --num-warps 4 --num-stages 4 --restrict q=rand:bf16[64,32] d=rand:bf16[64,64] h=zeros:fp32[1,32,64] f=empty:fp32[32,64] scale=0.5 T=0 -D K=32 -D V=64 -D BT=64
@triton.jit
def downwards(q, d, h, f, scale, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr):
    k, v = tl.arange(0, K), tl.arange(0, V)
    state = tl.zeros((K, V), dtype=tl.float32)
    for i in range(tl.cdiv(T, BT) - 1, -1, -1):
        tl.store(h + i * K * V + k[:, None] * V + v[None, :], state)
        t = i * BT + tl.arange(0, BT)
        x = tl.load(q + k[:, None] + t[None, :] * K, mask=t[None, :] < T, other=0.0)
        y = tl.load(d + t[:, None] * V + v[None, :], mask=t[:, None] < T, other=0.0)
        state = tl.dot((x * scale).to(x.dtype), y, state)
    tl.store(f + k[:, None] * V + v[None, :], state)


# check: --grid 1 --num-warps 4 --num-stages 4 --restrict x=rand:bf16[256,64] y=rand:bf16[256,64] g=rand:fp32[256] h=zeros:fp32[4,64,64] f=empty:fp32[64,64] T=256 -D K=64 -D V=64 -D BT=64
# check: --grid 1 --num-warps 1 --num-stages 2 --restrict x=rand:bf16[250,32] y=rand:bf16[250,32] g=rand:fp32[250] h=zeros:fp32[4,32,32] f=empty:fp32[32,32] T=250 -D K=32 -D V=32 -D BT=64
# check: --grid 1 --num-warps 8 --num-stages 3 --restrict x=rand:fp16[65,64] y=rand:fp16[65,64] g=rand:fp32[65] h=zeros:fp32[2,64,64] f=empty:fp32[64,64] T=65 -D K=64 -D V=64 -D BT=64
# check: --grid 1 --num-warps 4 --num-stages 4 --restrict x=rand:bf16[64,64] y=rand:bf16[64,64] g=rand:fp32[64] h=zeros:fp32[1,64,64] f=empty:fp32[64,64] T=0 -D K=64 -D V=64 -D BT=64
@triton.jit
def gated(x, y, g, h, f, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr):
    k, v = tl.arange(0, K), tl.arange(0, V)
    state = tl.zeros((K, V), dtype=tl.float32)
    for i in range(tl.cdiv(T, BT)):
        tl.store(h + i * K * V + k[:, None] * V + v[None, :], state)
        t = i * BT + tl.arange(0, BT)
        a = tl.load(x + k[:, None] + t[None, :] * K, mask=t[None, :] < T, other=0.0)
        b = tl.load(y + t[:, None] * V + v[None, :], mask=t[:, None] < T, other=0.0)
        last = tl.load(g + min(i * BT + BT, T) - 1)
        gate = tl.load(g + t, mask=t < T, other=0.0)
        state *= tl.exp2(last)
        b = (b * tl.exp2(last - gate)[:, None]).to(b.dtype)
        state = tl.dot(a, b, state)
    tl.store(f + k[:, None] * V + v[None, :], state)


# What an iteration stores the next one loads, and computes on: the load is not ahead of the store.
# check: --grid 1 --num-warps 4 --num-stages 3 --restrict x=rand:fp16[256,64] y=rand:fp16[64,64] f=empty:fp32[64,64] n=4 -D K=64
# check: --grid 1 --num-warps 1 --num-stages 2 --restrict x=rand:fp16[64,32] y=rand:fp16[32,32] f=empty:fp32[32,32] n=2 -D K=32
# check: --grid 1 --num-warps 4 --num-stages 3 x=rand:fp16[192,64] y=rand:fp16[64,64] f=empty:fp32[64,64] n=3 -D K=64
@triton.jit
def handed_on(x, y, f, n, K: tl.constexpr):
    k = tl.arange(0, K)
    p = y + k[:, None] * K + k[None, :]
    total = tl.zeros((K, K), dtype=tl.float32)
    for i in range(n):
        a = tl.load(x + (i * K + k)[:, None] * K + k[None, :])
        b = tl.load(p)
        b = (b * 0.5).to(b.dtype)
        tl.store(p, b)
        total = tl.dot(a, b, total)
    tl.store(f + k[:, None] * K + k[None, :], total)


# Rows that the next loads' addresses are made of, and that are computed on too: they are loaded where they are needed first.
# check: --grid 1 --num-warps 4 --num-stages 3 --restrict at=randint(0,64):i32[256] x=rand:fp16[64,64] y=rand:fp16[256,64] f=empty:fp32[64,64] n=4 -D K=64
@triton.jit
def picked(at, x, y, f, n, K: tl.constexpr):
    k = tl.arange(0, K)
    total = tl.zeros((K, K), dtype=tl.float32)
    for i in range(n):
        rows = tl.load(at + i * K + k)
        a = tl.load(x + rows[None, :] * K + k[:, None])
        b = tl.load(y + (i * K + k)[:, None] * K + k[None, :])
        total = tl.dot(a, (b * rows.to(tl.float32)[:, None] * 0.015625).to(b.dtype), total)
    tl.store(f + k[:, None] * K + k[None, :], total)
