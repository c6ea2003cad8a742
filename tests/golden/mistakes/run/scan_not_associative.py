# The function of a scan is not associative: a weighted sum of the one before.
# run: run --device sim --check --grid 1 --num-warps 1 x=randn:fp32[8,8] out=empty:fp32[8,8] -D N=8
# run: check --grid 1 --num-warps 1 x=randn:fp32[8,8] out=empty:fp32[8,8] -D N=8
# mistake: tl.associative_scan(tl.load(x + at), 0, smooth)
# instead: tl.associative_scan((d, tl.load(x + at)), 0, step), with d a tile of 0.5 and step(d, a, e, b) = (d * e, a * e + b)
import triton
import triton.language as tl


@triton.jit
def smooth(a, b):
    return a * 0.5 + b


@triton.jit
def running(x, out, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.associative_scan(tl.load(x + at), 0, smooth))
