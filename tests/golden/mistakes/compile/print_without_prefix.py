# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: `print` of only a tile
# instead: `print("v", v)`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    print(v)
    print("v", v, sep=",")
    tl.store(out + i, v, mask=i < n)
