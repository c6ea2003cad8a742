# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: other functions of Python's own
# instead: what the message says
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    a = id(x)
    exit()
    b = repr(v)
    c = hash(n)
    d = open("log.txt")
    e = complex(1, 2)
    tl.store(out + i, v, mask=i < n)
