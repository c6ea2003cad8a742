# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LMDeploy: serving with weights, activations and caches in 4 and 8 bits."""

import enum
import importlib
import logging

import formats
from operations import Case, operation

from .conch import attended
from .gptqmodel import pack_awq

LIBRARY = "lmdeploy"
Policy = enum.IntEnum("Policy", {"NONE": 0, "INT4": 4, "INT8": 8, "FP8": 16, "FP8_E5M2": 17, "TURBO_QUANT": 42})


def ops(name):
    formats.stand_in("lmdeploy.utils", get_logger=logging.getLogger)
    formats.stand_in("lmdeploy.messages", QuantPolicy=Policy)
    return importlib.import_module(f"lmdeploy.pytorch.kernels.cuda.{name}")


def awq(rows):
    @operation(LIBRARY, f"awq_linear_{rows}", "packed", f"awq_linear, {rows} rows, fp16 by 4 bits along n (8192,4096), groups of 128")
    def _(t):
        quantised, scales, zeros, values = formats.grouped(t, 8192, 4096, 4, 128)
        words, zero_words, x = pack_awq(t, quantised), pack_awq(t, zeros), t.torch.randn(t.d(rows), quantised.shape[0], device=t.device).to(scales.dtype)
        return Case(lambda: ops("awq_kernels").awq_linear(x, words, scales, zero_words), lambda: t.up(x) @ values())


awq(16)
awq(1024)


@operation(LIBRARY, "token_quant_int8", "quantise", "per_token_quant_int8, fp16 (8192,4096)")
def _(t):
    x = t.randn(8192, 4096, dtype="fp16")

    def reference():
        scale = (t.up(x).abs().amax(-1, keepdim=True) / 127).clamp(min=1e-7 / 127)
        return formats.quantised_int8(t, x, scale), scale

    return Case(lambda: ops("w8a8_triton_kernels").per_token_quant_int8(x, 1e-7), reference, lambda out: (out[0].double(), out[1]))


@operation(LIBRARY, "norm_quant_int8", "quantise", "rms_norm_dynamic_quant to int8 with a residual, (8192,4096)")
def _(t):
    x, residual, w = t.randn(8192, 4096), t.randn(8192, 4096), t.randn(4096)

    def reference():
        added = t.up(x) + t.up(residual)
        y = t.torch.nn.functional.rms_norm(added, w.shape, t.up(w), 1e-5)
        scale = y.abs().amax(-1, keepdim=True) / 127
        return formats.quantised_int8(t, y, scale), scale, added

    return Case(lambda: ops("w8a8_triton_kernels").rms_norm_dynamic_quant(x, w, 1e-5, residual), reference, lambda out: (out[0].double(), *out[1:]))


@operation(LIBRARY, "int8_linear", "scaled", "matmul_kernel_dynamic_quant, int8 4096^3 with a residual, to fp16")
def _(t):
    a, b = (t.torch.randint(-100, 100, t.shape((4096, 4096)), device=t.device, dtype=t.torch.int8) for _ in range(2))
    rows, columns, residual = t.rand(4096, dtype="fp32", high=0.01), t.rand(4096, dtype="fp32", high=0.01), t.randn(4096, 4096, dtype="fp16")
    return Case(lambda: ops("w8a8_triton_kernels").matmul_kernel_dynamic_quant(a, b, rows, columns, residual),
                lambda: (t.up(a) @ t.up(b).T) * t.up(rows)[:, None] * t.up(columns) + t.up(residual))


@operation(LIBRARY, "group_quant_fp8", "quantise", "quant_fp8 to e4m3, groups of 128, (8192,4096)")
def _(t):
    x = t.randn(8192, 4096)
    return Case(lambda: ops("blocked_gemm_fp8").quant_fp8(x, 128), lambda: formats.quantised_fp8(t, x, (1, 128)), lambda out: (out[0].double(), out[1]))


