#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that hang, and kernels that spin and end: run.py TILEC FOLDER COMMAND.

FOLDER's .tile and .tir files and kernels.cu (run as the PTX that scripts/nvcc-ptx made) say in comments above each kernel how it is launched:
"hangs: ARGUMENTS" with "says: TEXT", and "limit" if only a limit ends it; or "ends: ARGUMENTS". A kernel that hangs
ends with status 1, names the line marked "here" and says the text. It does so at once (a second of processor time),
except for limits. A kernel that ends has status 0. COMMAND is run, check or eval (only .tile files). If kernels are
named after it, only those are run. Prints a line for each failure and
"N passed, N failed"."""
import os
import re
import resource
import subprocess
import sys

LIMIT, FAR, AT_ONCE = 1, 300, 1.0  # seconds: --timeout where only it ends a kernel, and elsewhere; of processor time otherwise


def kernels(path):
    """Name, launch (a dictionary) and the marked line of each kernel of a file."""
    launch, found = {}, []
    for number, line in enumerate(open(path), 1):
        said = re.match(r"(?:#|//) (hangs|ends|says|limit|option)(?:: (.*))?$", line)
        if said:
            if said[1] in ("hangs", "ends"):
                launch = {}
            launch[said[1]] = said[2] or ""
        name = re.match(r"(?:KERNEL |def |kernel @)(\w+)\(", line)
        if name and launch:
            found.append([name[1], launch, 0])
            launch = {}
        if found and re.search(r"(#|//) here\b", line):
            found[-1][2] = number
    return found


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    tilec, folder, command = sys.argv[1:4]
    passed = failed = 0
    only = sys.argv[4:]
    ptx = os.path.join(os.path.dirname(tilec), "tests/nvcc-ptx/hangs/kernels.ptx")
    files = [(name, os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith((".tile", ".tir"))]
    for name, program in files + [("kernels.cu", ptx)]:
        if command == "eval" and program.endswith(".ptx"):
            continue
        for kernel, launch, line in kernels(os.path.join(folder, name)):
            if only and kernel not in only:
                continue
            hangs = "hangs" in launch
            words = (launch["hangs"] if hangs else launch["ends"]).split()
            if command == "eval" and launch.get("option") == "no eval":
                continue
            device = ["--device", "eval" if command == "eval" else "sim"]
            limit = ["--timeout", str(LIMIT if "limit" in launch else FAR)]
            watch = [] if command == "eval" or hangs else ["--sim-watch", "50"]
            before = processor_seconds()
            ran = subprocess.run([tilec, "check" if command == "check" else "run", program,
                                  "--kernel", kernel, *device, *limit, *watch, *words], capture_output=True, text=True)
            took, wrong = processor_seconds() - before, ""
            if ran.returncode != (1 if hangs else 0):
                wrong = f"status {ran.returncode}"
            elif hangs and not re.search(rf"{re.escape(name)}:{line}[: ]", ran.stderr):
                wrong = f"line {line} is not named"
            elif hangs and command != "eval" and launch["says"] not in ran.stderr:
                wrong = f"does not say '{launch['says']}'"
            elif hangs and "limit" not in launch and took > AT_ONCE * (4 if command == "check" else 1):
                wrong = f"took {took:.2f} s of processor time"
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f"FAILED {command} {program} {kernel}: {wrong}\n{ran.stdout[:300]}{ran.stderr[:900]}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
