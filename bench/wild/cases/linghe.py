# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linghe: training in fp8: quantising with and without a transpose, norms and ropes in one kernel, routing."""

import importlib

import formats
from operations import Case, operation

LIBRARY = "linghe"


def ops(name):
    return importlib.import_module(f"linghe.{name}")


@operation(LIBRARY, "block_quant", "quantise", "triton_block_quant to e4m3, blocks of 128x128, (8192,4096)")
def _(t):
    x = t.randn(8192, 4096)
    return Case(lambda: ops("quant.block").triton_block_quant(x), lambda: formats.quantised_fp8(t, x, (128, 128)), lambda out: (out[0].double(), out[1]))


@operation(LIBRARY, "blockwise_quant", "quantise", "triton_blockwise_quant to e4m3, by 1x128 and by 128x1 transposed, (8192,4096)")
def _(t):
    x = t.randn(8192, 4096)

    def reference():
        (rows, row_scales), (turned, scales) = formats.quantised_fp8(t, x, (1, 128)), formats.quantised_fp8(t, x, (128, 1))
        return rows, row_scales.T, turned.T, scales

    return Case(lambda: ops("quant.block").triton_blockwise_quant(x), reference, lambda out: [y.double() for y in out])


@operation(LIBRARY, "group_quant", "quantise", "triton_group_quant to e4m3, groups of 128, powers of two as scales, (8192,8192)")
def _(t):
    x = t.torch.randn(t.d(8192), 8192 if not t.tiny else 1024, device=t.device).to(t.dtype("bf16"))

    def reference():
        groups = t.up(x).unflatten(1, (-1, 128))
        scale = (groups.abs().amax(-1) / 448).log2().ceil().exp2()
        return formats.rounded_fp8(t, groups / scale[..., None]).flatten(1), scale

    return Case(lambda: ops("quant.group").triton_group_quant(x, round_scale=True), reference, lambda out: (out[0].double(), out[1]))


@operation(LIBRARY, "row_quant", "quantise", "triton_tokenwise_row_quant to e4m3, (8192,4096)")
def _(t):
    x = t.randn(8192, 4096)

    def reference():
        values, scales = formats.quantised_fp8(t, x, (1, x.shape[1]))
        return values, scales[:, 0]

    return Case(lambda: ops("quant.channel").triton_tokenwise_row_quant(x), reference, lambda out: (out[0].double(), out[1]))


@operation(LIBRARY, "transpose_row_quant", "quantise", "triton_transpose_row_quant to e4m3, each column, (8192,4096)")
def _(t):
    x = t.randn(8192, 4096)

    def reference():
        values, scales = formats.quantised_fp8(t, x, (x.shape[0], 1))
        return values.T, scales.T

    return Case(lambda: ops("quant.channel").triton_transpose_row_quant(x), reference, lambda out: (out[0].double(), out[1]))


@operation(LIBRARY, "hadamard_quant", "quantise", "triton_hadamard_quant, blocks of 64, rows and columns, (4096,4096)")
def _(t):
    x, signs = t.randn(4096, 4096), t.torch.ones(1, 1, device=t.device)
    for _ in range(6):
        signs = t.torch.cat([t.torch.cat([signs, signs], 1), t.torch.cat([signs, -signs], 1)], 0)
    matrix = (signs / 8).to(x.dtype)

    def reference():
        rows = (t.up(x).unflatten(1, (-1, 64)) @ t.up(matrix)).flatten(1)
        turned = t.torch.einsum("ij,bjn->bin", t.up(matrix), t.up(x).unflatten(0, (-1, 64))).flatten(0, 1).T
        scales = [y.abs().amax(1) / 448 for y in (rows, turned)]
        return [z for y, scale in zip((rows, turned), scales) for z in (formats.rounded_fp8(t, y / scale[:, None]), scale)]

    return Case(lambda: ops("quant.hadamard").triton_hadamard_quant(x, matrix), reference, lambda out: [y.double() for y in out])


