"""Recurrences: selective scan, chunked linear attention and state passing."""
import triton
import triton.language as tl


@triton.jit
def _affine(a1, b1, a2, b2):
    return a2 * a1, a2 * b1 + b2


# check: --grid 2,3 -D BLOCK_T=64 -D N=16 u=randn:fp32[2,100,3] delta=rand:fp32[2,100,3] A=randn:fp32[3,16] B=randn:fp32[2,100,16] C=randn:fp32[2,100,16] D=randn:fp32[3] out=empty:fp32[2,100,3] T=100 DIM=3
# check: --grid 1,1 -D BLOCK_T=256 -D N=16 u=randn:fp32[1,300,1] delta=rand:fp32[1,300,1] A=randn:fp32[1,16] B=randn:fp32[1,300,16] C=randn:fp32[1,300,16] D=randn:fp32[1] out=empty:fp32[1,300,1] T=300 DIM=1
@triton.jit
def mamba_scan(u, delta, A, B, C, D, out, T, DIM, BLOCK_T: tl.constexpr, N: tl.constexpr):
    b = tl.program_id(0)
    d = tl.program_id(1)
    n = tl.arange(0, N)
    t = tl.arange(0, BLOCK_T)
    a = -tl.exp(tl.load(A + d * N + n))
    skip = tl.load(D + d)
    h = tl.zeros([N], tl.float32)
    for start in range(0, T, BLOCK_T):
        at = start + t
        inside = at < T
        x = tl.load(u + (b * T + at) * DIM + d, mask=inside, other=0.0)
        dt = tl.load(delta + (b * T + at) * DIM + d, mask=inside, other=0.0)
        dt = tl.where(dt > 20.0, dt, tl.log(1.0 + tl.exp(dt)))
        dt = tl.where(inside, dt, 0.0)
        Bt = tl.load(B + (b * T + at[:, None]) * N + n[None, :], mask=inside[:, None], other=0.0)
        Ct = tl.load(C + (b * T + at[:, None]) * N + n[None, :], mask=inside[:, None], other=0.0)
        decay = tl.exp(dt[:, None] * a[None, :])
        inputs = (dt * x)[:, None] * Bt
        prod, state = tl.associative_scan((decay, inputs), 0, _affine)
        state += prod * h[None, :]
        y = tl.sum(state * Ct, 1) + skip * x
        tl.store(out + (b * T + at) * DIM + d, y, mask=inside)
        h = tl.sum(tl.where(t[:, None] == BLOCK_T - 1, state, 0.0), 0)


# check: --grid 2,2 -D BT=32 -D BK=32 -D BV=32 q=randn:bf16[2,90,32] k=randn:bf16[2,90,32] v=randn:bf16[2,90,64] o=empty:bf16[2,90,64] ht=empty:fp32[2,32,64] scale=0.18 T=90 V=64
# check: --grid 2,1 --num-warps 8 -D BT=64 -D BK=64 -D BV=64 q=randn:fp16[2,128,64] k=randn:fp16[2,128,64] v=randn:fp16[2,128,64] o=empty:fp16[2,128,64] ht=empty:fp32[2,64,64] scale=0.125 T=128 V=64
# check: --grid 1,1 -D BT=64 -D BK=128 -D BV=64 q=randn:bf16[1,130,128] k=randn:bf16[1,130,128] v=randn:bf16[1,130,64] o=empty:bf16[1,130,64] ht=empty:fp32[1,128,64] scale=0.088 T=130 V=64
@triton.jit
def chunk_linear_attention(q, k, v, o, ht, scale, T, V, BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr):
    b = tl.program_id(0)
    i_v = tl.program_id(1)
    r = tl.arange(0, BT)
    causal = r[:, None] >= r[None, :]
    h = tl.zeros([BK, BV], tl.float32)
    for i in range(0, tl.cdiv(T, BT)):
        p_q = tl.make_block_ptr(q + b * T * BK, (T, BK), (BK, 1), (i * BT, 0), (BT, BK), (1, 0))
        p_k = tl.make_block_ptr(k + b * T * BK, (BK, T), (1, BK), (0, i * BT), (BK, BT), (0, 1))
        p_v = tl.make_block_ptr(v + b * T * V, (T, V), (V, 1), (i * BT, i_v * BV), (BT, BV), (1, 0))
        p_o = tl.make_block_ptr(o + b * T * V, (T, V), (V, 1), (i * BT, i_v * BV), (BT, BV), (1, 0))
        b_q = tl.load(p_q, boundary_check=(0, 1), padding_option="zero")
        b_q = (b_q * scale).to(b_q.dtype)
        b_k = tl.load(p_k, boundary_check=(0, 1), padding_option="zero")
        b_v = tl.load(p_v, boundary_check=(0, 1), padding_option="zero")
        b_s = tl.dot(b_q, b_k, allow_tf32=False)
        b_s = tl.where(causal, b_s, 0)
        b_o = tl.dot(b_s.to(b_q.dtype), b_v, allow_tf32=False)
        b_o += tl.dot(b_q, h.to(b_q.dtype), allow_tf32=False)
        h += tl.dot(b_k, b_v, allow_tf32=False)
        tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))
    p_h = tl.make_block_ptr(ht + b * BK * V, (BK, V), (V, 1), (0, i_v * BV), (BK, BV), (1, 0))
    tl.store(p_h, h)


