# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random kernel of loads, stores, atomics and barriers on two buffers, in one to three programs.
races.py SEED FILE writes it. Prints its numbers of programs and warps. The same seed gives the same kernel."""
import random
import sys

PLACES = ["i", "i", "i", "(i + 32) % 128", "(i + 1) % 128", "i + 128 * pid", "i // 2", "127 - i"]


def operations(choose, indent, count):
    for _ in range(count):
        kind, place = choose.randrange(9), choose.choice("xxy") + " + " + choose.choice(PLACES)
        if kind <= 2:
            yield f"{indent}s += tl.load({place})"
        elif kind <= 4:
            yield f"{indent}tl.store({place}, {choose.choice(['i', '1', 'i + pid', 'pid + 3', 's'])})"
        elif kind == 5:
            yield f"{indent}tl.atomic_add({place}, 1)"
        elif kind == 6:
            yield f"{indent}tl.atomic_add({place}, 1, sem='{choose.choice(['relaxed', 'acquire', 'release', 'acq_rel'])}')"
        elif kind == 7:
            yield f"{indent}tl.debug_barrier()"
        else:
            yield f"{indent}tl.atomic_add({choose.choice('xy')}, 1)"


def main():
    choose = random.Random(int(sys.argv[1]))
    programs = choose.choice([1, 1, 2, 3])
    lines = ["import triton", "import triton.language as tl", "", "", "@triton.jit", "def k(x, y, out):"]
    lines += ["    i = tl.arange(0, 128)", "    pid = tl.program_id(0)", "    s = tl.zeros([128], tl.int32)"]
    if programs == 1 or choose.random() < 0.4:
        lines += operations(choose, "    ", choose.randrange(2, 6))
    else:
        for p in range(programs):
            last = p == programs - 1
            lines.append("    else:" if last else f"    {'elif' if p else 'if'} pid == {p}:")
            lines += operations(choose, "        ", choose.randrange(1, 4))
    lines.append("    tl.store(out + i + 128 * pid, s)")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print(programs, choose.choice([1, 4]))


main()
