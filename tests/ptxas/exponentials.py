# SPDX-License-Identifier: Apache-2.0
# compile: --num-warps 16 --signature a=*fp16:16,b=*fp16:16,out=*fp64:16,n=i32:16,k=i32:16
# spills: 0
"""A dot whose tile goes through exp of fp64 by 16 warps, whose threads have 128 registers: exp is called."""
import triton
import triton.language as tl


@triton.jit
def exponentials(a, b, out, n, k):
    i, j, e = tl.program_id(0) * 64 + tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    highest, total = tl.full((64,), float("-inf"), tl.float64), tl.zeros((64,), tl.float64)
    for first in range(0, n, 64):
        sums = tl.zeros((64, 64), tl.float32)
        for p in range(0, k, 64):
            x = tl.load(a + i[:, None] * k + (p + e)[None, :])
            y = tl.load(b + (first + j)[None, :] * k + (p + e)[:, None])
            sums += tl.dot(x, y)
        wide = tl.where((first + j < n)[None, :], sums.to(tl.float64), float("-inf"))
        now = tl.maximum(highest, tl.max(wide, 1))
        total = total * tl.exp(highest - now) + tl.sum(tl.exp(wide - now[:, None]), 1)
        highest = now
    tl.store(out + i, tl.log(total) + highest)
