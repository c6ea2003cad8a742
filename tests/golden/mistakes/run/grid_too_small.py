# One program too few: the rest of the output is never written.
# run: check --strict --grid 3 x=randn:fp32[1000] out=empty:fp32[1000] n=1000 -D BLOCK=256
# instead: `--grid 'cdiv(n, BLOCK)'`, which is 4
import triton
import triton.language as tl


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n, other=0.0), mask=offs < n)
