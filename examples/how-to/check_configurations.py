# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": size}) for size in (64, 128, 256)], key=["n"])
@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)


x = np.arange(1000, dtype=np.float32)
out = np.empty_like(x)
for config in double.configs:
    options = config.all_kwargs()
    double.fn[(triton.cdiv(1000, options["BLOCK"]),)](x, out, 1000, **options)
