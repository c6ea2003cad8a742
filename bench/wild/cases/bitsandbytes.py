# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bitsandbytes: weights and states of optimisers in 4 and 8 bits, by blocks."""

import importlib

import formats
from operations import Case, operation

LIBRARY = "bitsandbytes"


def ops(name):
    return importlib.import_module(f"bitsandbytes.backends.triton.{name}")


def decoded(t, packed, table):
    """The values of the codes, two in a byte, the first on top."""
    values = t.torch.tensor(table, dtype=t.torch.float64, device=packed.device)
    packed = packed.flatten().long()
    return values[t.torch.stack([packed >> 4, packed & 15], 1).flatten()]


def quantise(kind, table, dtype):
    @operation(LIBRARY, f"quantise_{kind}", "quantise", f"quantize_4bit, {kind}, blocks of 64, {dtype} (4096,4096)")
    def _(t):
        x = t.randn(4096, 4096, dtype=dtype)
        packed = t.torch.empty(x.numel() // 2, 1, dtype=t.torch.uint8, device=t.device)
        largest = t.torch.empty(x.numel() // 64, dtype=x.dtype, device=t.device)

        def reference():
            blocks = t.up(x).view(-1, 64)
            most = blocks.abs().amax(1)
            codes = formats.nearest(t, (blocks / most[:, None]).flatten(), table)
            return t.torch.tensor(table, dtype=t.torch.float64, device=t.device)[codes], most

        def run():
            return ops("kernels_4bit").quantize_4bit_blockwise_triton(x, 64, kind, x.numel() // 128, largest, x.numel(), packed)

        return Case(run, reference, lambda out: (decoded(t, out[0], table), out[1]))


def dequantise(kind, table, dtype):
    @operation(LIBRARY, f"dequantise_{kind}", "dequantise", f"dequantize_4bit, {kind}, blocks of 64, to {dtype} (8192,8192)")
    def _(t):
        out = t.empty(8192, 8192, dtype=dtype)
        packed = t.torch.randint(0, 256, (out.numel() // 2, 1), device=t.device, dtype=t.torch.uint8)
        largest = t.torch.rand(out.numel() // 64, device=t.device)

        def run():
            ops("kernels_4bit").dequantize_4bit_impl(packed, largest, 64, kind, out.dtype, out)
            return out

        return Case(run, lambda: (decoded(t, packed, table).view(-1, 64) * t.up(largest)[:, None]).view(out.shape))


quantise("nf4", formats.NF4, "bf16")
quantise("fp4", formats.FP4, "fp32")
dequantise("nf4", formats.NF4, "bf16")
dequantise("fp4", formats.FP4, "fp16")


@operation(LIBRARY, "dequantise_code", "dequantise", "dequantize_4bit by a table in memory, blocks of 128, to bf16 (8192,4096)")
def _(t):
    out, code = t.empty(8192, 4096), t.torch.tensor(formats.NF4, device=t.device)
    packed = t.torch.randint(0, 256, (out.numel() // 2, 1), device=t.device, dtype=t.torch.uint8)
    largest = t.torch.rand(out.numel() // 128, device=t.device)

    def run():
        ops("kernels_4bit").dequantize_4bit_impl_passing_code(packed, largest, 128, code, out.dtype, out)
        return out

    return Case(run, lambda: (decoded(t, packed, formats.NF4).view(-1, 128) * t.up(largest)[:, None]).view(out.shape))


def code8(t):
    """256 ascending values between -1 and 1, denser around 0."""
    return t.torch.linspace(-1, 1, 256, device=t.device).pow(3)


@operation(LIBRARY, "quantise_8bit", "quantise", "quantize_blockwise, 256 values, blocks of 256, fp32 (4096,4096)")
def _(t):
    x, code = t.randn(4096, 4096, dtype="fp32"), code8(t)

    def reference():
        blocks = t.up(x).view(-1, 256)
        most = blocks.abs().amax(1)
        return t.up(code)[formats.nearest(t, (blocks / most[:, None]).flatten(), code.tolist())].view(x.shape), most

    return Case(lambda: ops("kernels_8bit_quant").quantize_blockwise_triton(x, code, 256), reference, lambda out: (t.up(code)[out[0].long()], out[1]))


@operation(LIBRARY, "dequantise_8bit", "dequantise", "dequantize_blockwise, 256 values, blocks of 256, to bf16 (8192,8192)")
def _(t):
    code, shape = code8(t), t.shape((8192, 8192))
    x = t.torch.randint(0, 256, shape, device=t.device, dtype=t.torch.uint8)
    largest = t.torch.rand(x.numel() // 256, device=t.device)
    return Case(lambda: ops("kernels_8bit_quant").dequant_8bit_blockwise(x, largest, code, 256, t.dtype("bf16")),
                lambda: (t.up(code)[x.long()].view(-1, 256) * t.up(largest)[:, None]).view(shape))
