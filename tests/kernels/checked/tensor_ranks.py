# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of 3 to 5 dimensions. Blocks have size 1 along all but two: TMA copies and stores by maps of that rank."""
import triton
import triton.language as tl


# Rows, columns and k end within a box, one before the next batch; a batch after the last one reads zeros and stores nothing.
# check: --epilogue on --grid 2,2,3 --num-stages 3 x=randn:fp16[3,88,56] y=randn:fp16[3,40,56] out=empty:fp16[3,88,40] B=3 M=88 N=40 K=56
# check: --epilogue on --grid 1,1,4 --num-stages 3 x=randn:fp16[2,64,96] y=randn:fp16[2,32,96] out=empty:fp16[2,64,32] B=2 M=64 N=32 K=96
# check: --tma off --epilogue off --grid 2,1,3 --num-stages 3 x=randn:fp16[2,72,56] y=randn:fp16[2,32,56] out=empty:fp16[2,72,32] B=2 M=72 N=32 K=56
# check: --tma on --epilogue on --warp-specialize on --persistent on --max-programs 2 --grid 2,1,3 --num-stages 3 x=randn:fp16[3,88,224] y=randn:fp16[3,32,224] out=empty:fp16[3,88,32] B=3 M=88 N=32 K=224
# check: --grid 1,1,2 --num-stages 3 x=randn:fp16[2,64,40] y=randn:fp16[2,32,40] out=empty:fp16[2,64,32] B=2 M=64 N=32 K=0
# Strides that no map takes: the plain kernel.
# check: --epilogue on --grid 2,1,2 --num-stages 3 x=randn:fp16[2,72,56] y=randn:fp16[2,27,56] out=empty:fp16[2,72,27] B=2 M=72 N=27 K=56
@triton.jit
def batched(x, y, out, B, M, N, K):
    xd = tl.make_tensor_descriptor(x, shape=[B, M, K], strides=[M * K, K, 1], block_shape=[1, 64, 32])
    yd = tl.make_tensor_descriptor(y, shape=[B, N, K], strides=[N * K, K, 1], block_shape=[1, 32, 32])
    od = tl.make_tensor_descriptor(out, shape=[B, M, N], strides=[M * N, N, 1], block_shape=[1, 64, 32])
    batch = tl.program_id(2)
    m = tl.program_id(0) * 64
    n = tl.program_id(1) * 32
    acc = tl.zeros([64, 32], tl.float32)
    for k in range(0, K, 32):
        a = xd.load([batch, m, k]).reshape(64, 32)
        b = yd.load([batch, n, k]).reshape(32, 32)
        acc = tl.dot(a, b.T, acc)
    od.store([batch, m, n], acc.to(tl.float16).reshape(1, 64, 32))


