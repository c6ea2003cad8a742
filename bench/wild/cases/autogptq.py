# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AutoGPTQ and GPTQ-triton: fp16 by weights in 2, 4 and 8 bits along k. Their autotuners are their own, so the configuration
is one of theirs, fixed here."""

import importlib

import formats
from operations import Case, operation

CONFIG = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 8, "num_stages": 4, "num_warps": 4}
SMALL = {"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 8, "num_stages": 2, "num_warps": 4}


def count(rows, columns, config, columns_name="BLOCK_SIZE_N"):
    return (-(-rows // config["BLOCK_SIZE_M"]) * -(-columns // config[columns_name]),)


def weight(t, bits):
    """The kernels add 1 to what is stored as a zero point."""
    quantised, scales, zeros, values = formats.grouped(t, 8192, 4096, bits, 128)
    return formats.pack(t, quantised, bits, 0), scales, formats.pack(t, zeros.clamp_(min=1) - 1, bits, 1), values


def matmul(bits, rows, config):
    @operation("autogptq", f"matmul_{bits}bit_{rows}", "packed", f"quant_matmul_248, {rows} rows, fp16 by {bits} bits (8192,4096), groups of 128 by index")
    def _(t):
        words, scales, zeros, values = weight(t, bits)
        k, n, m = words.shape[0] * (32 // bits), words.shape[1], t.d(rows)
        x, out = t.torch.randn(m, k, device=t.device).to(scales.dtype), t.torch.empty(m, n, device=t.device, dtype=scales.dtype)
        groups = t.torch.arange(k, device=t.device, dtype=t.torch.int32) // 128

        def run():
            kernel = importlib.import_module("auto_gptq.nn_modules.triton_utils.kernels").quant_matmul_248_kernel.fn
            kernel[count(m, n, config)](x, words, out, scales, zeros, groups, m, n, k, bits, (1 << bits) - 1, *x.stride(), *words.stride(), *out.stride(),
                                        scales.stride(0), zeros.stride(0), **config)
            return out

        return Case(run, lambda: t.up(x) @ values())


matmul(4, 16, SMALL)
matmul(4, 2048, CONFIG)
matmul(2, 64, CONFIG)
matmul(8, 64, CONFIG)


@operation("autogptq", "transpose_matmul_4bit", "packed", "transpose_quant_matmul_248, fp16 (2048,4096) by 4 bits (8192,4096) transposed")
def _(t):
    words, scales, zeros, values = weight(t, 4)
    config = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 8, "num_stages": 4, "num_warps": 4}
    k, n, m = words.shape[0] * 8, words.shape[1], t.d(2048)
    x, out = t.torch.randn(m, n, device=t.device).to(scales.dtype), t.torch.empty(m, k, device=t.device, dtype=scales.dtype)
    groups = t.torch.arange(k, device=t.device, dtype=t.torch.int32) // 128

    def run():
        kernel = importlib.import_module("auto_gptq.nn_modules.triton_utils.kernels").transpose_quant_matmul_248_kernel.fn
        kernel[count(m, k, config, "BLOCK_SIZE_K")](x, words, out, scales, zeros, groups, m, n, k, 4, 15, *x.stride(), *words.stride(), *out.stride(),
                                                   scales.stride(0), zeros.stride(0), **config)
        return out

    return Case(run, lambda: t.up(x) @ values().T)


def matmul4(rows, config):
    @operation("gptq_triton", f"matmul4_{rows}", "packed", f"matmul4, {rows} rows, fp16 by 4 bits (8192,4096), groups of 128, zero points less one")
    def _(t):
        words, scales, zero_words, values = weight(t, 4)
        k, n, m = words.shape[0] * 8, words.shape[1], t.d(rows)
        x, out = t.torch.randn(m, k, device=t.device).to(scales.dtype), t.torch.empty(m, n, device=t.device, dtype=scales.dtype)

        def run():
            kernel = importlib.import_module("src.gptq_triton.quant_linear").matmul4_kernel.fn
            kernel[count(m, n, config)](x, words, out, scales, zero_words, m, n, k, *x.stride(), *words.stride(), *out.stride(), *scales.stride(),
                                        *zero_words.stride(), 128, False, **config)
            return out

        return Case(run, lambda: t.up(x) @ values())


matmul4(16, SMALL)
matmul4(2048, CONFIG)
