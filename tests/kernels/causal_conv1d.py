"""Depthwise causal convolution over the sequence, with a state of the last KERNEL_WIDTH - 1 inputs."""
from enum import Enum

import torch
import triton
import triton.language as tl

PAD_SLOT_ID = -1


class Activation(Enum):
    NONE = 0
    SILU = 1


@triton.jit()
def causal_conv1d_fwd(
    x_ptr,  # (dim, total tokens)
    w_ptr,  # (dim, width)
    bias_ptr,
    initial_states_ptr,  # (sequences, dim, width - 1)
    cache_indices_ptr,
    has_initial_states_ptr,
    query_start_loc_ptr,
    o_ptr,
    dim: tl.constexpr,
    stride_x_dim: tl.int64,
    stride_o_dim: tl.int64,
    HAS_BIAS: tl.constexpr,
    KERNEL_WIDTH: tl.constexpr,
    SILU_ACTIVATION: tl.constexpr,
    pad_slot_id: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    idx_seq = tl.program_id(0)
    chunk_offset = tl.program_id(1)
    idx_feats = tl.program_id(2) * BLOCK_N + tl.arange(0, BLOCK_N)
    if idx_seq == pad_slot_id:
        return
    sequence_start_index = tl.load(query_start_loc_ptr + idx_seq)
    sequence_end_index = tl.load(query_start_loc_ptr + idx_seq + 1)
    seqlen = sequence_end_index - sequence_start_index
    token_offset = BLOCK_M * chunk_offset
    segment_len = min(BLOCK_M, seqlen - token_offset)
    if segment_len <= 0:
        return
    slot = tl.load(cache_indices_ptr + idx_seq).to(tl.int64)
    if slot == pad_slot_id:
        # not processed
        return
    mask_f = idx_feats < dim
    x_base = x_ptr + sequence_start_index * 1 + idx_feats * stride_x_dim
    w_base = w_ptr + idx_feats * KERNEL_WIDTH

    # the columns before the chunk: of this sequence, of its state, or 0
    tl.static_assert(KERNEL_WIDTH == 3 or KERNEL_WIDTH == 4)
    load_init_state = tl.load(has_initial_states_ptr + idx_seq).to(tl.int1)
    state_base = initial_states_ptr + (slot * dim + idx_feats) * (KERNEL_WIDTH - 1)
    col0 = tl.zeros((BLOCK_N,), dtype=x_ptr.dtype.element_ty)
    col1 = tl.zeros((BLOCK_N,), dtype=x_ptr.dtype.element_ty)
    col2 = tl.zeros((BLOCK_N,), dtype=x_ptr.dtype.element_ty)
    if chunk_offset == 0:
        if load_init_state:
            col0 = tl.load(state_base, mask_f, 0.0)
            col1 = tl.load(state_base + 1, mask_f, 0.0)
            if KERNEL_WIDTH == 4:
                col2 = tl.load(state_base + 2, mask_f, 0.0)
    else:
        before = x_base + token_offset - (KERNEL_WIDTH - 1)
        col0 = tl.load(before, mask_f, 0.0)
        col1 = tl.load(before + 1, mask_f, 0.0)
        if KERNEL_WIDTH == 4:
            col2 = tl.load(before + 2, mask_f, 0.0)

    if HAS_BIAS:
        acc_preload = tl.load(bias_ptr + idx_feats, mask=mask_f, other=0.0).to(tl.float32)
    else:
        acc_preload = tl.zeros((BLOCK_N,), dtype=tl.float32)
    w_col0 = tl.load(w_base + 0, mask_f, other=0.0)
    w_col1 = tl.load(w_base + 1, mask_f, other=0.0)
    w_col2 = tl.load(w_base + 2, mask_f, other=0.0)
    if KERNEL_WIDTH == 4:
        w_col3 = tl.load(w_base + 3, mask_f, other=0.0)

    mask_x_1d = mask_f
    for idx_token in range(segment_len):
        acc = acc_preload
        matrix_w = w_col0
        matrix_x = col0
        for j in tl.static_range(KERNEL_WIDTH):
            if KERNEL_WIDTH == 3:
                if j == 1:
                    matrix_w = w_col1
                    matrix_x = col1
                elif j == 2:
                    matrix_w = w_col2
                    matrix_x = tl.load(x_base + token_offset + idx_token, mask=mask_x_1d)
            elif KERNEL_WIDTH == 4:
                if j == 1:
                    matrix_w = w_col1
                    matrix_x = col1
                elif j == 2:
                    matrix_w = w_col2
                    matrix_x = col2
                elif j == 3:
                    matrix_w = w_col3
                    matrix_x = tl.load(x_base + token_offset + idx_token, mask=mask_x_1d)
            acc += matrix_x * matrix_w
        col0 = col1
        if KERNEL_WIDTH == 4:
            col1 = col2
            col2 = matrix_x
        else:
            col1 = matrix_x
        if SILU_ACTIVATION:
            acc = acc / (1 + tl.exp(-acc))
        mask_1d = (idx_token < segment_len) & (idx_feats < dim)
        o_ptrs = o_ptr + (sequence_start_index + token_offset + idx_token) + idx_feats * stride_o_dim
        tl.store(o_ptrs, acc, mask=mask_1d)
