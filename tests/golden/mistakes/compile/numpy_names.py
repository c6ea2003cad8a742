# compile: --signature x=*fp32,out=*fp32 -D N=64
# mistake: NumPy's names after `tl.`
# instead: what the message says
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + tl.argsort(v), v)
    tl.store(out, tl.prod(v))
    tl.store(out, tl.std(v))
    tl.store(out, v.std())
    tl.store(out, tl.any(v > 0))
    tl.store(out + i, tl.isnan(v))
    tl.store(out + i, tl.eye(N))
    tl.store(out + i, tl.log10(v))
    tl.store(out + i, tl.tanh(v))
    tl.store(out + i, v ** 0.5)