@operation(LIBRARY, "blocked_gemm_fp8", "scaled", "blocked_gemm_fp8 by descriptors, 4096^3, scales of 1x128 and 128x128, to bf16")
def _(t):
    a, b = formats.fp8(t, 4096, 4096), formats.fp8(t, 4096, 4096)
    m, k = a.shape
    rows, blocks = t.torch.rand(m, k // 128, device=t.device) + 0.1, t.torch.rand(b.shape[0] // 128, k // 128, device=t.device) + 0.1
    return Case(lambda: ops("blocked_gemm_fp8").blocked_gemm_fp8(a, rows, b.T, blocks.T, t.dtype("bf16")),
                lambda: (t.up(a) * formats.expand(rows, (1, 128), a.shape)) @ (t.up(b) * formats.expand(blocks, (128, 128), b.shape)).T)


@operation(LIBRARY, "bitonic_topk", "routing", "bitonic_topk, 2048 of 16384, fp32, 128 rows")
def _(t):
    scores, k = t.torch.randn(128, t.d(16384), device=t.device), t.d(2048)
    lengths, queries = (t.torch.full((128,), n, dtype=t.torch.int32, device=t.device) for n in (scores.shape[1], 1))
    return Case(lambda: ops("bitonic_topk").bitonic_topk(scores, queries, lengths, k), lambda: t.up(scores).topk(k)[1].sort()[0], lambda out: out.long().sort()[0])


def philox(torch, seed, counter):
    """The first of the four words that Philox with ten rounds makes of a counter (counter, 0, 0, 0)."""
    low = 0xFFFFFFFF
    words, keys = [counter & low, *[torch.zeros_like(counter)] * 3], [seed & low, seed >> 32 & low]

    def product(a, constant):
        """The upper and the lower half of 64 bits, from halves that int64 holds."""
        bottom, top = (a & 0xFFFF) * constant, (a >> 16) * constant
        whole = (bottom >> 16) + top
        return whole >> 16 & low, (whole & 0xFFFF) << 16 | bottom & 0xFFFF

    for _ in range(10):
        upper0, lower0 = product(words[0], 0xD2511F53)
        upper1, lower1 = product(words[2], 0xCD9E8D57)
        words = [upper1 ^ words[1] ^ keys[0], lower1, upper0 ^ words[3] ^ keys[1], lower0]
        keys = [keys[0] + 0x9E3779B9 & low, keys[1] + 0xBB67AE85 & low]
    return words[0]


@operation(LIBRARY, "multinomial", "routing", "multinomial_sampling, sorted probabilities fp32 (256,32768)")
def _(t):
    torch = t.torch
    scores, order = t.randn(256, 32768, dtype="fp32").softmax(-1).sort(-1, descending=True)
    seeds, offsets = (torch.randint(0, 1 << 31, (256,), device=t.device) for _ in range(2))

    def reference():
        word = philox(torch, seeds, offsets)
        number = torch.where(word >= 1 << 31, (1 << 32) - 1 - word, word).double() * 4.6566127342e-10
        place = torch.searchsorted(t.up(scores).cumsum(-1), number[:, None]).clamp(max=scores.shape[1] - 1)
        return order.gather(1, place)[:, 0]

    return Case(lambda: ops("multinomial_sampling").multinomial_sampling(scores, seeds, offsets, order), reference)


@operation(LIBRARY, "group_routing", "routing", "fused_noaux_tc_routing, 8 of 256 experts in 4 of 8 groups, 8192 tokens")
def _(t):
    torch, logits, bias = t.torch, t.randn(8192, 256, dtype="fp32"), t.randn(256, dtype="fp32", scale=0.1)

    def reference():
        weights = t.up(logits).sigmoid()
        groups = (weights + t.up(bias)).view(-1, 8, 32)
        best = groups.topk(2)[0].sum(-1).topk(4)[1]
        chosen = torch.zeros(groups.shape[:2], dtype=torch.bool, device=t.device).scatter(1, best, True)
        ids = torch.where(chosen[..., None], groups, 0).flatten(1).topk(8)[1]
        picked = weights.gather(1, ids)
        return picked / picked.sum(-1, keepdim=True) * 2.5, ids

    return Case(lambda: ops("fused_noaux_tc").fused_noaux_tc_routing(logits, bias), reference)


@operation(LIBRARY, "rotary", "index", "apply_rotary_pos_emb, 8192 tokens, 32 and 8 heads of 128")
def _(t):
    q, k, angle = t.randn(8192, 32, 128), t.randn(8192, 8, 128), t.rand(8192, 64, dtype="fp32", high=6.0)
    cos, sin = (table.repeat(1, 2).to(q.dtype) for table in (angle.cos(), angle.sin()))

    def turned(x):
        a, b = t.up(x).chunk(2, -1)
        return t.up(x) * t.up(cos)[:, None] + t.torch.cat([-b, a], -1) * t.up(sin)[:, None]

    return Case(lambda: ops("apply_rotary_pos_emb").apply_rotary_pos_emb(q, k, cos, sin), lambda: (turned(q), turned(k)))


def kept(t, bits, batch, length, page=64, heads=8):
    """Pages of a cache with 4 or 8 bits, scales and zero points, and tables of pages."""
    pages = t.d(length) // page if t.d(length) >= page else 1
    caches = [t.torch.randint(0, 256, (batch * pages, page, heads, 128 * bits // 8), device=t.device, dtype=t.torch.uint8) for _ in range(2)]
    scales = [t.torch.cat([t.torch.rand(batch * pages, page, heads, 1, device=t.device) * 0.1 + 0.01, t.torch.rand(batch * pages, page, heads, 1, device=t.device) * 15], -1).half()
              for _ in range(2)]
    return caches, scales, t.torch.randperm(batch * pages, device=t.device).to(t.torch.int32).view(batch, pages)


def meant(t, cache, scales, bits):
    numbers = t.torch.cat([cache & 15, cache >> 4], -1) if bits == 4 else cache
    return (numbers.double() - t.up(scales)[..., 1:]) * t.up(scales)[..., :1]


def filled(bits):
    @operation(LIBRARY, f"fill_cache_int{bits}", "scatter", f"fill_kv_cache to {bits} bits, 8 prompts of 1024, 8 heads of 128, pages of 64")
    def _(t):
        caches, scales, tables = kept(t, bits, 8, 1024)
        length = tables.shape[1] * 64
        keys, values = (t.torch.randn(8 * length, 8, 128, device=t.device).half() for _ in range(2))
        lengths = t.torch.full((8,), length, dtype=t.torch.int32, device=t.device)
        starts = lengths.cumsum(0).int() - lengths

        def run():
            ops("fill_kv_cache").fill_kv_cache(keys, values, *caches, starts, lengths, lengths, length, tables, *scales, quant_policy=Policy(bits))
            return [meant(t, cache[tables.flatten().long()].flatten(0, 1), scale[tables.flatten().long()].flatten(0, 1), bits) for cache, scale in zip(caches, scales)]

        def rounded(x):
            least, most = t.up(x).amin(-1, keepdim=True), t.up(x).amax(-1, keepdim=True)
            scale = (most - least) / ((1 << bits) - 1)
            return (((t.up(x) - least) / scale + 0.5).floor()) * scale + least

        return Case(run, lambda: (rounded(keys), rounded(values)))


def flattened(bits):
    @operation(LIBRARY, f"flatten_cache_int{bits}", "dequantise", f"flatten_kv_cache from {bits} bits, 8 sequences of 2048, 8 heads of 128, pages of 64")
    def _(t):
        caches, scales, tables = kept(t, bits, 8, 2048)
        length = tables.shape[1] * 64
        lengths = t.torch.full((8,), length, dtype=t.torch.int32, device=t.device)

        def run():
            return ops("flatten_kv_cache").flatten_kv_cache(*caches, lengths, tables, out_size=8 * length, out_dtype=t.dtype("fp16"), k_scales_zeros=scales[0],
                                                            v_scales_zeros=scales[1], quant_policy=Policy(bits))

        def reference():
            return [meant(t, cache, scale, bits)[tables.flatten().long()].flatten(0, 1).transpose(0, 1) for cache, scale in zip(caches, scales)]

        return Case(run, reference)


def decoded(bits):
    @operation(LIBRARY, f"paged_decode_int{bits}", "attention", f"flash_attn_with_kvcache, cache of {bits} bits, 32 sequences of 2048, 32 heads on 8, pages of 64")
    def _(t):
        caches, scales, tables = kept(t, bits, 32, 2048)
        length = tables.shape[1] * 64
        q = t.torch.randn(32, 32, 128, device=t.device).half()
        lengths = t.torch.full((32,), length, dtype=t.torch.int32, device=t.device)

        def run():
            return ops("pagedattention").flash_attn_with_kvcache(q, *caches, lengths, tables, k_scales_zeros=scales[0], v_scales_zeros=scales[1], quant_policy=Policy(bits))

        def reference():
            keys, values = ([meant(t, cache, scale, bits)[row.long()].flatten(0, 1) for row in tables] for cache, scale in zip(caches, scales))
            return t.torch.stack([attended(t, query[None], key, value)[0] for query, key, value in zip(q, keys, values)])

        return Case(run, reference)


for count in (4, 8):
    filled(count)
    flattened(count)
    decoded(count)


def routed(t, x, gate_up, down, weights, ids):
    """A mixture of experts in float64, token by token of each expert."""
    out = t.torch.zeros_like(t.up(x))
    for expert in range(len(gate_up)):
        token, place = (ids == expert).nonzero(as_tuple=True)
        gate, value = (t.up(x)[token] @ gate_up[expert]().T).chunk(2, -1)
        out.index_add_(0, token, ((t.torch.nn.functional.silu(gate) * value) @ down[expert]().T) * t.up(weights)[token, place, None])
    return out


@operation(LIBRARY, "fused_moe_fp8", "scaled", "fused_moe_blocked_fp8, 512 tokens of 4096 to 4 of 16 experts of 4096, scales of 1x128 and 128x128")
def _(t):
    torch, experts = t.torch, 16
    x, width = t.randn(512, 4096), t.d(4096)
    w1, w2 = formats.fp8(t, experts, 8192, 4096, scale=0.5), formats.fp8(t, experts, 4096, 4096, scale=0.5)
    s1, s2 = (torch.rand(experts, w.shape[1] // 128, width // 128, device=t.device) * 0.02 + 0.01 for w in (w1, w2))
    ids = torch.stack([torch.randperm(experts, device=t.device)[:4] for _ in range(x.shape[0])])
    weights = torch.rand(x.shape[0], 4, device=t.device)

    def run():
        a, scale = ops("blocked_gemm_fp8").quant_fp8(x, 128)
        return ops("blocked_fp8_fused_moe").fused_moe_blocked_fp8(a, scale, w1, s1, w2, s2, weights, ids, 4, out_dtype=x.dtype, renormalize=True)

    def reference():
        whole = [[lambda w=w[i], s=s[i]: t.up(w) * formats.expand(s, (128, 128), w.shape) for i in range(experts)] for w, s in ((w1, s1), (w2, s2))]
        return routed(t, x, *whole, weights / weights.sum(-1, keepdim=True), ids)

    return Case(run, reference)


@operation(LIBRARY, "fused_moe", "product", "fused_moe, 512 tokens of 2048 to 4 of 16 experts of 2048, ragged")
def _(t):
    torch, experts = t.torch, 16
    x, w1, w2 = t.randn(512, 2048), t.randn(experts, 4096, 2048, scale=0.03), t.randn(experts, 2048, 2048, scale=0.03)
    ids = torch.stack([torch.randperm(experts, device=t.device)[:4] for _ in range(x.shape[0])])
    weights = torch.rand(x.shape[0], 4, device=t.device)
    return Case(lambda: ops("fused_moe").fused_moe(x, w1, w2, weights, ids, 4),
                lambda: routed(t, x, *[[lambda w=w[i]: t.up(w) for i in range(experts)] for w in (w1, w2)], weights, ids))
