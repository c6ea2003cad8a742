import torch
import triton
import triton.language as tl


@triton.jit
def embedding_forward(embeddings_ptr, indices_ptr, output_ptr, n_elements, embedding_dim: tl.constexpr,
                      BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    start_m = pid_m * BLOCK_SIZE_M
    start_n = pid_n * BLOCK_SIZE_N
    offsets_m = start_m + tl.arange(0, BLOCK_SIZE_M)
    mask_m = offsets_m < n_elements
    indices = tl.load(indices_ptr + offsets_m, mask=mask_m, other=0)
    offsets_n = start_n + tl.arange(0, BLOCK_SIZE_N)
    mask_n = offsets_n < embedding_dim
    block_mask = mask_m[:, None] & mask_n[None, :]
    embedding_offsets = indices[:, None] * embedding_dim + offsets_n[None, :]
    embeddings = tl.load(embeddings_ptr + embedding_offsets, mask=block_mask, other=0.0)
    output_offsets = offsets_m[:, None] * embedding_dim + offsets_n[None, :]
    tl.store(output_ptr + output_offsets, embeddings, mask=block_mask)


@triton.jit
def embedding_backward(grad_output_ptr, grad_weight_ptr, indices_ptr, n_elements, embedding_dim: tl.constexpr,
                       BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    offsets_m = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offsets_n = tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask_m = offsets_m < n_elements
    block_mask = mask_m[:, None] & (offsets_n < embedding_dim)[None, :]
    indices = tl.load(indices_ptr + offsets_m, mask=mask_m, other=0)
    grad_output = tl.load(grad_output_ptr + offsets_m[:, None] * embedding_dim + offsets_n[None, :], mask=block_mask,
                          other=0.0)
    tl.atomic_add(grad_weight_ptr + (indices[:, None] * embedding_dim + offsets_n[None, :]), grad_output, mask=block_mask)


@triton.jit
def embedding_bag(weight_ptr, indices_ptr, offsets_ptr, per_sample_ptr, out_ptr, max_norm, dim, MODE: tl.constexpr,
                  BLOCK_D: tl.constexpr):
    """One bag a program: MODE "sum", "mean" or "max"; an empty bag gives 0."""
    bag = tl.program_id(0)
    d = tl.arange(0, BLOCK_D)
    mask = d < dim
    start = tl.load(offsets_ptr + bag)
    end = tl.load(offsets_ptr + bag + 1)
    if start == end:
        tl.store(out_ptr + bag * dim + d, tl.zeros((BLOCK_D,), dtype=tl.float32), mask=mask)
        return
    if MODE == "max":
        acc = tl.full((BLOCK_D,), float("-inf"), dtype=tl.float32)
    else:
        acc = tl.zeros((BLOCK_D,), dtype=tl.float32)
    i = start
    while i < end:
        row = tl.load(indices_ptr + i).to(tl.int64)
        x = tl.load(weight_ptr + row * dim + d, mask=mask, other=0.0).to(tl.float32)
        norm = tl.sqrt(tl.sum(x * x, axis=0))
        if norm > max_norm:
            x = x * (max_norm / norm)
        if per_sample_ptr is not None:
            x *= tl.load(per_sample_ptr + i)
        if MODE == "max":
            acc = tl.maximum(acc, x)
        else:
            acc += x
        i += 1
    if MODE == "mean":
        acc /= (end - start).to(tl.float32)
    tl.store(out_ptr + bag * dim + d, acc, mask=mask)
