"""Attention of one new token a sequence, split over the keys; and what joins the splits."""
import triton
import triton.language as tl


# check: --grid 2,1,3 -D BLOCK_N=32 -D BLOCK_H=16 -D D=64 -D SPLITS=3 Q=randn:fp16[2,8,64] K=randn:fp16[2,100,64] V=randn:fp16[2,100,64] lens=ones:i32[2] Part=empty:fp32[2,3,8,64] Lse=empty:fp32[2,3,8] scale=0.125 H=8 S=100
# check: --grid 2,1,1 --num-warps 2 -D BLOCK_N=16 -D BLOCK_H=16 -D D=128 -D SPLITS=1 Q=randn:bf16[2,16,128] K=randn:bf16[2,40,128] V=randn:bf16[2,40,128] lens=ones:i32[2] Part=empty:fp32[2,1,16,128] Lse=empty:fp32[2,1,16] scale=0.088 H=16 S=40
# check: --grid 1,1,2 --num-warps 4 -D BLOCK_N=32 -D BLOCK_H=16 -D D=512 -D SPLITS=2 Q=randn:fp16[1,16,512] K=randn:fp16[1,128,512] V=randn:fp16[1,128,512] lens=ones:i32[1] Part=empty:fp32[1,2,16,512] Lse=empty:fp32[1,2,16] scale=0.044 H=16 S=128
@triton.jit
def decode_split(Q, K, V, lens, Part, Lse, scale, H, S, BLOCK_N: tl.constexpr, BLOCK_H: tl.constexpr,
                 D: tl.constexpr, SPLITS: tl.constexpr):
    b = tl.program_id(0)
    split = tl.program_id(2)
    length = S - 7 * tl.load(lens + b)
    h = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    d = tl.arange(0, D)
    q = tl.load(Q + (b * H + h[:, None]) * D + d[None, :], mask=h[:, None] < H, other=0.0)
    per = tl.cdiv(length, SPLITS)
    lo = per * split
    hi = tl.minimum(lo + per, length)
    m = tl.full([BLOCK_H], float("-inf"), tl.float32)
    l = tl.zeros([BLOCK_H], tl.float32)
    acc = tl.zeros([BLOCK_H, D], tl.float32)
    if hi > lo:
        for start in range(lo, hi, BLOCK_N):
            n = start + tl.arange(0, BLOCK_N)
            k = tl.load(K + (b * S + n[None, :]) * D + d[:, None], mask=n[None, :] < hi, other=0.0)
            qk = tl.dot(q, k.to(q.dtype)) * scale
            qk = tl.where((h[:, None] < H) & (n[None, :] < hi), qk, float("-inf"))
            v = tl.load(V + (b * S + n[:, None]) * D + d[None, :], mask=n[:, None] < hi, other=0.0)
            m_new = tl.maximum(tl.max(qk, 1), m)
            m_safe = tl.where(m_new == float("-inf"), 0.0, m_new)
            rescale = tl.exp(m - m_safe)
            p = tl.exp(qk - m_safe[:, None])
            acc *= rescale[:, None]
            acc += tl.dot(p.to(v.dtype), v)
            l = l * rescale + tl.sum(p, 1)
            m = m_new
        at = (b * SPLITS + split) * H + h
        inside = h < H
        tl.store(Part + at[:, None] * D + d[None, :], acc / tl.where(l == 0, 1.0, l)[:, None], mask=inside[:, None])
        tl.store(Lse + at, tl.where(inside, m + tl.log(l), 0.0), mask=inside)


# check: --grid 2,8 -D SPLITS=3 -D D=64 -D BLOCK_D=64 Part=randn:fp32[2,3,8,64] Lse=randn:fp32[2,3,8] Out=empty:fp16[2,8,64] H=8
# check: --grid 2,8 --num-warps 2 -D SPLITS=4 -D D=80 -D BLOCK_D=128 Part=randn:fp32[2,4,8,80] Lse=randn:fp32[2,4,8] Out=empty:bf16[2,8,80] H=8
@triton.jit
def decode_join(Part, Lse, Out, H, SPLITS: tl.constexpr, D: tl.constexpr, BLOCK_D: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    d = tl.arange(0, BLOCK_D)
    acc = tl.zeros([BLOCK_D], tl.float32)
    m = -float("inf")
    l = 0.0
    for s in range(0, SPLITS):
        at = (b * SPLITS + s) * H + h
        part = tl.load(Part + at * D + d, mask=d < D, other=0.0)
        lse = tl.load(Lse + at)
        m_new = tl.maximum(lse, m)
        old = tl.exp(m - m_new)
        w = tl.exp(lse - m_new)
        acc = acc * old + w * part
        l = l * old + w
        m = m_new
    tl.store(Out + (b * H + h) * D + d, acc / l, mask=d < D)


# check: --grid 5,2 -D BLOCK_N=32 -D D=64 Q=randn:fp16[5,2,64] K=randn:fp16[5,70,64] V=randn:fp16[5,70,64] Out=empty:fp16[5,2,64] scale=0.125 S=70
@triton.jit
def decode_one_head(Q, K, V, Out, scale, S, BLOCK_N: tl.constexpr, D: tl.constexpr):
    """No dots: sums of vectors that are multiplied element by element."""
    b = tl.program_id(0)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    n = tl.arange(0, BLOCK_N)
    q = tl.load(Q + (b * 2 + h) * D + d).to(tl.float32)
    m = float("-inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for start in range(0, S, BLOCK_N):
        inside = start + n < S
        k = tl.load(K + (b * S + start + n[:, None]) * D + d[None, :], mask=inside[:, None], other=0.0)
        s = tl.sum(q[None, :] * k, 1) * scale
        s = tl.where(inside, s, float("-inf"))
        v = tl.load(V + (b * S + start + n[:, None]) * D + d[None, :], mask=inside[:, None], other=0.0)
        m_new = tl.maximum(tl.max(s, 0), m)
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new)
        acc = acc * alpha + tl.sum(p[:, None] * v, 0)
        l = l * alpha + tl.sum(p, 0)
        m = m_new
    tl.store(Out + (b * 2 + h) * D + d, acc / l)