@operation(LIBRARY, "blockwise_gemm", "scaled", "triton_bb_fp8_gemm, 4096^3, scales of 128x128 for both, to bf16")
def _(t):
    a, b = formats.fp8(t, 4096, 4096), formats.fp8(t, 4096, 4096)
    scales = [t.torch.rand(x.shape[0] // 128, x.shape[1] // 128, device=t.device) + 0.1 for x in (a, b)]
    return Case(lambda: ops("gemm.blockwise_fp8_gemm").triton_bb_fp8_gemm(a, b, *scales),
                lambda: (t.up(a) * formats.expand(scales[0], (128, 128), a.shape)) @ (t.up(b) * formats.expand(scales[1], (128, 128), b.shape)).T)


@operation(LIBRARY, "groupwise_gemm", "scaled", "triton_tt_fp8_gemm, 4096^3, scales of 1x128 for both, to bf16")
def _(t):
    a, b = formats.fp8(t, 4096, 4096), formats.fp8(t, 4096, 4096)
    scales = [t.torch.rand(x.shape[0], x.shape[1] // 128, device=t.device) + 0.1 for x in (a, b)]
    return Case(lambda: ops("gemm.blockwise_fp8_gemm").triton_tt_fp8_gemm(a, b, *scales),
                lambda: (t.up(a) * formats.expand(scales[0], (1, 128), a.shape)) @ (t.up(b) * formats.expand(scales[1], (1, 128), b.shape)).T)


@operation(LIBRARY, "channelwise_gemm", "scaled", "triton_scaled_mm, fp8 (4096,4096) by (8192,4096), scales of rows and columns, to fp32")
def _(t):
    a, b = formats.fp8(t, 4096, 4096), formats.fp8(t, 8192, 4096)
    rows, cols = t.torch.rand(a.shape[0], device=t.device), t.torch.rand(b.shape[0], device=t.device)
    return Case(lambda: ops("gemm.channelwise_fp8_gemm").triton_scaled_mm(a, b, rows, cols), lambda: (t.up(a) @ t.up(b).T) * t.up(rows)[:, None] * t.up(cols))


@operation(LIBRARY, "split_fp32_gemm", "product", "triton_split_fp32_gemm, bf16 (4096,8192) by 256 rows, fp32 sums of 4 parts")
def _(t):
    x, w = t.randn(4096, 8192), t.randn(256, 8192)
    return Case(lambda: ops("gemm.fp32_gemm").triton_split_fp32_gemm(x, w), lambda: t.up(x) @ t.up(w).T)


@operation(LIBRARY, "group_routing", "routing", "triton_group_topk_score_forward with bias, 8 of 256 experts in 4 of 8 groups, 8192 tokens")
def _(t):
    torch, logits, bias = t.torch, t.torch.randn(t.d(8192), 256, device=t.device), t.torch.randn(256, device=t.device) * 0.1

    def reference():
        weights = t.up(logits).sigmoid()
        groups = (weights + t.up(bias)).view(-1, 8, 32)
        best = groups.topk(2)[0].sum(-1).topk(4)[1]
        chosen = torch.zeros(groups.shape[:2], dtype=torch.bool, device=t.device).scatter(1, best, True)
        ids = torch.where(chosen[..., None], groups, -1e38).flatten(1).topk(8)[1]
        routed = torch.zeros_like(weights).scatter(1, ids, 1.0)
        return weights * routed / (weights * routed).sum(-1, keepdim=True), routed.bool(), routed.sum(0)

    return Case(lambda: ops("utils.topk").triton_group_topk_score_forward(logits, 8, bias, 8, 4), reference, lambda out: (out[0], out[1], out[2].double()))


@operation(LIBRARY, "topk", "routing", "triton_topk_forward, 8 of 256, fp32, 16384 rows")
def _(t):
    x = t.torch.randn(t.d(16384), 256, device=t.device)
    return Case(lambda: ops("utils.topk").triton_topk_forward(x, 8), lambda: tuple(t.up(x).topk(8)))


@operation(LIBRARY, "transpose_fp8", "index", "triton_transpose, fp8 (8192,8192)")
def _(t):
    x = formats.fp8(t, 8192, 8192)
    return Case(lambda: ops("utils.transpose").triton_transpose(x), lambda: t.up(x).T, lambda out: out.double())


@operation(LIBRARY, "transpose_pad", "index", "triton_transpose_and_pad, bf16 (8176,4096)")
def _(t):
    x = t.randn(8176, 4096)
    short = -x.shape[0] % 32
    return Case(lambda: ops("utils.transpose").triton_transpose_and_pad(x), lambda: t.torch.nn.functional.pad(t.up(x).T, (0, short)))


@operation(LIBRARY, "transpose_inner", "index", "triton_transpose of the outer dimensions, bf16 (4,4096,32,128)")
def _(t):
    x = t.randn(4, 4096, 32, 128)
    return Case(lambda: ops("utils.transpose").triton_transpose(x), lambda: t.up(x).transpose(0, 1))


@operation(LIBRARY, "norm_gate", "norm", "triton_group_rms_norm_gate_forward, 4 groups, rows transposed, (2,4096,4096)")
def _(t):
    x, gate, w = t.randn(2, 4096, 4096), t.randn(4096, 2, 4096), t.randn(4096)

    def reference():
        rows = t.torch.nn.functional.rms_norm(t.up(x).unflatten(-1, (4, -1)), (x.shape[-1] // 4,), None, 1e-6).flatten(-2) * t.up(w)
        return rows.transpose(0, 1) * t.up(gate).sigmoid()

    return Case(lambda: ops("utils.gate").triton_group_rms_norm_gate_forward(x, gate, w), reference)


@operation(LIBRARY, "silu_quant", "quantise", "triton_silu_and_block_quant_forward, by 1x128 and by 128x1 transposed, (8192,8192)")
def _(t):
    x = t.randn(8192, 8192)

    def reference():
        gate, value = t.up(x).chunk(2, -1)
        y = t.torch.nn.functional.silu(gate) * value
        (rows, row_scales), (turned, scales) = formats.quantised_fp8(t, y, (1, 128)), formats.quantised_fp8(t, y, (128, 1))
        return rows, row_scales.T, turned.T, scales

    return Case(lambda: ops("utils.silu").triton_silu_and_block_quant_forward(x), reference, lambda out: [y.double() for y in out])


@operation(LIBRARY, "norm_quant", "quantise", "triton_rms_norm_and_block_quant_forward, by 1x128 and by 128x1 transposed, (8192,4096)")
def _(t):
    width = 4096 if not t.tiny else 1024
    x, w = t.torch.randn(t.d(8192), width, device=t.device).to(t.dtype("bf16")), t.torch.randn(width, device=t.device).to(t.dtype("bf16"))

    def reference():
        y = t.torch.nn.functional.rms_norm(t.up(x), w.shape, t.up(w), 1e-6)
        (rows, row_scales), (turned, scales) = formats.quantised_fp8(t, y, (1, 128)), formats.quantised_fp8(t, y, (128, 1))
        return rows, row_scales.T, turned.T, scales

    return Case(lambda: ops("utils.norm").triton_rms_norm_and_block_quant_forward(x, w), reference, lambda out: [y.double() for y in (*out[:2], *out[3:])])


def half_turned(t, x, angles):
    """The first half of each head turned by the angles, the rest as it is. x: (rows, ..., heads, head)."""
    first, rest = x.chunk(2, -1)
    a, b = first.chunk(2, -1)
    angles = t.up(angles)[:, None, None]
    return t.torch.cat([first * angles.cos() + t.torch.cat([-b, a], -1) * angles.sin(), rest], -1)


@operation(LIBRARY, "half_rope", "index", "triton_half_rope_forward, 4096 positions, 2 sequences, 32 and 4 heads of 128")
def _(t):
    q, k, angles = t.randn(4096, 2, 32, 128), t.randn(4096, 2, 4, 128), t.rand(4096, 64, dtype="fp32", high=6.0)
    return Case(lambda: ops("utils.rope").triton_half_rope_forward(q, k, angles), lambda: (half_turned(t, t.up(q), angles), half_turned(t, t.up(k), angles)))


@operation(LIBRARY, "norm_rope", "norm", "triton_qk_norm_and_half_rope_forward, interleaved q, k and v, 4096 positions, 2 sequences, 32 and 4 heads of 128")
def _(t):
    x, angles = t.randn(4096, 2, 5120 if not t.tiny else 5120 * 32), t.rand(4096, 64, dtype="fp32", high=6.0)
    wq, wk = t.randn(128), t.randn(128)

    def reference():
        groups = t.up(x).view(*x.shape[:2], 4, 10, 128)
        q, k, v = groups[..., :8, :].flatten(2, 3), groups[..., 8, :], groups[..., 9, :]
        normed = [t.torch.nn.functional.rms_norm(y, (128,), t.up(w), 1e-6) for y, w in ((q, wq), (k, wk))]
        return [y.transpose(0, 1) for y in (*(half_turned(t, y, angles) for y in normed), v)]

    return Case(lambda: ops("utils.rope").triton_qk_norm_and_half_rope_forward(x, wq, wk, angles), reference)


@operation(LIBRARY, "scatter_add", "scatter", "triton_aligned_scatter_add with weights, 8 rows of 4096 to each of 4096 tokens")
def _(t):
    tokens, width = t.d(4096), 4096 if not t.tiny else 512
    x, out = t.torch.randn(tokens * 8, width, device=t.device).to(t.dtype("bf16")), t.torch.empty(tokens, width, device=t.device, dtype=t.dtype("bf16"))
    to, weights = (t.torch.randperm(tokens * 8, device=t.device) // 8), t.torch.rand(tokens * 8, device=t.device)
    return Case(lambda: ops("utils.scatter").triton_aligned_scatter_add(x, out, to, weights),
                lambda: t.torch.zeros_like(t.up(out)).index_add(0, to, t.up(x) * t.up(weights)[:, None]))
