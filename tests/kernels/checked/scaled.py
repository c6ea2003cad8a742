"""Dots in microscaling formats."""
import triton
import triton.language as tl


# Bytes of numbers whose exponents of e8m0 are near that of one.
@triton.jit
def exponents(x):
    return (118 + x % 16).to(tl.uint8)


# Bytes of numbers of e4m3 or e5m2 without infinities and NaNs.
@triton.jit
def finite(x):
    return (x & 0xbb).to(tl.uint8)


# check: --grid 2,2 --num-warps 4 -D BM=64 -D BN=64 -D BK=64 -D PACK=True A=rand:u8[80,64] AS=rand:u8[80,4] B=rand:u8[64,128] BS=rand:u8[128,4] C=empty:fp32[80,128] M=80 N=128 K=128
# check: --grid 1,1 --num-warps 8 -D BM=128 -D BN=128 -D BK=128 -D PACK=False A=rand:u8[128,128] AS=rand:u8[128,8] B=rand:u8[256,64] BS=rand:u8[128,8] C=empty:fp32[128,128] M=128 N=128 K=256
# check: --grid 3,1 --num-warps 1 -D BM=16 -D BN=32 -D BK=32 -D PACK=False A=rand:u8[40,32] AS=rand:u8[40,2] B=rand:u8[64,16] BS=rand:u8[32,2] C=empty:fp32[40,32] M=40 N=32 K=64
@triton.jit
def matmul_mxfp4(A, AS, B, BS, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PACK: tl.constexpr):
    """B's bytes hold two rows of k, or (PACK=False) two columns."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    byte = tl.arange(0, BK // 2)
    group = tl.arange(0, BK // 32)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        a = tl.load(A + m[:, None] * (K // 2) + (k // 2 + byte)[None, :], mask=m[:, None] < M, other=0)
        if PACK:
            b = tl.load(B + (k // 2 + byte)[:, None] * N + n[None, :])
        else:
            half = tl.program_id(1) * (BN // 2) + tl.arange(0, BN // 2)
            b = tl.load(B + (k + tl.arange(0, BK))[:, None] * (N // 2) + half[None, :])
        a_scale = tl.load(AS + m[:, None] * (K // 32) + (k // 32 + group)[None, :], mask=m[:, None] < M, other=0)
        b_scale = tl.load(BS + n[:, None] * (K // 32) + (k // 32 + group)[None, :])
        acc = tl.dot_scaled(a, exponents(a_scale), "e2m1", b, exponents(b_scale), "e2m1", acc, rhs_k_pack=PACK)
    tl.store(C + m[:, None] * N + n[None, :], acc, mask=m[:, None] < M)


# check: --grid 1 --num-warps 4 -D LHS="e4m3" -D RHS="e2m1" -D M=64 -D N=64 -D K=64 A=rand:u8[64,64] S=rand:u8[64,2] B=rand:u8[32,64] C=empty:fp32[64,64]
# check: --grid 1 --num-warps 2 -D LHS="e5m2" -D RHS="e4m3" -D M=32 -D N=16 -D K=32 A=rand:u8[32,32] S=rand:u8[32,1] B=rand:u8[32,16] C=empty:fp32[32,16]
# check: --grid 1 --num-warps 8 -D LHS="e2m1" -D RHS="fp16" -D M=128 -D N=32 -D K=64 A=rand:u8[128,32] S=rand:u8[128,2] B=randn:fp16[64,32] C=empty:fp32[128,32]
# check: --grid 1 --num-warps 4 -D LHS="bf16" -D RHS="e2m1" -D M=64 -D N=128 -D K=32 A=randn:bf16[64,32] S=rand:u8[128,1] B=rand:u8[16,128] C=empty:fp32[64,128]
# check: --grid 1 --num-warps 4 -D LHS="fp16" -D RHS="e5m2" -D M=16 -D N=16 -D K=128 A=randn:fp16[16,128] S=rand:u8[16,4] B=rand:u8[128,16] C=empty:fp32[16,16]
@triton.jit
def mixed_formats(A, S, B, C, LHS: tl.constexpr, RHS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """The narrower of the operands has scales; a NaN among them reaches its row."""
    a_columns: tl.constexpr = K // 2 if LHS == "e2m1" else K
    b_rows: tl.constexpr = K // 2 if RHS == "e2m1" else K
    m, n, group = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // 32)
    a = tl.load(A + m[:, None] * a_columns + tl.arange(0, a_columns)[None, :])
    b = tl.load(B + tl.arange(0, b_rows)[:, None] * N + n[None, :])
    if LHS == "e4m3" or LHS == "e5m2":
        a = finite(a)
    if RHS == "e4m3" or RHS == "e5m2":
        b = finite(b)
    if LHS == "bf16" or LHS == "fp16":
        scale = exponents(tl.load(S + n[:, None] * (K // 32) + group[None, :]))
        c = tl.dot_scaled(a, None, LHS, b, tl.where(n[:, None] == 5, 255, scale).to(tl.uint8), RHS)
    else:
        scale = exponents(tl.load(S + m[:, None] * (K // 32) + group[None, :]))
        c = tl.dot_scaled(a, tl.where(m[:, None] == 5, 255, scale).to(tl.uint8), LHS, b, None, RHS)
    tl.store(C + m[:, None] * N + n[None, :], c)


# check: --grid 1 --num-warps 4 A=rand:u8[2,32,32] S=rand:u8[2,32,2] B=rand:u8[2,64,16] C=empty:fp32[2,32,16]
@triton.jit
def batches(A, S, B, C):
    i, m, k, n = tl.arange(0, 2)[:, None, None], tl.arange(0, 32)[None, :, None], tl.arange(0, 32)[None, None, :], tl.arange(0, 16)[None, None, :]
    a = tl.load(A + i * 1024 + m * 32 + k)
    b = finite(tl.load(B + i * 1024 + tl.arange(0, 64)[None, :, None] * 16 + n))
    s = exponents(tl.load(S + i * 64 + m * 2 + tl.arange(0, 2)[None, None, :]))
    tl.store(C + i * 512 + m * 16 + n, tl.dot_scaled(a, s, "e2m1", b, None, "e4m3"))
