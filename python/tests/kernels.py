# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that the tests launch, and arrays without NumPy."""

import array

import tilec
import tilec.language as tl


@tilec.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@tilec.jit
def scale(x, factor, n, BLOCK: tl.constexpr = 16):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@tilec.jit
def either(x, y, out, swap, n, NEGATE: tl.constexpr):
    i = tl.arange(0, 16)
    a = tl.load(x + i, mask=i < n, other=0)
    if y is not None:
        a += tl.load(y + i, mask=i < n, other=0)
    if swap:
        a = 0 - a
    if NEGATE:
        a = 0 - a
    tl.store(out + i, a, mask=i < n)


@tilec.jit
def beyond(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i <= n)


@tilec.jit
def racy(x):
    tl.store(x, tl.program_id(0))


@tilec.jit
def endless(x, step):
    i = tl.arange(0, 32)
    count = 0
    while count < 1000000000:
        tl.store(x + i, tl.load(x + i) + count)
        count += 1 + step


@tilec.jit
def wrong(x):
    tl.store(x, tl.no_such_function(3))


def floats(values):
    return array.array("f", values)


def ints(values):
    return array.array("i", values)
