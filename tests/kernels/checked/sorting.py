"""Sorting networks, selection, counting, and data that move by index."""
import triton
import triton.language as tl


@triton.jit
def _compare_and_swap(x, ids, flip, i: tl.constexpr, n_dims: tl.constexpr):
    n_outer: tl.constexpr = x.numel >> n_dims
    shape: tl.constexpr = [n_outer * 2**i, 2, 2**(n_dims - i - 1)]
    y = tl.reshape(x, shape)
    mask = tl.arange(0, 2)[None, :, None]
    left = tl.broadcast_to(tl.sum(y * (1 - mask), 1)[:, None, :], shape).to(y.dtype)
    right = tl.broadcast_to(tl.sum(y * mask, 1)[:, None, :], shape).to(y.dtype)
    left = tl.reshape(left, x.shape)
    right = tl.reshape(right, x.shape)
    y_idx = tl.reshape(ids, shape)
    left_idx = tl.broadcast_to(tl.sum(y_idx * (1 - mask), 1)[:, None, :], shape)
    right_idx = tl.broadcast_to(tl.sum(y_idx * mask, 1)[:, None, :], shape)
    left_idx = tl.reshape(left_idx, x.shape).to(y_idx.dtype)
    right_idx = tl.reshape(right_idx, x.shape).to(y_idx.dtype)
    idtype = tl.int32
    ileft = left.to(idtype, bitcast=True)
    iright = right.to(idtype, bitcast=True)
    ix = x.to(idtype, bitcast=True)
    cond = (left > right) != flip
    ret = ix ^ tl.where(cond, ileft ^ iright, tl.zeros_like(ix))
    new_ids = ids ^ tl.where(cond, left_idx ^ right_idx, tl.zeros_like(ids))
    return ret.to(x.dtype, bitcast=True), new_ids


@triton.jit
def _bitonic_merge(x, ids, stage: tl.constexpr, order: tl.constexpr, n_dims: tl.constexpr):
    n_outer: tl.constexpr = x.numel >> n_dims
    if order == 2:
        shape: tl.constexpr = [n_outer * 2**(n_dims - 1 - stage), 2, 2**stage]
        flip = tl.reshape(tl.broadcast_to(tl.arange(0, 2)[None, :, None], shape), x.shape)
    else:
        flip = order
    for i in tl.static_range(stage):
        x, ids = _compare_and_swap(x, ids, flip, i + (n_dims - stage), n_dims)
    return x, ids


