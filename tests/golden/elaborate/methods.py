import triton
import triton.language as tl
from collections import namedtuple


@triton.jit
def at(p, i):
    return p.x + i


@triton.jit
def row(p, ij):
    return p.x * ij[0] + ij[1]


Point = namedtuple("Point", ["x", ".at", ".__getitem__"], defaults=(at, row))


@triton.jit
def methods(o, n):
    p = Point(n)
    for k in range(n):
        p = Point(p.at(k))
    f = p.at
    tl.store(o, p[7, 8] + f(i=9))
