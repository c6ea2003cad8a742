# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MInference: attention over chosen blocks and columns, sliding windows in stages, and scores of blocks."""

import importlib

from operations import Case, operation

LIBRARY = "minference"


def ops(name):
    return importlib.import_module(f"minference.ops.{name}")


def inputs(t, batch, heads, length, head):
    return [t.torch.randn(batch, heads, t.d(length), head, device=t.device).to(t.dtype("bf16")) for _ in range(3)]


def attended(t, q, k, v, mask):
    scores = t.up(q) @ t.up(k).transpose(-1, -2) / q.shape[-1] ** 0.5
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ t.up(v)


@operation(LIBRARY, "block_sparse", "attention", "_triton_block_sparse_attention, 16 blocks of 64 for each of 64 rows, (1,16,8192,128)")
def _(t):
    torch, (q, k, v) = t.torch, inputs(t, 1, 16, 8192, 128)
    rows, length = q.shape[2] // 64, q.shape[2]
    blocks = torch.stack([torch.stack([torch.cat([torch.randperm(max(i, 1), device=t.device)[: min(i, 15)], torch.tensor([i], device=t.device),
                                                  torch.zeros(15, dtype=torch.long, device=t.device)])[:16] for i in range(rows)]) for _ in range(16)])
    blocks, lengths = blocks[None].to(torch.int32), torch.tensor([length], dtype=torch.int32, device=t.device)

    def reference():
        position = torch.arange(length, device=t.device)
        mask = torch.zeros(16, rows, rows, dtype=torch.bool, device=t.device)
        for i in range(rows):
            mask[:, i].scatter_(1, blocks[0, :, i, : min(i + 1, 16)].long(), True)
        whole = mask.repeat_interleave(64, 1).repeat_interleave(64, 2) & (position[None, :] <= position[:, None])
        return attended(t, q, k, v, whole)

    return Case(lambda: ops("block_sparse_flash_attention")._triton_block_sparse_attention(q, k, v, lengths, blocks, 128 ** -0.5), reference)


@operation(LIBRARY, "streaming", "attention", "a_shape_kernel in two stages, 128 first and 2048 near keys, (1,16,8192,128)")
def _(t):
    q, k, v = inputs(t, 1, 16, 8192, 128)
    first, near = (128, 2048) if not t.tiny else (64, 128)
    config = {"attn_forward_config": {"n_init": first, "n_local": near}}

    def reference():
        position = t.torch.arange(q.shape[2], device=t.device)
        distance = position[:, None] - position[None, :]
        return attended(t, q, k, v, (distance >= 0) & ((distance < near) | (position[None, :] < first)))

    return Case(lambda: ops("streaming_kernel").a_shape_kernel(q, k, v, config), reference)


@operation(LIBRARY, "strided_scores", "product", "flat_group_gemm_fuse_reshape, sums over 8 rows, (1,8,8192,128)")
def _(t):
    q, k, _ = inputs(t, 1, 8, 8192 if not t.tiny else 32768, 128)

    def reference():
        left, right = t.up(q).unflatten(2, (-1, 8)).flip(3), t.up(k).unflatten(2, (-1, 8))
        return t.torch.einsum("bhqsd,bhksd->bhqk", left, right)

    return Case(lambda: ops("xattention_fa").flat_group_gemm_fuse_reshape(q, k, 8, 0, q.shape[2] // 8, False), reference)


@operation(LIBRARY, "block_sums", "reduction", "softmax_fuse_block_sum, causal, sums of 16x16 blocks of softmax, bf16 (1,32,2048,2048)")
def _(t):
    length = t.d(2048)
    x = t.torch.randn(1, 32, length, length, device=t.device).to(t.dtype("bf16"))
    segment = 1024 if not t.tiny else 32

    def reference():
        mask = t.torch.ones(length, length, dtype=t.torch.bool, device=t.device).tril()
        scores = (t.up(x) * 0.6931471805599453).masked_fill(~mask, float("-inf"))
        most = scores.amax(-1, keepdim=True)
        weights = (scores - most).exp()
        return (weights / weights.sum(-1, keepdim=True)).unflatten(3, (-1, 16)).sum(-1).unflatten(2, (-1, 16)).sum(3)

    return Case(lambda: ops("xattention_fa").softmax_fuse_block_sum(x, 16, segment, 0, length, length, 1.0), reference)
