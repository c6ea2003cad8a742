# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python package's own names instead of Triton's.
import tilec
import tilec.language as tl
from tilec import jit as kernel
from tilec.language import constexpr


@kernel
def twice(value):
    return value * tl.full((), 2, tl.float32)


# check: --grid 2 x=randn:fp32[1000] out=empty:fp32[1000] n=1000 -D BLOCK=512
@tilec.jit
def doubled(x, out, n, BLOCK: constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, twice(tl.load(x + i, mask=i < n)), mask=i < n)
