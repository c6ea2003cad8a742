# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scan of so many terms that rounding each sum in turn would drift off."""
import triton
import triton.language as tl


# check: --grid 1 --num-warps 4 sums=empty:fp16[4096] below=empty:fp32[4096]
@triton.jit
def halves(sums, below):
    i = tl.arange(0, 4096)
    c = tl.cumsum(tl.full([4096], 1.5, tl.float16), axis=0)
    tl.store(sums + i, c)
    tl.store(below + i, (c < tl.max(c, axis=0)).to(tl.float32))
