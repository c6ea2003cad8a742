# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of several accumulators: swapped, rotated, kept, and two dots that start from one. No copy of a sum may be before its wait."""
import triton
import triton.language as tl


# check: --grid 1 x=randint(-2,3):fp16[4,64,64] y=randint(-2,3):fp16[4,64,64] out=empty:fp32[2,64,64] n=4
# check: --grid 1 --num-stages 1 x=randint(-2,3):bf16[3,64,64] y=randint(-2,3):bf16[3,64,64] out=empty:fp32[2,64,64] n=3
@triton.jit
def swapped(x, y, out, n):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    first = tl.zeros((64, 64), tl.float32)
    second = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        first = tl.dot(tl.load(x + i + k * 4096), tl.load(y + i + k * 4096), first)
        second = second * 0.5
        first, second = second, first
    tl.store(out + i, first)
    tl.store(out + 4096 + i, second)


# check: --grid 1 x=randint(-2,3):fp16[4,64,64] y=randint(-2,3):fp16[4,64,32] start=randn:fp32[64,32] out=empty:fp32[4,64,32] n=4
@triton.jit
def rotated(x, y, start, out, n):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 32)[None, :]
    q = i * 32 + j
    s = (tl.load(start + q), tl.zeros((64, 32), tl.float32), tl.zeros((64, 32), tl.float32), tl.load(start + q))
    for k in range(n):
        u = tl.load(x + k * 4096 + i * 64 + tl.arange(0, 64)[None, :])
        v = tl.load(y + k * 2048 + tl.arange(0, 64)[:, None] * 32 + j)
        s = (tl.dot(u, v, s[0]), tl.dot(u, v, s[1]), s[2], s[3] * -0.5)
        s = (s[1], s[2], s[3], s[0])
    for m in tl.static_range(4):
        tl.store(out + m * 2048 + q, s[m])


# Two dots start from one accumulator. A copy of it is kept.
# check: --grid 1 x=randint(-2,3):fp16[3,64,64] y=randint(-2,3):fp16[3,64,64] out=empty:fp32[3,64,64] n=3
@triton.jit
def from_one(x, y, out, n):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    acc = tl.zeros((64, 64), tl.float32)
    other = tl.zeros((64, 64), tl.float32)
    kept = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        u = tl.load(x + i + k * 4096)
        v = tl.load(y + i + k * 4096)
        kept = kept + acc
        other = tl.dot(v, u, acc)
        acc = tl.dot(u, v, acc)
    tl.store(out + i, acc)
    tl.store(out + 4096 + i, other)
    tl.store(out + 8192 + i, kept)


# The loop's sum is stored, and another dot continues from it.
# check: --grid 1 x=randint(-2,3):fp16[3,64,64] y=randint(-2,3):fp16[3,64,64] out=empty:fp32[2,64,64] n=3
# check: --grid 1 --num-stages 2 x=randint(-2,3):i8[3,64,64] y=randint(-2,3):i8[3,64,64] out=empty:i32[2,64,64] n=3
@triton.jit
def continued(x, y, out, n):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    acc = tl.zeros((64, 64), out.dtype.element_ty)
    for k in range(n):
        acc = tl.dot(tl.load(x + i + k * 4096), tl.load(y + i + k * 4096), acc)
    tl.store(out + i, acc)
    tl.store(out + 4096 + i, tl.dot(tl.load(y + i), tl.load(x + i), acc))


# check: --grid 1 x=randint(-2,3):fp16[4,64,64] y=randint(-2,3):fp16[4,64,64] out=empty:fp32[2,64,64] n=4 flag=0
# check: --grid 1 x=randint(-1,2):fp8e4nv[4,64,64] y=randint(-1,2):fp8e4nv[4,64,64] out=empty:fp32[2,64,64] n=4 flag=1
@triton.jit
def by_chance(x, y, out, n, flag):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    first = tl.zeros((64, 64), tl.float32)
    second = tl.zeros((64, 64), tl.float32)
    for k in range(n):
        u = tl.load(x + i + k * 4096)
        v = tl.load(y + i + k * 4096)
        first = tl.dot(u, v, first)
        if k % 2 == flag:
            first, second = second, first
            second = tl.dot(v, u, second)
    tl.store(out + i, first)
    tl.store(out + 4096 + i, second)


# Two sums of fp16 share a register. One of them is used right after the wait.
# check: --grid 1 x=randint(-1,2):fp16[3,64,64] y=randint(-1,2):fp16[3,64,64] out=empty:fp16[2,64,64] n=3
@triton.jit
def halves(x, y, out, n):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    first = tl.zeros((64, 64), tl.float16)
    second = tl.zeros((64, 64), tl.float16)
    for k in range(n):
        u = tl.load(x + i + k * 4096)
        v = tl.load(y + i + k * 4096)
        second = tl.dot(u, v, first, out_dtype=tl.float16) * 0.5
        first = tl.dot(v, u, second * 0.5, out_dtype=tl.float16)
    tl.store(out + i, first)
    tl.store(out + 4096 + i, second)


# Iterations only pass values on. ptxas unrolled the loop, and computed them from the sums of a later dot.
# check: --grid 1 --num-stages 1 x=randint(-2,3):fp16[9,64,32] y=randint(-2,3):fp16[9,32,16] out=empty:fp32[2,64,16] n=6
@triton.jit
def passed_on(x, y, out, n):
    a = tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :]
    b = tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :]
    c = tl.arange(0, 64)[:, None] * 16 + tl.arange(0, 16)[None, :]
    acc = tl.zeros((64, 16), tl.float32)
    before = acc
    earlier = acc
    for k in range(n):
        earlier = before * 2
        before = acc * 2
        acc = tl.dot(tl.load(x + a + k * 2048), tl.load(y + b + k * 512), acc) * 2
    tl.store(out + c, before)
    tl.store(out + 1024 + c, earlier)


# check: --grid 1 --num-stages 1 x=randint(-1,2):fp16[9,64,32] y=randint(-1,2):fp16[9,32,16] out=empty:fp16[2,64,16] n=9
@triton.jit
def swapped_halves(x, y, out, n):
    a = tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :]
    b = tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :]
    c = tl.arange(0, 64)[:, None] * 16 + tl.arange(0, 16)[None, :]
    first = tl.zeros((64, 16), tl.float16)
    second = tl.zeros((64, 16), tl.float16)
    for k in range(n):
        first, second = second, tl.dot(tl.load(x + a + k * 2048), tl.load(y + b + k * 512), first, out_dtype=tl.float16)
    tl.store(out + c, first)
    tl.store(out + 1024 + c, second)
