# A function of libdevice that tilec does not have.
# compile: --signature x=*fp32,n=i32 -D BLOCK=64
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, libdevice.j0(tl.load(x + i, mask=i < n, other=0.0)), mask=i < n)