# check: --grid 3 -D N=64 -D LOG=6 x=randn:fp32[3,64] values=empty:fp32[3,64] indices=empty:i32[3,64]
# check: --grid 1 --num-warps 8 -D N=256 -D LOG=8 x=randn:fp32[256] values=empty:fp32[256] indices=empty:i32[256]
# check: --grid 1 --num-warps 8 -D N=2048 -D LOG=11 x=randn:fp32[2048] values=empty:fp32[2048] indices=empty:i32[2048]
@triton.jit
def bitonic_argsort(x, values, indices, N: tl.constexpr, LOG: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    v = tl.load(x + row * N + i)
    ids = i
    for stage in tl.static_range(1, LOG + 1):
        v, ids = _bitonic_merge(v, ids, stage, 2 if stage < LOG else 1, LOG)
    tl.store(values + row * N + i, v)
    tl.store(indices + row * N + i, ids)


# check: --grid 3 -D K=8 -D N=128 x=randn:fp32[3,100] values=empty:fp32[3,8] n=100
# check: --grid 3 --num-warps 1 -D K=4 -D N=32 x=randn:fp16[3,30] values=empty:fp16[3,4] n=30
# check: --grid 3 --num-warps 8 -D K=16 -D N=512 x=rand:i32[3,500] values=empty:i32[3,16] n=500
# check: --grid 1 --num-warps 8 -D K=64 -D N=2048 x=randn:fp32[2000] values=empty:fp32[64] n=2000
@triton.jit
def top_k(x, values, n, K: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    v = tl.load(x + row * n + i, mask=i < n, other=-20000)
    tl.store(values + row * K + tl.arange(0, K), tl.topk(v, K))


# check: --grid 2 -D ROWS=4 -D N=32 -D K=4 x=rand:i16[8,32] out=empty:i16[8,4]
# check: --grid 1 --num-warps 1 -D ROWS=16 -D N=16 -D K=8 x=randn:bf16[16,16] out=empty:bf16[16,8]
# check: --grid 1 --num-warps 8 -D ROWS=2 -D N=512 -D K=1 x=rand:u8[2,512] out=empty:u8[2,1]
# check: --grid 1 --num-warps 2 -D ROWS=2 -D N=256 -D K=64 x=randn:fp64[2,256] out=empty:fp64[2,64]
# check: --grid 1 --num-warps 2 -D ROWS=2 -D N=256 -D K=64 x=rand:i64[2,256] out=empty:i64[2,64]
# check: --grid 1 --num-warps 4 -D ROWS=1 -D N=2048 -D K=32 x=randn:fp32[1,2048] out=empty:fp32[1,32]
@triton.jit
def top_of_rows(x, out, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    best = tl.topk(tl.load(x + row * N + tl.arange(0, N)[None, :]), K)
    tl.store(out + row * K + tl.arange(0, K)[None, :], best)


# check: --grid 2 -D K=8 -D C=64 x=rand:i32[2,500] out=empty:i32[2,8] n=500
# check: --grid 1 --num-warps 2 -D K=4 -D C=256 x=rand:i32[1,200] out=empty:i32[1,4] n=200
# check: --grid 1 --num-warps 8 -D K=16 -D C=1024 x=rand:i32[1,2049] out=empty:i32[1,16] n=2049
@triton.jit
def top_by_chunks(x, out, n, K: tl.constexpr, C: tl.constexpr):
    row, c = tl.program_id(0), tl.arange(0, C)
    best = tl.topk(tl.load(x + row * n + c, mask=c < n, other=-2147483648), K)
    for first in range(C, n, C):
        more = tl.topk(tl.load(x + row * n + first + c, mask=first + c < n, other=-2147483648), K)
        best = tl.topk(tl.reshape(tl.join(best, more), [2 * K]), K)
    tl.store(out + row * K + tl.arange(0, K), best)


# check: --grid 2 -D ROWS=4 -D N=32 x=rand:i16[8,32] out=empty:i16[8,32]
# check: --grid 1 --num-warps 8 -D ROWS=1 -D N=2048 x=rand:u16[1,2048] out=empty:u16[1,2048]
# check: --grid 1 --num-warps 4 -D ROWS=2 -D N=512 x=randn:bf16[2,512] out=empty:bf16[2,512]
# check: --grid 1 --num-warps 1 -D ROWS=1 -D N=32 x=randn:fp16[1,32] out=empty:fp16[1,32]
# check: --grid 1 --num-warps 1 -D ROWS=1 -D N=512 x=rand:i16[1,512] out=empty:i16[1,512]
# check: --grid 2 --num-warps 8 -D ROWS=16 -D N=64 x=rand:u8[32,64] out=empty:u8[32,64]
# check: --grid 1 --num-warps 2 -D ROWS=2 -D N=128 x=randn:fp64[2,128] out=empty:fp64[2,128]
# check: --grid 1 --num-warps 2 -D ROWS=2 -D N=128 x=rand:u64[2,128] out=empty:u64[2,128]
# check: --grid 1 --num-warps 8 -D ROWS=1 -D N=4096 x=rand:i32[4096] out=empty:i32[4096]
@triton.jit
def sort_many(x, out, ROWS: tl.constexpr, N: tl.constexpr):
    at = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at)))


# check: --grid 3 -D BLOCK=256 -D BINS=64 x=rand:i32[700] out=zeros:i32[64] n=700
# check: --grid 1 --num-warps 8 -D BLOCK=1024 -D BINS=16 x=rand:i32[700] out=zeros:i32[16] n=700
@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0) & (BINS - 1)
    counts = tl.histogram(v, BINS, mask=i < n)
    tl.atomic_add(out + tl.arange(0, BINS), counts)


