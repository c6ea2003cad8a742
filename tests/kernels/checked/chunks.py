# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over chunks of a sequence, as of linear attention: a state goes from chunk to chunk, upwards or downwards, and what is loaded of a
chunk is computed on before the product. Lengths of no chunk, of one, of fewer than are copied ahead, of more, and ragged ones."""
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
# check: --grid 1 --num-warps 4 --num-stages 3 --restrict x=rand:fp16[256,64] y=rand:fp16[256,64] T=256 -D K=64 -D BT=64
# check: --grid 1 --num-warps 4 --num-stages 3 x=rand:fp16[192,64] y=rand:fp16[192,64] T=192 -D K=64 -D BT=64
@triton.jit
def handed_on(x, y, T, K: tl.constexpr, BT: tl.constexpr):
    k = tl.arange(0, K)
    for i in range(1, tl.cdiv(T, BT)):
        t = i * BT + tl.arange(0, BT)
        a = tl.load(x + t[:, None] * K + k[None, :])
        b = tl.load(y + (t - BT)[:, None] * K + k[None, :])
        c = tl.dot(a, (b * 0.25).to(b.dtype))
        tl.debug_barrier()
        tl.store(y + t[:, None] * K + k[None, :], (c * 0.0625).to(b.dtype))
        tl.debug_barrier()
