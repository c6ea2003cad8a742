# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GELU by tanh, for the kernels of Hugging Face. It imports Triton, which PyTorch has; tilec compiles it where the program has
`import tilec.triton`. kernel-builder makes _ops.py, which gives operators a name of their own in each build."""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

from ._ops import add_op_namespace_prefix


@triton.jit
def gelu_kernel(x, n, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n).to(tl.float32)
    inner = 0.7978845608 * (value + 0.044715 * value * value * value)
    tl.store(out + i, 0.5 * value * (1 + libdevice.tanh(inner)), mask=i < n)


@torch.library.custom_op(add_op_namespace_prefix("gelu"), mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    out = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, x.numel(), out, BLOCK=1024)
    return out


@gelu.register_fake
def _(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


__all__ = ["gelu"]
