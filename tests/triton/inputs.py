# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The table's inputs: for each set (a letter) and type eight elements, as bits.
import random
import struct

ELEMENTS = 8
# name: (bits, kind); kinds: b bool, i signed, u unsigned, f float
TYPES = {"i1": (1, "b"), "i8": (8, "i"), "i16": (16, "i"), "i32": (32, "i"), "i64": (64, "i"), "u8": (8, "u"), "u16": (16, "u"),
         "u32": (32, "u"), "u64": (64, "u"), "fp8e4nv": (8, "f"), "fp8e5": (8, "f"), "fp16": (16, "f"), "bf16": (16, "f"),
         "fp32": (32, "f"), "fp64": (64, "f")}
MANTISSA = {"fp8e4nv": 3, "fp8e5": 2, "fp16": 10, "bf16": 7, "fp32": 23, "fp64": 52}
LONG = {"i1": "int1", "fp8e4nv": "float8e4nv", "fp8e5": "float8e5", "fp16": "float16", "bf16": "bfloat16", "fp32": "float32",
        "fp64": "float64"}
LONG.update({f"i{n}": f"int{n}" for n in (8, 16, 32, 64)})
LONG.update({f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)})
SETS = "abcdekmwlho"


def bytes_of(kind):
    return max(1, TYPES[kind][0] // 8)


# The bits of a number that the type has; floats of any width from fp64's bits.
def encode(kind, number):
    bits, family = TYPES[kind]
    if family == "b":
        return int(number != 0)
    if family != "f":
        return int(number) & ((1 << bits) - 1)
    if abs(number) == float("inf"):
        return (number < 0) << (bits - 1) | special_floats(kind)["inf"]
    wide, = struct.unpack("<Q", struct.pack("<d", number))
    if kind == "fp64":
        return wide
    sign, exponent, fraction = wide >> 63, (wide >> 52 & 2047) - 1023, wide & ((1 << 52) - 1)
    mantissa = MANTISSA[kind]
    bias = (1 << (bits - 2 - mantissa)) - 1
    if wide << 1 & ((1 << 64) - 1) == 0:
        return sign << (bits - 1)
    assert fraction & ((1 << (52 - mantissa)) - 1) == 0 and exponent > -bias, (kind, number)
    return sign << (bits - 1) | (exponent + bias) << mantissa | fraction >> (52 - mantissa)


def special_floats(kind):
    bits, mantissa = TYPES[kind][0], MANTISSA[kind]
    top = (1 << (bits - 1)) - 1
    if kind == "fp8e4nv":
        return {"inf": top - 1, "nan": top, "max": top - 1, "min": 8, "denormal": 3}
    infinity = ((1 << (bits - 1 - mantissa)) - 1) << mantissa
    return {"inf": infinity, "nan": infinity | 1 << (mantissa - 1), "max": infinity - 1, "min": 1 << mantissa,
            "denormal": 3 if kind != "fp64" else 0xf000000000001}


def specials(kind, which):
    bits, family = TYPES[kind]
    r = random.Random(f"{kind}{which}")
    any_bits = lambda: r.getrandbits(bits)
    if family == "b":
        return {"a": [0, 1, 0, 1, 1, 0, 1, 0], "b": [0, 0, 1, 1, 0, 1, 1, 0], "c": [1, 0, 0, 1, 0, 0, 1, 1]}[which]
    if family != "f":
        low, high = (1 << (bits - 1), (1 << (bits - 1)) - 1) if family == "i" else (0, (1 << bits) - 1)
        ones = (1 << bits) - 1
        if which == "a":
            return [0, ones, low, high, 1, any_bits(), any_bits(), any_bits()]
        if which == "b":
            return [0, 1, ones, high, any_bits(), low, any_bits(), 5]
        return [1, high, any_bits(), 0, any_bits(), any_bits(), ones, low]
    s, sign = special_floats(kind), 1 << (bits - 1)
    one, two = encode(kind, 1.0), encode(kind, -2.5)
    finite = lambda: encode(kind, 0.0) | (r.getrandbits(bits) & ~(1 << (bits - 2))) # the exponent's top bit is clear
    if which == "a":
        return [0, s["inf"], sign | s["max"], s["nan"], s["denormal"], finite(), two, finite()]
    if which == "b":
        return [sign, one, s["max"], two, s["min"], one, finite(), sign | s["inf"]]
    return [one, two, finite(), sign | s["denormal"], s["max"], one, finite(), s["nan"]]


SMALL = {
    "e": [1, 2, 1, -1, 2, 1, 3, 1],        # products that stay exact
    "k": [0, 1, 2, 3, 4, 5, 6, 7],         # shift counts of every width; bins
    "m": [0, 1, 2, 3, 7, 12, 56, 96],      # not negative; fractions below for floats
    "w": [3, -1, 0, -4, 2, 1, -2, 4],      # sums that stay exact
    "l": [-4, 0, 1, -2, 3, 0, -1, 2],      # l <= h
    "h": [-2, 0, 6, 4, 5, 1, 3, 2],
    "d": [3, 7, -3, 5, -7, 2, 12, -2],     # divisors; INT_MIN is never divided by -1
    "o": [0, 9, 33, -1, 8, 71, 127, 3],    # of eight bins some; of floats beyond integers of 8 and 16 bits
}
FRACTIONS = {"m": [0.25, 1.5, 2.5, 3.5, 7, 12, 56, 96], "d": [3, -0.75, 0.5, 5, -7, 2, 12, -1.25],
             "w": SMALL["w"], "e": [1, 2, 0.5, -1, 2, 1, 3, 1],
             "o": [300, -300, 40192, -40192, float("inf"), float("-inf"), 200, -1.5]}
FP8 = {"o": [384, -384, 96, -96, 448, -448, 224, -1.5]}


def elements(which, kind):
    if which in "abc":
        return specials(kind, which)
    family = TYPES[kind][1]
    numbers = FRACTIONS.get(which, SMALL[which]) if family == "f" else SMALL[which]
    if kind.startswith("fp8"):
        numbers = FP8.get(which, numbers)
    if family in "bu":
        numbers = [abs(n) for n in numbers]
    if family == "u" and which == "l":
        numbers = [min(a, abs(b)) for a, b in zip(numbers, SMALL["h"])]
    if which == "d" and family == "b":
        numbers = [1] * ELEMENTS
    return [encode(kind, n) for n in numbers]


def memory(kind):
    size = bytes_of(kind)
    return b"".join(bits.to_bytes(size, "little") for which in SETS for bits in elements(which, kind))
