# A promise that loaded indices do not keep.
# run: run --check --grid 1 x=arange:fp32[64] index=arange:i32[32] out=empty:fp32[32]
# run: run --grid 1 --num-warps 1 x=arange:fp32[64] index=perm:i32[64] out=empty:fp32[64] -D N=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, index, out, N: tl.constexpr = 32):
    i = tl.arange(0, N)
    j = tl.max_contiguous(tl.multiple_of(tl.load(index + i) + 1, 4), 4)
    tl.store(out + i, tl.load(x + j))
