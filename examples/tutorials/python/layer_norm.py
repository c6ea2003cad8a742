# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def forward(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    x = tl.load(x_ptr + row * columns + c, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(mask, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    w = tl.load(w_ptr + c, mask=mask, other=0.0)
    b = tl.load(b_ptr + c, mask=mask, other=0.0)
    tl.store(y_ptr + row * columns + c, centred * rstd * w + b, mask=mask)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


@tilec.jit
def backward(dy_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, columns, ATOMIC: tl.constexpr,
             BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < columns
    dy = tl.load(dy_ptr + row * columns + c, mask=mask, other=0.0)
    x = tl.load(x_ptr + row * columns + c, mask=mask, other=0.0)
    w = tl.load(w_ptr + c, mask=mask, other=0.0)
    rstd = tl.load(rstd_ptr + row)
    normal = tl.where(mask, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
    g = dy * w
    mean_g = tl.sum(g, axis=0) / columns
    mean_gn = tl.sum(g * normal, axis=0) / columns
    tl.store(dx_ptr + row * columns + c, (g - mean_g - normal * mean_gn) * rstd, mask=mask)
    if ATOMIC:
        tl.atomic_add(dw_ptr + c, dy * normal, mask=mask)
    else:
        tl.store(dw_ptr + c, dy * normal, mask=mask)


random = np.random.default_rng(0)
x, dy = random.standard_normal((2, 8, 500), dtype=np.float32)
w, b = random.standard_normal((2, 500), dtype=np.float32)
y = np.empty_like(x)
mean, rstd = np.empty((2, 8), np.float32)
forward[(8,)](x, w, b, y, mean, rstd, 500, 1e-5, BLOCK=512)
normal = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
np.testing.assert_allclose(y, normal * w + b, rtol=1e-4, atol=1e-5)

dx, dw = np.empty_like(x), np.zeros(500, np.float32)
backward[(8,)](dy, x, w, mean, rstd, dx, dw, 500, ATOMIC=True, BLOCK=512)
g = dy * w
right = g - g.mean(axis=1, keepdims=True) - normal * (g * normal).mean(axis=1, keepdims=True)
np.testing.assert_allclose(dx, right * rstd[:, None], rtol=1e-4, atol=1e-5)
np.testing.assert_allclose(dw, (dy * normal).sum(axis=0), rtol=1e-4, atol=1e-5)
print("forward, dx and dw are equal to NumPy")

tilec.set_check(True)
try:
    backward[(8,)](dy, x, w, mean, rstd, dx, dw, 500, ATOMIC=False, BLOCK=512)
except tilec.LaunchError as error:
    found = error.diagnostics[0]
    print(f"line {found.line}: {found.text}")
