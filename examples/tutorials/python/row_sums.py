# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def row_sums_slow(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for c in range(columns):
        total += tl.load(x_ptr + row * columns + c, mask=row < rows, other=0.0)
    tl.store(out_ptr + row, total, mask=row < rows)


@tilec.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr, BLOCK_C: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        mask = (row[:, None] < rows) & (c[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * columns + c[None, :], mask=mask, other=0.0)
        total += tl.sum(x, axis=1)
    tl.store(out_ptr + row, total, mask=row < rows)


x = np.random.default_rng(0).standard_normal((200, 64), dtype=np.float32)
out = np.empty(200, np.float32)
row_sums_slow[(tilec.cdiv(200, 128),)](x, out, 200, 64, BLOCK=128)
np.testing.assert_allclose(out, x.sum(axis=1), rtol=1e-4, atol=1e-5)
row_sums[(tilec.cdiv(200, 16),)](x, out, 200, 64, BLOCK=16, BLOCK_C=128)
np.testing.assert_allclose(out, x.sum(axis=1), rtol=1e-4, atol=1e-5)
print("both are equal to NumPy")
