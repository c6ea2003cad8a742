# The last step of a loop reaches beyond K.
# run: check --grid 1 a=randn:fp32[16,40] out=empty:fp32[16] K=40 -D BM=16 -D BK=32
# run: run --device eval --grid 1 a=randn:fp32[16,40] out=empty:fp32[16] K=40 -D BM=16 -D BK=32
import triton
import triton.language as tl


@triton.jit
def row_sums(a, out, K, BM: tl.constexpr, BK: tl.constexpr):
    r = tl.arange(0, BM)
    acc = tl.zeros((BM,), dtype=tl.float32)
    for k in range(0, K, BK):
        c = k + tl.arange(0, BK)
        acc += tl.sum(tl.load(a + r[:, None] * K + c[None, :]), axis=1)
    tl.store(out + r, acc)
