# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GELU by tanh, as each engine of this folder takes it: the input, the size, the output."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def gelu(x, n, out, BLOCK: tl.constexpr = 1024):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n).to(tl.float32)
    inner = 0.7978845608 * (value + 0.044715 * value * value * value)
    tl.store(out + i, 0.5 * value * (1 + libdevice.tanh(inner)), mask=i < n)


@triton.jit
def gelu_backward(x, grad, n, grad_x, BLOCK: tl.constexpr = 1024):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n).to(tl.float32)
    t = libdevice.tanh(0.7978845608 * (value + 0.044715 * value * value * value))
    slope = 0.5 * (1 + t) + 0.5 * value * (1 - t * t) * 0.7978845608 * (1 + 3 * 0.044715 * value * value)
    tl.store(grad_x + i, tl.load(grad + i, mask=i < n) * slope, mask=i < n)
