# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: parts of a tile that are assigned
# instead: `tl.where` with a condition of the indices
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    w = tl.zeros([16, 32], tl.float32)
    v[v > 0] = 0.0
    v[n] += 2.0
    v[2:8] = n
    v[:4] = 1.0
    w[0, :] = 3.0
    w[:, n] = 3.0
    w[0:4, 1] -= 2.0
    w[:, :] = 1.0
    w[...] = 1.0
    w.size = 3
    v[0], v[1] = 1.0, 2.0
    tl.store(out + i, v, mask=i < n)
