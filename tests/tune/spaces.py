# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with many configurations: those that the tuner and the model's ranking are held to."""
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    rows, cols = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (GROUP * cols)
    first = group * GROUP
    size = min(rows - first, GROUP)
    m = first + (pid % (GROUP * cols)) % size
    n = (pid % (GROUP * cols)) // size
    offs_m = m * BM + tl.arange(0, BM)
    offs_n = n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    pa = a + offs_m[:, None] * K + offs_k[None, :]
    pb = b + offs_k[:, None] * N + offs_n[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * N
    tl.store(c + offs_m[:, None] * N + offs_n[None, :], acc.to(tl.float16))


@triton.jit
def softmax(x, out, cols, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    most = tl.full((ROWS, BLOCK), float("-inf"), tl.float32)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    for i in range(0, cols, BLOCK):
        v = tl.load(x + rows[:, None] * cols + i + tl.arange(0, BLOCK)[None, :])
        larger = tl.maximum(most, v)
        total = total * tl.exp(most - larger) + tl.exp(v - larger)
        most = larger
    whole = tl.max(most, 1)
    scale = 1 / tl.sum(total * tl.exp(most - whole[:, None]), 1)
    for i in range(0, cols, BLOCK):
        at = rows[:, None] * cols + i + tl.arange(0, BLOCK)[None, :]
        tl.store(out + at, tl.exp(tl.load(x + at) - whole[:, None]) * scale[:, None])


@triton.jit
def attention(q, k, v, out, N, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    base = tl.program_id(1) * N * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    x = tl.load(q + base + rows[:, None] * D + d[None, :])
    most = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for j in range(0, N, BN):
        at = base + (j + tl.arange(0, BN))[:, None] * D + d[None, :]
        s = tl.dot(x, tl.load(k + at).T) * scale
        larger = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - larger[:, None])
        shrink = tl.exp2(most - larger)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + at), acc * shrink[:, None])
        most = larger
    tl.store(out + base + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def row_sum(x, out, cols, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    sums = tl.zeros((ROWS, BLOCK), tl.float32)
    for i in range(0, cols, BLOCK):
        sums += tl.load(x + rows[:, None] * cols + i + tl.arange(0, BLOCK)[None, :])
    tl.store(out + rows, tl.sum(sums, 1))


@triton.jit
def layer_norm(x, gain, bias, out, cols, eps, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    at = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None] * cols + tl.arange(0, BLOCK)[None, :]
    total, squares = tl.zeros((ROWS, BLOCK), tl.float32), tl.zeros((ROWS, BLOCK), tl.float32)
    for i in range(0, cols, BLOCK):
        v = tl.load(x + at + i).to(tl.float32)
        total += v
        squares += v * v
    mean = tl.sum(total, 1) / cols
    scale = tl.rsqrt(tl.sum(squares, 1) / cols - mean * mean + eps)
    for i in range(0, cols, BLOCK):
        v = (tl.load(x + at + i).to(tl.float32) - mean[:, None]) * scale[:, None]
        col = i + tl.arange(0, BLOCK)[None, :]
        tl.store(out + at + i, (v * tl.load(gain + col) + tl.load(bias + col)).to(tl.float16))


@triton.jit
def experts(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    group = tl.program_id(1)
    rows = (tl.program_id(0) // tl.cdiv(N, BN)) * BM + tl.arange(0, BM)
    cols = (tl.program_id(0) % tl.cdiv(N, BN)) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + group * M * K + rows[:, None] * K + k[None, :]
    pb = b + group * N * K + cols[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, K, BK):
        acc = tl.dot(tl.load(pa + i), tl.load(pb + i), acc)
    acc = tl.maximum(acc + tl.load(bias + group * N + cols).to(tl.float32)[None, :], 0)
    tl.store(c + group * M * N + rows[:, None] * N + cols[None, :], acc.to(tl.float16))


@triton.jit
def causal(q, k, v, out, N, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(0) * BM
    rows, d = first + tl.arange(0, BM), tl.arange(0, D)
    base, shared = tl.program_id(1) * N * D, tl.program_id(1) // 4 * N * D
    x = tl.load(q + base + rows[:, None] * D + d[None, :])
    most, total = tl.full((BM,), float("-inf"), tl.float32), tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for j in range(0, first + BM, BN):
        cols = j + tl.arange(0, BN)
        at = shared + cols[:, None] * D + d[None, :]
        s = tl.dot(x, tl.load(k + at).T) * scale
        s = tl.where(rows[:, None] >= cols[None, :], s, float("-inf"))
        larger = tl.maximum(most, tl.max(s, 1))
        p, shrink = tl.exp2(s - larger[:, None]), tl.exp2(most - larger)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + at), acc * shrink[:, None])
        most = larger
    tl.store(out + base + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))
