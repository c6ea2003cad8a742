# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x * factor, mask=i < n)


if __name__ == "__main__":
    x = np.arange(1000, dtype=np.float32)
    out = np.empty_like(x)
    scale[(triton.cdiv(1000, 256),)](x, out, 1000, 0.5, BLOCK=256)
    print(out[-1])
