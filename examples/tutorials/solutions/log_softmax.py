# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def log_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=-float("inf"))
    x -= tl.max(x, axis=0)
    total = tl.sum(tl.exp(x), axis=0)
    tl.store(out_ptr + row * columns + offsets, x - tl.log(total), mask=mask)
