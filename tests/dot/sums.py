# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dots that are added to something large, in every form that may become the initial value of the accumulator."""
import triton
import triton.language as tl


@triton.jit
def operands(a, b, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STEPS: tl.constexpr):
    depth = k * K + tl.arange(0, K)
    x = tl.load(a + tl.arange(0, M)[:, None] * (K * STEPS) + depth[None, :])
    return x, tl.load(b + depth[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def sums(a, b, c, out, SCALE: tl.constexpr, FORM: tl.constexpr, P: tl.constexpr, STEPS: tl.constexpr = 1,
         M: tl.constexpr = 64, N: tl.constexpr = 64, K: tl.constexpr = 64):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.load(c + at) * SCALE
    for k in range(STEPS):
        x, y = operands(a, b, k, M, N, K, STEPS)
        if FORM == "given":
            acc = tl.dot(x, y, acc, input_precision=P, out_dtype=acc.dtype)
        elif FORM == "added":
            acc += tl.dot(x, y, input_precision=P, out_dtype=acc.dtype)
        elif FORM == "scaled":
            acc = 1.0 * tl.dot(x, y, input_precision=P, out_dtype=acc.dtype) + acc
        elif FORM == "chosen":
            product = tl.zeros_like(acc)
            if k < STEPS:
                product = tl.dot(x, y, input_precision=P, out_dtype=acc.dtype)
            acc = acc + product
        else:  # wrong: the last of K is left out
            kept = tl.where(tl.arange(0, K)[None, :] < K - 1, x, 0).to(x.dtype)
            acc += tl.dot(kept, y, input_precision=P, out_dtype=acc.dtype)
    tl.store(out + at, acc)
