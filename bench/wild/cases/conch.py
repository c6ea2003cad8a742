# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""conch: what serving of language models runs."""

import importlib

from operations import Case, operation

LIBRARY = "conch"


def ops(name):
    return importlib.import_module(f"conch.ops.{name}")


@operation(LIBRARY, "silu_and_mul", "pointwise", "silu_and_mul, (8192, 2 x 11008)")
def _(t):
    x = t.randn(8192, 22016)

    def reference():
        gate, value = t.up(x).chunk(2, -1)
        return t.torch.nn.functional.silu(gate) * value

    return Case(lambda: ops("activation.silu_and_mul").silu_and_mul(x), reference)


@operation(LIBRARY, "rotary_embedding", "index", "rotary_embedding, 8192 tokens, 32 and 8 heads of 128")
def _(t):
    q, k, positions = t.randn(8192, 32, 128).flatten(1), t.randn(8192, 8, 128).flatten(1), t.randint(4096, 8192)
    angle = t.rand(4096, 64, dtype="fp32", high=6.0)
    table = t.torch.cat([angle.cos(), angle.sin()], -1).to(q.dtype)

    def turned(x):
        heads = t.up(x).view(x.shape[0], -1, 128)
        cos, sin = (part[positions][:, None] for part in t.up(table).chunk(2, -1))
        a, b = heads.chunk(2, -1)
        return t.torch.cat([a * cos - b * sin, b * cos + a * sin], -1).view(x.shape)

    return Case(lambda: ops("embedding.rotary_embedding").rotary_embedding(positions, q, k, 128, table), lambda: [turned(q), turned(k)])


@operation(LIBRARY, "rms_norm", "norm", "rms_norm, (8192,4096)")
def _(t):
    x, w = t.randn(8192, 4096), t.randn(4096)
    return Case(lambda: ops("normalization.rms_norm").rms_norm(x, w, 1e-6), lambda: t.torch.nn.functional.rms_norm(t.up(x), w.shape, t.up(w), 1e-6))


@operation(LIBRARY, "fused_add_rms_norm", "norm", "fused_add_rms_norm in place, (8192,4096)")
def _(t):
    x, r, w = t.randn(8192, 4096), t.randn(8192, 4096), t.randn(4096)

    def run():
        ops("normalization.rms_norm").fused_add_rms_norm(x, r, w, 1e-6)
        return x, r

    return Case(run, lambda: (t.torch.nn.functional.rms_norm(t.up(x) + t.up(r), w.shape, t.up(w), 1e-6), t.up(x) + t.up(r)))


@operation(LIBRARY, "gemma_rms_norm", "norm", "gemma_rms_norm in place, (8192,4096)")
def _(t):
    x, w = t.randn(8192, 4096), t.randn(4096)
    return Case(lambda: ops("normalization.gemma_rms_norm").gemma_rms_norm(x, w, 1e-6),
                lambda: t.torch.nn.functional.rms_norm(t.up(x), w.shape, 1 + t.up(w), 1e-6))


def cached(t, tables, keys, length):
    """The first keys of each sequence, from pages."""
    return [t.up(keys)[row.long()].flatten(0, 1)[:length] for row in tables]


def paged(t, batch, length, heads, page=32):
    pages = t.d(length) // page
    count = batch * pages
    keys, values = (t.torch.randn(count, page, heads, 128, device=t.device).to(t.dtype("bf16")) for _ in range(2))
    return keys, values, t.torch.randperm(count, device=t.device).to(t.torch.int32).view(batch, pages)


def attended(t, q, key, value):
    """One sequence's queries (Q,H,D) over its keys (K,G,D), the last query at the last key."""
    groups = q.shape[1] // key.shape[1]
    scores = t.torch.einsum("qhd,khd->hqk", t.up(q), key.repeat_interleave(groups, 1)) / q.shape[-1] ** 0.5
    ahead = t.torch.ones(scores.shape[-2:], dtype=t.torch.bool, device=q.device).triu(scores.shape[-1] - scores.shape[-2] + 1)
    return t.torch.einsum("hqk,khd->qhd", scores.masked_fill(ahead, float("-inf")).softmax(-1), value.repeat_interleave(groups, 1))


@operation(LIBRARY, "paged_attention", "attention", "paged_attention, 64 sequences of 2048, 32 heads on 8, pages of 32")
def _(t):
    keys, values, tables = paged(t, 64, 2048, 8)
    length = tables.shape[1] * 32
    q, lengths = t.randn(64, 32, 128), t.torch.full((64,), length, dtype=t.torch.int32, device=t.device)

    def reference():
        pairs = zip(q, cached(t, tables, keys, length), cached(t, tables, values, length))
        return t.torch.stack([attended(t, query[None], key, value)[0] for query, key, value in pairs])

    return Case(lambda: ops("attention.paged_attention").paged_attention(q, keys, values, tables, lengths), reference)


