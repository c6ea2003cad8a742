# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dots with operands from TMA copies: trip counts around the stages, ragged ends, loops that begin again."""
import triton
import triton.language as tl


# Rows and columns end within a box, and so does k; 1, stages - 1, stages, stages + 1 and 2 stages + 1 iterations.
# check: --grid 2,2 --num-stages 3 -D AT=False -D BT=False -D ACC=fp32 x=randn:fp16[88,32] y=randn:fp16[32,72] out=empty:fp32[88,72] M=88 N=72 K=32
# check: --grid 2,2 --num-stages 3 -D AT=False -D BT=True -D ACC=fp32 x=randn:bf16[88,56] y=randn:bf16[72,56] out=empty:fp32[88,72] M=88 N=72 K=56
# check: --grid 2,2 --num-stages 3 -D AT=True -D BT=False -D ACC=fp32 x=randn:fp16[96,88] y=randn:fp16[96,72] out=empty:fp32[88,72] M=88 N=72 K=96
# check: --grid 2,2 --num-stages 3 -D AT=True -D BT=True -D ACC=fp32 x=randn:bf16[120,88] y=randn:bf16[72,120] out=empty:fp32[88,72] M=88 N=72 K=120
# check: --grid 2,2 --num-stages 3 -D AT=False -D BT=False -D ACC=fp32 x=randn:fp16[88,216] y=randn:fp16[216,72] out=empty:fp32[88,72] M=88 N=72 K=216
# check: --grid 2,2 --num-stages 2 -D AT=False -D BT=True -D ACC=fp32 x=randn:fp16[88,160] y=randn:fp16[72,160] out=empty:fp32[88,72] M=88 N=72 K=160
# check: --grid 2,2 --num-stages 4 --num-warps 8 -D AT=False -D BT=False -D ACC=fp32 x=randn:fp16[88,288] y=randn:fp16[288,72] out=empty:fp32[88,72] M=88 N=72 K=288
# check: --grid 2,2 --num-stages 3 -D AT=False -D BT=True -D ACC=fp32 x=randn:fp32[88,100] y=randn:fp32[72,100] out=empty:fp32[88,72] M=88 N=72 K=100
# check: --grid 2,2 --num-stages 3 -D AT=False -D BT=True -D ACC=int32 x=randint(-9,9):i8[88,112] y=randint(-9,9):i8[72,112] out=empty:i32[88,72] M=88 N=72 K=112
# check: --grid 1,1 --num-stages 3 -D AT=False -D BT=False -D ACC=fp32 x=randn:fp16[64,40] y=randn:fp16[40,64] out=empty:fp32[64,64] M=64 N=64 K=0
# Strides that no map takes: the plain kernel.
# check: --grid 2,2 --num-stages 3 -D AT=False -D BT=False -D ACC=fp32 x=randn:fp16[88,99] y=randn:fp16[99,71] out=empty:fp32[88,71] M=88 N=71 K=99
@triton.jit
def product(x, y, out, M, N, K, AT: tl.constexpr, BT: tl.constexpr, ACC: tl.constexpr):
    xd = tl.make_tensor_descriptor(x, shape=[K, M] if AT else [M, K], strides=[M if AT else K, 1], block_shape=[32, 64] if AT else [64, 32])
    yd = tl.make_tensor_descriptor(y, shape=[N, K] if BT else [K, N], strides=[K if BT else N, 1], block_shape=[64, 32] if BT else [32, 64])
    m = tl.program_id(0) * 64
    n = tl.program_id(1) * 64
    acc = tl.zeros([64, 64], ACC)
    for k in range(0, K, 32):
        a = xd.load([k, m]).T if AT else xd.load([m, k])
        b = yd.load([n, k]).T if BT else yd.load([k, n])
        acc = tl.dot(a, b, acc, input_precision="tf32", out_dtype=ACC)
    i = m + tl.arange(0, 64)[:, None]
    j = n + tl.arange(0, 64)[None, :]
    tl.store(out + i * N + j, acc, mask=(i < M) & (j < N))


