# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: `while True` with a `break`
# instead: a condition that ends the loop: `while j < n`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    j = 0
    while True:
        tl.store(out + j * BLOCK + i, tl.load(x + i))
        j += 1
        if j >= n:
            break
