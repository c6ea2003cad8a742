# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that do not fit a thread's registers in fp32, as norms and softmax have them: what is used after a reduction is made again."""

import triton
import triton.language as tl


# check: --grid 2 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[2,4096] w=randn:bf16[4096] y=empty:bf16[2,4096] n=4096
# check: --grid 2 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[2,3001] w=randn:bf16[3001] y=empty:bf16[2,3001] n=3001
# check: --grid 1 --num-warps 1 --maxnreg 64 -D B=2048 x=randn:fp16[1,1] w=randn:fp16[1] y=empty:fp16[1,1] n=1
@triton.jit
def layer_norm(x, w, y, n, B: tl.constexpr):
    row, c = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0).to(tl.float32)
    d = tl.where(c < n, v - tl.sum(v, 0) / n, 0)
    scale = tl.rsqrt(tl.sum(d * d, 0) / n + 1e-5)
    tl.store(y + row * n + c, d * scale * tl.load(w + c, mask=c < n).to(tl.float32), mask=c < n)


# check: --grid 2 --num-warps 4 --maxnreg 48 -D B=4096 x=randn:fp16[2,4096] y=empty:fp16[2,4096] n=4096
# check: --grid 2 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[2,2049] y=empty:bf16[2,2049] n=2049
@triton.jit
def softmax(x, y, n, B: tl.constexpr):
    row, c = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * n + c, e / tl.sum(e, 0), mask=c < n)


# check: --grid 1 --num-warps 2 --maxnreg 64 -D B=2048 x=randn:bf16[3,2048] y=empty:fp32[3,2048] rows=3
# check: --allow-uncompared 1 --grid 1 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[1,4096] y=empty:fp32[1,4096] rows=0
# check: --grid 1 --num-warps 2 --maxnreg 64 -D B=4096 x=randn:bf16[2,4096] y=&x rows=2
@triton.jit
def centred(x, y, rows, B: tl.constexpr):
    """In a loop; y may be x."""
    c = tl.arange(0, B)
    for row in range(rows):
        v = tl.load(x + row * B + c).to(tl.float32)
        d = v - tl.sum(v, 0) / B
        tl.store(y + row * B + c, d / tl.max(tl.abs(d), 0))
        tl.debug_barrier()


# check: --grid 2 --num-warps 2 -D B=2048 x=randn:bf16[2,2048] most=empty:bf16[2] least=empty:fp32[2] n=2048
# check: --grid 2 --num-warps 4 -D B=1024 x=randn:bf16[2,777] most=empty:bf16[2] least=empty:fp32[2] n=777
# check: --grid 3 --num-warps 1 -D B=64 x=randn:bf16[3,1] most=empty:bf16[3] least=empty:fp32[3] n=1
# check: --grid 1 --num-warps 1 -D B=256 x=full(3):bf16[1,256] most=empty:bf16[1] least=empty:fp32[1] n=256
@triton.jit
def extremes(x, most, least, n, B: tl.constexpr):
    """With numbers that are none, or nothing else, zeros of either sign, and infinities."""
    row, c = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=float("nan"))
    v = tl.where(v > 1, float("nan"), tl.where(v > 0.9, float("inf"), tl.where(v < -0.5, -0.0, v)))
    tl.store(most + row, tl.max(v, 0))
    tl.store(least + row, tl.min(v.to(tl.float32), 0))


# check: --grid 1 --num-warps 2 -D R=8 -D B=128 x=randn:bf16[8,128] rows=empty:bf16[8] columns=empty:bf16[128]
# check: --grid 1 --num-warps 4 -D R=64 -D B=16 x=randn:bf16[64,16] rows=empty:bf16[64] columns=empty:bf16[16]
@triton.jit
def extremes_both_ways(x, rows, columns, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, B)
    v = tl.load(x + r[:, None] * B + c[None, :]).to(tl.float32)
    tl.store(rows + r, tl.max(v, 1))
    tl.store(columns + c, tl.min(v, 0))


# check: --grid 2 --num-warps 1 --maxnreg 64 -D B=1024 x=randn:fp32[2,1024] w=randn:fp32[2,1024] b=randn:fp32[2,1024] y=empty:fp32[2,1024] z=empty:fp32[2,1024] n=1024
# check: --grid 1 --num-warps 1 --maxnreg 64 -D B=1024 x=randn:fp32[1,1001] w=randn:fp32[1,1001] b=randn:fp32[1,1001] y=&x z=&w n=1001
# check: --grid 2 --num-warps 1 --maxnreg 64 -D B=1024 x=randn:fp32[2,1024] w=randn:fp32[2,1024] b=&w y=&w z=&w n=1024
@triton.jit
def blended(x, w, b, y, z, n, B: tl.constexpr):
    """Three tiles make one, which is stored twice, where they were read or not."""
    row, c = tl.program_id(0), tl.arange(0, B)
    at, m = row * n + c, c < n
    v = tl.load(x + at, mask=m, other=0)
    u = tl.load(w + at, mask=m, other=0)
    t = tl.load(b + at, mask=m, other=0)
    r = v * u + t
    tl.store(y + at, r, mask=m)
    tl.store(z + at, r, mask=m)
