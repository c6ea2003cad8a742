# compile: --signature x=*f32,n=i32 -D BLOCK=64
# compile: --signature x=*torch.float16,n=int -D BLOCK=64
# compile: --signature x=*fp32,n=i32 -D BLOCK_SIZE=64
# mistake: types and constexprs of the command line under another name
# instead: `x=*fp32,n=i32`, `-D BLOCK=64`
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n, other=0.0) + 1, mask=i < n)
