# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LightLLM: int4 and int8 weights, caches by tokens, and routing."""

import importlib

import formats
from operations import Case, operation

LIBRARY = "lightllm"
BASE, LLAMA = "common.basemodel.triton_kernel", "models.llama.triton_kernel"


def ops(name):
    return importlib.import_module(f"lightllm.{name}")


def weight(t):
    quantised, scales, zeros, values = formats.grouped(t, 8192, 4096, 4, 128)
    return formats.pack(t, quantised, 4, 0), scales, formats.pack(t, zeros, 4, 1), values


def int4_gptq(rows, config):
    """Some of the autotuner's configurations have blocks longer than a group, which the kernel cannot compute: one is fixed."""

    @operation(LIBRARY, f"int4_gptq_{rows}", "packed", f"matmul_dequantize_int4_gptq's kernel, {rows} rows, fp16 by 4 bits (8192,4096), groups of 128")
    def _(t):
        words, scales, zeros, values = weight(t)
        m, k, n = t.d(rows), words.shape[0] * 8, words.shape[1]
        x, out = t.torch.randn(m, k, device=t.device).to(scales.dtype), t.torch.empty(m, n, device=t.device, dtype=scales.dtype)

        def run():
            grid = (-(-m // config["BLOCK_SIZE_M"]) * -(-n // config["BLOCK_SIZE_N"]),)
            ops(f"{BASE}.dequantize_gemm_int4").matmul4_kernel.fn[grid](x, words, out, scales, zeros, m, n, k, *x.stride(), *words.stride(), *out.stride(), *scales.stride(),
                                                                       *zeros.stride(), 128, False, **config)
            return out

        return Case(run, lambda: t.up(x) @ values())

int4_gptq(16, {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 8, "num_stages": 3, "num_warps": 4})
int4_gptq(1024, {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, "num_stages": 3, "num_warps": 8})


@operation(LIBRARY, "int4_s2_16", "packed", "matmul_dequantize_int4_s2, 16 rows, fp16 by 4 bits (8192,4096), groups of 128")
def _(t):
    words, scales, zeros, values = weight(t)
    x = t.torch.randn(16, words.shape[0] * 8, device=t.device).to(scales.dtype)
    return Case(lambda: ops(f"{BASE}.dequantize_gemm_int4").matmul_dequantize_int4_s2(x, words, scales, zeros, 128), lambda: t.up(x) @ values())


@operation(LIBRARY, "int4_dequantise", "dequantise", "dequantize_int4, groups of 128, to fp16 (8192,4096)")
def _(t):
    words, scales, zeros, values = weight(t)
    return Case(lambda: ops(f"{BASE}.dequantize_gemm_int4").dequantize_int4(words, scales, zeros, words.device, scales.dtype, 128), values)


@operation(LIBRARY, "int8_matmul", "scaled", "matmul_int8, 4096^3, scales of rows and columns, to fp16")
def _(t):
    a, b = (t.torch.randint(-100, 100, t.shape((4096, 4096)), device=t.device, dtype=t.torch.int8) for _ in range(2))
    rows, columns = t.rand(4096, dtype="fp16", high=0.01), t.rand(4096, dtype="fp16", high=0.01)
    return Case(lambda: ops(f"{BASE}.quantize_gemm_int8").matmul_int8(a, rows, b, columns), lambda: (t.up(a) @ t.up(b)) * t.up(rows)[:, None] * t.up(columns))


@operation(LIBRARY, "row_quant_int8", "quantise", "quantize_int8_perrow, fp16 (8192,4096)")
def _(t):
    x = t.randn(8192, 4096, dtype="fp16")

    def reference():
        scale = t.up(x).abs().amax(-1) / 127
        return formats.quantised_int8(t, x, scale[:, None], True), scale

    return Case(lambda: ops(f"{BASE}.quantize_gemm_int8").quantize_int8_perrow(x), reference, lambda out: (out[0].double(), out[1]))


@operation(LIBRARY, "cache_int8", "scatter", "destindex_copy_quantize_kv to int8, 8192 tokens, 8 heads of 128")
def _(t):
    keys, out = t.randn(8192, 8, 128, dtype="fp16"), t.zeros(16384, 8, 128, dtype="int8")
    scales, places = t.zeros(16384, 8, 1, dtype="fp32"), t.randperm(16384)[: keys.shape[0]]

    def run():
        ops(f"{BASE}.destindex_copy_kv").destindex_copy_quantize_kv(keys, places, out, scales)
        return out[places].double(), scales[places]

    def reference():
        scale = t.up(keys).abs().amax(-1, keepdim=True) / 127
        return formats.quantised_int8(t, keys, scale, True), scale

    return Case(run, reference)


@operation(LIBRARY, "cache_to_fp16", "dequantise", "destindex_copy_dequantize_kv, groups of 8, 8 sequences of 1024, 16 heads of 128")
def _(t):
    tokens, length = t.d(16384), t.d(1024)
    cache = t.torch.randint(-127, 128, (tokens, 16, 128), device=t.device, dtype=t.torch.int8)
    scales, out = t.torch.rand(tokens, 16, 16, device=t.device).half(), t.torch.zeros(8, 16, length, 128, device=t.device).half()
    table = t.torch.randperm(tokens, device=t.device)[: 8 * length].view(8, length).to(t.torch.int32)
    lengths, requests = t.torch.full((8,), length, dtype=t.torch.int32, device=t.device), t.torch.arange(8, dtype=t.torch.int32, device=t.device)

    def run():
        ops(f"{LLAMA}.ppl_quant_copy_kv").destindex_copy_dequantize_kv(cache, scales, table, lengths, requests, length, out)
        return out

    def reference():
        whole = cache.double().unflatten(-1, (16, 8)) * t.up(scales)[..., None]
        return whole.flatten(-2)[table.long()].transpose(1, 2)

    return Case(run, reference)


@operation(LIBRARY, "cache_fp8", "scatter", "destindex_copy_kv_fp8, one scale a token of 512 and 64 values, 8192 tokens")
def _(t):
    nope, rope = (t.torch.randn(t.d(8192), 1, width, device=t.device).to(t.dtype("bf16")) for width in (512, 64))
    whole = t.torch.zeros(t.d(16384), 1, 578, dtype=t.torch.uint8, device=t.device)
    out, out_rope = whole[..., :512].view(t.torch.float8_e4m3fn), whole[..., 512:576].view(t.torch.float8_e4m3fn)
    scales, places = whole[..., 576:].view(nope.dtype), t.randperm(16384)[: nope.shape[0]]

    def run():
        ops("models.deepseek2.triton_kernel.destindex_copy_kv_fp8").destindex_copy_kv_fp8(nope, rope, places, out, out_rope, scales)
        return [x[places].double() for x in (out, out_rope, scales)]

    def reference():
        both = t.torch.cat([nope, rope], -1)
        scale = t.up((t.up(both).abs().amax(-1, keepdim=True) / 448).to(nope.dtype))
        return [formats.rounded_fp8(t, t.up(x) / scale) for x in (nope, rope)] + [scale]

    return Case(run, reference)


@operation(LIBRARY, "softmax_topk", "routing", "softmax_topk with renormalising, 8 of 128 experts, 16384 tokens")
def _(t):
    logits = t.torch.randn(t.d(16384), 128, device=t.device)

    def reference():
        weights, ids = t.up(logits).softmax(-1).topk(8)
        return weights / weights.sum(-1, keepdim=True), ids

    return Case(lambda: ops("common.fused_moe.softmax_topk").softmax_topk(logits, 8, True), reference)


@operation(LIBRARY, "grouped_topk", "routing", "triton_grouped_topk with bias, 8 of 256 experts in 4 of 8 groups, 8192 tokens")
def _(t):
    torch, logits, bias = t.torch, t.torch.randn(t.d(8192), 256, device=t.device), t.torch.randn(256, device=t.device) * 0.1

    def reference():
        weights = t.up(logits).sigmoid()
        groups = (weights + t.up(bias)).view(-1, 8, 32)
        best = groups.topk(2)[0].sum(-1).topk(4)[1]
        chosen = torch.zeros(groups.shape[:2], dtype=torch.bool, device=t.device).scatter(1, best, True)
        ids = torch.where(chosen[..., None], groups, -1e7).flatten(1).topk(8)[1]
        picked = weights.gather(1, ids)
        return picked / picked.sum(-1, keepdim=True), ids

    return Case(lambda: ops("common.fused_moe.grouped_topk").triton_grouped_topk(logits, logits, bias, 8, True, 8, 4, "sigmoid"), reference)


@operation(LIBRARY, "expert_gather", "scatter", "ep_gather, sums of 8 rows of 4096 by weights, 4096 tokens")
def _(t):
    tokens, width = t.d(4096), 4096 if not t.tiny else 1024
    rows, out = t.torch.randn(tokens * 8, width, device=t.device).to(t.dtype("bf16")), t.torch.empty(tokens, width, device=t.device, dtype=t.dtype("bf16"))
    places, weights = t.torch.randperm(tokens * 8, device=t.device).view(tokens, 8).to(t.torch.int32), t.torch.rand(tokens, 8, device=t.device)
    ids = t.torch.randint(-1, 16, (tokens, 8), device=t.device)

    def run():
        ops("common.fused_moe.deepep_scatter_gather").ep_gather(rows, ids, weights, places, out)
        return out

    return Case(run, lambda: (t.up(rows)[places.long()] * (t.up(weights) * (ids >= 0))[..., None]).sum(1))


@operation(LIBRARY, "decode_values_int8", "attention", "token_att_fwd2_int8v, 32 sequences of 2048, 32 heads on 8 of 128, one scale a row")
def _(t):
    torch, length, batch = t.torch, t.d(2048), 32
    tokens = batch * length
    prob, v = torch.rand(32, tokens, device=t.device).half(), torch.randint(-127, 128, (tokens, 8, 128), device=t.device, dtype=torch.int8)
    scales, out = (torch.rand(tokens, 8, 1, device=t.device) * 0.01).half(), torch.empty(batch, 32, 128, device=t.device).half()
    table = torch.randperm(tokens, device=t.device).view(batch, length).to(torch.int32)
    requests, lengths = torch.arange(batch, dtype=torch.int32, device=t.device), torch.full((batch,), length, dtype=torch.int32, device=t.device)
    starts = lengths.cumsum(0).int() - lengths

    def run():
        ops(f"{LLAMA}.token_attention_nopad_reduceV").token_att_fwd2_int8v(prob, v, scales, out, table, requests, starts, lengths, length)
        return out

    def reference():
        values = (v.double() * t.up(scales))[table.long()].repeat_interleave(4, 2)
        return torch.einsum("hbl,blhd->bhd", t.up(prob).view(32, batch, length), values)

    return Case(run, reference)


@operation(LIBRARY, "decode_stage1", "attention", "flash_decode_stage1, 32 sequences of 4096 in parts of 256, 32 heads on 4 of 128")
def _(t):
    torch, length, batch = t.torch, 4096 if not t.tiny else 256, 32 if not t.tiny else 4
    tokens = batch * length
    q, (k, v) = torch.randn(batch, 32, 128, device=t.device).half(), (torch.randn(tokens, 4, 128, device=t.device).half() for _ in range(2))
    table = torch.randperm(tokens, device=t.device).view(batch, length).to(torch.int32)
    requests, lengths = torch.arange(batch, dtype=torch.int32, device=t.device), torch.full((batch,), length, dtype=torch.int32, device=t.device)
    parts = length // 256
    middle, sums = torch.empty(batch, 32, parts, 128, device=t.device), torch.empty(batch, 32, parts, device=t.device)

    def run():
        ops(f"{LLAMA}.gqa_flash_decoding_stage1").flash_decode_stage1(q, k, v, table, requests, lengths, length, middle, sums, 256)
        return middle, sums

    def reference():
        keys, values = (t.up(x)[table.long()].repeat_interleave(8, 2).unflatten(1, (parts, 256)) for x in (k, v))
        scores = torch.einsum("bhd,bpkhd->bhpk", t.up(q), keys) / 128 ** 0.5
        return torch.einsum("bhpk,bpkhd->bhpd", scores.softmax(-1), values), scores.logsumexp(-1)

    return Case(run, reference)
