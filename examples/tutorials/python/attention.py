# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import tilec
import tilec.language as tl


@tilec.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, scale, N, MASKED: tl.constexpr,
              D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    head = tl.program_id(1) * N * D
    at = head + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at, mask=rows[:, None] < N, other=0.0)
    top = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        k_at = head + keys[None, :] * D + d[:, None]
        v_at = head + keys[:, None] * D + d[None, :]
        k = tl.load(k_ptr + k_at, mask=keys[None, :] < N, other=0.0)
        v = tl.load(v_ptr + v_at, mask=keys[:, None] < N, other=0.0)
        s = tl.dot(q, k) * scale
        if MASKED:
            s = tl.where(keys[None, :] < N, s, -float("inf"))
        new_top = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp(s - new_top[:, None])
        shrink = tl.exp(top - new_top)
        total = total * shrink + tl.sum(p, axis=1)
        acc = tl.dot(p.to(tl.float16), v, acc * shrink[:, None])
        top = new_top
    out = acc / total[:, None]
    tl.store(out_ptr + at, out.to(tl.float16), mask=rows[:, None] < N)


def reference(q, k, v, scale):
    s = q.astype(np.float32) @ k.astype(np.float32).transpose(0, 2, 1) * scale
    e = np.exp(s - s.max(axis=2, keepdims=True))
    return e / e.sum(axis=2, keepdims=True) @ v.astype(np.float32)


random = np.random.default_rng(0)
q, k, v = random.standard_normal((3, 2, 200, 64)).astype(np.float16)
out = np.empty_like(q)
expected = reference(q, k, v, 0.125)
grid = (tilec.cdiv(200, 64), 2)
attention[grid](q, k, v, out, 0.125, 200, MASKED=True, D=64, BLOCK_M=64, BLOCK_N=64)
np.testing.assert_allclose(out, expected, atol=2e-3)
print("equal to NumPy")

attention[grid](q, k, v, out, 0.125, 200, MASKED=False, D=64, BLOCK_M=64, BLOCK_N=64)
wrong = ~np.isclose(out, expected, atol=2e-3)
print(f"without the mask of scores: {wrong.sum()} of {wrong.size} elements are wrong")
