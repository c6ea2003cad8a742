# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def matmul_relu(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K,
                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a_mask = (m[:, None] < M) & (k[None, :] < K)
        b_mask = (k[:, None] < K) & (n[None, :] < N)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=b_mask, other=0.0)
        acc = tl.dot(a, b, acc)
    bias = tl.load(bias_ptr + n, mask=n < N, other=0.0)
    acc = tl.maximum(acc + bias[None, :], 0.0)
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16), mask=inside)


random = np.random.default_rng(0)
a = random.standard_normal((200, 96)).astype(np.float16)
b = random.standard_normal((96, 136)).astype(np.float16)
bias = random.standard_normal(136, dtype=np.float32)
c = np.empty((200, 136), np.float16)
grid = (tilec.cdiv(200, 64), tilec.cdiv(136, 64))
matmul_relu[grid](a, b, bias, c, 200, 136, 96, BLOCK_M=64, BLOCK_N=64, BLOCK_K=64)
right = np.maximum(a.astype(np.float32) @ b + bias, 0)
np.testing.assert_allclose(c, right, rtol=1e-3, atol=1e-3)
print("matmul_relu is equal to NumPy")
