"""The subjects of Triton's tutorials, in kernels of our own."""
import torch
import triton
import triton.language as tl


# check: --grid 3 -D BLOCK_SIZE=256 -D num_stages=2 output_ptr=empty:fp32[23,200] input_ptr=randn:fp32[23,200] input_row_stride=200 output_row_stride=200 n_rows=23 n_cols=200
# check: --grid 2 --num-warps 8 -D BLOCK_SIZE=1024 -D num_stages=4 output_ptr=empty:fp16[5,781] input_ptr=randn:fp16[5,781] input_row_stride=781 output_row_stride=781 n_rows=5 n_cols=781
# check: --grid 1 --num-warps 16 -D BLOCK_SIZE=32768 -D num_stages=2 output_ptr=empty:fp32[2,30000] input_ptr=randn:fp32[2,30000] input_row_stride=30000 output_row_stride=30000 n_rows=2 n_cols=30000
@triton.jit
def softmax_rows(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
                 BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    start = tl.program_id(0)
    step = tl.num_programs(0)
    for row in tl.range(start, n_rows, step, num_stages=num_stages):
        offs = tl.arange(0, BLOCK_SIZE)
        mask = offs < n_cols
        x = tl.load(input_ptr + row * input_row_stride + offs, mask=mask, other=-float('inf'))
        x = x.to(tl.float32)
        num = tl.exp(x - tl.max(x, axis=0))
        tl.store(output_ptr + row * output_row_stride + offs, num / tl.sum(num, axis=0), mask=mask)


# check: --grid 6 -D BLOCK_SIZE_M=64 -D BLOCK_SIZE_N=64 -D BLOCK_SIZE_K=32 -D NUM_SMS=6 a_ptr=randn:fp16[150,96] b_ptr=randn:fp16[130,96] c_ptr=empty:fp16[150,136] M=150 N=136 K=96
# check: --grid 1 --num-warps 8 -D BLOCK_SIZE_M=128 -D BLOCK_SIZE_N=256 -D BLOCK_SIZE_K=64 -D NUM_SMS=1 a_ptr=randn:fp16[150,128] b_ptr=randn:fp16[130,128] c_ptr=empty:fp16[150,136] M=150 N=136 K=128
@triton.jit
def matmul_descriptors_persistent(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_SIZE_M: tl.constexpr,
                                  BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, NUM_SMS: tl.constexpr):
    start_pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_SIZE_M)
    tiles_n = tl.cdiv(N, BLOCK_SIZE_N)
    k_tiles = tl.cdiv(K, BLOCK_SIZE_K)
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_SIZE_M, BLOCK_SIZE_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [130, K], [K, 1], [BLOCK_SIZE_N, BLOCK_SIZE_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_SIZE_M, BLOCK_SIZE_N // 2])
    for tile in tl.range(start_pid, tiles_m * tiles_n, NUM_SMS, flatten=True):
        pm = (tile // tiles_n) * BLOCK_SIZE_M
        pn = (tile % tiles_n) * BLOCK_SIZE_N
        acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
        for k in range(k_tiles):
            a = a_desc.load([pm, k * BLOCK_SIZE_K])
            b = b_desc.load([pn, k * BLOCK_SIZE_K])
            acc = tl.dot(a, b.T, acc)
        acc = tl.reshape(acc, (BLOCK_SIZE_M, 2, BLOCK_SIZE_N // 2))
        acc = tl.permute(acc, (0, 2, 1))
        lo, hi = tl.split(acc)
        c_desc.store([pm, pn], lo.to(tl.float16))
        c_desc.store([pm, pn + BLOCK_SIZE_N // 2], hi.to(tl.float16))


# check: --grid 1 -D BLOCK_SIZE=256 x_ptr=randn:fp32[200] p_ptr=randn:fp32[200] out_ptr=empty:fp32[200] n=200 p=0.5 seed=123
@triton.jit
def dropout(x_ptr, p_ptr, out_ptr, n, p, seed, BLOCK_SIZE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offs, mask=offs < n)
    keep = tl.rand(seed, offs) > p
    tl.store(out_ptr + offs, tl.where(keep, x / (1 - p), 0.0), mask=offs < n)


# check: --grid 7 -D GROUP_SIZE_M=4 -D BLOCK_SIZE_N=256 DX=empty:fp16[7,200] DY=randn:fp16[7,200] DW=zeros:fp32[4,200] DB=zeros:fp32[4,200] X=randn:fp16[7,200] W=randn:fp32[200] Mean=randn:fp32[7] Rstd=ones:fp32[7] Lock=zeros:i32[8] stride=200 N=200
@triton.jit
def layer_norm_bwd_dx_locked(DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N, GROUP_SIZE_M: tl.constexpr,
                             BLOCK_SIZE_N: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    lock_id = row % GROUP_SIZE_M
    Lock += lock_id
    Count = Lock + GROUP_SIZE_M
    DW = DW + lock_id * N + cols
    DB = DB + lock_id * N + cols
    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    xhat = (x - mean) * rstd
    wdy = w * dy
    xhat = tl.where(mask, xhat, 0.)
    wdy = tl.where(mask, wdy, 0.)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    dx = (wdy - (xhat * c1 + c2)) * rstd
    tl.store(DX + cols, dx, mask=mask)
    partial_dw = (dy * xhat).to(w.dtype)
    partial_db = (dy).to(w.dtype)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        partial_dw += tl.load(DW, mask=mask)
        partial_db += tl.load(DB, mask=mask)
    tl.store(DW, partial_dw, mask=mask)
    tl.store(DB, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


# check: --grid 4 -D BLOCK_SIZE_M=16 -D BLOCK_SIZE_N=64 DW=randn:fp32[16,200] DB=randn:fp32[16,200] FINAL_DW=empty:fp32[200] FINAL_DB=empty:fp32[200] M=13 N=200
# check: --grid 2 --num-warps 8 -D BLOCK_SIZE_M=32 -D BLOCK_SIZE_N=128 DW=randn:fp32[64,200] DB=randn:fp32[64,200] FINAL_DW=empty:fp32[200] FINAL_DB=empty:fp32[200] M=64 N=200
@triton.jit
def layer_norm_bwd_dwdb(DW, DB, FINAL_DW, FINAL_DB, M, N, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    cols = tl.program_id(0) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    dw = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_SIZE_M):
        rows = i + tl.arange(0, BLOCK_SIZE_M)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        offs = rows[:, None] * N + cols[None, :]
        dw += tl.load(DW + offs, mask=mask, other=0.)
        db += tl.load(DB + offs, mask=mask, other=0.)
    tl.store(FINAL_DW + cols, tl.sum(dw, axis=0), mask=cols < N)
    tl.store(FINAL_DB + cols, tl.sum(db, axis=0), mask=cols < N)


@triton.jit
def _attn_fwd_inner(acc, l_i, m_i, q, K, V, start_m, qk_scale, N_CTX, BLOCK_M: tl.constexpr, HEAD_DIM: tl.constexpr,
                    BLOCK_N: tl.constexpr, STAGE: tl.constexpr, offs_m: tl.constexpr, offs_n: tl.constexpr):
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M, (start_m + 1) * BLOCK_M
        lo = tl.multiple_of(lo, BLOCK_M)
    else:
        lo, hi = 0, N_CTX
    offs_d = tl.arange(0, HEAD_DIM)
    for start_n in tl.range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = tl.load(K + (start_n + offs_n)[None, :] * HEAD_DIM + offs_d[:, None])
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m_i - m_ij)
        l_ij = tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(V + (start_n + offs_n)[:, None] * HEAD_DIM + offs_d[None, :])
        acc = tl.dot(p.to(tl.float16), v, acc)
        l_i = l_i * alpha + l_ij
        m_i = m_ij
    return acc, l_i, m_i


# check: --grid 2,2 -D HEAD_DIM=64 -D BLOCK_M=64 -D BLOCK_N=32 -D STAGE=3 sm_scale=0.125 M=empty:fp32[2,128] Q=randn:fp16[2,128,64] K=randn:fp16[2,128,64] V=randn:fp16[2,128,64] Out=empty:fp16[2,128,64] N_CTX=128
# check: --grid 1,1 --num-warps 8 -D HEAD_DIM=64 -D BLOCK_M=128 -D BLOCK_N=64 -D STAGE=1 sm_scale=0.125 M=empty:fp32[128] Q=randn:fp16[128,64] K=randn:fp16[128,64] V=randn:fp16[128,64] Out=empty:fp16[128,64] N_CTX=128
# check: --grid 1,1 --num-warps 4 -D HEAD_DIM=64 -D BLOCK_M=128 -D BLOCK_N=64 -D STAGE=3 sm_scale=0.125 M=zeros:fp32[256] Q=randn:fp16[256,64] K=randn:fp16[256,64] V=randn:fp16[256,64] Out=zeros:fp16[256,64] N_CTX=256
@triton.jit
def attn_fwd(sm_scale, M, Q, K, V, Out, N_CTX, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
             STAGE: tl.constexpr):
    tl.static_assert(BLOCK_N <= HEAD_DIM)
    start_m = tl.program_id(0)
    base = tl.program_id(1).to(tl.int64) * N_CTX * HEAD_DIM
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale * 1.44269504
    q = tl.load(Q + base + offs_m[:, None] * HEAD_DIM + offs_d[None, :])
    if STAGE & 1:
        acc, l_i, m_i = _attn_fwd_inner(acc, l_i, m_i, q, K + base, V + base, start_m, qk_scale, N_CTX, BLOCK_M,
                                        HEAD_DIM, BLOCK_N, 4 - STAGE, offs_m, offs_n)
    if STAGE & 2:
        acc, l_i, m_i = _attn_fwd_inner(acc, l_i, m_i, q, K + base, V + base, start_m, qk_scale, N_CTX, BLOCK_M,
                                        HEAD_DIM, BLOCK_N, 2, offs_m, offs_n)
    m_i += tl.math.log2(l_i)
    acc = acc / l_i[:, None]
    tl.store(M + tl.program_id(1) * N_CTX + offs_m, m_i)
    tl.store(Out + base + offs_m[:, None] * HEAD_DIM + offs_d[None, :], acc.to(tl.float16))


# check: --grid 2,2 -D BLOCK_M=32 -D HEAD_DIM=64 O=randn:fp16[2,64,64] DO=randn:fp16[2,64,64] Delta=empty:fp32[2,64] N_CTX=64
@triton.jit
def attn_bwd_preprocess(O, DO, Delta, N_CTX, BLOCK_M: tl.constexpr, HEAD_DIM: tl.constexpr):
    off_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    off_hz = tl.program_id(1)
    off_n = tl.arange(0, HEAD_DIM)
    o = tl.load(O + off_hz * HEAD_DIM * N_CTX + off_m[:, None] * HEAD_DIM + off_n[None, :])
    do = tl.load(DO + off_hz * HEAD_DIM * N_CTX + off_m[:, None] * HEAD_DIM + off_n[None, :]).to(tl.float32)
    tl.store(Delta + off_hz * N_CTX + off_m, tl.sum(o * do, axis=1))


# check: --grid 2,1 -D BLOCK_M1=32 -D BLOCK_N1=64 -D HEAD_DIM=64 Q=randn:fp16[128,64] K=randn:fp16[128,64] V=randn:fp16[128,64] sm_scale=0.125 DO=randn:fp16[128,64] DQ=empty:fp16[128,64] DK=empty:fp16[128,64] DV=empty:fp16[128,64] M=ones:fp32[128] D=randn:fp32[128] N_CTX=128
# check: --grid 1,1 --num-warps 8 -D BLOCK_M1=64 -D BLOCK_N1=128 -D HEAD_DIM=128 Q=randn:fp16[256,128] K=randn:fp16[256,128] V=randn:fp16[256,128] sm_scale=0.088 DO=randn:fp16[256,128] DQ=zeros:fp16[256,128] DK=zeros:fp16[256,128] DV=zeros:fp16[256,128] M=ones:fp32[256] D=randn:fp32[256] N_CTX=256
@triton.jit
def attn_bwd(Q, K, V, sm_scale, DO, DQ, DK, DV, M, D, N_CTX, BLOCK_M1: tl.constexpr, BLOCK_N1: tl.constexpr,
             HEAD_DIM: tl.constexpr):
    """Causal: dk and dv of BLOCK_N1 keys, then dq of the same number of queries."""
    pid = tl.program_id(0)
    offs_k = tl.arange(0, HEAD_DIM)
    start_n = pid * BLOCK_N1
    offs_n = start_n + tl.arange(0, BLOCK_N1)
    dv = tl.zeros([BLOCK_N1, HEAD_DIM], dtype=tl.float32)
    dk = tl.zeros([BLOCK_N1, HEAD_DIM], dtype=tl.float32)
    k = tl.load(K + offs_n[:, None] * HEAD_DIM + offs_k[None, :])
    v = tl.load(V + offs_n[:, None] * HEAD_DIM + offs_k[None, :])
    for curr_m in range(start_n, N_CTX, BLOCK_M1):
        offs_m = curr_m + tl.arange(0, BLOCK_M1)
        qT = tl.load(Q + offs_m[None, :] * HEAD_DIM + offs_k[:, None])
        m = tl.load(M + offs_m)
        qkT = tl.dot(k, qT) * (sm_scale * 1.44269504)
        pT = tl.math.exp2(qkT - m[None, :])
        pT = tl.where(offs_m[None, :] >= offs_n[:, None], pT, 0.0)
        do = tl.load(DO + offs_m[:, None] * HEAD_DIM + offs_k[None, :])
        dv += tl.dot(pT.to(tl.float16), do)
        Di = tl.load(D + offs_m)
        dpT = tl.dot(v, tl.trans(do)).to(tl.float32)
        dsT = pT * (dpT - Di[None, :])
        dk += tl.dot(dsT.to(tl.float16), tl.trans(qT))
    tl.store(DV + offs_n[:, None] * HEAD_DIM + offs_k[None, :], dv)
    tl.store(DK + offs_n[:, None] * HEAD_DIM + offs_k[None, :], dk * sm_scale)

    offs_m = pid * BLOCK_N1 + tl.arange(0, BLOCK_N1)
    q = tl.load(Q + offs_m[:, None] * HEAD_DIM + offs_k[None, :])
    do = tl.load(DO + offs_m[:, None] * HEAD_DIM + offs_k[None, :])
    m = tl.load(M + offs_m)[:, None]
    Di = tl.load(D + offs_m)
    dq = tl.zeros([BLOCK_N1, HEAD_DIM], dtype=tl.float32)
    for curr_n in range(0, (pid + 1) * BLOCK_N1, BLOCK_M1):
        offs_j = curr_n + tl.arange(0, BLOCK_M1)
        kT = tl.load(K + offs_j[None, :] * HEAD_DIM + offs_k[:, None])
        vT = tl.load(V + offs_j[None, :] * HEAD_DIM + offs_k[:, None])
        p = tl.math.exp2(tl.dot(q, kT) * (sm_scale * 1.44269504) - m)
        p = tl.where(offs_m[:, None] >= offs_j[None, :], p, 0.0)
        dp = tl.dot(do, vT).to(tl.float32)
        ds = (p * (dp - Di[:, None])).to(tl.float16)
        dq += tl.dot(ds, tl.trans(kT))
    tl.store(DQ + offs_m[:, None] * HEAD_DIM + offs_k[None, :], dq * sm_scale)
