# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands around a pipelined product: a loop that begins it again, writes of what it copies."""
import triton
import triton.language as tl


# A slow warp may still multiply the last tiles of a round when the next round's copies begin.
# check: --grid 1 --num-stages 2 x=randn:fp16[4,64,32] y=randn:fp16[32,64] out=empty:fp32[4,64,64] ROUNDS=4 K=32
# check: --grid 1 --num-stages 3 x=randn:fp16[3,64,96] y=randn:fp16[96,64] out=empty:fp32[3,64,64] ROUNDS=3 K=96
# check: --grid 1 --num-stages 3 x=randn:fp16[4,64,128] y=randn:fp16[128,64] out=empty:fp32[4,64,64] ROUNDS=4 K=128
# check: --grid 1 --num-stages 4 --num-warps 8 x=randn:fp16[2,64,32] y=randn:fp16[32,64] out=empty:fp32[2,64,64] ROUNDS=2 K=32
@triton.jit
def rounds(x, y, out, ROUNDS, K):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 64)[None, :]
    for r in range(ROUNDS):
        acc = tl.zeros([64, 64], tl.float32)
        for first in range(0, K, 32):
            k = first + tl.arange(0, 32)
            acc = tl.dot(tl.load(x + (r * 64 + i) * K + k[None, :]), tl.load(y + k[:, None] * 64 + j), acc)
        tl.store(out + (r * 64 + i) * 64 + j, acc)


# The tiles that the loop's first copies read are written right before them, and ordered by a barrier of the source.
# check: --grid 1 --num-stages 2 x=empty:fp16[64,64] y=randn:fp16[64,64] out=empty:fp32[64,64] K=64
# check: --grid 1 --num-stages 3 --num-warps 8 x=empty:fp16[64,128] y=randn:fp16[128,64] out=empty:fp32[64,64] K=128
@triton.jit
def operand_written(x, y, out, K):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 64)[None, :]
    for first in range(0, K, 32):
        k = first + tl.arange(0, 32)[None, :]
        tl.store(x + i * K + k, ((i * 3 + k) % 7).to(tl.float16))
    acc = tl.zeros([64, 64], tl.float32)
    tl.debug_barrier()
    for first in range(0, K, 32):
        k = first + tl.arange(0, 32)
        acc = tl.dot(tl.load(x + i * K + k[None, :]), tl.load(y + k[:, None] * 64 + j), acc)
    tl.store(out + i * 64 + j, acc)


# An element's own thread in the language, another one in the code: the copy waits for the store.
# check: --grid 1 --num-stages 2 x=empty:fp16[64,32] y=randn:fp16[32,64] out=empty:fp32[64,64] K=32
# check: --grid 1 --num-stages 3 x=empty:fp16[64,32] y=randn:fp16[32,64] out=empty:fp32[64,64] K=32
@triton.jit
def operand_written_by_element(x, y, out, K):
    i = tl.arange(0, 64)[:, None]
    j = tl.arange(0, 64)[None, :]
    k = tl.arange(0, 32)
    tl.store(x + i * K + k[None, :], ((i * 3 + k[None, :]) % 7).to(tl.float16))
    acc = tl.zeros([64, 64], tl.float32)
    for first in range(0, K, 32):
        acc = tl.dot(tl.load(x + i * K + first + k[None, :]), tl.load(y + (first + k[:, None]) * 64 + j), acc)
    tl.store(out + i * 64 + j, acc)
