# The row stride is given to the columns.
# run: check --grid 1 x=randn:fp32[20,50] out=empty:fp32[32,64] M=20 N=50 -D BM=32 -D BN=64
# run: run --device eval --grid 1 x=randn:fp32[20,50] out=empty:fp32[32,64] M=20 N=50 -D BM=32 -D BN=64
import triton
import triton.language as tl


@triton.jit
def pad(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.arange(0, BM)[:, None]
    c = tl.arange(0, BN)[None, :]
    v = tl.load(x + r + c * N, mask=(r < M) & (c < N), other=0.0)
    tl.store(out + r * BN + c, v)
