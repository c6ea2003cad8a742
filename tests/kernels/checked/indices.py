"""Reductions of elements with their indices: ties, ragged ends, and functions that look at what an index is."""
import triton
import triton.language as tl


@triton.jit
def first_larger(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def last_smaller(a, i, b, j):
    return tl.minimum(a, b), tl.where(a == b, tl.maximum(i, j), tl.where(a < b, i, j))


@triton.jit
def scattered(a, i, b, j):
    """Depends on the indices themselves, not only on their order."""
    place, other = i * 241 % 1021, j * 241 % 1021
    first = (place > other) | ((place == other) & ((a > b) | ((a == b) & (i < j))))
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def far_first(a, i, b, j):
    """The chosen element depends on what the thread's own number adds to its indices."""
    far, other = a + i * 37 % 1009, b + j * 37 % 1009
    first = (far > other) | ((far == other) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


# check: --grid 3 --num-warps 1 -D N=64 x=rand:i8[3,64] out=empty:i32[3,6] n=64
# check: --grid 3 -D N=1024 x=rand:i8[3,1000] out=empty:i32[3,6] n=1000
# check: --grid 2 --num-warps 8 -D N=4096 x=rand:i8[2,4000] out=empty:i32[2,6] n=4000
# check: --grid 2 --num-warps 16 -D N=8192 x=rand:i8[2,8192] out=empty:i32[2,6] n=8192
# check: --grid 2 --num-warps 32 -D N=4096 x=rand:i8[2,4095] out=empty:i32[2,6] n=4095
# check: --grid 2 --num-warps 16 -D N=16 x=rand:i8[2,1] out=empty:i32[2,6] n=1
@triton.jit
def of_rows(x, out, n, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    v = tl.load(x + row * n + i, mask=i < n, other=-128)
    to = out + row * 6
    tl.store(to, tl.argmax(v, 0))
    tl.store(to + 1, tl.argmin(v, 0))
    tl.store(to + 2, tl.reduce((v, i), 0, last_smaller)[1])
    tl.store(to + 3, tl.reduce((v & 1, i), 0, scattered)[1])
    tl.store(to + 4, tl.reduce(((v & 1).to(tl.int32), i), 0, far_first)[1])
    tl.store(to + 5, tl.reduce((v, i + n), 0, first_larger)[1])


# check: --grid 2 -D M=32 -D N=64 x=rand:i8[64,50] rows=empty:i32[64] columns=empty:i32[2,64] n=50
# check: --grid 1 --num-warps 8 -D M=64 -D N=128 x=rand:i8[64,128] rows=empty:i32[64] columns=empty:i32[1,128] n=128
@triton.jit
def of_tiles(x, rows, columns, n, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    v = tl.load(x + i[:, None] * n + j[None, :], mask=j[None, :] < n, other=0)
    tl.store(rows + i, tl.argmax(v, 1))
    tl.store(columns + tl.program_id(0) * N + j, tl.argmin(v, 0))


# check: --grid 4 -D N=2048 x=randn:fp16[4,2000] values=empty:fp16[4] indices=empty:i64[4] n=2000
# check: --grid 4 --num-warps 16 -D N=8192 x=randn:bf16[4,8192] values=empty:bf16[4] indices=empty:i64[4] n=8192
# check: --grid 4 --num-warps 8 -D N=1024 x=randn:fp32[4,1024] values=empty:fp32[4] indices=empty:i64[4] n=1024
@triton.jit
def of_floats(x, values, indices, n, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    v = tl.load(x + row * n + i, mask=i < n, other=float("-inf"))
    value, index = tl.max(v, 0, return_indices=True)
    tl.store(values + row, value)
    tl.store(indices + row, index)


# check: --grid 3 --num-warps 32 -D N=4096 x=rand:i8[3,4000] i=empty:i32[3] s=empty:i32[3] n=4000
# check: --grid 3 --num-warps 16 -D N=4096 x=rand:i8[3,4000] i=empty:i32[3] s=empty:i32[3] n=4000
# check: --grid 3 --num-warps 32 -D N=16 x=rand:i8[3,10] i=empty:i32[3] s=empty:i32[3] n=10
@triton.jit
def of_single_rows(x, i, s, n, N: tl.constexpr):
    row, c = tl.program_id(0) + tl.arange(0, 1), tl.arange(0, N)
    v = tl.load(x + row[:, None] * n + c[None, :], mask=c[None, :] < n, other=-128)
    tl.store(i + row, tl.argmax(v, 1))
    tl.store(s + row, tl.sum(v.to(tl.int32), 1))
