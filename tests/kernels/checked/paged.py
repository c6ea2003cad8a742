# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over pages that a table names, whose last page is cut: the mask is used where it is needed."""
import triton
import triton.language as tl


@triton.jit
def load_if(pointers, masked, mask):
    if masked:
        data = tl.load(pointers, mask=mask, other=0.0)
    else:
        data = tl.load(pointers)
    return data


# check: --grid 2 --num-warps 2 q=randn:fp16[2,16,32] k=randn:fp16[4,32,32] v=randn:fp16[4,32,32] table=perm:i32[4] out=empty:fp32[2,16,32] length=100 D=32
# check: --grid 1 --num-warps 4 --num-stages 2 q=randn:fp16[2,16,32] k=randn:fp16[4,32,32] v=randn:fp16[4,32,32] table=perm:i32[4] out=randn:fp32[2,16,32] length=64 D=32
# check: --grid 1 --num-warps 1 q=randn:fp16[2,16,32] k=randn:fp16[4,32,32] v=randn:fp16[4,32,32] table=perm:i32[4] out=randn:fp32[2,16,32] length=0 D=32
# check: --grid 1 --num-warps 1 --num-stages 4 q=randn:fp16[2,16,32] k=randn:fp16[4,32,32] v=randn:fp16[4,32,32] table=perm:i32[4] out=randn:fp32[2,16,32] length=33 D=16
@triton.jit
def attended(q, k, v, table, out, length, D):
    rows, page, head = tl.arange(0, 16), tl.arange(0, 32), tl.arange(0, 32)
    q += tl.program_id(0) * 512
    query = tl.load(q + rows[:, None] * 32 + head[None, :], mask=head[None, :] < D, other=0.0)
    sums = tl.zeros((16, 32), tl.float32)
    for i in range(tl.cdiv(length, 32)):
        here = min(length - i * 32, 32)
        start = tl.load(table + i) * 1024
        cut = (here != 32) or (D != 32)
        keys = load_if(k + start + page[None, :] * 32 + head[:, None], cut, (page[None, :] < here) & (head[:, None] < D))
        scores = tl.dot(query, keys)
        scores = tl.where(page[None, :] < here, scores, 0.0)
        values = load_if(v + start + page[:, None] * 32 + head[None, :], cut, (page[:, None] < here) & (head[None, :] < D))
        sums += tl.dot(scores.to(tl.float16), values)
    tl.store(out + tl.program_id(0) * 512 + rows[:, None] * 32 + head[None, :], sums)


# check: --grid 2 --num-warps 2 a=randn:fp16[16,16] b=randn:fp16[4,16,16] table=perm:i32[4] out=empty:fp32[2,16,16] least=0 first=0 n=9 end=4
# check: --grid 1 --num-warps 1 a=randn:fp16[16,16] b=randn:fp16[4,16,16] table=perm:i32[4] out=randn:fp32[1,16,16] least=2 first=-3 n=3 end=0
# check: --grid 1 --num-warps 1 a=randn:fp16[16,16] b=randn:fp16[4,16,16] table=perm:i32[4] out=randn:fp32[1,16,16] least=0 first=5 n=8 end=-2147483648
# check: --grid 1 --num-warps 1 a=randn:fp16[16,16] b=randn:fp16[4,16,16] table=perm:i32[4] out=randn:fp32[1,16,16] least=0 first=2147483640 n=20 end=2147483645
# check: --grid 1 --num-warps 1 a=randn:fp16[16,16] b=randn:fp16[4,16,16] table=perm:i32[4] out=randn:fp32[1,16,16] least=-9 first=-2147483646 n=5 end=0
# check: --grid 1 --num-warps 1 a=randn:fp16[16,16] b=randn:fp16[4,16,16] table=perm:i32[4] out=randn:fp32[1,16,16] least=7 first=0 n=3 end=20
# check: --grid 1 --num-warps 1 a=randn:fp16[16,16] b=randn:fp16[4,16,16] table=perm:i32[4] out=randn:fp32[1,16,16] least=2147483641 first=7 n=2147483647 end=2147483600
@triton.jit
def guarded(a, b, table, out, least, first, n, end):
    x, y = tl.arange(0, 16), tl.arange(0, 16)
    left = tl.load(a + x[:, None] * 16 + y[None, :])
    sums = tl.zeros((16, 16), tl.float32)
    seen = 0
    for i in range(least, n):
        index = first + i
        if index < end:
            page = tl.load(table + (i & 3)) * 256
            sums = tl.dot(left, tl.load(b + page + x[:, None] * 16 + y[None, :]), sums)
            seen += index & 15
    out += tl.program_id(0) * 256
    tl.store(out + x[:, None] * 16 + y[None, :], sums + seen)


