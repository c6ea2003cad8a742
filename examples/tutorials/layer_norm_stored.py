# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
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


@triton.jit
def backward(dy_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, columns,
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
    tl.store(dw_ptr + c, dy * normal, mask=mask)
    tl.atomic_add(db_ptr + c, dy, mask=mask)


@triton.jit
def weight_gradient(dy_ptr, x_ptr, mean_ptr, rstd_ptr, dw_ptr, db_ptr, rows, columns,
                    BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = c < columns
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    db = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(rows):
        dy = tl.load(dy_ptr + row * columns + c, mask=mask, other=0.0)
        x = tl.load(x_ptr + row * columns + c, mask=mask, other=0.0)
        dw += dy * (x - tl.load(mean_ptr + row)) * tl.load(rstd_ptr + row)
        db += dy
    tl.store(dw_ptr + c, dw, mask=mask)
    tl.store(db_ptr + c, db, mask=mask)
