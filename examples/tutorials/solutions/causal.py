# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def causal(q_ptr, k_ptr, v_ptr, out_ptr, scale, N,
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
        seen = (keys[None, :] < N) & (keys[None, :] <= rows[:, None])
        s = tl.where(seen, s, -float("inf"))
        new_top = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp(s - new_top[:, None])
        shrink = tl.exp(top - new_top)
        total = total * shrink + tl.sum(p, axis=1)
        acc = tl.dot(p.to(tl.float16), v, acc * shrink[:, None])
        top = new_top
    out = acc / total[:, None]
    tl.store(out_ptr + at, out.to(tl.float16), mask=rows[:, None] < N)
