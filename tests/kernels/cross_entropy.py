# Cross entropy over a large vocabulary: the loss and the gradient in one kernel, in place of the logits.
import torch
import triton
import triton.language as tl
from triton.language.math import tanh

MAX_FUSED_SIZE = 65536 // 2


@triton.jit
def cross_entropy_kernel(
    X_ptr,
    X_stride,
    Y_ptr,
    Y_stride,
    weight_ptr,
    loss_ptr,
    z_loss_ptr,
    loss_stride,
    n_cols,
    n_non_ignore_ptr,
    ignore_index,
    lse_square_scale: tl.constexpr,
    label_smoothing: tl.constexpr,
    reduction: tl.constexpr,  # "mean" or "sum"
    softcap,
    RETURN_Z_LOSS: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    HAS_WEIGHT: tl.constexpr,
    HAS_SOFTCAPPING: tl.constexpr,
):
    tl.static_assert(reduction == "mean" or reduction == "sum", f"reduction {reduction} is neither mean nor sum")
    program_id = tl.program_id(0).to(tl.int64)

    # the label first: an ignored row has no loss and no gradient
    Y_ptr += program_id * Y_stride
    y = tl.load(Y_ptr)
    X_ptr += program_id * X_stride
    if y == ignore_index:
        for i in range(0, n_cols, BLOCK_SIZE):
            X_offsets = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + X_offsets, 0.0, mask=X_offsets < n_cols)
        return

    loss_ptr += program_id * loss_stride
    if RETURN_Z_LOSS:
        z_loss_ptr += program_id * loss_stride
    n_non_ignore = tl.load(n_non_ignore_ptr)
    if HAS_WEIGHT:
        weight_y = tl.load(weight_ptr + y).cast(tl.float32)

    # online softmax: first pass for the maximum and the sum
    m = float("-inf")
    d = 0.0
    # every thread reads the label's logit before any overwrites it
    ori_X_y = tl.load(X_ptr + y).cast(tl.float32)
    tl.debug_barrier()
    if HAS_SOFTCAPPING:
        ori_X_y = softcap * tanh(ori_X_y / softcap)
    scaled_x_sum = 0.0
    eps = label_smoothing / n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).cast(tl.float32)
        if HAS_SOFTCAPPING:
            # the cap makes -softcap of what is beyond the end
            X_block = tl.where(X_offsets < n_cols, softcap * tanh(X_block / softcap), float("-inf"))
        block_max = tl.max(X_block)
        if label_smoothing > 0:
            scaled_x_sum += tl.sum(tl.where(X_offsets < n_cols, -eps * X_block, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(X_block - m_new))
        m = m_new
    lse = m + tl.log(d)

    # the gradient, written over the logits
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).cast(tl.float32)
        if HAS_SOFTCAPPING:
            intermediate = tanh(X_block / softcap)
            X_block = softcap * intermediate
        X_block = tl.exp(X_block - m) / d
        X_block += 2 * lse_square_scale * lse * X_block
        X_block += -eps
        X_block = tl.where(X_offsets != y, X_block, X_block - (1 - label_smoothing))
        if reduction == "mean":
            X_block = X_block / n_non_ignore
        if HAS_WEIGHT:
            X_block = X_block * weight_y
        if HAS_SOFTCAPPING:
            X_block = X_block * (1 - intermediate * intermediate)
        tl.store(X_ptr + X_offsets, X_block, mask=X_offsets < n_cols)

    # what was stored may be read by other threads of the program below
    tl.debug_barrier()

    loss = lse - ori_X_y
    if label_smoothing > 0:
        smooth_loss = scaled_x_sum + label_smoothing * lse
        loss = loss * (1 - label_smoothing) + smooth_loss
    z_loss = lse_square_scale * lse * lse
    loss += z_loss
    if HAS_WEIGHT:
        loss = loss * weight_y
    if reduction == "mean":
        z_loss = z_loss / n_non_ignore
        loss = loss / n_non_ignore
    tl.store(loss_ptr, loss)
    if RETURN_Z_LOSS:
        tl.store(z_loss_ptr, z_loss)


def cross_entropy_forward(_input, target, weight=None, ignore_index=-100, label_smoothing=0.0, reduction="mean",
                          softcap=None):
    BT, V = _input.shape
    n_non_ignore = (target != ignore_index).sum()
    assert (target * (target != ignore_index)).max() < V, f"a target is out of bounds: {target.max()} >= {V}"
    loss_1d = torch.zeros(BT, dtype=_input.dtype, device=_input.device)
    z_loss_1d = torch.zeros_like(loss_1d)
    cross_entropy_kernel[(BT,)](
        X_ptr=_input, X_stride=_input.stride(-2), Y_ptr=target, Y_stride=target.stride(-1), weight_ptr=weight,
        loss_ptr=loss_1d, z_loss_ptr=z_loss_1d, loss_stride=loss_1d.stride(-1), n_cols=V, n_non_ignore_ptr=n_non_ignore,
        ignore_index=ignore_index, lse_square_scale=0.0, label_smoothing=label_smoothing, reduction=reduction,
        softcap=softcap, RETURN_Z_LOSS=True, BLOCK_SIZE=min(MAX_FUSED_SIZE, triton.next_power_of_2(V)),
        HAS_WEIGHT=weight is not None, HAS_SOFTCAPPING=softcap is not None, num_warps=32)
    return torch.sum(loss_1d), z_loss_1d
