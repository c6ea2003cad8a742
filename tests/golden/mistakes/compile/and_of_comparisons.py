# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: `&` and `|` between comparisons without parentheses, in a loop too; the last lines are right
# instead: `(i > 0) & (i < n)`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for j in tl.static_range(3):
        tl.store(out + i, j, mask=i > 0 & i < n)
    v = tl.load(x + i, mask=(i > 0) & i < n, other=0.0)
    v += tl.load(x + i, mask=i == 0 | i > 5, other=0.0)
    v += tl.load(x + i, mask=n > i & (i > 0), other=0.0)
    v += tl.load(x + i, mask=(i > 0) & (i < n), other=0.0)
    v += tl.load(x + i, mask=i & 1 == 0, other=0.0)
    v += tl.load(x + i, mask=0 <= i < n & 255, other=0.0)
    v += tl.load(x + i, mask=0 <= (i & 3) < n, other=0.0)
    v += tl.load(x + i, mask=((i > 0) | (i < n)) == 1, other=0.0)
    v += tl.load(x + i, mask=(i > 0) & (i < n) == True, other=0.0)
    tl.store(out + i, v, mask=i < n)
