# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPTQModel: weights in 2, 3, 4 and 8 bits along k (GPTQ), and in 4 bits along n (AWQ)."""

import importlib

import formats
from operations import Case, operation

LIBRARY = "gptqmodel"
ORDER = [0, 2, 4, 6, 1, 3, 5, 7]  # of AWQ's numbers in a word


def dequantiser():
    formats.stand_in("gptqmodel.utils.torch", HAS_XPU=False)
    return importlib.import_module("gptqmodel.nn_modules.triton_utils.dequant")


def awq():
    return importlib.import_module("gptqmodel.quantization.awq.modules.triton.gemm")


def pack3(t, values, dim):
    """3 bits: 32 numbers in three words, without gaps."""
    torch = t.torch
    bits = (values.movedim(dim, -1).unsqueeze(-1) >> torch.arange(3, device=values.device)) & 1
    words = (bits.flatten(-2).unflatten(-1, (-1, 32)) << torch.arange(32, device=values.device)).sum(-1)
    return torch.where(words >= 1 << 31, words - (1 << 32), words).to(torch.int32).movedim(-1, dim).contiguous()


def dequant(bits):
    @operation(LIBRARY, f"dequant_{bits}bit", "dequantise", f"dequant, {bits} bits along k, groups of 128, to fp16 (8192,4096)")
    def _(t):
        quantised, scales, zeros, values = formats.grouped(t, 8192, 4096, bits, 128)
        packer = pack3 if bits == 3 else lambda t, values, dim: formats.pack(t, values, bits, dim)
        words, zero_words = packer(t, quantised, 0), packer(t, zeros, 1)
        groups = t.torch.arange(quantised.shape[0], device=t.device, dtype=t.torch.int32) // 128
        return Case(lambda: dequantiser().dequant(t.dtype("fp16"), words, scales, zero_words, groups, bits, 32, (1 << bits) - 1), values)


for count in (2, 3, 4, 8):
    dequant(count)


def pack_awq(t, values):
    return formats.pack(t, values.unflatten(1, (-1, 8))[..., ORDER].flatten(1), 4, 1)


@operation(LIBRARY, "awq_dequantise", "dequantise", "awq_dequantize_triton, 4 bits along n, groups of 128, to fp16 (8192,4096)")
def _(t):
    quantised, scales, zeros, values = formats.grouped(t, 8192, 4096, 4, 128)
    words, zero_words = pack_awq(t, quantised), pack_awq(t, zeros)
    return Case(lambda: awq().awq_dequantize_triton(words, scales, zero_words), values)


def awq_gemm(rows, splits, block):
    @operation(LIBRARY, f"awq_gemm_{rows}", "packed", f"awq_gemm_triton, {rows} rows, k in {splits} parts, fp16 by 4 bits (8192,4096)")
    def _(t):
        quantised, scales, zeros, values = formats.grouped(t, 8192, 4096, 4, 128)
        words, zero_words, x = pack_awq(t, quantised), pack_awq(t, zeros), t.torch.randn(rows, quantised.shape[0], device=t.device).to(scales.dtype)
        return Case(lambda: awq().awq_gemm_triton(x, words, scales, zero_words, splits, block_size_m=block, block_size_n=64, block_size_k=64),
                    lambda: t.up(x) @ values())


awq_gemm(16, 4, 16)
awq_gemm(256, 1, 64)
