# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def column_sums(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr, BLOCK_C: tl.constexpr):
    c = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    total = tl.zeros((BLOCK_C,), dtype=tl.float32)
    for start in range(0, rows, BLOCK):
        row = start + tl.arange(0, BLOCK)
        mask = (row[:, None] < rows) & (c[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * columns + c[None, :], mask=mask, other=0.0)
        total += tl.sum(x, axis=0)
    tl.store(out_ptr + c, total, mask=c < columns)
