# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that make their tensor maps in their prologue, and those whose arguments no map describes."""
import triton
import triton.language as tl


# One iteration, the stages' number of them and more; programs that share a multiprocessor's places.
# check: --tma prologue --grid 4 --num-stages 3 a=randn:bf16[128,64] b=randn:bf16[128,64] c=empty:bf16[128,128] M=128 N=128 K=64
# check: --tma prologue --grid 4 --num-stages 3 a=randn:bf16[128,192] b=randn:bf16[128,192] c=empty:bf16[128,128] M=128 N=128 K=192
# check: --tma prologue --grid 4 --num-stages 4 --num-warps 8 a=randn:fp16[128,448] b=randn:fp16[128,448] c=empty:fp16[128,128] M=128 N=128 K=448
# check: --tma prologue --grid 1 --num-stages 3 --num-warps 4 a=randn:fp16[64,128] b=randn:fp16[64,128] c=empty:fp16[64,64] M=64 N=64 K=128
# Rows that end within a tile, rows whose bytes no map takes, and an address that none takes: the body without maps.
# check: --tma prologue --grid 4 --num-stages 3 a=randn:bf16[120,128] b=randn:bf16[128,128] c=empty:bf16[120,128] M=120 N=128 K=128
# check: --tma prologue --grid 4 --num-stages 3 a=randn:bf16[128,132] b=randn:bf16[128,132] c=empty:bf16[128,128] M=128 N=128 K=128 -D S=132
# check: --tma prologue --grid 4 --num-stages 3 a=randn:bf16[8320]+2 b=randn:bf16[128,64] c=empty:bf16[128,128] M=128 N=128 K=64
@triton.jit
def matmul(a, b, c, M, N, K, S: tl.constexpr = 0):
    stride = S if S else K
    columns = tl.cdiv(N, 64)
    m = tl.program_id(0) // columns * 64
    n = tl.program_id(0) % columns * 64
    k = tl.arange(0, 64)
    rows = (m + tl.arange(0, 64)) % M
    a += rows[:, None] * stride + k[None, :]
    b += k[:, None] + ((n + tl.arange(0, 64)) % N)[None, :] * stride
    acc = tl.zeros([64, 64], tl.float32)
    for _ in range(0, tl.cdiv(K, 64)):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += 64
        b += 64
    i = m + tl.arange(0, 64)[:, None]
    j = n + tl.arange(0, 64)[None, :]
    tl.store(c + i * N + j, acc.to(c.dtype.element_ty), mask=(i < M) & (j < N))
