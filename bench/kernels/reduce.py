# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans: tilec and Triton compile this same file."""
import triton
import triton.language as tl


@triton.jit
def weighted_sum(x_ptr, weight_ptr, out_ptr, ROWS, D, TILE_ROWS: tl.constexpr, TILE_D: tl.constexpr):
    """out[r] = sum over d of x[r, d] * weight[d]."""
    row = tl.program_id(0) * TILE_ROWS
    x_block = tl.make_block_ptr(x_ptr, shape=(ROWS, D), strides=(D, 1), offsets=(row, 0),
                                block_shape=(TILE_ROWS, TILE_D), order=(1, 0))
    w_block = tl.make_block_ptr(weight_ptr, shape=(D,), strides=(1,), offsets=(0,), block_shape=(TILE_D,), order=(0,))
    out_block = tl.make_block_ptr(out_ptr, shape=(ROWS,), strides=(1,), offsets=(row,), block_shape=(TILE_ROWS,),
                                  order=(0,))
    acc = tl.zeros((TILE_ROWS,), dtype=tl.float32)
    for _ in range(tl.cdiv(D, TILE_D)):
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        w = tl.load(w_block, boundary_check=(0,), padding_option="zero")
        acc += tl.sum(x * w[None, :], axis=1)
        x_block = tl.advance(x_block, (0, TILE_D))
        w_block = tl.advance(w_block, (TILE_D,))
    tl.store(out_block, acc, boundary_check=(0,))


@triton.jit
def weighted_sum_backward(x_ptr, weight_ptr, grad_ptr, grad_x_ptr, partial_ptr, ROWS, D,
                          TILE_ROWS: tl.constexpr, TILE_D: tl.constexpr):
    """grad_x = grad times weight; partial[t, d] = sum over tile t's rows of x[r, d] * grad[r]."""
    tile = tl.program_id(0)
    rows = tile * TILE_ROWS + tl.arange(0, TILE_ROWS)
    g = tl.load(grad_ptr + rows, mask=rows < ROWS, other=0.0)
    for d in range(0, D, TILE_D):
        cols = d + tl.arange(0, TILE_D)
        at = rows[:, None] * D + cols[None, :]
        mask = (rows[:, None] < ROWS) & (cols[None, :] < D)
        w = tl.load(weight_ptr + cols, mask=cols < D, other=0.0)
        x = tl.load(x_ptr + at, mask=mask, other=0.0)
        tl.store(grad_x_ptr + at, g[:, None] * w[None, :], mask=mask)
        tl.store(partial_ptr + tile * D + cols, tl.sum(x * g[:, None], axis=0), mask=cols < D)


@triton.jit
def column_sum(x_ptr, out_ptr, R, C, SPLIT, RT: tl.constexpr, BLOCK: tl.constexpr):
    """out[s, c] = sum of x[r, c] over the rows s * SPLIT .. (s + 1) * SPLIT - 1."""
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.program_id(1)
    end = tl.minimum(R, (s + 1) * SPLIT)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for r in range(s * SPLIT, end, RT):
        rows = r + tl.arange(0, RT)
        mask = (rows[:, None] < end) & (cols[None, :] < C)
        acc += tl.sum(tl.load(x_ptr + rows[:, None] * C + cols[None, :], mask=mask, other=0.0), axis=0)
    tl.store(out_ptr + s * C + cols, acc, mask=cols < C)


@triton.jit
def softmax(x_ptr, out_ptr, C, BLOCK: tl.constexpr):
    """A row a program."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + row * C + c, mask=c < C, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out_ptr + row * C + c, e * (1.0 / tl.sum(e, axis=0)), mask=c < C)


@triton.jit
def softmax_twice(x_ptr, out_ptr, C, BLOCK: tl.constexpr):
    """A row a program, read twice: the second time from the L2 cache."""
    x_ptr += tl.program_id(0) * C
    out_ptr += tl.program_id(0) * C
    c = tl.arange(0, BLOCK)
    most = tl.full((BLOCK,), -1e38, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, C, BLOCK):
        v = tl.load(x_ptr + start + c, mask=start + c < C, other=-float("inf"))
        above = tl.maximum(most, v)
        total = total * tl.exp(most - above) + tl.exp(v - above)
        most = above
    m = tl.max(most, axis=0)
    scale = 1.0 / tl.sum(total * tl.exp(most - m), axis=0)
    for start in range(0, C, BLOCK):
        v = tl.load(x_ptr + start + c, mask=start + c < C, other=0.0)
        tl.store(out_ptr + start + c, tl.exp(v - m) * scale, mask=start + c < C)


@triton.jit
def softmax_rows(x_ptr, out_ptr, R, C, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Several rows a program."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    at = r[:, None] * C + c[None, :]
    mask = (r[:, None] < R) & (c[None, :] < C)
    v = tl.load(x_ptr + at, mask=mask, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    tl.store(out_ptr + at, e * (1.0 / tl.sum(e, axis=1))[:, None], mask=mask)


@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, out_ptr, C, eps, EARLY: tl.constexpr, BLOCK: tl.constexpr):
    """A row a program, held in registers. EARLY: the weights are in flight during the sums, in separate registers."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < C
    x = tl.load(x_ptr + row * C + c, mask=mask, other=0.0).to(tl.float32)
    if EARLY:
        w = tl.load(w_ptr + c, mask=mask, other=0.0)
        b = tl.load(b_ptr + c, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / C
    d = tl.where(mask, x - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, axis=0) / C + eps)
    if not EARLY:
        w = tl.load(w_ptr + c, mask=mask, other=0.0)
        b = tl.load(b_ptr + c, mask=mask, other=0.0)
    tl.store(out_ptr + row * C + c, (d * rstd * w.to(tl.float32) + b.to(tl.float32)).to(tl.float16), mask=mask)


@triton.jit
def layer_norm_rows(x_ptr, w_ptr, b_ptr, out_ptr, R, C, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Several rows a program."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    at = r[:, None] * C + c[None, :]
    mask = (r[:, None] < R) & (c[None, :] < C)
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=1) / C
    d = tl.where(mask, x - mean[:, None], 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, axis=1) / C + eps)
    w = tl.load(w_ptr + c, mask=c < C, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + c, mask=c < C, other=0.0).to(tl.float32)
    tl.store(out_ptr + at, (d * rstd[:, None] * w[None, :] + b[None, :]).to(tl.float16), mask=mask)


@triton.jit
def partial_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """out[p] = the sum of every num_programs-th block from block p on."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, tl.num_programs(0) * BLOCK):
        acc += tl.load(x_ptr + start + i, mask=start + i < n, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(acc, axis=0))


@triton.jit
def clear(out_ptr):
    tl.store(out_ptr, 0.0)


@triton.jit
def atomic_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def cumsum(x_ptr, out_ptr, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * C + c, mask=c < C, other=0.0)
    tl.store(out_ptr + row * C + c, tl.cumsum(x, axis=0), mask=c < C)
