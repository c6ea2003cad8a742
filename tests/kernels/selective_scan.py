"""h[t] = a[t] h[t-1] + b[t] by an associative scan of pairs; a chunk a step, the state carried between chunks."""
import torch
import triton
import triton.language as tl

if not hasattr(tl, "associative_scan"):
    raise ImportError("a newer triton is needed")


@triton.jit
def first_order_op(fl, xl, fr, xr):
    f = fr * fl
    x = fr * xl + xr
    return f, x


@triton.jit
def selective_scan(U, Delta, A, B, C, D, Out, H0, L, DIM: tl.constexpr, STATE: tl.constexpr, CHUNK: tl.constexpr,
                   DELTA_SOFTPLUS: tl.constexpr):
    d = tl.program_id(0)
    batch = tl.program_id(1)
    base = (batch * DIM + d) * L
    n = tl.arange(0, STATE)
    a = tl.load(A + d * STATE + n)
    skip = tl.load(D + d)
    h = tl.load(H0 + (batch * DIM + d) * STATE + n) if H0 is not None else tl.zeros((STATE,), dtype=tl.float32)
    for start in range(0, L, CHUNK):
        t = start + tl.arange(0, CHUNK)
        mask = t < L
        u = tl.load(U + base + t, mask=mask, other=0.0).to(tl.float32)
        delta = tl.load(Delta + base + t, mask=mask, other=0.0).to(tl.float32)
        if DELTA_SOFTPLUS:
            # beyond 20 the logarithm is the identity
            delta = tl.where(delta <= 20.0, tl.log(1.0 + tl.exp(delta)), delta)
        b = tl.load(B + (batch * L + t[:, None]) * STATE + n[None, :], mask=mask[:, None], other=0.0)
        c = tl.load(C + (batch * L + t[:, None]) * STATE + n[None, :], mask=mask[:, None], other=0.0)
        # nothing happens at steps beyond the end
        gate = tl.where(mask[:, None], tl.exp(delta[:, None] * a[None, :]), 1.0)
        token = tl.where(mask[:, None], (delta * u)[:, None] * b, 0.0)
        f, x = tl.associative_scan((gate, token), axis=0, combine_fn=first_order_op)
        states = f * h[None, :] + x
        y = tl.sum(states * c, axis=1) + skip * u
        tl.store(Out + base + t, y.to(Out.dtype.element_ty), mask=mask)
        last = tl.where(tl.arange(0, CHUNK)[:, None] == CHUNK - 1, states, 0.0)
        h = tl.sum(last, axis=0)


@triton.jit
def reverse_cumsum(s, o, T, BT: tl.constexpr):
    """Sums from each element to the end, blocks from the last to the first."""
    i_b = tl.program_id(0)
    b_z = tl.zeros([], dtype=tl.float32)
    for i_c in range(tl.cdiv(T, BT) - 1, -1, -1):
        p_s = tl.make_block_ptr(s + i_b * T, (T,), (1,), (i_c * BT,), (BT,), (0,))
        p_o = tl.make_block_ptr(o + i_b * T, (T,), (1,), (i_c * BT,), (BT,), (0,))
        b_s = tl.load(p_s, boundary_check=(0,), padding_option="zero").to(tl.float32)
        b_o = b_z + tl.sum(b_s, axis=0)[None] - tl.cumsum(b_s, axis=0) + b_s
        b_z += tl.sum(b_s, 0)
        tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0,))
