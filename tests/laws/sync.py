#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that all synchronisation is in the tile IR. One kernel's number of synchronising instructions is counted in
three places. They are the final tile IR (the column of ir/ops.def, which tests/sync_ops reads), the LLVM IR before
optimisation, and the PTX. The numbers must be equal.

sync.py TILEC SYNC_OPS ARCH < LINES: lines of scripts/compile-list. A line an error; then 'N passed, N failed'.
A kernel whose source's own inline assembly synchronises is left out: its text is not an op's. Commits of copies may be more in the PTX."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# PTX instructions that synchronise, or wait for work in flight. Ordered atomics and accesses do not count.
SYNC = re.compile(
    r"\b(bar\.(?:warp\.)?sync|bar\.arrive|barrier\.\w+|cp\.async\.commit_group|cp\.async\.wait_(?:group|all)|cp\.async\.bulk\.commit_group|"
    r"cp\.async\.bulk\.wait_group|cp\.async\.mbarrier|mbarrier\.(?!init|inval)\w+|fence\.\w+(?:\.async)?|membar|griddepcontrol\.\w+|"
    r"wgmma\.(?:fence|commit_group|wait_group)|tcgen05\.(?:fence|commit|wait)|setmaxnreg\.\w+)\b"
)
# The same of LLVM's intrinsics.
INTRINSIC = re.compile(r"\bcall [^@\n]*@llvm\.nvvm\.([\w.]+)\(")
SPELLED = [  # the first that fits
    (r"barrier\.cta\.sync\.", "bar.sync"),
    (r"barrier\.cta\.arrive\.", "bar.arrive"),
    (r"cp\.async\.commit\.group", "cp.async.commit_group"),
    (r"cp\.async\.wait\.(group|all)", "cp.async.wait_group"),
    (r"bar\.warp\.sync", "bar.warp.sync"),
    (r"(membar|fence|mbarrier|griddepcontrol|wgmma|barrier|cp\.async\.(bulk|mbarrier)|setmaxnreg)", None),
]
# A thread closes its own groups and waits for nothing: LLVM may copy it into branches, where a thread comes by one of the copies.
COPIED = {"cp.async.commit_group"}
SAME = {"cp.async.wait_all": "cp.async.wait_group", "barrier.sync": "bar.sync", "bar.warp.sync": "bar.sync"}


def add(counts, word, n=1):
    word = SAME.get(word, word)
    counts[word] = counts.get(word, 0) + n


def of_ptx(text):
    counts = {}
    for line in text.splitlines():
        for word in SYNC.findall(line.split("//")[0]):
            add(counts, word)
    return counts


def of_llvm(text):
    counts = {}
    for line in text.splitlines():
        if " asm " in line:
            for word in SYNC.findall(re.sub(r"\\[0-9A-F]{2}", " ", line)):
                add(counts, word)
        for name in INTRINSIC.findall(line):
            for pattern, word in SPELLED:
                if re.match(pattern, name):
                    add(counts, word or name)
                    break
    return counts


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def of_ops(sync_ops, tir):
    """The counts by the ops; None where the source's own assembly synchronises."""
    with tempfile.NamedTemporaryFile("w", suffix=".tir") as file:
        file.write(tir)
        file.flush()
        lines = run(sync_ops, file.name).splitlines()
    if any(line.startswith("asm ") and SYNC.search(line) for line in lines):
        return None
    counts = {}
    for line in lines:
        if not line.startswith("asm ") and len(line.split()) == 2:
            add(counts, line.split()[0], int(line.split()[1]))
    return counts


def check(tilec, sync_ops, arch, line):
    """None: it does not compile for the target, or is left out; else a list of what differs."""
    words = [word.strip('"') if "PRECISION" not in word else word for word in line.split()]
    base = [tilec, *words, "--arch", arch, "-o", "-"]
    tir = run(*base, "--emit=tir")
    ptx, llvm = run(*base, "--emit=ptx"), run(*base, "--emit=llvm", "-O0")
    if tir is None or ptx is None or llvm is None:
        return None
    ops = of_ops(sync_ops, tir)
    if ops is None:
        return None
    in_ptx = of_ptx(ptx)
    for word in COPIED & in_ptx.keys() & ops.keys():
        in_ptx[word] = min(in_ptx[word], ops[word])
    found = [("LLVM IR", of_llvm(llvm)), ("PTX", in_ptx)]
    return [f"{name} has {counts.get(word, 0)} {word}, the tile IR {ops.get(word, 0)}" for name, counts in found
            for word in sorted({*counts, *ops}) if counts.get(word, 0) != ops.get(word, 0)]


def main():
    tilec, sync_ops, arch = sys.argv[1:4]
    known = {word for row in re.findall(r'^X\(.*, "([^"]*)", ".*"\)$', (Path(__file__).parent / "../../ir/ops.def").read_text(), re.M) for word in row.split()}
    unknown = [word for word in known if not SYNC.fullmatch(word)]
    good, bad = 0, len(unknown)
    for word in unknown:
        print(f"FAILED {word} of ir/ops.def is not looked for")
    for line in sys.stdin:
        wrong = check(tilec, sync_ops, arch, line)
        good += wrong == []
        bad += bool(wrong)
        for text in wrong or []:
            print(f"FAILED {arch} {line.strip()}: {text}")
    print(f"{good} passed, {bad} failed")


if __name__ == "__main__":
    main()
