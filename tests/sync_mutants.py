#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sync_mutants.py LIBTILEC.SO [KERNEL]: drops, doubles and moves each synchronising instruction of five kernels with
tcgen05, one at a time. Each change must be noticed under some schedule: by a checker, or by a result that differs. Others
must be equivalent, by a rule of RULES or an entry of tests/sync_mutants.list with its reason. Closes with 'N passed, N
failed'; -v prints each change."""
import ctypes
import os
import re
import struct
import sys
from collections import Counter
from ctypes import byref, c_size_t, c_uint64, c_void_p

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests/gpu-optional/triton"))
import simulator  # noqa: E402

SYNC = re.compile(r"(@!?%\w+ +)?(bar\.|barrier\.|mbarrier\.|fence\.|tcgen05\.(wait|fence|commit)|cp\.async\.bulk\.(commit|wait))")
REGISTERS_ONLY = re.compile(r"(@!?%\w+ +)?(mov|add|sub|mul|mad|and|or|xor|shl|shr|cvt|cvta|setp|ld\.param)\.")
REPEATABLE = re.compile(r"(@!?%\w+ +)?(bar\.|barrier\.cluster\.wait|mbarrier\.try_wait|fence\.|tcgen05\.(wait|fence))")


# Halves of small integers, and of bf16.
def numbers(count, form):
    values = [(i * 2654435761 >> 7) % 7 - 3 for i in range(count)]
    if form == "fp16": return struct.pack(f"<{count}e", *values)
    return b"".join(struct.pack("<f", value)[2:] for value in values)


# A kernel's text, and how it is launched: its parameters, and the bytes of its results.
class Kernel:
    def __init__(self, name, file, ctas, outputs, maps=(), words=()):
        self.name, self.ctas, self.outputs, self.maps, self.words = name, ctas, outputs, maps, words
        text = open(os.path.join(ROOT, "tests/golden/sim", file), encoding="utf-8").read()
        entry = re.search(rf"\.visible \.entry {name}\(.*?^}}$", text, re.M | re.S)[0]
        self.head = re.search(r"\.version.*?\.address_size 64\n", text, re.S)[0]
        code = re.sub(r"//.*", "", entry)
        self.opening, body = code.split("\n{\n", 1)
        self.statements = [s.strip() for s in re.findall(r"[^;:]*(?:::[^;:]*)*[;:]", body)]

    def text(self, statements):
        return f"{self.head}{self.opening}\n{{\n" + "\n".join(statements) + "\n}\n"


GEMM = [(9, numbers(128 * 128, "bf16"), (128, 128), (256,), (64, 128), 3)] * 2
PAIR = [(4, numbers(1280 * 4, "fp16"), (1280,), (), (128,), 0)]
KERNELS = [
    Kernel("chain", "tcgen05_order.ptx", 1, (16384, 4096)),
    Kernel("relay", "tcgen05_order.ptx", 1, (16384, 4096)),
    Kernel("ring", "tcgen05_order.ptx", 1, (16384, 4096)),
    Kernel("gemm", "tcgen05.ptx", 1, (65536,), GEMM, (struct.pack("<I", 128),)),
    Kernel("pair", "pair.ptx", 2, (65536,), PAIR),
]


# Reports or an error, and the bytes of the results.
def run(library, kernel, text, schedule):
    sim = simulator.Simulator(library, schedule, 1)
    try:
        loaded, _ = sim.load(text)
        params, places = [], []
        for data_type, data, extents, strides, box, swizzle in kernel.maps:
            address = sim.alloc(len(data))
            sim.must(library.tilec_sim_write(sim.sim, c_uint64(address), data, c_size_t(len(data))))
            params.append(sim.tensor_map(data_type, address, extents, strides, box, swizzle))
        for size in kernel.outputs:
            places.append((sim.alloc(size), size))
            params.append(struct.pack("<Q", places[-1][0]))
        reports = sim.launch(loaded, (kernel.ctas, 1, 1), 128, 0, params + list(kernel.words))
        results = []
        for address, size in places:
            results.append(ctypes.create_string_buffer(size))
            sim.must(library.tilec_sim_read(sim.sim, results[-1], c_uint64(address), c_size_t(size)))
        return reports, [r.raw for r in results]
    except simulator.Error as error:
        return [str(error)], None
    finally:
        sim.close()


# (kind, the instruction, the statement that it moves over or None, the statements)
def mutants(kernel):
    s = kernel.statements
    first = next(i for i, x in enumerate(s) if not x.startswith("."))
    seen = {tuple(s)}
    for i, statement in enumerate(s):
        if not SYNC.match(statement): continue
        made = [("drop", None, s[:i] + s[i + 1:]), ("double", None, s[:i] + [statement] + s[i:])]
        if i > first: made.append(("up", s[i - 1], s[:i - 1] + [statement, s[i - 1]] + s[i + 1:]))
        if i + 1 < len(s): made.append(("down", s[i + 1], s[:i] + [s[i + 1], statement] + s[i + 2:]))
        for kind, other, statements in made:
            if tuple(statements) not in seen: yield kind, i, statement, other, statements
            seen.add(tuple(statements))


def registers(statement):
    return set(re.findall(r"%\w+", statement))


# Why a change that nothing notices changes nothing, or None.
def reason(kind, statement, other):
    if kind == "double" and REPEATABLE.match(statement): return "orders nothing more than the first one"
    if other and REGISTERS_ONLY.match(other) and not registers(other) & registers(statement):
        return "the other instruction reads and writes only registers"
    return None


def listed():
    entries = {}
    for line in open(os.path.join(ROOT, "tests/sync_mutants.list"), encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            key, why = line.rstrip("\n").split(" = ", 1)
            entries[key] = why
    return entries


def main():
    verbose = "-v" in sys.argv
    names = [a for a in sys.argv[1:] if a != "-v"]
    library = simulator.open_library(names[0])
    entries, counts, used = listed(), Counter(), set()
    for kernel in (k for k in KERNELS if len(names) < 2 or k.name == names[1]):
        right = [run(library, kernel, kernel.text(kernel.statements), s) for s in simulator.SCHEDULES]
        if any(r != ([], right[0][1]) for r in right):
            print(f"FAILED {kernel.name}: the kernel itself", right[0][0])
            counts["failed"] += 1
        for kind, at, statement, other, statements in mutants(kernel):
            key = f"{kernel.name} {at}: {kind} {statement}" + (f" over {other}" if other else "")
            noticed = any(run(library, kernel, kernel.text(statements), s) != right[0] for s in simulator.SCHEDULES)
            why = "noticed" if noticed else reason(kind, statement, other) or entries.get(key)
            if key in entries: used.add(key)
            if noticed and key in entries: why = None
            counts["noticed" if noticed else "equivalent" if why else "failed"] += 1
            if verbose or not why: print(f"{'' if why else 'FAILED '}{key} = {why}")
    if len(names) < 2:
        for key in set(entries) - used:
            print(f"FAILED no such change: {key}")
            counts["failed"] += 1
    print(f"{counts['noticed']} noticed, {counts['equivalent']} equivalent")
    print(f"{counts['noticed'] + counts['equivalent']} passed, {counts['failed']} failed")
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
