import torch
import triton
import triton.language as tl

ROPE_GROUP_SIZE: tl.constexpr = 2


def _heuristics():
    return {
        "BACKWARD_PASS": lambda args: bool(args["BACKWARD_PASS"]),
    }


# Rotary embedding of half-split pairs: (x1, x2) -> (x1 cos - x2 sin, x2 cos + x1 sin), in place.
@triton.heuristics({"BLOCK_SIZE": lambda args: triton.next_power_of_2(args["head_dim"] // 2)})
@triton.jit
def rope_embedding(
    Q, Q_row_stride: tl.constexpr,
    cos, cos_row_stride,
    sin, sin_row_stride,
    seqlen,
    head_dim: tl.constexpr,
    n_heads: tl.constexpr,
    BACKWARD_PASS: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    row_position = tl.program_id(0)
    group_head_position = tl.program_id(1)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    half_head_dim = head_dim // 2
    mask = col_offsets < half_head_dim

    rot_position = row_position % seqlen
    sin1 = tl.load(sin + rot_position * sin_row_stride + half_head_dim * 0 + col_offsets, mask=mask, other=0)
    cos1 = tl.load(cos + rot_position * cos_row_stride + half_head_dim * 0 + col_offsets, mask=mask, other=0)
    if BACKWARD_PASS:
        # the transpose of a rotation turns the other way
        sin1 = -sin1

    head_start = group_head_position * ROPE_GROUP_SIZE
    head_end = min((head_start + ROPE_GROUP_SIZE), n_heads)
    for k in range(head_start, head_end):
        offs_q1 = row_position * Q_row_stride + k * head_dim + col_offsets
        offs_q2 = row_position * Q_row_stride + k * head_dim + col_offsets + half_head_dim
        Q1 = tl.load(Q + offs_q1, mask=mask, other=0).to(sin1.dtype)
        Q2 = tl.load(Q + offs_q2, mask=mask, other=0).to(sin1.dtype)
        tl.store(Q + offs_q1, Q1 * cos1 - Q2 * sin1, mask=mask)
        tl.store(Q + offs_q2, Q2 * cos1 + Q1 * sin1, mask=mask)


# The same of interleaved pairs, by reshape, split and join.
@triton.jit
def rope_interleaved(X, Out, Cos, Sin, rows, DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    tl.static_assert(DIM % 2 == 0, f"DIM is {DIM}, which is odd")
    HALF: tl.constexpr = DIM // 2
    rm = tl.program_id(axis=0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rk = tl.arange(0, DIM)
    rh = tl.arange(0, HALF)
    live = rm < rows
    x = tl.load(X + rm[:, None] * DIM + rk[None, :], mask=live[:, None], other=0.0)
    even, odd = tl.split(tl.reshape(x, (BLOCK_M, HALF, 2)))
    cos = tl.load(Cos + rm[:, None] * HALF + rh[None, :], mask=live[:, None], other=1.0)
    sin = tl.load(Sin + rm[:, None] * HALF + rh[None, :], mask=live[:, None], other=0.0)
    real = even * cos - odd * sin
    imag = even * sin + odd * cos
    y = tl.reshape(tl.join(real, imag), (BLOCK_M, DIM))
    tl.store(Out + rm[:, None] * DIM + rk[None, :], y, mask=live[:, None])


class Fast_RoPE_Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, Q, cos, sin):
        cos, sin = cos.squeeze(), sin.squeeze()
        batch, seq_len, n_heads, head_dim = Q.shape
        Q = Q.view(batch * seq_len, n_heads * head_dim)
        div, mod = divmod(n_heads, 2)
        n_groups = div + (mod != 0)
        rope_embedding[(batch * seq_len, n_groups)](
            Q, Q.stride(0), cos, cos.stride(0), sin, sin.stride(0), seq_len, head_dim, n_heads, BACKWARD_PASS=False)
        return Q.view(batch, seq_len, n_heads, head_dim)
