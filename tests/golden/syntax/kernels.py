"""A Python file: only its kernels, constants and imports are read."""
from __future__ import annotations
import torch, triton as tr
from numba import jit
import triton

BLOCK = 128
NAMES = [n for n in range(3)]
SIZE: tl.constexpr = tl.constexpr(64)
x, y = 1, 2
x[0] = 3
text = """
@triton.jit
def not_this(x):
    pass
"""
number = 1j
print(f"{'a':{width}}", *args)

try:
    import triton.language as tl
    from triton import jit as fast
except ImportError:
    tl = None


class Module(torch.nn.Module):
    import hidden
    @staticmethod
    def forward(ctx, x):
        with torch.no_grad():
            yield (a := x)
        return {k: v for k, v in x}

    @triton.jit
    def method_kernel(x_ptr):
        tl.store(x_ptr, 0)


@jit
def numba_kernel(x): return [i for i in x]


@numba.jit
def other(x): raise x


@tr.jit
def first(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, 0.0, mask=i < n)


if True:
    @tr.autotune(configs=[triton.Config({"B": 64}, num_stages=2)], key=["n"])
    @tr.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
    @triton.jit(do_not_specialize=["n"])
    def second(x_ptr, n): tl.store(x_ptr, n)


def make():
    @fast
    def third(x_ptr):
        try:
            pass
        except E:
            pass
        tl.store(x_ptr, )
        x = = 3
    return third


async def main():
    await (x
           if x else y)
    $ ? not even tokens
    match x:
        case {"a": 1}: pass


@decorator(
    "of several lines"
)
def plain(): return lambda: (yield)

@triton.jit
class NotAFunction: pass
