# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matmul with scales: a [M, K], b [K, N] or [N, K] (BY_COLUMNS), T steps of BK. WA and WB numbers in an element, GROUP with a
scale, of both or ONE of them. Scales are rows by groups. PACKED: blocks of 128 rows by 4, [rows / 128, groups / 4, 32, 4, 4]."""
import triton
import triton.language as tl


@triton.jit
def blocks(p, block, k, K: tl.constexpr, ROWS: tl.constexpr, N: tl.constexpr):
    rows = block * (ROWS // 128) + tl.arange(0, ROWS // 128)[:, None, None]
    return p + (rows * (K // 4) + k // 4 + tl.arange(0, N // 4)[None, :, None]) * 512 + tl.arange(0, 512)


@triton.jit
def scales(p, block, k, K: tl.constexpr, ROWS: tl.constexpr, N: tl.constexpr, PACKED: tl.constexpr):
    if PACKED:
        return tl.load(blocks(p, block, k, K, ROWS, N)).reshape(ROWS // 128, N // 4, 32, 4, 4).trans(0, 3, 2, 1, 4).reshape(ROWS, N)
    rows = block * ROWS + tl.arange(0, ROWS)[:, None]
    return tl.load(p + rows * K + k + tl.arange(0, N)[None, :])


@triton.jit
def matmul(a, sa, b, sb, c, N, K: tl.constexpr, T, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, A: tl.constexpr,
           B: tl.constexpr, WA: tl.constexpr, WB: tl.constexpr, GROUP: tl.constexpr, BY_COLUMNS: tl.constexpr, PACKED: tl.constexpr, ONE: tl.constexpr,
           FIRST: tl.constexpr = 1):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.full((BM, BN), FIRST, tl.float32)
    pa = blocks(sa, tl.program_id(0), 0, K // GROUP, BM, BK // GROUP) if PACKED else sa
    for t in range(T):
        x = tl.load(a + i[:, None] * (K // WA) + t * (BK // WA) + tl.arange(0, BK // WA)[None, :])
        k = t * (BK // WB) + tl.arange(0, BK // WB)
        y = tl.load(b + k[:, None] + j[None, :] * (K // WB)) if BY_COLUMNS else tl.load(b + k[:, None] * N + j[None, :])
        if PACKED:  # the loop carries these pointers
            u = tl.load(pa).reshape(BM // 128, BK // GROUP // 4, 32, 4, 4).trans(0, 3, 2, 1, 4).reshape(BM, BK // GROUP)
            pa += BK // GROUP * 128
        else:
            u = scales(sa, tl.program_id(0), t * (BK // GROUP), K // GROUP, BM, BK // GROUP, PACKED)
        v = None if ONE else scales(sb, tl.program_id(1), t * (BK // GROUP), K // GROUP, BN, BK // GROUP, PACKED)
        sums = tl.dot_scaled(x, u, A, y, v, B, sums)
    tl.store(c + i[:, None] * N + j[None, :], sums)
