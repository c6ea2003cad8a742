# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True): a program for each row.
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def standardise(x_ptr, out_ptr, columns, step, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    mask = j < columns
    x = tl.load(x_ptr + row * step + j, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(mask, x - mean, 0.0)
    std = tl.sqrt(tl.sum(centred * centred, axis=0) / columns)
    tl.store(out_ptr + row * columns + j, centred / std, mask=mask)


x = np.random.default_rng(0).standard_normal((4, 300), dtype=np.float32)
part = x[:, 50:250]  # a view: its rows are 300 elements apart
rows, columns = part.shape
out = np.empty((rows, columns), np.float32)
standardise[(rows,)](part, out, columns, part.strides[0] // part.itemsize, BLOCK=256)
right = (part - part.mean(axis=1, keepdims=True)) / part.std(axis=1, keepdims=True)
print("equal:", np.allclose(out, right, rtol=1e-4, atol=1e-5))
