# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def last_sums(part, out, count, SEM: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, 512)
    if pid < 3:
        tl.store(part + pid * 512 + i, (i + pid).to(tl.float32))
        tl.atomic_add(count, 1, sem=SEM)
    else:
        while tl.atomic_add(count, 0, sem=SEM) != 3:
            pass
        s = tl.zeros((512,), tl.float32)
        for k in range(3):
            s += tl.load(part + k * 512 + i)
        tl.store(out + i, s)
