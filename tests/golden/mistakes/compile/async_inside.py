# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: `async` and `await`
# instead: the statement without it
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    async with x:
        v = v + 1
    v = await v
    tl.store(out + i, v, mask=i < n)
