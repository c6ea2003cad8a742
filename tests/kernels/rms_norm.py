import functools
import operator

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

# How the weighted value is cast, by model family.
_CASTING_NONE: tl.constexpr = tl.constexpr(-1)
_CASTING_LLAMA = tl.constexpr(0)
_CASTING_GEMMA: tl.constexpr = 1

_MODES = {"none": _CASTING_NONE, "llama": _CASTING_LLAMA, "gemma": _CASTING_GEMMA}


def ensure_contiguous(fn):
    @functools.wraps(fn)
    def wrapper(ctx, *args, **kwargs):
        def to_contiguous(x):
            return x if not isinstance(x, torch.Tensor) else x.contiguous()

        return fn(ctx, *[to_contiguous(arg) for arg in args], **{k: to_contiguous(v) for k, v in kwargs.items()})

    return wrapper


@triton.jit
def rms_norm_forward(Y_ptr, Y_row_stride, X_ptr, X_row_stride, W_ptr, RSTD_ptr, RSTD_row_stride, n_cols, eps, offset,
                     casting_mode: tl.constexpr, elementwise_affine: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    """
    y = x / rms(x) * (offset + w), with rms(x) = sqrt(mean(x^2) + eps).

    The modes differ in where they round to the input's type.
    """
    row_idx = tl.program_id(0).to(tl.int64)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols

    y_base = Y_ptr + row_idx * Y_row_stride
    x_base = X_ptr + row_idx * X_row_stride
    X_row = tl.load(x_base + col_offsets, mask=mask, other=0)
    X_row_dtype = X_row.dtype
    if elementwise_affine:
        W_row = tl.load(W_ptr + col_offsets, mask=mask, other=0)

    # Llama: only rstd is computed in fp32
    if casting_mode == _CASTING_LLAMA:
        X_row = X_row.to(tl.float32)
    # Gemma: everything is
    if casting_mode == _CASTING_GEMMA:
        if elementwise_affine:
            W_row = W_row.to(tl.float32)
        X_row = X_row.to(tl.float32)
    if casting_mode == _CASTING_NONE:
        eps = eps.to(X_row_dtype)
        offset = offset.to(X_row_dtype)

    mean_square = tl.sum(X_row * X_row, axis=0) / n_cols
    rstd = libdevice.rsqrt(mean_square + eps)
    tl.store(RSTD_ptr + row_idx * RSTD_row_stride, rstd)
    X_row = X_row * rstd

    if casting_mode == _CASTING_LLAMA:
        X_row = X_row.to(X_row_dtype)
    if elementwise_affine:
        Y_row = X_row * (offset + W_row)
    else:
        Y_row = X_row
    if casting_mode == _CASTING_GEMMA:
        Y_row = Y_row.to(X_row_dtype)
    tl.store(y_base + col_offsets, Y_row, mask=mask)


@triton.jit
def rms_norm_backward(dY_ptr, dY_row_stride, dX_ptr, dX_row_stride, X_ptr, X_row_stride, X_dtype: tl.constexpr, W_ptr,
                      RSTD_ptr, RSTD_row_stride, dW_ptr, dW_row_stride, n_rows, n_cols, offset, rows_per_program,
                      BLOCK_SIZE: tl.constexpr):
    row_block_id = tl.program_id(0).to(tl.int64)
    row_start = row_block_id * rows_per_program
    row_end = min((row_block_id + 1) * rows_per_program, n_rows)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols

    dW_row = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    W_row = tl.load(W_ptr + col_offsets, mask=mask, other=0.0)
    W_row = W_row + offset

    for row_idx in range(row_start, row_end):
        dy_base = dY_ptr + row_idx * dY_row_stride
        dx_base = dX_ptr + row_idx * dX_row_stride
        x_base = X_ptr + row_idx * X_row_stride
        dY_row = tl.load(dy_base + col_offsets, mask=mask, other=0.0)
        X_row = tl.load(x_base + col_offsets, mask=mask, other=0.0).to(tl.float32)
        rstd_row = tl.load(RSTD_ptr + row_idx * RSTD_row_stride)
        m = (dY_row * W_row).to(tl.float32)
        dX_row = rstd_row * m
        dX_row += (rstd_row) * (-(1 / n_cols) * rstd_row * rstd_row * tl.sum(m * X_row, axis=0) * X_row)
        dW_row += dY_row * (X_row * rstd_row)
        tl.store(dx_base + col_offsets, dX_row.to(X_dtype), mask=mask)

    tl.store(dW_ptr + row_block_id * dW_row_stride + col_offsets, dW_row, mask=mask)


class RMSNorm(torch.autograd.Function):
    @staticmethod
    @ensure_contiguous
    def forward(ctx, X, W, eps, offset=0.0, casting_mode="llama", in_place=True, row_mode=None):
        assert casting_mode in _MODES, f"unknown casting mode {casting_mode!r}"
        shape = X.shape
        X = X.view(-1, shape[-1])
        Y, RSTD = torch.empty_like(X), torch.empty(X.shape[0], dtype=torch.float32, device=X.device)
        rms_norm_forward[(X.shape[0],)](Y, Y.stride(0), X, X.stride(0), W, RSTD, RSTD.stride(0), X.shape[1], eps, offset,
                                        _MODES[casting_mode], elementwise_affine=W is not None,
                                        BLOCK_SIZE=triton.next_power_of_2(X.shape[1]))
        return Y.view(*shape)
