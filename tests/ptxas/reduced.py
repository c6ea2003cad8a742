# SPDX-License-Identifier: Apache-2.0
# compile: --num-warps 2 --signature a=*fp16:16,b=*fp16:16,out=*fp32:16,rows=i32,columns=i32
# spills: 0
"""The columns' maxima of a dot by mma.sync, one result after another: ptxas is not asked to use all registers."""
import triton
import triton.language as tl


@triton.jit
def reduced(a, b, out, rows, columns):
    m, n, k = tl.arange(0, 128), tl.arange(0, 256), tl.arange(0, 32)
    p = tl.dot(tl.load(a + m[:, None] * 32 + k), tl.load(b + k[:, None] * 256 + n))
    p = tl.where((m[:, None] < rows) & (n < columns), p, -1e30)
    tl.store(out + n, tl.max(p, 0))
