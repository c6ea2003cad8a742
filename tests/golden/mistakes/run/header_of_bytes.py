# Floats after a header of three bytes are not aligned.
# run: check --grid 1 x=arange:i8[1027] out=empty:fp32[256] -D BLOCK=256
# run: run --device eval --grid 1 x=arange:i8[1027] out=empty:fp32[256] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def read_floats(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = (x + 3).to(tl.pointer_type(tl.float32))
    tl.store(out + i, tl.load(p + i))
