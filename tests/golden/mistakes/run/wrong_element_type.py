# A buffer of fp16 is read as one of fp32.
# run: check --grid 1 x=randn:fp16[256] out=empty:fp32[256] -D BLOCK=256
# run: run --device eval --grid 1 x=randn:fp16[256] out=empty:fp32[256] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def convert(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x.to(tl.pointer_type(tl.float32))
    tl.store(out + i, tl.load(p + i))
