import torch
import triton
import triton.language as tl


@triton.jit
def reshape_and_cache(
    key_ptr,  # [num_tokens, num_heads, head_size]
    value_ptr,
    key_cache_ptr,  # [num_blocks, block_size, num_heads, head_size]
    value_cache_ptr,
    slot_mapping_ptr,  # [num_tokens]
    k_scale,  # a pointer to one number, or None
    key_stride: tl.int64,
    block_stride: tl.int64,
    page_stride: tl.int64,
    num_heads: tl.constexpr,
    head_size: tl.constexpr,
    block_size: tl.constexpr,
    FP8_KV_CACHE: tl.constexpr,
    TILE_SIZE: tl.constexpr,
):
    token_idx = tl.program_id(axis=0)
    slot_idx = tl.load(slot_mapping_ptr + token_idx).to(tl.int64)
    if slot_idx < 0:
        # Padding token that should be ignored.
        return

    tile_i = tl.program_id(axis=1)
    tile_offs = tl.arange(0, TILE_SIZE)
    tile_pos = tile_i * TILE_SIZE + tile_offs
    block_idx = slot_idx // block_size
    block_offset = slot_idx % block_size
    src_key_idx = token_idx * key_stride
    tgt_idx = block_idx * block_stride + block_offset * page_stride

    key_load = tl.load(key_ptr + src_key_idx + tile_pos, mask=tile_pos < (num_heads * head_size))
    if FP8_KV_CACHE:
        # a store converts what is of another type
        key_tile = key_load if key_load.dtype.is_fp8() else key_load / tl.load(k_scale)
    else:
        key_tile = key_load
    value_tile = tl.load(value_ptr + src_key_idx + tile_pos, mask=tile_pos < (num_heads * head_size))
    tl.store(key_cache_ptr + tgt_idx + tile_pos, key_tile, mask=tile_pos < (num_heads * head_size))
    tl.store(value_cache_ptr + tgt_idx + tile_pos, value_tile, mask=tile_pos < (num_heads * head_size))
    return


@triton.jit
def scatter_rows(src_ptr, index_ptr, out_ptr, n_rows, n_cols, stride_o, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.arange(0, BLOCK_C)
    rmask = r < n_rows
    to = tl.load(index_ptr + r, mask=rmask, other=-1)
    live = (rmask & (to >= 0))[:, None] & (c < n_cols)[None, :]
    v = tl.load(src_ptr + r[:, None] * n_cols + c[None, :], mask=live, other=0)
    tl.store(out_ptr + to[:, None] * stride_o + c[None, :], v, mask=live, cache_modifier=".cg")
