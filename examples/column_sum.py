# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl

@triton.jit
def column_sum(x, y, rows, cols, R: tl.constexpr):
    j = tl.program_id(0)
    r = tl.arange(0, R)
    s = 0.0
    for at in range(0, rows, R):
        s += tl.sum(tl.load(x + (at + r) * cols + j), axis=0)
    tl.store(y + j, s)
