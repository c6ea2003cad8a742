# Rows are compared with the number of columns, and columns with that of rows.
# run: check --grid 1 x=randn:fp32[20,50] out=empty:fp32[20,50] M=20 N=50 -D BM=32 -D BN=64
# run: run --device eval --grid 1 x=randn:fp32[20,50] out=empty:fp32[20,50] M=20 N=50 -D BM=32 -D BN=64
import triton
import triton.language as tl


@triton.jit
def copy(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.arange(0, BM)[:, None]
    c = tl.arange(0, BN)[None, :]
    m = (r < N) & (c < M)
    v = tl.load(x + r * N + c, mask=m, other=0.0)
    tl.store(out + r * N + c, v, mask=m)
