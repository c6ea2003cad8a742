# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with one planted flaw each, and the right form of each. `tilec explain` must name first the flaw that
`expected` has."""
import triton
import triton.language as tl


@triton.jit
def column_sums(x, out, rows, columns, B: tl.constexpr):
    """A program reads a column: lanes are a row apart."""
    column, at = tl.program_id(0), tl.arange(0, B)
    total = tl.zeros([B], dtype=tl.float32)
    for row in range(0, rows, B):
        total += tl.load(x + (row + at) * columns + column, mask=row + at < rows, other=0.0)
    tl.store(out + column, tl.sum(total, 0))


@triton.jit
def shifted(x, y, n, skip, B: tl.constexpr):
    """y[i] = 2 x[i + skip]. No fact says that skip is a multiple of anything."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, 2 * tl.load(x + skip + i, mask=i < n), mask=i < n)


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """Fine with fitting tiles, warps and stages; GROUP rows of tiles share columns."""
    pid, across = tl.program_id(0), tl.cdiv(N, BN)
    first = pid // (GROUP * across) * GROUP
    rows = min(tl.cdiv(M, BM) - first, GROUP)
    m, n = first + pid % (GROUP * across) % rows, pid % (GROUP * across) // rows
    om, on, ok = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros([BM, BN], dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + om[:, None] * K + (k + ok)[None, :])
        y = tl.load(b + (k + ok)[:, None] * N + on[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + om[:, None] * N + on[None, :], total.to(tl.float16))


@triton.jit
def scale(x, y, n, B: tl.constexpr):
    """As many programs as one more than there are places for."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    for _ in range(64):
        v = v * v + 0.5
    tl.store(y + i, v, mask=i < n)


@triton.jit
def store_turned(x, y, n, BM: tl.constexpr, BN: tl.constexpr):
    """A transpose that loads rows and stores them as columns: only one row per program, so neighbours go n elements apart."""
    row, at = tl.program_id(0), tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(y + at * n + row, tl.load(x + row * n + at))


@triton.jit
def halved(x, y, n, B: tl.constexpr):
    """The constant is fp64, and all that it touches."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    half = tl.full([B], 0.5, dtype=tl.float64)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, (v * half + half * half) * half, mask=i < n)


@triton.jit
def packed(a, q, scales, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Eight rows of a tile load the same words. The pass load_once loads them once."""
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros([BM, BN], dtype=tl.float32)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        words = tl.load(q + (k[:, None] // 8) * N + n[None, :])
        scale = tl.load(scales + (k[:, None] // 64) * N + n[None, :])
        b = (((words >> ((k[:, None] % 8) * 4)) & 15).to(tl.float16) - 8.0) * scale
        total = tl.dot(tl.load(a + m[:, None] * K + k[None, :]), b.to(tl.float16), total)
    tl.store(c + m[:, None] * N + n[None, :], total.to(tl.float16))
