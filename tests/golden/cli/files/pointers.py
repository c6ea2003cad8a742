import triton
import triton.language as tl


@triton.jit
def pointers(a, b, c, M, N, K):
    m, n, k = tl.program_id(0) * 64 + tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for s in range(0, K, 64):
        x = tl.load(a + m[:, None] * K + (s + k)[None, :], mask=m[:, None] < M, other=0.0)
        y = tl.load(b + (s + k)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
