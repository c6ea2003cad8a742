# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def column_sums(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr, BLOCK_C: tl.constexpr):
    c = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    total = tl.zeros((BLOCK_C,), dtype=tl.float32)
    for start in range(0, rows, BLOCK):
        row = start + tl.arange(0, BLOCK)
        mask = (row[:, None] < rows) & (c[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * columns + c[None, :], mask=mask, other=0.0)
        total += tl.sum(x, axis=0)
    tl.store(out_ptr + c, total, mask=c < columns)


x = np.random.default_rng(0).standard_normal((200, 100), dtype=np.float32)
out = np.empty(100, np.float32)
column_sums[(tilec.cdiv(100, 8),)](x, out, 200, 100, BLOCK=128, BLOCK_C=8)
np.testing.assert_allclose(out, x.sum(axis=0), rtol=1e-4, atol=1e-5)
print("equal to NumPy")
