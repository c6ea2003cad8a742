# SPDX-License-Identifier: Apache-2.0
"""Single elements by strides that are known at run time, where registers are short: addresses are made one of the other."""
import triton
import triton.language as tl


# Into fp8, by a common scale.
# check: --grid 1,2 --num-warps 1 x=randn:bf16[9000] y=zeros:fp8e4nv[9000] s=empty:fp32[2] row=64 column=1 out_row=65 out_column=2 m=50 n=40 most=448.0 -D M=64 -D N=32
# check: --grid 2,1 --num-warps 1 x=randn:bf16[9000] y=zeros:fp8e4nv[9000] s=empty:fp32[2] row=1 column=130 out_row=2 out_column=256 m=100 n=32 most=57.0 -D M=64 -D N=32
# check: --grid 1,1 --num-warps 2 x=randn:fp16[9000] y=zeros:fp8e5[9000] s=empty:fp32[1] row=64 column=1 out_row=64 out_column=1 m=128 n=64 most=100.0 -D M=128 -D N=64
@triton.jit
def narrowed(x, y, s, row, column, out_row, out_column, m, n, most, M: tl.constexpr, N: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    c = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    inside = (r[:, None] < m) & (c[None, :] < n)
    v = tl.load(x + r[:, None] * row + c[None, :] * column, mask=inside, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v)), 1e-8) / most
    q = tl.clamp(v / scale, -most, most).to(y.dtype.element_ty)
    tl.store(y + r[:, None] * out_row + c[None, :] * out_column, q, mask=inside)
    tl.store(s + tl.program_id(0) * tl.num_programs(1) + tl.program_id(1), scale)


# Backwards, from an offset; rows of the stored tile are columns of the loaded one.
# check: --grid 1 --num-warps 1 x=randn:fp32[9000] y=empty:fp32[4096] first=8128 row=-65 column=-1 -D N=64
# check: --grid 1 --num-warps 1 x=randn:fp32[9000] y=empty:fp32[4096] first=0 row=0 column=3 -D N=64
@triton.jit
def turned(x, y, first: tl.int64, row, column, N: tl.constexpr):
    r, c = tl.arange(0, N).to(tl.int64), tl.arange(0, N).to(tl.int64)
    v = tl.load(x + (first + r[:, None] * row + (c[None, :] + 1) * column))
    tl.store(y + c[None, :] * N + r[:, None], v / tl.max(tl.abs(v)))


# Offsets of 32 bits, which wrap as they are multiplied and added; lanes and registers lie along one dimension.
# check: --grid 1 --num-warps 1 x=randn:fp32[9000] y=zeros:fp32[9000] row=65 column=2 out_row=1 out_column=66 first=3 -D M=64 -D N=64
# check: --grid 1 --num-warps 2 x=randn:fp32[9000] y=zeros:fp32[9000] row=1 column=130 out_row=129 out_column=2 first=0 -D M=128 -D N=64
# check: --grid 1 --num-warps 1 x=randn:fp32[9000] y=zeros:fp32[9000] row=-65 column=2 out_row=66 out_column=1 first=4200 -D M=64 -D N=64
# check: --grid 1 --num-warps 1 x=randn:fp32[9000] y=zeros:fp32[9000] row=1073741825 column=16 out_row=512 out_column=1 first=0 -D M=8 -D N=512
@triton.jit
def narrow_offsets(x, y, row, column, out_row, out_column, first, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M) + tl.program_id(0) * M, tl.arange(0, N)
    v = tl.load(x + (r[:, None] * row + c[None, :] * column + first), mask=(r[:, None] * row + c[None, :] * column + first >= 0) & (r[:, None] * row + c[None, :] * column + first < 9000), other=1.0)
    at = r[:, None] * out_row + c[None, :] * out_column
    tl.store(y + at, v / tl.max(tl.abs(v)), mask=at < 9000)
