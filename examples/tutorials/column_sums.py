# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def column_sums(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = 0.0
    for start in range(0, rows, BLOCK):
        row = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + c, mask=row < rows, other=0.0)
        total += tl.sum(x, axis=0)
    tl.store(out_ptr + c, total)
