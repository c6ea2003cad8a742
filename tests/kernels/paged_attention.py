"""Decoding attention over a paged cache, one query token a sequence, grouped-query heads."""
from typing import Any, Dict, Optional

import torch
import triton
import triton.language as tl

_FLOAT8_DTYPES = (torch.float8_e4m3fn, torch.float8_e5m2)


@triton.jit
def cdiv_fn(x, y):
    return (x + y - 1) // y


@triton.jit
def apply_softcap(S, x):
    Sdiv = S / x
    p1 = tl.exp(Sdiv)
    p2 = tl.exp(-Sdiv)
    return x * (p1 - p2) / (p1 + p2)


@triton.jit
def paged_attention_2d(
    output_ptr,  # [num_seqs, num_query_heads, head_size]
    query_ptr,  # [num_seqs, num_query_heads, head_size]
    key_cache_ptr,  # [num_blocks, block_size, num_kv_heads, head_size]
    value_cache_ptr,  # the same
    block_tables_ptr,  # [num_seqs, max_num_blocks_per_seq]
    seq_lens_ptr,  # [num_seqs]
    alibi_slopes_ptr,  # [num_query_heads]
    scale,  # float32
    softcap,  # float32
    num_query_heads: tl.constexpr,
    num_queries_per_kv: tl.constexpr,
    block_table_stride: tl.int64,
    query_stride_0: tl.int64,
    query_stride_1: tl.int64,  # should be equal to head_size
    BLOCK_SIZE: tl.constexpr,  # int
    HEAD_SIZE: tl.constexpr,  # int
    HEAD_SIZE_PADDED: tl.constexpr,  # int, a power of 2
    USE_ALIBI_SLOPES: tl.constexpr,  # bool
    USE_SOFTCAP: tl.constexpr,  # bool
    SLIDING_WINDOW: tl.constexpr,  # int
    stride_k_cache_0: tl.int64,
    stride_k_cache_1: tl.int64,
    stride_k_cache_2: tl.int64,
    stride_k_cache_3: tl.constexpr,
):
    seq_idx = tl.program_id(0)
    kv_head_idx = tl.program_id(1)

    query_head_idx = kv_head_idx * num_queries_per_kv + tl.arange(0, num_queries_per_kv)
    query_offset = seq_idx * query_stride_0 + query_head_idx[:, None] * query_stride_1
    head_mask = query_head_idx < (kv_head_idx + 1) * num_queries_per_kv
    head_mask = head_mask & (query_head_idx < num_query_heads)
    dim_mask = tl.where(tl.arange(0, HEAD_SIZE_PADDED) < HEAD_SIZE, 1, 0).to(tl.int1)

    # Q : (num_queries_per_kv, HEAD_SIZE_PADDED)
    Q = tl.load(
        query_ptr + query_offset + tl.arange(0, HEAD_SIZE_PADDED)[None, :],
        mask=dim_mask[None, :] & head_mask[:, None],
        other=0.0,
    )
    block_table_offset = seq_idx * block_table_stride

    M = tl.full([num_queries_per_kv], float("-inf"), dtype=tl.float32)
    L = tl.full([num_queries_per_kv], 1.0, dtype=tl.float32)
    acc = tl.zeros([num_queries_per_kv, HEAD_SIZE_PADDED], dtype=tl.float32)

    seq_len = tl.load(seq_lens_ptr + seq_idx)
    if USE_ALIBI_SLOPES:
        alibi_slope = tl.load(alibi_slopes_ptr + query_head_idx, mask=head_mask, other=0.0)

    num_blocks = cdiv_fn(seq_len, BLOCK_SIZE)

    # over the pages of the sequence
    for j in range(0, num_blocks):
        physical_block_idx = tl.load(block_tables_ptr + block_table_offset + j).to(tl.int64)
        offs_n = tl.arange(0, BLOCK_SIZE)
        offs_d = tl.arange(0, HEAD_SIZE_PADDED)
        kv_offset = (physical_block_idx * stride_k_cache_0 + kv_head_idx * stride_k_cache_2
                     + offs_d[None, :] * stride_k_cache_3 + offs_n[:, None] * stride_k_cache_1)
        seq_offset = j * BLOCK_SIZE + offs_n
        seq_mask = seq_offset < seq_len

        K = tl.load(key_cache_ptr + kv_offset, mask=dim_mask[None, :] & seq_mask[:, None], other=0.0)
        V = tl.load(value_cache_ptr + kv_offset, mask=dim_mask[None, :] & seq_mask[:, None], other=0.0)

        S = scale * tl.sum(K[None, :, :].to(tl.float32) * Q[:, None, :].to(tl.float32), axis=2)
        if USE_SOFTCAP:
            S = apply_softcap(S, softcap)
        context_len = seq_len - 1
        S = tl.where(head_mask[:, None] & seq_mask[None, :], S, float("-inf"))
        if SLIDING_WINDOW > 0:
            S = tl.where((context_len - seq_offset)[None, :] < SLIDING_WINDOW, S, -10000)
        if USE_ALIBI_SLOPES:
            S += alibi_slope[:, None] * (seq_offset - context_len)[None, :]

        m_j = tl.maximum(M, tl.max(S, axis=1))
        P = tl.exp(S - m_j[:, None])
        l_j = tl.sum(P, axis=1)
        alpha = tl.exp(M - m_j)
        acc = acc * alpha[:, None]
        L = L * alpha + l_j
        M = m_j
        acc += tl.sum(P[:, :, None] * V[None, :, :].to(tl.float32), axis=1)

    # epilogue; L began at 1, times exp(-inf)
    acc = acc / L[:, None]
    tl.store(
        output_ptr + query_offset + tl.arange(0, HEAD_SIZE_PADDED)[None, :],
        acc,
        mask=dim_mask[None, :] & head_mask[:, None],
    )


def decode(query, key_cache, value_cache, block_tables, seq_lens, scale, alibi: Optional[torch.Tensor] = None,
           **kwargs: Any) -> torch.Tensor:
    if key_cache.dtype in _FLOAT8_DTYPES:
        raise NotImplementedError("fp8 caches")
    config: Dict[str, int] = {"num_warps": kwargs.pop("num_warps", 4), "num_stages": 1}
    out = torch.empty_like(query)
    kv_heads = key_cache.shape[2]
    paged_attention_2d[(query.shape[0], kv_heads)](
        out, query, key_cache, value_cache, block_tables, seq_lens, alibi, scale, 0.0, query.shape[1],
        query.shape[1] // kv_heads, block_tables.stride(0), query.stride(0), query.stride(1),
        BLOCK_SIZE=key_cache.shape[1], HEAD_SIZE=query.shape[2], HEAD_SIZE_PADDED=triton.next_power_of_2(query.shape[2]),
        USE_ALIBI_SLOPES=alibi is not None, USE_SOFTCAP=False, SLIDING_WINDOW=0,
        **dict(zip(["stride_k_cache_0", "stride_k_cache_1", "stride_k_cache_2", "stride_k_cache_3"], key_cache.stride())),
        **config)
    return out
