"""Dots in unusual places: in branches, in while loops, chained, batched, next to scans and atomics."""
import triton
import triton.language as tl


# check: --grid 2,2 -D B=32 A=randn:fp16[64,64] W=randn:fp16[64,64] V=randn:fp16[64,64] C=empty:fp32[64,64] flag=1 K=64
# check: --grid 2,2 -D B=32 A=randn:fp16[64,64] W=randn:fp16[64,64] V=randn:fp16[64,64] C=empty:fp32[64,64] flag=0 K=64
@triton.jit
def product_in_branch(A, W, V, C, flag, K, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    k = tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for i in range(0, K, B):
        a = tl.load(A + m[:, None] * K + (i + k)[None, :])
        if flag == 1:
            w = tl.load(W + (i + k)[:, None] * K + n[None, :])
            acc += tl.dot(a, w)
        else:
            v = tl.load(V + (i + k)[:, None] * K + n[None, :])
            acc -= tl.dot(a, v)
    tl.store(C + m[:, None] * K + n[None, :], acc)


# check: --grid 3 -D B=16 -D H=64 X=randn:bf16[40,64] W1=randn:bf16[64,64] W2=randn:bf16[64,64] G=randn:bf16[64,64] Y=empty:bf16[40,64] M=40
# check: --grid 1 --num-warps 8 -D B=64 -D H=128 X=randn:fp16[40,128] W1=randn:fp16[128,128] W2=randn:fp16[128,128] G=randn:fp16[128,128] Y=empty:fp16[40,128] M=40
# check: --grid 1 --num-warps 4 -D B=64 -D H=128 X=randn:fp16[40,128] W1=randn:fp16[128,128] W2=randn:fp16[128,128] G=randn:fp16[128,128] Y=empty:fp16[40,128] M=40
@triton.jit
def fused_mlp(X, W1, G, W2, Y, M, B: tl.constexpr, H: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    h = tl.arange(0, H)
    x = tl.load(X + m[:, None] * H + h[None, :], mask=(m < M)[:, None], other=0.0)
    acc = tl.zeros((B, H), tl.float32)
    for j in range(0, H, 32):
        c = j + tl.arange(0, 32)
        w1 = tl.load(W1 + h[:, None] * H + c[None, :])
        g = tl.load(G + h[:, None] * H + c[None, :])
        w2 = tl.load(W2 + c[:, None] * H + h[None, :])
        gate = tl.dot(x, g) * 0.1
        t = tl.dot(x, w1) * gate * tl.sigmoid(gate) * 0.1
        acc = tl.dot(t.to(x.dtype), w2, acc)
    tl.store(Y + m[:, None] * H + h[None, :], acc.to(x.dtype), mask=(m < M)[:, None])


# check: --grid 2 -D N=16 A=randn:fp32[2,16,16] out=empty:fp32[2,16,16] steps=5
# check: --grid 1 --num-warps 1 -D N=32 A=randn:fp32[1,32,32] out=empty:fp32[1,32,32] steps=3
@triton.jit
def newton_inverse(A, out, steps, N: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, N)
    at = p * N * N + i[:, None] * N + i[None, :]
    eye = (i[:, None] == i[None, :]).to(tl.float32)
    a = tl.load(A + at) * 0.02 + eye
    x = eye
    s = 0
    while s < steps:
        r = 2.0 * eye - tl.dot(a, x, input_precision="ieee")
        x = tl.dot(x, r, input_precision="ieee")
        s += 1
    tl.store(out + at, x)


# check: --grid 1 -D B=4 -D M=16 -D N=32 -D K=16 a=randn:fp16[4,16,16] b=randn:fp16[4,16,32] c=empty:fp32[4,16,32]
# check: --grid 1 --num-warps 8 -D B=2 -D M=32 -D N=32 -D K=32 a=randn:fp16[2,32,32] b=randn:fp16[2,32,32] c=empty:fp32[2,32,32]
# check: --grid 1 --num-warps 8 -D B=4 -D M=64 -D N=64 -D K=64 a=randn:fp16[4,64,64] b=randn:fp16[4,64,64] c=empty:fp32[4,64,64]
@triton.jit
def batched(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, B)[:, None, None]
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    x = tl.load(a + (i * M + m[None, :, None]) * K + k[None, None, :])
    y = tl.load(b + (i * K + k[None, :, None]) * N + n[None, None, :])
    tl.store(c + (i * M + m[None, :, None]) * N + n[None, None, :], tl.dot(x, y))


# uncertain: split_k_last_adds
# check: --grid 2,2,2 -D BM=32 -D BN=32 -D BK=32 -D SPLIT_K=2 A=randn:fp16[50,100] B=randn:fp16[100,60] C=empty:fp32[50,60] P=empty:fp32[2,64,64] Locks=zeros:i32[8] M=50 N=60 K=100
@triton.jit
def split_k_last_adds(A, B, C, P, Locks, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                      SPLIT_K: tl.constexpr):
    """The last program of a tile to come adds the parts."""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    pk = tl.program_id(2)
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    k = pk * BK + tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(K, BK * SPLIT_K)):
        kk = k + i * BK * SPLIT_K
        a = tl.load(A + m[:, None] * K + kk[None, :], mask=(m < M)[:, None] & (kk < K)[None, :], other=0.0)
        b = tl.load(B + kk[:, None] * N + n[None, :], mask=(kk < K)[:, None] & (n < N)[None, :], other=0.0)
        acc = tl.dot(a, b, acc)
    at = m[:, None] * 64 + n[None, :]
    tl.store(P + pk * 64 * 64 + at, acc)
    tl.debug_barrier()
    before = tl.atomic_add(Locks + pm * 2 + pn, 1, sem="acq_rel")
    tl.debug_barrier()
    if before == SPLIT_K - 1:
        total = tl.zeros((BM, BN), tl.float32)
        for s in range(0, SPLIT_K):
            total += tl.load(P + s * 64 * 64 + at)
        tl.store(C + m[:, None] * N + n[None, :], total, mask=(m < M)[:, None] & (n < N)[None, :])


# check: --grid 3 -D BLOCK_M=32 -D BLOCK_C=64 -D BLOCK_O=32 -D TAPS=3 x=randn:fp16[2,40,48] w=randn:fp16[3,48,32] y=empty:fp32[2,38,32] L=40 C=48 ROWS=76
@triton.jit
def conv1d_im2col(x, w, y, L, C, ROWS, BLOCK_M: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_O: tl.constexpr,
                  TAPS: tl.constexpr):
    r = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    out_len = L - TAPS + 1
    b = r // out_len
    t = r % out_len
    c = tl.arange(0, BLOCK_C)
    o = tl.arange(0, BLOCK_O)
    acc = tl.zeros((BLOCK_M, BLOCK_O), tl.float32)
    for tap in tl.static_range(TAPS):
        a = tl.load(x + ((b * L + t + tap) * C)[:, None] + c[None, :], mask=(r < ROWS)[:, None] & (c < C)[None, :], other=0.0)
        f = tl.load(w + (tap * C + c)[:, None] * BLOCK_O + o[None, :], mask=(c < C)[:, None], other=0.0)
        acc = tl.dot(a, f, acc)
    tl.store(y + r[:, None] * BLOCK_O + o[None, :], acc, mask=(r < ROWS)[:, None])


# check: --grid 2 -D N=64 x=randn:fp32[2,64,64] row=empty:fp32[2,64] col=empty:fp32[2,64] both=empty:fp32[2,64,64]
# check: --grid 2 --num-warps 8 -D N=16 x=randn:fp16[2,16,16] row=empty:fp32[2,16] col=empty:fp32[2,16] both=empty:fp32[2,16,16]
# check: --grid 1 --num-warps 8 -D N=128 x=randn:fp32[1,128,128] row=empty:fp32[1,128] col=empty:fp32[1,128] both=empty:fp32[1,128,128]
@triton.jit
def reductions_both_ways(x, row, col, both, N: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    v = tl.load(x + p * N * N + at).to(tl.float32)
    r = tl.sum(v, 1)
    c = tl.max(v, 0)
    total = tl.sum(r, 0)
    tl.store(row + p * N + i, r)
    tl.store(col + p * N + i, c)
    u = tl.cumsum(v, 0) * c[None, :] + tl.cumsum(v, 1, reverse=True) + r[:, None] - total
    tl.store(both + p * N * N + at, u)


# check: --grid 4 -D BLOCK=1024 -D DIM=64 x=randn:fp16[4,16,64] gamma=randn:fp16[64] out=empty:fp16[4,16,64] eps=1e-5
@triton.jit
def norm_of_heads(x, gamma, out, eps, BLOCK: tl.constexpr, DIM: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + p * BLOCK + i).to(tl.float32)
    h = tl.reshape(v, (BLOCK // DIM, DIM))
    rms = tl.rsqrt(tl.sum(h * h, 1) / DIM + eps)
    g = tl.load(gamma + tl.arange(0, DIM))
    y = h * rms[:, None] * g[None, :]
    half = tl.reshape(y, (BLOCK // DIM, 2, DIM // 2))
    a, b = tl.split(tl.permute(half, (0, 2, 1)))
    z = tl.join(-b, a)
    z = tl.reshape(tl.permute(z, (0, 2, 1)), (BLOCK,))
    tl.store(out + p * BLOCK + i, (tl.reshape(y, (BLOCK,)) + z).to(out.dtype.element_ty))


# check: --grid 2 -D BLOCK=128 seed=42 out_u=zeros:fp32[256] out_n=zeros:fp32[256] out_i=zeros:i32[1024] n=250
@triton.jit
def random_numbers(seed, out_u, out_n, out_i, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_u + i, tl.rand(seed, i), mask=i < n)
    tl.store(out_n + i, tl.randn(seed, i), mask=i < n)
    a, b, c, d = tl.randint4x(seed, i)
    j = tl.program_id(0) * BLOCK * 4 + tl.arange(0, BLOCK * 4)
    words = tl.reshape(tl.join(tl.join(a, c), tl.join(b, d)), (BLOCK * 4,))
    tl.store(out_i + j, words, mask=j < 4 * n)


# check: -D N=32 --grid 1 q=randn:bf16[32,32] k=randn:bf16[32,32] v=randn:bf16[32,32] o=empty:fp32[32,32] z=empty:fp32[32,32] s=empty:bf16[32]
@triton.jit
def operand_used_before(q, k, v, o, z, s, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x = tl.load(k + i[:, None] + i[None, :] * N)
    tl.store(s + i, tl.sum(x, axis=1))
    for _ in range(2):
        tl.store(o + at, tl.dot(tl.load(q + at), x))
    tl.store(z + at, tl.dot(x, tl.load(v + at)))


# The halves of a pair are scalars, of whatever layout the pair has.
# check: --grid 3 x=randn:fp32[6] out=empty:fp32[9] --num-warps 1
# check: --grid 3 x=rand:i64[6] out=empty:i64[9]
@triton.jit
def halves_of_pairs(x, out):
    pid = tl.program_id(0)
    pair = tl.load(x + pid * 2 + tl.arange(0, 2))
    first, second = tl.split(pair)
    most, least = tl.split(tl.flip(tl.sort(pair), 0))
    tl.store(out + pid * 3, first - second)
    tl.store(out + pid * 3 + 1, most)
    tl.store(out + pid * 3 + 2, least)


# Tiles of six dimensions.
# check: --grid 1 x=rand:i32[1024] out=empty:i32[1024]
@triton.jit
def six_dimensions(x, out):
    i = tl.arange(0, 1024)
    t = tl.load(x + i).reshape([2, 4, 2, 4, 2, 8])
    t = tl.permute(t, (5, 0, 4, 1, 3, 2)) + tl.sum(t, axis=3)[:, :, :, None, :, :].reshape([8, 2, 2, 4, 1, 2])
    tl.store(out + i, tl.cumsum(t, 3).reshape([1024]))


# check: --grid 1 x=randn:bf16[4096] y=randn:bf16[4096] out=empty:fp32[4096] -D TRANSPOSED=True
# check: --grid 1 x=randn:fp16[4096] y=randn:fp16[4096] out=empty:fp32[4096] -D TRANSPOSED=False
@triton.jit
def products_of_six_dimensions(x, y, out, TRANSPOSED: tl.constexpr):
    i = tl.arange(0, 4096)
    a = tl.load(x + i).reshape([2, 2, 2, 2, 16, 16])
    b = tl.load(y + i).reshape([2, 2, 2, 2, 16, 16])
    if TRANSPOSED:
        b = tl.trans(b)
    tl.store(out + i, tl.dot(a, b).reshape([4096]))
