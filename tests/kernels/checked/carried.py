# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses of copies that loops advance, as one spells them."""
import triton
import triton.language as tl


# check: --grid 2 --num-warps 2 a=randn:fp16[100,96] b=randn:fp16[64,96] c=empty:fp32[128,64] M=100 K=96 sa=96 -D BM=64 -D BN=64 -D BK=32
# check: --grid 1 --num-stages 2 a=randn:fp16[50,128] b=randn:fp16[128,128] c=empty:fp32[64,128] M=50 K=128 sa=128 -D BM=64 -D BN=128 -D BK=64
@triton.jit
def wrapped_rows(a, b, c, M, K, sa, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k = tl.arange(0, BN), tl.arange(0, BK)
    pa = a + (rows % M)[:, None] * sa + k[None, :]
    pb = b + k[:, None] + n[None, :] * sa
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK
    tl.store(c + rows[:, None] * BN + n[None, :], acc)


# check: --grid 1 --num-warps 2 a=randn:fp16[64,256] b=randn:fp16[64,256] c=empty:fp32[64,64] last=empty:fp16[64] N=2 -D BK=32
@triton.jit
def halves_of_lines(a, b, c, last, N, BK: tl.constexpr):
    m, k = tl.arange(0, 64), tl.arange(0, BK)
    pa = a + (m[:, None] * 256 + k[None, :])
    pb = b + (k[:, None] + m[None, :] * 256) + 128
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for _ in range(N):
        for _ in range(0, 64, BK):
            acc = tl.dot(tl.load(pa), tl.load(pb), acc)
            pa += BK
            pb -= BK
        pa += 64
        pb += 32
    tl.store(c + m[:, None] * 64 + m[None, :], acc)
    tl.store(last + m, tl.max(tl.load(pa - 64), axis=1))


# check: --grid 1 --num-warps 2 a=randn:fp16[64,128] b=randn:fp16[64,128] c=empty:fp32[64,64] N=4 step=32
@triton.jit
def bytes_then_elements(a, b, c, N, step):
    m, k = tl.arange(0, 64), tl.arange(0, 32)
    pa = (a.to(tl.pointer_type(tl.int8)) + m[:, None] * 256).to(tl.pointer_type(tl.float16)) + k[None, :]
    pb = (b.to(tl.pointer_type(tl.int8)) + m[None, :] * 256).to(tl.pointer_type(tl.float16)) + k[:, None]
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for _ in range(N):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += step
        pb += step
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


# check: --grid 1 --num-warps 2 a=randn:fp16[64,128] b=randn:fp16[64,128] c=empty:fp32[64,64] K=128
@triton.jit
def pointers_of_programs(a, b, c, K):
    m, k = tl.arange(0, 64), tl.arange(0, 32)
    rows = (m * 7) % 64
    offsets_a, offsets_b = rows[:, None] * 128 + k[None, :], rows[None, :] * 128 + k[:, None]
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for _ in range(0, K, 32):
        acc = tl.dot(tl.load(a + offsets_a), tl.load(b + offsets_b), acc)
        a += 32
        b += 32
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


# check: --grid 1 --num-warps 2 a=randn:fp16[70,96] b=randn:fp16[96,64] c=zeros:fp32[70,64] M=70 K=96 -D CHECKED=True
# check: --grid 1 --num-warps 2 a=randn:fp16[70,96] b=randn:fp16[96,64] c=zeros:fp32[70,64] M=70 K=96 -D CHECKED=False
@triton.jit
def blocks(a, b, c, M, K, CHECKED: tl.constexpr):
    pa = tl.make_block_ptr(a, (M, K), (K, 1), (0, 0), (64, 32), (1, 0))
    pb = tl.make_block_ptr(b, (K, 64), (64, 1), (0, 0), (32, 64), (1, 0))
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for _ in range(0, K, 32):
        if CHECKED:
            acc = tl.dot(tl.load(pa, boundary_check=(0, 1)), tl.load(pb, boundary_check=(0,)), acc)
        else:
            acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa = tl.advance(pa, (0, 32))
        pb = tl.advance(pb, (32, 0))
    tl.store(tl.make_block_ptr(c, (M, 64), (64, 1), (0, 0), (64, 64), (1, 0)), acc, boundary_check=(0, 1))


# check: --grid 1 --num-warps 1 a=randn:fp16[80,96] b=randn:fp16[64,96] c=empty:fp32[64,64] K=96 sa=96 shift=3
@triton.jit
def rows_of_64_bits(a, b, c, K, sa, shift):
    m, k = tl.arange(0, 64).to(tl.int64), tl.arange(0, 32)
    offsets_a = (m + shift)[:, None] * sa + k[None, :]
    offsets_b = (63 - m)[None, :] * sa + k[:, None]
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for _ in range(0, K, 32):
        acc = tl.dot(tl.load(a + offsets_a), tl.load(b + offsets_b), acc)
        a += 32
        b += 32
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


# check: --grid 1 --num-warps 1 a=randn:fp16[64,96] b=randn:fp16[64,96] c=empty:fp32[64,64] last=empty:i32[64] K=80 sa=96
@triton.jit
def offsets(a, b, c, last, K, sa):
    m, k = tl.arange(0, 64), tl.arange(0, 32)
    columns = tl.arange(0, 32)
    oa = m[:, None] * sa + k[None, :]
    ob = (63 - m)[None, :] * sa + k[:, None]
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for _ in range(0, K, 32):
        x = tl.load(a + oa, mask=columns[None, :] < K, other=0.0)
        y = tl.load(b + ob)
        acc = tl.dot(x, y, acc)
        oa += 32
        ob += 32
        columns = columns + 32
    tl.store(c + m[:, None] * 64 + m[None, :], acc)
    tl.store(last + m, tl.max(oa, axis=1))


# check: --grid 1 --num-warps 1 a=randn:fp16[64,96] b=randn:fp16[64,96] c=empty:fp32[64,64] K=3 sa=96
@triton.jit
def offsets_of_steps(a, b, c, K, sa):
    m, k = tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for i in range(0, K):
        step = i * 32 + k
        acc = tl.dot(tl.load(a + (m[:, None] * sa + step[None, :])), tl.load(b + (step[:, None] + m[None, :] * sa)), acc)
    tl.store(c + m[:, None] * 64 + m[None, :], acc)


# check: --grid 1 --num-warps 1 a=randn:fp16[64,150] b=randn:fp16[150,64] c=empty:fp16[64,64] K=150 sa=150 sb=64
# check: --grid 1 --num-warps 1 a=randn:fp16[64,33] b=randn:fp16[33,64] c=empty:fp16[64,64] K=33 sa=33 sb=64
# check: --grid 1 --num-warps 1 a=randn:fp16[64,33] b=randn:fp16[33,64] c=empty:fp16[64,64] K=0 sa=33 sb=64
@triton.jit
def single_elements(a, b, c, K, sa, sb):
    m, n, k = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    pa = a + m[:, None] * sa + k[None, :]
    pb = b + k[:, None] * sb + n[None, :]
    acc = tl.zeros((64, 64), dtype=tl.float32)
    for i in range(0, K, 64):
        acc = tl.dot(tl.load(pa, mask=k[None, :] < K - i, other=0), tl.load(pb, mask=k[:, None] < K - i, other=0), acc)
        pa += 64
        pb += 64 * sb
    tl.store(c + m[:, None] * 64 + n[None, :], acc.to(tl.float16))


# check: --grid 1 --num-warps 1 x=randn:fp16[1024] y=randn:fp16[1024] out=empty:fp16[1024] n=1
# check: --grid 1 --num-warps 1 x=randn:fp16[1024] y=randn:fp16[1024] out=empty:fp16[1024] n=2
@triton.jit
def either(x, y, out, n):
    i = tl.arange(0, 1024)
    if n > 1:
        v = tl.load(x + i)
    else:
        v = tl.load(y + i)
    tl.store(out + i, v)


# check: --grid 1 a=randn:fp16[64,400] b=randn:fp16[128,400] c=empty:fp32[64,128] M=50 N=120 K=150 sa=400 sk=2
@triton.jit
def masks_of_steps(a, b, c, M, N, K, sa, sk):
    m, n, k = tl.arange(0, 64).to(tl.int64), tl.arange(0, 128).to(tl.int64), tl.arange(0, 128).to(tl.int64)
    pa = a + m[:, None] * sa + k[None, :] * sk
    pb = b + k[:, None] * sk + n[None, :] * sa
    acc = tl.zeros((64, 128), dtype=tl.float32)
    for _ in range(0, K, 128):
        inside = k < K
        x = tl.load(pa, mask=(m < M)[:, None] & inside[None, :], other=0.0)
        acc = tl.dot(x, tl.load(pb, mask=inside[:, None] & (n < N)[None, :], other=0.0), acc)
        k += 128
        pa += 128 * sk
        pb += 128 * sk
    tl.store(c + m[:, None] * 128 + n[None, :], acc)


# check: --grid 2 a=randn:fp16[192,260] b=randn:fp16[70,260] c=empty:fp32[192,64] M=192 N=70 K=128 sa=260 sk=2
@triton.jit
def blocks_in_turn(a, b, c, M, N, K, sa, sk):
    m, k = tl.arange(0, 64), tl.arange(0, 64)
    for block in range(tl.program_id(0), M // 64, 2):
        rows, columns = (block * 64 + m) % M, (block + m) % N
        pa = a + rows[:, None] * sa + k[None, :] * sk
        pb = b + k[:, None] * sk + columns[None, :] * sa
        acc = tl.zeros((64, 64), dtype=tl.float32)
        for _ in range(0, K, 64):
            acc = tl.dot(tl.load(pa), tl.load(pb), acc)
            pa += 64 * sk
            pb += 64 * sk
        tl.store(c + rows[:, None] * 64 + m[None, :], acc)
