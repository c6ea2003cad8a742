# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# x.mean(axis=1) of rows of any length: each program adds up parts of 1024 elements.
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def mean_of_rows(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        j = first + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + j, mask=j < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, axis=0) / columns)


x = np.random.default_rng(0).random((4, 5000), dtype=np.float32)
out = np.empty(4, np.float32)
mean_of_rows[(4,)](x, out, x.shape[1], BLOCK=1024)
print("equal:", np.allclose(out, x.mean(axis=1)))
