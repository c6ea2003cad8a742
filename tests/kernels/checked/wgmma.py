# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dots whose accumulators stay live or begin unpacked: nothing may touch wgmma's registers until its wait."""
import triton
import triton.language as tl


# check: -O0 --grid 1 --num-warps 4 x=randn:bf16[2048] acc=randn:fp32[2048] out=empty:fp32[2048] again=empty:fp32[2048]
# check: --grid 1 --num-warps 4 x=randn:bf16[2048] acc=randn:fp32[2048] out=empty:fp32[2048] again=empty:fp32[2048]
@triton.jit
def accumulator_used_again(x, acc, out, again):
    i = tl.arange(0, 64)[:, None] * 32
    j = tl.arange(0, 32)[None, :]
    start = tl.load(acc + i + (31 - j))
    tl.store(out + i + j, tl.dot(tl.load(x + i + j), tl.full([32, 32], -0.5, tl.bfloat16), start))
    tl.store(again + i + (31 - j), start)


# check: -O0 --grid 1 --num-warps 4 x=rand:i8[2048] y=randn:i8[2048] out=empty:i32[4096]
# check: --grid 1 --num-warps 4 x=rand:i8[2048] y=randn:i8[2048] out=empty:i32[4096]
@triton.jit
def integers(x, y, out):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 32)[None, :]
    k = tl.arange(0, 32)[:, None]
    n = tl.arange(0, 64)[None, :]
    tl.store(out + i * 64 + n, tl.dot(tl.load(x + i * 32 + j), tl.load(y + k + n * 32)))


# check: -O0 --grid 1 --num-warps 4 x=randn:bf16[4096] out=empty:fp32[4096] again=empty:fp32[4096]
# check: --grid 1 --num-warps 4 x=randn:bf16[4096] out=empty:fp32[4096] again=empty:fp32[4096]
@triton.jit
def operand_is_accumulator(x, out, again):
    i = tl.arange(0, 64)[:, None] * 64
    j = tl.arange(0, 64)[None, :]
    v = tl.load(x + i + j)
    acc = v.to(tl.float32)
    tl.store(out + i + j, tl.dot(v, v, acc))
    tl.store(again + i + j, acc)


# check: -O0 --grid 1 --num-warps 4 --num-stages 3 x=randn:fp16[16384] out=empty:fp32[4096] n=4
# check: -O1 --grid 1 --num-warps 4 --num-stages 3 x=randn:fp16[16384] out=empty:fp32[4096] n=4
@triton.jit
def over_a_loop(x, out, n):
    i = tl.arange(0, 64)[:, None] * 64
    j = tl.arange(0, 64)[None, :]
    acc = tl.zeros([64, 64], tl.float32)
    for step in range(n):
        v = tl.load(x + step * 4096 + i + j)
        acc = tl.dot(v, tl.trans(v), acc)
    tl.store(out + i + j, acc)


# check: --grid 1 --num-warps 4 a=randn:fp16[4096] b=randn:fp16[4096] out=empty:fp32[4096]
@triton.jit
def batch_of_one(a, b, out):
    at = tl.arange(0, 64)[None, :, None] * 64 + tl.arange(0, 64)[None, None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at)))


# More sums than registers: 2048 a thread.
# check: --grid 1 --num-warps 4 a=randn:fp16[8192] b=randn:fp16[8192] out=empty:fp32[262144]
@triton.jit
def sums_beyond_registers(a, b, out):
    i = tl.arange(0, 512)[:, None]
    j = tl.arange(0, 512)[None, :]
    x = tl.load(a + i * 16 + tl.arange(0, 16)[None, :])
    y = tl.load(b + tl.arange(0, 16)[:, None] * 512 + j)
    tl.store(out + i * 512 + j, tl.dot(x, y))
