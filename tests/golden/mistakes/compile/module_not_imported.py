# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: modules without an import, and of Python
# instead: `import math` at the top of the file
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    v = v * math.pi
    t = time.time()
    tl.store(out + i, v, mask=i < n)
