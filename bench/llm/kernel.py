# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matmul of Triton's as programs write it, c = a @ b.T, for few to many rows. Nothing in it is of tilec."""
import triton
import triton.language as tl

# (BM, BN, BK, G, num_warps, num_stages)
TILES = [(16, 16, 256, 8, 4, 4), (16, 32, 128, 8, 4, 4), (16, 32, 256, 8, 4, 4), (16, 64, 128, 8, 4, 4), (16, 64, 128, 8, 4, 5),
         (16, 64, 256, 8, 4, 3), (16, 128, 64, 8, 4, 5), (16, 128, 128, 8, 4, 4),
         (64, 16, 256, 8, 4, 4), (64, 32, 128, 8, 4, 4), (64, 32, 256, 8, 4, 4), (64, 64, 64, 8, 4, 5), (64, 64, 128, 8, 4, 4), (64, 128, 64, 8, 4, 4),
         (64, 128, 128, 8, 4, 4), (64, 256, 64, 8, 4, 4), (64, 256, 64, 8, 4, 5), (64, 256, 64, 8, 8, 5),
         (128, 64, 64, 8, 4, 4), (128, 128, 64, 8, 4, 4), (128, 128, 64, 8, 4, 6), (128, 128, 64, 8, 8, 3), (128, 128, 64, 8, 8, 5), (128, 128, 64, 8, 8, 6),
         (128, 128, 128, 8, 4, 3), (128, 128, 128, 8, 8, 3), (128, 256, 64, 8, 8, 3), (128, 256, 64, 16, 8, 3), (256, 128, 64, 8, 8, 3)]


def fitting(configs, named, **_):
    """The configurations whose blocks suit so many rows."""
    rows = named["M"]
    return [c for c in configs if c.kwargs["BM"] <= max(16, rows) and (rows <= 8 * c.kwargs["BM"] or c.kwargs["BM"] >= 128)]


@triton.autotune([triton.Config({"BM": m, "BN": n, "BK": k, "G": g}, num_warps=w, num_stages=s) for m, n, k, g, w, s in TILES],
                 key=["M", "N", "K"], prune_configs_by={"early_config_prune": fitting})
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0)
    nm, nn = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first = pid // (G * nn) * G
    size = min(nm - first, G)
    pm = first + (pid % (G * nn)) % size
    pn = (pid % (G * nn)) // size
    om = (pm * BM + tl.arange(0, BM)) % M
    on = (pn * BN + tl.arange(0, BN)) % N
    ok = tl.arange(0, BK)
    a = a_ptr + om[:, None] * sa + ok[None, :]
    b = b_ptr + ok[:, None] + on[None, :] * sb
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        b += BK
    cm, cn = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
    tl.store(c_ptr + cm[:, None] * sc + cn[None, :], acc.to(c_ptr.dtype.element_ty), mask=(cm[:, None] < M) & (cn[None, :] < N))


def grid_of(M, N):
    return lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)
