# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose sizes are known at compile time: no masks where blocks fill them. tilec and Triton compile this
same file. IN, OUT: eviction policies of what is read and written once ("": none)."""
import triton
import triton.language as tl


@triton.jit
def load_row(x_ptr, c, C: tl.constexpr, BLOCK: tl.constexpr, other: tl.constexpr, IN: tl.constexpr):
    if C == BLOCK:
        v = tl.load(x_ptr + c, eviction_policy=IN)
    else:
        v = tl.load(x_ptr + c, mask=c < C, other=other, eviction_policy=IN)
    return v


@triton.jit
def store_row(out_ptr, c, v, C: tl.constexpr, BLOCK: tl.constexpr, OUT: tl.constexpr):
    if C == BLOCK:
        tl.store(out_ptr + c, v, eviction_policy=OUT)
    else:
        tl.store(out_ptr + c, v, mask=c < C, eviction_policy=OUT)


@triton.jit
def softmax(x_ptr, out_ptr, C: tl.constexpr, BLOCK: tl.constexpr, IN: tl.constexpr, OUT: tl.constexpr):
    """A row a program."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = load_row(x_ptr + row * C, c, C, BLOCK, -float("inf"), IN)
    e = tl.exp(v - tl.max(v, axis=0))
    store_row(out_ptr + row * C, c, e * (1.0 / tl.sum(e, axis=0)), C, BLOCK, OUT)


@triton.jit
def softmax_kept(x_ptr, out_ptr, C: tl.constexpr, KEPT: tl.constexpr, BLOCK: tl.constexpr, IN: tl.constexpr, OUT: tl.constexpr):
    """A row a program: its first KEPT elements stay in registers, the others (a multiple of BLOCK) are read twice, the second time from
    the L2 cache."""
    x_ptr += tl.program_id(0) * C
    out_ptr += tl.program_id(0) * C
    first = tl.arange(0, KEPT)
    c = tl.arange(0, BLOCK)
    kept = tl.load(x_ptr + first, eviction_policy=IN)
    most = tl.full((BLOCK,), -1e38, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(KEPT, C, BLOCK):
        v = tl.load(x_ptr + start + c, eviction_policy="evict_last")
        above = tl.maximum(most, v)
        total = total * tl.exp(most - above) + tl.exp(v - above)
        most = above
    m = tl.maximum(tl.max(kept, axis=0), tl.max(most, axis=0))
    kept = tl.exp(kept - m)
    scale = 1.0 / (tl.sum(kept, axis=0) + tl.sum(total * tl.exp(most - m), axis=0))
    for start in range(KEPT, C, BLOCK):
        v = tl.load(x_ptr + start + c, eviction_policy=IN)
        tl.store(out_ptr + start + c, tl.exp(v - m) * scale, eviction_policy=OUT)
    tl.store(out_ptr + first, kept * scale, eviction_policy=OUT)


@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, out_ptr, eps, EARLY: tl.constexpr, C: tl.constexpr, BLOCK: tl.constexpr, IN: tl.constexpr,
               OUT: tl.constexpr):
    """A row a program. EARLY: the weights are in flight during the sums."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = load_row(x_ptr + row * C, c, C, BLOCK, 0.0, IN).to(tl.float32)
    if EARLY:
        w = load_row(w_ptr, c, C, BLOCK, 0.0, "evict_last")
        b = load_row(b_ptr, c, C, BLOCK, 0.0, "evict_last")
    d = x - tl.sum(x, axis=0) / C
    if C != BLOCK:
        d = tl.where(c < C, d, 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, axis=0) / C + eps)
    if not EARLY:
        w = load_row(w_ptr, c, C, BLOCK, 0.0, "evict_last")
        b = load_row(b_ptr, c, C, BLOCK, 0.0, "evict_last")
    store_row(out_ptr + row * C, c, (d * rstd * w.to(tl.float32) + b.to(tl.float32)).to(tl.float16), C, BLOCK, OUT)


@triton.jit
def load_rows(x_ptr, r, c, R: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, other: tl.constexpr,
              IN: tl.constexpr):
    at = r[:, None] * C + c[None, :]
    if R % ROWS == 0 and C == BLOCK:
        v = tl.load(x_ptr + at, eviction_policy=IN)
    else:
        v = tl.load(x_ptr + at, mask=(r[:, None] < R) & (c[None, :] < C), other=other, eviction_policy=IN)
    return v


@triton.jit
def store_rows(out_ptr, r, c, v, R: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, OUT: tl.constexpr):
    at = r[:, None] * C + c[None, :]
    if R % ROWS == 0 and C == BLOCK:
        tl.store(out_ptr + at, v, eviction_policy=OUT)
    else:
        tl.store(out_ptr + at, v, mask=(r[:, None] < R) & (c[None, :] < C), eviction_policy=OUT)


@triton.jit
def softmax_rows(x_ptr, out_ptr, R: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, IN: tl.constexpr,
                 OUT: tl.constexpr):
    """Several rows a program."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    v = load_rows(x_ptr, r, c, R, C, ROWS, BLOCK, -float("inf"), IN)
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    store_rows(out_ptr, r, c, e * (1.0 / tl.sum(e, axis=1))[:, None], R, C, ROWS, BLOCK, OUT)


