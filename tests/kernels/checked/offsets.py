# SPDX-License-Identifier: Apache-2.0
"""Loops whose loads use offsets and masks from before the loop: if tiles fill the registers, they move into it."""
import triton
import triton.language as tl


# Rows that are a number of run time apart, of which some are beyond the end, as columns are: the sum over k shifted tiles.
# check: --grid 2 x=randn:fp32[9000] out=empty:fp32[8192] rows=50 cols=37 stride=64 k=3 -D R=64 -D C=64 --num-warps 1
# check: --grid 2 x=randn:fp32[9000] out=empty:fp32[8192] rows=64 cols=64 stride=64 k=0 -D R=64 -D C=64 --num-warps 1
# check: --grid 1 x=randn:fp32[9000] out=zeros:fp32[8192] rows=1 cols=64 stride=65 k=1 -D R=64 -D C=64 --num-warps 1
@triton.jit
def shifted_sums(x, out, rows, cols, stride, k, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    at = r.to(tl.int64)[:, None] * stride + c[None, :]
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    total = tl.zeros((R, C), dtype=tl.float32)
    for i in range(k):
        total += tl.load(x + tl.program_id(0) + i + at, mask=inside, other=1.0)
    tl.store(out + tl.program_id(0) * R * C + r[:, None] * C + c[None, :], total)


# The same in two nested loops; the outer one has other rows.
# check: --grid 1 x=randn:fp32[20000] y=randn:fp32[20000] out=empty:fp32[4096] rows=50 cols=37 stride=64 k=2 -D R=64 -D C=64 --num-warps 1
# check: --grid 1 x=randn:fp32[20000] y=randn:fp32[20000] out=empty:fp32[4096] rows=63 cols=3 stride=130 k=1 -D R=64 -D C=64 --num-warps 1
@triton.jit
def nested_sums(x, y, out, rows, cols, stride, k, R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    at = r.to(tl.int64)[:, None] * stride + c[None, :]
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    total = tl.zeros((R, C), dtype=tl.float32)
    for i in range(k):
        total = total * tl.load(y + i + at, mask=inside, other=0.5)
        for j in range(i, k):
            total += tl.load(x + j + at, mask=inside, other=1.0)
    tl.store(out + r[:, None] * C + c[None, :], total)


# A loop that is unrolled: each step's load makes its rows' pointers again.
# check: --grid 1 x=randn:fp32[9000] out=empty:fp32[4096] stride=64 step=1000 --num-warps 1
# check: --grid 1 x=randn:fp32[9000] out=empty:fp32[4096] stride=65 step=0 --num-warps 1
@triton.jit
def unrolled_sums(x, out, stride, step):
    r, c = tl.arange(0, 64), tl.arange(0, 64)
    total = tl.zeros((64, 64), dtype=tl.float32)
    for k in tl.static_range(4):
        total += tl.load(x + r[:, None] * stride + k * step + c[None, :])
    tl.store(out + r[:, None] * 64 + c[None, :], total)


# A mask of loaded rows that loads in two layouts take is made in both.
# check: --grid 1 ids=randint(-2,3):i32[64] x=randn:fp32[4096] y=randn:fp32[4096] out=empty:fp32[8192] stride=64 cols=48
# check: --grid 1 ids=randint(-2,3):i32[64] x=randn:fp32[4096] y=randn:fp32[4096] out=empty:fp32[8192] stride=64 cols=37
@triton.jit
def masked_both_ways(ids, x, y, out, stride, cols):
    r, c = tl.arange(0, 64), tl.arange(0, 64)
    mask = (tl.load(ids + r) >= 0)[:, None] & (c < cols)[None, :]
    a = tl.load(x + r[:, None] * stride + c[None, :], mask=mask, other=0.0)
    b = tl.load(y + r[:, None] + c[None, :] * stride, mask=mask, other=0.0)
    tl.store(out + r[:, None] * 64 + c[None, :], a)
    tl.store(out + 4096 + r[:, None] + c[None, :] * 64, b)


# Rows that are stored where they were loaded, or elsewhere, part by part, and a column whose number has 64 bits.
# check: --grid 2 x=randn:fp32[2,9000] out=&x chosen=arange:i64[2] columns=9000 -D B=8192 --num-warps 1
# check: --grid 2 x=randn:fp32[2,9000] out=empty:fp32[2,9000] chosen=randint(8190,8999):i64[2] columns=9000 -D B=8192 --num-warps 1
@triton.jit
def one_column_left(x, out, chosen, columns, B: tl.constexpr):
    row, column, n = tl.program_id(0), tl.load(chosen + tl.program_id(0)), tl.cast(columns, tl.int64)
    for start in tl.range(0, n, B):
        at = start + tl.arange(0, B)
        v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
        p = tl.exp2(v)
        tl.store(out + row * n + at, tl.where(at == column, 1 - p, -p), mask=at < n)
