# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import triton
import triton.language as tl
@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.store(out, tl.load(out) + s)
x, out = np.ones(10000, np.float32), np.zeros(1, np.float32)
total[(10,)](x, out, 10000, BLOCK=1024)  # 10 programs
print(out)
