# compile: --signature x=*fp32,n=i32 -D BLOCK=64
# mistake: an assignment in a condition
# instead: a separate line before it
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if (m := tl.num_programs(0)) > 3:
        tl.store(x + i, m)
