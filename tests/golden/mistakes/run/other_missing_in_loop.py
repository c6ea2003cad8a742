# A masked load without other in a loop, whose first iteration leaves elements undefined.
# run: run --device eval --grid 1 x=randn:fp32[128] out=empty:fp32[1] n=128 -D BLOCK=64
import triton
import triton.language as tl


@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        acc += tl.load(x + start + i, mask=start + i >= 8)
    tl.store(out, tl.sum(acc, axis=0))
