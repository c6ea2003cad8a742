from typing import Any, NamedTuple


import collections
import typing
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


@triton.jit
def moved(p: Point, by, other: Plain = None):
    return Point(p.x + by, y=p.y)

Pair = collections.namedtuple("Pair", "first, second", defaults=(3,))
Trio = typing.NamedTuple("Trio", [("a", int), ("b", int), ("c", tl.constexpr)])
Ends = collections.namedtuple("Ends", ["low", "high"])

@triton.jit
def swap(p: Pair):
    return Pair(second=p.first, first=p.second)

@triton.jit
def k(o, n):
    p = moved(Point(n), 1)
    tl.static_assert(p.y == 7 and len(p) == 2 and p[1] == 7 and isinstance(p, tl.tuple) and not isinstance(p, Point))
    line = Line(p)
    tl.static_assert(line.end.x == 0 and line.end == Point(0) and line.start.y == 7 and Line == Line and Line != Point)
    pair = swap(Pair(1, n))
    for i in range(n):
        pair = Pair(pair.first + line.start.x, pair.second)
        if i > 2:
            pair = swap(swap(pair))
    a, b = pair
    t = Trio(1, 2, c=5)
    tl.static_assert(t == (1, 2, 5) and hasattr(t, "a") and not hasattr(t, "first") and getattr(t, "c") == 5)
    tl.static_assert(Ends(1, 2).high == 2 and t + (1,) == (1, 2, 5, 1))
    tl.store(o, a + b + Pair(0).second)
