# Python's results at the module level, and what kernels see of them. Every value is CPython 3.11's.
import importlib
import importlib.util as finder
import math
import triton
import triton.language as tl
from importlib.util import find_spec, module_from_spec
from triton.language.extra import libdevice
from triton.language.extra import libdevice as shim

# --- Loops ---


def skips(n):
    total = 0
    for i in range(n):
        if i == 2:
            continue
        if i == 5:
            break
        total += i
    else:
        total = -1
    return total


def ends(n):
    total = i = 0
    while i < n:
        i += 1
        if i % 2:
            continue
        total += i
    else:
        total += 100
    while True:
        total += 1
        if total % 7 == 0:
            break
    else:
        total = -1
    for i in range(3):
        for j in range(3):
            if j > i:
                break
            if j == 1:
                continue
            total += 10
    return total


def tries(names):
    for name in names:
        try:
            value = getattr(tl, name)
        except AttributeError:
            continue
        return name
    return None


LOOPS = (skips(4), skips(9), ends(5), tries(("no_such_name", "minimum", "maximum")))
def fills(names):
    table, row = {}, [1, 2, 3]
    for name in names:
        table[name] = len(name)
        row[-1] = name
    return table["bb"], row[2]


FILLED = fills(("a", "bb"))
TOTAL = 0
LIST = []
TABLE = {"a": 1}
for step in range(6):
    if step == 1:
        continue
    if step == 4:
        break
    TOTAL += step
    LIST.append(step)
    TABLE["b"] = step
else:
    TOTAL = 100
    NEVER = 1
DOUBLED = 1
while DOUBLED < 100: DOUBLED *= 2
else:
    AFTER = DOUBLED + 1
for ROW in (1, 2):
    for COLUMN in (3, 4):
        CELL = ROW * COLUMN

# --- Numbers, texts, lists ---
BITS = (48).bit_length() * 100 + (-7).bit_count()
HEX = float.fromhex("0x1p-126") == 2.0**-126 and float.fromhex(" -1.8p1 ") == -3.0 and float.fromhex((0.1).hex()) == 0.1
RATIO = (2.5).as_integer_ratio()
WHOLE = (2.0).is_integer() and not (2.5).is_integer() and (3).real == 3 and (3).denominator == 1
PARSED = int("ff", 16) + int("0x10", 0) + int("-0b11", 0) + int("777", 8) + int(" 12 ")
QUOTIENT, REST = divmod(-17, 5)
FIRST, *MIDDLE, LAST = [1, 2, 3, 4]
ORDER = sorted([3, 1, 2]) + sorted([1, 3, 2], reverse=True) + sorted([-3, 1, -2], key=abs) + list(reversed((1, 2)))
PAIRS = [i * x for i, x in enumerate([3, 1, 2], 1)] + [a * b for a, b in zip((1, 2, 3), (4, 5))] + list(map(lambda x: x + 1, [1, 2]))
TEXTS = (hex(255), oct(8), bin(-5), chr(97), ord("b"), round(2.567, 2), pow(2, 10, 1000))
WORDS = ("  x y ".split(), "..a.".lstrip("."), "a\n".rstrip(), "abcb".find("b"), "abcb".rfind("b"), "abcb".count("b"), "12".isdigit())
ENDS = ("libx".removeprefix("lib"), "x.so".removesuffix(".so"))
PLACES = (4, 5, 4).index(5) * 10 + [4, 5, 4].count(4)
KEYS = [k for k in {"m": 1, "n": 2}.keys()] + [v for v in {"m": 1}.values()] + [v for k, v in {"n": 7}.items()]
SOME = 2 in {1, 2} and len(set([1, 1, 2])) == 2
INTEGERS = (math.gcd(12, -18), math.lcm(4, 6), math.isqrt(99), math.factorial(5), math.comb(5, 2), math.perm(5, 2), math.prod([2, 3, 4]))
ASKED = math.isinf(float("inf")) and math.isnan(float("nan")) and math.isfinite(1.0) and math.ldexp(0.5, 3) == 4.0

# --- Modules ---


def found(name):
    for place in ("triton.language.no_such_module", "triton.language.extra.libdevice"):
        if spec := finder.find_spec(place):
            module = finder.module_from_spec(spec)
            spec.loader.exec_module(module)
            return getattr(module, name)
    raise ImportError(name)


rsqrt = found("rsqrt")
spec = find_spec("triton.language")
language = module_from_spec(spec) if spec is not None and spec.name == "triton.language" else None
imported = importlib.import_module("triton.language.math")


@triton.jit
def other(x):
    return x * 0.5


def patch(module, names):
    for name in names:
        if hasattr(module, name):
            continue
        setattr(module, name, other)
        continue
    return module


patch(libdevice, ("acos", "no_such_function"))
setattr(tl, "halved", other)
tl.math.also_halved = other
for name in ("set_in_a_loop", "set_too"):
    setattr(tl, name, other)


@triton.jit
def kernel(p, D: tl.constexpr):
    tl.static_assert(LOOPS == (-1, 8, 152, "minimum") and FILLED == (2, "bb"))
    tl.static_assert(TOTAL == 5 and LIST == [0, 2, 3] and TABLE["a"] == 1 and TABLE["b"] == 3)
    tl.static_assert(DOUBLED == 128 and AFTER == 129 and CELL == 8 and ROW == 2)
    tl.static_assert(BITS == 603 and HEX and RATIO == (5, 2) and WHOLE and PARSED == 255 + 16 - 3 + 511 + 12)
    tl.static_assert(QUOTIENT == -4 and REST == 3 and FIRST == 1 and MIDDLE == [2, 3] and LAST == 4)
    tl.static_assert(ORDER == [1, 2, 3, 3, 2, 1, 1, -2, -3, 2, 1] and PAIRS == [3, 2, 6, 4, 10, 2, 3])
    tl.static_assert(TEXTS == ("0xff", "0o10", "-0b101", "a", 98, 2.57, 24))
    tl.static_assert(WORDS == (["x", "y"], "a.", "a", 1, 3, 2, True) and ENDS == ("x", "x"))
    tl.static_assert(PLACES == 12 and KEYS == ["m", "n", 1, 7] and SOME)
    tl.static_assert(INTEGERS == (6, 12, 9, 120, 10, 20, 24) and ASKED)
    tl.static_assert(D.bit_length() == 6 and D.bit_count() == 2)
    x = tl.load(p + tl.arange(0, 2 ** (D.bit_length() - 1)))
    x = language.maximum(rsqrt(x), imported.exp(x)) + shim.acos(x) + libdevice.no_such_function(x)
    tl.store(p, tl.halved(tl.math.also_halved(tl.set_in_a_loop(tl.set_too(tl.sum(x, 0))))))
