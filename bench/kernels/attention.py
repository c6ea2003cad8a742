# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward with a running softmax: tilec and Triton compile this same file."""
import triton
import triton.language as tl


@triton.jit
def attend(acc, total, top, q, k_ptr, v_ptr, scale, first, last, rows, N,
           D: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """Adds the keys first .. last - 1 to the running maximum, sum and output."""
    d = tl.arange(0, D)
    for start in range(first, last, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + cols[None, :] * D + d[:, None])
        s = tl.dot(q, k) * scale
        if CAUSAL:
            s = tl.where(rows[:, None] >= cols[None, :], s, -1.0e6)
        new_top = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        total = total * shrink + tl.sum(p, 1)
        v = tl.load(v_ptr + cols[:, None] * D + d[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None])
        top = new_top
    return acc, total, top


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, scale, N, D: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, RAGGED: tl.constexpr = False):
    """(heads, N, D) each; N is a multiple of BLOCK_N, and of BLOCK_M but where RAGGED; BLOCK_M is one of BLOCK_N where CAUSAL; scale is in
    units of log2."""
    first = tl.program_id(0) * BLOCK_M
    head = tl.program_id(1) * N * D
    rows = first + tl.arange(0, BLOCK_M)
    at = rows[:, None] * D + tl.arange(0, D)[None, :]
    if RAGGED:
        q = tl.load(q_ptr + head + at, mask=rows[:, None] < N, other=0.0)
    else:
        q = tl.load(q_ptr + head + at)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    top = tl.zeros((BLOCK_M,), dtype=tl.float32) - float("inf")
    if CAUSAL:
        acc, total, top = attend(acc, total, top, q, k_ptr + head, v_ptr + head, scale, 0, first, rows, N, D, BLOCK_N, False)
        acc, total, top = attend(acc, total, top, q, k_ptr + head, v_ptr + head, scale, first, first + BLOCK_M, rows, N, D,
                                 BLOCK_N, True)
    else:
        acc, total, top = attend(acc, total, top, q, k_ptr + head, v_ptr + head, scale, 0, N, rows, N, D, BLOCK_N, False)
    out = out_ptr + head + first * D
    at = tl.arange(0, BLOCK_M)[:, None] * D + tl.arange(0, D)[None, :]
    result = (acc / total[:, None]).to(out_ptr.dtype.element_ty)
    if RAGGED:
        tl.store(out + at, result, mask=rows[:, None] < N)
    else:
        tl.store(out + at, result)
