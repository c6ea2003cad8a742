# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


random = np.random.default_rng(0)
x = random.standard_normal(1000, dtype=np.float32)
y = random.standard_normal(1000, dtype=np.float32)
out = np.empty_like(x)
grid = (tilec.cdiv(1000, 256),)
add[grid](x, y, out, 1000, BLOCK=256)
np.testing.assert_allclose(out, x + y)
print("equal to NumPy:", out[:3])

tilec.set_check(True)
try:
    add[grid](x, y, out, 1024, BLOCK=256)
except tilec.LaunchError as error:
    for found in error.diagnostics:
        print(f"line {found.line}: {found.text}")
