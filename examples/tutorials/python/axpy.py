# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def axpy(x_ptr, y_ptr, out_ptr, n, a, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, a * x + y, mask=mask)


@tilec.jit
def reverse(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + (n - 1 - offsets), mask=mask)
    tl.store(out_ptr + offsets, x, mask=mask)


tilec.set_check(True)
x, y = np.random.default_rng(0).standard_normal((2, 1000), dtype=np.float32)
out = np.empty_like(x)
axpy[(4,)](x, y, out, 1000, 2.0, BLOCK=256)
np.testing.assert_allclose(out, 2 * x + y, rtol=1e-6, atol=1e-6)
reverse[(4,)](x, out, 1000, BLOCK=256)
np.testing.assert_array_equal(out, x[::-1])
print("both are equal to NumPy")
