# compile: --arch sm_80 --num-warps 16 --signature x=*i64:16,out=*i64:16 -D BLOCK=32768
# mistake: a sort that takes more shared memory than there is
# instead: a smaller block
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))
