# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: `is` of a value that is known at run time
# instead: `==`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    if n is 3:
        v = v + 1
    if n is not 3:
        v = v + 1
    tl.store(out + i, v, mask=i < n)