# One element between rows and columns, of four and five dimensions: attention's queries and keys as (batch, row, head, column), keys in two parts.
# check: --epilogue on --grid 2,2,2 --num-stages 3 q=randn:fp16[2,72,2,64] k=randn:fp16[2,2,40,2,64] out=empty:fp16[2,72,2,64] B=2 M=72 H=2 N=40
# check: --epilogue on --tma on --grid 2,1,1 --num-stages 2 --num-warps 8 q=randn:bf16[1,128,1,64] k=randn:bf16[1,2,96,1,64] out=empty:bf16[1,128,1,64] B=1 M=128 H=1 N=96
@triton.jit
def heads(q, k, out, B, M, H, N):
    qd = tl.make_tensor_descriptor(q, shape=[B, M, H, 64], strides=[M * H * 64, H * 64, 64, 1], block_shape=[1, 64, 1, 64])
    kd = tl.make_tensor_descriptor(k, shape=[B, 2, N, H, 64], strides=[2 * N * H * 64, N * H * 64, H * 64, 64, 1], block_shape=[1, 1, 32, 1, 64])
    od = tl.make_tensor_descriptor(out, shape=[B, M, H, 64], strides=[M * H * 64, H * 64, 64, 1], block_shape=[1, 64, 1, 64])
    m = tl.program_id(0) * 64
    h = tl.program_id(1)
    b = tl.program_id(2)
    rows = tl.reshape(qd.load([b, m, h, 0]), (64, 64))
    acc = tl.zeros([64, 64], tl.float32)
    for n in range(0, 2 * N, 32):
        keys = tl.reshape(kd.load([b, n // N, n % N, h, 0]), (32, 64))
        weights = tl.dot(rows, keys.T)
        acc = tl.dot(weights.to(keys.dtype), keys, acc)
    od.store([b, m, h, 0], tl.reshape(acc.to(out.dtype.element_ty), (1, 64, 1, 64)))


# Block pointers of three dimensions with some bounds unchecked; a block that is also used whole stays one.
# check: --grid 2,1,2 --num-stages 3 x=randn:fp16[2,72,64] y=randn:fp16[2,64,32] out=empty:fp32[2,72,32] sums=empty:fp32[2,2] B=2 M=72 N=32 K=64
@triton.jit
def by_pointers(x, y, out, sums, B, M, N, K):
    b = tl.program_id(2)
    m = tl.program_id(0) * 64
    xp = tl.make_block_ptr(x, shape=(B, M, K), strides=(M * K, K, 1), offsets=(b, m, 0), block_shape=(1, 64, 32), order=(2, 1, 0))
    yp = tl.make_block_ptr(y, shape=(B, K, N), strides=(K * N, N, 1), offsets=(b, 0, 0), block_shape=(1, 32, 32), order=(2, 1, 0))
    zp = tl.make_block_ptr(out, shape=(B, M, N), strides=(M * N, N, 1), offsets=(b, m, 0), block_shape=(1, 64, 32), order=(2, 1, 0))
    acc = tl.zeros([64, 32], tl.float32)
    total = 0.0
    for _ in range(0, K, 32):
        a = tl.load(xp, boundary_check=(1,), padding_option="zero")
        c = tl.load(yp)
        total += tl.sum(tl.sum(tl.sum(c.to(tl.float32), 2), 1), 0)
        acc = tl.dot(a.reshape(64, 32), c.reshape(32, 32), acc)
        xp = tl.advance(xp, (0, 0, 32))
        yp = tl.advance(yp, (0, 32, 0))
    tl.store(zp, acc.reshape(1, 64, 32), boundary_check=(0, 1, 2))
    tl.store(sums + b * 2 + tl.program_id(0), total)


# By pointers: batches and heads times strides of their own are dimensions of the map, and masks of rows, columns and k bound the one
# matrix. Heads of y are shared by two of x; a batch's distance may be 0.
# check: --tma on --grid 2,4 --num-stages 3 x=randn:fp16[2,2,72,56] y=randn:fp16[2,1,56,40] out=empty:fp32[2,2,72,40] H=2 M=72 N=40 K=56 xb=8064 xh=4032 xm=56 yb=2240 yh=2240 yk=40
# check: --tma on --grid 1,4 --num-stages 3 --num-warps 8 --warp-specialize on x=randn:bf16[2,2,64,224] y=randn:bf16[1,1,224,32] out=empty:fp32[2,2,64,32] H=2 M=64 N=32 K=224 xb=28672 xh=14336 xm=224 yb=0 yh=0 yk=32
# Strides that are not a multiple of 16 bytes: the plain kernel.
# check: --tma on --grid 1,4 --num-stages 3 x=randn:fp16[2,2,64,32] y=randn:fp16[2,1,32,32] out=zeros:fp32[2,2,64,32] H=2 M=64 N=31 K=32 xb=4096 xh=2048 xm=32 yb=999 yh=1 yk=32
@triton.jit
def of_heads(x, y, out, H, M, N, K, xb, xh, xm, yb, yh, yk):
    b = tl.program_id(1) // H
    h = tl.program_id(1) % H
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    j = tl.arange(0, 64)
    x += b * xb + h * xh
    y += b * yb + h // 2 * yh
    acc = tl.zeros([64, 64], tl.float32)
    for s in range(0, K, 32):
        k = s + tl.arange(0, 32)
        a = tl.load(x + i[:, None] * xm + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        c = tl.load(y + k[:, None] * yk + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(a, c, acc)
    tl.store(out + tl.program_id(1) * M * N + i[:, None] * N + j[None, :], acc, mask=(i[:, None] < M) & (j[None, :] < N))
