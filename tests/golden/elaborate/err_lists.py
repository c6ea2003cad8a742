import functools
import itertools
import operator
import triton
import triton.language as tl


def extended(x):
    found = [1]
    found.extend(x)
    return found


KEYS = {1.5: 2}
NO_KEY = {1: 2}
SPREAD = {**[1]}
PAIRS = dict([1])
NAMES = dict(1, 2)
NO_LIST = itertools.product([1, 2], 3)
MANY = itertools.product(*[(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)] * 6)
NO_ITEMS = list(4)
EXTENDED = extended(5)
BYTES = int.from_bytes(b"0123456789", "little")
REDUCED = functools.reduce(operator.add, 4)
EMPTY = functools.reduce(operator.add, [])
ADDED = operator.add(1)
GREATEST = max(3, key=abs)


@triton.jit
def kernel(p):
    tl.store(p, KEYS["1"])
    tl.store(p, NAMES["x"])
    tl.store(p, NO_LIST[0][0])
    tl.store(p, MANY[0][0])
    tl.store(p, NO_ITEMS[0])
    tl.store(p, EXTENDED[0])
    tl.store(p, NO_KEY[3])
    tl.store(p, SPREAD[0])
    tl.store(p, PAIRS[0])
    tl.store(p, BYTES)
    tl.store(p, REDUCED)
    tl.store(p, EMPTY)
    tl.store(p, ADDED)
    tl.store(p, GREATEST)