# Two loops in a loop: rings that begin again in memory of one another's.
# check: --grid 1 --num-stages 3 x=randn:fp16[190,80] y=randn:fp16[100,80] out=empty:fp32[64,64] M=190 N=100 K=80 ROUNDS=3
# check: --grid 1 --num-stages 2 x=randn:fp16[190,16] y=randn:fp16[100,16] out=empty:fp32[64,64] M=190 N=100 K=16 ROUNDS=4
# check: --grid 1 --num-stages 4 --num-warps 8 x=randn:fp16[190,48] y=randn:fp16[100,48] out=empty:fp32[64,64] M=190 N=100 K=48 ROUNDS=2
@triton.jit
def rounds(x, y, out, M, N, K, ROUNDS):
    xd = tl.make_tensor_descriptor(x, shape=[M, K], strides=[K, 1], block_shape=[64, 16])
    yd = tl.make_tensor_descriptor(y, shape=[N, K], strides=[K, 1], block_shape=[64, 16])
    sum = tl.zeros([64, 64], tl.float32)
    for r in range(ROUNDS):
        acc = tl.zeros([64, 64], tl.float32)
        for k in range(0, K, 16):
            acc = tl.dot(xd.load([r * 64, k]), yd.load([0, k]).T, acc)
        for k in range(0, K, 16):
            acc = tl.dot(xd.load([r * 64, k]), yd.load([64, k]).T, acc)
        sum += acc * (r + 1)
    i = tl.arange(0, 64)
    tl.store(out + i[:, None] * 64 + i[None, :], sum)


# A program takes several tiles: what it wrote of one is fenced from what it copies for the next, which may be the same.
# check: --grid 2 --num-stages 3 x=randn:fp16[152,112] y=randn:fp16[112,136] out=empty:fp16[152,136] M=152 N=136 K=112
# check: --grid 1 --num-stages 2 x=randn:fp16[152,40] y=randn:fp16[40,136] out=empty:fp16[152,136] M=152 N=136 K=40
# check: --grid 2 --num-stages 4 --num-warps 8 x=randn:fp16[152,160] y=randn:fp16[160,136] out=empty:fp16[152,136] M=152 N=136 K=160
# check: --grid 2 --num-stages 3 --restrict x=randn:fp16[152,112] y=randn:fp16[112,136] out=empty:fp16[152,136] M=152 N=136 K=112
@triton.jit
def tiles(x, y, out, M, N, K):
    xd = tl.make_tensor_descriptor(x, shape=[M, K], strides=[K, 1], block_shape=[64, 32])
    yd = tl.make_tensor_descriptor(y, shape=[K, N], strides=[N, 1], block_shape=[32, 64])
    od = tl.make_tensor_descriptor(out, shape=[M, N], strides=[N, 1], block_shape=[64, 64])
    across = tl.cdiv(N, 64)
    for tile in range(tl.program_id(0), tl.cdiv(M, 64) * across, tl.num_programs(0)):
        m = tile // across * 64
        n = tile % across * 64
        acc = tl.zeros([64, 64], tl.float32)
        for k in range(0, K, 32):
            acc = tl.dot(xd.load([m, k]), yd.load([k, n]), acc)
        od.store([m, n], acc.to(tl.float16))


# Each round multiplies what the one before wrote.
# check: --grid 1 --num-stages 3 x=randn:fp16[320,64] y=randn:fp16[64,64] ROUNDS=4
# check: --grid 1 --num-stages 2 --num-warps 8 x=randn:fp16[192,64] y=randn:fp16[64,64] ROUNDS=2
@triton.jit
def powers(x, y, ROUNDS):
    xd = tl.make_tensor_descriptor(x, shape=[(ROUNDS + 1) * 64, 64], strides=[64, 1], block_shape=[64, 16])
    yd = tl.make_tensor_descriptor(y, shape=[64, 64], strides=[64, 1], block_shape=[16, 64])
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    for r in range(ROUNDS):
        acc = tl.zeros([64, 64], tl.float32)
        for k in range(0, 64, 16):
            acc = tl.dot(xd.load([r * 64, k]), yd.load([k, 0]), acc)
        tl.debug_barrier()
        tl.store(x + (r + 1) * 4096 + i, (acc * 0.1).to(tl.float16))
        tl.debug_barrier()


