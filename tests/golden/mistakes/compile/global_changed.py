# compile: --signature out=*i32
# mistake: a function of the file assigns a global name
# instead: assign the name once, or give its value with `-D`
import triton
import triton.language as tl

SCALE = 1


def set_scale():
    global SCALE
    SCALE = 8


set_scale()


@triton.jit
def kernel(out):
    tl.store(out, SCALE)