# check: --grid 1 -D BLOCK=256 -D E=8 -D TOPK=2 ids=rand:i32[200] sorted=empty:i32[200] ends=empty:i32[8] n=200
@triton.jit
def sort_tokens_by_expert(ids, sorted, ends, n, BLOCK: tl.constexpr, E: tl.constexpr, TOPK: tl.constexpr):
    """A counting sort by scans of one-hot rows."""
    i = tl.arange(0, BLOCK)
    e = tl.arange(0, E)
    expert = tl.load(ids + i, mask=i < n, other=0) & (E - 1)
    hot = ((expert[:, None] == e[None, :]) & (i < n)[:, None]).to(tl.int32)
    before = tl.cumsum(hot, 0)
    counts = tl.sum(hot, 0)
    end = tl.cumsum(counts, 0)
    tl.store(ends + e, end)
    rank = tl.sum((before - 1 + (end - counts)[None, :]) * hot, 1)
    tl.store(sorted + rank, i // TOPK, mask=i < n)


# check: --grid 5 -D BLOCK_D=64 ids=rand:i64[40] table=randn:fp16[100,50] out=empty:fp16[40,50] n=40 D=50 V=100 -D BLOCK_N=8
@triton.jit
def embedding_gather(ids, table, out, n, D, V, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr):
    i = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    d = tl.arange(0, BLOCK_D)
    row = tl.load(ids + i, mask=i < n, other=0)
    row = tl.where(row < 0, -(row % V), row % V)
    mask = (i < n)[:, None] & (d < D)[None, :]
    x = tl.load(table + row[:, None] * D + d[None, :], mask=mask, other=0.0)
    tl.store(out + i[:, None] * D + d[None, :], x, mask=mask)


# check: --grid 5 -D BLOCK_D=64 ids=rand:i32[40] grad=randn:fp32[40,50] table=zeros:fp32[16,50] n=40 D=50 -D BLOCK_N=8
# check: --grid 5 -D BLOCK_D=64 ids=rand:i32[40] grad=ones:fp16[40,50] table=zeros:fp16[16,50] n=40 D=50 -D BLOCK_N=8
@triton.jit
def embedding_backward(ids, grad, table, n, D, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr):
    i = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    d = tl.arange(0, BLOCK_D)
    row = tl.load(ids + i, mask=i < n, other=0) & 15
    mask = (i < n)[:, None] & (d < D)[None, :]
    g = tl.load(grad + i[:, None] * D + d[None, :], mask=mask, other=0.0)
    tl.atomic_add(table + row[:, None] * D + d[None, :], g, mask=mask)


# check: --grid 3,2 -D B=32 x=randn:fp32[70,60] y=empty:fp32[60,70] M=70 N=60
# check: --grid 2,1 --num-warps 8 -D B=64 x=rand:u8[70,60] y=empty:u8[60,70] M=70 N=60
# check: --grid 3,2 --num-warps 2 -D B=32 x=randn:bf16[96,64] y=empty:bf16[64,96] M=96 N=64
# check: --grid 1,1 --num-warps 8 -D B=128 x=rand:i64[100,128] y=empty:i64[128,100] M=100 N=128
@triton.jit
def transpose(x, y, M, N, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    t = tl.load(x + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0)
    tl.store(y + n[:, None] * M + m[None, :], tl.trans(t), mask=(n[:, None] < N) & (m[None, :] < M))


# check: --grid 2 -D A=4 -D B=8 -D C=16 x=randn:fp32[2,4,8,16] y=empty:fp32[2,16,4,8] z=empty:fp32[2,8,4,16]
# check: --grid 2 --num-warps 8 -D A=16 -D B=2 -D C=64 x=randn:fp16[2,16,2,64] y=empty:fp16[2,64,16,2] z=empty:fp16[2,2,16,64]
@triton.jit
def permutations(x, y, z, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    p = tl.program_id(0) * A * B * C
    a = tl.arange(0, A)
    b = tl.arange(0, B)
    c = tl.arange(0, C)
    t = tl.load(x + p + (a[:, None, None] * B + b[None, :, None]) * C + c[None, None, :])
    tl.store(y + p + (c[:, None, None] * A + a[None, :, None]) * B + b[None, None, :], tl.permute(t, (2, 0, 1)))
    tl.store(z + p + (b[:, None, None] * A + a[None, :, None]) * C + c[None, None, :], tl.permute(t, (1, 0, 2)))


# check: --grid 2 -D R=8 -D C=32 x=randn:fp32[2,8,32] index=rand:i32[2,8,32] a=empty:fp32[2,8,32] b=empty:fp32[2,8,32] c=empty:fp32[2,8,32]
# check: --grid 2 --num-warps 1 -D R=16 -D C=4 x=randn:fp16[2,16,4] index=rand:i32[2,16,4] a=empty:fp16[2,16,4] b=empty:fp16[2,16,4] c=empty:fp16[2,16,4]
@triton.jit
def gathers(x, index, a, b, c, R: tl.constexpr, C: tl.constexpr):
    at = tl.program_id(0) * R * C + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    v = tl.load(x + at)
    i = tl.load(index + at)
    tl.store(a + at, tl.gather(v, i & (C - 1), 1))
    tl.store(b + at, tl.gather(v, i & (R - 1), 0))
    tl.store(c + at, tl.flip(v, 0) + tl.flip(v, 1))


# check: --grid 2 -D N=64 x=randn:fp32[2,64] y=randn:fp32[2,64] out=empty:fp32[2,128] pairs=empty:fp32[2,64] odd=empty:fp32[2,32] both=empty:fp32[2,128]
# check: --grid 2 --num-warps 8 -D N=256 x=randn:fp16[2,256] y=randn:fp16[2,256] out=empty:fp16[2,512] pairs=empty:fp16[2,256] odd=empty:fp16[2,128] both=empty:fp16[2,512]
@triton.jit
def interleaved(x, y, out, pairs, odd, both, N: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, N)
    u = tl.load(x + p * N + i)
    v = tl.load(y + p * N + i)
    tl.store(out + p * 2 * N + tl.arange(0, 2 * N), tl.interleave(u, v))
    even, odds = tl.split(tl.reshape(u, (N // 2, 2)))
    tl.store(pairs + p * N + i, tl.interleave(-odds, even))
    tl.store(odd + p * (N // 2) + tl.arange(0, N // 2), odds)
    tl.store(both + p * 2 * N + tl.arange(0, 2 * N), tl.join(u, v).trans().reshape(2 * N))


# check: --grid 2 -D N=64 a=randn:fp8e4nv[2,64] b=randn:fp8e4nv[2,64] c=rand:i8[2,64] out=empty:fp8e4nv[2,128] chosen=empty:fp8e4nv[2,64]
# check: --grid 2 --num-warps 1 -D N=128 a=randn:fp8e5[2,128] b=randn:fp8e5[2,128] c=rand:i8[2,128] out=empty:fp8e5[2,256] chosen=empty:fp8e5[2,128]
@triton.jit
def moves_of_fp8(a, b, c, out, chosen, N: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, N)
    x = tl.load(a + p * N + i)
    y = tl.load(b + p * N + i)
    tl.store(out + p * 2 * N + tl.arange(0, 2 * N), tl.interleave(y, x))
    u, v = tl.split(tl.join(tl.flip(x), y))
    picked = tl.where(tl.load(c + p * N + i) > 0, u, v)
    tl.store(chosen + p * N + i, tl.where(i < 3, 0.0, picked))


# check: --grid 1 -D M=4 -D N=16 x=arange:i32[64] y=zeros:i32[64]
# check: --grid 1 -D M=8 -D N=64 x=randn:fp32[512] y=zeros:fp32[512]
# check: --grid 1 -D M=2 -D N=256 x=rand:i16[512] y=zeros:i16[512]
@triton.jit
def bitonic_merges(x, y, M: tl.constexpr, N: tl.constexpr):
    """Rows that go up and down come out sorted; of others only the steps are the same."""
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + i)
    tl.store(y + i, tl.bitonic_merge(v))
    tl.debug_barrier()
    tl.store(y + i, tl.load(y + i) + tl.bitonic_merge(tl.bitonic_merge(v, 1, descending=True), 0))
