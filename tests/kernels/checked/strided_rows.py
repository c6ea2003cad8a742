# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores of strided rows that a loop computes again, as element-wise libraries generate them."""
import triton
import triton.language as tl


# check: --grid 3 --num-warps 2 x=randn:fp16[40,24] out=randn:fp16[24,40] rows=24 columns=40 sx=1 cx=24 so=40 co=1 tiles=2 first=0 -D R=8 -D C=32
# check: --allow-uncompared 1 --grid 3 --num-warps 2 x=randn:fp16[40,24] out=randn:fp16[24,40] rows=24 columns=40 sx=1 cx=24 so=40 co=1 tiles=0 first=0 -D R=8 -D C=32
# check: --grid 2 --num-warps 1 x=randn:fp16[19,24] out=randn:fp16[19,24] rows=19 columns=23 sx=24 cx=-1 so=24 co=1 tiles=3 first=22 -D R=1 -D C=128
# check: --grid 4 --num-warps 1 x=randn:fp16[19,24] out=randn:fp16[19,48] rows=19 columns=23 sx=-24 cx=-1 so=48 co=2 tiles=9 first=454 -D R=4 -D C=16
# check: --grid 2 --num-warps 1 x=randn:fp16[19,24] out=randn:fp16[19,48] rows=19 columns=23 sx=0 cx=1 so=48 co=2 tiles=5 first=0 -D R=4 -D C=16
@triton.jit
def copied(x, out, rows, columns, sx, cx, so, co, tiles, first, R: tl.constexpr, C: tl.constexpr):
    across = tl.cdiv(columns, C)
    for j in range(0, tiles):
        tile = tl.program_id(0).to(tl.int64) + j * tl.num_programs(0).to(tl.int64)
        r, c = (tile // across * R).to(tl.int32), (tile % across * C).to(tl.int32)
        source = tl.make_block_ptr(x + first, (rows, columns), (sx, cx), (r, c), (R, C), order=(1, 0))
        block = tl.load(source, boundary_check=(0, 1))
        target = tl.make_block_ptr(out, (rows, columns), (so, co), (r, c), (R, C), order=(1, 0))
        tl.store(target, block, boundary_check=(0, 1))


# check: --grid 2 --num-warps 1 x=arange:i32[200] out=randint(0,9):i32[400] n=100 by=0 s=2 t=4 -D N=64
# check: --grid 2 --num-warps 1 x=arange:i32[200] out=randint(0,9):i32[400] n=99 by=64 s=-2 t=-4 -D N=64
@triton.jit
def in_place(x, out, n, by, s, t, N: tl.constexpr):
    lane = tl.arange(0, N)
    if s < 0:
        x += 2 * (n - 1)
        out += 4 * (n - 1)
    for k in range(tl.program_id(0), tl.program_id(0) + 1):
        begin = (k * 64).to(tl.int64)
        pointers = x + begin * s + lane.to(tl.int64) * s
        seen = tl.load(pointers, mask=begin + lane < n, other=7)
        tl.store(pointers, seen + by, mask=begin + lane < n)
        tl.store(out + begin * t + lane.to(tl.int64) * t, seen, mask=begin + lane < n)


# check: --grid 1 --num-warps 1 a=arange:i32[9] q=empty:i32[9] r=empty:i32[9] n=9 least=-2147483648 by=-1
# check: --grid 1 --num-warps 1 a=arange:i32[9] q=empty:i32[9] r=empty:i32[9] n=9 least=-4 by=-1
# check: --grid 1 --num-warps 1 a=arange:i32[9] q=empty:i32[9] r=empty:i32[9] n=9 least=-4 by=3
# check: --grid 1 --num-warps 1 a=arange:i32[9] q=empty:i32[9] r=empty:i32[9] n=9 least=-2147483648 by=-2147483648
# check: --grid 1 --num-warps 1 a=arange:i32[9] q=empty:i32[9] r=empty:i32[9] n=9 least=-2147483648 by=2
@triton.jit
def divided_in_loop(a, q, r, n, least, by):
    for i in range(n):
        x = tl.load(a + i) + least
        tl.store(q + i, x // by)
        tl.store(r + i, x % by)