@operation(LIBRARY, "varlen_attention", "attention", "varlen_attention, causal, 8 prompts of 1024, 32 heads on 8, pages of 32")
def _(t):
    keys, values, tables = paged(t, 8, 1024, 8)
    length = tables.shape[1] * 32
    q, lengths = t.torch.randn(8 * length, 32, 128, device=t.device).to(t.dtype("bf16")), t.torch.full((8,), length, dtype=t.torch.int32, device=t.device)
    starts = t.torch.arange(0, 9 * length, length, dtype=t.torch.int32, device=t.device)

    def reference():
        pairs = zip(q.split(length), cached(t, tables, keys, length), cached(t, tables, values, length))
        return t.torch.cat([attended(t, query, key, value) for query, key, value in pairs])

    return Case(lambda: ops("attention.varlen_attention").varlen_attention(q, keys, values, starts, length, lengths, length, tables, causal=True), reference)


@operation(LIBRARY, "fp8_quant", "pointwise", "static_scaled_fp8_quant, (8192,4096)")
def _(t):
    x, scale = t.randn(8192, 4096), t.torch.full((1,), 0.05, device=t.device)
    out = t.torch.empty(x.shape, dtype=t.torch.float8_e4m3fn, device=t.device)

    def run():
        ops("quantization.fp8").static_scaled_fp8_quant(out, x, scale)
        return out

    return Case(run, lambda: (x.float() / 0.05).clamp(-448, 448).to(out.dtype).double(), lambda out: out.double())


@operation(LIBRARY, "scaled_gemm", "product", "scaled_gemm, int8 4096^3 to bf16")
def _(t):
    a, b = (t.torch.randint(-100, 100, t.shape((4096, 4096)), device=t.device, dtype=t.torch.int8) for _ in range(2))
    left, right = t.rand(4096, 1, dtype="fp32"), t.rand(4096, 1, dtype="fp32")
    return Case(lambda: ops("quantization.gemm").scaled_gemm(a, b, left, right, t.dtype("bf16")), lambda: (t.up(a) @ t.up(b)) * t.up(left) * t.up(right).T)


def filled(t, keys, cache, slots):
    out = cache.clone()
    out.view(-1, *cache.shape[2:])[slots] = keys
    return out


@operation(LIBRARY, "reshape_and_cache", "scatter", "reshape_and_cache, 8192 tokens, 8 heads of 128, pages of 32")
def _(t):
    keys, values, table = t.randn(8192, 8, 128), t.randn(8192, 8, 128), t.randn(512, 32, 8, 128)
    other = t.torch.zeros_like(table)
    slots = t.torch.randperm(table.shape[0] * 32, device=t.device)[: keys.shape[0]]

    def run():
        ops("vllm.reshape_and_cache").reshape_and_cache(keys, values, table, other, slots)
        return table, other

    return Case(run, lambda: (t.up(filled(t, keys, table, slots)), t.up(filled(t, values, other, slots))))


@operation(LIBRARY, "copy_blocks", "scatter", "copy_blocks, 8 layers, 256 of 1024 pages of 32 x 8 x 128")
def _(t):
    keys, values = ([t.randn(1024, 32768) for _ in range(8)] for _ in range(2))
    order = t.torch.randperm(keys[0].shape[0], device=t.device)
    pairs = order[: len(order) // 2].view(-1, 2).contiguous()

    def copied(x):
        out = t.up(x)
        out[pairs[:, 1]] = out[pairs[:, 0]]
        return out

    def run():
        ops("vllm.copy_blocks").copy_blocks(keys, values, pairs)
        return keys[0], values[-1]

    return Case(run, lambda: (copied(keys[0]), copied(values[-1])))


@operation(LIBRARY, "bev_pool", "scatter", "bev_pool, fp32 (200000,80) into 128 x 128 cells")
def _(t):
    torch, count, cells = t.torch, t.d(200000), 128
    features = torch.randn(count, 80, device=t.device)
    cell = torch.randint(0, cells * cells, (count,), device=t.device).sort()[0]
    found, lengths = cell.unique_consecutive(return_counts=True)
    places = torch.stack([cell // cells, cell % cells, torch.zeros_like(cell), torch.zeros_like(cell)], 1).int()
    starts = (lengths.cumsum(0) - lengths).int()
    return Case(lambda: ops("vision.bev_pool").bev_pool(features, places, starts, lengths.int(), 1, 1, cells, cells),
                lambda: torch.zeros(cells * cells, 80, dtype=torch.float64, device=t.device).index_add(0, cell, t.up(features)).view(1, 1, cells, cells, 80))
