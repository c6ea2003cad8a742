# compile: --signature x=*fp32 -D BLOCK=64
# mistake: two definitions under a condition of the machine
# instead: `-D NAME=VALUE` of a name in the condition
import torch
import triton
import triton.language as tl

HAS_FAST_EXP = torch.backends.cuda.is_built()

if HAS_FAST_EXP:
    @triton.jit
    def power(x):
        return tl.exp2(x)
else:
    @triton.jit
    def power(x):
        return tl.exp(x * 0.6931471805599453)


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, power(tl.load(x + i)))
