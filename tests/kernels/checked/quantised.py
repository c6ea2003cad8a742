"""Dots of narrow numbers with scales."""
import triton
import triton.language as tl


# check: --grid 2,3 -D GROUP=32 -D BM=32 -D BN=64 -D BK=32 A=randn:fp16[50,96] W=rand:i8[96,130] S=rand:fp16[3,130] C=empty:fp16[50,130] M=50 N=130 K=96
# check: --grid 1,2 --num-warps 8 -D GROUP=64 -D BM=64 -D BN=128 -D BK=64 A=randn:bf16[50,192] W=rand:i8[192,256] S=rand:bf16[3,256] C=empty:bf16[50,256] M=50 N=256 K=192
# check: --grid 1,1 --num-warps 8 -D GROUP=128 -D BM=128 -D BN=128 -D BK=64 A=randn:fp16[128,256] W=rand:i8[256,128] S=rand:fp16[2,128] C=empty:fp16[128,128] M=128 N=128 K=256
@triton.jit
def matmul_w8a16(A, W, S, C, M, N, K, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        a = tl.load(A + m[:, None] * K + (k0 + k)[None, :], mask=(m < M)[:, None], other=0.0)
        w = tl.load(W + (k0 + k)[:, None] * N + n[None, :], mask=(n < N)[None, :], other=0)
        s = tl.load(S + (k0 // GROUP) * N + n, mask=n < N, other=0.0)
        acc += tl.dot(a, w.to(a.dtype) * s[None, :])
    tl.store(C + m[:, None] * N + n[None, :], acc.to(C.dtype.element_ty), mask=(m < M)[:, None] & (n < N)[None, :])


# check: --grid 2,2 -D BM=32 -D BN=32 -D BK=32 A=rand:i8[40,96] B=rand:i8[50,96] AS=rand:fp32[40,3] BS=rand:fp32[2,3] C=empty:fp32[40,50] M=40 N=50 K=96
# check: --grid 1,1 --num-warps 4 -D BM=64 -D BN=64 -D BK=128 A=rand:i8[64,256] B=rand:i8[64,256] AS=rand:fp32[64,2] BS=rand:fp32[2,2] C=empty:fp32[64,64] M=64 N=64 K=256
# check: --grid 1,1 --num-warps 8 -D BM=128 -D BN=128 -D BK=128 A=rand:i8[100,256] B=rand:i8[128,256] AS=rand:fp32[100,2] BS=rand:fp32[1,2] C=empty:fp32[100,128] M=100 N=128 K=256
@triton.jit
def block_scaled_int8(A, B, AS, BS, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Scales a row and a block of k of A; a block of columns and of k of B."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    blocks = tl.cdiv(K, BK)
    for i in range(0, blocks):
        a = tl.load(A + (m % M)[:, None] * K + (i * BK + k)[None, :])
        b = tl.load(B + (n % N)[None, :] * K + (i * BK + k)[:, None])
        a_s = tl.load(AS + (m % M) * blocks + i)
        b_s = tl.load(BS + tl.program_id(1) * blocks + i)
        acc += tl.dot(a, b).to(tl.float32) * a_s[:, None] * b_s
    tl.store(C + m[:, None] * N + n[None, :], acc, mask=(m < M)[:, None] & (n < N)[None, :])


# check: --grid 2,2 -D BM=64 -D BN=32 -D BK=64 A=randn:fp8e4nv[70,128] B=randn:fp8e4nv[50,128] AS=rand:fp32[70] BS=rand:fp32[50] C=empty:bf16[70,50] M=70 N=50 K=128
# check: --grid 1,1 --num-warps 8 -D BM=128 -D BN=128 -D BK=128 A=randn:fp8e4nv[100,256] B=randn:fp8e4nv[128,256] AS=rand:fp32[100] BS=rand:fp32[128] C=empty:bf16[100,128] M=100 N=128 K=256
@triton.jit
def scaled_fp8(A, B, AS, BS, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(K, BK)):
        a = tl.load(A + (m % M)[:, None] * K + (i * BK + k)[None, :])
        b = tl.load(B + (n % N)[None, :] * K + (i * BK + k)[:, None])
        acc = tl.dot(a, b, acc)
    a_s = tl.load(AS + m, mask=m < M, other=0.0)
    b_s = tl.load(BS + n, mask=n < N, other=0.0)
    out = (acc * a_s[:, None] * b_s[None, :]).to(tl.bfloat16)
    tl.store(C + m[:, None] * N + n[None, :], out, mask=(m < M)[:, None] & (n < N)[None, :])


# check: --grid 2,2 -D BM=16 -D BN=64 -D BK=64 A=randn:fp16[20,128] W=rand:i32[16,100] Z=rand:i32[2,13] S=rand:fp16[2,100] C=empty:fp16[20,100] M=20 N=100 K=128
@triton.jit
def gptq_int4(A, W, Z, S, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Eight weights an i32 down the rows of W, eight zero points an i32 along those of Z."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    shift, zshift = (k % 8) * 4, (n % 8) * 4
    for i in range(0, tl.cdiv(K, BK)):
        kk = i * BK + k
        a = tl.load(A + m[:, None] * K + kk[None, :], mask=(m < M)[:, None], other=0.0)
        w = tl.load(W + (kk // 8)[:, None] * N + n[None, :], mask=(n < N)[None, :], other=0)
        g = kk // 64
        s = tl.load(S + g[:, None] * N + n[None, :], mask=(n < N)[None, :], other=0.0)
        z = tl.load(Z + g[:, None] * 13 + (n // 8)[None, :], mask=(n < N)[None, :], other=0)
        z = ((z >> zshift[None, :]) & 0xF) + 1
        w = (w >> shift[:, None]) & 0xF
        w = ((w - z) * s).to(tl.float16)
        acc = tl.dot(a, w, acc)
    tl.store(C + m[:, None] * N + n[None, :], acc.to(tl.float16), mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def multiply_unpacked(A, b, step, shift, S, Z, C, M, N, K, n, B: tl.constexpr, BM: tl.constexpr, BK: tl.constexpr):
    """The fields of the words at b, by shift, are the weights of BK rows. step: to the words of the next ones."""
    m = tl.arange(0, BM)
    a = A + (m % M)[:, None] * K + tl.arange(0, BK)[None, :]
    acc = tl.zeros((BM, n.shape[0]), tl.float32)
    for i in range(0, K // BK):
        s, z = tl.load(S + i * N + n), tl.load(Z + i * N + n)
        w = (tl.load(b) >> shift) & ((1 << B) - 1)
        w = (w.to(A.dtype.element_ty) - z[None, :]) * s[None, :]
        acc = tl.dot(tl.load(a), w, acc)
        a += BK
        b += step
    tl.store(C + m[:, None] * N + n[None, :], acc, mask=(m < M)[:, None])


# check: --grid 2 --num-stages 4 -D B=4 -D BM=16 -D BN=64 -D BK=128 A=randn:fp16[16,384] W=rand:i32[48,128] S=randn:fp16[3,128] Z=randn:fp16[3,128] C=empty:fp32[16,128] M=16 N=128 K=384
# check: --grid 2 -D B=4 -D BM=16 -D BN=32 -D BK=128 A=randn:fp16[1,384] W=rand:i32[48,64] S=randn:fp16[3,64] Z=randn:fp16[3,64] C=empty:fp32[1,64] M=1 N=64 K=384
# check: --grid 1 --num-warps 2 -D B=2 -D BM=16 -D BN=32 -D BK=128 A=randn:bf16[11,256] W=rand:i32[16,32] S=randn:bf16[2,32] Z=randn:bf16[2,32] C=empty:fp32[11,32] M=11 N=32 K=256
# check: --grid 1 --num-warps 8 -D B=8 -D BM=32 -D BN=64 -D BK=64 A=randn:fp16[32,192] W=rand:i32[48,64] S=randn:fp16[3,64] Z=randn:fp16[3,64] C=empty:fp32[32,64] M=32 N=64 K=192
# check: --grid 1 --num-warps 8 -D B=4 -D BM=128 -D BN=128 -D BK=64 A=randn:fp16[128,256] W=rand:i32[32,128] S=randn:fp16[4,128] Z=randn:fp16[4,128] C=empty:fp32[128,128] M=128 N=128 K=256
# check: --grid 1 --num-warps 8 --num-stages 4 -D B=4 -D BM=64 -D BN=128 -D BK=128 A=randn:fp16[64,768] W=rand:i32[96,128] S=randn:fp16[6,128] Z=randn:fp16[6,128] C=empty:fp32[64,128] M=64 N=128 K=768
# check: --grid 2 --num-stages 5 -D B=8 -D BM=32 -D BN=64 -D BK=64 A=randn:bf16[30,448] W=rand:i32[112,128] S=randn:bf16[7,128] Z=randn:bf16[7,128] C=empty:fp32[30,128] M=30 N=128 K=448
@triton.jit
def packed_rows(A, W, S, Z, C, M, N, K, B: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Weights of B bits along the rows of W, with a scale and a zero point for BK of them; rows of A repeat."""
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    shift = (k[:, None] % (32 // B)) * B
    b = W + (k[:, None] // (32 // B)) * N + n[None, :]
    multiply_unpacked(A, b, (BK * B // 32) * N, shift, S, Z, C, M, N, K, n, B, BM, BK)


# check: --grid 2 --num-warps 2 --num-stages 2 -D B=4 -D BM=8 -D BN=32 -D G=128 -D P=2 A=randn:fp16[5,512] W=rand:i32[64,64] S=randn:fp16[4,64] Z=randn:fp16[4,64] C=empty:fp32[5,64] M=5 N=64 K=512
# check: --grid 1 --num-warps 2 -D B=4 -D BM=16 -D BN=64 -D G=64 -D P=2 A=randn:fp16[16,384] W=rand:i32[48,64] S=randn:fp16[6,64] Z=randn:fp16[6,64] C=empty:fp32[16,64] M=16 N=64 K=384
# check: --grid 1 --num-warps 8 --verify-each -D B=4 -D BM=8 -D BN=16 -D G=32 -D P=2 A=randn:bf16[1,192] W=rand:i32[24,16] S=randn:bf16[6,16] Z=randn:bf16[6,16] C=empty:fp32[1,16] M=1 N=16 K=192
# check: --grid 1 --num-warps 2 -D B=2 -D BM=8 -D BN=32 -D G=128 -D P=2 A=randn:fp16[8,256] W=rand:i32[16,32] S=randn:fp16[2,32] Z=randn:fp16[2,32] C=empty:fp32[8,32] M=8 N=32 K=256
# check: --grid 1 --num-warps 2 -D B=8 -D BM=16 -D BN=32 -D G=64 -D P=2 A=randn:fp16[16,256] W=rand:i32[64,32] S=randn:fp16[4,32] Z=randn:fp16[4,32] C=empty:fp32[16,32] M=16 N=32 K=256
@triton.jit
def packed_groups(A, W, S, Z, C, M, N, K, B: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, G: tl.constexpr, P: tl.constexpr):
    """P groups of weights of B bits in a batch of dots; scales and zero points change a group's product."""
    m, g, o = tl.arange(0, BM), tl.arange(0, P), tl.arange(0, G)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    k = g[:, None] * G + o[None, :]
    acc = tl.zeros((P, BM, BN), tl.float32)
    for i in range(K // (P * G)):
        a = tl.load(A + (m % M)[None, :, None] * K + k[:, None, :])
        w = (tl.load(W + (k[:, :, None] // (32 // B)) * N + n[None, None, :]) >> (o[None, :, None] % (32 // B)) * B) & ((1 << B) - 1)
        at = (i * P + g)[:, None] * N + n[None, :]
        s, z = tl.load(S + at).to(tl.float32), tl.load(Z + at).to(tl.float32)
        sums = tl.dot(a, tl.full((P, G, BN), 1, a.dtype))
        acc += (tl.dot(a, w.to(a.dtype)) - z[:, None, :] * sums) * s[:, None, :]
        k += P * G
    tl.store(C + m[:, None] * N + n[None, :], tl.sum(acc, 0), mask=(m < M)[:, None])


# check: --grid 1 -D B=4 -D BM=64 -D BN=64 -D BK=64 A=randn:fp16[64,256] W=rand:i32[256,8] S=randn:fp16[4,64] Z=randn:fp16[4,64] C=empty:fp32[64,64] M=64 N=64 K=256
# check: --grid 2 --num-stages 4 -D B=2 -D BM=16 -D BN=64 -D BK=64 A=randn:bf16[9,320] W=rand:i32[320,8] S=randn:bf16[5,128] Z=randn:bf16[5,128] C=empty:fp32[9,128] M=9 N=128 K=320
# check: --grid 1 --num-warps 8 --num-stages 2 -D B=8 -D BM=128 -D BN=128 -D BK=32 A=randn:fp16[128,96] W=rand:i32[96,32] S=randn:fp16[3,128] Z=randn:fp16[3,128] C=empty:fp32[128,128] M=128 N=128 K=96
@triton.jit
def packed_columns(A, W, S, Z, C, M, N, K, B: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Weights of B bits along the columns of W."""
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    shift = (tl.arange(0, BN)[None, :] % (32 // B)) * B
    b = W + k[:, None] * (N * B // 32) + (n // (32 // B))[None, :]
    multiply_unpacked(A, b, BK * (N * B // 32), shift, S, Z, C, M, N, K, n, B, BM, BK)


# check: --grid 4 -D GROUP=64 x=randn:bf16[4,256] q=empty:i8[4,256] s=empty:fp32[4,4] COLS=256
# check: --grid 4 --num-warps 2 -D GROUP=32 x=randn:fp32[4,256] q=empty:i8[4,256] s=empty:fp32[4,8] COLS=256
@triton.jit
def quantise_groups(x, q, s, COLS, GROUP: tl.constexpr):
    """Whole rows: groups are a dimension of a reshaped tile."""
    row = tl.program_id(0)
    c = tl.arange(0, 256)
    v = tl.load(x + row * COLS + c).to(tl.float32)
    g = tl.reshape(v, (256 // GROUP, GROUP))
    scale = tl.maximum(tl.max(tl.abs(g), 1), 1e-6) / 127.0
    y = tl.clamp(tl.extra.cuda.libdevice.rint(g / scale[:, None]), -127.0, 127.0)
    tl.store(q + row * COLS + c, tl.reshape(y, (256,)).to(tl.int8))
    tl.store(s + row * (256 // GROUP) + tl.arange(0, 256 // GROUP), scale)


# check: --grid 2 -D BLOCK=128 packed=rand:u8[256] lut=randn:fp16[16] absmax=rand:fp32[8] out=empty:fp16[512] n=256
@triton.jit
def dequantise_nf4(packed, lut, absmax, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(packed + i, mask=i < n, other=0)
    lo = tl.load(lut + (p & 0xF).to(tl.int32))
    hi = tl.load(lut + (p >> 4).to(tl.int32))
    scale = tl.load(absmax + i // 32)
    both = tl.interleave(hi * scale, lo * scale)
    j = tl.program_id(0) * BLOCK * 2 + tl.arange(0, BLOCK * 2)
    tl.store(out + j, both, mask=j < 2 * n)
