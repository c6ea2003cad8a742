import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def square(x):
    return tl.dot(x, x)


@triton.jit
def k(a, c):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(a + i)
    y = tl.dot(x, x, input_precision="ieee")
    y += tl.dot(x, x, allow_tf32=False)
    y += tl.dot(x.to(tl.float16), x.to(tl.float16))
    y += square(x)
    y += tl.dot(y, x)
    zero: tl.float32 = 0.0
    one: tl.float32 = 1
    two: tl.int64 = 2
    y += zero + one + two
    y += libdevice.fmod(x, y) + x % 2
    tl.store(c + i, y % 3.0 + (i % 3))
