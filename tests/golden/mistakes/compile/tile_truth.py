# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: a tile that decides a loop or a branch
# instead: `tl.where`, or `tl.max` of the condition
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    while v > 0:
        v = v - 1
    if n > 3:
        v = v + 1
    elif v:
        v = v + 2
    v = v if i < n else 0.0
    b = bool(v)
    tl.store(out + i, v, mask=i < n)
