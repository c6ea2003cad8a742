# SPDX-License-Identifier: Apache-2.0
# compile: --signature x=*bf16:16,y=*fp8e4nv:16,s=*fp32:16,row=i32:16,column=i32,out_row=i32:16,out_column=i32,m=i32,n=i32,most=fp32
# spills: 0
"""Rows by strides of 64 bits that are known at run time, element by element, into fp8: addresses are made one of the other."""
import triton
import triton.language as tl


@triton.jit
def narrowed(x, y, s, row, column, out_row, out_column, m, n, most):
    r = tl.program_id(0).to(tl.int64) * 128 + tl.arange(0, 128)
    c = tl.program_id(1).to(tl.int64) * 128 + tl.arange(0, 128)
    inside = (r[:, None] < m) & (c[None, :] < n)
    v = tl.load(x + r[:, None] * row + c[None, :] * column, mask=inside, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v)), 1e-8) / most
    tl.store(y + r[:, None] * out_row + c[None, :] * out_column, tl.clamp(v / scale, -most, most).to(tl.float8e4nv), mask=inside)
    tl.store(s + tl.program_id(0) * tl.num_programs(1) + tl.program_id(1), scale)
