# SPDX-License-Identifier: Apache-2.0
# compile: --num-warps 32 --signature x=*fp32:16,out=*fp32:16,n=i32:16 -D B=16384
# spills: 0
"""A function of many instructions by 32 warps. Two CTAs per multiprocessor would leave a thread 32 registers."""
import triton
import triton.language as tl


@triton.jit
def sine(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.sin(tl.load(x + i, mask=i < n)), mask=i < n)
