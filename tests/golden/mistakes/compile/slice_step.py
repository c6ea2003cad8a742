# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: a slice with a step
# instead: `tl.flip(x)`; `tl.split(tl.reshape(x, [n // 2, 2]))`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    w = v[::2]
    u = v[::-1]
    tl.store(out + i, v, mask=i < n)
