# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def softmax(x_ptr, out_ptr, columns, OTHER: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=OTHER)
    e = tl.exp(x - tl.max(x, axis=0))
    total = tl.sum(e, axis=0)
    tl.store(out_ptr + row * columns + offsets, e / total, mask=mask)


def launch(x, other):
    rows, columns = x.shape
    out = np.empty_like(x)
    softmax[(rows,)](x, out, columns, OTHER=other, BLOCK=tilec.next_power_of_2(columns))
    return out


x = np.random.default_rng(0).standard_normal((4, 781), dtype=np.float32)
e = np.exp(x - x.max(axis=1, keepdims=True))
expected = e / e.sum(axis=1, keepdims=True)
np.testing.assert_allclose(launch(x, -float("inf")), expected, rtol=1e-5)
print("equal to NumPy")

wrong = launch(x, 0.0)
print(f"other=0.0: the rows have the sums {wrong.sum(axis=1)}")
