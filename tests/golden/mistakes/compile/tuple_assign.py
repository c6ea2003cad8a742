# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: an element of a list that is assigned
# instead: a new tuple
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    sizes = [1, 2, 3]
    sizes[1] = 4
    n[0] = 3
    tl.store(out + i, v, mask=i < n)
