# Several copies of one load are wrong: one report.
# run: check --grid 1 x=randn:fp32[100] out=empty:fp32[32] -D BLOCK=32
# run: run --device eval --grid 1 x=randn:fp32[100] out=empty:fp32[32] -D BLOCK=32
import triton
import triton.language as tl


@triton.jit
def fold(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in tl.static_range(8):
        acc += tl.load(x + k * BLOCK + i)
    tl.store(out + i, acc)
