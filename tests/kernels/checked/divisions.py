# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quotients and remainders of many numbers by one: multiplication with its reciprocal, 64 bits by 32 if numbers fit."""
import triton
import triton.language as tl


@triton.jit
def special(i, BITS: tl.constexpr, T: tl.constexpr):
    # 2^k - 1, 2^k, 2^k + 1 of every k, of both signs; what follows is anything
    i = i.to(tl.int64)
    x = (i * 0 + 1 << i % BITS) + (i // BITS % 3 - 1)
    x = tl.where(i // (BITS * 3) == 1, 0 - x, x)
    return tl.where(i < BITS * 6, x, (i * 40503 + 12345) * i * i * 2654435761).to(T)


# Every special number by every special number.
# check: --grid 48 --num-warps 4 q=empty:i32[192,256] r=empty:i32[192,256] -D N=256
# check: --grid 48 --num-warps 4 q=empty:u32[192,256] r=empty:u32[192,256] -D N=256
# check: --grid 96 --num-warps 4 q=empty:i64[384,512] r=empty:i64[384,512] -D N=512
# check: --grid 96 --num-warps 4 q=empty:u64[384,512] r=empty:u64[384,512] -D N=512
@triton.jit
def special_by_special(q, r, N: tl.constexpr):
    BITS: tl.constexpr = q.dtype.element_ty.primitive_bitwidth
    i = tl.arange(0, N)
    x = special(i, BITS, q.dtype.element_ty)
    for j in range(tl.program_id(0) * 4, tl.program_id(0) * 4 + 4):
        d = special(j, BITS, q.dtype.element_ty)
        if d == 0:
            d = d + 7
        tl.store(q + j * N + i, x // d)
        tl.store(r + j * N + i, x % d)


# Numbers that count from one of the program: from far below zero to beyond 32 bits, so that the test holds for some programs.
# check: --grid 8 --num-warps 1 q=empty:i64[8,256] r=empty:i64[8,256] c=empty:i64[8,256] first=-100 step=9000000000000 d=7
# check: --grid 8 --num-warps 1 q=empty:i64[8,256] r=empty:i64[8,256] c=empty:i64[8,256] first=-1000 step=256 d=-3
# check: --grid 8 --num-warps 1 q=empty:i64[8,256] r=empty:i64[8,256] c=empty:i64[8,256] first=4294966272 step=256 d=641
# check: --grid 8 --num-warps 1 q=empty:i64[8,256] r=empty:i64[8,256] c=empty:i64[8,256] first=4294966272 step=255 d=4294967295
# check: --grid 8 --num-warps 1 q=empty:i64[8,256] r=empty:i64[8,256] c=empty:i64[8,256] first=4294966272 step=251 d=4294967296
# check: --grid 8 --num-warps 1 q=empty:i64[8,256] r=empty:i64[8,256] c=empty:i64[8,256] first=9223372036854774784 step=256 d=1
# check: --grid 8 --num-warps 1 q=empty:i64[8,256] r=empty:i64[8,256] c=empty:i64[8,256] first=9223372036854774784 step=256 d=-1
@triton.jit
def counted(q, r, c, first, step, d):
    pid = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, 256)
    x = pid * step + first + i
    at = tl.program_id(0) * 256 + i
    tl.store(q + at, x // d)
    tl.store(r + at, x % d)
    tl.store(c + at, x // d % 1000 // 7)


# An index into dimensions known at run time, as a copy of a permuted tensor has it.
# check: --grid 5 --num-warps 1 out=zeros:fp32[1300] x=randn:fp32[1300] b=13 c=10 s0=130 s1=10 s2=1 n=1300
# check: --grid 5 --num-warps 1 out=zeros:fp32[1300] x=randn:fp32[1300] b=13 c=10 s0=10 s1=100 s2=1 n=1300
@triton.jit
def permuted(out, x, b: tl.int64, c: tl.int64, s0: tl.int64, s1: tl.int64, s2: tl.int64, n: tl.int64):
    i = tl.program_id(0).to(tl.int64) * 256 + tl.arange(0, 256)
    at = i // (b * c) * s0 + i // c % b * s1 + i % c * s2
    tl.store(out + i, tl.load(x + at, mask=i < n), mask=i < n)


# In a loop the divisor's reciprocal of 32 bits is made once; 64-bit quotients stay, because loaded numbers may not fit in 32.
# check: --grid 1 --num-warps 4 x=rand:i64[4,128] out=empty:i64[4,128] d=12345678912345
# check: --grid 1 --num-warps 4 x=rand:i32[4,128] out=empty:i32[4,128] d=-77
@triton.jit
def loaded_in_a_loop(x, out, d):
    i = tl.arange(0, 128)
    for k in range(4):
        v = tl.load(x + k * 128 + i)
        tl.store(out + k * 128 + i, v // d + v % d)


# The same with remainders as differences: what is left of a remainder is divided on.
# check: --grid 5 --num-warps 1 out=zeros:i64[1300] a=130 b=10 c=3 n=1300
# check: --grid 5 --num-warps 1 out=zeros:i64[1300] a=77 b=13 c=-5 n=1300
# check: --grid 5 --num-warps 1 out=zeros:i64[1300] a=4294967297 b=4294967296 c=9 n=1300
@triton.jit
def taken_apart(out, a: tl.int64, b: tl.int64, c: tl.int64, n: tl.int64):
    i = tl.program_id(0).to(tl.int64) * 256 + tl.arange(0, 256)
    x = i * 1
    first = x // a
    x = x - first * a
    second = x // b
    x = x - b * second
    third = x // c
    tl.store(out + i, first * 1000000 + second * 1000 + third * 10 + (x - third * c), mask=i < n)
