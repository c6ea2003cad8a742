# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that depend on the machine are the same in all threads, although they cannot be compared."""
import triton
import triton.language as tl
from triton.language.extra.cuda import globaltimer


# uncertain: branches_on_time
# check: -O0 --grid 1 --num-warps 4 out=empty:i32[128] took=zeros:i64[1]
# check: --grid 1 --num-warps 4 out=empty:i32[128] took=zeros:i64[1]
@triton.jit
def branches_on_time(out, took):
    seen = tl.atomic_add(took, 1)  # by one thread: warps read the time at different times
    before = globaltimer() + seen
    total = tl.zeros([128], tl.int32)
    for k in range((before & 3).to(tl.int32)):
        total += tl.sum(tl.arange(0, 128) + k)
    if before & 1:
        total += tl.sum(total)
    tl.store(out + tl.arange(0, 128), total)
    tl.store(took, globaltimer() - before)
