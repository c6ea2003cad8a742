# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of loop.cpp: a matmul with quantised weights, and attention for one new token of each sequence."""

import triton
import triton.language as tl


@triton.jit
def linear(x, w, scale, out, n, k, ADD: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr):
    """out[ROWS, n] = x[ROWS, k] * w[n, k]^T * scale[n], with w of int8; ADD adds what is in out."""
    row, column = tl.arange(0, ROWS)[:, None], tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    sums = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, k, STEP):
        i = first + tl.arange(0, STEP)
        tile = tl.load(w + column[None, :] * k + i[:, None]).to(tl.float16)
        sums = tl.dot(tl.load(x + row * k + i[None, :]).to(tl.float16), tile, sums)
    sums *= tl.load(scale + column)[None, :]
    at = out + row * n + column[None, :]
    if ADD:
        sums += tl.load(at)
    tl.store(at, sums)


@triton.jit
def attend(qkv, keys, values, out, token, tokens, scale, D: tl.constexpr, HEAD: tl.constexpr, BLOCK: tl.constexpr):
    """One program for a head of a sequence: attention over `token` kept tokens and the new one, which it keeps."""
    d = tl.program_id(1) * HEAD + tl.arange(0, HEAD)
    new, kept = qkv + tl.program_id(0) * 3 * D + d, tl.program_id(0) * tokens * D + d
    q, key, value = tl.load(new) * scale, tl.load(new + D), tl.load(new + 2 * D)
    tl.store(keys + kept + token * D, key)
    tl.store(values + kept + token * D, value)
    top, total, sums = tl.sum(q * key), 1.0, value
    for first in range(0, token, BLOCK):
        t = first + tl.arange(0, BLOCK)
        at = kept[None, :] + t[:, None] * D
        scores = tl.sum(q[None, :] * tl.load(keys + at, mask=(t < token)[:, None], other=0.0), axis=1)
        scores = tl.where(t < token, scores, float("-inf"))
        higher = tl.maximum(top, tl.max(scores))
        p, change = tl.exp(scores - higher), tl.exp(top - higher)
        total = total * change + tl.sum(p)
        sums = sums * change + tl.sum(p[:, None] * tl.load(values + at, mask=(t < token)[:, None], other=0.0), axis=0)
        top = higher
    tl.store(out + tl.program_id(0) * D + d, sums / total)
