# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products as models have them: few rows by large weights, a long k in parts, a list of problems. tilec and Triton compile this same file."""
import triton
import triton.language as tl


@triton.jit
def linear(x_ptr, w_ptr, y_ptr, parts_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
           GROUP_M: tl.constexpr, SPLIT: tl.constexpr):
    """y (M, N) = x (M, K) w (N, K)^T. With SPLIT > 1 the programs of axis 1 leave their parts of k in parts (SPLIT, M, N) as fp32."""
    pid = tl.program_id(0)
    part = tl.program_id(1)
    num_m = tl.cdiv(M, BLOCK_M)
    num_n = tl.cdiv(N, BLOCK_N)
    first = pid // (GROUP_M * num_n) * GROUP_M
    size = min(num_m - first, GROUP_M)
    om = (first + (pid % (GROUP_M * num_n)) % size) * BLOCK_M + tl.arange(0, BLOCK_M)
    on = (pid % (GROUP_M * num_n)) // size * BLOCK_N + tl.arange(0, BLOCK_N)
    steps = tl.cdiv(tl.cdiv(K, BLOCK_K), SPLIT)
    ok = part * steps * BLOCK_K + tl.arange(0, BLOCK_K)
    x = x_ptr + (om % M)[:, None] * K + ok[None, :]
    w = w_ptr + (on % N)[None, :] * K + ok[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, steps):
        left = K - part * steps * BLOCK_K - k * BLOCK_K
        a = tl.load(x, mask=tl.arange(0, BLOCK_K)[None, :] < left, other=0.0)
        b = tl.load(w, mask=tl.arange(0, BLOCK_K)[:, None] < left, other=0.0)
        acc = tl.dot(a, b, acc)
        x += BLOCK_K
        w += BLOCK_K
    inside = (om[:, None] < M) & (on[None, :] < N)
    if SPLIT == 1:
        tl.store(y_ptr + om[:, None] * N + on[None, :], acc.to(y_ptr.dtype.element_ty), mask=inside)
    else:
        tl.store(parts_ptr + part * M * N + om[:, None] * N + on[None, :], acc, mask=inside)


@triton.jit
def sum_parts(parts_ptr, y_ptr, n, SPLIT: tl.constexpr, BLOCK: tl.constexpr):
    """y[i] = the sum over the parts of parts[part, i]."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for part in tl.static_range(SPLIT):
        acc += tl.load(parts_ptr + part * n + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, acc.to(y_ptr.dtype.element_ty), mask=i < n)


@triton.jit
def grouped(x_ptr, w_ptr, y_ptr, begin_ptr, N, K, GROUPS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Rows begin[g] to begin[g + 1] of y = those of x (rows, K) by w[g] (N, K)^T, for each of GROUPS problems; a program a tile."""
    pid = tl.program_id(0)
    num_n = tl.cdiv(N, BLOCK_N)
    g = tl.arange(0, GROUPS)
    tiles = tl.cdiv(tl.load(begin_ptr + g + 1) - tl.load(begin_ptr + g), BLOCK_M)
    behind = tl.cumsum(tiles, 0) * num_n  # where the group's tiles end
    group = tl.sum((behind <= pid).to(tl.int32), 0)
    before = tl.sum(tl.where(g < group, tiles, 0), 0) * num_n
    own = tl.sum(tl.where(g == group, tiles, 0), 0)
    begin = tl.load(begin_ptr + group)
    end = tl.load(begin_ptr + group + 1)
    om = begin + (pid - before) % own * BLOCK_M + tl.arange(0, BLOCK_M)
    on = (pid - before) // own * BLOCK_N + tl.arange(0, BLOCK_N)
    ok = tl.arange(0, BLOCK_K)
    x = x_ptr + tl.minimum(om, end - 1).to(tl.int64)[:, None] * K + ok[None, :]
    w = w_ptr + group.to(tl.int64) * N * K + (on % N)[None, :] * K + ok[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(x, mask=ok[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(w, mask=ok[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(a, b, acc)
        x += BLOCK_K
        w += BLOCK_K
    tl.store(y_ptr + om.to(tl.int64)[:, None] * N + on[None, :], acc.to(y_ptr.dtype.element_ty), mask=(om[:, None] < end) & (on[None, :] < N))


@triton.jit
def grouped_descriptors(x_ptr, w_ptr, y_ptr, begin_ptr, R, N, K, GROUPS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The same through tensor descriptors, of x (R, K) and of all w as one (GROUPS * N, K); the problem is found by scalars."""
    num_n = tl.cdiv(N, BLOCK_N)
    tile = tl.program_id(0)  # of the problems from the next on
    group, begin, end, own, inside = 0, 0, 0, 1, 0
    first = tl.load(begin_ptr)
    for g in tl.static_range(GROUPS):
        last = tl.load(begin_ptr + g + 1)
        blocks = tl.cdiv(last - first, BLOCK_M)
        here = (tile >= 0) & (tile < blocks * num_n)
        group = tl.where(here, g, group)
        begin = tl.where(here, first, begin)
        end = tl.where(here, last, end)
        own = tl.where(here, blocks, own)
        inside = tl.where(here, tile, inside)
        tile -= blocks * num_n
        first = last
    row = begin + inside % own * BLOCK_M
    column = inside // own * BLOCK_N
    x = tl.make_tensor_descriptor(x_ptr, shape=[R, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    w = tl.make_tensor_descriptor(w_ptr, shape=[GROUPS * N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        acc = tl.dot(x.load([row, k * BLOCK_K]), w.load([group * N + column, k * BLOCK_K]).T, acc)
    om = row + tl.arange(0, BLOCK_M)
    on = column + tl.arange(0, BLOCK_N)
    tl.store(y_ptr + om.to(tl.int64)[:, None] * N + on[None, :], acc.to(y_ptr.dtype.element_ty), mask=(om[:, None] < end) & (on[None, :] < N))
