# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scan of so many terms that rounding each partial sum would drift off."""
import triton
import triton.language as tl


# check: --grid 1 --num-warps 4 --allow-uncompared 1 sums=empty:fp16[4096] below=empty:fp32[4096]
@triton.jit
def halves(sums, below):
    i = tl.arange(0, 4096)
    c = tl.cumsum(tl.full([4096], 1.5, tl.float16), axis=0)
    tl.store(sums + i, c)
    tl.store(below + i, (c < tl.max(c, axis=0)).to(tl.float32))


@triton.jit
def step(a, b, c, d):
    """x -> a * x + b, then x -> c * x + d: in this order."""
    return c * a, c * b + d


# check: --grid 1 --num-warps 4 -D N=4096 -D REVERSE=False x=randint(0,9):i32[4096] y=empty:i32[4096] sums=empty:i32[4096]
# check: --grid 1 --num-warps 4 -D N=4096 -D REVERSE=True x=randint(0,9):i32[4096] y=empty:i32[4096] sums=empty:i32[4096]
# check: --grid 1 --num-warps 32 -D N=8192 -D REVERSE=False x=randint(0,9):i32[8192] y=empty:i32[8192] sums=empty:i32[8192]
# check: --grid 1 --num-warps 16 -D N=16384 -D REVERSE=True x=randint(0,9):i32[16384] y=empty:i32[16384] sums=empty:i32[16384]
@triton.jit
def steps(x, y, sums, N: tl.constexpr, REVERSE: tl.constexpr):
    """Many warps' chunks: an order that matters, of two tiles; and sums."""
    i = tl.arange(0, N)
    v = tl.load(x + i)
    _, last = tl.associative_scan((v | 1, v), 0, step, reverse=REVERSE)
    tl.store(y + i, last)
    tl.store(sums + i, tl.cumsum(v, 0, reverse=REVERSE))


# check: --grid 1 --num-warps 8 -D N=8192 x=randn:fp32[5000] sums=empty:fp32[5000] most=empty:fp32[5000] n=5000
# check: --grid 1 --num-warps 2 -D N=4096 x=randn:fp64[4096] sums=empty:fp64[4096] most=empty:fp64[4096] n=4096
# check: --grid 1 --num-warps 16 -D N=16384 x=randn:bf16[1] sums=empty:bf16[1] most=empty:bf16[1] n=1
@triton.jit
def sums_and_most(x, sums, most, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(sums + i, tl.cumsum(v, 0), mask=i < n)
    tl.store(most + i, tl.associative_scan(v, 0, larger), mask=i < n)


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


# check: --grid 1 --num-warps 8 -D N=2048 x=rand:i8[2,2048] y=empty:i8[2,2048]
# check: --grid 1 --num-warps 32 -D N=8192 x=rand:i8[2,8192] y=empty:i8[2,8192]
@triton.jit
def two_lines(x, y, N: tl.constexpr):
    """Two lines: each thread adds up its own totals."""
    at = tl.arange(0, 2)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.cumsum(tl.load(x + at), 1))


# check: --grid 1 --num-warps 2 --maxnreg 64 -D N=4096 -D REVERSE=False x=randn:bf16[4000] sums=empty:bf16[4000] most=empty:fp32[4000] n=4000
# check: --grid 1 --num-warps 2 --maxnreg 64 -D N=4096 -D REVERSE=True x=randn:bf16[4096] sums=empty:bf16[4096] most=empty:fp32[4096] n=4096
# check: --grid 1 --num-warps 2 --maxnreg 64 -D N=4096 -D REVERSE=False x=randn:fp16[4096] sums=empty:fp16[4096] most=empty:fp32[4096] n=4096
@triton.jit
def of_halves(x, sums, most, n, N: tl.constexpr, REVERSE: tl.constexpr):
    """Narrow tiles, which wait for the other warps where what is scanned of them has no room."""
    i = tl.arange(0, N)
    v = tl.load(x + i, mask=i < n, other=0).to(tl.float32)
    tl.store(sums + i, tl.cumsum(v, 0, reverse=REVERSE), mask=i < n)
    tl.store(most + i, tl.associative_scan(v * 2, 0, larger, reverse=REVERSE), mask=i < n)
