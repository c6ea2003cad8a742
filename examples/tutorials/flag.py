# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def flag(found_ptr):
    tl.store(found_ptr, 1)
