# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overlapped loops: the second dot takes values computed from the first, and runs under the next iteration's first
dot. No iteration, one, and more than there are slots; keys that end within a tile; two loops in a row; slots by
cp.async and by TMA copies. `warp_specialize` requests it where few sums or several warpgroups would prevent it."""
import triton
import triton.language as tl


# check: --grid 1 --num-stages 2 -D D=32 -D BLOCK=32 q=randn:fp16[64,32] k=randn:fp16[1,32] v=randn:fp16[1,32] out=empty:fp32[64,32] T=0
# check: --grid 1 --num-stages 2 -D D=32 -D BLOCK=32 q=randn:fp16[64,32] k=randn:fp16[32,32] v=randn:fp16[32,32] out=empty:fp32[64,32] T=32
# check: --grid 1 --num-stages 2 -D D=32 -D BLOCK=32 q=randn:fp16[64,32] k=randn:fp16[33,32] v=randn:fp16[33,32] out=empty:fp32[64,32] T=33
# check: --grid 1 --num-stages 2 -D D=32 -D BLOCK=32 q=randn:fp16[64,32] k=randn:fp16[90,32] v=randn:fp16[90,32] out=empty:fp32[64,32] T=90
# check: --grid 1 --num-stages 3 -D D=64 -D BLOCK=32 q=randn:fp16[64,64] k=randn:fp16[161,64] v=randn:fp16[161,64] out=empty:fp32[64,64] T=161
# check: --grid 1 --num-stages 4 -D D=32 -D BLOCK=32 q=randn:fp16[64,32] k=randn:fp16[20,32] v=randn:fp16[20,32] out=empty:fp32[64,32] T=20
# check: --grid 1 --num-stages 4 -D D=32 -D BLOCK=32 q=randn:bf16[64,32] k=randn:bf16[250,32] v=randn:bf16[250,32] out=empty:fp32[64,32] T=250
# check: --grid 2 --num-warps 8 --num-stages 2 -D D=64 -D BLOCK=64 q=randn:fp16[256,64] k=randn:fp16[150,64] v=randn:fp16[150,64] out=empty:fp32[256,64] T=150 -D ROWS=128
@triton.jit
def ragged(q, k, v, out, T, D: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr = 64):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    d = tl.arange(0, D)
    Q = tl.load(q + rows[:, None] * D + d[None, :])
    acc = tl.zeros((ROWS, D), tl.float32)
    total = tl.zeros((ROWS,), tl.float32) + 1.0
    top = tl.zeros((ROWS,), tl.float32) - 1000.0
    for start in tl.range(0, T, BLOCK, warp_specialize=True):
        cols = start + tl.arange(0, BLOCK)
        inside = cols < T
        s = tl.dot(Q, tl.load(k + cols[None, :] * D + d[:, None], mask=inside[None, :], other=0.0)) * 0.25
        s = tl.where(inside[None, :], s, -1.0e6)
        new_top = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        total = total * shrink + tl.sum(p, 1)
        V = tl.load(v + cols[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(p.to(V.dtype), V, acc * shrink[:, None])
        top = new_top
    tl.store(out + rows[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def blocks(acc, total, top, Q, k, v, first, last, rows, D: tl.constexpr, BLOCK: tl.constexpr, CAUSAL: tl.constexpr):
    d = tl.arange(0, D)
    k += (first + tl.arange(0, BLOCK))[None, :] * D + d[:, None]
    v += (first + tl.arange(0, BLOCK))[:, None] * D + d[None, :]
    for start in tl.range(first, last, BLOCK, warp_specialize=True):
        s = tl.dot(Q, tl.load(k))
        if CAUSAL:
            s += tl.where(rows[:, None] >= start + tl.arange(0, BLOCK)[None, :], 0.0, -1.0e6)
        new_top = tl.maximum(top, tl.max(s, 1) * 0.25)
        p = tl.exp2(s * 0.25 - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        acc = tl.dot(p.to(tl.float16), tl.load(v), acc * shrink[:, None])
        total = total * shrink + tl.sum(p, 1)
        top = new_top
        k += BLOCK * D
        v += BLOCK * D
    return acc, total, top


# Whole blocks, then those on the diagonal; the first program has none of the former. Pointers are carried.
# check: --grid 3 --num-stages 2 -D D=32 -D BLOCK=32 q=randn:fp16[192,32] k=randn:fp16[192,32] v=randn:fp16[192,32] out=empty:fp16[192,32] sums=empty:fp32[192]
# check: --grid 2 --num-stages 3 -D D=64 -D BLOCK=64 q=randn:fp16[128,64] k=randn:fp16[128,64] v=randn:fp16[128,64] out=empty:fp16[128,64] sums=empty:fp32[128]
@triton.jit
def causal(q, k, v, out, sums, D: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0) * 64
    rows = first + tl.arange(0, 64)
    d = tl.arange(0, D)
    Q = tl.load(q + rows[:, None] * D + d[None, :])
    acc = tl.zeros((64, D), tl.float32)
    total = tl.zeros((64,), tl.float32)
    top = tl.zeros((64,), tl.float32) - float("inf")
    acc, total, top = blocks(acc, total, top, Q, k, v, 0, first, rows, D, BLOCK, False)
    acc, total, top = blocks(acc, total, top, Q, k, v, first, first + 64, rows, D, BLOCK, True)
    tl.store(out + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))
    tl.store(sums + rows, top + tl.log2(total))


# Two loops in a row that become one: the second one's scores are masked, and scaled at another place. The first program has no
# iteration of the first loop; where T is less than its rows' end the second loop has fewer, or none.
# check: --grid 3 --num-stages 2 -D D=32 -D BLOCK=32 q=randn:fp16[192,32] k=randn:fp16[192,32] v=randn:fp16[192,32] out=empty:fp16[192,32] sums=empty:fp32[192] T=192
# check: --grid 3 --num-stages 3 -D D=32 -D BLOCK=32 q=randn:fp16[192,32] k=randn:fp16[192,32] v=randn:fp16[192,32] out=empty:fp16[192,32] sums=empty:fp32[192] T=96
# check: --grid 2 --num-warps 8 --num-stages 2 -D D=64 -D BLOCK=64 -D ROWS=128 q=randn:fp16[256,64] k=randn:fp16[256,64] v=randn:fp16[256,64] out=empty:fp16[256,64] sums=empty:fp32[256] T=256
# check: --grid 2 --num-stages 2 -D D=32 -D BLOCK=32 -D APART=True q=randn:fp16[128,32] k=randn:fp16[128,32] v=randn:fp16[128,32] out=empty:fp16[128,32] sums=empty:fp32[128] T=128
# check: --grid 3 --num-stages 2 -D D=32 -D BLOCK=32 -D BACK=32 q=randn:fp16[192,32] k=randn:fp16[192,32] v=randn:fp16[192,32] out=empty:fp16[192,32] sums=empty:fp32[192] T=192
# check: --grid 3 --num-stages 2 -D D=32 -D BLOCK=32 -D SHIFT=8 q=randn:fp16[192,32] k=randn:fp16[200,32] v=randn:fp16[200,32] out=empty:fp16[192,32] sums=empty:fp32[192] T=160
# check: --grid 3 --num-stages 2 -D D=32 -D BLOCK=32 -D JUMP=32 q=randn:fp16[192,32] k=randn:fp16[224,32] v=randn:fp16[224,32] out=empty:fp16[192,32] sums=empty:fp32[192] T=192
@triton.jit
def joined(q, k, v, out, sums, T, D: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr = 64, APART: tl.constexpr = False,
           BACK: tl.constexpr = 0, SHIFT: tl.constexpr = 0, JUMP: tl.constexpr = 0):
    first = tl.program_id(0) * ROWS
    rows = first + tl.arange(0, ROWS)
    d = tl.arange(0, D)
    Q = tl.load(q + rows[:, None] * D + d[None, :])
    acc = tl.zeros((ROWS, D), tl.float32)
    total = tl.zeros((ROWS,), tl.float32) + 1.0
    top = tl.zeros((ROWS,), tl.float32) - 100.0
    at = 0
    for start in tl.range(BACK, first + SHIFT, BLOCK, warp_specialize=True):
        cols = at + tl.arange(0, BLOCK) if BACK == 0 else start + tl.arange(0, BLOCK)
        s = tl.dot(Q, tl.load(k + cols[None, :] * D + d[:, None]))
        new_top = tl.maximum(top, tl.max(s, 1) * 0.25)
        p = tl.exp2(s * 0.25 - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        acc = tl.dot(p.to(tl.float16), tl.load(v + cols[:, None] * D + d[None, :]), acc * shrink[:, None])
        total = total * shrink + tl.sum(p, 1)
        top = new_top
        if BACK == 0:
            at += BLOCK
    if BACK == 0:
        at = first + SHIFT + JUMP
    if APART:
        total += 0.5
    for start in tl.range(first + SHIFT, min(first + ROWS, T), BLOCK, warp_specialize=True):
        cols = at + tl.arange(0, BLOCK) if BACK == 0 else start + tl.arange(0, BLOCK)
        s = tl.dot(Q, tl.load(k + cols[None, :] * D + d[:, None])) * 0.25
        s += tl.where(rows[:, None] >= cols[None, :], 0.0, -1.0e6)
        new_top = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        acc = tl.dot(p.to(tl.float16), tl.load(v + cols[:, None] * D + d[None, :]), acc * shrink[:, None])
        total = total * shrink + tl.sum(p, 1)
        top = new_top
        if BACK == 0:
            at += BLOCK
    tl.store(out + rows[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))
    tl.store(sums + rows, top + tl.log2(total))


# TMA copies, upwards and downwards; a branch between the dots; slots that begin again in an outer loop.
# check: --grid 1 --num-stages 2 -D ROUNDS=1 q=randn:fp16[64,64] k=randn:fp16[128,64] v=randn:fp16[128,64] out=empty:fp32[64,64] T=0
# check: --grid 1 --num-stages 2 -D ROUNDS=1 q=randn:fp16[64,64] k=randn:fp16[128,64] v=randn:fp16[128,64] out=empty:fp32[64,64] T=32
# check: --grid 1 --num-stages 3 -D ROUNDS=1 q=randn:fp16[64,64] k=randn:fp16[128,64] v=randn:fp16[128,64] out=empty:fp32[64,64] T=64
# check: --grid 1 --num-stages 3 -D ROUNDS=3 q=randn:fp16[64,64] k=randn:fp16[128,64] v=randn:fp16[128,64] out=empty:fp32[64,64] T=120
# check: --grid 1 --num-stages 4 -D ROUNDS=2 q=randn:fp16[64,64] k=randn:fp16[256,64] v=randn:fp16[256,64] out=empty:fp32[64,64] T=250
# check: --grid 1 --num-stages 2 -D ROUNDS=1 -D DOWN=True q=randn:fp16[64,64] k=randn:fp16[256,64] v=randn:fp16[256,64] out=empty:fp32[64,64] T=250
# check: --grid 1 --num-stages 3 -D ROUNDS=2 -D DOWN=True q=randn:fp16[64,64] k=randn:fp16[256,64] v=randn:fp16[256,64] out=empty:fp32[64,64] T=30
@triton.jit
def descriptors(q, k, v, out, T, ROUNDS: tl.constexpr, DOWN: tl.constexpr = False):
    kd = tl.make_tensor_descriptor(k, shape=[T, 64], strides=[64, 1], block_shape=[32, 64])
    vd = tl.make_tensor_descriptor(v, shape=[T, 64], strides=[64, 1], block_shape=[32, 64])
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    Q = tl.load(q + i)
    acc = tl.zeros((64, 64), tl.float32)
    for r in range(ROUNDS):
        total = tl.zeros((64,), tl.float32) + 1.0
        for n in tl.range((T + 31) // 32 * 32 - 32 if DOWN else 0, -1 if DOWN else T, -32 if DOWN else 32, warp_specialize=True):
            s = tl.dot(Q, kd.load([n, 0]).T) * 0.125
            if n >= 64:
                s = s * 0.5 + tl.where(tl.arange(0, 32)[None, :] + n < T, 0.0, -1.0e6)
            p = tl.exp2(s)
            total = total * 0.75 + tl.sum(p, 1)
            acc = tl.dot(p.to(tl.float16), vd.load([n, 0]), acc * 0.75)
        acc = acc / total[:, None]
    tl.store(out + i, acc)


# The second dot's operand is not summed, and is loop-carried too; the index is used after both dots.
# check: --grid 1 --num-stages 2 a=randn:fp16[64,32] b=randn:fp16[192,32] c=randn:fp16[192,32] out=empty:fp32[64,32] last=empty:fp32[64,32] seen=empty:i32[1] T=160
# check: --grid 1 --num-stages 3 a=randn:fp16[64,32] b=randn:fp16[192,32] c=randn:fp16[192,32] out=empty:fp32[64,32] last=empty:fp32[64,32] seen=empty:i32[1] T=32
@triton.jit
def carried(a, b, c, out, last, seen, T):
    i = tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :]
    j = tl.arange(0, 32)
    A = tl.load(a + i)
    acc = tl.zeros((64, 32), tl.float32)
    before = tl.zeros((64, 32), tl.float32)
    where = -1
    for n in tl.range(0, T, 32, warp_specialize=True):
        s = tl.dot(A, tl.load(b + (n + j)[None, :] * 32 + j[:, None])) * 0.125
        p = tl.maximum(s, 0.0) + before * 0.5
        acc = tl.dot(p.to(tl.float16), tl.load(c + (n + j)[:, None] * 32 + j[None, :]), acc) + (n + where) * 0.001
        before = p
        where = n
    tl.store(out + i, acc)
    tl.store(last + i, before)
    tl.store(seen, where)


# The first dot uses the second one's result: nothing is rotated.
# check: --grid 1 --num-stages 2 a=randn:fp16[64,32] b=randn:fp16[96,32] c=randn:fp16[96,32] out=empty:fp32[64,32] T=96
@triton.jit
def in_turn(a, b, c, out, T):
    i = tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :]
    j = tl.arange(0, 32)
    state = tl.load(a + i).to(tl.float32)
    for n in tl.range(0, T, 32, warp_specialize=True):
        s = tl.dot(state.to(tl.float16), tl.load(b + (n + j)[None, :] * 32 + j[:, None])) * 0.1
        state = tl.dot(s.to(tl.float16), tl.load(c + (n + j)[:, None] * 32 + j[None, :]), state) * 0.5
    tl.store(out + i, state)


# Maxima that grow by nothing, by less than what makes sums be rescaled, and by more, row by row; what is stored is not divided by the sum.
# check: --grid 1 --num-stages 2 -D D=32 -D BLOCK=32 q=randn:fp16[64,32] k=randn:fp16[160,32] v=randn:fp16[160,32] out=empty:fp32[64,32] tops=empty:fp32[128] T=0
# check: --grid 1 --num-stages 2 -D D=32 -D BLOCK=32 q=randn:fp16[64,32] k=randn:fp16[160,32] v=randn:fp16[160,32] out=empty:fp32[64,32] tops=empty:fp32[128] T=32
# check: --grid 1 --num-stages 2 -D D=32 -D BLOCK=32 q=randn:fp16[64,32] k=randn:fp16[160,32] v=randn:fp16[160,32] out=empty:fp32[64,32] tops=empty:fp32[128] T=160
# check: --grid 1 --num-stages 2 -D D=32 -D BLOCK=32 -D NATURAL=True q=randn:fp16[64,32] k=randn:fp16[160,32] v=randn:fp16[160,32] out=empty:fp32[64,32] tops=empty:fp32[128] T=160
# check: --grid 1 --num-warps 8 --num-stages 2 --tma=on --warp-specialize=on -D D=64 -D BLOCK=32 -D ROWS=128 q=randn:fp16[128,64] k=randn:fp16[160,64] v=randn:fp16[160,64] out=empty:fp32[128,64] tops=empty:fp32[256] T=160
# check: --grid 1 --num-warps 8 --num-stages 2 --tma=on --warp-specialize=on -D D=64 -D BLOCK=32 -D ROWS=128 q=randn:fp16[128,64] k=randn:fp16[160,64] v=randn:fp16[160,64] out=empty:fp32[128,64] tops=empty:fp32[256] T=32
# check: --grid 1 --num-warps 8 --num-stages 2 --tma=on --warp-specialize=on -D D=64 -D BLOCK=32 -D ROWS=128 q=randn:fp16[128,64] k=randn:fp16[160,64] v=randn:fp16[160,64] out=empty:fp32[128,64] tops=empty:fp32[256] T=0
@triton.jit
def growing(q, k, v, out, tops, T, D: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr = 64, NATURAL: tl.constexpr = False):
    rows = tl.arange(0, ROWS)
    d = tl.arange(0, D)
    Q = tl.load(q + rows[:, None] * D + d[None, :])
    growth = (rows // 16 % 2 * (rows % 3)) * 5.0 / BLOCK
    acc = tl.zeros((ROWS, D), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    top = tl.zeros((ROWS,), tl.float32) - float("inf")
    for start in tl.range(0, T, BLOCK, warp_specialize=True):
        cols = start + tl.arange(0, BLOCK)
        s = tl.dot(Q, tl.load(k + cols[None, :] * D + d[:, None])) * 0.125 + growth[:, None] * start
        new_top = tl.maximum(top, tl.max(s, 1))
        if NATURAL:
            p = tl.exp(s - new_top[:, None])
            shrink = tl.exp(top - new_top)
        else:
            p = tl.exp2(s - new_top[:, None])
            shrink = tl.exp2(top - new_top)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + cols[:, None] * D + d[None, :]), acc * shrink[:, None])
        top = new_top
    tl.store(out + rows[:, None] * D + d[None, :], acc)
    tl.store(tops + rows, top)
    tl.store(tops + ROWS + rows, total)
