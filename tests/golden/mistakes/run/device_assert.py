# An assertion of the kernel fails.
# run: check --grid 4 x=arange:i32[1000] out=empty:i32[1000] n=1000 -D BLOCK=256
# run: run --device sim --grid 4 x=arange:i32[1000] out=empty:i32[1000] n=1000 -D BLOCK=256
# run: run --device eval --grid 4 x=arange:i32[1000] out=empty:i32[1000] n=1000 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def check(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.device_assert(v < 900, "a value is too large")
    tl.store(out + i, v, mask=i < n)
