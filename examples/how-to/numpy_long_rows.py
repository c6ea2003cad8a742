# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# (x - mean) / deviation of rows of any length: each program reads its row three times, in parts of 1024 elements.
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def standardise(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0) * columns
    total = tl.zeros((BLOCK,), x_ptr.dtype.element_ty)  # fp32 or fp64, as the array
    for first in range(0, columns, BLOCK):
        j = first + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + start + j, mask=j < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros((BLOCK,), x_ptr.dtype.element_ty)
    for first in range(0, columns, BLOCK):
        j = first + tl.arange(0, BLOCK)
        d = tl.load(x_ptr + start + j, mask=j < columns, other=mean) - mean
        squares += d * d
    deviation = tl.sqrt(tl.sum(squares, axis=0) / columns)
    for first in range(0, columns, BLOCK):
        j = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + start + j, mask=j < columns)
        tl.store(out_ptr + start + j, (x - mean) / deviation, mask=j < columns)


x = np.random.default_rng(0).random((4, 5000), dtype=np.float32)
out = np.empty_like(x)
standardise[(4,)](x, out, x.shape[1], BLOCK=1024)
right = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
print("equal:", np.allclose(out, right, atol=1e-4))
