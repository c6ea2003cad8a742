# A mask without parentheses: `&` binds before `>` and `<`, so this is i > (0 & i) < n.
# run: check --grid 4 x=randn:fp32[1000] out=zeros:fp32[1000] n=1000 -D BLOCK=256
# run: run --device eval --grid 4 x=randn:fp32[1000] out=zeros:fp32[1000] n=1000 -D BLOCK=256
import triton
import triton.language as tl


@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i > 0 & i < n, other=0.0)
    tl.store(out + i, v * 2, mask=(i > 0) & (i < n))
