# AOT ID: ['0_inference']
from ctypes import c_void_p, c_long, c_int
import torch
import math
import random
import os
import tempfile
from math import inf, nan
from torch import device, empty_strided
from torch._inductor.async_compile import AsyncCompile

import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties

aten = torch.ops.aten
inductor_ops = torch.ops.inductor
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
async_compile = AsyncCompile()
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda


@triton_heuristics.pointwise(
    size_hints={'x': 2048},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32'}, 'constants': {}, 'configs': [{(0,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused_mix', 'mutated_arg_names': [], 'no_x_dim': False},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_mix(in_ptr0, in_ptr1, out_ptr0, xnumel, ks0, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x0 = (xindex % ks0)
    x1 = xindex // ks0
    tmp0 = tl.load(in_ptr0 + (x2), xmask)
    tmp1 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tmp0 + tmp1
    tmp3 = 0.0
    tmp4 = tmp2 > tmp3
    tmp5 = 1.0
    tmp6 = tmp2 * tmp5
    tmp7 = libdevice.expm1(tmp6)
    tmp8 = tmp7 * tmp5
    tmp9 = tl.where(tmp4, tmp6, tmp8)
    tmp10 = libdevice.tanh(tmp9)
    tmp11 = tl_math.exp(-tmp10)
    tmp12 = libdevice.log1p(tmp11)
    tmp13 = libdevice.pow(tmp12, 2.5)
    tmp14 = x1
    tmp15 = tl.full([1], 3, tl.int64)
    tmp16 = tmp14 < tmp15
    tmp17 = tl.full([1], 0, tl.int64)
    tmp18 = tmp14 >= tmp17
    tmp19 = tmp18 & tmp16
    tmp20 = tl_math.abs(tmp2)
    tmp21 = libdevice.atan2(tmp20, tmp13)
    tmp22 = tl.where(tmp19, tmp13, tmp21)
    tmp23 = triton_helpers.maximum(tmp22, tmp3)
    tmp24 = libdevice.floor(tmp2)
    tmp25 = tmp24.to(tl.int32).to(tl.float32)
    tmp26 = tmp23 + tmp25
    tmp27 = tmp26 != tmp26
    tmp28 = tl.where(tmp27, tmp3, tmp26)
    tl.store(out_ptr0 + (x2), tmp28, xmask)


@triton_heuristics.persistent_reduction(
    size_hints={'x': 16, 'r0_': 64},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr2': '*fp32'}},
    inductor_meta={'kernel_name': 'triton_per_fused_softmax', 'num_reduction': 2}
)
@triton.jit
def triton_per_fused_softmax(in_ptr0, in_ptr1, out_ptr2, xnumel, r0_numel, XBLOCK : tl.constexpr):
    R0_BLOCK: tl.constexpr = 64
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = r0_index < r0_numel
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + r0_numel*x0), r0_mask & xmask, other=0.0)
    tmp1 = tl.load(in_ptr1 + (r0_1 + r0_numel*x0), r0_mask & xmask, other=0).to(tl.int1)
    tmp2 = float("-inf")
    tmp3 = tl.where(tmp1, tmp2, tmp0)
    tmp4 = tl.broadcast_to(tmp3, [XBLOCK, R0_BLOCK])
    tmp6 = tl.where(r0_mask & xmask, tmp4, float("-inf"))
    tmp7 = triton_helpers.max2(tmp6, 1)[:, None]
    tmp8 = tmp3 - tmp7
    tmp9 = tl_math.exp(tmp8)
    tmp10 = tl.broadcast_to(tmp9, [XBLOCK, R0_BLOCK])
    tmp12 = tl.where(r0_mask & xmask, tmp10, 0)
    tmp13 = tl.sum(tmp12, 1)[:, None]
    tmp14 = (tmp9 / tmp13)
    tl.store(out_ptr2 + (r0_1 + r0_numel*x0), tmp14, r0_mask & xmask)


@triton_heuristics.reduction(
    size_hints={'x': 8, 'r0_': 4096},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*bf16'}},
    inductor_meta={'kernel_name': 'triton_red_fused_norm', 'mutated_arg_names': ['in_out_ptr0']}
)
@triton.jit
def triton_red_fused_norm(in_out_ptr0, in_ptr0, in_ptr1, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    _tmp4 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    _tmp6 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
    _tmp8 = tl.full([XBLOCK, R0_BLOCK], False, tl.int1)
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + r0_numel*x0), r0_mask & xmask, eviction_policy='evict_last', other=0.0).to(tl.float32)
        tmp1 = tmp0.to(tl.float32)
        tmp2 = tmp1 * tmp1
        tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
        tmp5 = _tmp4 + tmp3
        _tmp4 = tl.where(r0_mask & xmask, tmp5, _tmp4)
        tmp7 = triton_helpers.maximum(_tmp6, tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK]))
        _tmp6 = tl.where(r0_mask & xmask, tmp7, _tmp6)
        tmp9 = tl.broadcast_to(tmp1 > 2.9, [XBLOCK, R0_BLOCK])
        tmp10 = _tmp8 | tmp9
        _tmp8 = tl.where(r0_mask & xmask, tmp10, _tmp8)
    tmp4 = tl.sum(_tmp4, 1)[:, None]
    tmp6 = triton_helpers.max2(_tmp6, 1)[:, None]
    tmp8 = triton_helpers.any(_tmp8.to(tl.int8), 1)[:, None].to(tl.int1)
    tmp11 = r0_numel.to(tl.float32)
    tmp12 = (tmp4 / tmp11)
    tmp13 = 1e-05
    tmp14 = tmp12 + tmp13
    tmp15 = libdevice.rsqrt(tmp14)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp15, xmask)
    tl.store(out_ptr0 + (x0), tmp6, xmask)
    tl.store(out_ptr0 + (xnumel + x0), tmp8.to(tl.float32), xmask)
    for r0_offset in range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp16 = tl.load(in_ptr0 + (r0_1 + r0_numel*x0), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp19 = tl.load(in_ptr1 + (r0_1), r0_mask, eviction_policy='evict_last', other=0.0).to(tl.float32)
        tmp17 = tmp16.to(tl.float32)
        tmp18 = tmp17 * tmp15
        tmp20 = tmp18.to(tl.float32)
        tmp21 = tmp20 * tmp19
        tl.store(out_ptr1 + (r0_1 + r0_numel*x0), tmp21, r0_mask & xmask)


async_compile.wait(globals())
del async_compile


def call(args):
    arg0_1, arg1_1 = args
    args.clear()
    assert_size_stride(arg0_1, (8, 200), (200, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf0 = empty_strided_cuda((8, 200), (200, 1), torch.float32)
        stream0 = torch._C._cuda_getCurrentRawStream(0)
        triton_poi_fused_mix.run(arg0_1, arg1_1, buf0, 1600, 200, stream=stream0)
    return (buf0, )


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    compiled_module_main('None', call)
