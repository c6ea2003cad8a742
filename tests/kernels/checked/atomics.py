# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics of tiles in vectors, relaxed after one fence; and code that publishes by them: a lock, a counter, flags."""
import triton
import triton.language as tl


# Liger-Kernel's form: rows that meet at one index; the mask is one for a row's neighbours, the table's width is known.
# check: --grid 3,2 --num-warps 1 grad=randn:bf16[40,64] out=zeros:bf16[8,64] index=randint(0,8):i64[40] n=40 -D D=64 -D BM=16 -D BN=32
# check: --grid 3,2 --num-warps 1 grad=randn:fp16[40,64] out=zeros:fp16[8,64] index=randint(0,8):i64[40] n=40 -D D=64 -D BM=16 -D BN=32
# check: --grid 3,2 --num-warps 2 grad=randn:fp32[40,64] out=zeros:fp32[8,64] index=randint(0,8):i64[40] n=40 -D D=64 -D BM=16 -D BN=32
# check: --grid 3,2 --num-warps 1 grad=randn:bf16[40,36] out=zeros:bf16[8,36] index=randint(0,8):i64[40] n=40 -D D=36 -D BM=16 -D BN=32
# check: --grid 3,2 --num-warps 1 grad=randn:fp32[40,35] out=zeros:fp32[8,35] index=randint(0,8):i64[40] n=40 -D D=35 -D BM=16 -D BN=32
@triton.jit
def embedding_backward(grad, out, index, n, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.program_id(1) * BN + tl.arange(0, BN)
    row = tl.load(index + m, mask=m < n, other=0)
    mask = (m < n)[:, None] & (d < D)[None, :]
    g = tl.load(grad + m[:, None] * D + d[None, :], mask=mask, other=0.0)
    tl.atomic_add(out + row[:, None] * D + d[None, :], g, mask=mask)


# An address that is not a multiple of a vector's bytes: one element at a time, or two.
# check: --grid 2 --num-warps 1 x=randn:bf16[600] out=zeros:bf16[610] n=500 first=1
# check: --grid 2 --num-warps 1 x=randn:bf16[600] out=zeros:bf16[610] n=500 first=16
# check: --grid 2 --num-warps 1 x=randn:fp32[600] out=zeros:fp32[610]+8 n=500 first=16
@triton.jit
def adds_from(x, out, n, first):
    i = tl.arange(0, 512)
    tl.atomic_add(out + first + i, tl.load(x + i, mask=i < n, other=0.0) + 1.0, mask=i < n)


# Vectors of one program and single elements of another at the same addresses.
# check: --grid 2 --num-warps 1 x=randn:fp32[256] out=zeros:fp32[264]
# check: --grid 2 --num-warps 1 x=randn:fp16[256] out=zeros:fp16[264]
# check: --grid 2 --num-warps 1 x=randn:bf16[256] out=zeros:bf16[264]
@triton.jit
def vectors_and_elements(x, out):
    i = tl.arange(0, 256)
    v = tl.load(x + i)
    if tl.program_id(0) == 0:
        tl.atomic_add(out + i, v)
    else:
        tl.atomic_add(out + 3 + i, v)


# Every order that a tile's atomics may have.
# check: --grid 3 --num-warps 1 x=randn:fp32[256] a=zeros:fp32[256] b=zeros:fp32[256] c=zeros:fp32[256]
@triton.jit
def orders(x, a, b, c):
    i = tl.arange(0, 256)
    v = tl.load(x + i)
    tl.atomic_add(a + i, v, sem="relaxed")
    tl.atomic_add(b + i, v, sem="release", scope="sys")
    tl.atomic_add(c + i, v, sem="acquire")


# A lock: who has it adds to the same row plainly.
# check: --grid 6 --num-warps 2 x=randn:fp32[6,256] out=zeros:fp32[256] lock=zeros:i32[1]
@triton.jit
def locked_sum(x, out, lock):
    i = tl.arange(0, 256)
    v = tl.load(x + tl.program_id(0) * 256 + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + i, tl.load(out + i) + v)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


# A counter: the last program waits until all others have counted themselves, and sums what they have stored.
# check: --grid 5 --num-warps 2 x=randn:fp32[5,256] part=empty:fp32[4] out=empty:fp32[1] count=zeros:i32[1]
@triton.jit
def last_sums(x, part, out, count):
    pid = tl.program_id(0)
    s = tl.sum(tl.load(x + pid * 256 + tl.arange(0, 256)))
    if pid < 4:
        tl.store(part + pid, s)
        tl.debug_barrier()
        tl.atomic_add(count, 1)
    else:
        while tl.atomic_add(count, 0) != 4:
            pass
        tl.store(out, s + tl.sum(tl.load(part + tl.arange(0, 4))))


# Flags that a tile's atomics raise, after what they publish was stored: one fence speaks for all of them, and each
# element of a vector for itself.
# check: --grid 2 --num-warps 1 x=randn:fp32[256] data=empty:fp32[256] flags=zeros:fp32[256] out=empty:fp32[256] which=0
# check: --grid 2 --num-warps 1 x=randn:fp32[256] data=empty:fp32[256] flags=zeros:fp32[256] out=empty:fp32[256] which=7
# check: --grid 2 --num-warps 4 x=randn:bf16[2048] data=empty:bf16[2048] flags=zeros:bf16[2048] out=empty:bf16[2048] which=1027 -D N=2048
@triton.jit
def flags_of_a_tile(x, data, flags, out, which, N: tl.constexpr = 256):
    i = tl.arange(0, N)
    if tl.program_id(0) == 0:
        tl.store(data + i, tl.load(x + i))
        tl.debug_barrier()
        tl.atomic_add(flags + i, tl.full((N,), 1.0, flags.dtype.element_ty))
    else:
        while tl.atomic_add(flags + which, 0.0) == 0.0:
            pass
        tl.store(out + i, tl.load(data + i))


# A release of one thread covers what the whole program stored: no debug_barrier. The last program sums.
# check: --grid 5 --num-warps 4 x=randn:fp32[5,512] part=empty:fp32[4,512] out=empty:fp32[512] count=zeros:i32[1]
# check: --grid 3 --num-warps 8 x=randn:fp32[3,512] part=empty:fp32[2,512] out=empty:fp32[512] count=zeros:i32[1]
@triton.jit
def last_reduces(x, part, out, count):
    pid = tl.program_id(0)
    others = tl.num_programs(0) - 1
    i = tl.arange(0, 512)
    v = tl.load(x + pid * 512 + i)
    if pid < others:
        tl.store(part + pid * 512 + i, v)
        tl.atomic_add(count, 1)
    else:
        while tl.atomic_add(count, 0) != others:
            pass
        for k in range(others):
            v += tl.load(part + k * 512 + i)
        tl.store(out + i, v)


# The same of a lock, without debug_barrier.
# check: --grid 6 --num-warps 4 x=randn:fp32[6,512] out=zeros:fp32[512] lock=zeros:i32[1]
@triton.jit
def locked_sum_plainly(x, out, lock):
    i = tl.arange(0, 512)
    v = tl.load(x + tl.program_id(0) * 512 + i)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + i, tl.load(out + i) + v)
    tl.atomic_xchg(lock, 0)


