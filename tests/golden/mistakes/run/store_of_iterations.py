# A loop's store meets what an earlier iteration stored.
# run: check --grid 1 x=randn:fp32[256] out=zeros:fp32[512] n=4 -D BLOCK=256
# run: run --device sim --check --grid 1 x=randn:fp32[256] out=zeros:fp32[512] n=4 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def windows(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for k in range(n):
        tl.store(out + k * 32 + i, tl.load(x + i) * k)
