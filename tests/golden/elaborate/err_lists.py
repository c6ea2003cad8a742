import itertools
import triton
import triton.language as tl


def extended(x):
    found = [1]
    found.extend(x)
    return found


KEYS = {1: 2}
NAMES = dict([1])
NO_LIST = itertools.product([1, 2], 3)
MANY = itertools.product(*[(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)] * 6)
NO_ITEMS = list(4)
EXTENDED = extended(5)


@triton.jit
def kernel(p):
    tl.store(p, KEYS["1"])
    tl.store(p, NAMES["x"])
    tl.store(p, NO_LIST[0][0])
    tl.store(p, MANY[0][0])
    tl.store(p, NO_ITEMS[0])
    tl.store(p, EXTENDED[0])
