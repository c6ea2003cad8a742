"""Blocks that a mask of bytes skips: whether one is skipped is reduced from what is loaded, and a branch uses the rest."""
import triton
import triton.language as tl


# check: --grid 2 -D R=16 -D C=32 mask=rand:i1[2,4,16,32] x=randn:fp32[2,4,32,16] out=empty:fp32[2,16] n=4
# check: --grid 1 --num-warps 8 -D R=64 -D C=64 mask=rand:i1[1,3,64,64] x=randn:fp32[1,3,64,64] out=empty:fp32[1,64] n=3
# check: --grid 1 --num-warps 8 -D R=64 -D C=64 mask=zeros:i1[1,3,64,64] x=randn:fp32[1,3,64,64] out=empty:fp32[1,64] n=3
@triton.jit
def skip_blocks(mask, x, out, n, R: tl.constexpr, C: tl.constexpr):
    rows, columns = tl.arange(0, R), tl.arange(0, C)
    total = tl.zeros([R], tl.float32)
    for i in range(0, n):
        block = (tl.program_id(0) * n + i) * R * C
        keep = tl.load(mask + block + rows[:, None] * C + columns[None, :])
        if tl.max(keep) != 0:
            values = tl.load(x + block + columns[:, None] * R + rows[None, :])
            total += tl.sum(tl.where(keep, tl.trans(values), 0.0), 1)
    tl.store(out + tl.program_id(0) * R + rows, total)
