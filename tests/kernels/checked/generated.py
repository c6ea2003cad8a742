"""Kernels as TorchInductor writes them."""
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math


# check: --grid 3 -D XBLOCK=256 in_ptr0=randn:fp32[700] in_ptr1=randn:fp32[7] out_ptr0=empty:fp32[700] xnumel=700
@triton.jit
def triton_poi_fused_add_gelu_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x0 = (xindex % 7)
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tmp0 + tmp1
    tmp3 = 0.5
    tmp4 = tmp2 * tmp3
    tmp5 = 0.7071067811865476
    tmp6 = tmp2 * tmp5
    tmp7 = libdevice.erf(tmp6)
    tmp8 = 1.0
    tmp9 = tmp7 + tmp8
    tmp10 = tmp4 * tmp9
    tl.store(out_ptr0 + (x2), tmp10, xmask)


# check: --grid 3,4 -D XBLOCK=32 -D YBLOCK=32 in_ptr0=randn:fp16[65,100] out_ptr0=empty:fp16[100,65] ynumel=100 xnumel=65
# check: --grid 2,1 --num-warps 8 -D XBLOCK=64 -D YBLOCK=128 in_ptr0=rand:i8[65,100] out_ptr0=empty:i8[100,65] ynumel=100 xnumel=65
@triton.jit
def triton_poi_fused_clone_1(in_ptr0, out_ptr0, ynumel, xnumel, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[None, :]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (yindex + 100 * xindex), xmask & ymask, eviction_policy='evict_last')
    tl.store(out_ptr0 + (xindex + 65 * yindex), tmp0, xmask & ymask)


# check: --grid 7 -D XBLOCK=1 -D RBLOCK=128 in_ptr0=randn:bf16[7,333] out_ptr0=empty:fp32[7] out_ptr1=empty:i64[7] xnumel=7 rnumel=333
# check: --grid 1 -D XBLOCK=8 -D RBLOCK=64 in_ptr0=randn:fp32[7,333] out_ptr0=empty:fp32[7] out_ptr1=empty:i64[7] xnumel=7 rnumel=333
@triton.jit
def triton_red_fused_amax_argmax_2(in_ptr0, out_ptr0, out_ptr1, xnumel, rnumel, XBLOCK: tl.constexpr,
                                   RBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rbase = tl.arange(0, RBLOCK)[None, :]
    x0 = xindex
    _tmp2 = tl.full([XBLOCK, RBLOCK], float("-inf"), tl.float32)
    _best = tl.full([XBLOCK, RBLOCK], float("-inf"), tl.float32)
    _best_index = tl.full([XBLOCK, RBLOCK], 9223372036854775807, tl.int64)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        tmp0 = tl.load(in_ptr0 + (rindex + rnumel * x0), rmask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, RBLOCK])
        tmp3 = triton_helpers.maximum(_tmp2, tmp1)
        _tmp2 = tl.where(rmask & xmask, tmp3, _tmp2)
        better = (tmp1 > _best) | ((tmp1 == _best) & (rindex < _best_index))
        _best = tl.where(rmask & xmask & better, tmp1, _best)
        _best_index = tl.where(rmask & xmask & better, rindex.to(tl.int64), _best_index)
    tmp2 = triton_helpers.max2(_tmp2, 1)[:, None]
    value, index = tl.reduce((_best, _best_index), 1, _pick)
    tl.store(out_ptr0 + (x0), tmp2, xmask)
    tl.store(out_ptr1 + (x0), index[:, None], xmask)


@triton.jit
def _pick(a, i, b, j):
    left = (a > b) | ((a == b) & (i < j))
    return tl.where(left, a, b), tl.where(left, i, j)


@triton.jit
def _welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    new_weight = weight_1 + weight_2
    w2_over_w = tl.where(new_weight == 0.0, 0.0, weight_2 / new_weight)
    return (mean_1 + delta * w2_over_w, m2_1 + m2_2 + delta * delta * weight_1 * w2_over_w, new_weight)


