# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: operators of C
# instead: Python's: `&`, `|`, `!=`, `+= 1`, `elif`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    m = (i < n) && (i > 0)
    m = (i < n) || (i > 0)
    m = n <> 3
    n++
    if n > 1:
        v = v + 1
    else if n > 0:
        v = v + 2
    if n === 3:
        v = v + 3
    tl.store(out + i, v, mask=i < n)
