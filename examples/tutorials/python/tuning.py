# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K,
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
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16), mask=inside)


def grid(meta):
    return tilec.cdiv(meta["M"], meta["BLOCK_M"]), tilec.cdiv(meta["N"], meta["BLOCK_N"])


a, b, c = np.empty((3, 4096, 4096), np.float16)
ranges = {"BLOCK_M": [64, 128], "BLOCK_N": [64, 256], "BLOCK_K": [64], "num_warps": [4, 8]}
found = tilec.tune(matmul, (a, b, c, 4096, 4096, 4096), grid, ranges, predict=True)
for result in found.ranked[:3]:
    print(f"{result.predicted * 1e6:.2f} us, {result.bottleneck}:", result.config.all_kwargs())

random = np.random.default_rng(0)
a, b = random.standard_normal((2, 200, 200)).astype(np.float16)
c = np.empty_like(a)
matmul[grid](a, b, c, 200, 200, 200, **found.config.all_kwargs())
np.testing.assert_allclose(c, a.astype(np.float32) @ b, rtol=1e-3, atol=1e-2)
print("equal to NumPy")
