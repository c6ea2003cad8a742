# Triton accepts these and Python does not, or not so: profiler marks, a constexpr that holds a run-time value,
# fewer names than values, pointers from inline assembly, another name of tl.constexpr, operators by their methods.
# An error in another kernel does not matter here.
import triton
import triton.language as tl
import triton.profiler.language as pl
from triton.profiler import language as proton

tl_constexpr = tl.constexpr


@triton.jit
def three(x):
    return x, x + 1, x + 2


@triton.jit
def broken(x):
    try:
        y = (z := tl.load(x))
    finally:
        pass
    tl.store(x, y +)


@triton.jit
def kernel(x, n, BLOCK: tl_constexpr):
    with pl.scope("addresses"), proton.scope("more"):
        i = tl.arange(0, BLOCK)
        mask: tl.constexpr = i < n
    pl.enter_scope("asm")
    to = tl.inline_asm_elementwise("add.s64 $0, $1, 8;", "=l,l", [x + i], dtype=x.dtype, is_pure=True, pack=1)
    pl.exit_scope("asm")
    first: tl.constexpr = tl.load(x)
    a, b = three(first)
    with proton.scope("store"):
        if BLOCK > 1:
            tl.store(to, a.__add__(b).__rshift__(4) + i, mask=mask)


@triton.jit
def enters(x):
    with open(x):
        tl.store(x, 1)


@triton.jit
def calls(x):
    broken(x)
