# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A load after a dot loop, while accumulators fill half of the registers. Its layout changes on the way."""
import triton
import triton.language as tl


# Two tiles one after the other, each copied to where the loop's slots were, of a matrix that ends within vectors.
# check: --grid 1 --num-warps 1 --num-stages 2 x=randn:fp16[128,32] y=randn:fp16[32,64] c=randn:fp16[128,64] d=randn:fp16[128,64] o=empty:fp16[128,64] TILES=2 K=32 n=61
# check: --grid 1 --num-warps 1 --num-stages 3 x=randn:fp16[128,64] y=randn:fp16[64,64] c=randn:fp16[128,64] d=randn:fp16[128,64] o=empty:fp16[128,64] TILES=2 K=64 n=64
# check: --grid 1 --num-warps 1 --num-stages 2 x=randn:fp16[64,32] y=randn:fp16[32,64] c=randn:fp16[64,64] d=randn:fp16[64,64] o=empty:fp16[64,64] TILES=1 K=0 n=5
@triton.jit
def copied_late(x, y, c, d, o, TILES, K, n):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 64)[None, :]
    for tile in range(TILES):
        rows = tile * 64 + i
        s = tl.zeros([64, 64], tl.float32)
        for first in range(0, K, 16):
            k = first + tl.arange(0, 16)
            s = tl.dot(tl.load(x + rows * K + k[None, :]), tl.load(y + k[:, None] * 64 + j), s)
        at = rows * 64 + j
        s += tl.load(c + at, mask=j < n, other=0.0)
        s += tl.load(d + at, mask=j < n, other=0.0)
        tl.store(o + at, s.to(tl.float16))


# What is read is what the kernel stored, and is stored to again.
# check: --grid 1 --num-warps 1 --num-stages 2 x=randn:fp16[64,32] y=randn:fp16[32,64] o=randn:fp16[64,64] TILES=3 K=32 n=61
@triton.jit
def copied_in_place(x, y, o, TILES, K, n):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 64)[None, :]
    for tile in range(TILES):
        s = tl.zeros([64, 64], tl.float32)
        for first in range(0, K, 16):
            k = first + tl.arange(0, 16)
            s = tl.dot(tl.load(x + i * K + k[None, :]), tl.load(y + k[:, None] * 64 + j), s)
        s += tl.load(o + i * 64 + j, mask=j < n, other=0.0)
        tl.store(o + i * 64 + j, s.to(tl.float16), mask=j < n)
