# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with one planted flaw each, and their fixed forms. The flaws are common mistakes; they were not chosen from the
list of losses that `tilec explain` knows. `launches` says the flaw of each, and how it is launched."""
import triton
import triton.language as tl


@triton.jit
def copy_columns(x_ptr, y_ptr, R, C, B: tl.constexpr):
    c = tl.program_id(1)
    r = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + r * C + c, mask=r < R)
    tl.store(y_ptr + r * C + c, 2.0 * x, mask=r < R)


@triton.jit
def copy_rows(x_ptr, y_ptr, R, C, B: tl.constexpr):
    r = tl.program_id(1)
    c = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + r * C + c, mask=c < C)
    tl.store(y_ptr + r * C + c, 2.0 * x, mask=c < C)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
           PRECISION: tl.constexpr = "ieee"):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    first = pid // (GROUP * tiles_n) * GROUP
    rows = tl.minimum(tiles_m - first, GROUP)
    pid_m = first + pid % (GROUP * tiles_n) % rows
    pid_n = pid % (GROUP * tiles_n) // rows
    m = pid_m * BM + tl.arange(0, BM)
    n = pid_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (step + k)[None, :])
        b = tl.load(b_ptr + (step + k)[:, None] * N + n[None, :])
        acc = tl.dot(a, b, acc, input_precision=PRECISION)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty))


@triton.jit
def column_means(x_ptr, mean_ptr, N, C, B: tl.constexpr, BC: tl.constexpr):
    c, n = tl.program_id(0) * BC + tl.arange(0, BC), tl.arange(0, B)
    total = tl.zeros((B, BC), dtype=tl.float32)
    for start in range(0, N, B):
        rows = start + n
        total += tl.load(x_ptr + rows[:, None] * C + c[None, :], mask=rows[:, None] < N, other=0.0)
    tl.store(mean_ptr + c, tl.sum(total, axis=0) / N)


@triton.jit
def softmax_of_tiles(x_ptr, y_ptr, C, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    best = -float("inf")
    for start in range(0, C, B):
        x = tl.load(x_ptr + row * C + start + c, mask=start + c < C, other=-float("inf"))
        best = tl.maximum(best, tl.max(x, 0))
    total = 0.0
    for start in range(0, C, B):
        x = tl.load(x_ptr + row * C + start + c, mask=start + c < C, other=-float("inf"))
        total += tl.sum(tl.exp(x - best), 0)
    for start in range(0, C, B):
        x = tl.load(x_ptr + row * C + start + c, mask=start + c < C, other=-float("inf"))
        tl.store(y_ptr + row * C + start + c, tl.exp(x - best) / total, mask=start + c < C)


@triton.jit
def softmax_of_rows(x_ptr, y_ptr, C, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    x = tl.load(x_ptr + row * C + c, mask=c < C, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + row * C + c, e / tl.sum(e, 0), mask=c < C)


@triton.jit
def total_of_elements(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.atomic_add(out_ptr + i * 0, x, mask=i < n)


@triton.jit
def total_of_tiles(x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x, 0))


@triton.jit
def row_sums(x_ptr, out_ptr, R, C, ROWS: tl.constexpr, B: tl.constexpr):
    for i in range(ROWS):
        row = tl.program_id(0) * ROWS + i
        acc = tl.zeros((B,), tl.float32)
        for start in range(0, C, B):
            c = start + tl.arange(0, B)
            acc += tl.load(x_ptr + row * C + c, mask=c < C, other=0.0)
        tl.store(out_ptr + row, tl.sum(acc, 0))


@triton.jit
def gelu_fp64(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0).to(tl.float64)
    u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    t = 1.0 - 2.0 / (tl.exp(2.0 * u) + 1.0)
    tl.store(y_ptr + i, (0.5 * x * (1.0 + t)).to(tl.float32), mask=i < n)


@triton.jit
def gelu(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    t = 1.0 - 2.0 / (tl.exp(2.0 * u) + 1.0)
    tl.store(y_ptr + i, 0.5 * x * (1.0 + t), mask=i < n)


@triton.jit
def scale_rows(x_ptr, s_ptr, y_ptr, R, C, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.load(s_ptr + r, mask=r < R)
    for c in range(C):
        x = tl.load(x_ptr + r * C + c, mask=r < R)
        tl.store(y_ptr + r * C + c, x * s, mask=r < R)


@triton.jit
def scale_columns(x_ptr, s_ptr, y_ptr, R, C, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.load(s_ptr + c, mask=c < C)
    for r in range(R):
        x = tl.load(x_ptr + r * C + c, mask=c < C)
        tl.store(y_ptr + r * C + c, x * s, mask=c < C)


@triton.jit
def scale_tiles(x_ptr, s_ptr, y_ptr, R, C, BR: tl.constexpr, BC: tl.constexpr, ROWS: tl.constexpr):
    """With ROWS, a scale for each row, and a loop over columns; else the other way."""
    r, c = tl.arange(0, BR), tl.arange(0, BC)
    for start in range(0, C if ROWS else R, BC if ROWS else BR):
        rows = r + (tl.program_id(0) * BR if ROWS else start)
        columns = c + (start if ROWS else tl.program_id(0) * BC)
        s = tl.load(s_ptr + rows)[:, None] if ROWS else tl.load(s_ptr + columns)[None, :]
        at = rows[:, None] * C + columns[None, :]
        tl.store(y_ptr + at, tl.load(x_ptr + at) * s)