# check: --grid 2 -D XBLOCK=4 -D RBLOCK=64 in_ptr0=randn:fp32[7,200] in_ptr1=randn:fp32[200] out_ptr0=empty:fp32[7,200] xnumel=7 rnumel=200
@triton.jit
def triton_red_fused_native_layer_norm_3(in_ptr0, in_ptr1, out_ptr0, xnumel, rnumel, XBLOCK: tl.constexpr,
                                         RBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rbase = tl.arange(0, RBLOCK)[None, :]
    mean = tl.zeros([XBLOCK, RBLOCK], tl.float32)
    m2 = tl.zeros([XBLOCK, RBLOCK], tl.float32)
    weight = tl.zeros([XBLOCK, RBLOCK], tl.float32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        x = tl.load(in_ptr0 + (rindex + rnumel * xindex), rmask & xmask, eviction_policy='evict_last', other=0.0)
        new_weight = weight + 1
        delta = x - mean
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (x - new_mean)
        mean = tl.where(rmask & xmask, new_mean, mean)
        m2 = tl.where(rmask & xmask, new_m2, m2)
        weight = tl.where(rmask & xmask, new_weight, weight)
    a, b, c = tl.reduce((mean, m2, weight), 1, _welford_combine)
    avg = a[:, None]
    var = b[:, None] / rnumel
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        x = tl.load(in_ptr0 + (rindex + rnumel * xindex), rmask & xmask, eviction_policy='evict_first', other=0.0)
        w = tl.load(in_ptr1 + (rindex), rmask, eviction_policy='evict_last', other=0.0)
        tl.store(out_ptr0 + (rindex + rnumel * xindex), (x - avg) * libdevice.rsqrt(var + 1e-05) * w, rmask & xmask)


# check: --grid 5 -D XBLOCK=2 in_ptr0=randn:fp32[9,60] in_ptr1=rand:i64[9] out_ptr0=empty:fp32[9,60] out_ptr1=empty:fp32[9] xnumel=9 rnumel=60
@triton.jit
def triton_per_fused_log_softmax_nll_4(in_ptr0, in_ptr1, out_ptr0, out_ptr1, xnumel, rnumel, XBLOCK: tl.constexpr):
    RBLOCK: tl.constexpr = 64
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rindex = tl.arange(0, RBLOCK)[None, :]
    rmask = rindex < rnumel
    tmp0 = tl.load(in_ptr0 + (rindex + 60 * xindex), rmask & xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, RBLOCK])
    tmp3 = tl.where(rmask & xmask, tmp1, float("-inf"))
    tmp4 = triton_helpers.max2(tmp3, 1)[:, None]
    tmp5 = tmp0 - tmp4
    tmp6 = tl_math.exp(tmp5)
    tmp9 = tl.where(rmask & xmask, tmp6, 0)
    tmp10 = tl.sum(tmp9, 1)[:, None]
    tmp11 = tl_math.log(tmp10)
    tmp12 = tmp5 - tmp11
    target = tl.load(in_ptr1 + (xindex), xmask, eviction_policy='evict_last', other=0)
    target = target & 31
    tl.device_assert(((0 <= target) & (target < 60)) | ~xmask, "index out of bounds")
    picked = tl.sum(tl.where(rindex == target, tmp12, 0.0), 1)[:, None]
    tl.store(out_ptr0 + (rindex + 60 * xindex), tmp12, rmask & xmask)
    tl.store(out_ptr1 + (xindex), -picked, xmask)


@triton.jit
def _add(a, b):
    return a + b


# check: --grid 3 -D XBLOCK=2 -D RBLOCK=64 in_ptr0=randn:fp32[5,300] out_ptr0=empty:fp32[5,300] xnumel=5 rnumel=300
# check: --grid 1 --num-warps 1 -D XBLOCK=1 -D RBLOCK=512 in_ptr0=randn:fp64[1,300] out_ptr0=empty:fp64[1,300] xnumel=1 rnumel=300
@triton.jit
def triton_spl_fused_cumsum_5(in_ptr0, out_ptr0, xnumel, rnumel, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rbase = tl.arange(0, RBLOCK)[None, :]
    carry = tl.full([XBLOCK, 1], 0, in_ptr0.dtype.element_ty)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        x = tl.load(in_ptr0 + (rindex + rnumel * xindex), rmask & xmask, other=0.0)
        scan, = tl.associative_scan((x,), 1, _add)
        last = tl.sum(tl.where(rbase == RBLOCK - 1, scan, 0), 1)[:, None]
        tl.store(out_ptr0 + (rindex + rnumel * xindex), scan + carry, rmask & xmask)
        carry = carry + last


# check: --grid 2 -D XBLOCK=128 in_ptr0=rand:i64[150] in_ptr1=randn:fp32[150] out_ptr0=zeros:fp32[64] xnumel=150
@triton.jit
def triton_poi_fused_index_put_6(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex), xmask)
    tmp1 = tl.full([XBLOCK], 64, tl.int32)
    tmp2 = tmp0 % 64
    tmp3 = tmp2 + tmp1
    tmp4 = tmp2 < 0
    tmp5 = tl.where(tmp4, tmp3, tmp2)
    tl.device_assert(((0 <= tmp5) & (tmp5 < 64)) | ~(xmask), "index out of bounds: 0 <= tmp5 < 64")
    tmp7 = tl.load(in_ptr1 + (xindex), xmask)
    tl.atomic_add(out_ptr0 + (tmp5), tmp7, xmask, sem='relaxed')


# check: --grid 2,2,2 -D BLOCK_M=64 -D BLOCK_N=64 -D BLOCK_K=16 -D KERNEL_H=3 -D KERNEL_W=3 X=randn:fp16[2,8,9,10] W=randn:fp16[70,8,3,3] Out=empty:fp16[2,70,7,8] IN_C=8 IN_H=9 IN_W=10 OUT_C=70 OUT_H=7 OUT_W=8 BATCH=2
# check: --grid 1,1 --num-warps 8 -D BLOCK_M=128 -D BLOCK_N=128 -D BLOCK_K=32 -D KERNEL_H=3 -D KERNEL_W=3 X=randn:fp16[2,32,9,10] W=randn:fp16[70,32,3,3] Out=empty:fp16[2,70,7,8] IN_C=32 IN_H=9 IN_W=10 OUT_C=70 OUT_H=7 OUT_W=8 BATCH=2
@triton.jit
def triton_convolution2d_7(X, W, Out, BATCH, IN_C, IN_H, IN_W, OUT_C, OUT_H, OUT_W, KERNEL_H: tl.constexpr,
                           KERNEL_W: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                           BLOCK_K: tl.constexpr):
    nhw = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    idx_y_w = nhw % OUT_W
    nh = nhw // OUT_W
    idx_y_h = nh % OUT_H
    idx_n = nh // OUT_H
    idx_y_c = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    BLOCK_K_COUNT = (IN_C + BLOCK_K - 1) // BLOCK_K
    for ijk in range(KERNEL_H * KERNEL_W * BLOCK_K_COUNT):
        k = (ijk % BLOCK_K_COUNT) * BLOCK_K
        ij = ijk // BLOCK_K_COUNT
        i = ij // KERNEL_W
        j = ij % KERNEL_W
        idx_x_h = i + idx_y_h
        idx_x_w = j + idx_y_w
        idx_x_c = tl.arange(0, BLOCK_K) + k
        x_ptrs = X + ((idx_n * IN_C * IN_H * IN_W) + (idx_x_h * IN_W) + idx_x_w)[:, None] + (idx_x_c * IN_H * IN_W)[None, :]
        mask_x = ((idx_n < BATCH)[:, None] & (idx_x_h >= 0)[:, None] & (idx_x_h < IN_H)[:, None]
                  & (idx_x_w >= 0)[:, None] & (idx_x_w < IN_W)[:, None] & (idx_x_c < IN_C)[None, :])
        matrix_x = tl.load(x_ptrs, mask=mask_x, other=0.0)
        w_ptrs = W + (idx_x_c * KERNEL_H * KERNEL_W)[:, None] + (i * KERNEL_W) + j + (idx_y_c * IN_C * KERNEL_H * KERNEL_W)[None, :]
        mask_w = (idx_x_c[:, None] < IN_C) & (idx_y_c[None, :] < OUT_C)
        matrix_w = tl.load(w_ptrs, mask=mask_w, other=0.0)
        acc += tl.dot(matrix_x, matrix_w, allow_tf32=True)
    mask = (idx_n < BATCH)[:, None] & (idx_y_h < OUT_H)[:, None] & (idx_y_w < OUT_W)[:, None] & (idx_y_c < OUT_C)[None, :]
    out = Out + ((idx_n[:, None] * OUT_C + idx_y_c[None, :]) * OUT_H + idx_y_h[:, None]) * OUT_W + idx_y_w[:, None]
    tl.store(out, acc, mask=mask)


# check: --grid 2,2,3 -D BLOCK_M=32 -D BLOCK_N=32 -D BLOCK_K=32 A=randn:bf16[3,50,70] B=randn:bf16[3,70,60] out_ptr0=empty:bf16[3,50,60] M=50 N=60 K=70
# check: --grid 1,1,1 --num-warps 8 -D BLOCK_M=128 -D BLOCK_N=128 -D BLOCK_K=32 A=randn:bf16[1,128,96] B=randn:bf16[1,96,128] out_ptr0=empty:bf16[1,128,128] M=128 N=128 K=96
@triton.jit
def triton_bmm_8(A, B, out_ptr0, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    idx_q = tl.program_id(2)
    A = A + (rm[:, None] % M * K + rk[None, :] + idx_q * M * K)
    B = B + (rk[:, None] * N + rn[None, :] % N + idx_q * K * N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        a = tl.load(A, mask=rk[None, :] < k, other=0.)
        b = tl.load(B, mask=rk[:, None] < k, other=0.)
        acc += tl.dot(a, b, allow_tf32=False)
        A += BLOCK_K
        B += BLOCK_K * N
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    xindex = idx_n + N * idx_m + (M * N * idx_q)
    tl.store(out_ptr0 + (tl.broadcast_to(xindex, acc.shape)), acc, mask)


# check: --grid 2 -D XBLOCK=128 in_ptr0=randn:fp32[2,3,8,8] out_ptr0=empty:fp32[2,3,4,4] out_ptr1=empty:i8[2,3,4,4] xnumel=96
@triton.jit
def triton_poi_fused_max_pool2d_9(in_ptr0, out_ptr0, out_ptr1, xnumel, XBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % 4
    x1 = xindex // 4
    tmp0 = tl.load(in_ptr0 + (2 * x0 + 16 * x1), xmask, eviction_policy='evict_last')
    tmp1 = tl.load(in_ptr0 + (1 + 2 * x0 + 16 * x1), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr0 + (8 + 2 * x0 + 16 * x1), xmask, eviction_policy='evict_last')
    tmp5 = tl.load(in_ptr0 + (9 + 2 * x0 + 16 * x1), xmask, eviction_policy='evict_last')
    tmp2 = triton_helpers.maximum(tmp1, tmp0)
    tmp4 = triton_helpers.maximum(tmp3, tmp2)
    tmp6 = triton_helpers.maximum(tmp5, tmp4)
    tmp7 = tmp1 > tmp0
    tmp8 = tl.full([1], 1, tl.int8)
    tmp9 = tl.full([1], 0, tl.int8)
    tmp10 = tl.where(tmp7, tmp8, tmp9)
    tmp11 = tmp3 > tmp2
    tmp12 = tl.full([1], 2, tl.int8)
    tmp13 = tl.where(tmp11, tmp12, tmp10)
    tmp14 = tmp5 > tmp4
    tmp15 = tl.full([1], 3, tl.int8)
    tmp16 = tl.where(tmp14, tmp15, tmp13)
    tl.store(out_ptr0 + (xindex), tmp6, xmask)
    tl.store(out_ptr1 + (xindex), tmp16, xmask)


# check: --grid 4 -D XBLOCK=64 in_ptr0=randn:fp32[2,5,20] in_ptr1=randn:fp32[2,5,12] out_ptr0=empty:fp32[2,5,20] xnumel=200
@triton.jit
def triton_poi_fused_cat_10(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % 20
    x1 = xindex // 20
    tmp0 = x0
    tmp3 = tl.full([1], 8, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tl.load(in_ptr0 + (20 * x1 + (x0)), tmp4 & xmask, eviction_policy='evict_last', other=0.0)
    tmp6 = tmp0 >= tmp3
    tmp9 = tl.load(in_ptr1 + (12 * x1 + ((-8) + x0)), tmp6 & xmask, eviction_policy='evict_last', other=0.0)
    tmp10 = tl.where(tmp4, tmp5, tmp9)
    tl.store(out_ptr0 + (xindex), tmp10, xmask)
