# compile: --signature 'd=tensordesc<fp16[64]>,out=*fp16'
# mistake: a tensor descriptor that is loaded as a pointer
# instead: `d.load([0])`
import triton
import triton.language as tl


@triton.jit
def kernel(d, out):
    x = tl.load(d)
    tl.store(out + tl.arange(0, 64), x)
