import triton
import triton.language as tl


@triton.jit
def chosen(x, o):
    i = tl.arange(0, 16)
    at = tl.load(x + i).to(tl.pi32_t)
    tl.store(o + i, tl.load(tl.where(i < 8, at, at + 1)))
