# SPDX-License-Identifier: Apache-2.0
# compile: --num-warps 16 -D UNROLL=8 -D BLOCK=16384 --signature out=*bf16:16,x=*bf16:16,n=i64
# spills: 0
"""Blocks copied element by element by 16 warps: ptxas is not asked for more CTAs than the elements' masks leave room for."""
import triton
import triton.language as tl


@triton.jit
def copied(out, x, n, UNROLL: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * (UNROLL * BLOCK)
    while first < n:
        for u in tl.static_range(UNROLL):
            at = first + u * BLOCK + tl.arange(0, BLOCK)
            tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)
        first += tl.num_programs(0) * (UNROLL * BLOCK)