# The programs take turns. A release covers the reads too: the next program writes what this one read.
# check: --grid 4 --num-warps 4 x=randn:fp32[512] out=empty:fp32[4,512] turn=zeros:i32[1]
@triton.jit
def read_before_release(x, out, turn):
    pid = tl.program_id(0)
    i = tl.arange(0, 512)
    while tl.atomic_cas(turn, pid, pid, sem="acquire") != pid:
        pass
    if pid % 2 == 0:
        v = tl.load(x + i)
    else:
        v = tl.zeros((512,), tl.float32)
        tl.store(x + i, v + pid)
    tl.atomic_xchg(turn, pid + 1, sem="release")
    tl.store(out + pid * 512 + i, v)


# A tile that a descriptor stores, by TMA or not.
# check: --grid 5 --num-warps 4 x=randn:fp32[320,64] out=empty:fp32[256,64] sums=empty:fp32[64] count=zeros:i32[1]
@triton.jit
def tile_before_release(x, out, sums, count):
    pid = tl.program_id(0)
    here = tl.make_tensor_descriptor(x, shape=[320, 64], strides=[64, 1], block_shape=[64, 64])
    there = tl.make_tensor_descriptor(out, shape=[256, 64], strides=[64, 1], block_shape=[64, 64])
    tile = here.load([pid * 64, 0])
    if pid < 4:
        there.store([pid * 64, 0], tile * 2)
        tl.atomic_add(count, 1)
    else:
        while tl.atomic_add(count, 0) != 4:
            pass
        i = tl.arange(0, 64)
        s = tl.sum(tile, axis=0)
        for k in range(256):
            s += tl.load(out + k * 64 + i)
        tl.store(sums + i, s)
