# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Neighbouring programs that run as one, if a launch has enough of them. Their number is odd, or smaller than
the tensor's number of tiles. Steps are halved."""
import triton
import triton.language as tl


# check: --num-warps 8 --num-stages 3 --max-programs 3 --grid 45,3 x=randn:fp16[20,144] y=randn:fp16[144,400] out=empty:fp16[20,376] M=20 N=376 K=144
# check: --num-warps 8 --num-stages 4 --max-programs 2 --grid 45,3 x=randn:fp16[20,16] y=randn:fp16[16,264] out=empty:fp16[20,264] M=20 N=264 K=0
# check: --num-warps 8 --num-stages 3 --grid 2,3 x=randn:fp16[136,144] y=randn:fp16[144,264] out=empty:fp16[136,264] M=136 N=264 K=144
@triton.jit
def block_product(x, y, out, M, N, K):
    m, n = tl.program_id(0) * 128, tl.program_id(1) * 128
    a = tl.make_block_ptr(x, shape=(M, K), strides=(K, 1), offsets=(m, 0), block_shape=(128, 128), order=(1, 0))
    b = tl.make_block_ptr(y, shape=(K, N), strides=(N, 1), offsets=(0, n), block_shape=(128, 128), order=(1, 0))
    acc = tl.zeros((128, 128), dtype=tl.float32)
    for _ in range(0, K, 128):
        acc += tl.dot(tl.load(a, boundary_check=(0, 1), padding_option="zero"), tl.load(b, boundary_check=(0, 1), padding_option="zero"))
        a = tl.advance(a, (0, 128))
        b = tl.advance(b, (128, 0))
    c = tl.make_block_ptr(out, shape=(M, N), strides=(N, 1), offsets=(m, n), block_shape=(128, 128), order=(1, 0))
    tl.store(c, acc.to(tl.float16), boundary_check=(0, 1))


# check: --num-warps 8 --num-stages 3 --max-programs 2 --grid 45,3 x=randn:fp16[20,200] y=randn:fp16[328,200] out=empty:fp16[20,328] M=20 N=328 K=200
# check: --num-warps 8 --num-stages 3 --max-programs 132 --grid 15,9 x=randn:fp16[20,64] y=randn:fp16[264,64] out=empty:fp16[20,264] M=20 N=264 K=64
@triton.jit
def turned_product(x, y, out, M, N, K):
    m, n = tl.program_id(0) * 128, tl.program_id(1) * 128
    xd = tl.make_tensor_descriptor(x, shape=[M, K], strides=[K, 1], block_shape=[128, 64])
    yd = tl.make_tensor_descriptor(y, shape=[N, K], strides=[K, 1], block_shape=[128, 64])
    od = tl.make_tensor_descriptor(out, shape=[M, N], strides=[N, 1], block_shape=[128, 128])
    acc = tl.zeros((128, 128), dtype=tl.float32)
    for k in range(0, K, 64):
        acc = tl.dot(xd.load([m, k]), yd.load([n, k]).T, acc)
    od.store([m, n], tl.where(acc > 0, acc, acc * 0.125).to(tl.float16))
