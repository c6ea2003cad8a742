# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: an element type as C, NumPy or PyTorch spell it
# instead: `tl.float16`, `tl.float32`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    a = v.to("half")
    b = v.to(tl.f16)
    c = tl.zeros([BLOCK], dtype=float)
    d = tl.zeros([BLOCK], dtype="f32")
    tl.store(out + i, v, mask=i < n)
