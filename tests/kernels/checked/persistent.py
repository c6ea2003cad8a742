# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Persistent kernels: trip counts around the number of slots, one and several programs a CTA, grids of 2 and 3 dims."""
import triton
import triton.language as tl


# By pointers, with warp specialization: iterations 0, 1, S - 1, S, S + 1 and 2 S + 1 of three slots.
# check: --tma on --persistent on --warp-specialize on --max-programs 2 --grid 3,2 --num-stages 3 x=randn:fp16[130,32] y=randn:fp16[32,72] out=empty:fp16[130,72] M=130 N=72 K=0
# check: --tma on --persistent on --warp-specialize on --max-programs 1 --grid 3,2 --num-stages 3 x=randn:fp16[130,32] y=randn:fp16[32,72] out=empty:fp16[130,72] M=130 N=72 K=32
# check: --tma on --persistent on --warp-specialize on --max-programs 4 --grid 3,2 --num-stages 3 x=randn:fp16[130,64] y=randn:fp16[64,72] out=empty:fp16[130,72] M=130 N=72 K=64
# check: --tma on --persistent on --warp-specialize on --max-programs 2 --grid 3,2 --num-stages 3 x=randn:fp16[130,96] y=randn:fp16[96,72] out=empty:fp16[130,72] M=130 N=72 K=96
# check: --tma on --persistent on --warp-specialize on --max-programs 6 --grid 3,2 --num-stages 3 x=randn:fp16[130,128] y=randn:fp16[128,72] out=empty:fp16[130,72] M=130 N=72 K=120
# check: --tma on --persistent on --warp-specialize on --max-programs 2 --grid 3,2 --num-stages 3 --num-warps 8 x=randn:fp16[130,224] y=randn:fp16[224,72] out=empty:fp16[130,72] M=130 N=72 K=224
# check: --tma on --persistent on --warp-specialize off --max-programs 2 --grid 3,2 --num-stages 3 x=randn:fp16[130,128] y=randn:fp16[128,72] out=empty:fp16[130,72] M=130 N=72 K=128
# check: --tma off --persistent on --max-programs 2 --grid 3,2 --num-stages 4 x=randn:fp16[130,128] y=randn:fp16[128,72] out=empty:fp16[130,72] M=130 N=72 K=128
# check: --persistent off --max-programs 2 --grid 3,2 --num-stages 2 x=randn:fp16[130,64] y=randn:fp16[64,72] out=empty:fp16[130,72] M=130 N=72 K=64
@triton.jit
def product(x, y, out, M, N, K):
    m = tl.program_id(0) * 64 + tl.arange(0, 64)
    n = tl.program_id(1) * 64 + tl.arange(0, 64)
    acc = tl.zeros([64, 64], tl.float32)
    for k in range(0, K, 32):
        ks = k + tl.arange(0, 32)
        a = tl.load(x + m[:, None] * K + ks, mask=(m[:, None] < M) & (ks < K), other=0.0)
        b = tl.load(y + ks[:, None] * N + n, mask=(ks[:, None] < K) & (n < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(out + m[:, None] * N + n, acc.to(tl.float16), mask=(m[:, None] < M) & (n < N))


# By descriptors, with and without TMA stores; a program that loops over tiles by itself.
# check: --tma on --persistent on --warp-specialize on --epilogue on --max-programs 2 --grid 2,2 --num-stages 3 x=randn:fp16[88,224] y=randn:fp16[224,72] out=empty:fp16[88,72] M=88 N=72 K=224
# check: --tma on --persistent on --warp-specialize on --epilogue off --max-programs 1 --grid 2,2 --num-stages 3 --num-warps 8 x=randn:fp16[88,96] y=randn:fp16[96,72] out=empty:fp16[88,72] M=88 N=72 K=96
# check: --tma on --persistent on --warp-specialize off --epilogue on --max-programs 3 --grid 2,2 --num-stages 2 x=randn:fp16[88,96] y=randn:fp16[96,72] out=empty:fp16[88,72] M=88 N=72 K=96
# check: --tma on --persistent on --warp-specialize on --epilogue on --max-programs 1 --grid 3,1 --num-stages 3 x=randn:fp16[152,64] y=randn:fp16[64,136] out=empty:fp16[152,136] M=152 N=136 K=64
@triton.jit
def stored(x, y, out, M, N, K):
    xd = tl.make_tensor_descriptor(x, shape=[M, K], strides=[K, 1], block_shape=[64, 32])
    yd = tl.make_tensor_descriptor(y, shape=[K, N], strides=[N, 1], block_shape=[32, 64])
    od = tl.make_tensor_descriptor(out, shape=[M, N], strides=[N, 1], block_shape=[64, 64])
    m = tl.program_id(0) * 64
    for n in range(tl.program_id(1) * 64, N, tl.num_programs(1) * 64):
        acc = tl.zeros([64, 64], tl.float32)
        for k in range(0, K, 32):
            acc = tl.dot(xd.load([m, k]), yd.load([k, n]), acc)
        od.store([m, n], acc.to(tl.float16))


# A tile a program: with warp specialization and TMA stores its buffer is read during the next program's dot.
# check: --tma on --persistent on --warp-specialize on --epilogue on --max-programs 1 --grid 2,3 --num-stages 3 x=randn:fp16[88,224] y=randn:fp16[224,136] out=empty:fp16[88,136] M=88 N=136 K=224
# check: --tma on --persistent on --warp-specialize on --epilogue on --max-programs 2 --grid 2,3 --num-stages 4 --num-warps 8 x=randn:fp16[88,32] y=randn:fp16[32,136] out=empty:fp16[88,136] M=88 N=136 K=32
# check: --tma on --persistent on --warp-specialize off --epilogue on --max-programs 2 --grid 2,3 --num-stages 3 x=randn:fp16[88,96] y=randn:fp16[96,136] out=empty:fp16[88,136] M=88 N=136 K=96
# check: --tma on --persistent on --warp-specialize on --epilogue off --max-programs 2 --grid 2,3 --num-stages 3 x=randn:fp16[88,64] y=randn:fp16[64,136] out=empty:fp16[88,136] M=88 N=136 K=64
@triton.jit
def stored_tile(x, y, out, M, N, K):
    xd = tl.make_tensor_descriptor(x, shape=[M, K], strides=[K, 1], block_shape=[64, 32])
    yd = tl.make_tensor_descriptor(y, shape=[K, N], strides=[N, 1], block_shape=[32, 64])
    od = tl.make_tensor_descriptor(out, shape=[M, N], strides=[N, 1], block_shape=[64, 64])
    m, n = tl.program_id(0) * 64, tl.program_id(1) * 64
    acc = tl.zeros([64, 64], tl.float32)
    for k in range(0, K, 32):
        acc = tl.dot(xd.load([m, k]), yd.load([k, n]), acc)
    od.store([m, n], acc.to(tl.float16))


# Two dots, rotated; each loop has separate channels.
# check: --tma on --persistent on --warp-specialize on --max-programs 2 --grid 5 --num-stages 2 --num-warps 8 q=randn:fp16[640,64] k=randn:fp16[192,64] v=randn:fp16[192,64] out=empty:fp32[640,64] ROWS=640 T=192
# check: --tma on --persistent on --warp-specialize off --max-programs 2 --grid 5 --num-stages 2 --num-warps 4 q=randn:fp16[640,64] k=randn:fp16[64,64] v=randn:fp16[64,64] out=empty:fp32[640,64] ROWS=640 T=64
@triton.jit
def attention(q, k, v, out, ROWS, T):
    rows = tl.program_id(0) * 128
    qd = tl.make_tensor_descriptor(q, shape=[ROWS, 64], strides=[64, 1], block_shape=[128, 64])
    kd = tl.make_tensor_descriptor(k, shape=[T, 64], strides=[64, 1], block_shape=[64, 64])
    vd = tl.make_tensor_descriptor(v, shape=[T, 64], strides=[64, 1], block_shape=[64, 64])
    qs = qd.load([rows, 0])
    most = tl.full([128], float("-inf"), tl.float32)
    total = tl.zeros([128], tl.float32)
    acc = tl.zeros([128, 64], tl.float32)
    for t in tl.range(0, T, 64, warp_specialize=True):
        s = tl.dot(qs, kd.load([t, 0]).T) * 0.1
        now = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - now[:, None])
        factor = tl.exp2(most - now)
        total = total * factor + tl.sum(p, 1)
        acc = acc * factor[:, None]
        acc = tl.dot(p.to(tl.float16), vd.load([t, 0]), acc)
        most = now
    m = rows + tl.arange(0, 128)
    tl.store(out + m[:, None] * 64 + tl.arange(0, 64), acc / total[:, None], mask=m[:, None] < ROWS)


# A condition around the copies: some programs copy nothing; and a buffer that is filled before the loop and read in it.
# check: --tma on --persistent on --warp-specialize on --max-programs 2 --grid 5 --num-stages 3 x=randn:fp16[320,96] y=randn:fp16[96,64] z=randn:fp16[64,64] out=empty:fp32[320,64] M=320 K=96 SKIP=1
# check: --tma on --persistent on --warp-specialize on --max-programs 1 --grid 5 --num-stages 3 --num-warps 8 x=randn:fp16[320,32] y=randn:fp16[32,64] z=randn:fp16[64,64] out=empty:fp32[320,64] M=320 K=32 SKIP=0
# check: --tma on --persistent off --warp-specialize on --grid 5 --num-stages 3 x=randn:fp16[320,224] y=randn:fp16[224,64] z=randn:fp16[64,64] out=empty:fp32[320,64] M=320 K=224 SKIP=3
# check: --tma on --persistent on --warp-specialize off --max-programs 2 --grid 5 --num-stages 3 x=randn:fp16[320,96] y=randn:fp16[96,64] z=randn:fp16[64,64] out=empty:fp32[320,64] M=320 K=96 SKIP=2
@triton.jit
def some_programs(x, y, z, out, M, K, SKIP):
    xd = tl.make_tensor_descriptor(x, shape=[M, K], strides=[K, 1], block_shape=[64, 32])
    yd = tl.make_tensor_descriptor(y, shape=[K, 64], strides=[64, 1], block_shape=[32, 64])
    zd = tl.make_tensor_descriptor(z, shape=[64, 64], strides=[64, 1], block_shape=[32, 64])
    m = tl.program_id(0) * 64
    kept = zd.load([32, 0])
    acc = tl.zeros([64, 64], tl.float32)
    if tl.program_id(0) != SKIP:
        for k in range(0, K, 32):
            a = xd.load([m, k])
            acc = tl.dot(a, yd.load([k, 0]), acc)
            acc = tl.dot(a, kept, acc)
    i, j = m + tl.arange(0, 64)[:, None], tl.arange(0, 64)[None, :]
    tl.store(out + i * 64 + j, acc, mask=i < M)


# No dot: three dimensions, buffers of reductions and scans used again by the next program, an early end.
# check: --persistent on --max-programs 2 --grid 3,2,2 x=randn:fp32[12,200] out=empty:fp32[12,200] sums=empty:fp32[12] N=200
# check: --persistent on --max-programs 5 --grid 3,2,2 --num-warps 1 x=randn:fp32[12,256] out=empty:fp32[12,256] sums=empty:fp32[12] N=256
# check: --persistent on --grid 3,2,2 x=randn:fp32[12,31] out=empty:fp32[12,31] sums=empty:fp32[12] N=31
@triton.jit
def rows(x, out, sums, N):
    row = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + tl.program_id(0)
    i = tl.arange(0, 256)
    v = tl.load(x + row * N + i, mask=i < N, other=0.0)
    tl.store(out + row * N + i, tl.cumsum(v, 0), mask=i < N)
    if row == 5:
        tl.store(sums + row, 1.0)
        return
    tl.store(sums + row, tl.sum(v, 0))


# Programs that depend on their order are not made persistent.
# check: --persistent on --max-programs 2 --grid 4 x=randint(0,9):i32[400] out=zeros:i32[1]
@triton.jit
def counted(x, out):
    tl.atomic_add(out, tl.sum(tl.load(x + tl.program_id(0) * 100 + tl.arange(0, 64)), 0))
