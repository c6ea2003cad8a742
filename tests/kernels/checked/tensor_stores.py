# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that go through shared memory and by TMA stores: ragged ends, types, tiles in loops, code after a store."""
import triton
import triton.language as tl


# check: --tma on --epilogue on --grid 2,2 --num-stages 3 -D OUT=fp16 x=randn:fp16[88,96] y=randn:fp16[96,72] out=empty:fp16[88,72] M=88 N=72 K=96
# check: --tma on --epilogue on --grid 2,2 --num-stages 3 --num-warps 8 -D OUT=fp32 x=randn:bf16[88,32] y=randn:bf16[32,72] out=empty:fp32[88,72] M=88 N=72 K=32
# check: --tma on --epilogue on --grid 2,2 --num-stages 2 -D OUT=bf16 x=randn:bf16[128,160] y=randn:bf16[160,128] out=empty:bf16[128,128] M=128 N=128 K=160
# check: --tma on --epilogue on --warp-specialize on --grid 2,2 --num-stages 3 -D OUT=fp16 x=randn:fp16[88,224] y=randn:fp16[224,72] out=empty:fp16[88,72] M=88 N=72 K=224
# check: --tma on --epilogue on --grid 1,1 --num-stages 3 -D OUT=fp16 x=randn:fp16[64,40] y=randn:fp16[40,64] out=empty:fp16[64,64] M=64 N=64 K=0
# Strides that no map takes: the plain kernel.
# check: --tma on --epilogue on --grid 2,2 --num-stages 3 -D OUT=fp16 x=randn:fp16[88,96] y=randn:fp16[96,71] out=empty:fp16[88,71] M=88 N=71 K=96
@triton.jit
def stored_product(x, y, out, M, N, K, OUT: tl.constexpr):
    xd = tl.make_tensor_descriptor(x, shape=[M, K], strides=[K, 1], block_shape=[64, 32])
    yd = tl.make_tensor_descriptor(y, shape=[K, N], strides=[N, 1], block_shape=[32, 64])
    od = tl.make_tensor_descriptor(out, shape=[M, N], strides=[N, 1], block_shape=[64, 64])
    m = tl.program_id(0) * 64
    n = tl.program_id(1) * 64
    acc = tl.zeros([64, 64], tl.float32)
    for k in range(0, K, 32):
        acc = tl.dot(xd.load([m, k]), yd.load([k, n]), acc)
    od.store([m, n], acc.to(OUT))


# A program takes several tiles: the buffer is written again, and what was stored may be what the next tile reads.
# check: --tma on --epilogue on --grid 2 --num-stages 3 x=randn:fp16[152,112] y=randn:fp16[112,136] out=empty:fp16[152,136] M=152 N=136 K=112
# check: --tma on --epilogue on --grid 1 --num-stages 2 --num-warps 8 x=randn:fp16[152,40] y=randn:fp16[40,136] out=empty:fp16[152,136] M=152 N=136 K=40
@triton.jit
def stored_tiles(x, y, out, M, N, K):
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


# No dot: what is computed of a tile, by block pointers; rows of 32, 64 and 128 bytes, and of several boxes.
# check: --tma on --epilogue on --grid 3,3 -D BN=16 x=randn:fp16[20,48] out=empty:fp16[20,48] M=20 N=48
# check: --tma on --epilogue on --grid 2,2 -D BN=32 x=randn:fp16[16,48] out=empty:fp16[16,48] M=16 N=48
# check: --tma on --epilogue on --grid 2,1 -D BN=128 x=randn:fp32[13,112] out=empty:fp32[13,112] M=13 N=112
# check: --tma on --epilogue on --grid 2,1 -D BN=32 x=randint(-60,60):i8[9,32] out=empty:i8[9,32] M=9 N=32
# check: --tma on --epilogue on --grid 2,1 -D BN=256 x=randint(-60,60):i8[9,240] out=empty:i8[9,240] M=9 N=240
@triton.jit
def stored_blocks(x, out, M, N, BN: tl.constexpr):
    at = tl.make_block_ptr(x, (M, N), (N, 1), (tl.program_id(0) * 8, tl.program_id(1) * BN), (8, BN), (1, 0))
    to = tl.make_block_ptr(out, (M, N), (N, 1), (tl.program_id(0) * 8, tl.program_id(1) * BN), (8, BN), (1, 0))
    tile = tl.load(at, boundary_check=(0, 1), padding_option="zero")
    tl.store(to, tile + tile, boundary_check=(0, 1))


