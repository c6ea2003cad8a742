# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fp16 activations by 4-bit weights, as programs write it: eight weights to a word along k, and fp16 scales and zero points of groups along k. Nothing in it
is of tilec."""
import triton
import triton.language as tl

GROUP = 128


@triton.jit
def product(a_ptr, b_ptr, s_ptr, z_ptr, rm, rn, part, N, K, sam, sbk, G: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    """The tile of these rows and columns, of every SPLIT-th block of k."""
    rk = part * BK + tl.arange(0, BK)
    a = a_ptr + rm[:, None] * sam + rk[None, :]
    b = b_ptr + (rk[:, None] // 8) * sbk + rn[None, :]
    shift = (tl.arange(0, BK)[:, None] % 8) * 4
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(part, tl.cdiv(K, BK), SPLIT):
        g = k * BK // G
        s = tl.load(s_ptr + g * N + rn)
        z = tl.load(z_ptr + g * N + rn)
        w = (tl.load(b) >> shift) & 0xF
        w = (w.to(tl.float16) - z[None, :]) * s[None, :]
        acc = tl.dot(tl.load(a), w, acc)
        a += BK * SPLIT
        b += (BK // 8) * SPLIT * sbk
    return acc


@triton.jit
def w4(a_ptr, b_ptr, s_ptr, z_ptr, c_ptr, M, N, K, sam, sbk, scm, G: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    pn = pid % tl.cdiv(N, BN)
    pm = pid // tl.cdiv(N, BN)
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = pn * BN + tl.arange(0, BN)
    acc = product(a_ptr, b_ptr, s_ptr, z_ptr, rm, rn, 0, N, K, sam, sbk, G, BM, BN, BK, 1)
    rm = pm * BM + tl.arange(0, BM)
    tl.store(c_ptr + rm[:, None] * scm + rn[None, :], acc.to(tl.float16), mask=rm[:, None] < M)


@triton.jit
def w4_split(a_ptr, b_ptr, s_ptr, z_ptr, c_ptr, sum_ptr, count_ptr, M, N, K, sam, sbk, scm, G: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
             SPLIT: tl.constexpr):
    """One tile of rows, k in SPLIT parts. Sums meet in a workspace of zeros. The last part of a tile writes the result, and zeros again."""
    pn = tl.program_id(0)
    part = tl.program_id(1)
    rm = tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    acc = product(a_ptr, b_ptr, s_ptr, z_ptr, rm % M, rn, part, N, K, sam, sbk, G, BM, BN, BK, SPLIT)
    mask = rm[:, None] < M
    sums = sum_ptr + rm[:, None] * N + rn[None, :]
    tl.atomic_add(sums, acc, mask=mask, sem="relaxed")
    tl.debug_barrier()
    if tl.atomic_add(count_ptr + pn, 1) == SPLIT - 1:
        total = tl.load(sums, mask=mask, cache_modifier=".cg")
        tl.store(c_ptr + rm[:, None] * scm + rn[None, :], total.to(tl.float16), mask=mask)
        tl.store(sums, tl.zeros((BM, BN), tl.float32), mask=mask)
        tl.store(count_ptr + pn, 0)


@triton.jit
def w4_groups(a_ptr, b_ptr, s_ptr, z_ptr, c_ptr, M, N, K, sam, sbk, scm, G: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, P: tl.constexpr):
    """Few rows: P groups at once, in a batch of dots. Scale and zero point change a group's product, which is smaller than its weights. The sums of the
    activations are a dot with ones, so that they come as the products do."""
    rm, rg, ro = tl.arange(0, BM), tl.arange(0, P), tl.arange(0, G)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = rg[:, None] * G + ro[None, :]
    a = a_ptr + (rm % M)[None, :, None] * sam + rk[:, None, :]
    b = b_ptr + (rk[:, :, None] // 8) * sbk + rn[None, None, :]
    shift = (ro[None, :, None] % 8) * 4
    at = rg[:, None] * N + rn[None, :]
    acc = tl.zeros((P, BM, BN), tl.float32)
    for k in range(0, K // G, P):
        s = tl.load(s_ptr + k * N + at)[:, None, :]
        z = tl.load(z_ptr + k * N + at)[:, None, :]
        w = (tl.load(b) >> shift) & 0xF
        x = tl.load(a)
        sums = tl.dot(x, tl.full((P, G, BN), 1, tl.float16))
        acc += (tl.dot(x, w.to(tl.float16)) - z.to(tl.float32) * sums) * s.to(tl.float32)
        a += P * G
        b += (P * G // 8) * sbk
    tl.store(c_ptr + rm[:, None] * scm + rn[None, :], tl.sum(acc, 0).to(tl.float16), mask=rm[:, None] < M)


@triton.jit
def row_sum(b_ptr, out_ptr, N, BLOCK: tl.constexpr):
    """Reads as many bytes as a matmul, and nothing else."""
    r = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    tl.store(out_ptr + row, tl.sum(tl.load(b_ptr + row * N + r, mask=r < N, other=0), 0))


@triton.jit
def nothing(out_ptr):
    pass


def launch(config, a, words, scales, zeros, c, sums, counts):
    """config: BM, BN, BK, parts of k, warps, stages. A BK of several groups: w4_groups. All arrays are contiguous."""
    BM, BN, BK, split, warps, stages = config
    (M, K), N = a.shape, words.shape[1]
    strides = K, N, N
    tile = {"G": GROUP, "BM": BM, "BN": BN, "BK": BK, "num_warps": warps, "num_stages": stages}
    if BK > GROUP:
        del tile["BK"]
        w4_groups[(N // BN,)](a, words, scales, zeros, c, M, N, K, *strides, P=BK // GROUP, **tile)
    elif split == 1:
        w4[(triton.cdiv(M, BM) * (N // BN),)](a, words, scales, zeros, c, M, N, K, *strides, **tile)
    else:
        w4_split[(N // BN, split)](a, words, scales, zeros, c, sums, counts, M, N, K, *strides, SPLIT=split, **tile)
