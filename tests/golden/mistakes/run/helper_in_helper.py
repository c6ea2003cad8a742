# The load at fault is in a function that another one calls, and the second of its calls is wrong.
# run: check --grid 2 x=randn:fp32[500] y=randn:fp32[512] out=empty:fp32[512] -D BLOCK=256
# run: run --device eval --grid 2 x=randn:fp32[500] y=randn:fp32[512] out=empty:fp32[512] -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def load_at(p, i):
    return tl.load(p + i)


@triton.jit
def scaled(p, i, factor):
    return load_at(p, i) * factor


@triton.jit
def mix(x, y, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, scaled(y, i, 2.0) + scaled(x, i, 3.0))
