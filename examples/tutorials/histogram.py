# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def lost(x_ptr, count_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    bin = count_ptr + tl.load(x_ptr + i, mask=mask, other=0)
    count = tl.load(bin, mask=mask, other=0)
    tl.store(bin, count + 1, mask=mask)


@triton.jit
def histogram(x_ptr, count_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    bin = count_ptr + tl.load(x_ptr + i, mask=mask, other=0)
    tl.atomic_add(bin, 1, mask=mask)


@triton.jit
def ordered(x_ptr, count_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    bin = count_ptr + tl.load(x_ptr + i, mask=mask, other=0)
    count = tl.load(bin, mask=mask, other=0)
    tl.debug_barrier()
    tl.store(bin, count + 1, mask=mask)
