# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: names of CUDA, C and JavaScript
# instead: Triton's and Python's
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    k = threadIdx.x
    __syncthreads()
    u = expf(v)
    flag = true
    empty = null
    low = -inf
    tl.store(out + i, v, mask=i < n)
