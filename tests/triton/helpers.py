# Functions that the table's expressions call.
@triton.jit
def plus(x, y):
    return x + y


@triton.jit
def larger(x, y):
    return tl.where(x > y, x, y)


@triton.jit
def augmented(x, y):
    x += y
    return x


@triton.jit
def branches(n, x, y):
    if n > 50:
        t = x
    else:
        t = y
    return t


@triton.jit
def early(n, x, y):
    if n > 50:
        return x
    return y


@triton.jit
def chosen(n, x, y):
    return x if n > 50 else y


@triton.jit
def range_sum(lo, hi):
    t = tl.full((), 0, tl.int64)
    for i in range(lo, hi):
        t += i.to(tl.int64)
    return t


@triton.jit
def range_counts_in(lo, hi, dtype: tl.constexpr):
    t = tl.full((), 0, dtype)
    for i in range(lo, hi):
        t = i
    return t


@triton.jit
def range_steps(lo, hi, step):
    t = tl.full((), 0, tl.int64)
    for i in range(lo, hi, step):
        t += i.to(tl.int64)
    return t


@triton.jit
def carried(x, y):
    for i in range(3):
        x += y
    return x


@triton.jit
def static_sum(x):
    for i in tl.static_range(4):
        x += i
    return x


@triton.jit
def while_below(x, y):
    while x < y:
        x += 1
    return x


@triton.jit
def sized(dtype: tl.constexpr):
    n = 4 * 2
    return tl.zeros([n], dtype)


@triton.jit
def annotated(x):
    y: tl.float32 = x
    return y


# Exponents of e8m0 near that of one, with a zero and a NaN: a row for every row of the operand, one for each `group` of k.
@triton.jit
def scales(rows: tl.constexpr, k: tl.constexpr, group: tl.constexpr = 32):
    i = tl.arange(0, rows)[:, None] * (k // group) + tl.arange(0, k // group)[None, :]
    e = tl.where(i == 3, 0, tl.where(i == 9, 255, 122 + i % 11))
    return e.to(tl.uint8)


# One element a row of a matrix of 16 x 32; the others are 0.
@triton.jit
def alone(x):
    return tl.where(tl.arange(0, 32)[None, :] == 2 * tl.arange(0, 16)[:, None], x, 0.0)
