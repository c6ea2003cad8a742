# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torchao: fp16 by 4-bit weights (HQQ), int8 and block-scaled fp8 products, and quantising for attention."""

import importlib
import math

import formats
from operations import Case, operation

LIBRARY = "torchao"


def ops(name):
    return importlib.import_module(f"torchao.prototype.{name}")


def fp8():
    import torch

    formats.stand_in("torchao.float8.config", e4m3_dtype=torch.float8_e4m3fn)
    return ops("blockwise_fp8_training.kernels")


def hqq(name, rows, k, n, group, config):
    """Signed numbers in pairs of rows, the first in the lower half: (k/2,n) bytes, or (k,n) for a product with the transpose."""

    @operation(LIBRARY, f"hqq_{name}", "packed", f"mixed_mm, {rows} rows, fp16 by 4 bits ({k},{n}){' transposed' if 'transposed' in name else ''}, groups of {group}, "
               f"blocks of {config['BLOCK_M']}x{config['BLOCK_N']}x{config['BLOCK_K']}")
    def _(t):
        torch, turned = t.torch, "transposed" in name
        m, inner, outer = t.d(rows), t.d(k), t.d(n)
        numbers = torch.randint(-8, 8, (inner, outer), device=t.device)
        low, high = numbers[0::2], numbers[1::2]
        bytes_ = (low & 15 | (high & 15) << 4).to(torch.uint8).view(torch.int8)
        scales, zeros = (torch.rand(inner // group, outer, device=t.device).half() * factor for factor in (0.02, 2))
        x = torch.randn(m, outer if turned else inner, device=t.device).half()
        out = torch.zeros(m, inner if turned else outer, device=t.device).half()

        def run():
            columns, depth = out.shape[1], x.shape[1]
            grid = (-(-m // config["BLOCK_M"]) * -(-columns // config["BLOCK_N"]), config["SPLIT_K"])
            if config["SPLIT_K"] > 1:
                out.zero_()
            ops("hqq.kernels")._mixed_mm[grid](x, bytes_, scales, zeros, out, m, columns, depth, *x.stride(), *bytes_.stride(), *out.stride(), *scales.stride(),
                                              IS_BFLOAT16=False, QGROUP_SIZE=group, TRANSPOSED=turned, **config)
            return out

        def reference():
            whole = (numbers - t.up(zeros).repeat_interleave(group, 0)) * t.up(scales).repeat_interleave(group, 0)
            return t.up(x) @ (whole.T if turned else whole)

        return Case(run, reference)


hqq("decode", 16, 8192, 4096, 256, {"BLOCK_M": 16, "BLOCK_N": 64, "BLOCK_K": 64, "SPLIT_K": 4, "num_stages": 4, "num_warps": 4})
hqq("prefill", 2048, 4096, 4096, 64, {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "SPLIT_K": 1, "num_stages": 4, "num_warps": 4})
hqq("transposed", 2048, 4096, 4096, 64, {"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 32, "SPLIT_K": 1, "num_stages": 4, "num_warps": 4})


@operation(LIBRARY, "int8_mm", "scaled", "scaled_int8_mm, (4096,4096) by its transpose's rows, scales of rows and columns, to bf16")
def _(t):
    a, b = (t.torch.randint(-100, 100, t.shape((4096, 4096)), device=t.device, dtype=t.torch.int8) for _ in range(2))
    rows, columns = t.rand(4096, high=0.01), t.rand(4096, high=0.01)
    return Case(lambda: ops("quantized_training.int8_mm").scaled_int8_mm_cuda(a, b.T, rows, columns), lambda: (t.up(a) @ t.up(b).T) * t.up(rows)[:, None] * t.up(columns))


@operation(LIBRARY, "fp8_gemm", "scaled", "triton_fp8_gemm_1x128_128x128, 4096^3, scales of 1x128 and 128x128, to bf16")
def _(t):
    a, b = formats.fp8(t, 4096, 4096), formats.fp8(t, 4096, 4096)
    rows = (t.torch.rand(a.shape[1] // 128, a.shape[0], device=t.device) + 0.1).T
    blocks = (t.torch.rand(b.shape[0] // 128, b.shape[1] // 128, device=t.device) + 0.1).T
    return Case(lambda: fp8().triton_fp8_gemm_1x128_128x128(a, b.T, rows, blocks, out_dtype=t.dtype("bf16")),
                lambda: (t.up(a) * formats.expand(rows, (1, 128), a.shape)) @ (t.up(b) * formats.expand(blocks.T, (128, 128), b.shape)).T)


@operation(LIBRARY, "fp8_gemm_gradient", "scaled", "triton_fp8_gemm_1x128_128x1, 4096^3, scales of 1x128 and 128x1, to fp32")
def _(t):
    a, b = formats.fp8(t, 4096, 4096), formats.fp8(t, 4096, 4096)
    rows = (t.torch.rand(a.shape[1] // 128, a.shape[0], device=t.device) + 0.1).T
    columns = t.torch.rand(a.shape[1] // 128, b.shape[0], device=t.device) + 0.1
    return Case(lambda: fp8().triton_fp8_gemm_1x128_128x1(a, b.T, rows, columns),
                lambda: (t.up(a) * formats.expand(rows, (1, 128), a.shape)) @ (t.up(b).T * formats.expand(columns, (128, 1), b.T.shape)))


def quant(name, call, block, turned):
    @operation(LIBRARY, name, "quantise", f"{call} to e4m3 by {block[0]}x{block[1]}{', transposed' if turned else ''}, (8192,4096)")
    def _(t):
        x = t.randn(8192, 4096)

        def reference():
            values, scales = formats.quantised_fp8(t, x, block)
            return (values.T, scales.T) if turned else (values, scales)

        return Case(lambda: getattr(fp8(), call)(x), reference, lambda out: (out[0].double(), out[1]))


quant("quant_rows", "triton_fp8_blockwise_act_quant_lhs", (1, 128), False)
quant("quant_columns", "triton_fp8_blockwise_act_quant_rhs", (128, 1), False)
quant("quant_transposed", "triton_fp8_blockwise_act_quant_transposed_lhs", (128, 1), True)
quant("quant_weight", "triton_fp8_blockwise_weight_quant_transposed_rhs", (128, 128), True)


@operation(LIBRARY, "hadamard_qkv", "quantise", "triton_fp8_hadamard_sdpa_quantize, bf16 (2,32,4096,128) and (2,8,4096,128), by heads of keys")
def _(t):
    q, (k, v) = t.randn(2, 32, 4096, 128), (t.randn(2, 8, 4096, 128) for _ in range(2))

    def turned(x):
        out = t.up(x)
        for stage in range(7):
            pairs = out.unflatten(-1, (-1, 2, 1 << stage))
            out = t.torch.stack([pairs[..., 0, :] + pairs[..., 1, :], pairs[..., 0, :] - pairs[..., 1, :]], -2).flatten(-3)
        return out / math.sqrt(128)

    def reference():
        whole = [turned(x) for x in (q, k, v)]
        scales = [x.unflatten(1, (8, -1)).abs().amax((2, 3, 4)) / 448 for x in whole]
        rounded = [t.up(x.to(q.dtype)).unflatten(1, (8, -1)) / scale[..., None, None, None] for x, scale in zip(whole, scales)]
        return [formats.rounded_fp8(t, x.flatten(1, 2)) for x in rounded] + scales

    return Case(lambda: ops("attention.quantization.triton_hadamard_qkv_quantization").triton_fp8_hadamard_sdpa_quantize(q, k, v), reference, lambda out: [x.double() for x in out])
