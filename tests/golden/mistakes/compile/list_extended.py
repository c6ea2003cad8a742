# compile: --signature out=*i32
# mistake: a list of the file is extended
# instead: assign the list once, or give its value with `-D`
import triton
import triton.language as tl

SIZES = [1, 2]
SIZES.append(7)


@triton.jit
def kernel(out):
    tl.store(out, len(SIZES))
