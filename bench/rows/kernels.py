# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels over the rows of a matrix, as users of Triton write them: a power of two of columns, masked; a row a program, or several short ones (`_short`)."""

import triton
import triton.language as tl


@triton.jit
def sum_row(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, B)
    tl.store(y + row, tl.sum(tl.load(x + row * n + c, mask=c < n, other=0).to(tl.float32), 0))


@triton.jit
def sum_short(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B)
    v = tl.load(x + r[:, None] * n + c[None, :], mask=(r < rows)[:, None] & (c < n)[None, :], other=0).to(tl.float32)
    tl.store(y + r, tl.sum(v, 1), mask=r < rows)


@triton.jit
def max_row(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, B)
    tl.store(y + row, tl.max(tl.load(x + row * n + c, mask=c < n, other=-float("inf")), 0))


@triton.jit
def max_short(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B)
    v = tl.load(x + r[:, None] * n + c[None, :], mask=(r < rows)[:, None] & (c < n)[None, :], other=-float("inf"))
    tl.store(y + r, tl.max(v, 1), mask=r < rows)


@triton.jit
def argmax_row(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, B)
    tl.store(y + row, tl.argmax(tl.load(x + row * n + c, mask=c < n, other=-float("inf")), 0))


@triton.jit
def argmax_short(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B)
    v = tl.load(x + r[:, None] * n + c[None, :], mask=(r < rows)[:, None] & (c < n)[None, :], other=-float("inf"))
    tl.store(y + r, tl.argmax(v, 1), mask=r < rows)


@triton.jit
def softmax_row(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * n + c, e / tl.sum(e, 0), mask=c < n)


@triton.jit
def softmax_short(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B)
    at, mask = r[:, None] * n + c[None, :], (r < rows)[:, None] & (c < n)[None, :]
    v = tl.load(x + at, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(y + at, e / tl.sum(e, 1)[:, None], mask=mask)


@triton.jit
def rms_norm_row(x, w, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, 0) / n + 1e-6)
    tl.store(y + row * n + c, v * scale * tl.load(w + c, mask=c < n).to(tl.float32), mask=c < n)


@triton.jit
def rms_norm_short(x, w, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B)
    at, mask = r[:, None] * n + c[None, :], (r < rows)[:, None] & (c < n)[None, :]
    v = tl.load(x + at, mask=mask, other=0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, 1) / n + 1e-6)
    tl.store(y + at, v * scale[:, None] * tl.load(w + c, mask=c < n).to(tl.float32)[None, :], mask=mask)


@triton.jit
def layer_norm_row(x, w, b, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0).to(tl.float32)
    d = tl.where(c < n, v - tl.sum(v, 0) / n, 0)
    scale = tl.rsqrt(tl.sum(d * d, 0) / n + 1e-5)
    out = d * scale * tl.load(w + c, mask=c < n).to(tl.float32) + tl.load(b + c, mask=c < n).to(tl.float32)
    tl.store(y + row * n + c, out, mask=c < n)


@triton.jit
def layer_norm_short(x, w, b, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B)
    at, mask = r[:, None] * n + c[None, :], (r < rows)[:, None] & (c < n)[None, :]
    v = tl.load(x + at, mask=mask, other=0).to(tl.float32)
    d = tl.where(c[None, :] < n, v - (tl.sum(v, 1) / n)[:, None], 0)
    scale = tl.rsqrt(tl.sum(d * d, 1) / n + 1e-5)
    out = d * scale[:, None] * tl.load(w + c, mask=c < n).to(tl.float32)[None, :] + tl.load(b + c, mask=c < n).to(tl.float32)[None, :]
    tl.store(y + at, out, mask=mask)


@triton.jit
def cumsum_row(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=0).to(tl.float32)
    tl.store(y + row * n + c, tl.cumsum(v, 0), mask=c < n)


@triton.jit
def cumsum_short(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B)
    at, mask = r[:, None] * n + c[None, :], (r < rows)[:, None] & (c < n)[None, :]
    tl.store(y + at, tl.cumsum(tl.load(x + at, mask=mask, other=0).to(tl.float32), 1), mask=mask)


@triton.jit
def sort_row(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, B)
    tl.store(y + row * n + c, tl.sort(tl.load(x + row * n + c, mask=c < n, other=float("inf"))), mask=c < n)


@triton.jit
def sort_short(x, y, rows, n, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B)
    at, mask = r[:, None] * n + c[None, :], (r < rows)[:, None] & (c < n)[None, :]
    tl.store(y + at, tl.sort(tl.load(x + at, mask=mask, other=float("inf"))), mask=mask)


@triton.jit
def ordered(v, c):
    """A number's bits as an integer of the same order, and below it the place, from the right: the first of equals is the largest."""
    bits = v.to(tl.int16, bitcast=True).to(tl.int32)
    bits = bits ^ ((bits >> 15) & 0x7FFF)
    return (bits << 16) | (65535 - c)


@triton.jit
def value_of(key):
    bits = key >> 16
    return (bits ^ ((bits >> 15) & 0x7FFF)).to(tl.int16).to(tl.bfloat16, bitcast=True)


@triton.jit
def topk_row(x, y, i, rows, n, R: tl.constexpr, B: tl.constexpr, K: tl.constexpr, C: tl.constexpr):
    row, c, k = tl.program_id(0).to(tl.int64), tl.arange(0, C), tl.arange(0, K)
    best = tl.topk(ordered(tl.load(x + row * n + c, mask=c < n, other=-float("inf")), c), K)
    for first in range(C, n, C):
        at = first + c
        more = tl.topk(ordered(tl.load(x + row * n + at, mask=at < n, other=-float("inf")), at), K)
        best = tl.topk(tl.reshape(tl.join(best, more), [2 * K]), K)
    tl.store(y + row * K + k, value_of(best))
    tl.store(i + row * K + k, (65535 - (best & 65535)).to(tl.int64))


@triton.jit
def topk_short(x, y, i, rows, n, R: tl.constexpr, B: tl.constexpr, K: tl.constexpr, C: tl.constexpr):
    r, c, k = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B), tl.arange(0, K)
    mask = (r < rows)[:, None] & (c < n)[None, :]
    best = tl.topk(ordered(tl.load(x + r[:, None] * n + c[None, :], mask=mask, other=-float("inf")), c[None, :]), K)
    to = r[:, None] * K + k[None, :]
    tl.store(y + to, value_of(best), mask=(r < rows)[:, None])
    tl.store(i + to, (65535 - (best & 65535)).to(tl.int64), mask=(r < rows)[:, None])
