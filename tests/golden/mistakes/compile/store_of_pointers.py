# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: a tile of pointers that is stored, or computed with
# instead: `tl.load(x + i)`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, x + i)
    p = x + i
    tl.store(out + i, p, mask=i < n)
    tl.atomic_add(out + i, x + i)
    v = tl.exp(x + i)
    v = tl.sum(x + i, axis=0)
    v = (x + i).to(tl.float16)
    v = (x + i) * 2
    v = (x + i) + v
    v = -p
    v = tl.maximum(p, 0.0)
    v = tl.where(p > 0, 1.0, 0.0)
    tl.store(out + i,
             x +
             i)
    tl.store(out + i, v, mask=i < n)
