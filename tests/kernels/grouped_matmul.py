# A list of matmuls of different sizes in one launch of NUM_SM programs, which take tiles one after another.
from typing import List

import torch
import triton
import triton.language as tl


def num_sms():
    return torch.cuda.get_device_properties("cuda").multi_processor_count


@triton.autotune(
    configs=[
        triton.Config({'BLOCK_SIZE_M': 16, 'BLOCK_SIZE_N': 32, 'BLOCK_SIZE_K': 16, 'NUM_SM': 84}),
        triton.Config({'BLOCK_SIZE_M': 128, 'BLOCK_SIZE_N': 128, 'BLOCK_SIZE_K': 64, 'NUM_SM': num_sms()}),
    ],
    key=['group_size'],
)
@triton.jit
def grouped_matmul_kernel(
    # all groups' matrices, one after another, and where each begins
    a_base, b_base, c_base,
    group_offsets,  # [group_size, 3]
    group_gemm_sizes,  # [group_size, 3]: M, N, K
    g_lds,  # [group_size, 3]: leading dimensions
    group_size,
    NUM_SM: tl.constexpr,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
):
    tile_idx = tl.program_id(0)
    last_problem_end = 0
    for g in range(group_size):
        gm = tl.load(group_gemm_sizes + g * 3)
        gn = tl.load(group_gemm_sizes + g * 3 + 1)
        gk = tl.load(group_gemm_sizes + g * 3 + 2)
        num_m_tiles = tl.cdiv(gm, BLOCK_SIZE_M)
        num_n_tiles = tl.cdiv(gn, BLOCK_SIZE_N)
        num_tiles = num_m_tiles * num_n_tiles
        # over the tiles of this problem
        while (tile_idx >= last_problem_end and tile_idx < last_problem_end + num_tiles):
            k = gk
            lda = tl.load(g_lds + g * 3)
            ldb = tl.load(g_lds + g * 3 + 1)
            ldc = tl.load(g_lds + g * 3 + 2)
            a_ptr = a_base + tl.load(group_offsets + g * 3)
            b_ptr = b_base + tl.load(group_offsets + g * 3 + 1)
            c_ptr = c_base + tl.load(group_offsets + g * 3 + 2)
            tile_idx_in_gemm = tile_idx - last_problem_end
            tile_m_idx = tile_idx_in_gemm // num_n_tiles
            tile_n_idx = tile_idx_in_gemm % num_n_tiles
            offs_am = tile_m_idx * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
            offs_bn = tile_n_idx * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
            offs_k = tl.arange(0, BLOCK_SIZE_K)
            a_ptrs = a_ptr + offs_am[:, None] * lda + offs_k[None, :]
            b_ptrs = b_ptr + offs_k[:, None] * ldb + offs_bn[None, :]
            accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
            for kk in range(0, tl.cdiv(k, BLOCK_SIZE_K)):
                # a hint for the vectors of the loads
                tl.multiple_of(a_ptrs, [2, 2])
                tl.multiple_of(b_ptrs, [2, 2])
                k_left = k - kk * BLOCK_SIZE_K
                a = tl.load(a_ptrs, mask=(offs_am < gm)[:, None] & (offs_k < k_left)[None, :], other=0.0)
                b = tl.load(b_ptrs, mask=(offs_k < k_left)[:, None] & (offs_bn < gn)[None, :], other=0.0)
                accumulator += tl.dot(a, b)
                a_ptrs += BLOCK_SIZE_K
                b_ptrs += BLOCK_SIZE_K * ldb
            c = accumulator.to(tl.float16)
            c_ptrs = c_ptr + ldc * offs_am[:, None] + offs_bn[None, :]
            tl.store(c_ptrs, c, mask=(offs_am[:, None] < gm) & (offs_bn[None, :] < gn))
            # go to the next tile by advancing NUM_SM
            tile_idx += NUM_SM
        # get ready to go to the next gemm problem
        last_problem_end = last_problem_end + num_tiles


def group_gemm_fn(group_A: List[torch.Tensor], group_B: List[torch.Tensor]):
    assert len(group_A) == len(group_B)
    sizes = [[a.shape[0], b.shape[1], a.shape[1]] for a, b in zip(group_A, group_B)]
    return torch.tensor(sizes, dtype=torch.int32).flatten()
