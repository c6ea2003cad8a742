# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: a name that is declared with its type
# instead: `a = 3`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    int a = 3
    let b = 4
    print "a"
    type A = int
    tl.store(out + i, v, mask=i < n)
