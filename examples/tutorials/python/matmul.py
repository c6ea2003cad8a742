# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, a_m, a_k, b_k, b_n, PRECISION: tl.constexpr,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a_mask = (m[:, None] < M) & (k[None, :] < K)
        b_mask = (k[:, None] < K) & (n[None, :] < N)
        a = tl.load(a_ptr + m[:, None] * a_m + k[None, :] * a_k, mask=a_mask, other=0.0)
        b = tl.load(b_ptr + k[:, None] * b_k + n[None, :] * b_n, mask=b_mask, other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION)
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=inside)


def strides(array):
    return [step // array.itemsize for step in array.strides]


def launch(a, b, precision="tf32"):
    M, K, N = *a.shape, b.shape[1]
    c = np.empty((M, N), np.float32)
    grid = (tilec.cdiv(M, 64), tilec.cdiv(N, 64))
    matmul[grid](a, b, c, M, N, K, *strides(a), *strides(b), precision,
                 BLOCK_M=64, BLOCK_N=64, BLOCK_K=64)
    return c


random = np.random.default_rng(0)
a = random.standard_normal((200, 96)).astype(np.float16)
b = random.standard_normal((96, 136)).astype(np.float16)
np.testing.assert_allclose(launch(a, b), a.astype(np.float32) @ b, rtol=1e-4, atol=1e-4)
np.testing.assert_allclose(launch(b.T, a.T), b.T.astype(np.float32) @ a.T, rtol=1e-4, atol=1e-4)
print("equal to NumPy, also transposed")

a = random.standard_normal((200, 96), dtype=np.float32)
b = random.standard_normal((96, 136), dtype=np.float32)
exact = a.astype(np.float64) @ b
for precision in ["tf32", "ieee"]:
    error = abs(launch(a, b, precision) - exact).max()
    print(f"fp32 by {precision}: largest error {error:.6f}")
