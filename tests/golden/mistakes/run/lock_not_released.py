# A lock is taken and never released.
# run: check --grid 4 x=randn:fp32[256] out=zeros:fp32[1] lock=zeros:i32[1] -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def total(x, out, lock, BLOCK: tl.constexpr):
    part = tl.sum(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)))
    while tl.atomic_cas(lock, 0, 1) != 0:
        pass
    tl.atomic_add(out, part)