# check: --grid 2,3 -D BT=32 -D REVERSE=False s=randn:fp32[2,70,3] o=empty:fp32[2,70,3] T=70 H=3
# check: --grid 2,3 -D BT=32 -D REVERSE=True s=randn:fp32[2,70,3] o=empty:fp32[2,70,3] T=70 H=3
@triton.jit
def chunk_local_cumsum(s, o, T, H, BT: tl.constexpr, REVERSE: tl.constexpr):
    b = tl.program_id(0)
    i_h = tl.program_id(1)
    for i_t in range(0, tl.cdiv(T, BT)):
        p_s = tl.make_block_ptr(s + b * T * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
        p_o = tl.make_block_ptr(o + b * T * H + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
        b_s = tl.load(p_s, boundary_check=(0,), padding_option="zero").to(tl.float32)
        b_o = tl.cumsum(b_s, axis=0)
        if REVERSE:
            b_z = tl.sum(b_s, axis=0)
            b_o = -b_o + b_z[None] + b_s
        tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0,))


# check: --grid 2 -D BT=16 A=randn:fp32[2,16,16] Ai=empty:fp32[2,16,16]
@triton.jit
def solve_triangular(A, Ai, BT: tl.constexpr):
    """(I + strictly lower A)^-1 by rows."""
    p = tl.program_id(0)
    i = tl.arange(0, BT)
    at = p * BT * BT + i[:, None] * BT + i[None, :]
    b_A = -tl.where(i[:, None] > i[None, :], tl.load(A + at) * 0.25, 0)
    for r in range(1, BT):
        row = tl.sum(tl.where(i[:, None] == r, b_A, 0), 0)
        row += tl.sum(row[:, None] * b_A, 0) * (i < r)
        b_A = tl.where((i == r)[:, None], row, b_A)
    b_A += i[:, None] == i[None, :]
    tl.store(Ai + at, b_A)


# check: --grid 2,1 -D BK=32 -D BV=16 q=randn:fp32[2,20,32] k=randn:fp32[2,20,32] v=randn:fp32[2,20,16] beta=rand:fp32[2,20] o=empty:fp32[2,20,16] scale=0.18 T=20
@triton.jit
def recurrent_delta_rule(q, k, v, beta, o, scale, T, BK: tl.constexpr, BV: tl.constexpr):
    b = tl.program_id(0)
    p_q = q + b * T * BK + tl.arange(0, BK)
    p_k = k + b * T * BK + tl.arange(0, BK)
    p_v = v + b * T * BV + tl.arange(0, BV)
    p_beta = beta + b * T
    p_o = o + b * T * BV + tl.arange(0, BV)
    h = tl.zeros([BV, BK], tl.float32)
    for _ in range(0, T):
        b_k = tl.load(p_k).to(tl.float32)
        b_k = b_k / (tl.sqrt(tl.sum(b_k * b_k)) + 1e-6)
        b_v = tl.load(p_v).to(tl.float32)
        b_q = tl.load(p_q).to(tl.float32) * scale
        b_v -= tl.sum(h * b_k[None, :], axis=1)
        b_v *= tl.load(p_beta)
        h += b_k[None, :] * b_v[:, None]
        tl.store(p_o, tl.sum(h * b_q[None, :], axis=1))
        p_q += BK
        p_k += BK
        p_v += BV
        p_o += BV
        p_beta += 1
