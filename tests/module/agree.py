#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""agree.py TILEC: what Python's module level computes is the same by CPython and by tilec. Each snippet gives `result`, an integer."""

import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = """import functools
import operator
from dataclasses import dataclass, field
from functools import reduce
from operator import mul
import triton
import triton.language as tl
"""
TAIL = """
RESULT = tl.constexpr(int(result))
@triton.jit
def k(out):
    tl.store(out, RESULT)
"""
SNIPPETS = """
D = {1: 10, 2: 20}
result = D[2]

D = {True: 3, None: 4, 2.0: 5}
result = D[1] + 10 * D[None] + 100 * D[2]

D = {(1, 2): 10, ("a", (3,)): 5}
result = D[1, 2] + D[("a", (3,))]

D = {i: i * i for i in range(5) if i != 2}
result = D[3] + 100 * len(D)

D = {4: {8: 3}, **{5: {}}}
result = D[4][8] + len(D[5])

D = dict([(1, 2), (3, 4)], last=7)
result = D[3] + D["last"]

D = {7: 1, "a": 5}
result = ("a" in D) + 2 * (5 in D) + 4 * (7 in D) + 8 * (1 not in D)

D = {3: 1, 4: 2}
result = sum([k for k in D]) + 10 * sum(D) + 1000 * sum(D.values()) + 10000 * max(sorted(D)) + len(list(D))

D = {(1, 2): 10, (1, 3): 5}
result = sum(a * b for a, b in D.keys()) + 100 * sum(a * v for (a, b), v in D.items())

D = {1: 10}
result = D.get(3, 5) + D.get(1)

def f(n):
    d = {i: i + 1 for i in range(n)}
    d[n] = 40
    total = 0
    for key in d:
        total = total + key
    return total + d[2] + d[n]
result = f(4)

result = functools.reduce(lambda a, b: 10 * a + b, [1, 2, 3, 4])

result = reduce(lambda a, b: a - b, (1, 2, 3), 70)

result = functools.reduce(operator.mul, [2, 3, 4], 1) + operator.add(2, 3) + mul(4, 5) + operator.floordiv(-7, 2)

result = operator.lt(3, 4) + 2 * operator.eq(3, 4) + 4 * operator.xor(5, 1) + operator.pow(2, 10) + operator.rshift(64, 2)

result = max([3, 9, 4], key=lambda x: -x) + 10 * min((5, 7, 8), key=lambda x: x % 4)

result = max(2, -3, key=abs) + 10 * min([], key=abs, default=6) + 100 * max({3: 9, 4: 1}, key=lambda k: k)

C = [{"BLOCK": 64, "warps": 4}, {"BLOCK": 128, "warps": 2}, {"BLOCK": 128, "warps": 8}]
result = max(C, key=lambda c: c["BLOCK"])["warps"]

result = int.from_bytes(b"\\x01\\x02\\x00", "little") + int.from_bytes(b"\\xff\\xfe", byteorder="big", signed=True)

result = int.from_bytes([1, 0, 255], "big") + int.from_bytes(b"", "little")

@dataclass
class Size:
    rows: int
    columns: int = 7
s = Size(3)
result = s.rows * 10 + s.columns + 100 * Size(columns=2, rows=5).rows

@dataclass(frozen=True)
class Options:
    warps: int = 1
    stages: int = field(default=9)
    blocks: tuple = field(default_factory=lambda: (1, 5))
result = Options(stages=3).warps + Options().stages + 10 * Options().blocks[1]
"""


def main():
    tilec, failed = sys.argv[1], 0
    snippets = [s for s in re.split(r"\n\n(?=\S)", SNIPPETS.strip())]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "snippet.py"
        for snippet in snippets:
            names = {}
            exec(HEAD.split("import triton")[0] + snippet, names)
            path.write_text(HEAD + snippet + TAIL)
            done = subprocess.run([tilec, path, "--signature", "out=*i64", "--emit=tir", "-o", "-"], capture_output=True, text=True)
            got = re.search(r"constant {value = (-?\d+)}", done.stdout)
            if done.returncode == 0 and got and int(got[1]) == int(names["result"]):
                continue
            failed += 1
            print(f"{snippet}\nCPython: {int(names['result'])}, tilec: {got[1] if got else done.stderr}")
    print(f"{len(snippets) - failed} of {len(snippets)} snippets agree")
    return failed > 0


sys.exit(main())
