# A promise that loaded indices do not keep.
# run: run --check --grid 1 x=arange:fp32[64] index=arange:i32[32] out=empty:fp32[32]
# run: run --check --grid 1 x=arange:fp32[64] index=perm:i32[32] out=empty:fp32[32] -D KIND=1
# run: run --check --grid 1 x=arange:fp32[64] index=arange:i32[32] out=empty:fp32[32] -D KIND=2
# run: run --check --grid 1 x=arange:fp32[64] 'index=full(-1):i32[32]' out=empty:fp32[32] -D KIND=3
# run: run --grid 1 --num-warps 1 x=arange:fp32[64] index=perm:i32[64] out=empty:fp32[64] -D N=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, index, out, N: tl.constexpr = 32, KIND: tl.constexpr = 0):
    i = tl.arange(0, N)
    j = tl.load(index + i)
    first = tl.load(index)
    if KIND == 0:
        j = tl.max_contiguous(tl.multiple_of(j + 1, 4), 4)
    if KIND == 1:
        j = tl.max_contiguous(j, 8)
    if KIND == 2:
        j = tl.max_constancy(j, 2)
    if KIND == 3:
        tl.assume(first >= 0)
        j = i + first + 1
    tl.store(out + i, tl.load(x + j))
