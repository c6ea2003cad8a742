# SPDX-License-Identifier: Apache-2.0
# compile: --num-warps 16 --signature x=*fp32:16,out=*fp32:16,n=i32:16 -D B=65536
# spills: 500
"""A row that fills the registers of 16 warps: if asked for one CTA per multiprocessor, ptxas prefetches, and spills more."""
import triton
import triton.language as tl


@triton.jit
def softmax(x, out, n, B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * n + i, e / tl.sum(e, 0), mask=i < n)
