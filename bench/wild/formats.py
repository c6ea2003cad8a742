# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised values for the cases: packed integers, scales of groups and blocks, and what they mean in float64."""

import sys
import types

FP8_MAX = 448.0


def stand_in(name, **values):
    """A module that a library imports for a logger, a constant or a setting only. The packed libraries lack it."""
    if name not in sys.modules:
        made = types.ModuleType(name)
        made.__dict__.update(values)
        sys.modules[name] = made


def pack(t, values, bits, dim):
    """Unsigned numbers as int32 words along `dim`. The first number has the lowest bits."""
    torch, each = t.torch, 32 // bits
    split = values.to(torch.int64).unflatten(dim, (-1, each))
    shifts = torch.arange(0, 32, bits, device=values.device)
    words = (split << shifts.view([-1 if i == (dim % values.dim()) + 1 else 1 for i in range(split.dim())])).sum(dim % values.dim() + 1)
    return torch.where(words >= 1 << 31, words - (1 << 32), words).to(torch.int32)


def numbers(t, bits, *shape):
    """Random unsigned numbers of so many bits. The shape is not scaled again."""
    return t.torch.randint(0, 1 if t.blank else 1 << bits, shape, device=t.device)


def grouped(t, k, n, bits, group, dtype="fp16"):
    """A weight (k,n) in groups along k: its numbers, scales and zero points, and a function that makes
    its values in float64."""
    k, n = t.d(k), t.d(n)
    quantised, zeros = numbers(t, bits, k, n), numbers(t, bits, k // group, n)
    scales = (t.torch.rand(k // group, n, device=t.device) * 0.02 + 0.005).to(t.dtype(dtype))
    return quantised, scales, zeros, lambda: (quantised - zeros.repeat_interleave(group, 0)) * t.up(scales).repeat_interleave(group, 0)


def fp8(t, *dims, scale=1.0):
    return t.randn(*dims, scale=scale, dtype="fp32").to(t.torch.float8_e4m3fn)


def expand(scales, block, shape):
    """Scales of blocks as a tensor of the whole shape, in float64."""
    out = scales.double()
    for dim, size in enumerate(block):
        out = out.repeat_interleave(size, dim)
    return out[tuple(slice(0, n) for n in shape)]


def rounded_fp8(t, x):
    """As the hardware rounds fp32 to e4m3, with saturation."""
    return x.clamp(-FP8_MAX, FP8_MAX).float().to(t.torch.float8_e4m3fn).double()


def quantised_fp8(t, x, block):
    """The values in float64 of x in e4m3 by blocks (rows, columns), and the scales."""
    rows, columns = block
    tiles = t.up(x).unflatten(1, (-1, columns)).unflatten(0, (-1, rows))
    scales = (tiles.abs().amax((1, 3)) / FP8_MAX).clamp(min=1e-30)
    return rounded_fp8(t, t.up(x) / expand(scales, block, x.shape)), scales


def quantised_int8(t, x, scale, truncate=False):
    scaled = t.up(x) / scale
    return (scaled.trunc() if truncate else scaled.sign() * (scaled.abs() + 0.5).floor()).clamp(-128, 127)


# The 16 values of a 4-bit normal float, and of the 4-bit float with its sign on top, both for a largest magnitude of 1.
NF4 = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0,
       0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0)
FP4 = tuple(value / 12 * sign for sign in (1, -1) for value in (0.0, 0.0625, 8.0, 12.0, 4.0, 6.0, 2.0, 3.0))


def nearest(t, x, table):
    """The number of the nearest value, in pieces."""
    values = t.torch.tensor(table, dtype=t.torch.float64, device=x.device)
    order = values.argsort(stable=True)
    ordered = values[order]
    return order[t.torch.bucketize(x, (ordered[1:] + ordered[:-1]) / 2)]


def e2m1(t, x):
    """The nearest of 0, 0.5, 1, 1.5, 2, 3, 4 and 6 with x's sign. A tie takes the even one."""
    size = x.abs()
    step = t.torch.where(size < 2, 0.5, t.torch.where(size < 4, 1.0, 2.0)).double()
    return x.sign() * ((size / step).round() * step).clamp(max=6)
