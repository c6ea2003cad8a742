# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: a pointer that is assigned by index
# instead: `tl.store(out + i, v)`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    out[i] = v
    out[0:BLOCK] = v
    out[i] += v
    out[i] *= v
    tl.store(out + i, v, mask=i < n)