# check: --grid 1 --num-warps 2 a=randn:fp16[16,16] b=randn:fp16[6,16,16] out=empty:fp32[16,16] n=6 end=4
# check: --grid 1 --num-warps 2 a=randn:fp16[16,16] b=randn:fp16[6,16,16] out=empty:fp32[16,16] n=4 end=6
@triton.jit
def guarded_index(a, b, out, n, end):
    x, y = tl.arange(0, 16), tl.arange(0, 16)
    left = tl.load(a + x[:, None] * 16 + y[None, :])
    sums = tl.zeros((16, 16), tl.float32)
    for i in range(n):
        if i < end:
            sums = tl.dot(left, tl.load(b + i * 256 + x[:, None] * 16 + y[None, :]), sums)
    tl.store(out + x[:, None] * 16 + y[None, :], sums)


# What loads ahead of the iteration need of the table is not read where there is no such iteration: the table ends with the last one.
# check: --grid 2 --num-warps 4 --num-stages 4 a=randn:fp16[16,64] b=randn:fp16[6,64,64] table=perm:i32[6] out=empty:fp32[2,16,64] n=3 each=3
# check: --grid 6 --num-warps 4 --num-stages 3 a=randn:fp16[16,64] b=randn:fp16[6,64,64] table=perm:i32[6] out=empty:fp32[6,16,64] n=1 each=1
# check: --grid 4 --num-warps 4 --num-stages 3 a=randn:fp16[16,64] b=randn:fp16[6,64,64] table=perm:i32[6] out=empty:fp32[4,16,64] n=0 each=2
@triton.jit
def by_page(a, b, table, out, n, each):
    x, y = tl.arange(0, 16), tl.arange(0, 64)
    left = tl.load(a + x[:, None] * 64 + y[None, :])
    sums = tl.zeros((16, 64), tl.float32)
    first = tl.program_id(0) * each
    for i in range(first, first + n):
        page = tl.load(table + i)
        sums = tl.dot(left, tl.load(b + page * 4096 + y[:, None] * 64 + y[None, :]), sums)
    out += tl.program_id(0) * 1024
    tl.store(out + x[:, None] * 64 + y[None, :], sums)


# Rows of pages of 8, a number of the table for each.
# check: --grid 2 --num-warps 4 --num-stages 4 a=randn:fp16[16,64] b=randn:fp16[32,8,64] table=perm:i32[32] out=empty:fp32[2,16,64] n=128
# check: --grid 2 --num-warps 4 --num-stages 3 a=randn:fp16[16,64] b=randn:fp16[32,8,64] table=perm:i32[32] out=empty:fp32[2,16,64] n=104
# check: --grid 1 --num-warps 8 --num-stages 2 a=randn:fp16[16,64] b=randn:fp16[32,8,64] table=perm:i32[8] out=empty:fp32[1,16,64] n=60
# check: --grid 1 --num-warps 1 --num-stages 4 a=randn:fp16[16,64] b=randn:fp16[32,8,64] table=perm:i32[1] out=empty:fp32[1,16,64] n=5
@triton.jit
def by_rows(a, b, table, out, n):
    x, y = tl.arange(0, 16), tl.arange(0, 64)
    left = tl.load(a + x[:, None] * 64 + y[None, :])
    sums = tl.zeros((16, 64), tl.float32)
    table += tl.program_id(0) * 16
    for start in range(0, n, 64):
        row = start + y
        at = tl.load(table + row // 8, mask=row < n, other=0).to(tl.int64) * 8 + row % 8
        k = tl.load(b + at[None, :] * 64 + y[:, None], mask=row[None, :] < n, other=0.0)
        s = tl.dot(left, k)
        v = tl.load(b + at[:, None] * 64 + y[None, :], mask=row[:, None] < n, other=0.0)
        sums = tl.dot(s.to(tl.float16), v, sums)
    out += tl.program_id(0) * 1024
    tl.store(out + x[:, None] * 64 + y[None, :], sums)


# The numbers have a mask that says nothing of where the table ends.
# check: --grid 1 --num-warps 4 --num-stages 4 a=randn:fp16[16,64] b=randn:fp16[8,8,64] table=perm:i32[8] out=empty:fp32[1,16,64] n=64
# check: --grid 2 --num-warps 4 --num-stages 3 a=randn:fp16[16,64] b=randn:fp16[16,8,64] table=perm:i32[16] out=empty:fp32[2,16,64] n=0
@triton.jit
def by_some(a, b, table, out, n):
    x, y = tl.arange(0, 16), tl.arange(0, 64)
    left = tl.load(a + x[:, None] * 64 + y[None, :])
    sums = tl.zeros((16, 64), tl.float32)
    table += tl.program_id(0) * 16
    for start in range(0, n, 64):
        row = start + y
        at = tl.load(table + row // 8, mask=y != 5, other=3).to(tl.int64) * 8 + row % 8
        sums = tl.dot(left, tl.load(b + at[:, None] * 64 + y[None, :]), sums)
    out += tl.program_id(0) * 1024
    tl.store(out + x[:, None] * 64 + y[None, :], sums)
