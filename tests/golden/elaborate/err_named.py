from typing import Any, NamedTuple

import triton
import triton.language as tl

SCALE = 3


class Point(NamedTuple):
    """Where something is."""
    x: Any
    y: tl.constexpr = SCALE + 4

    @property
    def length(self):
        size = self.x
        return size


class Line(NamedTuple):
    start: Point
    end: Point = Point(0)


class Plain:
    x: int


import collections
NAMES = ("x", "y")
Odd = collections.namedtuple("Odd", NAMES)
Bad = collections.namedtuple("Bad", "x", defaults=(1, 2))

@triton.jit
def k(o, n):
    Point()
    Point(1, 2, 3)
    Point(1, z=3)
    Point(1, x=3)
    Odd(1, 2)
    Bad(1)
    Plain(1)
    Point(n).z
    Point.x
    n + Point