# What was stored is read again, by other threads than those that computed it, and stored once more.
# check: --tma on --epilogue on --grid 2 --num-warps 4 x=randn:fp16[32,64] out=empty:fp16[32,64] sums=empty:fp16[32,64]
@triton.jit
def stored_then_read(x, out, sums):
    first = tl.program_id(0) * 16
    od = tl.make_tensor_descriptor(out, shape=[32, 64], strides=[64, 1], block_shape=[16, 64])
    sd = tl.make_tensor_descriptor(sums, shape=[32, 64], strides=[64, 1], block_shape=[16, 64])
    i = first + tl.arange(0, 16)[:, None]
    j = tl.arange(0, 64)[None, :]
    od.store([first, 0], tl.load(x + i * 64 + j) * 2)
    tl.debug_barrier()
    again = tl.load(out + (first + 15 - tl.arange(0, 16)[:, None]) * 64 + j)
    sd.store([first, 0], again + again)
    tl.debug_barrier()
    od.store([first, 0], tl.load(sums + i * 64 + j))


# What an iteration stores the next one reads.
# check: --tma on --epilogue on --grid 2 -D N=5 x=randn:fp16[96,128] ROWS=96 COLUMNS=128
# check: --tma on --epilogue on --grid 1 --num-warps 8 -D N=2 x=randn:fp16[48,64] ROWS=48 COLUMNS=64
@triton.jit
def stored_for_the_next(x, ROWS, COLUMNS, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[ROWS, COLUMNS], strides=[COLUMNS, 1], block_shape=[16, 64])
    column = tl.program_id(0) * 64
    for i in range(N):
        d.store([i * 16 + 16, column], d.load([i * 16, column]) * 0.5 + 1.0)


# What is loaded through a descriptor is stored through pointers: no box is stored.
# check: --tma on --epilogue on --grid 2 x=randn:fp16[64,128] out=empty:fp16[64,128] COLUMNS=128
@triton.jit
def loaded_and_stored(x, out, COLUMNS):
    d = tl.make_tensor_descriptor(x, shape=[64, COLUMNS], strides=[COLUMNS, 1], block_shape=[16, 64])
    column = tl.program_id(0) * 64
    for row in range(0, 64, 16):
        to = out + (48 - row + tl.arange(0, 16)[:, None]) * COLUMNS + column + tl.arange(0, 64)[None, :]
        tl.store(to, d.load([row, column]))


# Rows of 60 fp16 are not a multiple of 16 bytes: the hardware would write the bytes after them, so there is no TMA store.
# check: --tma on --epilogue on --grid 2,1 a=desc(ones:fp16[128,64],block=[64,64]) b=desc(ones:fp16[64,64],block=[64,64]) c=desc(full(-5):fp16[128,64],block=[64,64],shape=[128,60],strides=[64,1]) K=64
# check: --tma on --epilogue on --grid 2,1 a=desc(ones:fp16[128,64],block=[64,64]) b=desc(ones:fp16[64,64],block=[64,64]) c=desc(full(-5):fp16[128,64],block=[64,64],shape=[128,56],strides=[64,1]) K=64
@triton.jit
def narrow_rows(a: "tensordesc<fp16[64, 64]>", b: "tensordesc<fp16[64, 64]>", c: "tensordesc<fp16[64, 64]>", K):
    m = tl.program_id(0) * 64
    n = tl.program_id(1) * 64
    acc = tl.zeros((64, 64), tl.float32)
    for j in range(0, K, 64):
        acc = tl.dot(a.load([m, j]), b.load([j, n]), acc)
    c.store([m, n], acc.to(c.dtype))
