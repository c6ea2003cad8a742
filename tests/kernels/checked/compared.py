"""Masks that are computed with: counted, chosen by, carried; of lengths that are multiples of what a thread holds, and that are not."""
import triton
import triton.language as tl


# check: --grid 3 -D N=256 x=randn:fp32[3,208] sums=empty:fp32[3] counts=empty:i32[3] n=208
# check: --grid 3 -D N=256 x=randn:fp32[3,201] sums=empty:fp32[3] counts=empty:i32[3] n=201
# check: --grid 2 -D N=512 x=randn:fp32[2,16] sums=empty:fp32[2] counts=empty:i32[2] n=16
# check: --grid 2 --num-warps 8 -D N=512 x=randn:fp32[2,4080] sums=empty:fp32[2] counts=empty:i32[2] n=4080
@triton.jit
def mean_of_rows(x, sums, counts, n, N: tl.constexpr):
    row, mean, count = tl.program_id(0), tl.zeros([N], tl.float32), tl.zeros([N], tl.int32)
    for first in range(0, n, N):
        c = first + tl.arange(0, N)
        mask = c < n
        v = tl.load(x + row * n + c, mask=mask, other=0)
        count += mask
        mean = tl.where(mask, mean + (v - mean) / tl.maximum(count, 1).to(tl.float32), mean)
    tl.store(sums + row, tl.sum(mean * count))
    tl.store(counts + row, tl.sum(count))


# check: --grid 2 -D M=16 -D N=64 x=randn:fp16[32,48] y=zeros:fp16[32,48] rows=30 n=48
# check: --grid 2 -D M=16 -D N=64 x=randn:fp16[32,50] y=empty:fp16[32,50] rows=32 n=50
@triton.jit
def inside(x, y, rows, n, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N)
    mask = (r < rows)[:, None] & (c < n)[None, :]
    v = tl.load(x + r[:, None] * n + c[None, :], mask=mask, other=3)
    centred = tl.where(mask, v - tl.sum(tl.where(mask, v, 0), 1)[:, None], 0)
    edge = (c // 16 == n // 16)[None, :] | (c[None, :] // 8 != r[:, None])
    tl.store(y + r[:, None] * n + c[None, :], tl.where(edge, centred, v), mask=mask)
