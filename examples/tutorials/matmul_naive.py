# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K):
        a = tl.load(a_ptr + m * K + k, mask=m < M, other=0.0)
        b = tl.load(b_ptr + k * N + n, mask=n < N, other=0.0)
        acc += a[:, None].to(tl.float32) * b[None, :].to(tl.float32)
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16), mask=inside)
