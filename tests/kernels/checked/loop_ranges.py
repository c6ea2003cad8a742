"""Loops whose sums stay within their types' range as written: terms that cancel within an iteration, and powers relative to a running
maximum that are multiplied before they are cast."""
import triton
import triton.language as tl


# check: --grid 1 -D BLOCK=128 x=full(20000):fp16[1024] out=zeros:fp16[1] n=1024
# check: --grid 1 -D BLOCK=128 x=full(1.2e38):fp32[1024] out=zeros:fp32[1] n=1024
# check: --grid 1 -D BLOCK=128 x=full(1.2e38):fp32[2000] out=full(3e38):fp32[1] n=2000
# check: --grid 1 -D BLOCK=128 x=full(1e-37):fp32[1024] out=zeros:fp32[1] n=1024
# check: --grid 1 -D BLOCK=128 x=full(1.2e38):fp32[0] out=full(1e-40):fp32[1] n=0
@triton.jit
def cancels(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.load(out)
    for start in range(0, n, BLOCK):
        v = tl.load(x + start + i, mask=start + i < n, other=0.0)
        total += tl.sum(tl.where(i % 2 == 0, v, -v), 0)
    tl.store(out, total)


# check: --grid 1 -D BLOCK=128 -D ROWS=16 x=full(20000):fp16[16,1024] w=ones:fp16[1024] out=zeros:fp16[16] n=1024
# check: --grid 1 -D BLOCK=64 -D ROWS=16 x=full(1.2e38):fp32[16,1024] w=ones:fp32[1024] out=zeros:fp32[16] n=1024
# check: --grid 1 -D BLOCK=64 -D ROWS=4 x=full(1.2e38):bf16[4,1024] w=ones:bf16[1024] out=zeros:fp32[4] n=1024
@triton.jit
def cancels_in_rows(x, w, out, n, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    i = tl.arange(0, BLOCK)
    r = tl.arange(0, ROWS)
    total = tl.load(out + r)
    for start in range(0, n, BLOCK):
        v = tl.load(x + r[:, None] * n + start + i[None, :]) * tl.load(w + start + i)[None, :]
        total += tl.sum(tl.where(i[None, :] % 2 == 0, v, -v), 1)
    tl.store(out + r, total)


# check: --grid 1 --arch sm_90a -D D=128 -D BLOCK=64 -D ROWS=64 q=ones:fp8e4nv[64,128] k=rand:fp8e4nv[256,128] v=rand:fp8e4nv[128,256] out=empty:fp32[64,128] T=256 factor=448.0 more=7.5
# check: --grid 1 --arch sm_90a -D D=128 -D BLOCK=64 -D ROWS=64 q=ones:fp8e5[64,128] k=rand:fp8e5[256,128] v=rand:fp8e5[128,256] out=empty:fp32[64,128] T=256 factor=57344.0 more=6.0
@triton.jit
def powers_in_fp8(q, k, v, out, T, factor, more, D: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.arange(0, ROWS)
    d = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + d[None, :])
    acc = tl.zeros((ROWS, D), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    top = tl.zeros((ROWS,), tl.float32) - float("inf")
    for start in range(0, T, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        s = tl.dot(queries, tl.load(k + cols[None, :] * D + d[:, None])) * 0.05 + tl.where(start > 0, more, 0.0)
        new_top = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        total = total * shrink + tl.sum(p, 1)
        values = tl.load(v + cols[:, None] + d[None, :] * T)
        acc = tl.dot((p * factor).to(values.dtype), values, acc * shrink[:, None])
        top = new_top
    tl.store(out + rows[:, None] * D + d[None, :], acc / (total[:, None] * factor))


# check: --grid 1 --arch sm_90a -D D=128 -D BLOCK=64 -D ROWS=64 -D FACTOR=512.0 -D NEGATIVE=False q=ones:fp16[64,128] k=rand:fp16[256,128] v=rand:fp16[256,128] out=empty:fp32[64,128] T=256 scale=0.05 more=155.0
# check: --grid 1 --arch sm_90a -D D=128 -D BLOCK=64 -D ROWS=64 -D FACTOR=57344.0 -D NEGATIVE=False q=ones:fp16[64,128] k=rand:fp16[256,128] v=rand:fp16[256,128] out=empty:fp32[64,128] T=256 scale=0.05 more=80.0
# The maximum is multiplied after it was found: powers are more than 1 where the scale is negative.
# check: --grid 1 --arch sm_90a -D D=128 -D BLOCK=64 -D ROWS=64 -D FACTOR=2048.0 -D NEGATIVE=True q=ones:fp16[64,128] k=rand:fp16[256,128] v=rand:fp16[256,128] out=empty:fp32[64,128] T=256 scale=-0.2 more=-30.0
@triton.jit
def powers_in_fp16(q, k, v, out, T, scale, more, D: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr, FACTOR: tl.constexpr,
                   NEGATIVE: tl.constexpr):
    rows = tl.arange(0, ROWS)
    d = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + d[None, :])
    acc = tl.zeros((ROWS, D), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    top = tl.zeros((ROWS,), tl.float32) - float("inf")
    for start in range(0, T, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        s = tl.dot(queries, tl.load(k + cols[None, :] * D + d[:, None])) + tl.where(start > 0, more, 0.0)
        if NEGATIVE:
            new_top = tl.maximum(top, tl.max(s, 1) * scale)
        else:
            new_top = tl.maximum(top, tl.max(s * scale, 1))
        p = tl.exp2(s * scale - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        total = total * shrink + tl.sum(p, 1)
        values = tl.load(v + cols[:, None] * D + d[None, :])
        acc = tl.dot((p * FACTOR).to(values.dtype), values, acc * shrink[:, None])
        top = new_top
    tl.store(out + rows[:, None] * D + d[None, :], acc / (total[:, None] * FACTOR))
