"""Tiles of many dimensions: a hypercube of two elements along each, as sorting networks and transforms have it."""
import triton
import triton.language as tl


# check: --grid 1 -D N=128 -D LOG=7 -D AXIS=0 x=arange:fp32[128] y=zeros:fp32[64]
# check: --grid 1 -D N=1024 -D LOG=10 -D AXIS=4 x=randn:fp32[1024] y=zeros:fp32[512]
# check: --grid 1 --num-warps 8 -D N=8192 -D LOG=13 -D AXIS=-1 x=randn:fp16[8192] y=zeros:fp16[4096]
@triton.jit
def halves(x, y, N: tl.constexpr, LOG: tl.constexpr, AXIS: tl.constexpr):
    v = tl.reshape(tl.load(x + tl.arange(0, N)), [2] * LOG)
    h = tl.sum(v, AXIS)
    tl.store(y + tl.arange(0, N // 2), tl.reshape(h, [N // 2]))


# check: --grid 1 -D N=256 -D LOG=8 x=rand:i32[256] y=zeros:i32[256]
# check: --grid 1 --num-warps 2 -D N=2048 -D LOG=11 x=rand:i32[2048] y=zeros:i32[2048]
@triton.jit
def walsh_hadamard(x, y, N: tl.constexpr, LOG: tl.constexpr):
    v = tl.reshape(tl.load(x + tl.arange(0, N)), [2] * LOG)
    for i in tl.static_range(LOG):
        both = tl.sum(v, i, keep_dims=True)
        last = tl.arange(0, 2)
        for d in tl.static_range(LOG - 1):
            last = tl.expand_dims(last, 0 if d < i else -1)
        v = tl.where(last == 1, both - 2 * v, both)
    tl.store(y + tl.arange(0, N), tl.reshape(v, [N]))


# check: --grid 1 x=rand:i32[1024] y=zeros:i32[1024]
@triton.jit
def bit_reversal(x, y):
    v = tl.reshape(tl.load(x + tl.arange(0, 1024)), [2] * 10)
    v = tl.permute(v, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
    tl.store(y + tl.arange(0, 1024), tl.reshape(v, [1024]))


# check: --grid 1 x=rand:i32[512] y=zeros:i32[512] z=zeros:i32[512]
@triton.jit
def scans(x, y, z):
    v = tl.reshape(tl.load(x + tl.arange(0, 512)), [2, 4, 1, 2, 2, 2, 1, 2, 4])
    a, b = tl.split(tl.join(tl.cumsum(v, 1), tl.flip(tl.cumsum(v, 8, reverse=True), 3)))
    tl.store(y + tl.arange(0, 512), tl.reshape(a, [512]))
    tl.store(z + tl.arange(0, 512), tl.reshape(tl.trans(b, 8, 1, 2, 3, 4, 5, 6, 7, 0), [512]))
