"""Constructs that real kernels use once in a while, in one kernel of integers."""
import enum

import torch
import triton
import triton.language as tl
from triton.language.standard import _log2

USE_TWICE = True
_NAMES = {"relu": 0}
STEP: tl.constexpr = tl.constexpr(-7) // 2  # Python's: -4


class Mode(enum.Enum):
    A = 1


@triton.jit
def relu(x): return tl.maximum(x, 0)


@triton.jit
def apply(fn: tl.constexpr, x, *rest):
    return fn(x) + len(rest)


@triton.jit
def pair(x, y):
    return (x, y), x + y


@triton.jit(noinline=True)
def put(ptr, v, mask=None):
    if mask is None:
        tl.store(ptr, v)
    else:
        tl.store(ptr, v, mask=mask)


@triton.jit(repr=lambda spec: f"corners_{spec}", do_not_specialize=["n"])
def corners(x_ptr, out_ptr, f, n: tl.int32, limit: "i64", EVEN: tl.constexpr, ACT: "tl.constexpr" = "relu",
            BLOCK: tl.constexpr = 32, D: tl.constexpr = (3, 5)):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = None if EVEN else (i >= 0) & (i < n)
    if tl.program_id(1) > 0: return
    x = tl.load(x_ptr + i, mask=mask, other=None if EVEN else 0)
    if ACT == "relu" and USE_TWICE:
        x = apply(relu, x, 1, "two")
    elif ACT in ("none", "identity"):
        pass
    else:
        tl.static_assert(False, f"activation {ACT} of {_NAMES}")
    (a, b), c = pair(x, x - 1)
    for t in tl.static_range(0, _log2(BLOCK)):
        a += 1 << t
    for t in range(6, 0, STEP):
        b += t
    k = -1
    while k < 3 and n > 0:
        k += 1
        c ^= k << 3
    y = a * 3 + b // 2 - (c % 5)
    y += D[0] * len(D) + D[-1]
    y = y + (1 if n % 2 == 0 else 2)
    inside = -10 <= limit < 100
    y = y * 2 if inside else y - 1
    bits = y.to(tl.float32).to(tl.int32, bitcast=True)
    y += (bits >> 23) & 0xFF
    y += ~x & 0x3 | (x == 0).to(tl.int32)
    if f is not None:
        y += tl.load(f)
    put(out_ptr + i, y, mask)


def run(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    corners[(triton.cdiv(x.numel(), 32), 2)](x, out, None, x.numel(), 3, EVEN=x.numel() % 32 == 0)
    return out
