# compile: --signature a=*fp32,b=*fp32,out=*fp32 -D M=256 -D N=256 -D K=256 --num-warps 8
# mistake: tiles that need more shared memory than there is
# instead: smaller tiles, or a loop over K
import triton
import triton.language as tl


@triton.jit
def kernel(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rm = tl.arange(0, M)
    rn = tl.arange(0, N)
    rk = tl.arange(0, K)
    x = tl.load(a + rm[:, None] * K + rk[None, :])
    y = tl.load(b + rk[:, None] * N + rn[None, :])
    tl.store(out + rm[:, None] * N + rn[None, :], tl.dot(x, y, input_precision="tf32"))
