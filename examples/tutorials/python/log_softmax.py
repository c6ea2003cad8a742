# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def log_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=-float("inf"))
    x -= tl.max(x, axis=0)
    total = tl.sum(tl.exp(x), axis=0)
    tl.store(out_ptr + row * columns + offsets, x - tl.log(total), mask=mask)


@tilec.jit
def smallest(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=float("inf"))
    tl.store(out_ptr + row, tl.min(x, axis=0))


x = np.random.default_rng(0).standard_normal((4, 781), dtype=np.float32) + 5
out = np.empty_like(x)
log_softmax[(4,)](x, out, 781, BLOCK=1024)
shifted = x - x.max(axis=1, keepdims=True)
np.testing.assert_allclose(out, shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), rtol=1e-5)

least = np.empty(4, np.float32)
smallest[(4,)](x, least, 781, BLOCK=1024)
np.testing.assert_array_equal(least, x.min(axis=1))
print("both are equal to NumPy")
