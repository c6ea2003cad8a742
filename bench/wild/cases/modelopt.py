# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Model Optimizer: values rounded to 4-bit floats by blocks, and weights from fp8."""

import importlib

import formats
from operations import Case, operation

LIBRARY = "modelopt"


def ops(name):
    return importlib.import_module(f"modelopt.torch.kernels.quantization.gemm.{name}")


@operation(LIBRARY, "fp4_fake_quant", "quantise", "fp4_fake_quant_block, blocks of 16 with scales in e4m3, block pointers, bf16 (8192,4096)")
def _(t):
    x = t.randn(8192, 4096)
    largest = x.abs().amax().float()

    def reference():
        unit = t.up(largest) / (6 * 448)
        blocks = t.up(x).unflatten(1, (-1, 16))
        scale = formats.rounded_fp8(t, blocks.abs().amax(-1, keepdim=True) / (6 * unit)) * unit
        scale = t.torch.where(scale >= 1e-5, scale, 1.0)
        return (formats.e2m1(t, blocks / scale) * scale).flatten(1)

    return Case(lambda: ops("fp4_kernel_hopper").fp4_fake_quant_block(x, largest), reference)


@operation(LIBRARY, "fp4_static", "quantise", "static_blockwise_fp4_fake_quant, a program for each block of 16, bf16 (2048,4096)")
def _(t):
    x = t.randn(2048, 4096)
    largest = x.view(-1, 16).float().abs().amax(-1)

    def reference():
        scale = t.up(largest)[:, None] / 6
        return (formats.e2m1(t, t.up(x).view(-1, 16) / scale) * scale).view(x.shape)

    return Case(lambda: ops("fp4_kernel").static_blockwise_fp4_fake_quant(x, largest, quantize_block_scales=False), reference)


@operation(LIBRARY, "fp8_dequantise", "dequantise", "weight_dequant, e4m3 by blocks of 128x128, to bf16 (8192,8192)")
def _(t):
    x = formats.fp8(t, 8192, 8192)
    scales = t.torch.rand(x.shape[0] // 128, x.shape[1] // 128, device=t.device)
    return Case(lambda: ops("fp8_kernel").weight_dequant(x, scales, dtype=t.dtype("bf16")), lambda: t.up(x) * formats.expand(scales, (128, 128), x.shape))


@operation(LIBRARY, "scale_sweep", "quantise", "nvfp4_fp8_scale_sweep, the best of 126 scales for each block of 16, bf16 (1024,4096)")
def _(t):
    x = t.randn(1024, 4096)
    largest = x.abs().amax().float()

    def losses(scales):
        blocks = t.up(x).abs().view(-1, 16)
        return t.torch.stack([((formats.e2m1(t, blocks / scale) * scale - blocks) ** 2).sum(-1) for scale in scales])

    def reference():
        module = ops("_fp8_scale_candidates")
        return losses(t.up(module.fp8_scale_candidates(t.device)) * t.up(largest) / 6).amin(0)

    def loss_of(best):
        blocks, scale = t.up(x).abs().view(-1, 16), t.up(best)[:, None] / 6
        return ((formats.e2m1(t, blocks / scale) * scale - blocks) ** 2).sum(-1)

    return Case(lambda: ops("nvfp4_fp8_sweep").nvfp4_fp8_scale_sweep(x, largest), reference, loss_of)


@operation(LIBRARY, "gptq_block", "quantise", "gptq_fused_block_scalar, 128 columns one after another, fp32 (8192,128)")
def _(t):
    w = t.torch.randn(t.d(8192), 128, device=t.device)
    largest = w.view(-1, 8, 16).abs().amax(-1)
    unit = largest.amax().item() / (6 * 448)
    factor = t.torch.randn(128, 128, device=t.device).triu(1) * 0.02 + t.torch.eye(128, device=t.device)

    def reference():
        rest, out, errors = t.up(w), [], []
        for column in range(128):
            scale = formats.rounded_fp8(t, t.up(largest)[:, column // 16] / (6 * unit)) * unit
            out.append(formats.e2m1(t, rest[:, column] / scale) * scale)
            errors.append((rest[:, column] - out[-1]) / t.up(factor)[column, column])
            rest = rest - errors[-1][:, None] * t.up(factor)[column]
        return t.torch.stack(out, 1), t.torch.stack(errors, 1)

    return Case(lambda: ops("gptq_fused_kernel").gptq_fused_block_scalar(w, largest, unit, factor, 16, 0), reference)
