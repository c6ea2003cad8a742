# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for c in range(columns):
        total += tl.load(x_ptr + row * columns + c, mask=row < rows, other=0.0)
    tl.store(out_ptr + row, total, mask=row < rows)