@triton.jit
def layer_norm_rows(x_ptr, w_ptr, b_ptr, out_ptr, eps, R: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
                    IN: tl.constexpr, OUT: tl.constexpr):
    """Several rows a program."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    x = load_rows(x_ptr, r, c, R, C, ROWS, BLOCK, 0.0, IN).to(tl.float32)
    w = load_row(w_ptr, c, C, BLOCK, 0.0, "evict_last")
    b = load_row(b_ptr, c, C, BLOCK, 0.0, "evict_last")
    d = x - (tl.sum(x, axis=1) / C)[:, None]
    if C != BLOCK:
        d = tl.where(c[None, :] < C, d, 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, axis=1) / C + eps)
    y = d * rstd[:, None] * w.to(tl.float32)[None, :] + b.to(tl.float32)[None, :]
    store_rows(out_ptr, r, c, y.to(tl.float16), R, C, ROWS, BLOCK, OUT)


@triton.jit
def cumsum(x_ptr, out_ptr, C: tl.constexpr, BLOCK: tl.constexpr, IN: tl.constexpr, OUT: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = load_row(x_ptr + row * C, c, C, BLOCK, 0.0, IN)
    store_row(out_ptr + row * C, c, tl.cumsum(x, axis=0), C, BLOCK, OUT)


@triton.jit
def weighted_sum(x_ptr, weight_ptr, out_ptr, ROWS: tl.constexpr, D: tl.constexpr, TILE_ROWS: tl.constexpr, TILE_D: tl.constexpr,
                 IN: tl.constexpr):
    """out[r] = sum over d of x[r, d] * weight[d]: terms are added up where they lie, and summed once at the end."""
    rows = tl.program_id(0) * TILE_ROWS + tl.arange(0, TILE_ROWS)
    cols = tl.arange(0, TILE_D)
    acc = tl.zeros((TILE_ROWS, TILE_D), dtype=tl.float32)
    for d in tl.static_range(0, D, TILE_D):
        at = rows[:, None] * D + (d + cols)[None, :]
        if ROWS % TILE_ROWS == 0 and D % TILE_D == 0:
            x = tl.load(x_ptr + at, eviction_policy=IN)
            w = tl.load(weight_ptr + d + cols, eviction_policy="evict_last")
        else:
            x = tl.load(x_ptr + at, mask=(rows[:, None] < ROWS) & ((d + cols)[None, :] < D), other=0.0, eviction_policy=IN)
            w = tl.load(weight_ptr + d + cols, mask=d + cols < D, other=0.0, eviction_policy="evict_last")
        acc += x * w[None, :]
    if ROWS % TILE_ROWS == 0:
        tl.store(out_ptr + rows, tl.sum(acc, axis=1))
    else:
        tl.store(out_ptr + rows, tl.sum(acc, axis=1), mask=rows < ROWS)


@triton.jit
def outer(grad_ptr, weight_ptr, out_ptr, clear_ptr, ROWS: tl.constexpr, D: tl.constexpr, BLOCK: tl.constexpr, TILE_ROWS: tl.constexpr):
    """out[r, d] = grad[r] * weight[d]; clear[d] = 0. TILE_ROWS divides the rows."""
    c = tl.arange(0, BLOCK)
    w = load_row(weight_ptr, c, D, BLOCK, 0.0, "evict_last")
    start = tl.program_id(0) * TILE_ROWS
    for i in tl.static_range(TILE_ROWS):
        store_row(out_ptr + (start + i) * D, c, w * tl.load(grad_ptr + start + i), D, BLOCK, "")
    if start == 0:
        store_row(clear_ptr, c, tl.zeros((BLOCK,), tl.float32), D, BLOCK, "")


@triton.jit
def part_of_columns(x_ptr, grad_ptr, SPLIT: tl.constexpr, C: tl.constexpr, RT: tl.constexpr, BLOCK: tl.constexpr,
                    WEIGHTED: tl.constexpr, IN: tl.constexpr):
    """The sum of SPLIT rows, of BLOCK columns. SPLIT divides the rows, RT it, BLOCK the columns."""
    rows = tl.program_id(1) * SPLIT + tl.arange(0, RT)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((RT, BLOCK), dtype=tl.float32)
    for r in range(0, SPLIT, RT):
        x = tl.load(x_ptr + (r + rows)[:, None] * C + cols[None, :], eviction_policy=IN)
        if WEIGHTED:
            acc += x * tl.load(grad_ptr + r + rows, eviction_policy="evict_last")[:, None]
        else:
            acc += x
    return tl.sum(acc, axis=0)


@triton.jit
def columns_partial(x_ptr, grad_ptr, partial_ptr, SPLIT: tl.constexpr, C: tl.constexpr, RT: tl.constexpr, BLOCK: tl.constexpr,
                    WEIGHTED: tl.constexpr, IN: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(partial_ptr + tl.program_id(1) * C + cols, part_of_columns(x_ptr, grad_ptr, SPLIT, C, RT, BLOCK, WEIGHTED, IN))


@triton.jit
def columns_atomic(x_ptr, grad_ptr, out_ptr, SPLIT: tl.constexpr, C: tl.constexpr, RT: tl.constexpr, BLOCK: tl.constexpr,
                   WEIGHTED: tl.constexpr, IN: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr + cols, part_of_columns(x_ptr, grad_ptr, SPLIT, C, RT, BLOCK, WEIGHTED, IN), sem="relaxed")


@triton.jit
def columns_finish(partial_ptr, out_ptr, C: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.arange(0, PARTS)
    tl.store(out_ptr + cols, tl.sum(tl.load(partial_ptr + p[:, None] * C + cols[None, :]), axis=0))


@triton.jit
def clear_row(out_ptr, C: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    store_row(out_ptr, c, tl.zeros((BLOCK,), tl.float32), C, BLOCK, "")


@triton.jit
def atomic_sum(x_ptr, out_ptr, N: tl.constexpr, BLOCK: tl.constexpr, IN: tl.constexpr):
    """BLOCK divides N."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + i, eviction_policy=IN), axis=0), sem="relaxed")


@triton.jit
def conv1d(x_ptr, out_ptr, N: tl.constexpr, BLOCK: tl.constexpr, TAPS: tl.constexpr, IN: tl.constexpr, OUT: tl.constexpr):
    """out[i] = mean of x[i .. i + TAPS - 1]. BLOCK divides N."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for t in tl.static_range(TAPS):
        acc += tl.load(x_ptr + i + t, eviction_policy=IN)
    tl.store(out_ptr + i, acc / TAPS, eviction_policy=OUT)