# Block pointers that the loop advances; the second operand's first dimension is the one of stride 1.
# check: --grid 2 --num-stages 3 x=randn:bf16[100,160] y=randn:bf16[60,160] out=zeros:fp32[100,64] M=100 N=60 K=90 SX=160 SY=160
# check: --grid 2 --num-stages 2 x=randn:bf16[100,48] y=randn:bf16[60,64] out=zeros:fp32[100,64] M=100 N=60 K=17 SX=48 SY=64
@triton.jit
def blocks(x, y, out, M, N, K, SX, SY):
    m = tl.program_id(0) * 64
    xb = tl.make_block_ptr(x, shape=(M, K), strides=(SX, 1), offsets=(m, 0), block_shape=(64, 32), order=(1, 0))
    yb = tl.make_block_ptr(y, shape=(K, N), strides=(1, SY), offsets=(0, 0), block_shape=(32, 64), order=(0, 1))
    acc = tl.zeros([64, 64], tl.float32)
    for _ in range(0, K, 32):
        acc += tl.dot(tl.load(xb, boundary_check=(0, 1), padding_option="zero"), tl.load(yb, boundary_check=(0, 1), padding_option="zero"))
        xb = tl.advance(xb, (0, 32))
        yb = tl.advance(yb, (32, 0))
    ob = tl.make_block_ptr(out, shape=(M, N), strides=(64, 1), offsets=(m, 0), block_shape=(64, 64), order=(1, 0))
    tl.store(ob, acc, boundary_check=(0, 1))


# One operand comes by a TMA copy, the other by cp.async, or scaled through registers.
# check: --grid 2 --num-stages 3 x=randn:bf16[88,144] y=randn:bf16[144,64] s=randn:fp32[5] out=empty:fp32[88,64] M=88 K=144
# check: --grid 2 --num-stages 4 x=randn:bf16[88,40] y=randn:bf16[40,64] s=randn:fp32[2] out=empty:fp32[88,64] M=88 K=40
@triton.jit
def beside(x, y, s, out, M, K):
    xd = tl.make_tensor_descriptor(x, shape=[M, K], strides=[K, 1], block_shape=[64, 32])
    m = tl.program_id(0) * 64
    j = tl.arange(0, 64)
    acc = tl.zeros([64, 64], tl.float32)
    scaled = tl.zeros([64, 64], tl.float32)
    for k in range(0, K, 32):
        kk = k + tl.arange(0, 32)
        b = tl.load(y + kk[:, None] * 64 + j[None, :], mask=kk[:, None] < K, other=0.0)
        acc = tl.dot(xd.load([m, k]), b, acc)
    for k in range(0, K, 32):
        kk = k + tl.arange(0, 32)
        b = tl.load(y + kk[:, None] * 64 + j[None, :], mask=kk[:, None] < K, other=0.0)
        scaled = tl.dot(xd.load([m, k]), (b * tl.load(s + k // 32)).to(b.dtype), scaled)
    i = m + tl.arange(0, 64)
    tl.store(out + i[:, None] * 64 + j[None, :], acc + scaled, mask=i[:, None] < M)


# Keys and values of one loop, where both dots wait; the loop downwards begins outside of the tensor.
# check: --grid 3 --num-stages 3 q=randn:fp16[144,64] k=randn:fp16[144,64] v=randn:fp16[144,64] out=empty:fp32[144,64] T=144
# check: --grid 1 --num-stages 2 q=randn:fp16[40,64] k=randn:fp16[40,64] v=randn:fp16[40,64] out=empty:fp32[40,64] T=40
@triton.jit
def chained(q, k, v, out, T):
    qd = tl.make_tensor_descriptor(q, shape=[T, 64], strides=[64, 1], block_shape=[64, 64])
    kd = tl.make_tensor_descriptor(k, shape=[T, 64], strides=[64, 1], block_shape=[32, 64])
    vd = tl.make_tensor_descriptor(v, shape=[T, 64], strides=[64, 1], block_shape=[32, 64])
    m = tl.program_id(0) * 64
    Q = qd.load([m, 0])
    acc = tl.zeros([64, 64], tl.float32)
    for n in range((T + 31) // 32 * 32, -1, -32):
        p = tl.dot(Q, kd.load([n, 0]).T) * 0.125
        acc = tl.dot(p.to(tl.float16), vd.load([n, 0]), acc)
    i = m + tl.arange(0, 64)[:, None]
    tl.store(out + i * 64 + tl.arange(0, 64)[None, :], acc, mask=i < T)
