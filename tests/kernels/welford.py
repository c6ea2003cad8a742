import torch
import triton
import triton.language as tl


@triton.jit
def welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    new_weight = weight_1 + weight_2
    w2_over_w = tl.where(new_weight == 0.0, 0.0, weight_2 / new_weight)
    return (
        mean_1 + delta * w2_over_w,
        m2_1 + m2_2 + delta * delta * weight_1 * w2_over_w,
        new_weight,
    )


@triton.jit
def welford_reduce(value, mean, m2, weight, first_iteration):
    if first_iteration:
        new_weight = tl.full(weight.shape, 1, weight.dtype)
        new_mean = value
        new_m2 = tl.zeros_like(m2)
    else:
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (value - new_mean)
    return new_mean, new_m2, new_weight


@triton.jit
def welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, welford_combine)


@triton.jit
def group_norm_stats(x_ptr, mean_ptr, var_ptr, x_numel, r_numel, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < x_numel
    rbase = tl.arange(0, RBLOCK)[None, :]
    tmp_mean = tl.zeros([XBLOCK, RBLOCK], tl.float32)
    tmp_m2 = tl.zeros([XBLOCK, RBLOCK], tl.float32)
    tmp_weight = tl.zeros([XBLOCK, RBLOCK], tl.float32)
    for roffset in range(0, r_numel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < r_numel
        value = tl.load(x_ptr + (rindex + r_numel * xindex), rmask & xmask, eviction_policy='evict_first', other=0.0)
        next_mean, next_m2, next_weight = welford_reduce(value, tmp_mean, tmp_m2, tmp_weight, roffset == 0)
        tmp_mean = tl.where(rmask & xmask, next_mean, tmp_mean)
        tmp_m2 = tl.where(rmask & xmask, next_m2, tmp_m2)
        tmp_weight = tl.where(rmask & xmask, next_weight, tmp_weight)
    mean, m2, weight = welford(tmp_mean, tmp_m2, tmp_weight, 1)
    mean = mean[:, None]
    var = (m2 / weight)[:, None]
    tl.store(mean_ptr + xindex, mean, xmask)
    tl.store(var_ptr + xindex, var, xmask)
