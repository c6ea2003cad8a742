# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Right kernels, from which the group `planted` makes wrong ones. A comment above a kernel says
  # right: OPTION... NAME=SPEC...   a launch that passes --check;
  # same: SED                       another right implementation, which passes as well where the first one is the reference;
  # wrong: SED                      a wrong one, which does not.
All results go through `put`, which the group makes wrong too."""
import triton
import triton.language as tl


@triton.jit
def put(at, values, mask=None):
    tl.store(at, values, mask=mask)


# right: --grid 4 -D BM=32 -D BN=32 -D BK=32 a=randn:fp16[64,128] b=randn:fp16[128,64] c=empty:fp16[64,64] N=64 K=128
# right: --grid 4 -D BM=32 -D BN=32 -D BK=32 a=randn:fp8e4nv[64,128] b=randn:fp8e4nv[128,64] c=empty:fp32[64,64] N=64 K=128
# right: --grid 4 -D BM=32 -D BN=32 -D BK=64 a=randn:fp8e4nv[64,192] b=randn:fp8e4nv[192,64] c=empty:fp8e4nv[64,64] N=64 K=192
# right: --grid 4 -D BM=32 -D BN=32 -D BK=32 a=randn:fp8e5[64,64] b=randn:fp8e5[64,64] c=empty:fp8e5[64,64] N=64 K=64
# right: --grid 4 -D BM=32 -D BN=32 -D BK=32 a=randn:fp32[64,96] b=randn:fp32[96,64] c=empty:fp32[64,64] N=64 K=96
# right: --grid 4 -D BM=32 -D BN=32 -D BK=32 a=randn:bf16[64,96] b=randn:bf16[96,64] c=empty:bf16[64,64] N=64 K=96
# same: s/range(0, K, BK)/range(K - BK, -BK, -BK)/
# wrong: s/range(0, K, BK)/range(0, K - BK, BK)/
# same: s/pid % (N/(N - 1 - pid) % (N/
# wrong: s/k + tl.arange(0, BK))\[None/k + 1 - tl.arange(0, BK) % 2)[None/
@triton.jit
def matmul(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    m = pid // (N // BN) * BM + tl.arange(0, BM)
    n = pid % (N // BN) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (k + tl.arange(0, BK))[None, :])
        y = tl.load(b + (k + tl.arange(0, BK))[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc)
    put(c + m[:, None] * N + n[None, :], (acc * 0.25).to(c.dtype.element_ty))


# right: --grid 2 -D D=64 -D BLOCK=64 q=randn:fp8e4nv[128,64] k=randn:fp8e4nv[256,64] v=randn:fp8e4nv[64,256] out=empty:fp16[128,64] T=256 scale=0.18 factor=1.0
# right: --grid 2 -D D=128 -D BLOCK=64 q=randn:fp8e4nv[128,128] k=randn:fp8e4nv[192,128] v=randn:fp8e4nv[128,192] out=empty:fp32[128,128] T=192 scale=0.25 factor=448.0
# right: --grid 2 -D D=64 -D BLOCK=64 q=randn:fp8e5[128,64] k=randn:fp8e5[256,64] v=randn:fp8e5[64,256] out=empty:fp16[128,64] T=256 scale=0.18 factor=1.0
# right: --grid 2 -D D=64 -D BLOCK=64 q=randn:fp8e4nv[128,64] k=randn:fp8e4nv[256,64] v=randn:fp8e4nv[64,256] out=empty:fp8e4nv[128,64] T=256 scale=0.18 factor=1.0
# right: --grid 2 -D D=64 -D BLOCK=64 q=randn:fp16[128,64] k=randn:fp16[192,64] v=randn:fp16[64,192] out=empty:fp16[128,64] T=192 scale=0.18 factor=1.0
# right: --grid 2 -D D=32 -D BLOCK=32 q=randn:bf16[128,32] k=randn:bf16[128,32] v=randn:bf16[32,128] out=empty:bf16[128,32] T=128 scale=0.3 factor=1.0
# same: s/range(0, T, BLOCK)/range(T - BLOCK, -BLOCK, -BLOCK)/
# wrong: s/acc \* shrink.:, None./acc/
# wrong: s/(total.:, None. \* factor)/(total[:, None] * factor * 2)/
@triton.jit
def attention(q, k, v, out, T, scale, factor, D: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * 64 + tl.arange(0, 64)
    d = tl.arange(0, D)
    Q = tl.load(q + rows[:, None] * D + d[None, :])
    acc = tl.zeros((64, D), tl.float32)
    total = tl.zeros((64,), tl.float32)
    top = tl.zeros((64,), tl.float32) - float("inf")
    for start in range(0, T, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        s = tl.dot(Q, tl.load(k + cols[None, :] * D + d[:, None])) * scale
        new_top = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        total = total * shrink + tl.sum(p, 1)
        V = tl.load(v + cols[:, None] + d[None, :] * T)
        acc = tl.dot((p * factor).to(V.dtype), V, acc * shrink[:, None])
        top = new_top
    put(out + rows[:, None] * D + d[None, :], (acc / (total[:, None] * factor)).to(out.dtype.element_ty))


# right: --grid 3 -D N=256 x=randn:fp16[3,200] y=empty:fp16[3,200] n=200
# right: --grid 3 -D N=512 x=randn:fp32[3,500] y=empty:fp8e4nv[3,500] n=500
# same: s/tl.exp(v - tl.max(v, 0))/tl.exp2((v - tl.max(v, 0)) * 1.4426950408889634)/
# wrong: s/tl.max(v, 0)/tl.max(v, 0) * 0.5/;s/tl.sum(e, 0)/tl.max(e, 0)/
@triton.jit
def softmax(x, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=float("-inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    put(y + tl.program_id(0) * n + i, (e / tl.sum(e, 0)).to(y.dtype.element_ty), i < n)


# right: --grid 3 -D N=256 x=randn:bf16[3,200] w=randn:fp32[200] y=empty:bf16[3,200] n=200
# right: --grid 3 -D N=128 x=randn:fp16[3,128] w=randn:fp32[128] y=empty:fp8e5[3,128] n=128
# same: s/tl.sum(c \* c, 0) . n/tl.sum(v * v, 0) \/ n - mean * mean/
# wrong: s/tl.sum(c \* c, 0) . n/tl.sum(v * v, 0) \/ (2 * n)/
@triton.jit
def layer_norm(x, w, y, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0).to(tl.float32)
    mean = tl.sum(v, 0) / n
    c = tl.where(i < n, v - mean, 0)
    var = tl.sum(c * c, 0) / n
    z = c * tl.rsqrt(var + 1e-5) * tl.load(w + i, mask=i < n, other=0)
    put(y + tl.program_id(0) * n + i, z.to(y.dtype.element_ty), i < n)


# right: --grid 4 -D N=256 x=randn:fp16[4,256] y=empty:fp8e4nv[4,256] scales=empty:fp32[4] most=448.0
# right: --grid 4 -D N=256 x=randn:fp32[4,256] y=empty:i8[4,256] scales=empty:fp32[4] most=127.0
# wrong: s/v . scale/v * scale/
@triton.jit
def quantise(x, y, scales, most, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    v = tl.load(x + row * N + i).to(tl.float32)
    scale = tl.max(tl.abs(v), 0) / most
    put(y + row * N + i, (v / scale).to(y.dtype.element_ty))
    tl.store(scales + row, scale)


# right: --grid 4 -D N=256 x=randn:fp16[1000] g=randn:fp16[1000] y=empty:fp16[1000] n=1000
# right: --grid 4 -D N=256 x=randn:fp32[1000] g=randn:fp32[1000] y=empty:fp8e4nv[1000] n=1000
# same: s/v \* tl.sigmoid(v)/v \/ (1 + tl.exp(-v))/
# wrong: s/tl.sigmoid(v)/tl.sigmoid(v * 1.702)/
@triton.jit
def swiglu(x, g, y, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i, mask=i < n, other=0).to(tl.float32)
    z = v * tl.sigmoid(v) * tl.load(g + i, mask=i < n, other=0).to(tl.float32)
    put(y + i, z.to(y.dtype.element_ty), i < n)


# right: --grid 4 -D N=128 x=randn:fp32[4,128] y=empty:fp32[4,128] at=empty:i32[4]
# right: --grid 4 -D N=64 x=randn:fp16[4,64] y=empty:fp16[4,64] at=empty:i32[4]
# wrong: s/tl.sort(v)/tl.sort(v, descending=True)/
# wrong: s/tl.argmax(v, 0)/tl.argmin(v, 0)/
@triton.jit
def sorted_rows(x, y, at, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    v = tl.load(x + row * N + i)
    put(y + row * N + i, tl.sort(v))
    tl.store(at + row, tl.argmax(v, 0))


# right: --grid 4 -D N=256 x=randn:fp32[4,256] y=empty:fp32[4,256]
# right: --grid 4 -D N=256 x=randint(0,9):i32[4,256] y=empty:i32[4,256]
# wrong: s/tl.cumsum(v, 0)/tl.cumsum(v, 0, reverse=True)/
@triton.jit
def sums(x, y, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    v = tl.load(x + row * N + i)
    put(y + row * N + i, tl.cumsum(v, 0))


# right: --grid 4 -D N=256 x=randn:fp32[4,250] label=randint(0,250):i32[4] loss=empty:fp32[4] n=250
# right: --grid 3 -D N=1024 x=randn:fp16[3,1000] label=randint(0,1000):i32[3] loss=empty:fp32[3] n=1000
# same: s/tl.exp(v - most)/tl.exp2((v - most) * 1.4426950408889634)/
# wrong: s/tl.log(/tl.log2(/
@triton.jit
def cross_entropy(x, label, loss, n, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    v = tl.load(x + row * n + i, mask=i < n, other=float("-inf")).to(tl.float32)
    most = tl.max(v, 0)
    target = tl.load(x + row * n + tl.load(label + row)).to(tl.float32)
    put(loss + row, most + tl.log(tl.sum(tl.exp(v - most), 0)) - target)


# right: --grid 4 -D D=64 x=randn:fp16[4,8,64] y=empty:fp16[4,8,64]
# right: --grid 4 -D D=32 x=randn:bf16[4,8,32] y=empty:bf16[4,8,32]
# wrong: s/a \* s + b \* c/b * c - a * s/
@triton.jit
def rotated(x, y, D: tl.constexpr):
    h, i = tl.arange(0, 8)[:, None], tl.arange(0, D // 2)[None, :]
    at = tl.program_id(0) * 8 * D + h * D + i
    a = tl.load(x + at).to(tl.float32)
    b = tl.load(x + at + D // 2).to(tl.float32)
    angle = (tl.program_id(0) + 1) * tl.exp(i * (-2.0 / D))
    c, s = tl.cos(angle), tl.sin(angle)
    put(y + at, (a * c - b * s).to(y.dtype.element_ty))
    put(y + at + D // 2, (a * s + b * c).to(y.dtype.element_ty))


# right: --grid 4 -D BM=32 -D BN=32 -D BK=32 a=randint(-100,100):i8[64,96] b=randint(-100,100):i8[96,64] sa=rand:fp32[64] sb=rand:fp32[64] c=empty:bf16[64,64] N=64 K=96
# right: --grid 4 -D BM=32 -D BN=32 -D BK=32 a=randn:fp8e4nv[64,96] b=randn:fp8e4nv[96,64] sa=rand:fp32[64] sb=rand:fp32[64] c=empty:bf16[64,64] N=64 K=96
# same: s/range(0, K, BK)/range(K - BK, -BK, -BK)/
# wrong: s/tl.load(sa + m)/tl.load(sa + n)/
@triton.jit
def scaled_matmul(a, b, sa, sb, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    m = pid // (N // BN) * BM + tl.arange(0, BM)
    n = pid % (N // BN) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (k + tl.arange(0, BK))[None, :])
        y = tl.load(b + (k + tl.arange(0, BK))[:, None] * N + n[None, :])
        acc += tl.dot(x, y).to(tl.float32)
    z = acc * tl.load(sa + m)[:, None] * tl.load(sb + n)[None, :]
    put(c + m[:, None] * N + n[None, :], z.to(c.dtype.element_ty))
