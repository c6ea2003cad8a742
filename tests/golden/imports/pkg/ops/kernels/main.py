import triton
import triton.language as tl
from pkg.ops.unary import plus as p
from pkg import ops, tables as t
from pkg.ops import multiply
import pkg.ops.unary as u
from nowhere.at.all import nothing
@triton.jit
def k(o, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, p(i) + 100 * multiply(i) + 10000 * u.plus(0) + 1000000 * t.SIZE + 100000000 * ops.plus(0))
