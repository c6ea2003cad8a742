# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: `raise` under a condition of the run time
# instead: `tl.device_assert(condition, message)`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    if n < 0:
        raise ValueError("n must not be negative")
    tl.store(out + i, v, mask=i < n)
