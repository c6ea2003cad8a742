import torch
import triton
import triton.language as tl


@triton.heuristics({
    "EVEN_M": lambda args: args["M"] % args["BLOCK_M"] == 0,
    "EVEN_N": lambda args: args["N"] % args["BLOCK_N"] == 0,
})
@triton.jit
def transpose_block_ptr(X, Y, M, N, stride_xm, stride_ym, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                        EVEN_M: tl.constexpr, EVEN_N: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    x_block = tl.make_block_ptr(X, (M, N), (stride_xm, 1), (pid_m * BLOCK_M, pid_n * BLOCK_N), (BLOCK_M, BLOCK_N), (1, 0))
    y_block = tl.make_block_ptr(Y, (N, M), (stride_ym, 1), (pid_n * BLOCK_N, pid_m * BLOCK_M), (BLOCK_N, BLOCK_M), (1, 0))
    if EVEN_M and EVEN_N:
        tl.store(y_block, tl.trans(tl.load(x_block)))
    else:
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        tl.store(y_block, tl.trans(x), boundary_check=(0, 1))


@triton.jit
def permute_bhsd(x_ptr, y_ptr, S, H: tl.constexpr, D: tl.constexpr, BLOCK_S: tl.constexpr):
    """(batch, S, H, D) to (batch, H, D, S), by one permuted tile."""
    b = tl.program_id(1)
    s = tl.program_id(0) * BLOCK_S + tl.arange(0, BLOCK_S)
    h = tl.arange(0, H)
    d = tl.arange(0, D)
    live = s < S
    x = tl.load(x_ptr + ((b * S + s[:, None, None]) * H + h[None, :, None]) * D + d[None, None, :],
                mask=live[:, None, None], other=0)
    y = tl.permute(x, (1, 2, 0))
    tl.store(y_ptr + ((b * H + h[:, None, None]) * D + d[None, :, None]) * S + s[None, None, :], y,
             mask=live[None, None, :])
