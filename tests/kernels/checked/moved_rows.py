# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that two tables name are moved, head by head: what is loaded of the tables, 32 bits each, waits in loops that leave no room for 64."""
import triton
import triton.language as tl


# check: --grid 1 --num-warps 1 --num-stages 1 rows=perm:i32[80] slots=perm:i32[80] x=randn:fp32[80,2,64] y=zeros:fp32[80,2,64] z=zeros:fp16[80,2,64] n=75 s=128 h=64 HEADS=2 ROWS=64 D=64
# check: --grid 2 --num-warps 2 --num-stages 1 rows=perm:i32[80] slots=perm:i32[80] x=randn:fp32[80,2,64] y=zeros:fp32[80,2,64] z=zeros:fp16[80,2,64] n=80 s=128 h=64 HEADS=2 ROWS=128 D=64
@triton.jit
def moved(rows, slots, x, y, z, n, s, h, HEADS, ROWS: tl.constexpr, D: tl.constexpr):
    """Places are below the end of y: negative numbers, which 64 bits have to keep."""
    column = tl.arange(0, D)
    for block in range(tl.program_id(0), tl.cdiv(n, ROWS), tl.num_programs(0)):
        number = block * ROWS + tl.arange(0, ROWS)
        inside = number < n
        row = tl.load(rows + number, mask=inside, other=0).to(tl.int64)
        slot = (tl.load(slots + number, mask=inside, other=0) - 80).to(tl.int64)
        for head in range(HEADS):
            data = tl.load(x + row[:, None] * s + head * h + column[None, :], mask=inside[:, None], other=0.0)
            tl.store(y + 80 * s + slot[:, None] * s + head * h + column[None, :], data, mask=inside[:, None])
            tl.store(z + 80 * s + slot[:, None] * s + head * h + column[None, :], data.to(tl.float16), mask=inside[:, None])
