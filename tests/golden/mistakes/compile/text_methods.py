# compile: --signature x=*fp32,out=*fp32,n=i32 -D BLOCK=64
# mistake: methods and operators of strings
# instead: f-strings of constexprs; values as arguments of `tl.device_print`
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    print("value {}".format(v))
    print("value %f" % v)
    print("value " + v)
    name = ",".join(["a", "b"])
    tl.store(out + i, v, mask=i < n)
