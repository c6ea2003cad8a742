"""Control flow, pointers that travel, threads that talk to one another."""
import math

import triton
import triton.language as tl


# check: --grid 3 -D B=64 a=randn:fp32[200] b=randn:fp32[200] out=zeros:fp32[200] n=190 which=1
# check: --grid 3 -D B=64 a=randn:fp32[200] b=randn:fp32[200] out=zeros:fp32[200] n=190 which=0
@triton.jit
def pointers_chosen(a, b, out, n, which, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    p = tl.where(i % 3 == 0, a + i, b + i)
    if which == 1:
        q = a
    else:
        q = b
    x = tl.load(p, mask=i < n, other=0.0)
    for _ in range(0, 3):
        x += tl.load(q + i, mask=i < n, other=0.0)
        q, r = tl.where(which == 1, b, a), q
        x -= 0.5 * tl.load(r + i, mask=i < n, other=0.0)
    tl.store(out + i, x, mask=i < n)


# check: --grid 4 -D B=64 a=randn:fp32[256] out=zeros:fp32[256] n=130
@triton.jit
def returns_early(a, out, n, B: tl.constexpr):
    pid = tl.program_id(0)
    if pid * B >= n:
        return
    i = pid * B + tl.arange(0, B)
    x = tl.load(a + i, mask=i < n, other=0.0)
    s = tl.sum(x)
    if s > 0:
        tl.store(out + i, x, mask=i < n)
        return
    tl.store(out + i, -x, mask=i < n)


# check: --grid 5 -D B=32 x=randn:fp32[5,32] out=empty:fp32[5,32] steps=empty:i32[5]
@triton.jit
def until_it_converges(x, out, steps, B: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.abs(tl.load(x + p * B + i)) + 0.5
    r = tl.full([B], 1.0, tl.float32)
    n = 0
    worst = 1.0e9
    while (worst > 1.0e-2) & (n < 20):
        r = 0.5 * (r + v / r)
        worst = tl.max(tl.abs(r * r - v))
        n += 1
    tl.store(out + p * B + i, r)
    tl.store(steps + p, tl.minimum(n, 100))


# check: --grid 2 -D B=128 x=rand:i32[2,128] scratch=empty:i32[2,128] out=empty:i32[2,128]
# check: --grid 2 --num-warps 1 -D B=32 x=rand:i32[2,32] scratch=empty:i32[2,32] out=empty:i32[2,32]
@triton.jit
def through_global_memory(x, scratch, out, B: tl.constexpr):
    p = tl.program_id(0) * B
    i = tl.arange(0, B)
    v = tl.load(x + p + i)
    step = 1
    for _ in range(0, 5):
        tl.store(scratch + p + i, v)
        tl.debug_barrier()
        v += tl.load(scratch + p + (i ^ step))
        tl.debug_barrier()
        step *= 2
    tl.store(out + p + i, v)


# check: --grid 2 -D B=64 keys=arange:i32[128] table=zeros:i32[256] slot=empty:i32[128]
@triton.jit
def hash_insert(keys, table, slot, B: tl.constexpr):
    """Linear probing; keys are distinct, and so far apart that programs never meet."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    key = tl.load(keys + i) + 1
    h = i * 2
    old = tl.atomic_cas(table + h, tl.zeros_like(key), key)
    taken = (old != 0) & (old != key)
    h = tl.where(taken, h + 1, h)
    again = tl.atomic_cas(table + h, tl.zeros_like(key), key)
    tl.store(slot + i, tl.where(again == key, h, -1))


# check: --grid 3 -D B=64 x=rand:i32[192] lo=zeros:i32[1] hi=zeros:i32[1] bits=zeros:i32[1] any_odd=zeros:i32[3] all_even=zeros:i32[3] n=180
@triton.jit
def flags(x, lo, hi, bits, any_odd, all_even, n, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_min(lo, tl.min(v, 0))
    tl.atomic_max(hi, tl.max(v, 0))
    tl.atomic_or(bits + i * 0, v & 0xFF, mask=i < n)
    odd = (v & 1) == 1
    tl.store(any_odd + p, tl.max(odd.to(tl.int32), 0))
    even = tl.reduce((~odd).to(tl.int32), 0, _both)
    tl.store(all_even + p, even)


@triton.jit
def _both(a, b):
    return a & b


# check: --grid 2 -D R=16 -D C=32 x=rand:i8[2,16,32] mask=rand:i1[2,16,32] out=empty:i1[2,16,32] rows=empty:i1[2,16] count=empty:i32[2,32]
# check: --grid 2 --num-warps 8 -D R=64 -D C=8 x=rand:i8[2,64,8] mask=rand:i1[2,64,8] out=empty:i1[2,64,8] rows=empty:i1[2,64] count=empty:i32[2,8]
@triton.jit
def booleans(x, mask, out, rows, count, R: tl.constexpr, C: tl.constexpr):
    p = tl.program_id(0)
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    at = p * R * C + r[:, None] * C + c[None, :]
    v = tl.load(x + at)
    m = tl.load(mask + at)
    t = (v > 0) ^ m
    tl.store(out + at, tl.trans(tl.trans(t)) | tl.flip(m, 1))
    tl.store(rows + p * R + r, tl.reduce(t, 1, _either))
    tl.store(count + p * C + c, tl.sum(t.to(tl.int32), 0))


@triton.jit
def _either(a, b):
    return a | b


# check: --grid 2 -D N=128 x=randn:fp32[2,128] out=empty:fp32[2,128] index=empty:i32[2] kept=empty:i32[2]
# check: --grid 2 --num-warps 1 -D N=64 x=randn:fp16[2,64] out=empty:fp16[2,64] index=empty:i32[2] kept=empty:i32[2]
@triton.jit
def compact(x, out, index, kept, N: tl.constexpr):
    """The positive numbers first, in order; the others after them, in order."""
    p = tl.program_id(0)
    i = tl.arange(0, N)
    v = tl.load(x + p * N + i)
    keep = v > 0
    rank = tl.cumsum(keep.to(tl.int32), 0)
    total = tl.sum(keep.to(tl.int32), 0)
    rest = tl.cumsum((~keep).to(tl.int32), 0)
    to = tl.where(keep, rank - 1, total + rest - 1)
    tl.store(out + p * N + to, v)
    tl.store(index + p, tl.argmax(v, 0))
    tl.store(kept + p, total)


# check: --grid 2 -D M=16 -D N=32 x=randn:fp32[2,16,32] lo=empty:i32[2,16] hi=empty:i32[2,32] low=empty:fp32[2,16] high=empty:fp32[2,32]
# check: --grid 2 --num-warps 8 -D M=4 -D N=8 x=randn:fp16[2,4,8] lo=empty:i32[2,4] hi=empty:i32[2,8] low=empty:fp16[2,4] high=empty:fp16[2,8]
@triton.jit
def arg_both_ways(x, lo, hi, low, high, M: tl.constexpr, N: tl.constexpr):
    p = tl.program_id(0)
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    v = tl.load(x + p * M * N + m[:, None] * N + n[None, :])
    a, i = tl.min(v, 1, return_indices=True)
    b, j = tl.max(v, 0, return_indices=True)
    tl.store(lo + p * M + m, i)
    tl.store(low + p * M + m, a)
    tl.store(hi + p * N + n, j)
    tl.store(high + p * N + n, b)


# check: --grid 2 -D N=32 x=randn:fp32[2,32,32] out=empty:fp32[2,32,32] d=empty:fp32[2,32]
# check: --grid 1 --num-warps 8 -D N=64 x=randn:fp32[1,64,64] out=empty:fp32[1,64,64] d=empty:fp32[1,64]
@triton.jit
def gauss(x, out, d, N: tl.constexpr):
    """Elimination without pivots of a diagonally dominant matrix: a reduction and two broadcasts a step."""
    p = tl.program_id(0)
    i = tl.arange(0, N)
    at = p * N * N + i[:, None] * N + i[None, :]
    a = tl.load(x + at) + tl.where(i[:, None] == i[None, :], 3.0 * N, 0.0)
    for k in range(0, N):
        row = tl.sum(tl.where(i[:, None] == k, a, 0.0), 0)
        col = tl.sum(tl.where(i[None, :] == k, a, 0.0), 1)
        pivot = tl.sum(tl.where(i == k, row, 0.0))
        f = tl.where(i > k, col / pivot, 0.0)
        a -= f[:, None] * row[None, :]
    tl.store(out + at, a)
    tl.store(d + p * N + i, tl.sum(tl.where(i[:, None] == i[None, :], a, 0.0), 1))


# check: --grid 2 -D A=2 -D B=4 -D C=8 -D D=4 -D E=2 x=randn:fp32[2,2,4,8,4,2] y=empty:fp32[2,2,4,4,2] z=empty:fp32[2,2,4,8,4,2] w=empty:fp32[2,2,4,8]
@triton.jit
def five_dimensions(x, y, z, w, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr, E: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, A * B * C * D * E)
    v = tl.reshape(tl.load(x + p * A * B * C * D * E + i), (A, B, C, D, E))
    s = tl.sum(v, 2)
    tl.store(y + p * A * B * D * E + tl.arange(0, A * B * D * E), tl.reshape(s, (A * B * D * E,)))
    u = tl.cumsum(v, 2) + tl.permute(tl.permute(v, (4, 3, 2, 1, 0)), (4, 3, 2, 1, 0)) + s[:, :, None, :, :]
    tl.store(z + p * A * B * C * D * E + i, tl.reshape(u, (A * B * C * D * E,)))
    t = tl.max(tl.max(u, 4), 3)
    tl.store(w + p * A * B * C + tl.arange(0, A * B * C), tl.reshape(t, (A * B * C,)))


# check: --grid 2 -D N=64 x=randn:fp32[2,64] y=randn:fp32[2,64] out=empty:fp32[2,64] rounded=empty:i32[2,64] stamp=empty:i32[2]
@triton.jit
def elementwise_by_hand(x, y, out, rounded, stamp, N: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, N)
    a = tl.load(x + p * N + i)
    b = tl.load(y + p * N + i)
    s = a + b
    tl.store(out + p * N + i, tl.where(s > 0, tl.exp2(s), tl.sin(a) * tl.cos(b)))
    r = tl.floor(a * 100).to(tl.int32)
    tl.store(rounded + p * N + i, r)
    tl.store(stamp + p, tl.num_programs(0) * 10 + p)


@triton.constexpr_function
def wider(dtype, width):
    if dtype.is_fp16():
        return tl.float32
    return dtype if width > 3 else tl.int32


@tl.constexpr
def twice(n):
    return 2 * n


@triton.jit
def as_tile(x):
    return x + tl.zeros((1,), tl.int1)


@triton.jit
def larger_float(a, b):
    if as_tile(a).dtype.is_floating():
        return tl.where(a > b, a, b)
    else:
        raise TypeError("larger_float is for floats")


# Computed while compiling: functions of constexprs, Python's numbers, what a type is in a combining function.
# check: --grid 1 -D N=64 x=randn:fp16[128] out=empty:fp32[128]
# check: --grid 1 -D N=64 x=randn:fp32[128] out=empty:fp32[128]
@triton.jit
def compile_time(x, out, N: tl.constexpr, KIND: tl.constexpr = "scan"):
    i = tl.arange(0, twice(N))
    v = tl.load(x + i).to(wider(x.dtype.element_ty, N), fp_downcast_rounding=None)
    if KIND == "scan":
        v = tl.associative_scan(v, 0, larger_float)
    elif KIND == "sum":
        v += tl.sum(v)
    else:
        raise ValueError(f"no {KIND}")
    tl.store(out + i, v * math.pi + tl.where(v > 1, math.e, -math.inf))
