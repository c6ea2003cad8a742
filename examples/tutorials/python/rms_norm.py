# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def rms_norm(x_ptr, w_ptr, y_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    x = tl.load(x_ptr + row * columns + c, mask=mask, other=0.0)
    w = tl.load(w_ptr + c, mask=mask, other=0.0)
    rms = tl.sqrt(tl.sum(x * x, axis=0) / columns + eps)
    tl.store(y_ptr + row * columns + c, x / rms * w, mask=mask)


random = np.random.default_rng(0)
x = random.standard_normal((8, 500), dtype=np.float32)
w = random.standard_normal(500, dtype=np.float32)
y = np.empty_like(x)
rms_norm[(8,)](x, w, y, 500, 1e-5, BLOCK=512)
right = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * w
np.testing.assert_allclose(y, right, rtol=1e-4, atol=1e-5)
print("rms_norm is equal to NumPy")
