# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels in Triton whose PTX the simulator runs: masks, reductions, atomics, tensor cores fed by cp.async and by TMA.
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, columns, x_stride, out_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    v = tl.load(x + row * x_stride + j, mask=j < columns, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * out_stride + j, (e / tl.sum(e, axis=0)).to(out.dtype.element_ty), mask=j < columns)


@triton.jit
def layer_norm(x, weight, bias, out, mean, rstd, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + j, mask=j < columns, other=0).to(tl.float32)
    m = tl.sum(total, axis=0) / columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        d = tl.load(x + row * columns + j, mask=j < columns, other=0).to(tl.float32) - m
        squares += tl.where(j < columns, d * d, 0)
    r = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(mean + row, m)
    tl.store(rstd + row, r)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        w = tl.load(weight + j, mask=j < columns)
        b = tl.load(bias + j, mask=j < columns)
        v = tl.load(x + row * columns + j, mask=j < columns).to(tl.float32)
        tl.store(out + row * columns + j, ((v - m) * r * w + b).to(out.dtype.element_ty), mask=j < columns)


# Gradients of layer_norm: x one row per program; weight and bias into a few partial rows, each under a lock.
@triton.jit
def layer_norm_backward(dy, x, weight, mean, rstd, dx, dweight, dbias, locks, columns, GROUPS: tl.constexpr,
                        BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    v = tl.load(x + row * columns + j, mask=inside, other=0).to(tl.float32)
    g = tl.load(dy + row * columns + j, mask=inside, other=0).to(tl.float32)
    w = tl.load(weight + j, mask=inside, other=0).to(tl.float32)
    r = tl.load(rstd + row)
    unit = tl.where(inside, (v - tl.load(mean + row)) * r, 0)
    gw = w * g
    across = tl.sum(unit * gw, axis=0) / columns
    level = tl.sum(gw, axis=0) / columns
    tl.store(dx + row * columns + j, ((gw - unit * across - level) * r).to(dx.dtype.element_ty), mask=inside)
    group = row % GROUPS
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    at = group * columns + j
    tl.store(dweight + at, tl.load(dweight + at, mask=inside) + g * unit, mask=inside)
    tl.store(dbias + at, tl.load(dbias + at, mask=inside) + g, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(locks + group, 0)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at_a = a + i[:, None] * K + k[None, :]
    at_b = b + k[:, None] * N + j[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        inside = start + k < K
        va = tl.load(at_a, mask=(i[:, None] < M) & inside[None, :], other=0.0)
        vb = tl.load(at_b, mask=inside[:, None] & (j[None, :] < N), other=0.0)
        sums = tl.dot(va, vb, sums, input_precision=PRECISION)
        at_a += BK
        at_b += BK * N
    tl.store(c + i[:, None] * N + j[None, :], sums.to(c.dtype.element_ty),
             mask=(i[:, None] < M) & (j[None, :] < N))


# Numbers of e2m1, two per byte along k, by numbers of e4m3, both with scales.
@triton.jit
def matmul_scaled(a, sa, b, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    byte = tl.arange(0, BK // 2)
    k = tl.arange(0, BK)
    group = tl.arange(0, BK // 32)
    sums = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        va = tl.load(a + i[:, None] * (K // 2) + (start // 2 + byte)[None, :])
        vb = tl.load(b + (start + k)[:, None] * N + j[None, :])
        xa = tl.load(sa + i[:, None] * (K // 32) + (start // 32 + group)[None, :])
        xb = tl.load(sb + j[:, None] * (K // 32) + (start // 32 + group)[None, :])
        sums = tl.dot_scaled(va, xa, "e2m1", vb, xb, "e4m3", sums)
    tl.store(c + i[:, None] * N + j[None, :], sums)


# The descriptors are made by the host.
@triton.jit
def matmul_descriptors(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(a.load([i, k]), b.load([j, k]).T, sums)
    c.store([i, j], sums.to(tl.float16))


# A producer warp group loads, others multiply; on sm_80 Triton ignores it.
@triton.jit
def matmul_specialised(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        sums = tl.dot(a.load([i, k]), b.load([j, k]).T, sums)
    row = i + tl.arange(0, BM)
    column = j + tl.arange(0, BN)
    tl.store(c + row[:, None] * N + column[None, :], sums.to(tl.float16),
             mask=(row[:, None] < M) & (column[None, :] < N))


# The kernel makes the descriptors; programs stay and take tile after tile.
@triton.jit
def matmul_persistent(a, b, c, M, N, K, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                      BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    columns = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * columns, PROGRAMS):
        i = tile // columns * BM
        j = tile % columns * BN
        sums = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            sums = tl.dot(da.load([i, k]), db.load([k, j]), sums)
        dc.store([i, j], sums.to(tl.float16))


@triton.jit
def attention(q, k, v, out, logsum, length, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              HEAD: tl.constexpr):
    head = tl.program_id(1) * length * HEAD
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, HEAD)
    vq = tl.load(q + head + i[:, None] * HEAD + d[None, :], mask=i[:, None] < length, other=0)
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM, HEAD), tl.float32)
    last = length
    if CAUSAL:
        last = tl.minimum(length, (tl.program_id(0) + 1) * BM)
    for start in range(0, last, BN):
        j = start + tl.arange(0, BN)
        vk = tl.load(k + head + j[None, :] * HEAD + d[:, None], mask=j[None, :] < length, other=0)
        s = tl.dot(vq, vk) * (scale * 1.4426950408889634)
        seen = j[None, :] < length
        if CAUSAL:
            seen = seen & (j[None, :] <= i[:, None])
        s = tl.where(seen, s, -float("inf"))
        now = tl.maximum(most, tl.max(s, axis=1))
        p = tl.exp2(s - now[:, None])
        keep = tl.exp2(most - now)
        total = total * keep + tl.sum(p, axis=1)
        vv = tl.load(v + head + j[:, None] * HEAD + d[None, :], mask=j[:, None] < length, other=0)
        sums = tl.dot(p.to(vv.dtype), vv, sums * keep[:, None])
        most = now
    tl.store(out + head + i[:, None] * HEAD + d[None, :], (sums / total[:, None]).to(out.dtype.element_ty),
             mask=i[:, None] < length)
    tl.store(logsum + tl.program_id(1) * length + i, most + tl.log2(total), mask=i < length)


# Sorts, scans, histograms and gathers: shuffles and shared memory beyond reductions.
@triton.jit
def rearrange(x, ordered, running, counts, picked, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(ordered + i, tl.sort(v))
    tl.store(running + i, tl.cumsum(v, axis=0))
    tl.store(counts + tl.arange(0, 64), tl.histogram(v & 63, 64))
    tl.store(picked + i, tl.gather(v, v & (BLOCK - 1), axis=0))


# Conversions and element functions: y[k] is function k of x.
@triton.jit
def functions(x, y, narrow, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    v = tl.load(x + i, mask=inside, other=1)
    tl.store(y + i, tl.sin(v), mask=inside)
    tl.store(y + n + i, tl.erf(v), mask=inside)
    tl.store(y + 2 * n + i, tl.sqrt_rn(tl.abs(v)), mask=inside)
    tl.store(y + 3 * n + i, tl.log(tl.abs(v) + 1), mask=inside)
    tl.store(y + 4 * n + i, tl.floor(v) + tl.ceil(v), mask=inside)
    tl.store(y + 5 * n + i, tl.sigmoid(v), mask=inside)
    tl.store(y + 6 * n + i, tl.div_rn(v, v * v + 1), mask=inside)
    tl.store(y + 7 * n + i, tl.rsqrt(v * v + 1), mask=inside)
    tl.store(narrow + i, v.to(narrow.dtype.element_ty), mask=inside)
