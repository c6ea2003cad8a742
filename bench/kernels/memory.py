# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that move memory: tilec and Triton compile this same file."""
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask) + tl.load(y_ptr + i, mask=mask), mask=mask)


@triton.jit
def elu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x_ptr + i, mask=mask)
    tl.store(out_ptr + i, tl.where(v < 0.0, tl.exp(v) - 1.0, v), mask=mask)


@triton.jit
def transpose(x_ptr, out_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """x is (M, N), out (N, M)."""
    rm = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    x = tl.load(x_ptr + rm[:, None] * N + rn[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))
    tl.store(out_ptr + rn[:, None] * M + rm[None, :], tl.trans(x), mask=(rn[:, None] < N) & (rm[None, :] < M))


@triton.jit
def gather(table_ptr, index_ptr, out_ptr, n, D: tl.constexpr, ROWS: tl.constexpr):
    """out[i, :] = table[index[i], :]: rows of D elements."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, D)
    row = tl.load(index_ptr + r, mask=r < n, other=0)
    v = tl.load(table_ptr + row[:, None] * D + c[None, :], mask=r[:, None] < n)
    tl.store(out_ptr + r[:, None] * D + c[None, :], v, mask=r[:, None] < n)


@triton.jit
def conv1d(x_ptr, out_ptr, n, BLOCK: tl.constexpr, TAPS: tl.constexpr):
    """out[i] = mean of x[i .. i + TAPS - 1]."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for t in tl.static_range(TAPS):
        acc += tl.load(x_ptr + i + t, mask=i < n, other=0.0)
    tl.store(out_ptr + i, acc / TAPS, mask=i < n)
