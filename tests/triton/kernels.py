# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# From rows of the table to the text of one kernel that computes them all; triton_table.c makes the same text.
import re
from collections import namedtuple

from inputs import ELEMENTS, LONG, SETS, TYPES

# types: one for each variable of the expression, in the order in which they appear.
Row = namedtuple("Row", "expression types")
MEMORY = 16  # elements of the memory that a row has for itself

# A set has a tile `a`, its scalar `sa`, its pointer `pa`, and a type `T`. `Ma` (16x16), `Ra` (16x32) and `Ca` (32x16)
# are matrices of its elements. The row's own memory is pointers `Qa`, and one pointer `Za`.
VARIABLE = re.compile(rf"\b(?:([spMRCQZ]?)([{SETS}])|(T))\b(?!=)")


def variables(expression):
    found = []
    for match in VARIABLE.finditer(expression):
        if match.group(0) not in found:
            found.append(match.group(0))
    return found


def instantiate(row, index):
    kinds = dict(zip(variables(row.expression), row.types, strict=True))

    def replace(match):
        kind = kinds[match.group(0)]
        if match.group(3):
            return "tl." + LONG[kind]
        if match.group(1) in ("Q", "Z"):
            return f"(z_{kind} + {index * MEMORY}" + (" + r)" if match.group(1) == "Q" else ")")
        return f"{match.group(0)}_{kind}"

    return VARIABLE.sub(replace, row.expression)


NAMED = re.compile(rf"\b([spMRC]?)([{SETS}])_({'|'.join(TYPES)})\b")


def definition(form, which, kind):
    base = f"x_{kind} + {SETS.index(which) * ELEMENTS}"
    name = f"{form}{which}_{kind}"
    if form == "p":
        return f"    {name} = {base}\n"
    index = {"": " + r", "s": " + 5", "M": " + (r16[:, None] * 3 + r16[None, :] * 5) % 8",
             "R": " + (r16[:, None] * 3 + r32[None, :] * 5) % 8", "C": " + (r32[:, None] * 3 + r16[None, :] * 5) % 8"}[form]
    return f"    {name} = tl.load({base}{index})\n"


# The kernel's head, with the definitions of all that the lines use.
def head(lines):
    text = "@triton.jit\ndef k(" + ", ".join(f"{p}_{t}" for p in "xyz" for t in TYPES) + ", n32, n64, f32, const, one):\n"
    text += f"    r = tl.arange(0, {ELEMENTS})\n    r16 = tl.arange(0, 16)\n    r32 = tl.arange(0, 32)\n"
    done = set()
    for line in lines:
        for match in NAMED.finditer(line):
            if match.group(0) not in done:
                done.add(match.group(0))
                text += definition(*match.groups())
    return text


# A line `tN = ...` a row. Semicolons separate the statements of an expression, and the last one counts.
def row_line(row, index):
    *before, last = instantiate(row, index).split("; ")
    return "".join(f"    {statement}\n" for statement in before) + f"    t{index} = {last}\n"


def store_line(index, kind, shape, offset):
    where = f"y_{kind} + {offset}"
    if shape:
        size = 1
        for n in shape:
            size *= n
        where += f" + tl.reshape(tl.arange(0, {size}), ({', '.join(map(str, shape))},))"
    return f"    tl.store({where}, t{index})\n"
