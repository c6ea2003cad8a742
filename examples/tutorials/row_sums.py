# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr, BLOCK_C: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        mask = (row[:, None] < rows) & (c[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * columns + c[None, :], mask=mask, other=0.0)
        total += tl.sum(x, axis=1)
    tl.store(out_ptr + row, total, mask=row < rows)
