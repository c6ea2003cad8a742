# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A loop that stores one matmul an iteration: its loads are prefetched only if out overlaps neither a nor b.
import triton
import triton.language as tl


@triton.jit
def products(a, b, out, steps, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    for k in range(steps):
        tl.store(out + k * N * N + at, tl.dot(tl.load(a + k * N * N + at), tl.load(b + k * N * N + at)))
