"""Layer normalisation with a fused backward pass: dx one row at a time. dw and db are summed into GROUP
partial buffers, each under a lock. A second kernel adds those up."""
from __future__ import annotations

import math
from typing import Optional

import torch

import triton
import triton.language as tl

MAX_FUSED_BYTES = 65536


def pick_block(n_cols: int, element_size: int) -> tuple[int, int]:
    block = triton.next_power_of_2(n_cols)
    if block * element_size > MAX_FUSED_BYTES:
        raise RuntimeError(f"rows of {n_cols} elements do not fit")
    return block, min(max(block // 256, 1), 8)


@triton.jit
def _normalise(x, mean, rstd):
    return (x - mean) * rstd


@triton.jit
def layer_norm_fwd(
    X,  # pointer to the input
    Y,  # pointer to the output
    W,  # weights, or None
    B,  # biases, or None
    Mean,
    Rstd,
    stride,  # elements from one row to the next
    N,
    eps,
    HAS_W: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    # the mean
    mean = 0
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    # the variance
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.).to(tl.float32)
        y = _normalise(x, mean, rstd)
        if HAS_W:
            y = y * tl.load(W + cols, mask=mask)
        if B is not None:
            y = y + tl.load(B + cols, mask=mask)
        tl.store(Y + cols, y, mask=mask)


@triton.jit
def layer_norm_bwd_dx(DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N, GROUP_SIZE_M: tl.constexpr,
                      BLOCK_SIZE_N: tl.constexpr):
    # one row per program; its share of dw and db goes to partial buffer `lock_id`
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    lock_id = row % GROUP_SIZE_M
    Lock += lock_id
    Count = Lock + GROUP_SIZE_M
    DW = DW + lock_id * N + cols
    DB = DB + lock_id * N + cols
    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask, other=0).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    xhat = _normalise(x, mean, rstd)
    wdy = w * dy
    xhat = tl.where(mask, xhat, 0.)
    wdy = tl.where(mask, wdy, 0.)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    dx = (wdy - (xhat * c1 + c2)) * rstd
    tl.store(DX + cols, dx, mask=mask)
    partial_dw = (dy * xhat).to(w.dtype)
    partial_db = (dy).to(w.dtype)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    # the first one stores, the others add
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        partial_dw += tl.load(DW, mask=mask)
        partial_db += tl.load(DB, mask=mask)
    tl.store(DW, partial_dw, mask=mask)
    tl.store(DB, partial_db, mask=mask)
    # every thread's stores come before the lock's release
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


@triton.jit
def layer_norm_bwd_dwdb(DW, DB, FINAL_DW, FINAL_DB, M, N, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    dw = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_SIZE_M):
        rows = i + tl.arange(0, BLOCK_SIZE_M)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        offs = rows[:, None] * N + cols[None, :]
        dw += tl.load(DW + offs, mask=mask, other=0.)
        db += tl.load(DB + offs, mask=mask, other=0.)
    sum_dw = tl.sum(dw, axis=0)
    sum_db = tl.sum(db, axis=0)
    tl.store(FINAL_DW + cols, sum_dw, mask=cols < N)
    tl.store(FINAL_DB + cols, sum_db, mask=cols < N)


class LayerNorm(torch.autograd.Function):
    """torch.nn.functional.layer_norm over the last dimension."""

    @staticmethod
    def forward(ctx, x, weight: Optional[torch.Tensor], bias: Optional[torch.Tensor], eps=1e-5):
        y = torch.empty_like(x)
        x2 = x.reshape(-1, x.shape[-1])
        M, N = x2.shape
        mean = torch.empty((M,), dtype=torch.float32, device=x.device)
        rstd = torch.empty((M,), dtype=torch.float32, device=x.device)
        block, warps = pick_block(N, x.element_size())
        layer_norm_fwd[(M,)](x2, y, weight, bias, mean, rstd, x2.stride(0), N, eps, HAS_W=weight is not None,
                             BLOCK_SIZE=block, num_warps=warps)
        ctx.save_for_backward(x2, weight, mean, rstd)
        ctx.block, ctx.warps = block, warps
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w, mean, rstd = ctx.saved_tensors
        N = w.shape[0]
        group = {True: 256, False: 96}[N <= 1024] if N <= 4096 else 64
        locks = torch.zeros(2 * group, dtype=torch.int32, device=w.device)
        dw, db = (torch.zeros((group, N), dtype=x.dtype, device=w.device) for _ in range(2))
        dx = torch.empty_like(dy)
        M = x.shape[0]
        layer_norm_bwd_dx[(M,)](dx, dy, dw, db, x, w, mean, rstd, locks, x.stride(0), N, BLOCK_SIZE_N=ctx.block,
                                GROUP_SIZE_M=group, num_warps=ctx.warps)
        final_dw, final_db = torch.empty_like(w), torch.empty_like(w)
        grid = lambda meta: (triton.cdiv(N, meta["BLOCK_SIZE_N"]),)
        layer_norm_bwd_dwdb[grid](dw, db, final_dw, final_db, min(group, M), N, BLOCK_SIZE_M=32, BLOCK_SIZE_N=128)
        return dx, final_dw, final_db, None
