# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the table asks: by file, expressions and the types of their variables.
from collections import namedtuple
from itertools import product

from inputs import TYPES

# ulp: how far floats may be from Triton's, in units in the last place of the result's type.
Section = namedtuple("Section", "expression types ulp", defaults=[0])

ALL = list(TYPES)
INTEGERS = [t for t in ALL if TYPES[t][1] != "f"]
FLOATS = ["fp16", "bf16", "fp32", "fp64"]
PAIRS = list(product(ALL, ALL))
SINGLES = [(t,) for t in ALL]


def operators():
    for op in "+ - *".split():
        yield Section(f"a {op} b", PAIRS)
    yield Section("a / d", PAIRS, 3)
    for op in "// %".split():
        yield Section(f"a {op} d", PAIRS)
    for op in "& | ^".split():
        yield Section(f"a {op} b", PAIRS)
    for op in "<< >>".split():
        yield Section(f"a {op} k", PAIRS)
    for op in "< <= > >= == !=".split():
        yield Section(f"a {op} b", PAIRS)
    for op in "- + ~ not".split():
        yield Section(f"{op} a".replace("- ", "-").replace("+ ", "+").replace("~ ", "~"), SINGLES)
    for text in "a and b,a or b,a.logical_and(b),a.logical_or(b)".split(","):
        yield Section(text, PAIRS)
    yield Section("a.logical_not()" , SINGLES)


FILES = {"operators": operators}
