# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that do next to nothing, to time their launches."""
import triton
import triton.language as tl


@triton.jit
def few(a, b, c, n):
    if n < 0:
        tl.store(a, tl.load(b) + tl.load(c))


@triton.jit
def many(a, b, c, d, e, f, g, h, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11):
    if n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 + n8 + n9 + n10 + n11 < 0:
        tl.store(a, tl.load(b) + tl.load(c) + tl.load(d) + tl.load(e) + tl.load(f) + tl.load(g) + tl.load(h))
